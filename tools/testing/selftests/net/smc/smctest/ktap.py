# SPDX-License-Identifier: GPL-2.0
"""The KTAP library for all Python programs; it writes and reads KTAP.

A program prints its results through a Report, or marks functions with @case
and calls run_cases(). parse() reads the KTAP of any program. This file imports
no other file of the tree. Programs in other directories have a symbolic link
to it.
"""

import os
import re
import signal
import sys
import traceback

PASS, FAIL, SKIP = "pass", "fail", "skip"
KSFT_SKIP = 4       # exit status


class Failure(Exception):
    """An expectation of the test failed."""


class Skip(Exception):
    """The test cannot run in this environment; the exception contains the
    reason."""


def check(condition, text):
    """Raises Failure with this text unless the condition holds."""
    if not condition:
        raise Failure(text)


def same(wanted, got):
    """Raises Failure unless the two values are equal."""
    if wanted != got:
        raise AssertionError(f"wanted {wanted!r}, got {got!r}")


# -- writing -------------------------------------------------------------

class Report:
    """Numbers the results and prints each at once."""

    def __init__(self, plan=None):
        """plan: number of results; without it finish() prints the plan."""
        self.count = 0
        self.failed = 0
        self._plan = plan
        self._begun = False

    def begin(self):
        """Prints the head. Without this call, the first result prints it."""
        if self._begun:
            return
        self._begun = True
        print("KTAP version 1", flush=True)
        if self._plan is not None:
            print(f"1..{self._plan}", flush=True)

    def add(self, status, name, why=""):
        """Adds one result: PASS, FAIL or SKIP; why: the cause of a skip."""
        self.begin()
        self.count += 1
        self.failed += status == FAIL
        word = "not ok" if status == FAIL else "ok"
        tail = f" # SKIP {why}" if status == SKIP else ""
        print(f"{word} {self.count} {name}{tail}", flush=True)

    def passed(self, name):
        self.add(PASS, name)

    def skip(self, name, why):
        self.add(SKIP, name, why)

    def fail(self, name, why=""):
        """Adds a failure. why: text that is printed before the result."""
        self.note(why)
        self.add(FAIL, name)

    def result(self, passed, name, said=""):
        """said: details that are printed before the result."""
        self.note(said)
        self.add(PASS if passed else FAIL, name)

    def note(self, text):
        """Prints a comment line."""
        self.begin()
        for line in str(text).splitlines():
            print(line if line.startswith("#") else f"# {line}", flush=True)

    def relay(self, line):
        """Reads a line of another program's KTAP; its results become results
        of this report."""
        found = RESULT.match(line.rstrip())
        if not found:
            if not line.startswith(("KTAP version", "1..")):
                self.note(line.rstrip())
        elif _status(found) == SKIP:
            self.skip(found[4], found[6])
        else:
            self.add(_status(found), found[4])

    def run(self, name, limit, function, *args):
        """Runs one test: function returns, or raises Failure or Skip; limit:
        the seconds that it may take, 0 for any time."""
        def late(_number, _frame):
            raise Failure(f"took more than {limit} s")

        if limit:
            signal.signal(signal.SIGALRM, late)
            signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            function(*args)
            if limit:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Skip as why:
            self.skip(name, why)
        except Failure as why:
            where = traceback.extract_tb(why.__traceback__)
            lines = ", ".join(f"{frame.name}:{frame.lineno}"
                              for frame in where[1:])
            self.fail(name, f"{why} ({lines})")
        except Exception:   # pylint: disable=broad-except
            self.fail(name, traceback.format_exc())
        else:
            self.passed(name)
        finally:
            if limit:
                signal.setitimer(signal.ITIMER_REAL, 0)

    def finish(self):
        """Prints the plan if it is still missing; returns the exit status."""
        self.begin()
        if self._plan is None:
            print(f"1..{self.count}", flush=True)
        return 1 if self.failed or not self.count else 0


def lacking(what):
    """Ends the program, because something that it needs is missing on the
    machine. Under scripts/check, which prepares the machine, this counts as a
    failure."""
    if "SMC_TEST_DEPTH" in os.environ:
        sys.exit(f"there is no {what}")
    print(f"KTAP version 1\n1..0 # SKIP there is no {what}", flush=True)
    sys.exit(KSFT_SKIP)


_CASES = []


def case(function):
    """Decorator: the first line of the doc string is the result's name."""
    _CASES.append(function)
    return function


def run_cases():
    """Runs all functions with the decorator; returns the exit status."""
    report = Report()
    for function in _CASES:
        name = function.__doc__.splitlines()[0].rstrip(".")
        sys.stdout.flush()
        report.run(name, 0, function)
    return report.finish()


# -- reading -------------------------------------------------------------

RESULT = re.compile(r"^(\s*)(ok|not ok)\s+(\d+)\s*(?:-\s*)?(.*?)"
                    r"(?:\s*#\s*(SKIP|TODO|XFAIL)\b\s*(.*))?\s*$",
                    re.IGNORECASE)
PLAN = re.compile(r"^(\s*)1\.\.(\d+)\s*(?:#\s*SKIP\b\s*(.*))?$", re.IGNORECASE)
STAMP = re.compile(r"^\[\s*\d+\.\d+\] ?")


class _Open:
    """The results of one indentation level that no line of a lower level has
    closed."""

    def __init__(self):
        self.leaves = []    # (name, status, detail)
        self.direct = 0     # result lines at this very depth
        self.plan = None


def parse(text):
    """Returns a list of (name, status, detail) of the leaves, in order.

    The parser ignores time stamps of the kernel log. A plan that does not
    match the number of results adds a failure.
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
    # A known failure counts as a failure, also with TODO or XFAIL.
    return FAIL if found[2].lower() == "not ok" else PASS


def _take(levels, found, said):
    """Parses one result line: it closes deeper levels, and belongs to the
    level of its indentation."""
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
    """Returns the errors of the parser on test inputs; empty if there are
    none."""
    text = ("KTAP version 1\n1..4\n    KTAP version 1\n    1..2\n"
            "    ok 1 x\n    why\n    not ok 2 - y\nok 1 outer\n"
            "[    1.5] ok 2 z # SKIP because\nnot ok 3 known # TODO later\n")
    want = [("outer/x", PASS, ""), ("outer/y", FAIL, "    why"),
            ("z", SKIP, "because"), ("known", FAIL, ""),
            ("plan is complete", FAIL, "4 tests were announced, 3 reported")]
    got = parse(text)
    return "" if got == want else f"{got}\n{want}"
