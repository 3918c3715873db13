# SPDX-License-Identifier: GPL-2.0
"""Tests the record of a deep run."""

import types
import unittest

from checklib import record


class Entry(unittest.TestCase):
    def test_entry(self):
        "record: a run has its stages, remarks, counts and failures"
        report = types.SimpleNamespace(
            covered=["fuzz, 7 executions"],
            summary=lambda: "5 passed, 1 failed, 0 skipped",
            failures=lambda: ["uml interop: data"])
        text = record.entry(report, ("build", "interop"), ("uml",), "data", 12.2,
                            ["No time for 3 scripts."])
        self.assertIn("\nThe run had these stages: build, interop. It used "
                      "these kernels: uml. It used only scripts whose names "
                      "contain data. No time for 3 scripts. It took 12 min. "
                      "Its results are 5 passed, 1 failed, 0 skipped.\n", text)
        self.assertIn("\n* fuzz, 7 executions\n"
                      "* failed: uml interop: data\n\n", text)

    def test_without_kernel(self):
        "record: a run without kernels, remarks and failures has none of them"
        report = types.SimpleNamespace(
            covered=[], failures=lambda: [],
            summary=lambda: "5 passed, 0 failed, 0 skipped")
        text = record.entry(report, ("fuzz",), (), None, 6, [])
        self.assertEqual(text.partition("\n")[2],
                         "\nThe run had these stages: fuzz. It took 6 min. "
                         "Its results are 5 passed, 0 failed, 0 skipped.\n\n")

    def test_count(self):
        "record: the page has the sum of all executions"
        self.assertEqual(
            record.count("In all runs together the fuzzers have executed 7 "
                         "inputs.\n* fuzz, 1000 executions\n"
                         "* fuzz, 24 executions of the frame decoder\n"),
            "In all runs together the fuzzers have executed 1,024 inputs.\n"
            "* fuzz, 1000 executions\n"
            "* fuzz, 24 executions of the frame decoder\n")
