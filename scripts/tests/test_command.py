# SPDX-License-Identifier: GPL-2.0
"""Tests how the check runs programs."""

import unittest

from checklib import command


class Time(unittest.TestCase):
    def test_time(self):
        "command: a program ends with its time"
        status, out = command.run(["sh", "-c", "echo begun; sleep 100"], 0.5)
        self.assertEqual(status, command.OUT_OF_TIME)
        self.assertIn("begun\n\nstopped after 0.5 s", out)
