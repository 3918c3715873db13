# SPDX-License-Identifier: GPL-2.0
"""Tests frames.rst byte by byte with a peer that keeps the rules: records,
windows, credits, the end of connections, urgent bytes, elements. If the module
offers no frames, the cases do not run."""

from smctest import check, frames
from smctest.conformance.case import Case, both
from smctest.conformance.framed_peer import (OFFER, AsOldClient, AsOldServer,
                                             framed, join, offers_frames)
from smctest.conformance.peer import SHUT_WR, pattern
from smctest.world import wait_until
NEEDS = offers_frames
OOB = 1                 # MSG_OOB
LONG = 40000            # bytes, several windows
D, C, A = frames.D, frames.C, frames.A


def _data(bench, module):
    """Checks all fields of a record, and that several records of a frame have
    an effect."""
    with framed(bench, module) as (conn, group):
        data = pattern(0, 300)
        conn.sends(data)
        # F-02, F-03, F-09
        conn.expect(data, prod=300, cons=0, window=frames.WINDOW, heard=0,
                    offer=None, move=None, answer=None, urgent=None)
        conns = [conn, join(group), join(group)]
        group.tell(*[one.record(pattern(at, 100)) for at, one in
                     enumerate(conns)])
        for at, one in enumerate(conns):
            # F-03
            one.gets(pattern(at, 100))
        for one in conns:
            one.echo()
        group.alive()


def _short_heads(bench, module):
    """Records have short heads if their values are small enough, with and
    without parts."""
    with framed(bench, module) as (conn, group):
        conn.short = True
        conn.sends(b"x")
        # F-38
        conn.expect(b"x", prod=1, cons=0, window=frames.WINDOW, heard=0,
                    short=True)
        conn.say(b"abc", urgent=3)
        conn.gets(b"ab")
        conn.say(move=frames.FIRST)
        # F-38
        conn.expect(answer=(frames.FIRST, 3), short=True)
        conn.say()
        for number, short in ((65535, True), (65536, False)):
            conn.own = (number, 0, 0, 0)
            conn.say(offer=conn.own)
            # F-38
            conn.expect(heard=number, short=short)
        other = join(group)
        other.short = True
        other.window = (1 << 24) - 1
        other.say()
        # F-38: the module sends more than the first window
        other.sends(pattern(0, LONG))
        check(other.collect(LONG) == pattern(0, LONG), "other bytes")
        group.alive()


def _no_short_heads(bench, module):
    """Under version 2 the module sends no short heads, and takes them."""
    with framed(bench, module, make=(AsOldClient, AsOldServer)) as (conn, _):
        conn.sends(b"x")
        # F-38
        conn.expect(b"x", short=False)
        conn.short = True
        conn.say(b"abc")
        # F-38
        conn.gets(b"abc")
        conn.echo()


def _long_frame(bench, module):
    """Checks that a frame has room for as much data as the stated size, and for
    heads."""
    with framed(bench, module) as (conn, group):
        size = 1 << OFFER.size
        half = size // 2
        data = pattern(0, size)
        group.tell(conn.record(data[:half]), conn.record(data[half:]))
        # F-37
        conn.gets(data)
        conn.sends(data)
        got = conn.hear()
        while not got.data:     # a larger window
            got = conn.hear()
        # F-37
        check(got.data == data, f"{got}: not all data in one record")
        group.alive()


def _one_frame(bench, module):
    """Checks that one frame carries the records of all connections that wait
    for credits."""
    with framed(bench, module) as (conn, group):
        conns = [conn, join(group), join(group)]
        point = group.end_point
        point.gives = False
        missing = b""   # another record may take the credit of the last echo
        while point.told - point.arrived > frames.RESERVE:
            before = point.arrived
            conn.sends(b"x")
            missing += b"x"
            wait_until(lambda old=before: group.pump() or point.arrived > old)
            while conn.mail():
                missing = missing[len(conn.hear().data):]
        for one in conns:
            one.sends(b"late")
        # F-07
        conn.silent()
        point.gives = True
        point.taken = point.arrived + frames.INITIAL
        group.tell()
        for one in conns:
            one.expect((missing if one is conn else b"") + b"late")
        check(point.sizes[-1] == len(conns), f"frames of {point.sizes[-3:]}")
        # F-01
        check(point.waited, "the module has waited, and does not say so")
        conn.echo()
        # F-01
        check(not point.waited, "the module has not waited this time")


def _window(bench, module):
    """Fills the window of the module; its reader opens the window again."""
    with framed(bench, module) as (conn, group):
        size = frames.WINDOW // 4
        for _ in range(4):
            conn.say(pattern(conn.prod, size))
        # F-09: no record for half of the window, because nothing was read
        conn.silent()
        conn.gets(pattern(0, frames.WINDOW))
        # F-09
        got = conn.hear()
        check(got.cons + got.window >= frames.WINDOW + frames.WINDOW // 2,
              f"{got}")
        conn.pour(pattern(conn.prod, LONG))
        group.alive()


