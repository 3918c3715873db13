# SPDX-License-Identifier: GPL-2.0
"""Tests timeouts: how the module reacts to a silent peer (RFC 7609 C.7, C.7.1,
4.5.3, 4.8)."""

import socket
import time

from smctest import check, sockets, wire
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.case import Case
from smctest.conformance.peer import CLIENT, SERVER, echo

FIRST_WAIT = 8      # seconds for CONFIRM LINK in first contact
REPLY_WAIT = 2      # seconds for other answers
ABORT_WAIT = 5
CLOSE_WAIT = 60
RMB_IDLE = 30
PROBES = 20         # keepalive probes of TCP, one per second
IDLE = 3            # idle time before TEST LINK, as these tests set it


def _no_confirm_link(bench):
    """We are a server that is silent on the link. The client sends a Decline,
    which a server must expect (C.2), and uses TCP."""
    conn, group = bench.contact(CLIENT)
    conn.rendezvous()
    time.sleep(0.5)
    conn.running()

    def finish():
        # R-3.5.1.3-04, R-C.7-01
        answer = sockets.expect(conn.tcp, wire.DECLINE)
        check(not answer.flag, f"{answer}")
        conn.fell_back()
        seconds = bench.app.outcome(conn.number)[1]
        # R-C.7-02
        check(seconds > FIRST_WAIT - 1, f"it gave up after {seconds} s")
        group.gone = True
    return finish


def _no_reply(bench):
    """The client does not answer CONFIRM LINK: the server resets TCP."""
    conn, group = bench.contact(SERVER)
    conn.rendezvous()
    group.confirmed()

    def finish():
        # R-3.5.1.5-02, R-C.7-01, -07, R-C.7.1-01
        conn.expect_tcp("RST")
        check(bench.app.take(group.listener, 0.1) is None, "accepted")
        group.gone = True
    return finish


def _drops_confirm_link(answers):
    """The client was not ready for the first CONFIRM LINK. The server repeats
    CONFIRM LINK within two seconds, because deployed clients give up then. A
    client that was only slow answers both requests."""
    def contact(bench):
        """Yields (connection, group, seconds until the repetition)."""
        conn, group = bench.contact(SERVER)
        conn.rendezvous()
        began = time.monotonic()
        first = group.confirmed()
        group.said = None       # the test must see the repetition
        again = group.confirmed()
        group.said = None
        seconds = time.monotonic() - began
        check(again.data == first.data, f"{again}, not {first}")
        for _ in range(answers):
            group.send(group.confirm_link())
        got = group.receive()
        if got.data == first.data:      # a third time, because we were slow
            if answers > 1:
                group.send(group.confirm_link())
            got = group.receive()
        check(isinstance(got, msg.Llc) and got.kind == msg.ADD_LINK, f"{got}")
        group.send(group.reject_add(got))
        conn.take()
        echo(conn)
        return conn, group, seconds

    def run(bench):
        conn, group, seconds = contact(bench)
        check(seconds < REPLY_WAIT, f"said again after {seconds:.1f} s")
        # there was no other message
        if answers > 1:
            group.send(group.confirm_link())
            # R-C.7.1-32
            group.violated(conn)
    return run


def _no_add_link(bench):
    """A server never offers a second link: the client continues."""
    conn, group = bench.contact(CLIENT)
    conn.rendezvous()
    group.number = 1
    group.send(group.confirm_link())
    group.confirmed()
    conn.running()

    def finish():
        # R-C.8-01, R-L-14
        conn.take()
        echo(conn)
    return finish


def _no_add_reply(bench):
    """A client does not answer ADD LINK: the server continues without a second
    link."""
    conn, group = bench.contact(SERVER)
    conn.rendezvous()
    group.confirmed()
    group.send(group.confirm_link())
    group.expect(msg.ADD_LINK)

    def finish():
        # R-3.5.1.6.2-01, R-C.8-01
        conn.take()
        echo(conn)
    return finish


