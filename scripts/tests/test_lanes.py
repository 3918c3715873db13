# SPDX-License-Identifier: GPL-2.0
"""Tests which scripts the check runs on each kernel."""

import unittest

from checklib import labs

ALL = ("kunit", "in-host", "two-host", "interop")
SCRIPTS = ("in-host", "two-host", "two-host-special", "scripted")


def parts(found):
    """Returns each (kernel, part), as often as the check runs it."""
    return sorted((kernel, part) for kernel, several in found
                  for part in several)


class Lanes(unittest.TestCase):
    def test_deep(self):
        "lanes: a deep run has every part on every kernel, once"
        more = {kernel: ("interop",) for kernel in ("uml", "6.12", "6.1")}
        more |= {kernel: ("kunit",) for kernel in ("uml-debug", "smp-debug")}
        want = [(kernel, part) for kernel in (*more, "6.12-rt")
                for part in (*SCRIPTS, *more.get(kernel, ()))]
        want += [("s390x", part) for part in (
            "kunit", "in-host", "two-host", "two-host-special")]
        want += [("arm64-64k", part) for part in ("kunit", "in-host", "two-host")]
        self.assertEqual(parts(labs.lanes(ALL, labs.DEEP_KERNELS, True)),
                         sorted(want))

    def test_check(self):
        "lanes: a check has every part on the kernels that are its own"
        found = labs.lanes(ALL, labs.KERNELS, False)
        want = [(kernel, part) for kernel in ("uml-debug", "6.12", "6.1")
                for part in SCRIPTS]
        self.assertEqual(parts(found), sorted(
            want + [("uml-debug", "kunit"), ("uml", "interop"),
                    ("uml", "in-host"), ("uml", "two-host"),
                    ("uml", "two-host-special"), ("uml", "scripted")]))

    def test_asked_for(self):
        "lanes: only the stages and kernels that are asked for"
        self.assertEqual(labs.lanes(("kunit",), labs.KERNELS, False),
                         [("uml-debug", ("kunit",))])
        self.assertEqual(labs.lanes(("in-host",), ("6.12",), False),
                         [("6.12", ("in-host",))])
        self.assertEqual(labs.lanes(("style",), labs.KERNELS, True), [])

    def test_only(self):
        "lanes: only the parts that have scripts with a word in their names"
        self.assertEqual(labs.lanes(ALL, ("6.12",), True, "programs.sh"),
                         [("6.12", ("two-host",))])
        self.assertEqual(labs.lanes(ALL, labs.DEEP_KERNELS, True, "no-such"),
                         [])

    def test_scripts(self):
        "lanes: each script of two_host/ is in one part, by the lab it wants"
        parts = {part: {need.name for need in labs.tests_of(part, "6.12", False)}
                 for part in SCRIPTS}
        every = {need.name for need in labs.tests("two_host")}
        self.assertLess(every, parts["two-host"] | parts["two-host-special"])
        self.assertFalse(parts["two-host"] & parts["two-host-special"])
        self.assertIn("two_host/failover.sh", parts["two-host-special"])
        self.assertIn("two_host/tools.sh", parts["two-host"])

    def test_foreign(self):
        "lanes: a kernel with a foreign processor runs what asks for it"
        for kernel in labs.FOREIGN:
            names = {need.name for part in ("in-host", "two-host")
                     for need in labs.tests_of(part, kernel, True)}
            self.assertIn("two_host/data.sh", names)
            self.assertNotIn("two_host/burst.sh", names)

    def test_also(self):
        "lanes: a kernel for interop runs, in check, what asks for it"
        some = labs.tests_of("two-host-special", "uml", False)
        every = labs.tests_of("two-host-special", "uml", True)
        self.assertTrue(some)
        self.assertLess(len(some), len(every))
        for need in some:
            self.assertIn("uml", need.also)
            self.assertFalse(need.left_out("uml", False))

    def test_names(self):
        "lanes: no two lanes of a run have a lab of the same name"
        names = [labs.Lane(None, *lane, True).name
                 for lane in labs.lanes(ALL, labs.DEEP_KERNELS, True)]
        self.assertEqual(len(set(names)), len(names))


def seen(**hosts):
    """Pauses of hosts, as the watch of a lab reports them: (begin, end) in
    seconds."""
    return {host: {"pauses": [[*span, "waited for a processor"]
                              for span in spans], "cpu": 1.0}
            for host, spans in hosts.items()}


class Excuses(unittest.TestCase):
    def test_one_host(self):
        "excuse: a pause that is longer than the shortest timer"
        self.assertEqual(labs.excuse(seen(a=[(7.0, 9.5)]), 2.0),
                         "host a waited for a processor for 2.5 s, "
                         "its shortest timer is 2 s")
        self.assertEqual(labs.excuse(seen(a=[(7.0, 9.0)]), 2.0), "")

    def test_two_hosts(self):
        "excuse: the pauses of two hosts add up"
        self.assertEqual(labs.excuse(seen(a=[(3.0, 3.8)], b=[(4.0, 5.8)]), 2.0),
                         "host a waited for a processor for 0.8 s, "
                         "host b waited for a processor for 1.8 s, "
                         "its shortest timer is 2 s")
        self.assertEqual(labs.excuse(seen(a=[(3.0, 3.8)], b=[(4.0, 5.1)]), 2.0),
                         "")

    def test_together(self):
        "excuse: the time during which both hosts stand still counts once"
        self.assertEqual(labs.excuse(seen(a=[(3.0, 4.3)], b=[(3.1, 4.4)]), 2.0),
                         "")

    def test_apart(self):
        "excuse: pauses that are far apart do not add up"
        self.assertEqual(labs.excuse(seen(a=[(3.0, 4.5), (9.0, 10.5)]), 2.0), "")
        self.assertNotEqual(labs.excuse(seen(a=[(3.0, 4.5), (5.0, 6.5)]), 2.0),
                            "")

    def test_no_pause(self):
        "excuse: without a pause there is none"
        self.assertEqual(labs.excuse(seen(a=[]), 2.0), "")
        self.assertEqual(labs.excuse({}, 2.0), "")
