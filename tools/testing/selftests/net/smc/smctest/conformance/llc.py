# SPDX-License-Identifier: GPL-2.0
"""Tests LLC messages in an established group: the module answers some, ignores
some, and ends the link for others (RFC 7609 3.3, 3.5.4, 3.5.5, A.3, C.7.1)."""

import errno

from smctest import check, wire
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.peer import CLIENT, SERVER, echo
from smctest.world import wait_until

BAD_LINK = {"LlcViolations": 1}
STOCK_WAITS = 2     # seconds for an answer to ADD LINK


def _test_link(bench, module):
    with bench.connected(module) as (conn, group):
        for data in (bytes(16), bytes(range(16)), b"\xff" * 16):
            group.send(msg.test_link(data))
            # R-3.3-02, R-A.3-02, R-A.3.8-01, -02
            group.expect_bytes(msg.test_link(data, msg.REPLY))
        echo(conn)


def _optional(bench, module):
    """Checks that opcodes 10xxxxxx, and those next to CDC, are ignored."""
    with bench.connected(module) as (conn, group):
        before = bench.app.stats()["LlcDiscarded"]
        kinds = (0x80, 0x81, 0xa5, 0xbf, 0xc0, 0xfd, 0xff)
        for kind in kinds:
            group.send(msg.message(kind, 0, b"\xff" * 40))
            group.send(msg.message(kind, msg.REPLY, b"\xff" * 40))
        # R-3.3-06, R-A.3-04, -05, R-C.7.1-30
        group.quiet()
        # R-3.3-06, R-C.7.1-30
        group.alive()
        echo(conn)
        # R-A.3-05
        check(bench.app.stats()["LlcDiscarded"] - before == 2 * len(kinds),
              "not all were counted")


def _ends_link(make):
    """Sends a message that breaks the protocol: the link must end, the module
    must tell the application and the peer, and other groups must work."""
    def run(bench, module):
        with bench.connected(module) as (other, _):
            with bench.connected(module) as (conn, group):
                group.send(make(group))
                # Checks rows of WRONG, WRONG_FOR_SERVER and WRONG_FOR_CLIENT.
                group.violated(conn)
            echo(other)
    return run


def _ignored(make):
    """Sends a message that must have no effect and get no answer."""
    def run(bench, module):
        with bench.connected(module) as (conn, group):
            group.send(make(group))
            group.quiet(0.1)
            group.alive()
            echo(conn)
    return run


def _kind(kind, flags=0):
    return lambda group: msg.message(kind, flags, b"\x01" * 40)


def _length(data):
    return lambda group: data


# Runs the case in both roles of the module.
WRONG = (
    *((f"opcode {kind:#04x}", "R-A.3-03, R-C.7.1-31", _kind(kind))
      for kind in (0x00, 0x05, 0x0a, 0x3f, 0x40, 0x7f)),
    ("opcode 0x0a as a reply", "R-C.7.1-31", _kind(0x0a, msg.REPLY)),
    ("length byte 43", "R-3.3-01, R-C.7.1-32",
     _length(msg.test_link(b"")[:1] + b"\x2b" + msg.test_link(b"")[2:])),
    ("length byte 0", "R-3.3-01, R-C.7.1-32",
     _length(msg.test_link(b"")[:1] + b"\0" + msg.test_link(b"")[2:])),
    ("43 bytes", "R-3.3-01, R-C.7.1-32", _length(msg.test_link(b"")[:43])),
    ("45 bytes", "R-3.3-01, R-C.7.1-32", _length(msg.test_link(b"") + b"\0")),
    ("one byte", "R-3.3-01, R-C.7.1-32", _length(b"\x07")),
    ("CDC of 43 bytes", "R-3.4-01",
     _length(msg.cdc(1, 1, (0, 0), (0, 0))[:43])),
    ("TEST LINK reply nobody asked for", "R-C.7.1-29, R-C.7.1-32",
     lambda group: msg.test_link(b"why?", msg.REPLY)),
    ("CONFIRM RKEY reply nobody asked for", "R-C.7.1-32",
     lambda group: msg.confirm_rkey(1, 2, flags=msg.REPLY)),
    ("DELETE RKEY reply nobody asked for", "R-C.7.1-32",
     lambda group: msg.delete_rkey([1], msg.REPLY)),
    ("DELETE LINK reply nobody asked for", "R-C.7.1-32",
     lambda group: msg.delete_link(group.number, 0, msg.REPLY)),
    ("ADD LINK CONTINUATION without ADD LINK", "R-C.7.1-32, R-C.7.1-24",
     lambda group: msg.add_link_cont(2, 1, [(1, 2, 3)])),
    ("ADD LINK CONTINUATION reply", "R-C.7.1-32",
     lambda group: msg.add_link_cont(2, 0, flags=msg.REPLY)),
    ("CONFIRM RKEY CONTINUATION by itself", "R-C.7.1-32, R-A.3.6-05",
     lambda group: msg.confirm_rkey_cont(1, [(1, 2, 3)])),
    ("CONFIRM RKEY for more links than there may be", "R-A.3.5-04",
     lambda group: msg.confirm_rkey(1, 2, count=8)),
    ("CONFIRM RKEY, count 255", "R-A.3.5-04",
     lambda group: msg.confirm_rkey(1, 2, count=255)),
    ("DELETE RKEY, count 0", "R-A.3.7-01",
     lambda group: msg.delete_rkey([], count=0)),
    ("DELETE RKEY, count 9", "R-A.3.7-01",
     lambda group: msg.delete_rkey([1], count=9)),
    ("DELETE RKEY, count 255", "R-A.3.7-01",
     lambda group: msg.delete_rkey([1], count=255)),
)

