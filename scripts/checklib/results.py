# SPDX-License-Identifier: GPL-2.0
"""What was found out, and its one place of counting and printing."""

import threading
import time

PASS, FAIL, SKIP = "pass", "fail", "skip"
DETAIL_LINES = 60   # of a failure's output that are shown


def _cause(detail):
    """The line of a failure's output that tells most: the first one."""
    for line in detail.splitlines():
        if line.strip(" #"):
            return line.strip(" #")
    return ""


class Report:
    """Collects results from all stages; safe to use from several threads."""

    def __init__(self):
        self._lock = threading.Lock()
        self._start = time.monotonic()
        self._counts = {PASS: 0, FAIL: 0, SKIP: 0}
        self._failed = []
        self._skipped = {}

    def add(self, name, status, detail=""):
        """One result. detail: why (a skip's cause, a failure's output)."""
        with self._lock:
            self._counts[status] += 1
            number = sum(self._counts.values())
            word = "not ok" if status == FAIL else "ok"
            tail = f" # SKIP {detail}" if status == SKIP else ""
            print(f"{word} {number} {name}{tail}", flush=True)
            if status == FAIL:
                self._failed.append((name, _cause(detail)))
                self._show(detail)
            if status == SKIP:
                self._skipped.setdefault(detail, []).append(name)

    def note(self, text):
        """A remark that is no result."""
        elapsed = time.monotonic() - self._start
        with self._lock:
            print(f"# [{elapsed:4.0f} s] {text}", flush=True)

    def finish(self):
        """Print the summary; the exit status."""
        counts = self._counts
        total = sum(counts.values())
        print(f"1..{total}")
        for cause, names in sorted(self._skipped.items()):
            print(f"# skipped ({cause}): {', '.join(names)}")
        # last, so that the end of the output is enough to know them
        for name, cause in self._failed:
            print(f"# failed: {name}: {cause}" if cause else
                  f"# failed: {name}")
        print(f"{counts[PASS]} passed, {counts[FAIL]} failed, "
              f"{counts[SKIP]} skipped", flush=True)
        return 0 if total and not counts[FAIL] else 1

    @staticmethod
    def _show(detail):
        lines = detail.rstrip().splitlines()
        hidden = len(lines) - DETAIL_LINES
        if hidden > 0:
            print(f"    ({hidden} lines before this)")
            lines = lines[hidden:]
        for line in lines:
            print(f"    {line}")
