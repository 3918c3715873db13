# SPDX-License-Identifier: GPL-2.0
"""Adds and removes the second adapter of the module's host."""

import contextlib
import socket

from smctest import check
from smctest.world import wait_until

NET, RNIC = "eth1", "rxe1"
GID = bytes(10) + b"\xff\xff" + socket.inet_aton("10.77.1.1")
GOES = f"rdma link delete {RNIC}"
PATIENCE = 40       # seconds


def _run(bench, command):
    status, said = bench.app.run(*command.split())
    return None if status else said or "done"


def ready(bench, number):
    """Waits until the adapter has its address, and until the module knows
    that."""
    port = f"/sys/class/infiniband/rxe{number}/ports/1"
    check(wait_until(lambda: "ACTIVE" in bench.app.run(
        "cat", f"{port}/state")[1] and f"0a4d:0{number}01" in bench.app.run(
            "sh", "-c", f"cat {port}/gids/* 2> /dev/null")[1], PATIENCE),
          f"rxe{number} is not ready")


def _comes(number):
    return f"rdma link add rxe{number} type rxe netdev eth{number}"


def come(bench):
    """Adds the adapter. The adapter may exist already, or its removal may not
    be complete."""
    _run(bench, GOES)
    check(wait_until(lambda: _run(bench, _comes(1)), PATIENCE),
          f"{_comes(1)}: in vain")
    ready(bench, 1)


def go(bench):
    check(_run(bench, GOES), f"{GOES}: in vain")


def going(bench):
    """Removes the adapter in the background, because the removal waits for
    links that use it."""
    bench.app.run("sh", "-c", f"{GOES} > /dev/null 2>&1 &")


def coming(bench, number):
    """Adds an adapter in the background, because the module may wait for a
    message of ours when the adapter appears."""
    # the removal of an earlier one may not be complete
    bench.app.run("sh", "-c", f"for i in $(seq 100); do {_comes(number)} && "
                  "break; sleep 0.1; done > /dev/null 2>&1 &")


@contextlib.contextmanager
def adapter(bench, wait=True):
    """Adds the adapter and removes it at the end. Without wait, the block begins
    before the adapter is ready, because the module soon waits for a message of
    ours."""
    if wait:
        come(bench)
    else:
        _run(bench, GOES)
        coming(bench, 1)
    try:
        yield
    finally:
        go(bench)
