# SPDX-License-Identifier: GPL-2.0
"""Tests the check of comments."""

import os
import tempfile
import unittest

from checklib import static

LONG = "x" * 80


class Comments(unittest.TestCase):
    def _long(self, *lines):
        """Returns the numbers of the lines that are too long."""
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            path = os.path.relpath(file.name, static.TREE)
            return [int(place.rsplit(":", 1)[1])
                    for place in static.long_comments(path)]

    def test_width(self):
        "comments: tabs count, and 80 columns are not too many"
        self.assertEqual(self._long("/* " + "x" * 77, f" * {LONG}", " */"), [2])
        self.assertEqual(self._long("\t/* " + "x" * 66 + " */",
                                    "\t/* " + "x" * 67 + " */"), [2])

    def test_code(self):
        "comments: code, and a comment beside it, may be longer"
        self.assertEqual(self._long(f"int {LONG}; /* {LONG}", f" * {LONG} */",
                                    f"int {LONG};"), [2])

    def test_string(self):
        "comments: a string begins no comment"
        self.assertEqual(self._long('puts("a\\"/*");', f"int {LONG};"), [])
