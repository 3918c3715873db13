# SPDX-License-Identifier: GPL-2.0
"""Tests subsequent contact, several groups at a time, and the isolation of
their memory (RFC 7609 3.5.2, 3.5.3, 2.1, 4.4)."""

import time

from smctest import check, sockets, wire
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.peer import CLIENT, ELEMENT, SERVER, echo, pattern
from smctest.world import wait_until

JUNK = b"\xa5" * 4096


def _reuse(bench, module):
    """Checks that subsequent contact has three CLC messages without F, and LLC
    messages only for a new RMB. connect() runs the exchange."""
    with bench.connected(module) as (conn, group):
        others = [group.connect() for _ in range(4)]
        if module == CLIENT:
            # R-3.5.2-01, R-3.5.2.1-01
            check(all(one.proposal.data == conn.proposal.data
                      for one in others), "Proposals differ")
            # R-3.5.2.2-06
            check(all(one.confirm_message.data == wire.confirm(one.theirs) and
                      (one.theirs.gid, one.theirs.mac, one.theirs.qpn) ==
                      (conn.theirs.gid, conn.theirs.mac, conn.theirs.qpn)
                      for one in others), "Confirms are not complete")
        kinds = {message.kind for message in group.served}
        # R-2-04, R-3.5.2.2-07
        check(kinds <= {msg.CONFIRM_RKEY}, f"LLC messages of kind {kinds}")
        # R-1.1-06, R-3.5.2-01, R-3.5.2.1-02
        check(all(one.theirs.qpn == conn.theirs.qpn for one in others),
              "another queue pair")
        places = {(one.theirs.rkey, one.theirs.index)
                  for one in [conn, *others]}
        # R-2.1-09, R-4.1-01
        check(len(places) == 5, f"an element twice: {places}")
        # R-1.2-01, -02
        check(len({one.theirs.token for one in [conn, *others]}) == 5,
              "an alert token twice")
        for one in [conn, *others]:
            # R-2.1-10, R-3.5.2.1-03, R-3.5.2.3-04
            echo(one)


def _rmb_before_accept(bench):
    """Checks that the module sends its Accept only after we have confirmed the
    new RMB."""
    with bench.connected(SERVER) as (first, group):
        group.serves.discard(msg.CONFIRM_RKEY)
        conn = group.contact()
        conn.propose()
        asked = group.expect(msg.CONFIRM_RKEY)
        # R-3.5.2-02, R-3.5.5.2.1-01
        _announcement(group, asked)
        time.sleep(0.3)
        # R-2.1-14, R-3.5.2.1-05, R-3.5.5.2.1-02, -04
        sockets.expect_open(conn.tcp)
        # R-2-05, R-A.4-03
        echo(first)             # data does not wait for LLC
        group.answer(asked)
        conn.accepted()
        # R-1.2-04, R-2.1-14
        check(conn.theirs.rkey == asked.number(5, 4) and
              conn.theirs.addr == asked.number(9, 8), "of another RMB")
        conn.confirm()
        conn.take()
        echo(conn)


def _rmb_before_confirm(bench):
    with bench.connected(CLIENT) as (_, group):
        group.serves.discard(msg.CONFIRM_RKEY)
        conn = group.contact()
        conn.propose()
        conn.accept()
        asked = group.expect(msg.CONFIRM_RKEY)
        _announcement(group, asked)
        time.sleep(0.3)
        # R-3.5.2.2-05, R-3.5.5.2.1-02, -04
        sockets.expect_open(conn.tcp)
        conn.running()
        group.answer(asked)
        conn.confirmed()
        # R-2.1-14, R-3.5.2.2-05
        check(conn.theirs.rkey == asked.number(5, 4) and
              conn.theirs.addr == asked.number(9, 8), "of another RMB")
        conn.take()
        echo(conn)


