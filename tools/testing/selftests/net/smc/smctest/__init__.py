# SPDX-License-Identifier: GPL-2.0
"""Code that all Python tests share: KTAP, netlink, sockets, wire formats, RDMA.

Programs at the top of the selftests import it directly; run_module starts
modules of this package that are programs. The modules wire, messages and
netlink follow the RFC and the netlink specs. These modules share no code with
the module under test.
"""

import os
import time

from smctest.ktap import Failure, Skip, check, same

__all__ = ["Failure", "Skip", "check", "same", "polls", "SELFTESTS", "TREE"]

SELFTESTS = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
TREE = os.path.realpath(os.path.join(SELFTESTS, "../../../../.."))


def polls(seconds, first=0.0003, most=0.01):
    """Yields once per poll, and one last time when the time is over. The
    pauses between polls grow, because a poll is expensive on an emulated
    host."""
    end, pause = time.monotonic() + seconds, first
    while True:
        last = time.monotonic() >= end
        yield
        if last:
            return
        time.sleep(pause)
        pause = min(1.3 * pause, most)