def _no_rkey_reply(bench):
    """CONFIRM RKEY gets no answer: the module treats its only link as
    failed."""
    first, group = bench.connect(SERVER)
    group.serves.discard(msg.CONFIRM_RKEY)
    second = group.contact()
    second.propose()
    group.expect(msg.CONFIRM_RKEY)

    def finish():
        # R-4.8.3-03, R-C.7-01, -03, R-C.7.1-17
        group.violated(first, msg.LOST_PATH)
    return finish


def _test_link(role):
    """Checks that the module probes an idle link, each time with other data."""
    def run(bench):
        start = time.monotonic()
        with bench.sysctl("net.smc.smcr_testlink_time", IDLE):
            conn, group = bench.connect(role)
        group.serves.discard(msg.TEST_LINK)
        seen = []
        for _ in range(2):
            # R-4.5.3-05
            asked = group.expect(msg.TEST_LINK, 8)
            # R-A.3.8-01
            check(not asked.flags and asked.data[20:] == bytes(24),
                  f"{asked}")
            seen.append(asked.data)
            group.answer(asked)
            group.serves.discard(msg.TEST_LINK)
        # R-A.3.8-03
        check(seen[0] != seen[1], "the same data again")
        # R-4.5.3-02
        check(time.monotonic() - start > 2 * IDLE - 1, "it was not idle yet")
        busy = time.monotonic() + IDLE + 1      # messages arrive all the time
        while time.monotonic() < busy:
            told = time.monotonic()
            conn.tell()
            # R-4.5.3-02, -04
            group.quiet(0.2)
        group.expect(msg.TEST_LINK, 8)
        # R-4.5.3-07, R-C.7.1-18
        group.violated(conn, msg.LOST_PATH)     # the module gave up
        check(IDLE + 1.5 < time.monotonic() - told < 12, "not in its time")
    return run


def _wrong_echo(bench):
    """Our answer to TEST LINK contains other data."""
    with bench.sysctl("net.smc.smcr_testlink_time", 1):
        conn, group = bench.connect(SERVER)
    group.serves.discard(msg.TEST_LINK)
    asked = group.expect(msg.TEST_LINK, 4)
    group.send(msg.test_link(asked.data[4:19] + bytes([asked.data[19] ^ 1]),
                             msg.REPLY))
    # R-C.7.1-29
    group.violated(conn)


def _silent_after_close(bench):
    """The application has closed and the peer is silent. After one minute TCP
    is reset, and the element stays quarantined."""
    _, group = bench.connect(SERVER)
    conn = group.connect()
    bench.app.close(conn.number)
    conn.number = None
    conn.expect(prod=0, ends=msg.C)
    half = group.connect()      # the module has got D: only C is missing
    half.tell(ends=msg.D)
    bench.app.close(half.number)
    half.number = None
    half.expect(prod=0, ends=msg.C)
    waiting = group.connect()   # the application may close later
    waiting.tell(ends=msg.C)
    asleep = group.connect()
    bench.app.shut(asleep.number, 1)
    asleep.expect(prod=0, ends=msg.D)
    kept = group.connect()      # both directions are shut, but it has a socket
    bench.app.shut(kept.number, 2)
    kept.expect(prod=0, ends=msg.C)
    left = group.connect()      # the socket is closed after both directions
    bench.app.shut(left.number, 2)
    left.expect(prod=0, ends=msg.C)
    bench.app.close(left.number)
    left.number = None

    def finish():
        for one in (conn, half, left):
            # R-4.8.1-06, -08, R-4.8.2-01
            one.expect_gone(10)
            # R-4.8.1-08
            one.expect_tcp("RST")
        # R-4.8.1-07
        check(waiting.exists() and asleep.exists() and kept.exists(),
              "a connection ended that its application has")
        # R-3.5.1.5-04: the timers of first contact do not run any more.
        group.alive()
    return finish


