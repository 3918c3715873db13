# SPDX-License-Identifier: GPL-2.0
"""Draws the medians of a run as bars, from the JSON file of the run."""

import statistics
from xml.sax.saxutils import escape

from benchlib import items
from benchlib.report import number

SYSTEMS = ("tcp", "stock", "verbs", "ours")
COLORS = {"tcp": "#8a97a3", "stock": "#7fb2dd", "verbs": "#d9b38c",
          "ours": "#1f6fb2"}
INK, GREY = "#22303c", "#6b7883"
WIDTH, COLUMN, LEFT = 860, 420, 96      # of the picture, a panel, its labels
BAR, STEP, HEAD = 16, 21, 34            # heights
LONGEST = COLUMN - LEFT - 80            # of a bar


def medians(data):
    """Returns {item: {system: median}} of the JSON of a run."""
    found = {}
    for name, samples in data["samples"].items():
        item, system = name.split(" ")
        if system in SYSTEMS and samples:
            found.setdefault(item, {})[system] = statistics.median(
                sample["value"] for sample in samples)
    return found


def _text(x, y, words, size=12, color=INK, anchor="start", weight=400):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}" '
            f'text-anchor="{anchor}" font-weight="{weight}">'
            f'{escape(words)}</text>')


def _panel(item, values, x, y):
    """Yields the elements of one item, with a bar for each system."""
    better = "more is better" if item.high else "less is better"
    yield _text(x, y + 14, item.title, 13, weight=600)
    yield _text(x, y + 28, f"{item.unit}, {better}", 11, GREY)
    most = max(values.values()) or 1
    top = y + HEAD
    for system in SYSTEMS:
        if system not in values:
            continue
        long = max(1, LONGEST * values[system] / most)
        weight = 600 if system == "ours" else 400
        yield _text(x + LEFT - 8, top + 12, items.TITLES[system], 12,
                    anchor="end", weight=weight)
        yield (f'<rect x="{x + LEFT}" y="{top}" width="{long:.1f}" '
               f'height="{BAR}" rx="2" fill="{COLORS[system]}"/>')
        yield _text(x + LEFT + long + 6, top + 12, number(values[system]), 12,
                    weight=weight)
        top += STEP


def draw(data):
    """Returns an SVG of the data that run.save() wrote."""
    found = medians(data)
    panels = [(item, found[item.key]) for item in items.ITEMS
              if item.key in found]
    body, y = [], 52
    for pair in (panels[i:i + 2] for i in range(0, len(panels), 2)):
        for n, (item, values) in enumerate(pair):
            body += _panel(item, values, 14 + n * COLUMN, y)
        y += HEAD + STEP * max(len(values) for _, values in pair) + 20
    facts = data["facts"]
    head = [_text(14, 24, "Medians", 16, weight=600),
            _text(14, 42, f"Hosts: {facts.get('Hosts', '')}; {facts.get('Date', '')}",
                  11, GREY)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" '
            f'width="{WIDTH}" height="{y}" role="img" font-family="system-ui, '
            "'DejaVu Sans', Verdana, sans-serif\">\n"
            f'<title>Medians of a benchmark run</title>\n<rect width="{WIDTH}" '
            f'height="{y}" fill="#ffffff"/>\n' + "\n".join(head + body) +
            "\n</svg>\n")


def write(data, path):
    """Writes the picture into the file."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(draw(data))
