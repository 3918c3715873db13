# SPDX-License-Identifier: GPL-2.0
"""Pauses that the machine causes to a host, observed from outside.

A pause excuses a failed test only if the machine kept a host from running. This
file samples each thread of a host a few times a second. A thread stands still
while

  it waits for a processor (run delay, /proc/PID/task/TID/schedstat), it is
  stopped by a signal or waits for a disk (its state), or the keeper itself was
  not able to sample, and the host has not run meanwhile.

A thread that gets part of the CPU time does not stand still. A thread that
spins never stands still, because its CPU time advances.
"""

import collections
import os

PERIOD = 0.1            # seconds between samples
RESCAN = 20             # number of samples between searches for new processes
# a thread that gets no CPU for this part of an interval counts as standing
# still for the whole interval
STARVED = 0.8
LATE = 1.0  # in seconds; after a longer interval the keeper counts as late
SHORTEST = 0.5          # seconds; shorter pauses are not reported

Sample = collections.namedtuple("Sample", "cpu delay state")


class Thread:
    """Two measurements of one thread: by its state and by its run delay. The
    measurements overlap, so they are not added."""

    def __init__(self, sample):
        self.last = sample
        self.waited = 0.0       # for a processor, from the kernel's own count
        # seconds in each state of waiting, without progress of the CPU time
        self.stood = collections.Counter()

    def step(self, sample, seconds):
        """Returns (seconds of CPU in the interval, seconds the thread has
        stood still, cause)."""
        cpu = sample.cpu - self.last.cpu
        delay = sample.delay - self.last.delay
        self.waited = self.waited + delay if delay >= STARVED * seconds else 0.0
        still = sample.state in "RTD" and cpu < (1 - STARVED) * seconds
        if still:
            self.stood[sample.state] += seconds
        else:
            self.stood.clear()
        self.last = sample
        stood = sum(self.stood.values())
        if self.waited >= stood:
            return cpu, self.waited, "waited for a processor"
        # a thread that continues may still wait for a processor for some time
        state = self.stood.most_common(1)[0][0]
        return cpu, stood, {"T": "was stopped by a signal",
                            "D": "waited for a disk"}.get(
                                state, "waited for a processor")


Pause = collections.namedtuple("Pause", "begin end why")


def union(pauses):
    """Returns pauses in order of time, and joins those that overlap. The cause
    is that of the longest one."""
    joined = []
    for pause in sorted(pauses):
        if joined and pause.begin <= joined[-1].end:
            last = joined.pop()
            longest = max(last, pause, key=lambda p: p.end - p.begin)
            pause = Pause(last.begin, max(last.end, pause.end), longest.why)
        joined.append(pause)
    return joined


class Watch:
    """One host: its pauses and its CPU time since the last report."""

    def __init__(self):
        self._threads = {}
        self._last = None
        self._pauses = []       # overlap while a pause continues
        self._cpu = 0.0

    def look(self, now, samples):
        """Records one sample of all threads; samples: {thread: Sample}, times
        in seconds."""
        if self._last is None:
            self._threads = {tid: Thread(s) for tid, s in samples.items()}
            self._last = now
            return
        seconds, self._last = now - self._last, now
        ran = 0.0
        known, self._threads = self._threads, {}
        for tid, sample in samples.items():
            thread = self._threads[tid] = known.get(tid) or Thread(sample)
            if tid in known:
                cpu, pause, why = thread.step(sample, seconds)
                ran += cpu
                self._note(now, pause, why)
        self._cpu += ran
        if seconds >= LATE and ran < (1 - STARVED) * seconds:
            self._note(now, seconds - PERIOD,
                       "did not run, nor did the lab's keeper")

    def _note(self, now, seconds, why):
        if seconds >= SHORTEST:
            self._pauses.append(Pause(now - seconds, now, why))

    def report(self):
        """Returns the pauses since the last report, and starts a new period.

        The next report names a pause that continues once more, with its new
        length.
        """
        told = {"pauses": union(self._pauses), "cpu": round(self._cpu, 2)}
        self._pauses, self._cpu = [], 0.0
        return told


# -- /proc ---------------------------------------------------------------

def _read(path):
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _sample(pid, tid):
    counts = _read(f"/proc/{pid}/task/{tid}/schedstat").split()
    fields = _read(f"/proc/{pid}/task/{tid}/stat").rpartition(")")[2].split()
    if not fields:
        return None
    if len(counts) < 2:     # this kernel does not count run delays
        ticks = os.sysconf("SC_CLK_TCK")
        return Sample((int(fields[11]) + int(fields[12])) / ticks, 0.0,
                      fields[0])
    return Sample(int(counts[0]) / 1e9, int(counts[1]) / 1e9, fields[0])


def samples(pids):
    """Returns {thread: Sample} of these processes."""
    found = {}
    for pid in pids:
        try:
            tids = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for tid in tids:
            sample = _sample(pid, tid)
            if sample:
                found[tid] = sample
    return found
