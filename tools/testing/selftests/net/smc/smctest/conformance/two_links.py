# SPDX-License-Identifier: GPL-2.0
"""Tests two links: link numbers, keys on both links, data over each link,
failure of a link (RFC 7609 2.2.4, 2.3, 3.5.5.2, 4.5.3, 4.6)."""

from smctest import check
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.links import (Second, begun, deleted, deletes,
                                       is_validation, linked, notice, over,
                                       replied, two_links)
from smctest.conformance.peer import (CLIENT, ELEMENT, QUIET, SERVER, echo,
                                      pattern)
from smctest.world import wait_until


def _numbers(bench):
    """The server adds some links, one after the other, and we report each as
    failed. Each new link has the next number."""
    with linked(bench) as (conn, group, second):
        nic, link = second.nic, second
        # One number was offered in first contact.
        for number in range(group.number + 2, group.number + 8):
            group.send(msg.delete_link(link.number, msg.OPERATOR,
                                       msg.DELETE_ORDERLY))
            deleted(group, link.number)
            if link is not second:
                group.more.remove(link.end_point)
                link.end_point.close()
            link = Second(group, group.expect(msg.ADD_LINK), nic)
            link.end_point.receives = 8     # few, so they are posted soon
            # R-2.2.4-02, -03
            check(link.number == number, f"number {link.number}")
            link.join()
        group.more.remove(link.end_point)
        link.end_point.close()
        echo(conn)


def _at_limit(bench):
    """We accept at most one link, so the server does not add another one."""
    conn, group = bench.contact(SERVER)
    conn.rendezvous()
    group.confirmed()
    group.send(group.confirm_link(links=1))
    group.send(group.reject_add(group.expect(msg.ADD_LINK)))
    conn.take()
    for _ in range(3):
        notice(group)
    # R-2.2.2-07, R-3.5.5.1.2-04, R-A.3.1-05
    group.quiet()
    group.alive()
    echo(conn)


def _either_way(bench, module):
    """The module sends data over the link of the connection, and we send data
    over the other link."""
    with two_links(bench, module) as (conn, group, second):
        other = second.carried()
        other.sends(pattern(0, 50))
        got = msg.parse(second.end_point.receive())
        # R-2.3-02
        check(isinstance(got, msg.Cdc) and got.token == other.me.token and
              got.prod == (0, 50), f"{got}")
        second.back(other)
        other.data(pattern(9, 300))
        # R-2.3-02
        other.gets(pattern(9, 300))

        conn.sends(pattern(0, 60))
        conn.expect(prod=60, cons=0)
        conn.theirs = conn.theirs.but(rkey=second.theirs.rkey,
                                      addr=second.theirs.addr)
        with over(second):
            conn.data(pattern(7, 200))
        # R-2.3-01
        conn.gets(pattern(7, 200))
        group.alive()


def _keys(bench, module):
    """Checks that a new RMB of the module has a key on each link, and both open
    it."""
    with two_links(bench, module) as (_, group, second):
        group.serves.discard(msg.CONFIRM_RKEY)
        other = group.contact()
        other.propose()
        if module == CLIENT:
            other.accept()
        asked = group.expect(msg.CONFIRM_RKEY)
        keys = [(asked.number(5, 4), asked.number(9, 8)),
                (asked.number(18, 4), asked.number(22, 8))]
        # R-3.5.5.2-02, R-3.5.5.2.1-01, R-A.3.5-02
        check(asked.data == msg.confirm_rkey(*keys[0],
                                             [(second.number, *keys[1])]),
              f"{asked}")
        # R-1.2-04
        group.end_point.write(b"one", *keys[0])
        # R-2.1-14, R-3.5.5.2-01
        second.end_point.write(b"two", *keys[1])
        group.answer(asked)
        if module == SERVER:
            other.accepted()
            # The CLC message names a link, and contains the key of the RMB on
            # that link.
            check((other.theirs.rkey, other.theirs.addr) ==
                  keys[other.theirs.qpn == second.theirs.qpn],
                  f"{other.theirs}")
        else:
            other.confirmed()
        other.leave()


def _key_of_the_other(bench, module):
    """Checks that the key of the first link opens nothing on the second one."""
    with two_links(bench, module) as (_, group, second):
        status = second.end_point.try_write(b"x", group.theirs.rkey,
                                            group.theirs.addr)
        # R-2.1-06
        check(not verbs.accessible(status), "the write was taken")


def told(link, rkey, addr, others):
    """Sends CONFIRM RKEY over the link, and checks the reply."""
    link.send(msg.confirm_rkey(rkey, addr, others))
    # R-3.3-05
    got = link.expect(msg.CONFIRM_RKEY)
    check(got.data == msg.confirm_rkey(rkey, addr, others, msg.REPLY), f"{got}")


