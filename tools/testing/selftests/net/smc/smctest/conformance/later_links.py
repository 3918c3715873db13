# SPDX-License-Identifier: GPL-2.0
"""Tests links that are added and deleted later in the life of a group, and
requests without an answer (RFC 7609 2.3, 3.5.5.1, 3.5.5.2.3, A.3.3, C.7.1,
C.8)."""

import time

from smctest import check, sockets, verbs, wire
from smctest import messages as msg
from smctest.conformance.case import Case
from smctest.conformance.links import (Offer, Second, accepted, address,
                                       announce, another, deleted, deletes,
                                       ends, is_validation, joined, linked,
                                       notice, replied)
from smctest.conformance.peer import (CLIENT, PATIENCE, SERVER, SPARE, echo,
                                      pattern)


DRIPS = 20      # more than the module waits for, at one per second
# After its first link, a group opens at most OPENS_MAX links in each period of
# OPENS_SECS.
OPENS_MAX, OPENS_SECS = 16, 16


def _offer(group):
    """Offers a link that the module accepts."""
    second = Offer(group, 2)
    second.offer()
    return second


def _yes(group, asked):
    data = asked.data
    group.send(data[:3] + bytes([data[3] | msg.REPLY]) + data[4:])


def _spares(group, count):
    announce(group, range(SPARE, SPARE + count))


def _pairs(group, second, count):
    """Returns old key, new key and new address of each RMB of ours, in another
    order than the announcements."""
    ours = [(SPARE + at, SPARE + 0x100 + at, 0)
            for at in reversed(range(count - 1))]
    # With five RMBs, the RMB in use is the second entry of its message.
    ours.insert(max(count - 2, 0), (group.me.rkey, second.me.rkey,
                                    second.me.addr))
    return ours


def _counted(got, second, before, flags=0):
    """Returns the keys in an ADD LINK CONTINUATION, whose counter
    decreases."""
    left = got.data[5]
    check(got.flags == flags and got.data[4] == second.number, f"{got}")
    # R-A.3.3-04..06
    check(before is None or left == max(before - 2, 0), f"{got} after {before}")
    keys = [(got.number(at + 4, 4), got.number(at + 8, 8))
            for at in (8, 24)[:left]]
    check(not any(got.data[8 + 16 * len(keys):]), f"{got}: more than it says")
    if keys and before is None:
        second.theirs = second.theirs.but(rkey=keys[0][0], addr=keys[0][1])
    return left, keys


def take_keys(group, second, count=1):
    """Receives the server's keys, and sends ours for the given number
    of RMBs."""
    ours, told, left = _pairs(group, second, count), [], None
    while True:
        left, keys = _counted(group.expect(msg.ADD_LINK_CONT), second, left)
        told += keys
        group.send(msg.add_link_cont(second.number, len(ours), ours[:2],
                                     msg.REPLY))
        if max(left, len(ours)) <= 2:
            return told
        ours = ours[2:]


def _give_keys(group, second, count=1):
    """Does the same as take_keys() for a module that is the client."""
    ours, told, left = _pairs(group, second, count), [], None
    while True:
        group.send(msg.add_link_cont(second.number, len(ours), ours[:2]))
        left, keys = _counted(group.expect(msg.ADD_LINK_CONT), second, left,
                              msg.REPLY)
        told += keys
        if max(left, len(ours)) <= 2:
            return told
        ours = ours[2:]


# -- offers ---------------------------------------------------------------

def _asks_early(bench):
    """A client requests a link while the server waits for the answer to the
    offer of first contact. The server ignores the request."""
    conn, group = bench.contact(SERVER)
    with address():
        conn.rendezvous()
        group.confirmed()
        group.send(group.confirm_link())
        # The server handles the notice after it has sent the offer.
        notice(group)
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        conn.take()
        # R-3.5.5.3.1-02
        group.quiet()
        echo(conn)
        group.end()


def _refused_late(bench):
    """We refuse the previous offer too late; the refusal does not apply to
    this offer."""
    conn, group = bench.contact(SERVER)
    with address():
        conn.rendezvous()
        group.confirmed()
        group.send(group.confirm_link())
        old = group.expect(msg.ADD_LINK)
        conn.number = bench.app.take(group.listener, PATIENCE / 2)
        check(conn.number is not None, "it waits for ever")
        second = another(group)
        check(second.number != old.data[31], "the same number again")
        group.send(group.reject_add(old))
        second.accept()
        second.exchange()
        # R-A.3.2-04
        second.asked()
        second.confirm()
        group.alive()
        echo(conn)
        group.end()


