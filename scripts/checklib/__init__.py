# SPDX-License-Identifier: GPL-2.0
"""The parts of scripts/check."""

import os

TREE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