def _our_keys(bench, module):
    """We announce an RMB over the second link, with keys for both. The module
    writes over the second link, and over the first link after the second has
    failed."""
    with two_links(bench, module) as (conn, group, second):
        mine = [point.region(ELEMENT)
                for point in (group.end_point, second.end_point)]
        keys = [(one.rkey, one.buf) for one in mine]
        others = [(group.number, *keys[0])]
        told(second, *keys[1], others)
        other = second.carried(rkey=keys[1][0], addr=keys[1][1], index=1)
        other.sends(pattern(0, 50))
        check(second.end_point.receive() is not None, "no message")
        # R-3.5.5.2-01
        check(mine[1].read(50, 0) == pattern(0, 50), "not over the second")
        moves(group, second, other, mine[0])
        echo(conn)


def moves(group, second, other, region):
    """The second link fails after it has carried 50 bytes of that connection.
    The module writes the next 70 to the same RMB over the first link."""
    # another queue pair, so DELETE LINK may overtake the acknowledgements
    check(wait_until(lambda: not group.bench.app.queued(other.number)),
          "not delivered")
    group.send(msg.delete_link(second.number, msg.LOST_PATH))
    # R-4.6.1-04
    is_validation(group.receive(), other, 1)
    gone(group, second)
    other.sends(pattern(50, 70))
    got = group.receive()
    check(isinstance(got, msg.Cdc) and got.prod == (0, 120), f"{got}")
    # R-3.5.5.2-01
    check(region.read(70, 50) == pattern(50, 70), "not over the first")


def gone(group, link):
    """Ends the exchange that our DELETE LINK began; a server then offers
    another link."""
    if group.module == CLIENT:
        replied(group, link.number)
        return
    deleted(group, link.number)
    group.send(group.reject_add(group.expect(msg.ADD_LINK)))


def _sorted(group, count):
    """Receives a number of messages: (CDC, LLC), each in order."""
    got = [group.receive() for _ in range(count)]
    return ([one for one in got if isinstance(one, msg.Cdc)],
            [one for one in got if not isinstance(one, msg.Cdc)])


def _drained(bench, module):
    """A message waits for a receive of ours when the link is deleted. The
    message fails before the connection uses the other link, and never
    arrives."""
    with begun(bench, module) as (conn, group, second):
        point = second.end_point
        point.receives = 2
        point.retries = 3       # the failure happens before DELETE LINK times out
        second.join()
        conn.take()
        point.refill = False
        other = second.carried()
        for at in (0, 50):
            other.sends(pattern(at, 50))
            check(point.receive() is not None, "no message")
        other.sends(pattern(100, 50))
        base = (other.me.index - 1) * ELEMENT
        check(wait_until(lambda: point.rmb.read(50, base + 100) ==
                         pattern(100, 50)), "nothing was written")
        group.send(msg.delete_link(second.number, msg.OPERATOR,
                                   msg.DELETE_ORDERLY))
        # R-2.3-06
        is_validation(group.receive(), other, 2)
        point.feed()
        data = point.receive(QUIET)
        # R-2.3-06
        check(data is None, f"{data and msg.parse(data)} came late")
        check(not verbs.accessible(point.try_send(other.cdc())),
              "the queue pair is still there")
        data, word = _sorted(group, 2)
        check(len(data) == 1 and data[0].prod == (0, 150), f"{data}")
        # R-2.3-09, R-4.6.2-01
        check(other.element(100, 50) == pattern(100, 50), "wrong bytes")
        check(word[0].kind == msg.DELETE_LINK and
              word[0].data[4] == second.number, f"{word}")
        if module == SERVER:
            group.send(msg.delete_link(second.number, 0, msg.REPLY))
            group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        echo(conn)


def _asked_again(bench, module):
    """The link that carries its CONFIRM RKEY fails. The module does not
    continue that exchange over the other link, but starts a new one after the
    link is deleted."""
    with two_links(bench, module) as (_, group, second):
        group.serves.discard(msg.CONFIRM_RKEY)
        other = group.contact()
        other.propose()
        if module == CLIENT:
            second.names(other)
            other.accept()
        asked = group.expect(msg.CONFIRM_RKEY)
        check(asked.data[17] == second.number, f"{asked}")
        if module == SERVER:
            second.names(other)
        second.promote()        # this link is the first link now
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        if module == SERVER:
            got = group.expect(msg.DELETE_LINK)
            check(not got.flags & msg.REPLY and
                  got.data[4] == second.number, f"{got}")
            # R-2.3-10
            group.quiet()
            group.send(msg.delete_link(second.number, 0, msg.REPLY))
            group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        else:
            replied(group, second.number)
        got = group.expect(msg.CONFIRM_RKEY)
        # R-2.3-10
        check(got.data == msg.confirm_rkey(asked.number(18, 4),
                                           asked.number(22, 8)), f"{got}")
        group.answer(got)
        if module == SERVER:
            other.accepted()
            other.confirm()
        else:
            other.confirmed()
        other.take()
        echo(other)


