# SPDX-License-Identifier: GPL-2.0
"""Tests of the close state machine: both sides close in every order, with data
at the end. The tests also check what the TCP connection does during this time
(RFC 7609 4.8)."""

import errno
import itertools

from smctest import check, sockets, wire
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.peer import (CLIENT, ELEMENT, SERVER, SHUT_RD,
                                      SHUT_WR, echo, pattern)
from smctest.world import wait_until

ENDS = {"D": msg.D, "C": msg.C, "A": msg.A}
FINAL = msg.C | msg.A
WAYS = ("C", "DC", "A", "DA")

IDS = {
    ("C", "C"): "R-4.8.1-09, R-4.8.1-13, R-4.8.1-16, R-4.8.1-20, R-4.8.1-24",
    ("C", "DC"): "R-4.8.1-25, R-4.8.1-27, R-4.8.1-28",
    ("DC", "C"): "R-4.8.1-14, R-4.8.1-17, R-4.8.1-18, R-4.8.1-23",
    ("DC", "DC"): "R-4.8.1-09, R-4.8.1-15, R-4.8.1-23, R-4.8.1-26, R-4.3-01, R-A.4-02, "
                  "R-A.4-17",
    ("C", "A"): "R-4.8.2-07, R-4.8.2-08, R-4.8.2-15",
    ("DC", "A"): "R-4.8.1-29, R-4.8.2-08, R-4.8.2-15",
    ("A", "C"): "R-4.8.2-02, R-4.8.2-03, R-4.8.2-16",
    ("A", "DC"): "R-4.8.2-02, R-4.8.2-03, R-4.8.2-16",
    ("A", "A"): "R-4.8.2-05, R-4.8.2-11",
    ("DA", "C"): "R-4.8.2-02, R-4.8.2-16",
    ("DA", "DC"): "R-4.8.2-02, R-4.8.2-16",
    ("DA", "A"): "R-4.8.2-05, R-4.8.2-11",
    ("C", "DA"): "R-4.8.1-28, R-4.8.2-15",
    ("DC", "DA"): "R-4.8.1-29, R-4.8.2-08",
    ("A", "DA"): "R-4.8.2-05, R-4.8.2-11",
    ("DA", "DA"): "R-4.8.2-05, R-4.8.2-11",
}


def orders(ours, theirs):
    """Returns every order of two sequences, as [(side, action)]."""
    total = len(ours) + len(theirs)
    for places in itertools.combinations(range(total), len(ours)):
        first, second = iter(ours), iter(theirs)
        yield [("app", next(first)) if at in places else
               ("peer", next(second)) for at in range(total)]


class Walk:
    """Runs one order of close flags on a connection, and checks the
    results."""

    def __init__(self, conn):
        self.conn = conn
        self.said = self.heard = 0      # flags sent and heard by the module
        self.sent = 0                   # by us
        self.closed = False             # close() was called

    def step(self, whose, what):
        getattr(self, "_" + whose)(what)

    def _expect(self, end):
        """Sends a message with this flag and all earlier ones."""
        self.said |= end
        # rows of IDS
        self.conn.expect(prod=0, cons=0, ends=self.said)

    def _app(self, what):
        conn, over = self.conn, self.heard & msg.A or self.said & msg.A
        if what == "D":
            try:
                conn.app.shut(conn.number, SHUT_WR)
            except RuntimeError:    # ENOTCONN after the peer's abort
                check(over, "shutdown() failed")
        elif what == "C":
            conn.app.close(conn.number)
        else:
            conn.app.abort(conn.number)
        if what != "D":
            conn.number, self.closed = None, True
        if not over:
            self._expect(ENDS[what])

    def _peer(self, what):
        self.sent |= ENDS[what]
        self.conn.tell(ends=self.sent)
        before, self.heard = self.heard, self.heard | ENDS[what]
        if what == "A" and not self.said & FINAL:
            # R-4.8.1-29, R-4.8.2-08, R-L-19
            self._expect(msg.A)
        if not self.closed and not (before | self.said) & msg.A:
            self._application_sees(what)

    def _application_sees(self, what):
        if what == "A":
            # R-4.8.2-07, R-L-19
            self.conn.expect_reset()
        else:
            got = self.conn.app.read(self.conn.number, 10)
            # R-4.8.1-15, -20
            check(got == "", f"recv(): {got}, not the end")

    @property
    def waits(self):
        """Our C arrives after the module's A: only the timer ends the
        connection."""
        return self.said & msg.A and not self.heard & msg.A and self.late

    late = False


def _walk(conn, order):
    walk = Walk(conn)
    for whose, what in order:
        if whose == "peer" and what == "C" and walk.said & msg.A:
            walk.late = True
        walk.step(whose, what)
    return walk


