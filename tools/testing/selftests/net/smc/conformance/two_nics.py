#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
# lab: --b none --nics 3
# deep: 6.12 6.1
# timeout: 1800
"""As conformance.py, for what takes two or three adapters at each end."""

import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE]

# pylint: disable=wrong-import-position
import conformance  # noqa: E402

if __name__ == "__main__":
    sys.exit(conformance.main(__file__, "two"))
