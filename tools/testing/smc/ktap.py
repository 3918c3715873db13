# SPDX-License-Identifier: GPL-2.0
"""Print the results of one test program as KTAP."""


class Ktap:
    """Numbers the results and remembers a failure."""

    def __init__(self):
        self.number = 0
        self.failed = False

    def result(self, passed, name, said=""):
        """said: what there is to tell, printed before the result."""
        self.number += 1
        self.failed |= not passed
        for line in said.splitlines():
            print(line if line.startswith("#") else f"# {line}")
        print(f"{'ok' if passed else 'not ok'} {self.number} {name}")

    def skip(self, name, why):
        self.number += 1
        print(f"ok {self.number} {name} # SKIP {why}")

    def finish(self):
        """Plan line; the exit status."""
        print(f"1..{self.number}")
        return 1 if self.failed or not self.number else 0
