#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Checks that the charts of benchmarks.md show the medians of its tables, in
their order.

charts_test.py [TREE]
"""

import os
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))


def in_table(block):
    """Returns the figures of the first table: the columns with systems, by
    rows."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in block.split("Medians:")[1].lstrip().split("\n\n")[0]
            .splitlines()]
    columns = [n for n, cell in enumerate(rows[0]) if n >= 2 and
               not cell.startswith("/")]
    return [row[n] for row in rows[2:] for n in columns if row[n] != "-"]


def in_chart(text):
    """Returns the figures behind the bars."""
    return re.findall(r"<rect [^>]*rx=\"2\"[^>]*/>\n<text [^>]*>([^<]*)</text>",
                      text)


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../..")
    page = os.path.join(top, "Documentation/benchmarks.md")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    blocks = re.findall(r"<!-- results (\S+) begin -->(.*?)<!-- results", text,
                        re.S)
    wrong = not blocks
    for kernel, block in blocks:
        with open(page.replace(".md", f"-{kernel}.svg"),
                  encoding="utf-8") as file:
            drawn = in_chart(file.read())
        if drawn != in_table(block):
            print(f"{kernel}: table {in_table(block)}\nchart {drawn}")
            wrong = True
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
