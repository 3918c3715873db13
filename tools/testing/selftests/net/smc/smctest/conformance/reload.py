# SPDX-License-Identifier: GPL-2.0
"""The module is unloaded and loaded again. A client ends a group that works
only when the module is unloaded (RFC 7609 3.5.4, A.2.1, C.7.1). This part runs
last, because the counters begin at 0 afterwards."""

import os

from smctest import check
from smctest import messages as msg
from smctest.conformance.links import accepted
from smctest.conformance.peer import CLIENT, PATIENCE
from smctest.world import wait_until

MODULES = "smc", "smc_diag"
ALL = msg.DELETE_ALL | msg.DELETE_ORDERLY
# A socket that closes may still hold the module.
UNLOAD = "rmmod smc_diag; for i in $(seq 100); do rmmod smc && break; sleep 0.3; done"


def _close(bench, conn):
    bench.app.close(conn.number)
    conn.number = None
    conn.expect(ends=msg.C)
    conn.tell(ends=msg.C)
    conn.expect_gone()


def _load(bench, directory):
    for name in MODULES:
        path = os.path.join(directory, name + ".ko")
        status, said = bench.app.run("insmod", path)
        check(not status, f"insmod {path}: {said}")
    bench.app.sysctl("net.smc.echo_memory", 0)
    bench.app.sysctl("net.smc.dead_path_memory", 0)
    bench.app.ueids([])


def _unload(bench):
    """Unloads the module in the background, because rmmod returns only after
    the groups have ended, and they wait for our answer to DELETE LINK."""
    bench.app.unlisten_all()
    bench.app.run("sh", "-c", f"({UNLOAD}) > /dev/null 2>&1 &")


def _unloaded(bench):
    check(wait_until(lambda: bench.app.run("test", "-d", "/sys/module/smc")[0],
                     PATIENCE), "it is still loaded")


def _peer_id(bench):
    with bench.connected(CLIENT) as (conn, _):
        return conn.proposal.peer_id


def _leaves(bench, directory, answered):
    """The module sends DELETE LINK for the whole group over one link after
    another if we do not answer. The group ends even if we answer on no
    link."""
    with accepted(bench) as (conn, group, second):
        _close(bench, conn)
        _unload(bench)
        wanted = msg.delete_link(0, msg.PROGRAM, ALL)
        # R-4.8.3-01, R-A.3.4-03
        group.expect_bytes(wanted, PATIENCE)
        data = second.end_point.receive(PATIENCE)
        # R-C.7.1-14
        check(data == wanted, f"{data and data.hex()} over the second link")
        if answered:
            second.end_point.send(wanted)
        else:
            # R-C.7.1-14
            _unloaded(bench)
        group.gone = True
    _unloaded(bench)
    _load(bench, directory)
    bench.listen()


def run(bench, directory):
    """Unloads the module with and without our answer; checks the new peer
    ID."""
    before = _peer_id(bench)
    _leaves(bench, directory, False)
    _leaves(bench, directory, True)
    after = _peer_id(bench)
    for _ in range(2):      # two random bytes may be equal by chance
        if after != before:
            break
        _unload(bench)
        _unloaded(bench)
        _load(bench, directory)
        bench.listen()
        after = _peer_id(bench)
    # R-2.2.4-06, R-A.2.1-02
    check(after[2:] == before[2:] and after[:2] != before[:2],
          f"peer IDs {before.hex()}, {after.hex()}")
