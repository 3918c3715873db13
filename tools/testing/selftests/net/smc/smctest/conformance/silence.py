# SPDX-License-Identifier: GPL-2.0
"""Tests what happens if the answer to DELETE LINK, or to CONFIRM LINK of the
client, is missing or lost, and if the answer to TEST LINK or CONFIRM RKEY is
late. Other tests send messages that leave a link out (RFC 7609 C.2, C.7,
C.7.1)."""

import time

from smctest import Failure, check, sockets, wire
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.links import (accepted, deleted, deletes, ends,
                                       linked, replied, two_links)
from smctest.conformance.peer import (CLIENT, ELEMENT, PATIENCE, SERVER, SPARE,
                                      echo, pattern)
from smctest.world import wait_until

YOUNG = 3       # seconds until a link is known at both ends
LATE = 3        # seconds, longer than the module waits on a silent link
BUSY_WAIT = 15  # seconds that the module waits while we send other messages
SILENT = 2      # seconds without any message after which the wait ends
STUCK = 10      # seconds without a message that we take
FLOW_LATE = 7   # seconds, longer than the module waits while links change


def _deletes_twice(answered):
    """The server's DELETE LINK gets no answer. The server probes the link that
    carried DELETE LINK, and repeats DELETE LINK. If the probe gets no answer,
    the server treats that link as failed, too."""
    def run(bench):
        with linked(bench) as (conn, group, second):
            group.serves.discard(msg.TEST_LINK)
            group.send(msg.delete_link(second.number, msg.OPERATOR,
                                       msg.DELETE_ORDERLY))
            deleted(group, second.number, answer=False)
            group.answer(group.expect(msg.TEST_LINK, PATIENCE))
            deleted(group, second.number, answer=answered)
            if answered:
                group.send(group.reject_add(group.expect(msg.ADD_LINK)))
                group.alive()
                echo(conn)
            else:
                ends(group, conn)
    return run


def _reports(answered):
    """The client's DELETE LINK gets no answer. The client probes the link that
    carried DELETE LINK. If the probe gets no answer, the client treats that
    link as failed, too."""
    def run(bench):
        with accepted(bench) as (conn, group, second):
            other = second.carried()
            group.serves.discard(msg.TEST_LINK)
            second.end_point.close()
            other.sends(pattern(0, 80))
            got = group.receive(PATIENCE)
            check(got.data == msg.cdc(0, other.me.token, (0, 0), (0, 0),
                                      msg.F), f"{got} is no validation")
            group.receive()
            deleted(group, second.number, answer=False)
            asked = group.expect(msg.TEST_LINK, PATIENCE)
            if answered:
                group.answer(asked)
                group.alive()
                echo(conn)
            else:
                ends(group, conn)
    return run


def _busy(conn, seconds):
    """Sends messages of the connection during these seconds. Returns early if
    the module sends a message, and returns that message or None."""
    end = time.monotonic() + seconds
    got = None
    while not got and time.monotonic() < end:
        conn.tell()
        got = conn.group.poll(0.5)
    return got


def _gives_up(group, conn):
    """We send messages, but not the answer: the link fails in the end."""
    start = time.monotonic()
    got = _busy(conn, BUSY_WAIT + 5)
    passed = time.monotonic() - start
    # R-C.7.1-17, R-C.7.1-18
    check(got == msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL),
          f"{got and msg.parse(got)} after {passed:.1f} s")
    check(passed > BUSY_WAIT - 2, f"after {passed:.1f} s")
    group.gone = True
    conn.expect_reset()


def _probe_late(answered):
    """Our answer to TEST LINK is late, but other messages arrive."""
    def run(bench, module=SERVER):
        with bench.sysctl("net.smc.smcr_testlink_time", 1):
            conn, group = bench.connect(module)
        group.serves.discard(msg.TEST_LINK)
        asked = group.expect(msg.TEST_LINK, PATIENCE)
        if not answered:
            _gives_up(group, conn)
            return
        # R-4.5.3-05
        check(_busy(conn, LATE) is None, "it did not wait")
        group.answer(asked)
        group.alive()
        echo(conn)
        group.end()
    return run


def _falls_silent(bench):
    """We do not answer TEST LINK. We send other messages for some time, and then
    nothing. The link fails soon after the last message."""
    with bench.sysctl("net.smc.smcr_testlink_time", 1):
        conn, group = bench.connect(SERVER)
    group.serves.discard(msg.TEST_LINK)
    group.expect(msg.TEST_LINK, PATIENCE)
    check(_busy(conn, LATE) is None, "it did not wait")
    start = time.monotonic()
    got = group.receive(PATIENCE)
    passed = time.monotonic() - start
    # R-C.7.1-18
    check(got.data == msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL),
          f"{msg.parse(got.data)}")
    check(passed > SILENT - 1, f"after {passed:.1f} s")
    group.gone = True
    conn.expect_reset()


