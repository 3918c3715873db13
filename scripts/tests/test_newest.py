# SPDX-License-Identifier: GPL-2.0
"""Tests the search for the newest installed Debian kernel of a version."""

import os
import subprocess
import tempfile
import unittest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


class Newest(unittest.TestCase):
    def setUp(self):
        self._directory = tempfile.TemporaryDirectory()
        self.addCleanup(self._directory.cleanup)
        self.root = self._directory.name
        for directory in ("boot", "lib/modules"):
            os.makedirs(os.path.join(self.root, directory))

    def _touch(self, path):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii"):
            pass

    def _install(self, *releases, image=True, headers=True):
        for release in releases:
            os.makedirs(os.path.join(self.root, "lib/modules", release))
            if image:
                self._touch(f"boot/vmlinuz-{release}")
            if headers:
                self._touch(f"lib/modules/{release}/build/Makefile")

    def _newest(self, version):
        done = subprocess.run(
            [os.path.join(TREE, "scripts/kernel/newest"), version, self.root],
            check=False, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0 if done.stdout else 1)
        self.assertEqual(done.stdout == "", "scripts/prepare" in done.stderr)
        return done.stdout.strip() or None

    def test_order(self):
        "the newest kernel: by number, not by letter"
        self._install("6.12.99+deb12-amd64", "6.12.117+deb12-amd64",
                      "6.1.0-9-amd64", "6.1.0-56-amd64", "6.120.0+deb12-amd64")
        self.assertEqual(self._newest("6.12"), "6.12.117+deb12-amd64")
        self.assertEqual(self._newest("6.1"), "6.1.0-56-amd64")

    def test_flavours(self):
        "the newest kernel: the plain flavour, whatever else is there"
        self._install("6.12.117+deb12-amd64", "6.12.117+deb12-rt-amd64",
                      "6.12.118+deb12-cloud-amd64", "6.12.118+deb12-rt-amd64",
                      "6.12.118+deb12-amd64-dbg", "6.12.118-mine",
                      "6.12.118+deb12-amd64-unsigned", "6.12.118+deb12-arm64",
                      "6.1.0-57-rt-amd64", "6.1.0-57-cloud-amd64",
                      "6.1.0-56-amd64")
        self.assertEqual(self._newest("6.12"), "6.12.117+deb12-amd64")
        self.assertEqual(self._newest("6.1"), "6.1.0-56-amd64")
        self.assertEqual(self._newest("6.12-rt"), "6.12.118+deb12-rt-amd64")

    def test_incomplete(self):
        "the newest kernel: one with image and headers"
        self._install("6.12.99+deb12-amd64")
        self._install("6.12.117+deb12-amd64", headers=False)
        self._install("6.12.118+deb12-amd64", image=False)
        self._install("6.12.119+deb12-amd64", image=False, headers=False)
        self.assertEqual(self._newest("6.12"), "6.12.99+deb12-amd64")

    def test_none(self):
        "the newest kernel: says so when there is none"
        self.assertIsNone(self._newest("6.12"))
        self._install("6.12.117+deb12-rt-amd64", "6.1.0-56-amd64")
        self.assertIsNone(self._newest("6.12"))
        self._install("6.12.117+deb12-amd64", headers=False)
        self.assertIsNone(self._newest("6.12"))
