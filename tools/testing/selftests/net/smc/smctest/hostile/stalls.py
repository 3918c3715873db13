# SPDX-License-Identifier: GPL-2.0
"""Tests peers that become silent. All stalls run in parallel, because each
takes seconds.

C.5 requires a limit of the wait for a CLC message, and the end of TCP after it.
"""

import collections
import contextlib
import errno
import select
import time

from smctest import check, sockets, wire, world
from smctest.hostile.case import Case
from smctest.world import V4_NET

# start(world): opens the connection; end(running): checks the result.
Stall = collections.namedtuple("Stall", "name ids start end within expected")

CLC_WAIT = (5.5, 10)        # seconds: 6
GROUP_WAIT = (3.5, 9)       # 4
LINK_WAIT = (0, 12)         # seconds until the RNIC gives up
CONFIRM_WAIT = (7.5, 16)    # 8 seconds for CONFIRM LINK


class Running:
    """A running stall. It ends when the victim sends Decline or ends TCP."""

    def __init__(self, stall, where):
        self.stall = stall
        self.start = time.monotonic()
        self.sock = stall.start(where)
        self.seconds = None
        self.data = b""

    def look(self):
        """Reads data that has arrived."""
        try:
            piece = self.sock.recv(1000)
        except ConnectionResetError:
            piece = b""
        self.data += piece
        if not piece or len(self.data) >= 28:
            self.seconds = time.monotonic() - self.start

    def verdict(self):
        low, high = self.stall.within
        with self.sock:
            # R-C.5-01
            check(self.seconds is not None, f"goes on after {high} s")
            # R-C.5-01
            check(low <= self.seconds <= high,
                  f"ended after {self.seconds:.1f} s, not {low} to {high}")
            self.stall.end(self)

    def declined(self, code):
        message = wire.Message(self.data.ljust(28))
        check(len(self.data) == 28 and message.kind == wire.DECLINE and
              message.diagnosis == code, f"{message}, no Decline {code:08x}")
        self.sock.settimeout(sockets.PATIENCE)


# -- how they begin ------------------------------------------------------

def _says(make):
    def start(where):
        tcp = where.dial()
        tcp.sendall(make(where))
        return tcp
    return start


def _after_accept(make):
    def start(where):
        me = where.me()
        tcp = where.dial()
        tcp.sendall(wire.proposal(me, V4_NET))
        sockets.expect(tcp, wire.ACCEPT)
        tcp.sendall(make(me))
        return tcp
    return start


def _half_closed(where):
    """The client sends FIN after the Confirm. A client may do so when it has
    sent all its data (R-L-18)."""
    tcp = _after_accept(wire.confirm)(where)
    tcp.shutdown(1)
    return tcp


def _second(where):
    """Opens one more connection of a peer whose first contact hangs."""
    me = where.me()
    first, second = where.dial(), where.dial()
    first.sendall(wire.proposal(me, V4_NET))
    sockets.expect(first, wire.ACCEPT)
    where.stalled.callback(first.close)
    second.sendall(wire.proposal(me, V4_NET))
    return second


# -- how they end --------------------------------------------------------

def _gone(running):
    # R-C.5-02
    check(not running.data, f"an answer: {running.data.hex()}")


def _declined_late(running):
    # R-L-25
    running.declined(wire.LINK_TIMEOUT)
    sockets.expect_echo(running.sock)


def _declined_without_link(running):
    # R-C.7-05
    running.declined(wire.LINK_NOT_READY)
    sockets.expect_echo(running.sock)


def _declined_after_fin(running):
    """The application has read end of file, and closes."""
    # R-C.7-05, R-L-18
    running.declined(wire.LINK_NOT_READY)
    sockets.expect_gone(running.sock)


def _mute(name, start):
    return Stall(name, "R-C.5-01, R-C.5-02", start, _gone, CLC_WAIT,
                 world.MUTE_CLIENT)


