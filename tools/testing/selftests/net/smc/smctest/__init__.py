# SPDX-License-Identifier: GPL-2.0
"""Code that all Python tests share: KTAP, netlink, sockets, wire formats, RDMA.

Programs at the top of the selftests import it directly; run_module starts
modules of this package that are programs. The modules wire, messages and
netlink follow the RFC and the netlink specs. These modules share no code with
the module under test.
"""

import os

from smctest.ktap import Failure, Skip, check, same

__all__ = ["Failure", "Skip", "check", "same", "SELFTESTS", "TREE"]

SELFTESTS = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
TREE = os.path.realpath(os.path.join(SELFTESTS, "../../../../.."))