def _announcement(group, asked):
    """Checks all bytes of a CONFIRM RKEY for a group with one link."""
    wanted = msg.confirm_rkey(asked.number(5, 4), asked.number(9, 8))
    # R-1.2-04, R-A.3.5-01, -02
    check(asked.data == wanted, f"{asked}")
    check(asked.number(5, 4) != group.theirs.rkey, "an RKey twice")


def _roles(bench):
    """Checks that the same two hosts with exchanged roles create two separate
    groups."""
    with bench.connected(SERVER) as (conn, _):
        back, other = bench.connect(CLIENT, peer_id=conn.me.peer_id)
        # R-2.2-02, -03, R-2.2.3-02, R-3.5.3-03
        check(back.theirs.qpn != conn.theirs.qpn and
              back.theirs.rkey != conn.theirs.rkey, "something is shared")
        echo(conn)
        echo(back)
        other.end()
        echo(conn)


def _restarted(bench):
    """The peer has the same adapter but a new peer ID: the module creates a
    new group, and does not use the old group."""
    with bench.connected(SERVER) as (conn, _):
        with bench.connected(SERVER) as (young, group):
            # R-2.2.4-07, R-3.5.1-01, R-3.5.1.2-05
            check(young.theirs.qpn != conn.theirs.qpn, "the stale link")
            check(young.me.mac == conn.me.mac and
                  young.me.gid == conn.me.gid and group.number,
                  "this is another host")


def _parallel(bench):
    """We send F although a group exists: the hosts create a second complete
    group, and the first group stays."""
    with bench.connected(CLIENT) as (conn, group):
        # R-3.5.3-04
        second, other = bench.connect(CLIENT, peer_id=group.me.peer_id)
        # R-2.2.3-01, -03, R-3.5.1.3-02, R-3.5.2.2-02, R-3.5.3-02, -03
        check(second.theirs.qpn != conn.theirs.qpn and
              second.theirs.rkey != conn.theirs.rkey, "something is shared")
        # R-3.5.3-05
        echo(second)
        echo(conn)
        third = group.connect()
        # R-2.2.3-03
        check(third.theirs.qpn == conn.theirs.qpn, "the other group")
        echo(third)
        other.end()
        echo(conn)


def _early_data(bench):
    """Data and CDC arrive before the Confirm: the module keeps the data, then
    delivers it once."""
    with bench.connected(SERVER) as (_, group):
        conn = group.contact()
        conn.propose()
        conn.accepted()
        conn.data(pattern(0, 700))
        conn.data(pattern(700, 300))
        # R-3.5.2.4-04
        check(bench.app.take(group.listener, 0.3) is None, "accepted early")
        conn.confirm()
        conn.take()
        # R-3.5.2.4-03, -04
        conn.gets(pattern(0, 1000))
        # R-3.5.2.4-04
        conn.nothing_to_read()
        echo(conn)


def _early_end(bench):
    """The peer sends data and ends its direction before its Confirm arrives."""
    with bench.connected(SERVER) as (_, group):
        conn = group.contact()
        conn.propose()
        conn.accepted()
        conn.data(pattern(0, 700), ends=msg.D)
        conn.confirm()
        conn.take()
        # R-3.5.2.4-04, R-4.8.1-04
        conn.gets(pattern(0, 700))
        check(bench.app.read(conn.number, 10) == "", "no end of file")