def _their_window(bench, module):
    """The module fills our window, sets B, and continues when we read."""
    with framed(bench, module) as (conn, _):
        data = pattern(0, 3 * frames.WINDOW)
        conn.sends(data)
        got, last = b"", None
        while len(got) < frames.WINDOW:
            last = conn.hear()
            got += last.data
        # F-09
        check(last.flags & frames.B, f"{last}: no B")
        conn.silent()
        conn.say()
        got += conn.collect(len(data) - len(got))
        # F-03
        check(got == data, "other bytes")


def _credits(bench, module):
    """More SENDs than the first credits in each direction, one after the
    other."""
    with framed(bench, module) as (conn, group):
        for _ in range(3 * frames.INITIAL):
            conn.say(b"x")
            conn.gets(b"x")
        # F-06, F-08
        point = group.end_point
        check(point.allowed >= 3 * frames.INITIAL, "no new credits")
        check(point.allowed - point.spent <= frames.INITIAL,
              "more receives than this peer needs")
        # A peer that says that it waits gets more receives.
        point.waits = True
        for _ in range(4):
            conn.echo()
        point.waits = False
        # F-01
        check(wait_until(lambda: group.pump() or point.allowed - point.spent >
                         frames.INITIAL), "not more receives")
        for _ in range(2 * frames.INITIAL):
            conn.sends(b"y")
            conn.expect(b"y")
        group.alive()


def _app_ends(bench, module):
    """The application ends its direction, then the connection."""
    with framed(bench, module) as (conn, _):
        conn.sends(b"last")
        conn.app.shut(conn.number, SHUT_WR)
        # F-10
        check(conn.until(D) == b"last", "other bytes before the end")
        conn.say(b"bye", D)
        conn.gets(b"bye")
        conn.app.close(conn.number)
        conn.number = None
        # F-10
        conn.until(C)
        conn.say(flags=C)
        conn.expect_tcp("FIN")


def _peer_ends(bench, module):
    with framed(bench, module) as (conn, _):
        conn.say(b"bye", D | C)
        conn.gets(b"bye")
        # F-10
        got = conn.app.read(conn.number, 10)
        check(got == "", f"recv(): {got}")
        conn.app.close(conn.number)
        conn.number = None
        # F-10
        conn.until(C)
        conn.expect_tcp("FIN")


def _abort(bench, module):
    with framed(bench, module) as (conn, group):
        other = join(group)
        conn.say(flags=A)
        # F-11
        conn.until(A)
        conn.expect_reset()
        conn.expect_tcp("RST")
        other.app.abort(other.number)
        other.number = None
        # F-11
        other.until(A)
        other.say(flags=A)
        other.expect_tcp("RST")
        join(group).echo()


def _urgent(bench, module):
    """Urgent bytes in both directions stop neither data nor the window."""
    with framed(bench, module) as (conn, _):
        conn.app.watch(conn.number)
        conn.say(b"ab!cd", urgent=3)
        # F-26
        check(conn.app.urgent(conn.number), "no urgent byte")
        conn.gets(b"ab")
        got = conn.app.read(conn.number, 1, 5, OOB)
        check(got == b"!".hex(), f"MSG_OOB: {got}")
        conn.gets(b"cd")
        conn.app.write(conn.number, b"x!".hex(), OOB)
        conn.app.write(conn.number, b"yz".hex())
        urgent, data = [], b""
        while len(data) < 4:
            last = conn.hear()
            data += last.data
            urgent.append(last.urgent)
        # F-26
        check(data == b"x!yz" and set(urgent) == {2}, f"{data} {urgent}")
        conn.say(b"k")
        conn.gets(b"k")
        conn.sends(b"after")
        conn.expect(b"after", urgent=None)


def _urgent_again(bench, module):
    """While our window is full, the module announces each newer urgent
    byte."""
    with framed(bench, module) as (conn, _):
        data = pattern(0, frames.WINDOW + 4)
        conn.sends(data)
        got = b""
        while len(got) < frames.WINDOW:
            got += conn.hear().data
        for count in (1, 2):
            conn.app.write(conn.number, b"u!".hex(), OOB)
            # F-26
            conn.expect(flags=frames.B, urgent=len(data) + 2 * count)
        conn.say()
        got += conn.collect(8)
        check(got == data + b"u!u!", "other bytes")


def _move(bench, module):
    """A change of links to the same link again: the module answers with the
    position up to which it has received bytes."""
    with framed(bench, module) as (conn, _):
        conn.say(b"abc")
        conn.gets(b"abc")
        conn.say(move=frames.FIRST)
        # F-22
        conn.expect(answer=(frames.FIRST, 3))
        conn.say()
        conn.silent()
        conn.say(move=frames.FIRST)
        # F-25
        conn.silent()
        conn.echo()
        conn.say(move=frames.FIRST + 1, prod=2)
        # F-21, F-22: what is known to be delivered may be less
        conn.expect(answer=(frames.FIRST + 1, conn.prod))
        conn.say()
        conn.echo()