def _matrix(ours, theirs):
    def run(bench, module):
        with bench.connected(module) as (_, group):
            for order in orders(ours, theirs):
                conn = group.connect()
                try:
                    walk = _walk(conn, order)
                    # R-4.8.1-03, R-4.8.2-14, -15
                    group.quiet(0.02)
                    if walk.waits:      # see _late()
                        continue
                    if conn.number is not None:
                        bench.app.close(conn.number)
                        conn.number = None
                    # R-4.8.1-16, -17, -24, -27, R-4.8.2-05, -11, -16
                    conn.expect_gone()
                    if walk.said & msg.A or not walk.heard & msg.A:
                        # R-4.8.1-05, R-4.8.2-02
                        conn.expect_tcp("RST" if walk.said & msg.A else "FIN")
                except Exception:
                    print("#", " ".join(f"{whose}:{what}"
                                        for whose, what in order))
                    raise
            group.alive()
    return run


def _element(conn):
    return conn.theirs.rkey, conn.theirs.index


def _late(bench, module):
    """Our C crosses the module's A. The module waits until the timer expires.
    We write nothing after C, so the element of the connection is free then."""
    with bench.connected(module) as (_, group):
        late, count = [], 0
        before = bench.app.stats()["CloseTimeouts"]
        for ours, theirs in itertools.product(("A", "DA"), ("C", "DC")):
            for order in orders(ours, theirs):
                conn = group.connect()
                count += 1
                if _walk(conn, order).waits:
                    # R-4.8.2-03
                    check(conn.exists(), "ended too early")
                    late.append(conn)
        check(len(late) >= 4, "too few orders")
        for conn in late:
            # R-4.8.2-06
            conn.expect_gone()
        group.alive()
        after = bench.app.stats()["CloseTimeouts"]
        check(after - before >= len(late), "not by the timer")
        # The test opens this connection now, because the module frees idle RMBs
        # after a while.
        taken = {_element(group.connect()) for _ in range(count)}
        # R-4.4.2-02
        check(taken & {_element(conn) for conn in late},
              "their elements are not free again")


# -- data and the end ----------------------------------------------------

def _unread(bench, module):
    """Checks that close() is an abort if the application has not read all
    bytes."""
    with bench.connected(module) as (_, group):
        conn = group.connect()
        conn.data(pattern(0, 100))
        check(bench.app.events(conn.number, 5) & 1, "nothing came")
        bench.app.close(conn.number)
        conn.number = None
        # R-4.8.1-11
        conn.expect(prod=0, ends=msg.A)
        conn.tell(ends=msg.A)
        conn.expect_gone()
        # R-4.8.1-11
        conn.expect_tcp("RST")


def _outstanding(bench, module, what):
    """Checks that data that waits for the window leaves first, then the close
    flag follows."""
    with bench.connected(module) as (_, group):
        conn = group.connect()
        data = pattern(0, 2 * ELEMENT + 77)
        check(bench.app.write(conn.number, data.hex()) == len(data), "send()")
        if what == msg.C:
            bench.app.close(conn.number)
            conn.number = None
        else:
            bench.app.shut(conn.number, SHUT_WR)
        got = b""
        while len(got) < len(data):
            message = group.receive()
            conn.their_seq += 1
            # R-4.8.1-12
            check(not message.ends, f"{message} comes too early")
            end = min(len(data), len(got) + ELEMENT)
            if message.prod != msg.cursor(end, ELEMENT):
                continue        # more data follows
            got += conn.element(len(got), end - len(got))
            if end < len(data):
                # R-4.8.1-12
                group.quiet(0.05)
            conn.cons = end
            conn.tell()
        # R-4.8.1-12
        check(got == data, "wrong bytes")
        # R-4.8.1-12..14
        conn.expect(prod=len(data), ends=what)
        conn.tell(ends=msg.C)
        if what == msg.D:
            bench.app.close(conn.number)
            conn.number = None
            conn.expect(prod=len(data), ends=msg.D | msg.C)
        conn.expect_gone()


