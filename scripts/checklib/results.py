# SPDX-License-Identifier: GPL-2.0
"""Results of tests; this file counts and prints them."""

import threading
import time

import ktap
from ktap import FAIL, PASS, SKIP

COVERED = "covered"     # a remark: how much a test has covered
DETAIL_LINES = 60   # of a failure's output that are shown
SLOWEST = 10        # number of slow scripts to list at the end


def _cause(detail):
    """Returns the most useful line of a failure's output, which is
    the first."""
    for line in detail.splitlines():
        if line.strip(" #"):
            return line.strip(" #")
    return ""


class Report:
    """Collects results from all stages; safe to use from several threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._ktap = ktap.Report()
        self._counts = {PASS: 0, FAIL: 0, SKIP: 0}
        self._failed = []
        self._skipped = {}
        self._repeated = []
        self.covered = []       # lines for the record of the deep run
        self.ended = []         # names of the stages that have ended
        self.fine = set()       # scripts that have ended without a failure
        self.bad = set()        # scripts that have failed
        self._times = []        # (seconds, name)

    def add(self, name, status, detail=""):
        """Adds one result. detail: cause of a skip, or output of a failure."""
        if status == COVERED:
            self.note(f"covered: {name}")
            with self._lock:
                self.covered.append(name)
            return
        with self._lock:
            self._counts[status] += 1
            self._ktap.add(status, name, detail)
            if status == FAIL:
                self._failed.append((name, _cause(detail)))
                self._show(detail)
            if status == SKIP:
                self._skipped.setdefault(detail, []).append(name)

    def add_all(self, results):
        """Adds several results: (name, status, detail)."""
        for name, status, detail in results:
            self.add(name, status, detail)

    def repeated(self, name, why, failed=()):
        """Notes that a script runs once more, because the machine has
        disturbed it. failed: results that do not count."""
        for case, _, detail in failed:
            self.note(f"{case} failed: {_cause(detail)}")
            with self._lock:
                self._show(detail, "#   ")
        self.note(f"{name} is run once more: {why}")
        with self._lock:
            self._repeated.append(f"{name}: {why}")

    def ended_well(self, names, well):
        """Notes whether these whole scripts, and their lab, had no failure."""
        with self._lock:
            (self.fine if well else self.bad).update(names)

    def timed(self, name, seconds, cpu=None):
        """Notes the time that a script has taken, with the start of its
        lab."""
        spent = "" if cpu is None else f", CPU of the hosts {cpu:.0f} s"
        self.note(f"{name}: {seconds:.0f} s{spent}")
        with self._lock:
            self._times.append((seconds, name))

    def note(self, text):
        """Prints a remark, which does not count as a result."""
        elapsed = time.monotonic() - self._start
        with self._lock:
            self._ktap.note(f"[{elapsed:4.0f} s] {text}")

    def summary(self):
        """Returns the counts of results in words."""
        counts = self._counts
        return (f"{counts[PASS]} passed, {counts[FAIL]} failed, "
                f"{counts[SKIP]} skipped")

    def failures(self):
        """Returns the names of the failed tests."""
        return [name for name, _ in self._failed]

    def finish(self):
        """Prints the summary; returns the exit status."""
        status = self._ktap.finish()
        for cause, names in sorted(self._skipped.items()):
            print(f"# skipped ({cause}): {', '.join(names)}")
        for seconds, name in sorted(self._times, reverse=True)[:SLOWEST]:
            print(f"# slow: {seconds:.0f} s {name}")
        for line in self._repeated:
            print(f"# repeated: {line}")
        # print this last, so that the end of the output is sufficient
        for name, cause in self._failed:
            print(f"# failed: {name}: {cause}" if cause else
                  f"# failed: {name}")
        print(self.summary(), flush=True)
        return status

    @staticmethod
    def _show(detail, indent="    "):
        lines = detail.rstrip().splitlines()
        hidden = len(lines) - DETAIL_LINES
        if hidden > 0:
            print(f"{indent}({hidden} lines before this)")
            lines = lines[hidden:]
        for line in lines:
            print(f"{indent}{line}")