def _speaks_first(bench):
    """Checks that the server may send data after it has processed our Confirm.
    The client's data may follow its Confirm directly."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        conn.sends(b"220 hello")
        # R-3.5.2.4-05
        conn.expect(prod=9, cons=0)
    with bench.connected(CLIENT) as (_, group):
        conn = group.contact()
        conn.rendezvous()
        conn.data(b"220 hello")     # as soon as its Confirm has arrived
        # R-3.5.2.4-06
        conn.take()
        # R-3.5.2.4-06
        conn.gets(b"220 hello")


def _confirm_first(bench):
    """The client's Confirm is on TCP before any message of the connection is
    on the link."""
    with bench.connected(CLIENT) as (_, group):
        conn = group.contact()
        conn.propose()
        conn.accept()
        # R-3.5.2.4-01
        conn.confirmed()            # fails if a message has arrived on the link
        conn.take()


def _token_alone(bench):
    """Checks that a new RMB of the server does not cause a first contact."""
    with bench.connected(CLIENT) as (_, group):
        conn = group.contact()
        rkey, addr = conn.me.rkey ^ 0x1000, conn.me.addr
        group.send(msg.confirm_rkey(rkey, addr))
        group.expect_bytes(msg.confirm_rkey(rkey, addr, flags=msg.REPLY))
        conn.propose()
        conn.accept(rkey=rkey)
        conn.confirmed()
        # R-3.5.2.2-03
        conn.take()
        group.alive()


def _other_queue_pair(bench):
    """Checks that the key of one peer is invalid on the queue pair of
    another."""
    with bench.connected(SERVER) as (conn, _):
        with bench.connected(SERVER) as (_, thief):
            status = thief.end_point.try_write(
                JUNK, conn.theirs.rkey, conn.their_element)
            # R-2.1-05, -06
            check(not verbs.accessible(status), "the write was taken")
        conn.tell()
        echo(conn)
        conn.nothing_to_read()


def _no_remote_read(bench):
    """Checks that only writes are allowed, and only within the RMB."""
    with bench.connected(SERVER) as (conn, group):
        status = group.end_point.try_write(
            b"x", conn.theirs.rkey, conn.theirs.addr + ELEMENT)
        # R-2.1-06
        check(not verbs.accessible(status), "a write behind the RMB")


def _junk_in_element(bench):
    """Checks that bytes in the element are ignored without a CDC message."""
    with bench.connected(SERVER) as (conn, group):
        group.end_point.write(b"\xff" * ELEMENT, conn.theirs.rkey,
                              conn.their_element)
        # R-2.1-16, -18
        conn.nothing_to_read()
        # R-2.1-18
        echo(conn)


def _wiped(bench):
    """Checks that a false cursor exposes only zeros, never data of another
    connection."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        place = conn.theirs.rkey, conn.theirs.index
        conn.data(JUNK)
        conn.gets(JUNK)
        conn.tell(ends=msg.C)
        check(bench.app.read(conn.number, 10) == "", "no end of file")
        bench.app.close(conn.number)
        conn.number = None
        conn.cons = 0
        conn.expect(prod=0, ends=msg.C)
        conn.expect_gone()
        for _ in range(8):
            again = group.connect()
            if (again.theirs.rkey, again.theirs.index) == place:
                break
        else:
            # R-4.8.1-16
            check(False, "the element was not used again")
        again.prod = len(JUNK)
        again.tell()
        # R-4.4.1-01, -03
        again.gets(bytes(len(JUNK)))


def _quarantined(bench):
    """Checks that an element is not reused before the peer has closed."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        place = conn.theirs.rkey, conn.theirs.index
        bench.app.abort(conn.number)
        conn.number = None
        got = group.receive()
        check(got.ends & msg.A, f"{got} is no abort")
        for _ in range(6):
            again = group.connect()
            # R-4.4.2-01, R-4.8.1-03
            check((again.theirs.rkey, again.theirs.index) != place,
                  "the element is in use again")


def _released(bench):
    """Checks that after the peer has answered the abort, the element is free
    again."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        place = conn.theirs.rkey, conn.theirs.index
        bench.app.abort(conn.number)
        conn.number = None
        got = group.receive()
        check(got.ends & msg.A, f"{got} is no abort")
        conn.tell(ends=msg.A)
        conn.expect_gone()
        places = [(again.theirs.rkey, again.theirs.index)
                  for again in (group.connect() for _ in range(6))]
        # R-4.8.2-05
        check(place in places, "the element is lost")


