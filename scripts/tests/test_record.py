# SPDX-License-Identifier: GPL-2.0
"""Tests the record of a deep run."""

import types
import unittest

from checklib import record


def entry(whole):
    """Returns the entry of a run whose second stage failed, or did not end."""
    report = types.SimpleNamespace(
        ended=["build", "hosts uml interop"], covered=["fuzz, 7 executions"],
        summary=lambda: "5 passed, 1 failed, 0 skipped",
        failures=lambda: ["uml interop: data"])
    return record.entry(report, ("build", "interop"), ("uml",), "", 12.2, whole)


class Entry(unittest.TestCase):
    def test_whole(self):
        "record: a run that has ended has its stages, counts and failures"
        text = entry(True)
        self.assertIn("\nStages: build interop. Kernels: uml. 12 minutes. "
                      "5 passed, 1 failed, 0 skipped.\n", text)
        self.assertIn("\n* fuzz, 7 executions\n"
                      "* failed: uml interop: data\n\n", text)

    def test_stopped(self):
        "record: a run that was stopped names the stages that had ended"
        self.assertIn("Kernels: uml. Stopped before the end; ended by then: "
                      "build, hosts uml interop. 12 minutes.", entry(False))
