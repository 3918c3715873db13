# SPDX-License-Identifier: GPL-2.0
"""Finds the reason for a host's end in its console output."""

import re

PANIC = "Kernel panic"
# reason that a script of guest/ prints when it gives up
OWN = re.compile(r"lab init:|lab agent:")
STAMP = re.compile(r"\[\s*(\d+\.\d+)\] ?")
CAUSES = 3      # number of lines that are shown with a panic
WINDOW = 1.0    # seconds before the panic in which they were printed
# Lines of dumps of registers, memory and calls, which do not help without the
# rest of the dump.
DUMP = re.compile(
    r"(?!RIP: 0010:)(.*\+0x[0-9a-f]+/0x|[0-9a-f ]+$|</?[A-Z]+>$|-+\[|"
    r"(R[A-Z0-9]{2}|[C-GS]S|[CD]R\d|PKRU): ?|#PF|PGD |Code: |Stack:|"
    r"Call Trace|Modules linked|CPU: |Tainted: |Hardware name|Workqueue: |"
    r"Kernel Offset|lab: (loading smc|host is ready)$)")


def _split(line):
    """Returns (seconds since the host's start or None, text) of a line."""
    found = STAMP.match(line)
    if not found:
        return None, line.strip()
    return float(found[1]), line[found.end():].strip()


def _causes(lines, when):
    """Returns the last informative lines before a panic at this time."""
    found = []
    for stamp, text in reversed(lines):
        if None not in (stamp, when) and not when - WINDOW <= stamp <= when:
            break
        if text and not DUMP.match(text) and text not in found:
            found.append(text)
        if len(found) == CAUSES:
            break
    return found[::-1]


def last_words(text):
    """Returns the reason for the end of the host, with the lines before it;
    None if unknown."""
    lines = [_split(line) for line in text.splitlines()]
    for number in range(len(lines) - 1, -1, -1):
        when, said = lines[number]
        if said.startswith(PANIC):
            return "; ".join([*_causes(lines[:number], when), said])
        if OWN.match(said):
            return said
    return None


def last_line(text):
    """Returns the last line of a host that ended for an unknown reason."""
    lines = text.split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()),
                "nothing")
