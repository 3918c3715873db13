# SPDX-License-Identifier: GPL-2.0
"""Tests CONFIRM RKEY and DELETE RKEY, ours and the module's (RFC 7609 3.5.5.2,
A.3.5, A.3.7)."""

from smctest import check, sockets, wire
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.links import announce
from smctest.conformance.peer import CLIENT, SERVER, echo

RMBS = 255
REFUSED = msg.REPLY | msg.RKEY_NEGATIVE


def _confirm(bench, module):
    """Checks that the module echoes CONFIRM RKEY, also when it is repeated."""
    with bench.connected(module) as (conn, group):
        for _ in range(2):
            for rkey in (0x1000, 0x2000, 0xffffffff):
                group.send(msg.confirm_rkey(rkey, 0x123456789abc000))
                # R-A.3.5-01, -06, -08
                group.expect_bytes(msg.confirm_rkey(
                    rkey, 0x123456789abc000, flags=msg.REPLY))
        echo(conn)


def _own(bench, module):
    """Checks that CONFIRM RKEY of our first RMB adds no RMB."""
    with bench.connected(module) as (conn, group):
        group.send(msg.confirm_rkey(group.me.rkey, group.me.addr))
        # R-A.3.5-08
        group.expect_bytes(msg.confirm_rkey(group.me.rkey, group.me.addr,
                                            flags=msg.REPLY))
        echo(conn)


def _fill(bench, module):
    """Checks that the module stores 255 RMBs of a peer and refuses the 256th
    until one is deleted."""
    with bench.connected(module) as (conn, group):
        for number in range(1, RMBS):   # the Accept has named the first RMB
            group.send(msg.confirm_rkey(0x10000 + number, 0))
            group.expect_bytes(msg.confirm_rkey(0x10000 + number, 0,
                                                flags=msg.REPLY))
        for _ in range(2):
            group.send(msg.confirm_rkey(0x20000, 0))
            got = group.expect(msg.CONFIRM_RKEY)
            # R-2.1-02, R-A.3.5-09
            check(got.flags & ~msg.RKEY_RETRY == REFUSED, f"{got}")
        group.send(msg.delete_rkey([0x10007]))
        group.expect_bytes(msg.delete_rkey([0x10007], msg.REPLY))
        group.send(msg.confirm_rkey(0x20000, 0))
        # R-2.1-02
        group.expect_bytes(msg.confirm_rkey(0x20000, 0, flags=msg.REPLY))
        echo(conn)


GONE = 40       # numbers of links that the group does not have


def _continued(bench, module):
    """CONFIRM RKEY names more links than the group has. The message has two
    continuations, and the last one is short. Afterwards the module knows the
    keys."""
    others = [(GONE + i, 0x4000 + i, i << 20) for i in range(7)]
    with bench.connected(module) as (conn, group):
        for rkey in (0x1000, 0x1000, 0x2000):
            asked = msg.confirm_rkey(rkey, 0x5000, others[:2], count=7)
            group.send(asked)
            group.expect_bytes(msg.confirm_rkey(
                rkey, 0x5000, others[:2], msg.REPLY, 7))
            for left in (5, 2):
                part = others[-left:][:3]
                group.send(msg.confirm_rkey_cont(left, part))
                # R-A.3.6-01, R-A.3.6-03, R-A.3.6-04
                group.expect_bytes(msg.confirm_rkey_cont(left, part, msg.REPLY))
        group.send(msg.delete_rkey([0x1000, 0x2000, 0x3000]))
        group.expect_bytes(msg.delete_rkey([0x1000, 0x2000, 0x3000], REFUSED,
                                           0x20))
        echo(conn)


def _continued_refused(bench):
    """Checks that if the module has refused an RMB, it also refuses the
    continuation."""
    others = [(GONE + i, 0x4000 + i, 0) for i in range(3)]
    with bench.connected(SERVER) as (conn, group):
        for number in range(1, RMBS):
            group.send(msg.confirm_rkey(0x10000 + number, 0))
            group.expect(msg.CONFIRM_RKEY)
        group.send(msg.confirm_rkey(0x20000, 0, others[:2], count=3))
        got = group.expect(msg.CONFIRM_RKEY)
        check(got.flags & ~msg.RKEY_RETRY == REFUSED, f"{got}")
        group.send(msg.confirm_rkey_cont(1, others[2:]))
        # R-A.3.6-03, R-A.3.6-04
        group.expect_bytes(msg.confirm_rkey_cont(1, others[2:], REFUSED))
        echo(conn)


