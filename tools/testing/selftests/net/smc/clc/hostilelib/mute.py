# SPDX-License-Identifier: GPL-2.0
"""Many clients that connect with the option and say nothing delay nobody."""

import select
import statistics

from hostilelib import Failure, check
from hostilelib.world import PORT, wait_until

MUTE = 200
CONNECTS = 50
ROUNDS = 2          # half of the connects without, half with, and once more
TRIES = 3           # the machine may be busy with other things
RATIO = 1.5
# Worker threads that may come and go by chance; one per mute would be 200.
WORKERS = 20


def _connects(where):
    return [where.good() for _ in range(CONNECTS // ROUNDS)]


def _with_mute(where, times):
    """All of them are there from the first to the last connect."""
    before = where.victim.workers()
    mutes = [where.dial() for _ in range(MUTE)]
    try:
        times += _connects(where)
        workers = where.victim.workers() - before
        ended, _, _ = select.select(mutes, [], [], 0)
    finally:
        for sock in mutes:
            sock.close()
    check(workers < WORKERS, f"{workers} more kernel workers")
    return not ended


def _measure(where):
    """Medians of connect() without and with mute clients, or None."""
    alone, beside = [], []
    for _ in range(ROUNDS):
        alone += _connects(where)
        if not _with_mute(where, beside):
            return None
    return statistics.median(alone), statistics.median(beside)


def _gone(where):
    """The victim has seen the last of the mute clients."""
    return wait_until(lambda: not where.sockets_of(PORT))


def _compare(report, where):
    before = where.victim.stats()
    ratio = None
    for number in range(1, TRIES + 1):
        medians = _measure(where)
        check(_gone(where), "handshakes are left")
        if not medians:
            report.note(f"try {number}: mute clients timed out meanwhile")
            continue
        ratio = medians[1] / medians[0]
        report.note(f"try {number}: median of {CONNECTS} connects "
                    f"{1e3 * medians[0]:.2f} ms, beside {MUTE} mute clients "
                    f"{1e3 * medians[1]:.2f} ms: {ratio:.2f} times")
        if ratio <= RATIO:
            break
    after = where.victim.stats()
    check(after["HandshakesPendingMax"] >= MUTE, "not so many were pending")
    check(after["HandshakeWorkersWaiting"] == 0, "workers wait for peers")
    check(after["ServerFallbacks"] == before["ServerFallbacks"],
          "somebody got TCP")
    if ratio is None:
        raise Failure("no measurement")
    check(ratio <= RATIO, f"{ratio:.2f} times as long")


def run(report, where):
    report.run(f"listener: {MUTE} mute clients beside decent ones (D2)", 100,
               _compare, report, where)