def _late_word(bench):
    """The peer answers an abort after the end of the quarantine. Another
    connection keeps the RMB in use."""
    with bench.connected(SERVER) as (_, group):
        *_, neighbour, conn = [group.connect() for _ in range(3)]
        check(neighbour.theirs.rkey == conn.theirs.rkey,
              "the two elements are of different RMBs")
        place = conn.theirs.rkey, conn.theirs.index
        before = bench.app.stats()
        bench.app.abort(conn.number)
        conn.number = None
        got = group.receive()
        check(got.ends & msg.A, f"{got} is no abort")

        def moved(name):
            return bench.app.stats()[name] - before[name]

        # counters also change for slow cases that run in the background
        conn.expect_gone(20)
        check(wait_until(lambda: moved("ElementsQuarantined")),
              "it is not quarantined")
        conn.tell(ends=msg.A)
        check(wait_until(lambda: moved("ElementsReclaimed")),
              "the word is not heard")
        places = [(again.theirs.rkey, again.theirs.index)
                  for again in (group.connect() for _ in range(6))]
        # R-4.4.2-01
        check(place in places, "the element is lost")


def _late_token(bench):
    """Checks that a CDC message for a connection that has ended is dropped."""
    with bench.connected(SERVER) as (first, group):
        conn = group.connect()
        conn.tell(ends=msg.A)
        got = group.receive()
        check(got.ends & msg.A, f"{got} is no abort")
        conn.expect_gone()
        before = bench.app.stats()["CdcUnknownToken"]
        conn.data(b"late")
        # R-1.2-02, R-A.4-07
        check(wait_until(lambda: bench.app.stats()["CdcUnknownToken"] >
                         before), "it was not counted")
        # R-1.2-02
        echo(first)


def _element_twice(bench, module):
    """We offer an element a second time. The old connection of the element
    must end, with its unread data, and the new connection works normally."""
    with bench.connected(module) as (_, group):
        old, new = group.connect(), group.contact()
        old.data(b"unread")
        new.me = new.me.but(index=old.me.index)
        if module is SERVER:
            new.rendezvous()
            # R-3.5.2.3-01, R-4.4.2-03
            old.expect(ends=msg.A)
        else:       # this message may arrive before the Confirm
            new.propose()
            new.accept()
            # R-3.5.2.2-04, R-4.4.2-03
            old.expect(ends=msg.A)
            new.confirmed()
        new.take()
        # R-4.4.2-04
        old.expect_reset()
        old.tell(ends=msg.A)
        # R-4.4.2-04
        old.expect_tcp("RST")
        # R-4.4.2-05
        echo(new)


def _size_classes(bench):
    """Checks that the element is the smallest that holds the receive buffer."""
    with bench.sysctl("net.core.rmem_max", ELEMENT << 6):
        for code in range(6):
            for size, wanted in ((ELEMENT << code, code),
                                 ((ELEMENT << code) + 1, min(code + 1, 5))):
                bench.listen(size)
                conn, group = bench.contact(SERVER)
                conn.propose()
                conn.accepted()
                # R-4.1-02, -03, R-A.2.3-06
                check(conn.theirs.bsize == wanted,
                      f"code {conn.theirs.bsize} for {size} bytes")
                conn.tcp.sendall(wire.decline())
                conn.take()
                group.end()
    bench.listen()


def _sizes_mixed(bench):
    """Uses elements of two sizes in one group, each in an RMB for this size."""
    with bench.connected(SERVER) as (small, group):
        bench.listen(4 * ELEMENT)
        group.port, group.listener = bench.port, bench.listener
        large = group.connect()
        bench.listen()
        # R-2.1-08, -20
        check((small.theirs.bsize, large.theirs.bsize) == (0, 2) and
              small.theirs.rkey != large.theirs.rkey, "sizes in one RMB")
        echo(small)
        large.data(pattern(0, 4 * ELEMENT))     # all bytes at once
        # R-2.1-12
        large.gets(pattern(0, 4 * ELEMENT))


