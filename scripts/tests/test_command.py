# SPDX-License-Identifier: GPL-2.0
"""Tests how the check runs programs."""

import os
import threading
import unittest

from checklib import command

NICE = 7
# the program has started before its session gets a priority
TELL = ("for i in $(seq 100); do grep -q 'nice [1-9]' /proc/self/autogroup && "
        "break; sleep 0.1; done; cat /proc/self/autogroup; nice")


class Priority(unittest.TestCase):
    @unittest.skipUnless(os.path.exists("/proc/self/autogroup"),
                         "no sched_autogroup in this kernel")
    def test_session(self):
        "command: a thread that yields yields with all that it starts"
        told = []

        def run():
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
            told.append(command.run(["sh", "-c", TELL], 60))

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        status, out = told[0]
        self.assertEqual(status, 0, out)
        self.assertRegex(out, rf"nice {NICE}\n{NICE}\n")

    def test_time(self):
        "command: a program ends with its time"
        status, out = command.run(["sh", "-c", "echo begun; sleep 100"], 0.5)
        self.assertEqual(status, command.OUT_OF_TIME)
        self.assertIn("begun\n\nstopped after 0.5 s", out)
