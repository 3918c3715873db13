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
        self.assertIn("\nStages: build interop. Kernels: uml. Only scripts whose "
                      "names contain data. No time for 3 scripts. 12 minutes. "
                      "5 passed, 1 failed, 0 skipped.\n", text)
        self.assertIn("\n* fuzz, 7 executions\n"
                      "* failed: uml interop: data\n\n", text)