WRONG_FOR_SERVER = (
    ("CONFIRM LINK request", "R-3.3-07, R-C.7.1-32",
     lambda group: msg.confirm_link(group.me, group.number, 1)),
    ("CONFIRM LINK reply again", "R-C.7.1-32",
     lambda group: msg.confirm_link(group.me, group.number, 1,
                                    msg.NO_EYE | msg.REPLY)),
)

WRONG_FOR_CLIENT = (
    ("CONFIRM LINK request again", "R-C.7.1-32",
     lambda group: msg.confirm_link(group.me, group.number, 1)),
    ("CONFIRM LINK reply", "R-C.7.1-32",
     lambda group: msg.confirm_link(group.me, group.number, 1,
                                    msg.NO_EYE | msg.REPLY)),
    ("ADD LINK reply", "R-C.7.1-32",
     lambda group: msg.add_link(group.me, 2, msg.REPLY | msg.ADD_REJECT, 1)),
)


# -- DELETE LINK ---------------------------------------------------------

def _unknown_link(bench, module):
    """We ask to delete an unknown link: the reply says so, and no
    link ends."""
    with bench.connected(module) as (conn, group):
        for number in (group.number + 1, 0, 255):
            for orderly in (0, msg.DELETE_ORDERLY):
                group.send(msg.delete_link(number, msg.LOST_PATH, orderly))
                got = group.expect(msg.DELETE_LINK)
                # R-A.3.4-01, -04, R-C.7.1-25, -26
                check(got.flags & ~msg.DELETE_ORDERLY == msg.REPLY and
                      got.data[4] == number and
                      got.number(5, 4) == msg.UNKNOWN_LINK, f"{got}")
        echo(conn)


def _delete_all(module, reason, orderly, number=0):
    """DELETE LINK for the whole group: a client complies without an answer. A
    server answers with its own request, because only a server may send it."""
    def run(bench):
        with bench.connected(module) as (conn, group):
            group.send(msg.delete_link(number, reason,
                                       msg.DELETE_ALL | orderly))
            if module == SERVER:
                got = group.expect(msg.DELETE_LINK)
                # R-3.5.4-05, -07, R-A.3.4-02
                check(got.flags & ~msg.DELETE_ORDERLY == msg.DELETE_ALL and
                      not got.data[4] and got.number(5, 4) in (
                          msg.LOST_PATH, msg.OPERATOR, msg.PROGRAM),
                      f"{got}")
            else:
                group.quiet()
            group.gone = True
            # R-3.5.4-06, -07, R-A.3.4-02, -07
            conn.expect_reset()
            # R-3.5.4-07
            conn.expect_tcp("RST")
    return run


