# SPDX-License-Identifier: GPL-2.0
"""Read KTAP, with subtests, and count what does not contain other tests."""

import re

from checklib.results import FAIL, PASS, SKIP

RESULT = re.compile(r"^(\s*)(ok|not ok)\s+(\d+)\s*(?:-\s*)?(.*?)"
                    r"(?:\s*#\s*(SKIP|TODO|XFAIL)\b\s*(.*))?\s*$",
                    re.IGNORECASE)
PLAN = re.compile(r"^(\s*)1\.\.(\d+)\s*(?:#\s*SKIP\b\s*(.*))?$", re.IGNORECASE)
STAMP = re.compile(r"^\[\s*\d+\.\d+\] ?")


class _Open:
    """Results of one indentation that no line further out has closed."""

    def __init__(self):
        self.leaves = []    # (name, status, detail)
        self.direct = 0     # result lines at this very depth
        self.plan = None


def parse(text):
    """List of (name, status, detail) of the leaves, in order.

    Kernel log time stamps are ignored. A plan that is not met gives a failure
    of its own.
    """
    levels = {}
    said = []           # lines since the last result, for a failure's detail
    for line in text.splitlines():
        line = STAMP.sub("", line)
        plan = PLAN.match(line)
        if plan:
            level = levels.setdefault(len(plan[1]), _Open())
            level.plan = int(plan[2])
            if not level.plan and plan[3] is not None:
                level.leaves.append(("all", SKIP, plan[3] or "no cause given"))
            continue
        found = RESULT.match(line)
        if not found:
            said.append(line)
            continue
        _take(levels, found, said)
        said = []
    out = []
    for depth in sorted(levels):
        _check_plan(levels[depth], "")
        out += levels[depth].leaves
    return out


def _status(found):
    directive = (found[5] or "").upper()
    if directive == "SKIP":
        return SKIP
    # What is known to fail has failed: TODO and XFAIL excuse nothing.
    return FAIL if found[2].lower() == "not ok" else PASS


def _take(levels, found, said):
    """One result line: closes what is further in, joins its own depth."""
    depth, name = len(found[1]), found[4] or f"#{found[3]}"
    status = _status(found)
    inner = []
    for deeper in sorted(d for d in levels if d > depth):
        level = levels.pop(deeper)
        _check_plan(level, name)
        inner += level.leaves
    level = levels.setdefault(depth, _Open())
    level.direct += 1
    detail = (found[6] or "no cause given") if status == SKIP else (
        "\n".join(said) if status == FAIL else "")
    if not inner:
        level.leaves.append((name, status, detail))
        return
    level.leaves += [(f"{name}/{leaf}", s, d) for leaf, s, d in inner]
    if status == FAIL and not any(s == FAIL for _, s, _ in inner):
        level.leaves.append((name, FAIL, detail))


def _check_plan(level, name):
    if level.plan is not None and level.direct != level.plan and (
            level.plan or level.direct):
        level.leaves.append((
            f"{name or 'plan'} is complete", FAIL,
            f"{level.plan} tests were announced, {level.direct} reported"))


def self_check():
    """What is read wrongly; empty when all is well."""
    text = ("KTAP version 1\n1..4\n    KTAP version 1\n    1..2\n"
            "    ok 1 x\n    why\n    not ok 2 - y\nok 1 outer\n"
            "[    1.5] ok 2 z # SKIP because\nnot ok 3 known # TODO later\n")
    want = [("outer/x", PASS, ""), ("outer/y", FAIL, "    why"),
            ("z", SKIP, "because"), ("known", FAIL, ""),
            ("plan is complete", FAIL, "4 tests were announced, 3 reported")]
    got = parse(text)
    return "" if got == want else f"{got}\n{want}"
