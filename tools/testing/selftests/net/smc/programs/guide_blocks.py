#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Writes the marked commands of guides into files.

guide_blocks.py DIRECTORY PAGE...

A comment before a block marks the block, and comments after it state what the
output must contain:

    .. run: a

    ::

        command

    .. expect: regular expression of grep -E

Files are NUMBER.host, NUMBER.name, NUMBER.script and NUMBER.expect.
"""

import os
import re
import sys
import textwrap

BLOCK = re.compile(r"^\.\. run: (?P<host>[ab])\n\n::\n\n"
                   r"(?P<script>(?:[ \t].*\n|\n)+)"
                   r"(?P<expect>(?:\.\. expect: .*\n)*)", re.M)


def blocks(text):
    """Yields (host, line, script, patterns)."""
    for found in BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield (found["host"], line, textwrap.dedent(found["script"]).strip(),
               re.findall(r"^\.\. expect: (.*)$", found["expect"], re.M))


def main():
    directory, number = sys.argv[1], 0
    for page in sys.argv[2:]:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        found = list(blocks(text))
        if len(found) != len(re.findall(r"^\.\. run:", text, re.M)) or \
           sum(len(b[3]) for b in found) != text.count("\n.. expect: "):
            sys.exit(f"{page}: a mark without its block")
        for host, line, script, patterns in found:
            number += 1
            name = f"{os.path.basename(page)}, line {line}"
            for kind, words in (("host", host), ("name", name),
                                ("script", "set -e\n" + script),
                                ("expect", "\n".join(patterns))):
                path = os.path.join(directory, f"{number:03}.{kind}")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(words + "\n" if words else "")


if __name__ == "__main__":
    main()
