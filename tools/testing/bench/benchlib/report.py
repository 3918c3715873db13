# SPDX-License-Identifier: GPL-2.0
"""Calculates medians, ratios and goals, and prints them as text and Markdown
tables."""

import os
import re
import statistics

from benchlib import BenchError, items
from benchlib.measure import COUNTS, MEMORY


# systems that do the same as this module, but are no products
VARIANTS = ("verbs_calls", "verbs_records", "ours_rfc")


class Results:
    """All samples of a run on one kernel."""

    def __init__(self, kernel, chosen, systems):
        self.kernel = kernel
        self.items = chosen
        self.systems = systems
        self.samples = {}       # (item, system): list
        self.errors = []        # (item, system, round, text)

    def add(self, item, system, turn, sample):
        """Keeps one sample of a round."""
        self.samples.setdefault((item.key, system), []).append(
            {"round": turn, **sample})

    def median(self, key, system):
        """Returns the median value, or None if there are no samples."""
        found = self.samples.get((key, system))
        return statistics.median(s["value"] for s in found) if found else None

    def spread(self, key, system):
        """Returns (max - min) / median of the values."""
        values = [s["value"] for s in self.samples[key, system]]
        middle = statistics.median(values)
        return (max(values) - min(values)) / middle if middle else 0

    def count(self, key, system, name):
        """Returns the median of a count per operation, or None if there is no
        such count."""
        found = [s["counts"][name] for s in self.samples.get((key, system), ())
                 if name in s["counts"]]
        return statistics.median(found) if found else None

    def ratio(self, key, other, system="ours"):
        """Returns the median of the ratios that the rounds have, or None. A
        round measures both systems soon after each other, and the machine may
        be faster in one round than in another."""
        theirs = {s["round"]: s["value"]
                  for s in self.samples.get((key, other), ())}
        found = [s["value"] / theirs[s["round"]]
                 for s in self.samples.get((key, system), ())
                 if theirs.get(s["round"])]
        return statistics.median(found) if found else None

    def goals(self):
        """Returns (goal, value or None, met) for each goal of a
        measured item."""
        chosen = {item.key for item in self.items}
        for goal in items.GOALS:
            if goal.item not in chosen or \
               not all(items.selected(system, self.systems) for system in
                       filter(None, (goal.system, goal.other))):
                continue
            if goal.count:
                value = self.count(goal.item, goal.system, goal.count)
            elif goal.other:
                value = self.ratio(goal.item, goal.other, goal.system)
            else:
                value = self.median(goal.item, goal.system)
            yield goal, value, value is not None and goal.met(value)


def number(value):
    """Returns the number with about four digits."""
    if value is None:
        return "-"
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"