def _both_fail(bench, module):
    """Our queue pair fails while data is under way, and we report that at
    once: the connections move only once, and a single exchange deletes the
    link."""
    with two_links(bench, module) as (conn, group, second):
        other = second.carried()
        second.end_point.close()
        other.sends(pattern(0, 80))
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        data, word = _sorted(group, 3)
        is_validation(data[0], other, 0)
        check(data[1].prod == (0, 80) and not data[1].flags, f"{data[1]}")
        # R-2.3-03, -04
        check(other.element(0, 80) == pattern(0, 80), "wrong bytes")
        # R-3.5.5.1.4-02, -03
        check(word[0].kind == msg.DELETE_LINK and
              word[0].data[4] == second.number and
              bool(word[0].flags & msg.REPLY) == (module == CLIENT),
              f"{word[0]}")
        if module == SERVER:
            group.send(msg.delete_link(second.number, 0, msg.REPLY))
            group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        group.quiet()
        echo(conn)


def _unanswered(bench, module):
    """TEST LINK on the second link gets no answer: the connection of that link
    moves to the first link."""
    with bench.sysctl("net.smc.smcr_testlink_time", 3), \
            two_links(bench, module) as (conn, group, second):
        other = second.carried()
        other.sends(pattern(0, 50))
        # R-4.5.3-06, R-C.7.1-18
        is_validation(group.receive(), other, 1)
        got = group.expect(msg.DELETE_LINK)
        # R-C.7.1-18
        check(not got.flags and got.data[4] == second.number and
              got.number(5, 4) == msg.LOST_PATH, f"{got}")
        kinds = []
        while (data := second.end_point.receive(0)) is not None:
            kinds.append(data[0])
        # R-3.3-03
        check(kinds == [msg.CDC, msg.TEST_LINK], f"{kinds} on that link")
        if module == SERVER:
            group.send(msg.delete_link(second.number, 0, msg.REPLY))
            group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        else:
            deletes(group, second.number)
        second.back(other)
        other.cons = 50
        echo(other)
        echo(conn)


def _last_of_two(bench, module):
    """One link fails, then the other, and the group ends."""
    with two_links(bench, module) as (conn, group, second):
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        gone(group, second)
        # R-2.2.1-02
        echo(conn)
        group.send(msg.delete_link(group.number, msg.LOST_PATH))
        if module == SERVER:
            got = group.expect(msg.DELETE_LINK)
            # R-3.5.5.1.4-03, R-4.8.3-03
            check(got.flags & ~msg.DELETE_ORDERLY == msg.DELETE_ALL, f"{got}")
        else:
            replied(group, group.number)
        group.gone = True
        conn.expect_reset()


def cases():
    yield Case("numbers of links", "R-2.2.4-02, R-2.2.4-03", _numbers)
    yield Case("ADD LINK notice at the limit", "R-3.5.5.1.2-04, R-2.2.2-07",
               _at_limit)
    yield from both("directions over different links", "R-2.3-02, R-2.3-01",
                    _either_way)
    yield from both("RMB for two links", "R-3.5.5.2-02, R-3.5.5.2.1-01, "
                    "R-A.3.5-02", _keys)
    yield from both("key of another link", "R-2.1-06", _key_of_the_other)
    yield from both("the peer's RMB for two links", "R-3.5.5.2-01, "
                    "R-3.5.5.2-02, R-3.3-05, R-4.6.1-04", _our_keys)
    yield from both("message under way on a link that goes", "R-2.3-06, "
                    "R-2.3-09", _drained)
    yield from both("link of CONFIRM RKEY fails", "R-2.3-10", _asked_again)
    yield from both("both sides see a link fail", "R-2.3-03, R-2.3-04, "
                    "R-3.5.5.1.4-02", _both_fail)
    yield from both("TEST LINK of one link unanswered", "R-4.5.3-06, "
                    "R-C.7.1-18", _unanswered)
    yield from both("one link after the other", "R-3.5.5.1.4-03, "
                    "R-3.5.5.1.3-05, R-2.2.1-02", _last_of_two)