def _closes_after_half(bench):
    """Checks that as long as the module waits, the connection exists."""
    conn, group = bench.connect(CLIENT)
    bench.app.abort(conn.number)
    conn.number = None
    conn.expect(prod=0, ends=msg.A)
    check(conn.exists(), "it ended at once")
    before = bench.app.stats()

    def finish():
        # R-4.8.2-06
        conn.expect_gone()
        after = bench.app.stats()
        check(after["CloseTimeouts"] > before["CloseTimeouts"],
              "not by its timer")
        check(after["ElementsQuarantined"] > before["ElementsQuarantined"],
              "its element is free again")
        for _ in range(6):
            again = group.connect()
            # R-4.4.2-01, R-4.8.1-03
            check((again.theirs.rkey, again.theirs.index) !=
                  (conn.theirs.rkey, conn.theirs.index),
                  "the element is in use again")
    return finish


def _idle_rmb(bench):
    """Checks that the module frees idle RMBs after a while, and only after our
    answer."""
    begin, asked = time.monotonic(), []
    first, group = bench.connect(SERVER)
    conns = [first, *(group.connect() for _ in range(3))]
    for conn in conns[1:]:
        conn.tell(ends=msg.C)
        bench.app.close(conn.number)
        conn.number = None
        conn.expect(prod=0, ends=msg.C)
        conn.expect_gone()
    announced = {one.number(5, 4): one.number(9, 8) for one in group.served}
    check(announced, "no RMB was added")
    used = conns[0].theirs.rkey
    announced[used] = conns[0].theirs.addr

    def request(message):
        if message.kind != msg.DELETE_RKEY:
            return
        key = message.number(8, 4)
        status = group.end_point.try_write(b"still", key, announced[key])
        asked.append((message, status, time.monotonic() - begin))

    group.on_request = request

    def finish():
        group.pump()
        check(asked, "nothing was given back")
        for message, status, seconds in asked:
            check(not message.flags and message.data[4] == 1 and
                  not message.data[5] and message.data[12:] == bytes(32),
                  f"{message}")
            # R-3.5.5.2.2-01
            check(message.number(8, 4) != used, "of an RMB in use")
            # R-3.5.5.2.2-03
            check(verbs.accessible(status), "the key went before our answer")
            # R-3.5.5.2.2-02
            check(seconds > RMB_IDLE - 2, f"after {seconds} s")
        group.alive()
        key = asked[0][0].number(8, 4)
        status = group.end_point.try_write(b"late", key, announced[key])
        check(not verbs.accessible(status), "the key lives on")
        group.gone = True
    return finish


def _refused_delete(bench):
    """We refuse DELETE RKEY. The refusal is counted, and the RMB is freed
    nevertheless."""
    first, group = bench.connect(SERVER)
    conn = group.connect()      # in an RMB of its own
    check(conn.theirs.rkey != first.theirs.rkey, "in the same RMB")
    bench.app.abort(conn.number)
    conn.number = None
    conn.expect(prod=0, ends=msg.A)
    group.refuses.add(msg.DELETE_RKEY)

    def finish():
        group.pump()
        asked = [one for one in group.served if one.kind == msg.DELETE_RKEY]
        keys = [one.number(8, 4) for one in asked]
        # R-4.8.1-08, R-4.8.2-06
        check(keys.count(conn.theirs.rkey) == 1 and
              len(set(keys)) == len(keys), f"asked: {asked}")
        # R-A.3.7-04
        group.alive()
        echo(first)
    return finish


def _keepalive(bench):
    """Checks that the TCP connection still works: TCP acknowledges keepalive
    probes, which contain no data."""
    conn, _ = bench.connect(SERVER)
    for name, value in ((socket.TCP_KEEPIDLE, 1), (socket.TCP_KEEPINTVL, 1),
                        (socket.TCP_KEEPCNT, PROBES)):
        conn.tcp.setsockopt(socket.IPPROTO_TCP, name, value)
    conn.tcp.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def finish():       # without an answer TCP would have timed out
        # R-4.5.3-10
        check(conn.tcp_end() is None, "TCP has ended")
        # R-4.5.3-11
        conn.nothing_to_read()
        echo(conn)
    return finish


