# SPDX-License-Identifier: GPL-2.0
"""Many silent clients with the option do not delay other clients.

tools/testing/bench/mute measures how long other clients take. This test checks
that the victim serves all other clients before the first silent client times
out, and that no worker waits for a silent client.
"""

import select
import statistics

from smctest import check
from smctest.world import PORT, wait_until

MUTE = 200
CONNECTS = 50
# Allowed number of additional worker threads; if a worker waited for each
# silent client, there would be 200.
WORKERS = 20


def _beside(where):
    """Serves normal clients while silent clients wait. Returns the seconds of
    each."""
    before = where.victim.workers()
    mutes = [where.dial() for _ in range(MUTE)]
    try:
        times = [where.good() for _ in range(CONNECTS)]
        workers = where.victim.workers() - before
        ended, _, _ = select.select(mutes, [], [], 0)
    finally:
        for sock in mutes:
            sock.close()
    check(not ended, f"{len(ended)} mute clients were given up before "
          f"{CONNECTS} others were served")
    check(workers < WORKERS, f"{workers} more kernel workers")
    return times


def _gone(where):
    """Returns when the victim has seen the last of the silent clients."""
    return wait_until(lambda: not where.sockets_of(PORT))


def _compare(report, where):
    before = where.victim.stats()
    times = _beside(where)
    check(_gone(where), "handshakes are left")
    report.note(f"median of {CONNECTS} connects beside {MUTE} mute clients: "
                f"{1e3 * statistics.median(times):.2f} ms")
    after = where.victim.stats()
    check(after["HandshakesPendingMax"] >= MUTE, "not so many were pending")
    check(after["HandshakeWorkersWaiting"] == 0, "workers wait for peers")
    check(after["ServerHandshakes"] - before["ServerHandshakes"] == CONNECTS,
          "not all were served")
    check(after["ServerFallbacks"] == before["ServerFallbacks"],
          "somebody got TCP")


def run(report, where):
    report.run(f"listener: {MUTE} mute clients beside decent ones", 100,
               _compare, report, where)
