#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Run the tests of this directory, print KTAP, fail when one fails."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))


class Ktap(unittest.TestResult):
    """One line for each test; what a failure says comes before it."""

    def _line(self, word, test, tail=""):
        print(f"{word} {self.testsRun} - {test.shortDescription()}{tail}")

    def addSuccess(self, test):
        super().addSuccess(test)
        self._line("ok", test)

    def _bad(self, test, err):
        for line in self._exc_info_to_string(err, test).splitlines():
            print(f"# {line}")
        self._line("not ok", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._bad(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._bad(test, err)


def main():
    suite = unittest.TestLoader().discover(HERE, "test_*.py")
    print("KTAP version 1")
    print(f"1..{suite.countTestCases()}")
    result = Ktap()
    suite.run(result)
    return 0 if result.testsRun and result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
