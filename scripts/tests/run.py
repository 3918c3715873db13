# SPDX-License-Identifier: GPL-2.0
"""Runs the tests of this directory, prints KTAP, and fails if a test fails."""

import os
import sys
import unittest

from ktap import Report

HERE = os.path.dirname(os.path.abspath(__file__))


class Result(unittest.TestResult):
    """Prints one line for each test. The message of a failure comes before the
    line."""

    def __init__(self, report):
        super().__init__()
        self.report = report

    def addSuccess(self, test):
        super().addSuccess(test)
        self.report.passed(test.shortDescription())

    def _bad(self, test, err):
        self.report.fail(test.shortDescription(),
                         self._exc_info_to_string(err, test))

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._bad(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._bad(test, err)


def main():
    suite = unittest.TestLoader().discover(HERE, "test_*.py")
    report = Report(suite.countTestCases())
    suite.run(Result(report))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