def _continued_wrong(count, left):
    """A continuation does not continue where the message before it ended."""
    def run(bench):
        with bench.connected(SERVER) as (conn, group):
            group.send(msg.confirm_rkey(0x1000, 0, count=count))
            group.expect(msg.CONFIRM_RKEY)
            group.send(msg.confirm_rkey_cont(left))
            # R-A.3.6-02
            group.violated(conn)
    return run


def _delete(bench, module):
    """Each message names eight keys. The messages have every pattern of known
    and unknown keys."""
    with bench.connected(module) as (conn, group):
        for mask in (0x00, 0x80, 0x50, 0x01, 0xaa, 0xff):
            known = [0x30000 + bit for bit in range(8)
                     if not mask << bit & 0x80]
            announce(group, known)
            keys = [0x30000 + bit for bit in range(8)]
            group.send(msg.delete_rkey(keys))
            # R-A.3.7-03, R-C.7.1-28
            group.expect_bytes(msg.delete_rkey(
                keys, REFUSED if mask else msg.REPLY, mask))
            # The module deletes the known keys, although it reports that a part
            # of the list failed.
            if known:
                group.send(msg.delete_rkey(known))
                # R-3.5.5.2-03, R-A.3.7-05
                group.expect_bytes(msg.delete_rkey(
                    known, REFUSED, 0xff00 >> len(known) & 0xff))
        echo(conn)


def _delete_lengths(bench):
    """One to eight keys."""
    with bench.connected(SERVER) as (conn, group):
        for count in range(1, 9):
            keys = list(range(0x50000, 0x50000 + count))
            group.send(msg.delete_rkey(keys))
            # R-3.5.5.2.2-04, R-A.3.7-01
            group.expect_bytes(msg.delete_rkey(
                keys, REFUSED, 0xff00 >> count & 0xff))
        echo(conn)


def _refused(bench):
    """We refuse the module's RMB: the connection that needed it stays on TCP;
    the next connection asks again."""
    with bench.connected(SERVER) as (conn, group):
        group.serves.discard(msg.CONFIRM_RKEY)
        second = group.contact()
        second.propose()
        asked = group.expect(msg.CONFIRM_RKEY)
        group.send(asked.data[:3] + bytes([REFUSED]) + asked.data[4:])
        answer = sockets.expect(second.tcp, wire.DECLINE)
        # R-A.3.5-07, R-C.1-02
        check(answer.diagnosis == 0x01010000 and not answer.flag,
              f"{answer}")
        second.take()
        second.leave()
        third = group.contact()
        third.propose()
        # R-A.3.5-07
        again = group.expect(msg.CONFIRM_RKEY)
        group.answer(again)
        third.accepted()
        check(third.theirs.rkey == again.number(5, 4), "another RMB")
        third.confirm()
        third.take()
        echo(third)
        echo(conn)


def _wrong_reply(bench):
    """Our reply names another key than the module's request."""
    with bench.connected(SERVER) as (conn, group):
        group.serves.discard(msg.CONFIRM_RKEY)
        second = group.contact()
        second.propose()
        asked = group.expect(msg.CONFIRM_RKEY)
        group.send(msg.confirm_rkey(asked.number(5, 4) ^ 1, 0,
                                    flags=msg.REPLY))
        # R-C.7.1-32
        group.violated(conn)
        sockets.reset(second.tcp)
        second.tcp = None


