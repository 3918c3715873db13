# SPDX-License-Identifier: GPL-2.0
"""Tests which lines of a kernel's output count as an error."""

import unittest

from lablib.logscan import is_report

REPORTS = [
    "[    1.2] WARNING: CPU: 0 PID: 5 at net/smc/x.c:3 f+0x12/0x34 [smc]",
    "[   12.340000] BUG: KASAN: use-after-free in f+0x12/0x34 [smc]",
    "[   12.340000] BUG: sleeping function called from invalid context at x.c:1",
    "WARNING: possible circular locking dependency detected",
    "[  371.680000] INFO: task kworker/u5:0:21 blocked for more than 61 seconds.",
    "[    9.0] unregister_netdevice: waiting for eth0 to become free.",
    "[    9.0] kmemleak: 3 new suspected memory leaks",
]

NOT_REPORTS = [
    # a trace of an allocation that a test lets fail
    "[ 1288.720000] kworker/u4:3: vmalloc error: size 36864, failed to "
    "allocated page array size 72",
    "[ 1288.730000]  [<617a7a74>] ? lockdep_hardirqs_on+0xd4/0x1f0",
    "[   12.345678]  lockdep_init_map_type+0x5c/0x250",
    "[   12.345678]  ? smc_refcount_test+0x5c/0x250 [smc]",
    "[    0.1] kmemleak: Kernel memory leak detector initialized",
    "[    4.1] infiniband rxe0: set active",
]


class Lines(unittest.TestCase):
    def test_reports(self):
        for line in REPORTS:
            self.assertTrue(is_report(line), line)

    def test_other_lines(self):
        for line in NOT_REPORTS:
            self.assertFalse(is_report(line), line)


if __name__ == "__main__":
    unittest.main()