def _offer_late(bench):
    """Our answer to ADD LINK is late, but other messages arrive."""
    with two_links(bench, SERVER) as (conn, group, second):
        group.send(msg.delete_link(second.number, msg.OPERATOR,
                                   msg.DELETE_ORDERLY))
        deleted(group, second.number)
        asked = group.expect(msg.ADD_LINK)
        check(_busy(conn, FLOW_LATE) is None, "it did not wait")
        group.send(group.reject_add(asked))
        group.alive()
        echo(conn)


def _key_late(answered):
    """Our answer to CONFIRM RKEY is late, but other messages arrive."""
    def run(bench):
        conn, group = bench.connect(SERVER)
        group.serves.discard(msg.CONFIRM_RKEY)
        second = group.contact()
        second.propose()
        asked = group.expect(msg.CONFIRM_RKEY)
        if not answered:
            _gives_up(group, conn)
            # the handshake of this connection has timed out earlier
            second.fell_back()
            return
        check(_busy(conn, LATE) is None, "it did not wait")
        group.answer(asked)
        second.accepted()
        second.confirm()
        second.take()
        echo(second)
        echo(conn)
        group.end()
    return run


def _left_out(bench, module):
    """Our CONFIRM RKEY names only the first link, so the second one has failed
    at our end."""
    with two_links(bench, module) as (conn, group, second):
        time.sleep(YOUNG)
        group.send(msg.confirm_rkey(SPARE, 0))
        group.expect_bytes(msg.confirm_rkey(SPARE, 0, flags=msg.REPLY))
        # R-C.7.1-27
        got = deleted(group, second.number, answer=module == SERVER)
        check(got.number(5, 4) == msg.LOST_PATH, f"{got}")
        if module == SERVER:
            group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        else:
            deletes(group, second.number)
        echo(conn)


def _declines(group, send):
    """A first contact in which the reply to our CONFIRM LINK is lost: a Decline
    follows, and both sides use TCP."""
    conn = group.contact()
    conn.rendezvous()
    conn.tcp.settimeout(PATIENCE)
    group.number = 1
    send(group.confirm_link())
    # R-C.2-03, R-C.7-06
    sockets.expect_decline(conn.tcp, wire.LINK_NOT_READY)
    # R-C.2-03, R-C.7-06
    conn.fell_back()
    group.gone = True


def _reply_lost(bench):
    """The client sends its CONFIRM LINK to a queue pair that receives nothing.
    We send ours from another queue pair."""
    group = bench.group(CLIENT)
    nobody = verbs.Endpoint(bench.nic, bench.psn(), ELEMENT)
    try:
        group.me = group.me.but(qpn=nobody.qpn)
        # The acknowledgements of our messages are lost, too.
        _declines(group, group.end_point.try_send)
    finally:
        nobody.close()


class _Shy(verbs.Endpoint):
    """The queue pair has two receives, for CONFIRM LINK and ADD LINK. The
    queue pair gets more receives when the test opens it."""

    ROOM = 2

    def __init__(self, *args):
        super().__init__(*args)
        self._room, self._kept = self.ROOM, []

    def _post_receive(self, slot):
        if self._room:
            self._room -= 1
            super()._post_receive(slot)
        else:
            self._kept.append(slot)

    def open(self):
        self._room = verbs.RECEIVES << 8
        kept, self._kept = self._kept, []
        for slot in kept:
            self._post_receive(slot)


class _Deaf(_Shy):
    """Receives nothing."""

    ROOM = 0


def _reply_not_taken(bench):
    """The client's CONFIRM LINK finds no posted receive, for longer than the
    server's time limit for ADD LINK. As long as it has not arrived, the link
    is not confirmed."""
    group = bench.group(CLIENT, _Deaf)
    _declines(group, group.send)


def _last_words(bench):
    """The server waits until its adapter has delivered DELETE LINK, but does
    not wait for an answer to DELETE LINK."""
    group = bench.group(SERVER, _Shy)
    conn = group.connect()
    before = bench.app.stats()["GroupsEnded"]
    group.send(msg.message(0x0a, 0, b"\x01" * 40))
    time.sleep(0.3)
    group.end_point.open()
    # R-3.5.4-05
    group.violated(conn)
    check(wait_until(lambda: bench.app.stats()["GroupsEnded"] > before, 20),
          "it waits for an answer")


def _last_reply(bench):
    """The server deletes the only link: the client keeps the link only until
    its adapter has delivered the reply."""
    group = bench.group(CLIENT, _Shy)
    conn = group.connect()
    before = bench.app.stats()["GroupsEnded"]

    def there():
        return verbs.accessible(group.end_point.try_write(
            b"x", conn.theirs.rkey, conn.their_element))

    group.send(msg.delete_link(group.number, msg.LOST_PATH))
    time.sleep(0.3)
    check(there(), "the link was gone before the reply had arrived")
    group.end_point.open()
    replied(group, group.number)
    group.gone = True
    conn.expect_reset()
    check(wait_until(lambda: not there()), "it is still there")
    check(wait_until(lambda: bench.app.stats()["GroupsEnded"] > before),
          "the group is")