class _Quota:
    """Watches how many links the module opens."""

    def __init__(self, bench):
        self.app, self.begin = bench.app, time.monotonic()
        self.before = self._counter()

    def _counter(self):
        return self.app.stats()["LinksPutOff"]

    def used(self):
        """Has the module put off a link?"""
        return self._counter() != self.before

    def check(self, links):
        """Fails if the module has opened more links than it may."""
        periods = 1 + (time.monotonic() - self.begin) // OPENS_SECS
        check(links <= (periods + 1) * OPENS_MAX, f"{links} links")


def _asks_on(bench):
    """A client repeatedly requests a link and refuses the offer. The server
    makes some offers at once, and delays a later one."""
    with bench.connected(SERVER) as (conn, group):
        quota, offers, number = _Quota(bench), 0, SPARE
        while not quota.used():
            notice(group)
            group.send(msg.confirm_rkey(number, 0))
            number += 1
            got = group.receive()
            while got.kind == msg.ADD_LINK:
                offers += 1
                group.send(group.reject_add(got))
                got = group.receive()
            check(got.kind == msg.CONFIRM_RKEY, f"{got}")
            quota.check(offers)
        check(offers, "no offer")
        # R-C.8-02
        got = group.expect(msg.ADD_LINK, PATIENCE)
        echo(conn)
        group.send(group.reject_add(got))


def _refused_early(bench):
    """A client requests a link, and refuses the offer because its new adapter
    is not ready yet. The server offers the link again after a while."""
    with joined(bench, SERVER) as (conn, group):
        notice(group)
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        group.quiet()
        # R-C.8-02
        second = Second(group, group.expect(msg.ADD_LINK, PATIENCE))
        second.accept()
        second.exchange()
        second.asked()
        second.confirm()
        group.alive()
        echo(conn)


def _offer_unanswered(bench):
    """ADD LINK gets no answer: the module treats the link that carried it as
    failed."""
    with joined(bench, SERVER) as (conn, group):
        notice(group)
        group.expect(msg.ADD_LINK)
        # R-C.7.1-06
        ends(group, conn)


def _keys_unanswered(bench):
    """ADD LINK CONTINUATION gets no answer: the module treats the link as
    failed, too."""
    with joined(bench, SERVER) as (conn, group):
        second = another(group)
        second.accept()
        group.expect(msg.ADD_LINK_CONT)
        # R-C.7.1-10
        ends(group, conn)


def _not_confirmed(bench):
    """CONFIRM LINK gets no answer: the server deletes the new link, and offers
    another link after a while. The first link works as before."""
    with joined(bench, SERVER) as (conn, group):
        second = another(group)
        second.accept()
        second.exchange()
        second.asked()
        # R-C.7.1-03
        got = deleted(group, second.number, timeout=PATIENCE)
        check(got.number(5, 4) == msg.LOST_PATH, f"{got}")
        # R-C.8-02
        group.quiet()
        group.alive()
        echo(conn)
        # R-C.7.1-03, R-C.8-02
        got = group.expect(msg.ADD_LINK, PATIENCE)
        check(got.data[31] != second.number, "the same number again")
        group.send(group.reject_add(got))
        echo(conn)


def _never_confirms(bench):
    """No CONFIRM LINK arrives over a link that the client has accepted. The
    client reports that to the server, and the first link works as before."""
    with joined(bench, CLIENT) as (conn, group):
        second = _offer(group)
        second.exchange()
        # R-C.7.1-09
        got = deleted(group, second.number, answer=False, timeout=PATIENCE)
        check(got.number(5, 4) == msg.LOST_PATH, f"{got}")
        # R-C.7.1-09
        group.alive()
        echo(conn)
        deletes(group, second.number)
        echo(conn)


# -- keys -----------------------------------------------------------------

