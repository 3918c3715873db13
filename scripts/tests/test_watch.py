# SPDX-License-Identifier: GPL-2.0
"""Tests how the lab measures the pauses that the machine causes to a host."""

import unittest

from lablib import watch

STEP = watch.PERIOD


def story(*parts):
    """Returns the samples of one thread; parts are (seconds, CPU share, delay
    share, state)."""
    now = cpu = delay = 0.0
    yield now, watch.Sample(cpu, delay, "S")
    for seconds, runs, waits, state in parts:
        for _ in range(round(seconds / STEP)):
            now, cpu, delay = now + STEP, cpu + runs * STEP, delay + waits * STEP
            yield now, watch.Sample(cpu, delay, state)


def longest(report):
    """Length of the longest pause in seconds."""
    return round(max((end - begin for begin, end, _ in report["pauses"]),
                     default=0), 2)


def late(cpu):
    """The keeper takes its next sample only after four seconds."""
    return [(0.0, watch.Sample(0.0, 0.0, "S")), (0.1, watch.Sample(0.0, 0.0, "S")),
            (4.1, watch.Sample(cpu, 0.0, "S")), (4.2, watch.Sample(cpu, 0.0, "S"))]


def jump():
    """The kernel counts a wait for a processor at the end of the wait, all at
    once."""
    yield from ((n * STEP, watch.Sample(0.0, 0.0, "R")) for n in range(30))
    yield 30 * STEP, watch.Sample(0.05, 3.0, "R")


# name, samples, minimum and maximum of the longest pause in seconds
CASES = (
    ("idle", story((5, 0, 0, "S")), 0, 0),
    ("computes", story((5, 1, 0, "R")), 0, 0),
    ("gets half of a processor", story((5, 0.5, 0.5, "R")), 0, 0),
    ("stopped by a signal for 3 s",
     story((1, 1, 0, "R"), (3, 0, 0, "T"), (1, 1, 0, "R")), 2.9, 3.2),
    ("traced, as processes of User Mode Linux are", story((5, 0, 0, "t")), 0, 0),
    ("waits for a disk for 2 s", story((2, 0, 0, "D"), (1, 1, 0, "R")), 1.9, 2.2),
    ("waits for a processor for 3 s", jump(), 2.9, 3.1),
    ("waits, runs and waits again",
     story((1, 0, 1, "R"), (1, 1, 0, "R"), (1, 0, 1, "R")), 0.9, 1.2),
    ("nearly starved for 3 s", story((3, 0.1, 0.9, "R")), 2.5, 3.0),
    ("the keeper is late, the host idle", late(0.0), 3.8, 4.1),
    ("the keeper is late, the host has run", late(3.0), 0, 0),
)


class Pauses(unittest.TestCase):
    def test_cases(self):
        "pauses of a host: a table of what the machine may do"
        wrong = []
        for what, looks, least, most in CASES:
            host = watch.Watch()
            for now, sample in looks:
                host.look(now, {"1": sample})
            pause = longest(host.report())
            if not least <= pause <= most:
                wrong.append(f"{what}: {pause} s, not {least} to {most}")
        self.assertEqual(wrong, [])

    def test_begins_anew(self):
        "pauses of a host: each report begins anew"
        host = watch.Watch()
        for now, sample in story((3, 0, 0, "T"), (1, 1, 0, "R")):
            host.look(now, {"1": sample})
        first = host.report()
        self.assertGreater(longest(first), 2)
        self.assertAlmostEqual(first["cpu"], 1, 1)
        self.assertEqual(host.report(), {"pauses": [], "cpu": 0.0})

    def test_cause(self):
        "pauses of a host: a stop is the cause, whatever follows"
        host = watch.Watch()
        for now, sample in story((1, 1, 0, "R"), (3, 0, 0, "T"),
                                 (0.3, 0, 0, "R"), (1, 1, 0, "R")):
            host.look(now, {"1": sample})
        told = host.report()
        self.assertEqual([pause.why for pause in told["pauses"]],
                         ["was stopped by a signal"])
        self.assertAlmostEqual(longest(told), 3.3, delta=0.2)

    def test_union(self):
        "pauses of a host: those that overlap are joined"
        self.assertEqual(watch.union([watch.Pause(5.0, 6.0, "c"),
                                      watch.Pause(1.0, 2.0, "a"),
                                      watch.Pause(1.5, 4.0, "b")]),
                         [watch.Pause(1.0, 4.0, "b"), watch.Pause(5.0, 6.0, "c")])