def _crossing(bench, module):
    """Our request arrives while the module waits for the answer to its own
    request: the module answers at once."""
    with bench.connected(module) as (conn, group):
        group.serves.discard(msg.CONFIRM_RKEY)
        second = group.contact()
        second.propose()
        if module == CLIENT:
            second.accept()
        asked = group.expect(msg.CONFIRM_RKEY)
        group.send(msg.confirm_rkey(0x60000, 0))
        # R-3.5.5.3-04, R-3.5.5.3.3-07
        group.expect_bytes(msg.confirm_rkey(0x60000, 0, flags=msg.REPLY))
        group.send(msg.delete_rkey([0x60000]))
        # R-3.5.5.3-04, R-3.5.5.3.3-07
        group.expect_bytes(msg.delete_rkey([0x60000], msg.REPLY))
        # R-3.5.5.3.3-01
        group.alive()
        group.answer(asked)
        if module == SERVER:
            second.accepted()
            second.confirm()
        else:
            second.confirmed()
        second.take()
        echo(second)
        echo(conn)


def _all_while_asked(bench):
    """DELETE LINK for the whole group arrives during the module's CONFIRM
    RKEY: the module obeys at once."""
    with bench.connected(CLIENT) as (conn, group):
        group.serves.discard(msg.CONFIRM_RKEY)
        second = group.contact()
        second.propose()
        second.accept()
        group.expect(msg.CONFIRM_RKEY)
        group.send(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL))
        group.gone = True
        # R-3.5.5.3-01, R-3.5.5.3.3-06
        conn.expect_reset()
        group.quiet()


def _under_traffic(bench, module):
    """RMBs are added and deleted while data moves."""
    with bench.connected(module) as (conn, group):
        for number in range(20):
            group.send(msg.confirm_rkey(0x70000 + number, 0))
            conn.data(b"x" * 500)
            group.expect_bytes(msg.confirm_rkey(0x70000 + number, 0,
                                                flags=msg.REPLY))
            # R-2-05
            conn.gets(b"x" * 500)
            group.send(msg.delete_rkey([0x70000 + number]))
            got = group.receive()
            if isinstance(got, msg.Cdc):    # an update of the window
                conn.their_seq += 1
                got = group.receive()
            # R-2-05
            check(got.data == msg.delete_rkey([0x70000 + number], msg.REPLY),
                  f"{got}")


def cases():
    yield from both("CONFIRM RKEY", "R-A.3.5-01, R-A.3.5-02, R-A.3.5-06, "
                    "R-A.3.5-08, R-1.2-04", _confirm)
    yield from both("CONFIRM RKEY of the first RMB", "R-A.3.5-08", _own)
    yield from both("255 RMBs", "R-A.3.5-09, R-2.1-02", _fill)
    yield from both("DELETE RKEY", "R-A.3.7-01, R-A.3.7-03, "
                    "R-A.3.7-05, R-C.7.1-28, R-3.5.5.2.2-05", _delete)
    yield Case("DELETE RKEY of 1 to 8", "R-A.3.7-01, R-A.3.7-03, "
               "R-3.5.5.2.2-04", _delete_lengths)
    yield from both("CONFIRM RKEY CONTINUATION", "R-A.3.6-01, R-A.3.6-03, "
                    "R-A.3.6-04", _continued)
    yield Case("CONFIRM RKEY CONTINUATION of a refused one", "R-A.3.6-03, "
               "R-A.3.6-04", _continued_refused)
    for count, left in ((4, 1), (4, 5), (2, 1), (7, 2)):
        yield Case(f"CONFIRM RKEY of {count}, CONTINUATION of {left}",
                   "R-A.3.6-02, R-C.7.1-32", _continued_wrong(count, left),
                   expected={"LlcViolations": 1})
    yield Case("CONFIRM RKEY refused", "R-A.3.5-07, R-C.1-02", _refused)
    yield Case("CONFIRM RKEY answered for another key", "R-C.7.1-32",
               _wrong_reply, expected={"LlcViolations": 1})
    yield from both("RKEY messages crossing", "R-3.5.5.3-04, "
                    "R-3.5.5.3.3-01, R-3.5.5.3.3-07, R-3.5.5.3.3-08",
                    _crossing)
    yield Case("DELETE LINK A during CONFIRM RKEY", "R-3.5.5.3.3-06, "
               "R-3.5.5.3-01", _all_while_asked)
    yield from both("RKEY messages under traffic", "R-2-05, R-3.5.5.2-03",
                    _under_traffic)