def _dead(bench):
    """The peer's queue pair disappears silently. The module's sends fail, and
    the connections end with the last link; they never use TCP."""
    conn, group = bench.connect(SERVER)
    group.end_point.close()
    group.gone = True
    bench.app.write(conn.number, b"anybody?".hex())

    def finish():
        # R-1.1-03, R-4.8.3-02, -03
        conn.expect_reset()
        # R-1.1-03
        conn.expect_tcp("RST")      # fails if a byte arrives before the RST
    return finish


def _handshake_stays(bench):
    """Checks that a silent peer does not delay other peers."""
    groups = []
    for _ in range(5):
        conn, group = bench.contact(SERVER)
        conn.rendezvous()
        groups.append((group, conn))
    start = time.monotonic()
    with bench.connected(SERVER) as (conn, _):
        echo(conn)
    check(time.monotonic() - start < 5, "it was delayed")
    for group, conn in groups:
        group.gone = True
        conn.leave()


def cases():
    yield Case("no CONFIRM LINK", "R-C.7-01, R-C.7-02, R-C.2-01, "
               "R-3.5.1.3-04", _no_confirm_link, slow=FIRST_WAIT + 1)
    yield Case("no CONFIRM LINK reply", "R-C.7-07, R-C.7.1-01, R-C.7-01, "
               "R-3.5.1.5-02", _no_reply, slow=FIRST_WAIT + 1)
    yield Case("CONFIRM LINK again", "R-C.7-01, R-3.5.1.5-02",
               _drops_confirm_link(1))
    yield Case("CONFIRM LINK again, both answered", "R-C.7-01, R-C.7.1-32",
               _drops_confirm_link(2), expected={"LlcViolations": 1})
    yield Case("no ADD LINK", "R-L-14, R-C.8-01", _no_add_link,
               slow=REPLY_WAIT + 1)
    yield Case("no ADD LINK reply", "R-3.5.1.6.2-01, R-C.8-01",
               _no_add_reply, slow=REPLY_WAIT + 1)
    yield Case("no CONFIRM RKEY reply", "R-C.7.1-17, R-C.7-03, R-4.8.3-03",
               _no_rkey_reply, slow=REPLY_WAIT + 1)
    for role in (SERVER, CLIENT):
        yield Case(f"TEST LINK of its own, {role}", "R-4.5.3-02, R-4.5.3-04, R-4.5.3-05, "
                   "R-4.5.3-07, R-A.3.8-01, R-A.3.8-03, R-C.7.1-18",
                   _test_link(role))
    yield Case("TEST LINK answered wrongly", "R-C.7.1-29", _wrong_echo,
               expected={"LlcViolations": 1})
    yield Case("no C from the peer", "R-4.8.1-06, R-4.8.1-07, R-4.8.1-08",
               _silent_after_close, slow=CLOSE_WAIT + 1)
    yield Case("no A from the peer", "R-4.8.2-06, R-4.4.2-01, R-4.8.1-03", _closes_after_half,
               slow=ABORT_WAIT + 1)
    yield Case("idle RMB", "R-3.5.5.2.2-01, R-3.5.5.2.2-02, R-3.5.5.2.2-03, "
               "R-A.3.7-01", _idle_rmb, slow=RMB_IDLE + 4)
    yield Case("peer that died", "R-4.8.3-02, R-4.8.3-03, R-1.1-03", _dead,
               slow=20)
    yield Case("DELETE RKEY refused", "R-A.3.7-04", _refused_delete,
               slow=ABORT_WAIT + 2)
    yield Case("TCP keepalive", "R-4.5.3-10, R-4.5.3-11", _keepalive,
               slow=PROBES + 5)
    yield Case("silence of others", "", _handshake_stays)
