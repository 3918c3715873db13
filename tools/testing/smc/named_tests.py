#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Checks that each test exists that known-faults.rst or what-broke-once.rst
names; prints KTAP.

Each page has tables, and the rows of the first page have numbers. A row names
tests, or gives the reason why the fault cannot occur. A test is a file and, in
parentheses, names separated by semicolons:

    ``script.sh`` (NAME; NAME)      script of the selftests, and NAME is a case
                                    of smc_peer that the script runs, a scripted
                                    case, a check of the script, or a @case
    KUnit ``suite`` (NAME; NAME)    suite of net/smc/tests, and its cases
    ``check.sh`` (NAME; NAME)       test of this directory

A word that the test's source computes stands for itself if it is a number, a
role or a string of the same file.
"""

import ast
import os
import re
import sys

import ktap

HERE = os.path.dirname(os.path.realpath(__file__))
PAGE = "Documentation/networking/smc/known-faults.rst"
OWN_PAGE = "Documentation/networking/smc/what-broke-once.rst"
SELFTESTS = "tools/testing/selftests/net/smc"
KUNIT = "net/smc/tests"
NEVER = "Cannot occur"

ROW = re.compile(r"^   \* - (\d+)$(.*?)(?=^   \* - |\Z|^\S)", re.M | re.S)
OWN_ROW = re.compile(r"^   \* - (?!Fault$)(.*?)^     - (.*?)(?=^   \* - |\Z|^\S)",
                     re.M | re.S)
TEST = re.compile(r"(KUnit )?``([\w/.-]+)``\s\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
SHELL = re.compile(r"\b(?:check|relay|from_b|run_cases|through|moments|pass|fail)"
                   r"\s+"
                   r"\"((?:[^\"\\]|\\.)*)\"")
VARIABLE = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+")
PEER_CASE = re.compile(r"\{\s*\"(\w+)\",\s*\w+")
ROLES = ("server", "client")


class Tree:
    def __init__(self, top):
        self.top = top

    def read(self, *path):
        with open(os.path.join(self.top, *path), encoding="utf-8") as file:
            return file.read()

    def has(self, *path):
        return os.path.isfile(os.path.join(self.top, *path))

    def names(self, *path):
        return sorted(os.listdir(os.path.join(self.top, *path)))


# -- names in sources ------------------------------------------------------

def pattern(node, word):
    """Returns the expression for a name that an AST node computes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(pattern(part, word) for part in node.values)
    return word


def python_names(text):
    """Yields an expression for each case and each result of a module."""
    tree = ast.parse(text)
    words = {re.escape(node.value) for node in ast.walk(tree)
             if isinstance(node, ast.Constant) and
             isinstance(node.value, str) and len(node.value) < 80}
    word = "(?:" + "|".join(["[0-9]+", *ROLES, *words]) + ")"
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = ast.unparse(node.func)
        if called in ("Case", "report.run", "self.report.run"):
            yield pattern(node.args[0], word)
        elif called == "both":
            yield pattern(node.args[0], word) + "(?:, (?:server|client))?"


def in_module(text, name):
    """Is there such a case in a module of scripted cases?"""
    return any(re.fullmatch(expression, name)
               for expression in python_names(text))