def _over_the_new(group, conn, second):
    """The first link fails: the module writes with the RMB's key on the new
    link."""
    second.promote()        # now the second link is the server's first
    group.send(msg.delete_link(second.number, msg.LOST_PATH))
    # R-3.5.5.2.3-03: the module has a key on that link
    is_validation(group.receive(), conn, conn.their_seq)
    if group.module == SERVER:
        deleted(group, second.number)
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
    else:
        replied(group, second.number)
    at = conn.cons
    conn.sends(pattern(at, 70))
    got = group.receive()
    check(isinstance(got, msg.Cdc) and got.token == conn.me.token, f"{got}")
    # R-3.5.5.2.3-03
    check(conn.element(at, 70) == pattern(at, 70), "written elsewhere")


def _more_here(bench):
    """We have five RMBs, the server has one: the server continues to ask for
    our keys with messages that contain no keys."""
    with joined(bench, SERVER) as (conn, group):
        _spares(group, 4)
        second = another(group)
        second.accept()
        # R-A.3.3-05
        check(len(take_keys(group, second, 5)) == 1, "keys")
        second.asked()
        second.confirm()
        group.alive()
        echo(conn)
        _over_the_new(group, conn, second)


def _more_there(bench):
    """We have five RMBs, the client has one: the client continues to answer
    with messages that contain no keys."""
    with joined(bench, CLIENT) as (conn, group):
        _spares(group, 4)
        second = _offer(group)
        # R-A.3.3-04
        check(len(_give_keys(group, second, 5)) == 1, "keys")
        second.confirm()
        second.confirmed()
        group.alive()
        echo(conn)
        _over_the_new(group, conn, second)


def _keys_stuck(bench):
    """The counter of keys does not decrease: the module gives up the new link,
    and only that link."""
    with joined(bench, CLIENT) as (conn, group):
        _spares(group, 4)
        second = _offer(group)
        pairs = _pairs(group, second, 5)
        group.send(msg.add_link_cont(second.number, 5, pairs[:2]))
        group.expect(msg.ADD_LINK_CONT)
        group.send(msg.add_link_cont(second.number, 5, pairs[2:4]))
        # R-A.3.3-06, R-C.7.1-24
        got = deleted(group, second.number, answer=False)
        check(got.number(5, 4) == msg.LOST_PATH, f"{got}")
        deletes(group, second.number)
        echo(conn)


def _keys_drip(bench):
    """The server sends two keys per second: after ten seconds the module gives
    up the new link, and only that link."""
    with joined(bench, CLIENT) as (conn, group):
        count = 2 * DRIPS + 1
        _spares(group, count - 1)
        second = _offer(group)
        pairs = _pairs(group, second, count)
        for at in range(0, count, 2):
            group.send(msg.add_link_cont(second.number, count - at,
                                         pairs[at:at + 2]))
            got = group.receive()
            if got.kind != msg.ADD_LINK_CONT:
                break
            time.sleep(1)       # this peer sends one message per second
        check(got.kind == msg.DELETE_LINK and got.data[4] == second.number and
              got.number(5, 4) == msg.LOST_PATH, f"{got}")
        deletes(group, second.number)
        echo(conn)


def _keys_missing(bench):
    """The server announces more keys but does not send them."""
    with joined(bench, CLIENT) as (conn, group):
        _spares(group, 4)
        second = _offer(group)
        group.send(msg.add_link_cont(second.number, 5,
                                     _pairs(group, second, 2)))
        group.expect(msg.ADD_LINK_CONT)
        # R-C.7.1-12
        ends(group, conn)


def _asks_ahead(group):
    """Opens connections until the client announces a further RMB, because no
    element is free. Returns that request."""
    group.connect()
    while not group.poll(0.5) and len(group.served) < 2:
        pass
    group.serves.discard(msg.CONFIRM_RKEY)
    number, group.number = group.number, None   # the request may come first
    for _ in range(2):
        group.connect()
    group.number = number
    return group.expect(msg.CONFIRM_RKEY)