def _delete_last(bench, module):
    """DELETE LINK of the only link ends the group."""
    with bench.connected(module) as (conn, group):
        group.send(msg.delete_link(group.number, msg.LOST_PATH))
        got = group.expect(msg.DELETE_LINK)
        if module == CLIENT:
            # R-3.5.5.1.3-05
            check(got.flags & ~msg.DELETE_ORDERLY == msg.REPLY and
                  got.data[4] == group.number, f"{got} is no reply")
        else:       # no reply may arrive
            # R-2-07, R-3.5.5.1.4-03
            check(not got.flags & msg.REPLY, f"{got} is a reply")
        group.gone = True
        # R-3.5.5.1.4-02, R-4.8.3-03
        conn.expect_reset()


def _operator(bench, module):
    """The operator ends the group. A server sends DELETE LINK. A client asks
    the server for DELETE LINK, and works normally until it arrives."""
    others = set(bench.app.group_ids())     # groups of cases that still wait
    with bench.connected(module) as (conn, group):
        fresh = set(bench.app.group_ids()) - others
        check(len(fresh) == 1, f"{len(fresh)} new groups")
        bench.app.end_group(fresh.pop())
        # R-3.5.4-04, R-3.5.4-05
        group.expect_bytes(msg.delete_link(
            0, msg.OPERATOR, msg.DELETE_ALL | msg.DELETE_ORDERLY))
        if module == CLIENT:
            # about another link; both have crossed the request
            group.send(msg.delete_link(group.number + 1, msg.LOST_PATH))
            group.send(msg.delete_link(group.number + 1, 0, msg.REPLY))
            group.quiet()
            # R-3.5.4-04
            echo(conn)
            group.send(msg.delete_link(0, msg.OPERATOR, msg.DELETE_ALL))
        group.gone = True
        conn.expect_reset()


def _next_is_first(bench):
    """Checks that after the end of a group, its peer begins with a first
    contact."""
    with bench.connected(SERVER) as (conn, group):
        group.send(msg.delete_link(0, msg.PROGRAM, msg.DELETE_ALL))
        group.expect(msg.DELETE_LINK)
        group.gone = True
        conn.expect_reset()
        fresh, _ = bench.connect(SERVER, peer_id=group.me.peer_id)
        # R-3.5.1-01
        check(fresh.theirs.qpn != conn.theirs.qpn, "the old queue pair")
        echo(fresh)


# -- ADD LINK ------------------------------------------------------------

def _notice(bench):
    """A client's notice may start an exchange, which fails because we have one
    adapter. No other message follows."""
    with bench.connected(SERVER) as (conn, group):
        group.send(msg.add_link(wire.Offer(
            group.me.peer_id, group.me.gid, group.me.mac, qpn=0, psn=0), 0,
                                mtu=0))
        data = group.poll(0.3)
        while data is not None:
            got = msg.parse(data)
            check(got.kind == msg.ADD_LINK and not got.flags, f"{got}")
            group.send(group.reject_add(got))
            data = group.poll(0.3)
        group.alive()
        echo(conn)


def _refuses_parallel(bench):
    """A link between the same two adapters is offered once more, later in the
    life of the group."""
    with bench.connected(CLIENT) as (conn, group):
        for number in (2, 3, 200):
            group.send(msg.add_link(group.me, number, mtu=3))
            # R-L-12
            got = group.expect(msg.ADD_LINK, STOCK_WAITS)
            # R-2.2.1-03, R-3.5.1.6.1-01, R-A.3.2-03
            check(got.flags == msg.REPLY | msg.ADD_REJECT and
                  got.byte2 == msg.NO_PATH and got.data[31] == number,
                  f"{got}")
        echo(conn)


def _bad_mtu(bench):
    with bench.connected(CLIENT) as (conn, group):
        for mtu in (0, 6, 15):
            group.send(msg.add_link(group.me, 2, mtu=mtu))
            got = group.expect(msg.ADD_LINK)
            # R-A.3.2-03, R-C.7.1-21
            check(got.flags == msg.REPLY | msg.ADD_REJECT and
                  got.byte2 == msg.BAD_MTU and got.data[31] == 2, f"{got}")
        echo(conn)


