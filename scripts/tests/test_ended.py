# SPDX-License-Identifier: GPL-2.0
"""Tests how a deep run is divided among several runs."""

import os
import subprocess
import tempfile
import unittest
from unittest import mock

from checklib import ended, labs, record, selftest
from checklib.results import FAIL, PASS, SKIP

FIRST, SECOND, THIRD = (f"6.12 two_host/{name}.sh"
                        for name in ("api", "data", "flow"))


class Ended(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = scratch.name
        for module in (ended, record):
            patch = mock.patch.object(module, "TREE", self.top)
            patch.start()
            self.addCleanup(patch.stop)
        self._git("init", "-q")
        self._write(record.ENDED, "# nothing\n")
        self._commit("net/smc/a.c", "1")

    def _git(self, *args):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@t",
                        *args], cwd=self.top, check=True)

    def _write(self, name, text):
        path = os.path.join(self.top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def _commit(self, name, text):
        self._write(name, text)
        self._git("add", ".")
        self._git("commit", "-qm", name)

    def test_adds_up(self):
        "ended: the scripts of several runs of a tree add up"
        tree = ended.tree_name()
        self.assertEqual(ended.names(tree), set())
        self.assertEqual(ended.add(tree, {FIRST}, set()), {FIRST})
        self.assertEqual(ended.names(tree), {FIRST})
        self.assertEqual(ended.add(ended.tree_name(), {SECOND}, set()),
                         {FIRST, SECOND})
        self.assertEqual(ended.names(ended.tree_name()), {FIRST, SECOND})

    def test_failed(self):
        "ended: a script that fails in a later run has to run again"
        ended.add(ended.tree_name(), {FIRST, SECOND}, set())
        self.assertEqual(ended.add(ended.tree_name(), {FIRST}, {FIRST}), {SECOND})

    def test_record(self):
        "ended: the record of a run does not change the tree"
        tree = ended.tree_name()
        ended.add(tree, {FIRST}, set())
        self._commit(record.PAGE, "2")
        self.assertEqual(ended.tree_name(), tree)
        self.assertEqual(ended.names(ended.tree_name()), {FIRST})

    def test_other_tree(self):
        "ended: another tree has to run everything again"
        ended.add(ended.tree_name(), {FIRST}, set())
        self._commit("Documentation/networking/smc/guide.rst", "2")
        self.assertEqual(ended.names(ended.tree_name()), set())
        self.assertEqual(ended.add(ended.tree_name(), {SECOND}, set()), {SECOND})

    def test_changed(self):
        "ended: a tree with changes has no name"
        self._write("net/smc/a.c", "3")
        self.assertEqual(ended.tree_name(), "")

    def test_part(self):
        "ended: a part leaves out what has ended, and what it has no time for"
        ended.add(ended.tree_name(), {FIRST}, set())
        self.assertFalse(ended.Part().skip(FIRST))
        part = ended.Part(rest=True, minutes=5)
        self.assertTrue(part.skip(FIRST))
        self.assertFalse(part.skip(SECOND))
        with mock.patch.object(part, "minutes", lambda: 5.1):
            self.assertTrue(part.skip(SECOND))
        self.assertEqual(part.end(selftest.Silent(), False)[:2],
                         ["1 scripts had ended before.",
                          "No time for 1 scripts."])

    def test_end(self):
        "ended: a part adds to its tree, unless the tree has changed"
        part, report = ended.Part(), selftest.Silent()
        report.ended = ["build", "hosts uml interop"]
        report.ended_well([FIRST, SECOND], True)
        report.ended_well([SECOND], False)
        with mock.patch.object(ended, "everything",
                               lambda: {FIRST, SECOND, THIRD}):
            self.assertEqual(part.end(report, False), [
                "In all deep runs of this tree, 1 of the 3 scripts on hosts "
                "have passed."])
        self.assertEqual(part.end(selftest.Silent(), False), [])
        self.assertEqual(ended.names(part.tree), {FIRST})
        self.assertFalse(record.commit().endswith("+"))
        self._commit("net/smc/a.c", "2")
        self.assertEqual(part.end(report, True), [
            "Stopped before the end; ended by then: build, hosts uml interop."])
        self.assertEqual(ended.names(ended.tree_name()), set())

    def test_new_file(self):
        "ended: a new file is a change"
        self._write("net/smc/b.c", "3")
        self.assertEqual(ended.tree_name(), "")


class Fine(unittest.TestCase):
    """A lane whose labs are not started. self.well: what the next inspections
    find"""

    def setUp(self):
        self.report = selftest.Silent()
        self.well = [True] * 4
        self.ran = []

    def _run(self, results, skip=labs.run_all, paused=False, fresh=False):
        """Runs the scripts with these results, each one with the next element of
        its list. paused: the machine stops the hosts"""
        lane = labs.Lane(self.report, "6.12", ("two-host",), True, skip=skip)
        seen = {"a": {"pauses": [(0, 60, "")], "cpu": 0}} if paused else {}

        def attempt(need, _run_one):
            name = f"6.12 {need.name}"
            self.ran.append(name)
            lane.hosts, lane.shape = ("a", "b"), ()
            return [(name, status, "") for status in results[name].pop(0)], seen

        needs = [need for need in labs.tests_of("two-host", "6.12", True)
                 if f"6.12 {need.name}" in results]
        for need in needs:
            need.fresh = fresh
        with mock.patch.object(lane, "_attempt", attempt), \
             mock.patch.object(lane, "_inspect",
                               lambda host: self.well.pop(0)), \
             mock.patch.object(lane, "_lab"):
            lane.run_scripts(needs)
            lane.close()
        return self.report.fine - self.report.bad

    def test_failed(self):
        "ended: a script with a failure, or without a result, does not count"
        self.assertEqual(self._run({FIRST: [[PASS, FAIL]],
                                    SECOND: [[SKIP, PASS]], THIRD: [[SKIP]]}),
                         {SECOND})
        self.assertEqual(self.report.bad, {FIRST})

    def test_lab(self):
        "ended: no script counts if its lab is not well at its end"
        self.well = [True, False]
        self._run({FIRST: [[PASS]], SECOND: [[PASS]]})
        self.assertEqual(self.report.fine, set())
        self.assertEqual(self.report.bad, {FIRST, SECOND})

    def test_fresh(self):
        "ended: a lab of its own decides about one script"
        self.well = [True, False, True, True]
        self.assertEqual(self._run({FIRST: [[PASS]], SECOND: [[PASS]]},
                                   fresh=True), {SECOND})

    def test_repeated(self):
        "ended: a repeated script counts if it passes"
        self.assertEqual(self._run({FIRST: [[FAIL], [PASS]]}, paused=True),
                         {FIRST})

    def test_repeated_leaks(self):
        "ended: a repeated script does not count if it left its first lab bad"
        self.well = [True, False, True, True]
        self.assertEqual(self._run({FIRST: [[FAIL], [PASS]]}, paused=True),
                         set())

    def test_skip(self):
        "ended: a script that has ended does not run"
        self._run({FIRST: [[PASS]], SECOND: [[PASS]]},
                  lambda name: name == FIRST)
        self.assertEqual(self.ran, [SECOND])

    def test_everything(self):
        "ended: the names of all scripts"
        found = ended.everything()
        self.assertIn("kunit uml-debug", found)
        self.assertIn("uml two_host/data.sh without frames", found)
        self.assertIn("6.1 on b, stock 6.12 on a: interop/failure.sh", found)
        self.assertNotIn("6.1 on b, stock 6.12 on a: interop/asymmetric.sh",
                         found)