def suite_modules(text, suite):
    """Returns the names of the modules of a suite of conformance/suite.py."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and \
           ast.unparse(node.targets[0]) == "SUITES":
            for key, value in zip(node.value.keys, node.value.values):
                if key.value == suite:
                    return [one.id for one in value.elts]
    return []


def scripted(tree, script, text):
    """Yields the sources of the modules that a script of scripted/ runs."""
    if script.endswith("hostile.sh"):
        base = "hostile"
        modules = [name[:-3] for name in tree.names(SELFTESTS, "smctest", base)
                   if name.endswith(".py")]
    else:
        base = "conformance"
        got = re.search(r"--suite (\w+)", text)
        suite = tree.read(SELFTESTS, "smctest", base, "suite.py")
        yield suite
        modules = suite_modules(suite, got[1] if got else "conformance")
    for name in modules:
        yield tree.read(SELFTESTS, "smctest", base, name + ".py")


def peer_cases(tree):
    """Returns {case of smc_peer: (its group, does it belong to "all"?)}."""
    found = {}
    for name in tree.names(SELFTESTS, "peer"):
        if not re.fullmatch(r"case_\w+\.c", name):
            continue
        text = tree.read(SELFTESTS, "peer", name)
        group = re.search(r"^(?:CASE_GROUP\(|const struct case_group )"
                          r"group_(\w+)", text, re.M)
        if not group:
            continue
        listed = re.search(r"^static const struct peer_case .*?^\};", text,
                           re.M | re.S)
        for case in PEER_CASE.findall(listed[0] if listed else ""):
            found[case] = group[1], "by_name_only" not in text
    return found


def runs_case(text, name, group, common):
    """Does a shell script run this case of smc_peer?"""
    words = [f"@{group}", name] + ["all"] * common
    return re.search(rf"(?<![\w@])(?:{'|'.join(words)})\b", text)


def shell_check(text, name):
    """Is there a check with this name in a shell script? A variable at its
    beginning is left out."""
    for got in SHELL.findall(text):
        got = re.sub(r"^\$\w+[:,]? ", "", got.replace("\\", ""))
        parts = VARIABLE.split(got)
        if len("".join(parts)) > 3 and \
           re.fullmatch(".+".join(map(re.escape, parts)), name):
            return True
    return False


def in_script(tree, cases, script, name):
    """Is there such a test in a script of the selftests?"""
    text = tree.read(SELFTESTS, script)
    if script.endswith(".py"):
        return re.search(rf"^@case\ndef {re.escape(name)}\(", text, re.M)
    if script.startswith("scripted/"):
        return any(in_module(source, name)
                   for source in scripted(tree, script, text))
    code = "\n".join(line for line in text.splitlines()
                     if not line.lstrip().startswith("#"))
    if name in cases and runs_case(code, name, *cases[name]):
        return True
    return shell_check(code, name)


def kunit_suites(tree):
    """Returns {suite: its cases}."""
    found = {}
    for where in (KUNIT, KUNIT + "/kernel"):
        for name in tree.names(where):
            if not name.endswith(".c"):
                continue
            text = tree.read(where, name)
            cases = set(re.findall(r"KUNIT_CASE(?:_\w+)?\((\w+)", text))
            for suite in re.findall(r"\.name\s*=\s*\"(smc[\w-]+)\"", text):
                found[suite] = cases
    # a suite whose cases are in several files
    loop = [tree.read(KUNIT, "kernel", name)
            for name in tree.names(KUNIT, "kernel") if name.startswith("loop_")]
    for text in loop:
        found.setdefault("smc-in-host", set()).update(
            re.findall(r"KUNIT_CASE\((\w+)", text))
    return found


# -- the page --------------------------------------------------------------

def rows(text):
    """Returns {number: text of the row, on one line}, and wrong numbers."""
    found, wrong = {}, []
    for got in ROW.finditer(text):
        number = int(got[1])
        if number in found:
            wrong.append(f"{number} twice")
        found[number] = " ".join(got[2].split())
    wrong += [f"{number} is missing"
              for number in range(1, max(found, default=1) + 1)
              if number not in found]
    return found, wrong


def own_rows(text):
    """Returns {beginning of the fault: its tests, on one line}."""
    return {" ".join(fault.split())[:60]: " ".join(tests.split())
            for fault, tests in OWN_ROW.findall(text)}


def named(text):
    """Yields (KUnit?, file or suite, name) of each test that a row names."""
    for kunit, place, names in TEST.findall(text):
        for name in names.split(";"):
            yield bool(kunit), place, name.strip()


class Finder:
    def __init__(self, tree):
        self.tree = tree
        self.cases = peer_cases(tree)
        self.suites = kunit_suites(tree)
        self.own = re.findall(r"^\s*run (\w+) ",
                              tree.read("tools/testing/smc/check.sh"), re.M)

    def exists(self, kunit, place, name):
        if kunit:
            return name in self.suites.get(place, ())
        if place == "check.sh":
            return name in self.own
        return self.tree.has(SELFTESTS, place) and \
            in_script(self.tree, self.cases, place, name)


def missing(finder, text):
    """Returns the tests that a row names and that do not exist."""
    return [f"{place} ({name})" for kunit, place, name in named(text)
            if not finder.exists(kunit, place, name)]


def knows(report, finder):
    """The finder finds tests that exist, and no others."""
    good = ("``api.sh`` (msg_peek)", "``netlink.py`` (pnet_table)",
            "KUnit ``smc_close`` (every_order)",
            "KUnit ``smc-in-host`` (flood)",
            "``scripted/conformance.sh`` (a flood, client; RST of TCP)",
            "``scripted/hostile.sh`` (listener: length 65535)",
            "``two_host/expiry.sh`` (not before its time)",
            "``check.sh`` (fuzz_fixed_seed)")
    bad = ("``api.sh`` (bulk)", "``api.sh`` (msg_pee)", "``no.sh`` (x)",
           "``netlink.py`` (families)", "KUnit ``smc_close`` (flood)",
           "``scripted/hostile.sh`` (listener: length 65534)",
           "``scripted/hostile.sh`` (RST of TCP)",
           "``scripted/conformance.sh`` (a flood, both)",
           "``two_host/expiry.sh`` (no such check)", "``check.sh`` (fuzz)")
    wrong = [f"not found: {line}" for line in good
             if not list(named(line)) or missing(finder, line)]
    wrong += [f"found: {line}" for line in bad if not missing(finder, line)]
    report.result(not wrong, "the check knows tests", "\n".join(wrong))


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../..")
    tree = Tree(top)
    finder = Finder(tree)
    found, wrong = rows(tree.read(PAGE))
    report = ktap.Report()
    knows(report, finder)
    report.result(not wrong, "each number once", "\n".join(wrong))
    found.update(own_rows(tree.read(OWN_PAGE)))
    wrong = [f"{number}: {test}" for number, text in found.items()
             for test in missing(finder, text)]
    report.result(not wrong, "each test exists", "\n".join(wrong))
    wrong = [str(number) for number, text in found.items()
             if not list(named(text)) and NEVER not in text]
    report.result(not wrong, "each row has a test or a reason",
                  "\n".join(wrong))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