def _decline_ends_nothing(bench):
    """Checks that an attempt that falls back to TCP leaves no resources
    behind."""
    before = bench.app.stats()
    for _ in range(5):
        conn, group = bench.contact(SERVER)
        conn.propose()
        conn.accepted()
        conn.tcp.sendall(wire.decline())
        conn.take()
        group.end()

    def left():
        after = bench.app.stats()
        return {name: after[name] - before[name]
                for name in ("RmbsAllocated", "RmbsFreed", "GroupsCreated",
                             "GroupsEnded")}

    # other groups may end at the same time
    # R-3.5.1.6.4-03
    check(wait_until(lambda: min(left().values()) == 5), f"{left()}")


def cases():
    yield from both("subsequent contact", "R-2-04, R-3.5.2.1-01, R-3.5.2-01, R-3.5.2.1-02, "
                    "R-3.5.2.1-03, R-3.5.2.2-06, R-3.5.2.2-07, R-3.5.2.3-04, "
                    "R-1.1-06, R-2.1-09, R-2.1-13, R-4.1-01, R-1.2-01", _reuse)
    yield Case("new RMB before the Accept", "R-3.5.2.1-05, R-3.5.5.2.1-01, "
               "R-3.5.5.2.1-02, R-3.5.5.2.1-04, R-2.1-14, R-A.3.5-01, "
               "R-A.3.5-02, R-A.4-03", _rmb_before_accept)
    yield Case("new RMB before the Confirm", "R-3.5.2.2-05, R-3.5.5.2.1-02, "
               "R-3.5.5.2.1-04", _rmb_before_confirm)
    yield Case("roles swapped", "R-2.2-02, R-2.2-03, R-2.2.3-02, R-3.5.3-03, "
               "R-2.1-05", _roles)
    yield Case("peer restarted", "R-3.5.1.2-05, R-2.2.4-07, R-3.5.1-01",
               _restarted)
    yield Case("parallel group", "R-3.5.1.3-02, R-3.5.2.2-02, R-3.5.3-02, "
               "R-3.5.3-03, R-3.5.3-04, R-2.2.3-03", _parallel)
    yield Case("data before the Confirm", "R-3.5.2.4-03, R-3.5.2.4-04",
               _early_data)
    yield Case("data and D before the Confirm", "R-3.5.2.4-04, R-4.8.1-04",
               _early_end)
    yield Case("who speaks first", "R-3.5.2.4-05, R-3.5.2.4-06",
               _speaks_first)
    yield Case("Confirm before all else", "R-3.5.2.4-01", _confirm_first)
    yield Case("new RToken in an Accept", "R-3.5.2.2-03", _token_alone)
    yield Case("key on another queue pair", "R-2.1-05, R-2.1-06",
               _other_queue_pair)
    yield Case("write behind the RMB", "R-2.1-06", _no_remote_read)
    yield Case("junk in the element", "R-2.1-18", _junk_in_element)
    yield Case("element used again is zero", "R-4.4.1-01, R-4.4.1-03, R-4.4.2-01", _wiped)
    yield Case("element without the peer's word", "R-4.4.2-01, R-4.8.1-03",
               _quarantined)
    yield Case("element after the peer's late word", "R-4.4.2-01", _late_word)
    yield Case("element after the peer's A", "R-4.4.2-01, R-4.8.2-05",
               _released)
    yield Case("token of the dead", "R-1.2-02, R-A.4-07", _late_token)
    yield from both("element offered twice", "R-3.5.2.2-04, R-3.5.2.3-01, "
                    "R-4.4.2-03, R-4.4.2-04, R-4.4.2-05", _element_twice)
    yield Case("sizes of receive buffers", "R-4.1-02, R-4.1-03, R-A.2.3-06",
               _size_classes)
    yield Case("sizes in one group", "R-2.1-08, R-2.1-20", _sizes_mixed)
    yield Case("fallback leaves nothing", "R-3.5.1.6.4-03, R-3.5.1.6.4-04",
               _decline_ends_nothing)
