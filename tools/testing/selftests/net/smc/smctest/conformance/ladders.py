# SPDX-License-Identifier: GPL-2.0
"""Runs the six ladder diagrams of RFC 7609 4.7 with exact cursor values.

The RFC's element of 10,000 bytes cannot be announced (A.2.3): our element has
16,384 bytes. So amounts that must be more or less than half the window are
larger by the same factor. Cursors start at 0. Each diagram runs with the
module as host A, then as host B.
"""

from smctest import check
from smctest import messages as msg
from smctest.conformance.case import both
from smctest.conformance.peer import ELEMENT, pattern
from smctest.world import wait_until

START = ELEMENT + 1000      # cursor 1000, wrap 1
MSG_OOB = 1


def _to_start(conn, sender):
    """Moves both cursors of one direction to 1000/1, and announces all of
    that."""
    if sender:
        for length in (10000, START - 10000):
            conn.sends(pattern(conn.cons, length))
            conn.expect(prod=conn.cons + length)
            conn.cons += length
            conn.tell()
            conn.group.alive()      # it has handled our message
    else:
        for length in (START // 2, START // 2):     # each is announced
            conn.data(pattern(conn.prod, length))
            conn.gets(pattern(conn.prod - length, length))
            conn.expect(cons=conn.prod)


# -- 4.7.1 to 4.7.3 ------------------------------------------------------

def _one_a(bench, module):
    with bench.connected(module) as (conn, group):
        conn.sends(pattern(0, 1000))
        # R-4.7.1-01, -03
        conn.expect(prod=1000, cons=0)
        # R-4.7.1-02
        check(conn.element(0, 1000) == pattern(0, 1000), "not at 0..999")
        # R-4.7.1-02
        check(not any(conn.element(1000, ELEMENT - 1000)), "more was written")
        group.quiet(0.1)


def _one_b(bench, module):
    with bench.connected(module) as (conn, group):
        conn.data(pattern(0, 1000))
        conn.gets(pattern(0, 1000))
        # R-4.5.1-02, R-4.7.1-04
        group.quiet()           # the window is above half


def _two_a(bench, module):
    with bench.connected(module) as (conn, _):
        conn.sends(pattern(0, 1000))
        # R-4.7.2-01
        conn.expect(prod=1000, cons=0)
        conn.cons = 1000
        conn.data(pattern(0, 500))
        # R-4.7.2-03
        conn.gets(pattern(0, 500))
        conn.sends(pattern(1000, 10))
        conn.expect(prod=1010, cons=500)


def _two_b(bench, module):
    with bench.connected(module) as (conn, group):
        conn.data(pattern(0, 1000))
        conn.gets(pattern(0, 1000))
        # R-4.7.2-02
        group.quiet(0.1)
        conn.sends(pattern(0, 500))
        # R-4.7.2-04
        conn.expect(prod=500, cons=1000)
        # R-4.7.2-03
        check(conn.element(0, 500) == pattern(0, 500), "not at 0..499")


def _three_a(bench, module):
    with bench.connected(module) as (conn, group):
        conn.sends(pattern(0, 5000))
        # R-4.7.3-02
        conn.expect(prod=5000, cons=0)
        conn.sends(pattern(5000, 6500))
        # R-4.7.3-05
        conn.expect(prod=11500, cons=0)
        # R-4.7.3-01, -04
        check(conn.element(0, 11500) == pattern(0, 11500), "wrong bytes")
        conn.cons = 11500
        conn.tell()
        group.quiet(0.1)


def _three_b(bench, module):
    with bench.connected(module) as (conn, group):
        conn.data(pattern(0, 5000))
        conn.gets(pattern(0, 5000))
        # R-4.7.3-03
        group.quiet(0.1)        # 11,384 are free: above half
        conn.data(pattern(5000, 6500))
        conn.gets(pattern(5000, 6500))
        # R-4.7.3-06
        conn.expect(prod=0, cons=11500)


# -- 4.7.4 ---------------------------------------------------------------

def _four_a(bench, module):
    with bench.connected(module) as (conn, group):
        _to_start(conn, True)
        at, total = START, 2 * ELEMENT + 8
        data = pattern(at, total)
        check(bench.app.write(conn.number, data.hex()) == total, "send()")
        for wrap in (2, 3):
            # R-4.7.4-03, -07, R-A.4-12
            got = conn.expect(prod=at + ELEMENT, flags=msg.B)
            # R-4.3-03, R-4.7.4-03, -07, R-A.4-10
            check(got.prod == (wrap, 1000), f"{got}")
            # R-4.7.4-01, -02, -06
            check(conn.element(at, ELEMENT) == data[:ELEMENT], "wrong bytes")
            group.quiet(0.1)
            data = data[ELEMENT:]
            at += ELEMENT
            conn.cons = at
            conn.tell()
        got = conn.expect(prod=at + 8)
        # R-4.7.4-09
        check(got.prod == (3, 1008), f"{got}")
        # R-4.7.4-09
        check(conn.element(at, 8) == data, "wrong bytes")


def _four_b(bench, module):
    with bench.connected(module) as (conn, _):
        _to_start(conn, False)
        for wrap in (2, 3):
            data = pattern(conn.prod, ELEMENT)
            conn.data(data, msg.B)
            # R-4.7.4-04
            conn.gets(data)
            # R-4.7.4-05, -08
            got = conn.expect(prod=0, cons=conn.prod)
            # R-4.7.4-05, -08, R-A.4-11
            check(got.cons == (wrap, 1000), f"{got}")
        conn.data(pattern(conn.prod, 8))
        conn.gets(pattern(conn.prod - 8, 8))


# -- 4.7.5 and 4.7.6: urgent data ----------------------------------------

def _five_a(bench, module):
    """The module sends 500 bytes whose last byte is urgent, then
    more bytes."""
    with bench.connected(module) as (conn, group):
        _to_start(conn, True)
        at = START
        check(bench.app.write(conn.number, pattern(at, 500).hex(),
                              MSG_OOB) == 500, "send(MSG_OOB)")
        # R-4.3-05, R-4.7.5-02, R-A.4-09, -15
        conn.expect(prod=at + 500, flags=msg.P | msg.U)
        # R-4.7.5-01
        check(conn.element(at, 500) == pattern(at, 500), "wrong bytes")
        conn.sends(pattern(at + 500, 1000))
        # R-4.7.5-05
        group.quiet()           # it stops until the urgent byte is read
        conn.cons = at + 500
        conn.tell()
        # R-4.7.5-07, R-L-22
        conn.expect(prod=at + 1500)
        # R-4.7.5-06
        check(conn.element(at + 500, 1000) == pattern(at + 500, 1000),
              "wrong bytes")


def _five_b(bench, module):
    with bench.connected(module) as (conn, group):
        _to_start(conn, False)
        at = START
        conn.data(pattern(at, 500), msg.P | msg.U)
        # R-1.1-09, R-4.7.5-03
        check(bench.app.urgent(conn.number), "no POLLPRI")
        got = bench.app.read(conn.number, 1, 1, MSG_OOB)
        # R-4.7.5-03
        check(got == pattern(at + 499, 1).hex(), f"recv(MSG_OOB): {got}")
        conn.gets(pattern(at, 499))
        # R-4.7.5-04
        conn.expect(prod=0, cons=at + 500)
        conn.data(pattern(at + 500, 1000))
        conn.gets(pattern(at + 500, 1000))
        group.quiet(0.1)


def _six_a(bench, module):
    """The window is closed: the module sends P before the data."""
    with bench.connected(module) as (conn, group):
        _to_start(conn, True)
        at = START
        conn.sends(pattern(at, ELEMENT))
        conn.expect(prod=at + ELEMENT)
        at += ELEMENT
        check(bench.app.write(conn.number, pattern(at, 500).hex(),
                              MSG_OOB) == 500, "send(MSG_OOB)")
        # R-4.7.6-01, R-A.4-15
        conn.expect(prod=at, flags=msg.B | msg.P)
        conn.cons = at
        conn.tell()
        # R-4.7.6-05, R-A.4-15
        conn.expect(prod=at + 500, flags=msg.P | msg.U)
        conn.sends(pattern(at + 500, 1000))
        group.quiet()
        conn.cons = at + 500
        conn.tell()
        # R-4.7.6-08
        conn.expect(prod=at + 1500)
        # R-4.7.6-04, -07
        check(conn.element(at, 1500) == pattern(at, 1500), "wrong bytes")


def _six_b(bench, module):
    with bench.connected(module) as (conn, _):
        _to_start(conn, False)
        at = START
        conn.data(pattern(at, ELEMENT), msg.B)
        at += ELEMENT
        bench.app.watch(conn.number)
        conn.tell(msg.B | msg.P)
        # R-4.7.6-02
        check(wait_until(bench.app.signalled), "no SIGURG for P alone")
        conn.gets(pattern(at - ELEMENT, ELEMENT))
        # R-4.7.6-03
        conn.expect(prod=0, cons=at)
        conn.data(pattern(at, 500), msg.P | msg.U)
        check(bench.app.urgent(conn.number), "no POLLPRI")
        got = bench.app.read(conn.number, 1, 1, MSG_OOB)
        check(got == pattern(at + 499, 1).hex(), f"recv(MSG_OOB): {got}")
        conn.gets(pattern(at, 499))
        # R-4.7.6-06
        conn.expect(prod=0, cons=at + 500)
        conn.data(pattern(at + 500, 1000))
        conn.gets(pattern(at + 500, 1000))


def cases():
    yield from both("ladder 1, as A", "R-4.7.1-01, R-4.7.1-02, R-4.7.1-03",
                    _one_a)
    yield from both("ladder 1, as B", "R-4.7.1-01, R-4.7.1-04", _one_b)
    yield from both("ladder 2, as A", "R-4.7.2-01, R-4.7.2-04", _two_a)
    yield from both("ladder 2, as B", "R-4.7.2-02, R-4.7.2-03, R-4.7.2-04",
                    _two_b)
    yield from both("ladder 3, as A", "R-4.7.3-01, R-4.7.3-02, R-4.7.3-04, "
                    "R-4.7.3-05", _three_a)
    yield from both("ladder 3, as B", "R-4.7.3-03, R-4.7.3-06", _three_b)
    yield from both("ladder 4, as A", "R-4.7.4-01, R-4.7.4-02, R-4.7.4-03, "
                    "R-4.7.4-06, R-4.7.4-07, R-4.7.4-09", _four_a)
    yield from both("ladder 4, as B", "R-4.7.4-04, R-4.7.4-05, R-4.7.4-08",
                    _four_b)
    yield from both("ladder 5, as A", "R-4.7.5-01, R-4.7.5-02, R-4.7.5-05, "
                    "R-4.7.5-06, R-4.7.5-07, R-A.4-09", _five_a)
    yield from both("ladder 5, as B", "R-4.7.5-03, R-4.7.5-04", _five_b)
    yield from both("ladder 6, as A", "R-4.7.6-01, R-4.7.6-04, R-4.7.6-05, "
                    "R-4.7.6-07, R-4.7.6-08", _six_a)
    yield from both("ladder 6, as B", "R-4.7.6-02, R-4.7.6-03, R-4.7.6-06",
                    _six_b)
