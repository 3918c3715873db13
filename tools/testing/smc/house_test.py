#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Checks that all tests follow the rules of testing.rst; prints KTAP.

The program tries each rule on lines that break it and on lines that do not,
then on the files of the tree.
"""

import os
import re
import subprocess
import sys

import ktap

HERE = os.path.dirname(os.path.realpath(__file__))
SELFTESTS = "tools/testing/selftests/net/smc"
CASES = f"{SELFTESTS}/smctest/conformance/"
LIBRARIES = {f"{SELFTESTS}/ktap.h": "C", f"{SELFTESTS}/ktap.sh": "shell",
             f"{SELFTESTS}/smctest/ktap.py": "Python"}
LINKS = ("scripts/ktap.py", "tools/testing/smc/ktap.py",
         "tools/testing/bench/ktap.py")
# Example texts that tests of such programs contain.
QUOTED = ("tools/testing/smc/house_test.py",)

# A statement that prints KTAP prints its head, a plan or a result. A plan with
# a number of tests is a plan; the range of a loop is not.
WRITES = re.compile(r"\b(?:print|echo|printf|puts|fputs)\b[^#]*?[\"'(]\s*"
                    r"(?:KTAP version|(?:not )?ok\b[ %\d$]|%s ?ok|1\.\.[%\d$])")
PATH = re.compile(r"\bsys\.path\b(?!\.join)|\bPYTHONPATH=")
OPENS = re.compile(r"(?<![\w.])Group\(")


def writes_ktap(path, text):
    """Returns lines that write KTAP, outside of the libraries."""
    if path in LIBRARIES:
        return []
    return [number for number, line in enumerate(text.splitlines(), 1)
            if WRITES.search(line)]


def changes_path(path, text):
    """Returns lines that set the path of Python modules; run_module may do
    that."""
    if path == f"{SELFTESTS}/run_module":
        return []
    return [number for number, line in enumerate(text.splitlines(), 1)
            if PATH.search(line)]


def opens_group(path, text):
    """Returns lines of scripted cases that open a group without the
    fixture."""
    if not path.startswith(CASES) or path == CASES + "peer.py":
        return []
    return [number for number, line in enumerate(text.splitlines(), 1)
            if OPENS.search(line)]


# rule: (function that finds violations, lines that break the rule, lines that
# do not)
RULES = {
    "one KTAP library for each language": (
        writes_ktap,
        ['print("KTAP version 1")', 'echo "1..$count"', "echo '1..11'",
         'printf("%sok %u %s\\n", bad ? "not " : "", number, name);',
         'echo "not ok 1 fuzz"', 'echo "ok $number $1 # SKIP $2"',
         'printf("1..%u\\n", n);'],
        ['report.result(True, "it is ok")', 'echo "ok"', 'want = "ok 1 x"',
         'if line.startswith("KTAP version"):', "for i in 1..3"]),
    "nobody tells Python where modules are": (
        changes_path,
        ["sys.path.insert(0, HERE)", "sys.path[:0] = [HERE]",
         "PYTHONPATH=$here python3 x"],
        ["os.path.join(a, b)", "import sys"]),
    "scripted cases open groups by the fixture": (
        opens_group,
        ["group = Group(bench, SERVER, Endpoint)"],
        ["conn, group = bench.contact(SERVER)", "with bench.connected(x) as y:"])}


def texts(top):
    """Returns {path: content} of shell, Python and C of the tree's tests and
    tools."""
    out = subprocess.run(["git", "ls-files", "-z", "scripts", "tools"], cwd=top,
                         check=True, stdout=subprocess.PIPE, encoding="utf-8")
    found = {}
    for path in filter(None, out.stdout.split("\0")):
        full = os.path.join(top, path)
        if path in QUOTED or os.path.islink(full) or not os.path.isfile(full):
            continue
        with open(full, encoding="utf-8", errors="replace") as file:
            text = file.read()
        if path.endswith((".py", ".sh", ".c", ".h", "Makefile", ".mk")) or \
           text.startswith("#!"):
            found[path] = text
    return found


def one_rule(report, name, files):
    """The rule finds the lines that break it, and no other lines."""
    find, bad, good = RULES[name]
    path = CASES + "some.py"
    wrong = [f"not found: {line}" for line in bad if not find(path, line)]
    wrong += [f"found: {line}" for line in good if find(path, line)]
    report.result(not wrong, f"{name}: the rule knows", "\n".join(wrong))
    wrong = [f"{path}:{line}" for path, text in sorted(files.items())
             for line in find(path, text)]
    report.result(not wrong, name, "\n".join(wrong))


def links(top):
    """Returns links to the library that are not links, or point elsewhere."""
    library = next(path for path, language in LIBRARIES.items()
                   if language == "Python")
    return [path for path in LINKS
            if not os.path.islink(os.path.join(top, path)) or
            not os.path.samefile(os.path.join(top, path),
                                 os.path.join(top, library))]


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../..")
    files = texts(top)
    report = ktap.Report()
    report.result(set(LIBRARIES) <= set(files), "the libraries are there")
    for name in RULES:
        one_rule(report, name, files)
    wrong = links(top)
    report.result(not wrong, "other copies of it are links", "\n".join(wrong))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
