# SPDX-License-Identifier: GPL-2.0
"""Generic netlink driven by the YAML specs: the code contains no command or
attribute number."""

import os

from smctest import TREE

SPECS = os.path.join(TREE, "Documentation/netlink/specs")
