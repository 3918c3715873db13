# SPDX-License-Identifier: GPL-2.0
"""Many clients that connect with the option and say nothing delay nobody.

How long others take beside them is for tools/testing/bench/mute. Here it counts
that all of them are served before the first mute client is given up, and that
nobody waits for one.
"""

import select
import statistics

from smctest import check
from smctest.world import PORT, wait_until

MUTE = 200
CONNECTS = 50
# Worker threads that may come and go by chance; one per mute would be 200.
WORKERS = 20


def _beside(where):
    """Serve decent clients while mute ones are there: seconds of each."""
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
    """The victim has seen the last of the mute clients."""
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