def _flood(bench):
    """Requests arrive faster than we take the answers: the module queues a
    limited number of answers, then ends the link. Meanwhile another group
    works normally."""
    with bench.connected(SERVER) as (other, _):
        with bench.connected(SERVER) as (conn, group):
            sent = 0
            while sent < 3000 and verbs.accessible(group.end_point.try_send(
                    msg.test_link(sent.to_bytes(4, "big")))):
                sent += 1
                if not sent % 100:
                    echo(other)
            check(sent < 3000, "it never had enough")
            check(wait_until(lambda: bench.app.read(conn.number, 1, 0.1) ==
                             -errno.ECONNRESET, 10), "no reset")
        echo(other)


def _burst(bench, module):
    """Checks that the module has a posted receive for each of a hundred
    messages."""
    with bench.connected(module) as (conn, group):
        for number in range(100):
            group.send(msg.test_link(number.to_bytes(16, "big")))
        for number in range(100):
            # R-A.3-06
            group.expect_bytes(msg.test_link(number.to_bytes(16, "big"),
                                             msg.REPLY))
        echo(conn)


def _delete_cases():
    yield from both("DELETE LINK of an unknown link",
                    "R-C.7.1-25, R-C.7.1-26, R-A.3.4-01, R-A.3.4-04",
                    _unknown_link)
    yield from both("DELETE LINK of the last link", "R-3.5.5.1.3-05, "
                    "R-3.5.5.1.4-02, R-3.5.5.1.4-03, R-A.3.4-06, R-4.8.3-03",
                    _delete_last)
    ids = {SERVER: "R-3.5.4-07, R-3.5.4-05, R-A.3.4-02, R-A.3.4-03",
           CLIENT: "R-3.5.4-06, R-A.3.4-02"}
    for module in (SERVER, CLIENT):
        for name, reason, orderly, number in (
                ("orderly", msg.OPERATOR, msg.DELETE_ORDERLY, 0),
                ("disorderly", msg.LOST_PATH, 0, 0),
                ("with a link number", msg.PROGRAM, 0, 9)):
            yield Case(f"DELETE LINK of all, {name}, {module}", ids[module],
                       _delete_all(module, reason, orderly, number))
        yield Case(f"DELETE LINK, unknown reason, {module}", "R-A.3.4-07",
                   _delete_all(module, 0x00ff0000, 0))
    yield from both("the operator ends the group", "R-3.5.4-04, R-3.5.4-05",
                    _operator)
    yield Case("after DELETE LINK", "R-3.5.1-01", _next_is_first)


def cases():
    yield from both("TEST LINK", "R-A.3.8-01, R-A.3.8-02, R-3.3-02, "
                    "R-A.3-01, R-A.3-02", _test_link)
    yield from both("opcodes that may be ignored", "R-3.3-06, R-A.3-04, "
                    "R-A.3-05, R-C.7.1-30", _optional)
    for name, ids, make in WRONG:
        yield from both(name, ids, _ends_link(make), expected=BAD_LINK)
    for module, wrong in ((SERVER, WRONG_FOR_SERVER),
                          (CLIENT, WRONG_FOR_CLIENT)):
        for name, ids, make in wrong:
            yield Case(f"{name}, {module}", ids,
                       lambda bench, m=make, r=module: _ends_link(m)(bench, r),
                       expected=BAD_LINK)
    yield from _delete_cases()
    yield Case("ADD LINK notice", "R-3.5.5.1.2-02, R-A.3.2-05, R-A.3.2-06, "
               "R-L-11", _notice)
    yield Case("ADD LINK reply, late", "R-C.7.1-32",
               lambda bench: _ignored(lambda group: msg.add_link(
                   group.me, 2, msg.REPLY | msg.ADD_REJECT, 1))(bench, SERVER))
    yield Case("ADD LINK for a parallel link", "R-2.2.1-03, R-3.5.1.6.1-01, "
               "R-A.3.2-03, R-L-12", _refuses_parallel)
    yield Case("ADD LINK without an MTU", "R-C.7.1-21, R-A.3.2-03", _bad_mtu)
    yield from both("a burst", "R-A.3-06", _burst)
    yield Case("a flood", "R-A.3.8-02", _flood, limit=60,
               expected=BAD_LINK)
