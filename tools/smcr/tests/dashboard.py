#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Compares the Grafana dashboard with the metrics on stdin.

dashboard.py FILE [RULES]

Prints each expression with a metric or label that does not exist. With RULES
it also writes the expressions to a file of Prometheus rules, so that promtool
can parse them.
"""

import json
import re
import sys

# Labels that Prometheus adds.
ADDED = {"instance", "job"}


def samples(text):
    """Returns the labels of each name of a sample."""
    found = {}
    for line in text.splitlines():
        name = re.match(r"[a-z_]+", line)
        if name and not line.startswith("#"):
            found.setdefault(name[0], set()).update(
                re.findall(r'(\w+)="', line))
    return found


def expressions(board):
    """Yields all expressions of a dashboard, with the title of the panel."""
    for panel in board["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"], target["legendFormat"]
    for variable in board["templating"]["list"]:
        query = variable["query"]
        if isinstance(query, dict):
            yield variable["name"], query["query"], ""


def labels_of(expr, legend):
    """Returns the labels that an expression and its legend name."""
    used = set(re.findall(r"\{\{(\w+)\}\}", legend))
    for names in re.findall(r"by \(([^)]*)\)", expr):
        used.update(name.strip() for name in names.split(","))
    for selector in re.findall(r"\{([^}]*)\}", expr):
        used.update(re.findall(r"(\w+)=", selector))
    return used


def check(board, known):
    """Yields each fault of a dashboard."""
    for title, expr, legend in expressions(board):
        names = set(re.findall(r"\bsmc_\w+", expr))
        missing = names - set(known)
        if missing or not names:
            yield f"{title}: no such metric: {sorted(missing) or expr}"
            continue
        have = set.union(ADDED, *(known[name] for name in names))
        if labels_of(expr, legend) - have:
            yield f"{title}: no such label: {labels_of(expr, legend) - have}"
    ids = [panel["id"] for panel in board["panels"]]
    if len(set(ids)) != len(ids):
        yield "two panels have one id"


def rules(board):
    """Returns the expressions of panels as recording rules."""
    text = ["groups:", "- name: smc", "  rules:"]
    for i, (_, expr, legend) in enumerate(expressions(board)):
        if not legend:
            continue
        expr = expr.replace("$__rate_interval", "1m").replace("$host", ".*")
        text += [f"  - record: smc:panel{i}", f"    expr: {json.dumps(expr)}"]
    return "\n".join(text) + "\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        board = json.load(file)
    for line in check(board, samples(sys.stdin.read())):
        print(line)
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(rules(board))


if __name__ == "__main__":
    main()