STALLS = (
    _mute("silence after connect", _says(lambda where: b"")),
    _mute("half a header", _says(lambda where: where.proposal()[:5])),
    _mute("half a Proposal", _says(lambda where: where.proposal()[:40])),
    _mute("half of 8 prefixes", _says(lambda where: wire.proposal(
        where.me(), prefixes=[f"fd78:{n}::/64" for n in range(8)])[:100])),
    _mute("silence after the Accept", _after_accept(lambda me: b"")),
    _mute("half a Confirm", _after_accept(lambda me: wire.confirm(me)[:60])),
    Stall("second connection of a silent peer", "R-L-25",
          _second, _declined_late, GROUP_WAIT,
          world.add(world.CLIENT_IS_DECLINED, world.MUTE_CLIENT)),
    # The Confirm names a queue pair that does not exist.
    Stall("link that nobody confirms", "R-C.7-05",
          _after_accept(wire.confirm), _declined_without_link, LINK_WAIT,
          world.CLIENT_IS_DECLINED),
    Stall("link that nobody confirms, half closed", "R-C.7-05, R-L-18",
          _half_closed, _declined_after_fin, LINK_WAIT,
          world.CLIENT_IS_DECLINED),
)

# Sends the last message of a server that then becomes silent.
CALLS = (
    ("silence", lambda me: b""),
    ("half a header", lambda me: wire.accept(me)[:7]),
    ("half an Accept", lambda me: wire.accept(me)[:67]),
    ("half a Decline", lambda me: wire.decline()[:27]),
)


def _watch(runs, limit):
    """Waits until all stalls have ended, but no longer than limit."""
    deadline = time.monotonic() + limit
    while (left := [run for run in runs if run.seconds is None]) and \
            time.monotonic() < deadline:
        ready, _, _ = select.select([run.sock for run in left], [], [], 0.2)
        for run in left:
            if run.sock in ready:
                run.look()


def _call(where, make, stack):
    call = stack.enter_context(where.called())
    call.tcp.sendall(make(where.me()))
    return call


def _call_verdict(call):
    low, high = CLC_WAIT
    # R-C.5-01, -02
    call.expect_errno(errno.ETIMEDOUT, high)
    seconds = call.victim.outcome(call.number)[1]
    check(low <= seconds <= high, f"took {seconds:.1f} s")
    # R-C.5-02
    sockets.expect_gone(call.tcp)


def _link_never_confirmed(where):
    """We send an Accept with F, but its queue pair does not exist. The victim
    has not answered CONFIRM LINK, so neither side considers the link
    confirmed. The victim declines, as deployed peers do, and both sides use
    TCP."""
    low, high = CONFIRM_WAIT
    with where.called() as call:
        start = time.monotonic()
        call.tcp.sendall(wire.accept(where.me()))
        sockets.expect(call.tcp, wire.CONFIRM)
        call.tcp.settimeout(high)
        sockets.expect_decline(call.tcp, wire.LINK_NOT_READY)
        seconds = time.monotonic() - start
        check(low <= seconds <= high, f"declined after {seconds:.1f} s")
        call.expect_tcp()
        info = call.socket_info()
        check(info["mode"] == "tcp" and info["reason"] == wire.LINK_NOT_READY,
              f"the socket says {info}")


def cases():
    yield Case("connect: link that nobody confirms", "R-C.7-04",
               _link_never_confirmed, world.SERVER_IS_DECLINED)


def run(report, where):
    """Begins all stalls, serves decent clients during the stalls, and checks
    how each stall ends."""
    expected = world.add(world.GOOD, world.GOOD,
                         *(stall.expected for stall in STALLS),
                         *(world.MUTE_SERVER for _ in CALLS))

    def begin():
        runs.extend(Running(stall, where) for stall in STALLS)
        calls.extend(_call(where, make, stack) for _, make in CALLS)
        report.note(f"connect() beside them: {1000 * where.good():.1f} ms")
        _watch(runs, max(stall.within[1] for stall in STALLS))
        where.good()

    def count():
        counts.close()

    runs, calls = [], []
    with contextlib.ExitStack() as stack:
        where.stalled = stack
        counts = contextlib.ExitStack()
        counts.enter_context(where.counting(expected))
        report.run("stalls: decent clients are served meanwhile (R-C.5-01)",
                   40, begin)
        for item in runs:
            report.run(f"listener: {item.stall.name} ({item.stall.ids})", 20,
                       item.verdict)
        for (name, _), call in zip(CALLS, calls):
            report.run(f"connect: {name} (R-C.5-01, R-C.5-02)", 20,
                       _call_verdict, call)
        report.run("stalls: counters (R-C.5-01)", 20, count)