def _told_first(bench):
    """The client announces a new RMB while a link is added, without its key on
    that link. No connection may use the RMB on that link before the client has
    announced the key."""
    with joined(bench, CLIENT) as (_, group):
        asked = _asks_ahead(group)
        before = len([one for one in group.served
                      if one.kind == msg.CONFIRM_RKEY])
        second = _offer(group)
        told = _give_keys(group, second)
        # R-3.5.5.2.3-01
        check(len(told) == before + 1, f"{told}: not the RMBs that we know")
        second.confirm()
        second.confirmed()
        _yes(group, asked)
        again = group.expect(msg.CONFIRM_RKEY)
        # R-3.5.5.2-02
        check(again.number(5, 4) == asked.number(5, 4) and again.data[4] == 1 and
              again.data[17] == second.number, f"{again}")
        conn = second.named()
        conn.accept()
        time.sleep(0.3)
        # R-3.5.5.2.1-02, -04
        sockets.expect_open(conn.tcp)
        conn.running()
        _yes(group, again)
        conn.confirmed()
        # R-L-09
        check(conn.theirs.qpn == second.theirs.qpn and
              conn.theirs.rkey == again.number(18, 4) and
              conn.theirs.addr == again.number(22, 8),
              f"{conn.theirs} is not what {again} says")
        conn.take()


def _accepted_again(bench):
    """Our acceptance arrives twice for the new link, and once for the first
    link. The server deletes no link because of that, and adds the new one."""
    conn, group = bench.contact(SERVER)
    with address():
        conn.rendezvous()
        group.confirmed()
        group.send(group.confirm_link())
        second = Second(group, group.expect(msg.ADD_LINK))
        second.accept()
        for number in (second.number, group.number):
            group.send(msg.add_link(second.me, number, msg.REPLY,
                                    mtu=second.me.mtu))
        second.exchange()
        second.asked()
        second.confirm()
        conn.take()
        group.alive()
        group.quiet()
        echo(conn)


# -- links that go ---------------------------------------------------------

def _report(group, second, timeout=verbs.TIMEOUT):
    """Reports the link as failed. Returns the server's next offer."""
    group.send(msg.delete_link(second.number, msg.OPERATOR,
                               msg.DELETE_ORDERLY))
    deleted(group, second.number)
    return group.expect(msg.ADD_LINK, timeout)


def _deletes_on(bench):
    """A client deletes each new link as soon as it is in use. The server offers
    some links at once, and delays a later one."""
    with linked(bench) as (conn, group, link):
        quota, nic, links = _Quota(bench), link.nic, 1
        while True:
            # R-C.8-02
            offer = _report(group, link, PATIENCE)
            if quota.used():
                break
            links += 1
            quota.check(links)
            link = Second(group, offer, nic)
            link.join()
        echo(conn)
        group.send(group.reject_add(offer))


def _offers_on(bench):
    """A server deletes each link that the client has accepted, and offers the
    next one. The client accepts some links, refuses a later one, and asks for
    it after a while."""
    with accepted(bench) as (conn, group, link):
        quota, nic, links = _Quota(bench), link.nic, 1
        while not quota.used():
            deletes(group, link.number)
            link = Offer(group, link.number % 255 + 1, nic)
            link.ask()
            while (got := link.answer()).flags & msg.ADD_REJECT:
                check(got.byte2 == msg.NO_PATH, f"{got}")
                got = group.expect(msg.ADD_LINK, PATIENCE)
                check(not got.flags & msg.REPLY, f"{got} is no notice")
                link.ask()
            links += 1
            quota.check(links)
            link.bind(got)
            link.finish()
        echo(conn)


def _named_gone(bench):
    """The link that the Accept names fails before our Confirm: the connection
    uses the other one."""
    with linked(bench) as (conn, group, second):
        other = second.named()
        group.send(group.reject_add(_report(group, second)))
        other.confirm()
        other.take()
        told = [one for one in group.served if one.kind == msg.CONFIRM_RKEY and
                one.number(18, 4) == other.theirs.rkey]
        check(told, f"{other.theirs} was not told")
        other.theirs = other.theirs.but(rkey=told[0].number(5, 4),
                                        addr=told[0].number(9, 8))
        # R-2.3-03
        echo(other)
        echo(conn)


