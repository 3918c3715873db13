# SPDX-License-Identifier: GPL-2.0
"""The second adapter on the host of the module."""

import contextlib
import socket

from hostilelib import check
from hostilelib.world import wait_until

NET, RNIC = "eth1", "rxe1"
GID = bytes(10) + b"\xff\xff" + socket.inet_aton("10.77.1.1")
COMES = f"rdma link add {RNIC} type rxe netdev {NET}"
GOES = f"rdma link delete {RNIC}"


def _run(bench, command):
    status, said = bench.app.run(*command.split())
    return None if status else said or "done"


def come(bench):
    """It may be there, or on its way out still."""
    _run(bench, GOES)
    check(wait_until(lambda: _run(bench, COMES), 30), f"{COMES}: in vain")


def go(bench):
    check(_run(bench, GOES), f"{GOES}: in vain")


def going(bench):
    """The same in the background: it waits for the links that use it."""
    bench.app.run("sh", "-c", f"{GOES} > /dev/null 2>&1 &")


@contextlib.contextmanager
def adapter(bench):
    """It comes, and goes."""
    come(bench)
    try:
        yield
    finally:
        go(bench)