def table(rows):
    """Returns an aligned Markdown table; the first row is the head."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for n, row in enumerate(rows):
        cells = [cell.ljust(w) if i == 0 else cell.rjust(w)
                 for i, (cell, w) in enumerate(zip(row, widths))]
        lines.append("| " + " | ".join(cells) + " |")
        if not n:
            lines.append("|" + "|".join(
                "-" * (w + 2) if i == 0 else "-" * (w + 1) + ":"
                for i, w in enumerate(widths)) + "|")
    return lines


def values_table(results):
    """Returns one row per item, with the medians and the ratios of
    our module."""
    others = [s for s in ("tcp", "stock", "verbs") if s in results.systems]
    ours = "ours" in results.systems
    head = ["work", "unit", *(items.TITLES[s] for s in others)]
    if ours:
        head += ["this module", *(f"/ {items.TITLES[s]}" for s in others)]
    rows = [head]
    for item in results.items:
        row = [item.title, item.unit]
        row += [number(results.median(item.key, s)) for s in others]
        if ours:
            row.append(number(results.median(item.key, "ours")))
            row += [number(results.ratio(item.key, s)) for s in others]
        rows.append(row)
    return table(rows)


def pairs_table(results, chosen, systems, name, ratio):
    """Returns one row per item. Each system has two columns: its median, and
    ratio(key of the item, system) under this name."""
    head = ["work", "unit"]
    for system in systems:
        head += [items.TITLES[system], name]
    rows = [head]
    for item in chosen:
        row = [item.title, item.unit]
        for system in systems:
            row += [number(results.median(item.key, system)),
                    number(ratio(item.key, system))]
        rows.append(row)
    return table(rows)


def mixed_table(results):
    """Compares pairs with different modules with a pair of stock modules."""
    return pairs_table(
        results, [i for i in results.items if i.mixed and not i.inhost],
        [s for s in items.MIXED if s in results.systems],
        f"/ {items.TITLES['stock']}",
        lambda key, system: results.ratio(key, "stock", system))


def variants_table(results):
    """Compares this module with other ways to do the same. Returns no line if
    nothing was measured."""
    systems = [s for s in _all_systems(results) if s in VARIANTS]
    chosen = [i for i in results.items
              if any((i.key, s) in results.samples for s in systems)]
    return pairs_table(results, chosen, systems, "this module / that",
                       results.ratio) if chosen else []


def counts_table(results):
    """Returns the counts per operation, added up for both hosts."""
    names = [n for n in COUNTS
             if any(results.count(i.key, s, n) is not None
                    for i in results.items for s in _all_systems(results))]
    rows = [["work", "per", "on", *names]]
    if not names:
        return []
    for item in results.items:
        for system in _all_systems(results):
            if (item.key, system) not in results.samples or \
               item.value == "end_bytes":
                continue
            rows.append([item.key, item.per, items.TITLES[system]] +
                        [number(results.count(item.key, system, n))
                         for n in names])
    return table(rows)


def memory_table(results, item):
    """Returns the parts of the memory of one connection."""
    rows = [["on", *MEMORY]]
    rows += [[items.TITLES[s], *(number(results.count(item.key, s, n))
                                 for n in MEMORY)]
             for s in _all_systems(results)
             if (item.key, s) in results.samples]
    return table(rows)


def _all_systems(results):
    return [s for s in items.TITLES if any(k[1] == s for k in results.samples)]


def extra_lines(results):
    """Yields the results that are in no table."""
    both = results.median("bulk", "verbs_send")
    if both:
        yield (f"Bare verbs that post a SEND of 44 bytes after each WRITE of "
               f"64 KiB reach {number(both)} MB/s in bulk.  ")
    worst = max(((results.spread(*key), key)
                 for key, found in results.samples.items()
                 if len(found) > 1), default=None)
    if worst:
        yield (f"{worst[1][0]} of {items.TITLES[worst[1][1]]} varies most: "
               f"its (max - min) / median is {worst[0]:.0%}.")


def goal_lines(results):
    """Returns one line per goal."""
    for goal, value, met in results.goals():
        required = goal.binds(results.kernel)
        word = "pass" if met else "FAIL" if required else "not yet"
        kind = "" if required else " (aim)"
        yield f"{word:8}{goal.text()}{kind}: {number(value)}"


def render(results, facts):
    """Returns the whole report as lines of Markdown."""
    lines = [f"{name}: {value}" + "  " for name, value in facts.items()]
    lines += ["", "Medians:", "", *values_table(results), ""]
    if set(items.MIXED) & set(results.systems):
        lines += ["Client and server with different modules:", "",
                  *mixed_table(results), ""]
    variants = variants_table(results)
    if variants:
        lines += ["Other ways to do the same, and net.smc.extension=0 (no "
                  "frames):", "", *variants, ""]
    counts = counts_table(results)
    if counts:
        lines += ["Counts per operation, both hosts together:", "", *counts,
                  ""]
    for item in results.items:
        if item.fresh:
            lines += [f"Counts per connection ({item.key}), fresh hosts:", "",
                      *memory_table(results, item), ""]
    lines += extra_lines(results)
    goals = list(goal_lines(results))
    if goals:
        lines += ["", "Goals:", "", "```", *goals, "```"]
    if results.errors:
        lines += ["", "No figure:", "", "```"]
        lines += [f"{i} {s} round {r}: {text}"
                  for i, s, r, text in results.errors]
        lines.append("```")
    return lines


def unexplained(path, results):
    """Returns the missed goals that the document does not explain."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name in dict.fromkeys(goal.name() for goal, _, met in results.goals()
                              if not met):
        if f"`{name}`" not in text:
            yield name


def update_document(path, kernel, lines):
    """Replaces the text between the marks of this kernel in the document."""
    begin = f"<!-- results {kernel} begin -->"
    end = f"<!-- results {kernel} end -->"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    block = f"{begin}\n" + "\n".join(lines) + f"\n{end}"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    new, n = re.subn(pattern, lambda _: block, text, count=1, flags=re.S)
    if n != 1:
        raise BenchError(f"{path} has no place for results of {kernel}")
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(new)
    os.rename(path + ".new", path)
