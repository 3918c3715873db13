# SPDX-License-Identifier: GPL-2.0
"""Generic netlink driven by the YAML specs: no number of either side's code."""

import os

from smctest import TREE

SPECS = os.path.join(TREE, "Documentation/netlink/specs")