def _stop_taking(group):
    """Uses up the posted receives. Returns the message that finds none."""
    group.end_point.refill = False
    for _ in range(2 * verbs.RECEIVES):
        data = group.bench.psn().to_bytes(16, "big")
        group.send(msg.test_link(data))
        reply = msg.test_link(data, msg.REPLY)
        got = group.poll(0.5)
        if got is None:
            return reply
        check(got == reply, f"{msg.parse(got)}")
    raise Failure("receives are posted without an end")


def _takes_nothing(bench):
    """We send messages but take none, while the application closes. No send
    fails, because the adapter tries without limit. The group ends after some
    time."""
    with bench.sysctl("net.smc.smcr_testlink_time", 1):
        conn, group = bench.connect(SERVER)
    before = bench.app.stats()["GroupsEnded"]
    start = time.monotonic()
    _stop_taking(group)
    conn.app.close(conn.number)
    conn.number = None
    passed, seen = 0, before
    while seen == before and passed < STUCK + 30:
        group.end_point.try_send(conn.cdc())
        seen = bench.app.stats()["GroupsEnded"]
        passed = time.monotonic() - start
        time.sleep(0.2)
    group.gone = True
    # R-4.8.1-06
    check(seen > before, f"the group has not ended after {passed:.1f} s")
    check(passed > STUCK, f"it has ended after {passed:.1f} s")
    check(wait_until(lambda: not bench.open_sockets()), "the socket is left")


def _reply_of_one(taken):
    """The server deletes one of two links that work, and takes no message for
    a while. The client keeps the link until its adapter has delivered the
    reply, or until it has waited long enough."""
    def run(bench):
        with accepted(bench) as (conn, group, second):
            other = second.carried()
            first = group.end_point

            def there():
                return verbs.accessible(second.end_point.try_write(
                    b"x", other.theirs.rkey, other.their_element))

            waiting = _stop_taking(group)
            group.send(msg.delete_link(second.number, msg.OPERATOR,
                                       msg.DELETE_ORDERLY))
            time.sleep(0.3)
            # R-3.5.5.1.3-06
            check(there(), "the link was gone before the reply had arrived")
            if not taken:
                check(wait_until(lambda: not there(), BUSY_WAIT + LATE),
                      "it waits for ever")
            first.refill = True
            first.feed()
            group.expect_bytes(waiting)
            replied(group, second.number)
            # R-3.5.5.1.3-06
            check(wait_until(lambda: not there()), "it is still there")
            echo(conn)
    return run


def cases():
    yield Case("DELETE LINK answered the second time", "R-C.7.1-16",
               _deletes_twice(True), limit=90)
    yield Case("DELETE LINK not answered", "R-C.7.1-16", _deletes_twice(False),
               limit=90)
    yield Case("DELETE LINK of the client not answered", "R-C.7.1-13",
               _reports(True), limit=90)
    yield Case("DELETE LINK of the client not answered, nor anything else",
               "R-C.7.1-13, R-C.7.1-18", _reports(False), limit=90)
    yield from both("TEST LINK of a busy peer answered late", "R-4.5.3-05",
                    _probe_late(True), limit=90)
    yield Case("TEST LINK of a busy peer not answered", "R-C.7.1-18",
               _probe_late(False), limit=90)
    yield Case("TEST LINK not answered by a peer that falls silent",
               "R-C.7.1-18", _falls_silent, limit=90)
    yield Case("ADD LINK of a busy peer answered late", "R-C.7.1-06",
               _offer_late, limit=90)
    yield Case("CONFIRM RKEY of a busy peer answered late", "R-C.7.1-17",
               _key_late(True), limit=90)
    yield Case("CONFIRM RKEY of a busy peer not answered", "R-C.7.1-17",
               _key_late(False), limit=90)
    yield from both("CONFIRM RKEY without a link", "R-C.7.1-27", _left_out,
                    limit=90)
    yield Case("CONFIRM LINK of the client gets lost", "R-C.2-03, R-C.7-06",
               _reply_lost, limit=90)
    yield Case("CONFIRM LINK of the client is not taken", "R-C.7-06",
               _reply_not_taken, limit=90)
    yield Case("DELETE LINK is waited for", "R-C.7.1-15, R-3.5.4-05",
               _last_words, expected={"LlcViolations": 1})
    yield Case("reply to DELETE LINK is waited for", "R-3.5.5.1.3-06",
               _last_reply)
    yield Case("a peer that sends but takes nothing", "R-4.8.1-06",
               _takes_nothing, limit=120)
    yield Case("reply to DELETE LINK of one link is waited for",
               "R-3.5.5.1.3-06", _reply_of_one(True), limit=90)
    yield Case("reply to DELETE LINK of one link is not taken",
               "R-3.5.5.1.3-06", _reply_of_one(False), limit=90)
