#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Checks that tests of conformance.md fail when the module breaks a rule.

    mutate_rows.py draw [--seed N] [--count N]
    mutate_rows.py check [--lab] [--keep DIRECTORY] [ID...]

draw prints a seed, and rows with tests that it chooses by this seed. A row may
have a file mutations/ID.patch. Its diff breaks the rule in about one line, and
the text above the diff names the test that must fail:

    Row: R-A.4-07
    Test: unit smc_cdc sequence
    Test: conformance cdc "unknown tokens"
    Test: two_nics third "RMB for three links, server"
    Test: hostile environment
    Test: to_stock data slow_reader

unit is a suite and a case for the program of this directory. to_stock is a case
of smc_peer with stock SMC on host b, as in the scripts of interop. All others
are scripts of selftests/net/smc, with the values of --only and --case.

check applies each patch to a copy of the last commit, builds the copy, and
runs only the named test. check passes if the test fails at a statement that
names the row, or in a function that this statement calls. With --lab it also
runs tests that need two hosts of User Mode Linux, one pair of hosts at a time.
Prints KTAP.
"""

import argparse
import contextlib
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import conformance
import conformance_cites
import ktap

HERE = os.path.dirname(os.path.realpath(__file__))
MUTATIONS = os.path.join(HERE, "mutations")
TREE = os.path.realpath(conformance_cites.TREE)
SELFTESTS = "tools/testing/selftests/net/smc"
# By the word after "Test:": the script, and the lab that it needs.
SCRIPTS = {
    **{name: (f"scripted/{name}.sh", ("--b", "none", "--nics", "3"))
       for name in ("conformance", "frames", "later_links", "two_nics")},
    "hostile": ("scripted/hostile.sh", ())}
KERNEL = "uml"
STOCK = "10.77.0.2"     # host b
BUILD_LIMIT, TEST_LIMIT = 1800, 400     # seconds


# -- drawing -------------------------------------------------------------

def draw(seed, count):
    """Returns the rows, in their order."""
    rows, _ = conformance.requirements()
    reasons, _ = conformance.deviations()
    shown = conformance.tests(conformance_cites.citations()[0])
    may = [row for row in rows if row.level == "MUST" and
           conformance.kind_of(row, shown, reasons) == "shown"]
    chosen = random.Random(seed).sample(may, count)
    print(f"# seed {seed}: {count} of {len(may)} rows")
    for row in sorted(chosen, key=may.index):
        there = os.path.exists(os.path.join(MUTATIONS, row.id + ".patch"))
        print(f"{'+' if there else '-'} {row.id}: {row.text}")
        for path, names in sorted(shown[row.id].items()):
            print(f"    {path}: {', '.join(sorted(filter(None, names)))}")


# -- what failed ---------------------------------------------------------

def failed_at(output):
    """Returns the places of failures that the output names, {(file or
    function, line)}, and the names of tests that failed."""
    places, names = set(), set()
    for line in output.splitlines():
        for got in re.finditer(r"# \S*?([\w.]+\.c):([0-9]+):", line):
            places.add((got[1], int(got[2])))
        got = re.match(r"# .*\(([\w<>]+:[0-9]+(?:, [\w<>]+:[0-9]+)*)\)$", line)
        for one in got[1].split(", ") if got else ():
            function, number = one.split(":")
            places.add((function, int(number)))
        got = re.match(r"#.* File \".*\", line ([0-9]+), in (\S+)$", line)
        if got:
            places.add((got[2], int(got[1])))
        got = re.match(r"\s*not ok [0-9]+ (?:- )?(\S+)", line)
        if got:
            names.add(got[1])
    return places, names


def _inside(cited, function, tree):
    """Is this a nested function in the file that contains the citation?"""
    with open(os.path.join(tree, cited.path), encoding="utf-8") as file:
        return re.search(rf"^ +def {re.escape(function)}\(", file.read(),
                         re.MULTILINE)


def judge(name, output, found, inside):
    """Returns None if the test has failed at the right place, otherwise the
    error; inside: see _inside()."""
    places, names = failed_at(output)
    if not names:
        return "the test passes"
    for one in found:
        if not one.shows or one.id != name:
            continue
        file, function = os.path.basename(one.path), one.test.split(".")[-1]
        if function in names:       # the case: in a function that it calls
            return None
        for what, line in places:
            if one.first <= line <= one.last and (
                    what in (file, function) or inside(one, what)):
                return None
    return f"it fails at {sorted(places)}, where {name} is not named"


def verdict(name, output, tree):
    """Calls judge() with the citations of that tree."""
    found, _ = conformance_cites.citations(tree)
    return judge(name, output, found,
                 lambda one, what: _inside(one, what, tree))


# -- running -------------------------------------------------------------

def _run(argv, limit, cwd, **env):
    """Returns (status, whole output)."""
    try:
        done = subprocess.run(argv, cwd=cwd, check=False, timeout=limit,
                              stdout=subprocess.PIPE, encoding="utf-8",
                              stderr=subprocess.STDOUT, errors="replace",
                              stdin=subprocess.DEVNULL,
                              env={**os.environ, **env})
    except subprocess.TimeoutExpired as err:
        said = err.stdout or b""
        return 124, (said if isinstance(said, str) else
                     said.decode(errors="replace"))
    return done.returncode, done.stdout


class Broken(Exception):
    """The attempt failed, because there is no copy, no build, or no lab."""


def _must(argv, limit, cwd, **env):
    status, said = _run(argv, limit, cwd, **env)
    if status:
        raise Broken(f"{' '.join(argv)}: status {status}\n{said[-2000:]}")
    return said


class Copy:
    """A copy of the last commit, which the patch breaks."""

    def __init__(self, path):
        self.path = path
        if not os.path.exists(os.path.join(path, ".git")):
            _must(["git", "clone", "-q", "--shared", TREE, path], 60, TREE)
        head = _must(["git", "rev-parse", "HEAD"], 60, TREE).strip()
        for argv in (["fetch", "-q", TREE, head],
                     ["checkout", "-q", "--force", "--detach", head]):
            _must(["git", *argv], 60, path)

    def must(self, argv, limit, **env):
        return _must(argv, limit, self.path, **env)

    def unit(self, suite, case):
        """Returns the part of the program's output about that case."""
        out = os.path.join(self.path, "build/mutation")
        program = os.path.join(out, "unit")
        self.must(["make", "-s", "-C", "tools/testing/smc", f"O={out}",
                   program], BUILD_LIMIT)
        status, said = _run([program], TEST_LIMIT, self.path)
        part = said.partition(f"# Subtest: {suite}\n")[2]
        kept, last = [], None
        for line in part.splitlines():
            got = re.match(r"    (?:not )?ok [0-9]+ (?:- )?(\w+)", line)
            if got and got[1] == case:
                return "\n".join([*kept, line])
            last = got[1] if got else last
            kept = [] if got else [*kept, line]
        if status and self._follows(last, case):
            # a sanitizer ended it
            return "\n".join([*kept, f"    not ok 0 {case}"])
        raise Broken(f"no case {case} in {suite}:\n{said[-2000:]}")

    def _follows(self, last, case):
        """Are the cases in the order of a list of cases?"""
        directory = os.path.join(self.path, "net/smc/tests")
        for name in os.listdir(directory):
            if name.endswith(".c"):
                with open(os.path.join(directory, name),
                          encoding="utf-8") as file:
                    cases = re.findall(r"KUNIT_CASE\((\w+)\)", file.read())
                if (last, case) in zip([None, *cases], cases):
                    return True
        return False

    @contextlib.contextmanager
    def _lab(self, *shape):
        """Two hosts that run the unmodified module, for scripts that need
        them."""
        lab, name = "scripts/lab", f"mutate-{os.getpid()}"
        self.must(["scripts/kernel/module", KERNEL], BUILD_LIMIT)
        self.must([lab, "up", "--name", name, "--kernel", KERNEL, *shape],
                  BUILD_LIMIT)
        try:
            yield {"LAB": os.path.join(self.path, lab), "LAB_NAME": name,
                   "LAB_KERNEL": KERNEL}
        finally:
            _run([lab, "down", "--name", name], 60, self.path)

    def script(self, name, part, case=None):
        """Runs a script of the selftests on two hosts."""
        path, shape = SCRIPTS[name]
        with self._lab(*shape) as env:
            _, said = _run([os.path.join(SELFTESTS, path), "--only", part,
                            *(("--case", case) if case else ())],
                           TEST_LIMIT, self.path, **env)
        if not re.search(r"^(not )?ok ", said, re.MULTILINE):
            raise Broken(said[-2000:])
        return said

    def to_stock(self, name, case):
        """Runs a case with the client on our host and the server on
        stock SMC."""
        self.must(["make", "-s", "-C", SELFTESTS], BUILD_LIMIT)
        peer = os.path.join(self.path, SELFTESTS, "smc_peer")
        with self._lab("--b", "stock") as env:
            on = [env["LAB"], "exec", "--name", env["LAB_NAME"], "--timeout",
                  str(TEST_LIMIT)]
            self.must([*on, "b", "--", peer, "--server", "--background"], 60)
            _, said = _run([*on, "a", "--", peer, "--client", STOCK,
                            "--slow", "2", "--family", "smc", "--expect-mode",
                            "smcr", case], TEST_LIMIT + 30, self.path)
        if not re.search(rf"^(not )?ok .*\b{case}\b", said, re.MULTILINE):
            raise Broken(said[-2000:])
        return re.sub(rf"^not ok 1 .*\b{case}\b", f"not ok 1 {name}", said,
                      flags=re.MULTILINE)

    def attempt(self, patch, name, test):
        """Applies the patch, runs the test, and reverts the patch. Returns the
        verdict."""
        self.must(["patch", "-p1", "-s", "-i", patch], 60)
        try:
            kind, *words = test
            run = {"unit": self.unit, "to_stock": self.to_stock}.get(kind)
            said = run(*words) if run else self.script(kind, *words)
        finally:
            self.must(["patch", "-p1", "-s", "-R", "-i", patch], 60)
        return verdict(name, said, self.path), said


