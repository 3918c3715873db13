# SPDX-License-Identifier: GPL-2.0
"""Tests that many silent clients with the option do not delay other clients.

tools/testing/bench/mute measures how long other clients take. This test checks
that the victim serves each other client before the first silent client times
out, and that no worker waits for a silent client.
"""

import select
import statistics
import time

from smctest import check
from smctest.world import PORT, wait_until

MUTE = 200
CONNECTS = 50
# On a slow host the silent clients are replaced before each normal client. After
# ENOUGH seconds LEAST normal clients are sufficient.
ENOUGH, LEAST = 30, 5
# Allowed number of additional worker threads; if a worker waited for each
# silent client, there would be 200.
WORKERS = 20


# The victim gives a silent client up after 6 s. Older silent clients than this
# are replaced before the next normal client begins. A slow host may need longer
# for all normal clients together than for one silent client.
FRESH = 2
# A silent client that is older may already be given up.
JUDGED = 5


class _Mutes:
    """MUTE silent clients, none of them about to be given up."""

    def __init__(self, where):
        self.where = where
        self.socks = []
        self.since = 0

    def renew(self):
        """Replaces the silent clients when they are old."""
        if self.socks and self.age() < FRESH:
            return
        self.close()
        self.since = time.monotonic()
        self.socks = [self.where.dial() for _ in range(MUTE)]

    def age(self):
        """Returns the seconds since the oldest one began."""
        return time.monotonic() - self.since

    def ended(self):
        """Returns the number of clients that the victim has given up."""
        return len(select.select(self.socks, [], [], 0)[0])

    def close(self):
        """Closes all."""
        while self.socks:
            self.socks.pop().close()


def _beside(where):
    """Serves normal clients while silent clients wait. Returns the seconds of
    each."""
    before = where.victim.workers()
    mutes = _Mutes(where)
    times, judged, begin = [], 0, time.monotonic()
    try:
        for n in range(CONNECTS):
            if n >= LEAST and time.monotonic() - begin > ENOUGH:
                break
            mutes.renew()
            times.append(where.good())
            ended = mutes.ended()
            if mutes.age() > JUDGED:
                continue        # the host is slow
            judged += 1
            check(not ended, f"{ended} mute clients were given up before "
                  f"client {n} was served, in {times[-1]:.1f} s")
        workers = where.victim.workers() - before
    finally:
        mutes.close()
    check(judged, "the host was too slow for each client")
    check(workers < WORKERS, f"{workers} more kernel workers")
    return times


def _gone(where):
    """Returns when the victim has seen the last of the silent clients."""
    return wait_until(lambda: not where.sockets_of(PORT))


def _compare(report, where):
    before = where.victim.stats()
    times = _beside(where)
    check(_gone(where), "handshakes are left")
    report.note(f"median of {len(times)} connects beside {MUTE} mute clients: "
                f"{1e3 * statistics.median(times):.2f} ms")
    after = where.victim.stats()
    check(after["HandshakesPendingMax"] >= MUTE, "not so many were pending")
    check(after["ServerHandshakes"] - before["ServerHandshakes"] == len(times),
          "not all were served")
    check(after["ServerFallbacks"] == before["ServerFallbacks"],
          "somebody got TCP")


def run(report, where):
    report.run(f"listener: {MUTE} mute clients beside decent ones", 100,
               _compare, report, where)
