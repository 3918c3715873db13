# SPDX-License-Identifier: GPL-2.0
"""Generic netlink driven by the YAML specs: no number of either side's code."""

import os

TREE = os.path.realpath(os.path.join(os.path.dirname(__file__),
                                     "../../../../../../.."))
SPECS = os.path.join(TREE, "Documentation/netlink/specs")