def _offered(conn):
    """Asks the module for its element. Returns the offer, (number, key, offset,
    size), after our answer."""
    conn.say(b"more", frames.W)
    conn.gets(b"more")
    offer = conn.hear().offer
    # F-12, F-33
    check(offer and offer[0] == frames.FIRST, f"offer {offer}")
    _, key, offset, size = offer
    check(key == conn.theirs.rkey and size == conn.their_size and
          offset == (conn.theirs.index - 1) * size, f"another place: {offer}")
    conn.heard = offer[0]
    # F-14
    conn.say()
    return offer


def _their_element(bench, module):
    """We write to the element of the module, several times round."""
    with framed(bench, module) as (conn, group):
        _, key, offset, size = _offered(conn)
        base = conn.theirs.addr + offset
        for _ in range(7):
            at, length = conn.prod % size, size // 2
            data = pattern(conn.prod, length + 50)
            first = data[:min(length, size - at)]
            group.end_point.write(first, key, base + at)
            if len(first) < length:
                group.end_point.write(data[len(first):length], key, base)
            # F-15: bytes in the element, and behind them those of the record
            conn.prod += length
            conn.say(data[length:], frames.B)
            conn.gets(data)
            # F-13: the echo has arrived
            check(conn.hear().offer is None, "the offer again")
        conn.echo()


def _beyond_element(conn, size):
    """Our window is larger than our element, so the module asks for a larger
    element."""
    data = pattern(conn.cons, 2 * size)
    conn.window = len(data)
    conn.say()
    conn.sends(data)
    seen, got = [], b""
    while len(got) < len(data):
        seen.append(conn.hear())
        got += seen[-1].data
    check(got == data, "other bytes")
    # F-33
    check(any(one.flags & frames.W for one in seen), "no W")


def _our_element(bench, module):
    """The module writes to our element; it overwrites no unread byte."""
    with framed(bench, module) as (conn, group):
        conn.window = 65536
        conn.sends(pattern(0, LONG))
        got = conn.hear()
        # F-33
        check(got.flags & frames.W, f"{got}: no W")
        data = got.data
        point = group.end_point
        conn.own = (frames.FIRST, point.rmb.rkey, 0, 65536)
        conn.say(offer=conn.own)
        data += conn.collect(LONG - len(data))
        check(data == pattern(0, LONG), "other bytes")
        more = pattern(LONG, 3 * LONG)
        for at in range(0, len(more), LONG):
            conn.say()
            conn.sends(more[at:at + LONG])
            seen = []
            data = b""
            while len(data) < LONG:
                seen.append(conn.hear())
                data += seen[-1].data
            # F-15
            check(data == more[at:at + LONG], "other bytes")
            check(len(seen) < 8, f"{len(seen)} records for {LONG} bytes")
            check(all(one.heard == frames.FIRST for one in seen), "not heard")
            # F-33: the element has room for the window
            check(not any(one.flags & frames.W for one in seen), "W")
        _beyond_element(conn, conn.own[3])
        conn.own = (frames.FIRST + 1, 0, 0, 0)
        conn.say(offer=conn.own)
        # F-14
        check(conn.hear().heard == frames.FIRST + 1, "no answer")
        conn.echo()


def _unknown_token(bench, module):
    with framed(bench, module) as (conn, group):
        before = bench.app.stats()["RecordsUnknownToken"]
        group.tell(conn.record().but(token=conn.theirs.token ^ 1, flags=A),
                   conn.record(b"next"))
        conn.gets(b"next")
        # F-04: only that record is dropped
        check(bench.app.stats()["RecordsUnknownToken"] == before + 1,
              "it was not counted")
        conn.echo()


def _codec(_bench):
    wrong = frames.self_check()
    check(not wrong, wrong)


def cases():
    yield Case("frames: codec of the peer", "", _codec)
    yield from both("frames: data and records", "", _data)
    yield from both("frames: short heads", "", _short_heads)
    yield from both("frames: a peer without short heads", "", _no_short_heads)
    yield from both("frames: data of the stated size", "", _long_frame)
    yield from both("frames: connections share a frame", "", _one_frame)
    yield from both("frames: window of the module", "", _window)
    yield from both("frames: window of the peer", "", _their_window)
    yield from both("frames: credits", "", _credits)
    yield from both("frames: the application ends", "", _app_ends)
    yield from both("frames: the peer ends", "", _peer_ends)
    yield from both("frames: abort", "", _abort)
    yield from both("frames: urgent bytes", "", _urgent)
    yield from both("frames: urgent bytes, a full window", "", _urgent_again)
    yield from both("frames: change of links", "", _move)
    yield from both("frames: element of the module", "", _their_element)
    yield from both("frames: element of the peer", "", _our_element)
    yield from both("frames: unknown token", "", _unknown_token)