def _closed_on_data(bench):
    """The peer closes while the module's data still waits for the window: the
    connection is reset."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        data = pattern(0, ELEMENT + 1)
        check(bench.app.write(conn.number, data.hex()) == len(data), "send()")
        conn.expect(prod=ELEMENT, flags=msg.B)
        conn.tell(ends=msg.C)
        # R-4.8.1-21
        conn.expect_abort(conn.expect_broken)
        conn.expect_gone()


def _with_the_last(bench):
    """Sends one message that announces data and carries C: the application must
    get the data."""
    for end in (msg.C, msg.D, msg.D | msg.C):
        with bench.connected(SERVER) as (_, group):
            conn = group.connect()
            conn.data(pattern(0, 900), ends=end)
            # R-4.8.1-04
            conn.gets(pattern(0, 900))
            # R-4.8.1-20
            check(bench.app.read(conn.number, 10) == "", "not the end")


def _half_closed(bench, module):
    """Checks that each direction works after the other has ended."""
    with bench.connected(module) as (_, group):
        conn = group.connect()
        bench.app.shut(conn.number, SHUT_WR)
        conn.expect(prod=0, ends=msg.D)
        for at in (0, 3000):
            conn.data(pattern(at, 3000))
            # R-4.8.1-19
            conn.gets(pattern(at, 3000))
        group.quiet(0.05)
        conn.tell(msg.R)        # the module still reports its positions, with D
        # R-4.8.1-19, -28
        conn.expect(prod=0, cons=6000, ends=msg.D)


def _half_heard(bench, module):
    with bench.connected(module) as (_, group):
        conn = group.connect()
        conn.tell(ends=msg.D)
        check(bench.app.read(conn.number, 10) == "", "not the end")
        for at in (0, 3000):
            conn.sends(pattern(at, 3000))
            conn.expect(prod=at + 3000)
            # R-4.8.1-22
            check(conn.element(at, 3000) == pattern(at, 3000), "wrong bytes")
        conn.tell(ends=msg.D)
        bench.app.shut(conn.number, SHUT_WR)
        # R-4.8.1-23
        conn.expect(prod=6000, ends=msg.D)


def _no_read(bench):
    """Checks that shutdown(SHUT_RD) sends no message to the peer."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        bench.app.shut(conn.number, SHUT_RD)
        # R-4.8.1-02
        group.quiet()
        conn.sends(b"still here")
        conn.expect(prod=10)
        sockets.expect_open(conn.tcp)


def _after_abort(bench):
    """Checks that after the module has sent A, only our A matters; the module
    ignores all other messages, even invalid ones."""
    with bench.connected(SERVER) as (first, group):
        conn = group.connect()
        bench.app.abort(conn.number)
        conn.number = None
        conn.expect(prod=0, ends=msg.A)
        for ends in (0, msg.D, msg.C):
            conn.tell(prod=(77, 5), cons=(66, 0xffffffff), ends=ends)
        # R-4.8.2-03
        group.quiet(0.1)
        # R-4.8.2-03
        check(conn.exists(), "it has ended")
        conn.tell(ends=msg.A)
        conn.expect_gone()
        echo(first)


def _write_after_abort(bench, module):
    """Checks that data that waited for the window is not written if the window
    opens after A."""
    with bench.connected(module) as (first, group):
        conn = group.connect()
        data = pattern(0, 2 * ELEMENT)
        check(bench.app.write(conn.number, data.hex()) == len(data), "send()")
        conn.expect(prod=ELEMENT, flags=msg.B)
        bench.app.abort(conn.number)
        conn.number = None
        got = group.receive()
        check(got.ends == msg.A, f"{got} is no abort")
        conn.cons = ELEMENT
        conn.tell()
        group.quiet(0.1)
        # R-4.8.2-12
        check(conn.element(0, ELEMENT) == data[:ELEMENT], "it has written")
        conn.tell(ends=msg.A)
        conn.expect_gone()
        echo(first)


def _after_close(bench):
    """Checks that after its C the module sends nothing more, whatever we send:
    data, a request, our close."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        bench.app.close(conn.number)
        conn.number = None
        conn.expect(prod=0, ends=msg.C)
        # R-3.5.4-01
        check(conn.tcp_end() is None, "FIN before our C")
        conn.data(pattern(0, 100), msg.R | msg.B)
        # R-4.8.1-03, R-A.4-17
        group.quiet(0.1)
        conn.tell(ends=msg.C)
        group.quiet(0.1)
        conn.expect_gone()
        # R-4.8.1-05
        conn.expect_tcp("FIN")


def _after_failed_connect(bench):
    """A connect() fails although it has a connection. The socket connects
    again, and FIN still waits for our C."""
    failed, _ = bench.contact(CLIENT)
    failed.propose()
    failed.accept()
    failed.confirmed()
    sockets.reset(failed.tcp)
    failed.tcp = None
    check(failed.outcome() == errno.ECONNRESET, "connect() did not fail")
    conn, group = bench.contact(CLIENT)
    conn.number, failed.number = failed.number, None
    conn.rendezvous()
    group.form()
    conn.take()
    # the connection of the first connect() has left its group
    echo(conn)
    group.quiet(0.2)
    bench.app.close(conn.number)
    conn.number = None
    conn.expect(ends=msg.C)
    # R-3.5.4-01
    check(conn.tcp_end() is None, "FIN before our C")
    conn.tell(ends=msg.C)
    # R-4.8.1-05
    conn.expect_tcp("FIN")


def _tcp_reset(bench):
    """We send RST on TCP, and have sent no A before: the module aborts."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        sockets.reset(conn.tcp)
        conn.tcp = None
        # R-4.8.2-01, -09
        conn.expect(prod=0, ends=msg.A)
        # R-4.8.2-04
        conn.expect_reset()
        conn.tell(ends=msg.A)
        conn.expect_gone()