def _named_replaced(bench):
    """The named link fails as above, and all link slots are in use by other
    links now. Our Confirm about the old link must not apply to a new link. Only
    this connection ends."""
    with linked(bench) as (conn, group, second):
        other = second.named()
        offer = _report(group, second)
        for more in (True, True, False):
            link = Second(group, offer)
            link.accept()
            take_keys(group, link)
            link.asked()
            link.confirm()
            group.alive()
            if more:
                offer = _report(group, link)
        other.confirm()
        # R-3.5.2.3-02, R-C.1-05
        other.expect_tcp("RST")
        link.send(msg.test_link(b"still there"))
        got = link.expect(msg.TEST_LINK)
        check(got.data == msg.test_link(b"still there", msg.REPLY), f"{got}")
        echo(conn)


def _declined_gone(bench):
    """The named link fails. We decline with S, because we do not know the
    link. The group continues without it."""
    with linked(bench) as (conn, group, second):
        other = second.named()
        group.send(group.reject_add(_report(group, second)))
        other.tcp.sendall(wire.decline(wire.OUT_OF_SYNC, sync=True))
        other.fell_back()
        group.alive()
        echo(conn)


def _gone_while_waiting(bench):
    """While the client waits for our reply about an RMB, the link that the
    Accept names fails. The client declines, but without S."""
    with joined(bench, CLIENT) as (first, group):
        asked = _asks_ahead(group)
        second = _offer(group)
        _give_keys(group, second)
        second.confirm()
        second.confirmed()
        _yes(group, asked)
        again = group.expect(msg.CONFIRM_RKEY)
        conn = second.named()
        conn.accept()
        time.sleep(0.3)
        sockets.expect_open(conn.tcp)
        deletes(group, second.number, msg.OPERATOR, msg.DELETE_ORDERLY)
        answer = sockets.expect(conn.tcp, wire.DECLINE)
        # R-C.4-01
        check(not answer.flag and answer.diagnosis == wire.NO_LINK,
              f"{answer}")
        conn.fell_back()
        _yes(group, again)
        group.alive()
        echo(first)


def cases():
    yield Case("ADD LINK refused too late", "R-3.5.1.6.1-06, R-A.3.2-04",
               _refused_late)
    yield Case("ADD LINK accepted again", "R-3.5.1.6.1-06, R-A.3.2-04",
               _accepted_again)
    yield Case("ADD LINK wanted in first contact", "R-3.5.5.3.1-02",
               _asks_early)
    yield Case("ADD LINK wanted and refused", "R-3.5.5.1.2-02, R-C.8-02, "
               "R-C.8-03", _asks_on, limit=90)
    yield Case("each new link deleted by the client", "R-C.8-02", _deletes_on,
               limit=90)
    yield Case("each new link deleted by the server", "", _offers_on, limit=90)
    yield Case("ADD LINK wanted, refused and offered again", "R-C.8-02",
               _refused_early, limit=90)
    yield Case("ADD LINK unanswered, later", "R-C.7.1-06", _offer_unanswered,
               limit=90)
    yield Case("ADD LINK CONTINUATION unanswered", "R-C.7.1-10",
               _keys_unanswered, limit=90)
    yield Case("CONFIRM LINK unanswered, later", "R-C.7.1-03, R-C.8-02",
               _not_confirmed, limit=120)
    yield Case("no CONFIRM LINK, later", "R-C.7.1-09", _never_confirms,
               limit=90)
    yield Case("more keys here than at the server", "R-A.3.3-05, R-A.3.3-06",
               _more_here)
    yield Case("more keys here than at the client", "R-A.3.3-04, R-A.3.3-06",
               _more_there)
    yield Case("ADD LINK CONTINUATION missing", "R-C.7.1-12", _keys_missing,
               limit=90)
    yield Case("ADD LINK CONTINUATION that does not count down",
               "R-C.7.1-24, R-A.3.3-06", _keys_stuck, limit=90)
    yield Case("ADD LINK CONTINUATION, one per second", "", _keys_drip,
               limit=90)
    yield Case("new RMB and new link", "R-3.5.5.2.1-02, R-3.5.5.2.1-04",
               _told_first)
    yield Case("link gone before Confirm", "R-2.3-03, R-3.5.2.3-01",
               _named_gone)
    yield Case("link replaced before Confirm", "R-3.5.2.3-01, R-C.1-05",
               _named_replaced)
    yield Case("link gone before Decline", "R-C.4-03", _declined_gone)
    yield Case("link gone behind Accept", "R-C.4-01, R-C.4-02",
               _gone_while_waiting)