def mutations(names):
    """Yields (ID, patch, [test, words...]) of each mutation, or only of the
    named ones."""
    for file in sorted(os.listdir(MUTATIONS)):
        path = os.path.join(MUTATIONS, file)
        if not file.endswith(".patch"):
            continue
        with open(path, encoding="utf-8") as text:
            head = dict(re.findall(r"^(Row|Test): *(.*)$", text.read(),
                                   re.MULTILINE))
        if not names or head["Row"] in names:
            yield head["Row"], path, shlex.split(head["Test"])


def check(names, lab, keep):
    """Checks the mutations; returns the exit status."""
    todo = list(mutations(names))
    report = ktap.Report(len(todo))
    directory = keep or tempfile.mkdtemp(prefix="mutate-")
    try:
        copy = Copy(directory)
        for name, patch, test in todo:
            what = f"{name}: {' '.join(test)}"
            if test[0] != "unit" and not lab:
                report.skip(what, "needs hosts: --lab")
                continue
            try:
                wrong, said = copy.attempt(patch, name, test)
            except Broken as err:
                wrong, said = "it cannot be tried", str(err)
            report.result(not wrong, what, "\n".join(
                [wrong, *said.splitlines()[-40:]]) if wrong else "")
    finally:
        if not keep:
            shutil.rmtree(directory, ignore_errors=True)
    return report.finish()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("draw", "check"))
    parser.add_argument("id", nargs="*", metavar="ID")
    parser.add_argument("--seed", type=int,
                        default=int.from_bytes(os.urandom(2), "big"))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--lab", action="store_true")
    parser.add_argument("--keep", metavar="DIRECTORY",
                        help="of the copy, which stays")
    args = parser.parse_intermixed_args()
    if args.what == "draw":
        draw(args.seed, args.count)
        return 0
    return check(set(args.id), args.lab, args.keep)


if __name__ == "__main__":
    sys.exit(main())
