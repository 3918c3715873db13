# SPDX-License-Identifier: GPL-2.0
"""What the Python tests share: KTAP, netlink, sockets, the wire, RDMA.

Programs at the top of the selftests import it as it is; run_module starts those
that are modules of it. wire, messages and netlink are written from the RFC and
the netlink specs once more: nothing is shared with the module under test.
"""

import os

from smctest.ktap import Failure, Skip, check, same

__all__ = ["Failure", "Skip", "check", "same", "SELFTESTS", "TREE"]

SELFTESTS = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
TREE = os.path.realpath(os.path.join(SELFTESTS, "../../../../.."))