def _tcp_reset_after(bench):
    """We send RST on TCP after our A: the module does not abort again."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        conn.tell(ends=msg.A)
        conn.expect(prod=0, ends=msg.A)
        sockets.reset(conn.tcp)
        conn.tcp = None
        # R-4.8.2-10
        group.quiet(0.1)
        conn.expect_gone()


def _tcp_fin(bench):
    """Checks that a FIN on TCP does not end the connection."""
    with bench.connected(SERVER) as (_, group):
        conn = group.connect()
        conn.tcp.shutdown(SHUT_WR)
        # R-L-18
        echo(conn)
        echo(conn)


def _tcp_data(bench):
    """Checks that bytes on TCP after the CLC handshake never reach the
    application. Such bytes end the connection, even if they arrive together
    with the last CLC message."""
    with bench.connected(SERVER) as (first, group):
        conn = group.connect()
        conn.tcp.sendall(b"not for you")
        # R-4.5.3-11
        conn.expect_abort()
        conn = group.contact()
        conn.propose()
        conn.accepted()
        conn.tcp.sendall(wire.confirm(conn.me) + b"not for you")
        conn.take()
        conn.expect_abort()
        echo(first)


def _many_aborts(bench):
    """Checks that fifty aborted connections leave no resources behind."""
    with bench.connected(SERVER) as (conn, group):
        before, own = bench.app.stats(), set()
        for _ in range(50):
            one = group.contact()
            one.me = one.me.but(index=2)
            one.rendezvous()
            one.take()
            one.data(b"unread")
            one.tell(ends=msg.A)
            got = group.receive()
            check(got.ends == msg.A and got.token == one.me.token, f"{got}")
            own.add((group.port, one.tcp.getsockname()[1]))
            one.leave()
        after = bench.app.stats()
        # R-4.8.2-13
        check(after["RmbsAllocated"] - before["RmbsAllocated"] <= 4,
              "elements were not used again")
        # R-4.8.2-13
        check(wait_until(lambda: own.isdisjoint(
            (sock["sport"], sock["dport"]) for sock in bench.open_sockets())),
              "sockets are left")
        echo(conn)


def cases():
    for ours, theirs in itertools.product(WAYS, WAYS):
        yield from both(f"close: application {ours}, peer {theirs}",
                        IDS[ours, theirs], _matrix(ours, theirs), limit=60)
    yield from both("close with bytes unread", "R-4.8.1-11", _unread)
    for name, what, ids in (("close", msg.C, "R-4.8.1-12, R-4.8.1-13"),
                            ("shutdown", msg.D, "R-4.8.1-12, R-4.8.1-14")):
        yield from both(f"{name} with data outstanding", ids,
                        lambda bench, module, w=what:
                        _outstanding(bench, module, w))
    yield Case("C while data are outstanding", "R-4.8.1-21", _closed_on_data)
    yield Case("data and the end in one message", "R-4.8.1-04, R-4.8.1-20",
               _with_the_last)
    yield from both("half closed", "R-4.8.1-19, R-4.8.1-28",
                    _half_closed)
    yield from both("half closed by the peer", "R-4.8.1-22, R-4.8.1-23",
                    _half_heard)
    yield from both("C crosses its A", "R-4.8.2-03, R-4.8.2-06, R-4.4.2-02",
                    _late, limit=60)
    yield Case("shutdown of reading", "R-4.8.1-02", _no_read)
    yield Case("after its A", "R-4.8.2-03, R-4.8.2-12", _after_abort)
    yield from both("window opens after its A", "R-4.8.2-12",
                    _write_after_abort)
    yield Case("after its C", "R-4.8.1-03, R-3.5.4-01, R-4.8.1-05",
               _after_close)
    yield Case("close after a connect() that failed at first",
               "R-3.5.4-01, R-4.8.1-05", _after_failed_connect)
    yield Case("RST of TCP", "R-4.8.2-01, R-4.8.2-04, R-4.8.2-09", _tcp_reset)
    yield Case("RST of TCP behind A", "R-4.8.2-10", _tcp_reset_after)
    yield Case("FIN of TCP", "R-L-18", _tcp_fin)
    yield Case("data on TCP", "R-4.5.3-11", _tcp_data)
    yield Case("fifty aborts", "R-4.8.2-13", _many_aborts, limit=60)
