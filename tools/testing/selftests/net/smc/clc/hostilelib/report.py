# SPDX-License-Identifier: GPL-2.0
"""KTAP."""

import signal
import traceback

from hostilelib import Failure, Skip


class Report:
    """Numbers results and prints them as they come."""

    def __init__(self):
        self.count = 0
        self.failed = 0
        print("KTAP version 1", flush=True)

    def _line(self, word, name, tail=""):
        self.count += 1
        print(f"{word} {self.count} {name}{tail}", flush=True)

    def passed(self, name):
        self._line("ok", name)

    def skip(self, name, why):
        self._line("ok", name, f" # SKIP {why}")

    def fail(self, name, why):
        self.failed += 1
        self.note(why)
        self._line("not ok", name)

    @staticmethod
    def note(text):
        for line in str(text).splitlines():
            print(f"# {line}", flush=True)

    def run(self, name, limit, function, *args):
        """One test: function returns, or raises Failure or Skip."""
        def late(_number, _frame):
            raise Failure(f"took more than {limit} s")

        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            function(*args)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Skip as why:
            self.skip(name, why)
        except Failure as why:
            where = traceback.extract_tb(why.__traceback__)
            lines = ", ".join(f"{frame.name}:{frame.lineno}"
                              for frame in where[1:])
            self.fail(name, f"{why} ({lines})")
        except Exception:   # pylint: disable=broad-except
            self.fail(name, traceback.format_exc())
        else:
            self.passed(name)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def finish(self):
        print(f"1..{self.count}", flush=True)
        return 1 if self.failed or not self.count else 0
