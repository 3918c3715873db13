# SPDX-License-Identifier: GPL-2.0
"""Tests CDC messages: valid cursors, order, validation after a switch of links,
windows (RFC 7609 4.3, 4.5.1, 4.5.2, 4.6.1, A.4)."""

import socket

from smctest import check
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.peer import ELEMENT, SERVER, echo, pattern
from smctest.world import wait_until

BAD = {"CdcViolations": 1}
HALF = ELEMENT // 2


# -- impossible positions -----------------------------------------------

IMPOSSIBLE = (
    # Each row has a name, IDs, and fields of the message. Before it, 1000 bytes
    # were sent in each direction.
    ("producer cursor at the end of the element", "R-A.4-13, R-4.7-01",
     {"prod": (0, ELEMENT)}),
    ("producer cursor 0xffffffff", "R-A.4-13", {"prod": (0, 0xffffffff)}),
    ("producer wrap two ahead", "R-A.4-13", {"prod": (2, 0)}),
    ("producer one byte beyond the window", "R-A.4-13",
     {"prod": (1, 1001)}),
    ("producer behind itself", "R-A.4-13", {"prod": (0, 999)}),
    ("producer wrap 65535", "R-A.4-13", {"prod": (65535, 1000)}),
    ("consumer beyond what was sent", "R-A.4-13, R-A.4-11",
     {"cons": (0, 1001)}),
    ("consumer wrap one ahead", "R-A.4-13", {"cons": (1, 1000)}),
    ("consumer behind itself", "R-A.4-13", {"cons": (0, 499)}),
    ("consumer cursor at the end of the element", "R-A.4-13",
     {"cons": (0, ELEMENT)}),
    ("consumer cursor 0xffffffff", "R-A.4-13", {"cons": (0, 0xffffffff)}),
)


def _after_some(conn):
    """Sends 1000 bytes in each direction; we report that we have read 500 of
    them."""
    conn.sends(pattern(0, 1000))
    conn.expect(prod=1000, cons=0)
    conn.cons = 500
    conn.data(pattern(0, 1000))
    conn.gets(pattern(0, 1000))


def _impossible(fields):
    """Checks that the message ends its connection; the link and other
    connections stay."""
    def run(bench):
        with bench.connected(SERVER) as (other, group):
            conn = group.connect()
            _after_some(conn)
            if fields.get("prod") == (1, 1001):
                # The peer has read all data but may not have reported that; the
                # reported window counts.
                fields["prod"] = (1, 1)
            conn.tell(**fields)
            # rows of IMPOSSIBLE
            conn.expect_abort()
            group.alive()
            echo(other)
    return run


# -- tokens --------------------------------------------------------------

def _unknown_token(bench):
    """Checks that the module drops the message: it does not answer, and the
    connection stays."""
    with bench.connected(SERVER) as (conn, group):
        before = bench.app.stats()["CdcUnknownToken"]
        for token in (0, 0xffffffff, conn.theirs.token ^ 1):
            group.send(msg.cdc(1, token, (0, 100), (0, 0), ends=msg.A))
            group.send(msg.cdc(1, token, (0, 0), (0, 0), msg.F))
        # R-4.6.1-10, R-A.4-07
        check(wait_until(lambda: bench.app.stats()["CdcUnknownToken"] -
                         before == 6), "not all were counted")
        # R-4.6.1-10, R-A.4-07
        group.quiet()
        echo(conn)


def _other_group(bench):
    """Returns the token of a connection that another peer has with
    the module."""
    with bench.connected(SERVER) as (conn, _):
        with bench.connected(SERVER) as (_, thief):
            before = bench.app.stats()["CdcUnknownToken"]
            thief.send(msg.cdc(1, conn.theirs.token, (0, 100), (0, 0),
                               ends=msg.A))
            # R-1.2-02, R-A.4-07
            check(wait_until(lambda: bench.app.stats()["CdcUnknownToken"] >
                             before), "it was not dropped")
            thief.alive()
        conn.nothing_to_read()
        echo(conn)


def _sibling(bench):
    """Checks that a message with the token of another connection of the group
    applies to that connection."""
    with bench.connected(SERVER) as (conn, group):
        other = group.connect()
        other.tell(ends=msg.A)
        got = group.receive()
        # R-3.4-02
        check(got.token == other.me.token and got.ends == msg.A, f"{got}")
        # R-3.4-02
        echo(conn)


# -- sequence numbers ----------------------------------------------------

def _order(bench):
    """Checks that the module drops older messages, and that a repeated or a
    lost message does no harm."""
    with bench.connected(SERVER) as (conn, group):
        conn.data(pattern(0, 100))              # 1
        conn.seq = 5
        conn.data(pattern(100, 100))            # number 6: four are missing
        # R-A.4-05
        conn.gets(pattern(0, 200))
        group.send(conn.cdc(seq=4, prod=(0, 100), ends=msg.A))
        conn.seq = 6
        group.send(conn.cdc(seq=6))
        conn.seq = 6
        conn.nothing_to_read()
        # R-A.4-04
        echo(conn)


def _wraps(bench):
    """Checks that the numbers 0 and 1 follow 65535, and the module does not
    treat them as older numbers."""
    with bench.connected(SERVER) as (conn, group):
        at = 0
        for jump in (30000, 60000, 65533, 65534, 65535, 0, 1, 20000):
            conn.seq = (jump - 1) & 0xffff
            conn.data(pattern(at, 10))
            conn.gets(pattern(at, 10))
            at += 10
        before = bench.app.stats()["CdcOutdated"]
        group.send(conn.cdc(seq=65535, ends=msg.A))     # older than 20000
        conn.seq = 20000
        check(wait_until(lambda: bench.app.stats()["CdcOutdated"] ==
                         before + 1), "it was not dropped as outdated")
        echo(conn)


def _own_sequence(bench):
    """Checks that the module's sequence number begins at 1 and increases by one
    for each message."""
    with bench.connected(SERVER) as (conn, _):
        for number in range(1, 40):
            conn.sends(b"x")
            got = conn.expect(prod=number, cons=0)
            # R-4.3-02, R-A.4-06, R-L-07
            check(got.seq == number, f"{got} is not number {number}")
            conn.cons += 1
            conn.tell()


# -- validation ----------------------------------------------------------

def _validation(behind):
    """The peer has switched links and its message names the last message that
    must have arrived."""
    def run(bench):
        with bench.connected(SERVER) as (other, group):
            conn = group.connect()
            conn.data(pattern(0, 100))
            conn.data(pattern(100, 100))
            conn.gets(pattern(0, 200))
            seq = (conn.seq - behind) & 0xffff
            # All fields except token and number contain nonsense.
            group.send(msg.cdc(seq, conn.theirs.token, (99, 0xffffffff),
                               (98, 0xfffffff0), msg.F | msg.B | msg.U,
                               msg.C | msg.A | msg.D))
            if behind < 0:
                # R-2.3-08, R-4.6.1-07
                conn.expect_abort()
                # R-2.3-08
                echo(other)
                return
            # R-4.6.1-08
            group.quiet(0.1)
            # R-4.6.1-03, -06, -08, R-L-23
            echo(conn)      # the next number: the message with F took none
    return run


def _moves_twice(own_first):
    """The peer switches links twice, while two messages are in the receive queue
    of the first link. They arrive last. @own_first: a message of the second link
    comes before the second validation, else it comes after that."""
    def run(bench):
        with bench.connected(SERVER) as (conn, group):
            conn.data(pattern(0, 100))              # 1
            conn.gets(pattern(0, 100))
            late = [conn.cdc(seq=2), conn.cdc(seq=3)]
            def validate(seq):
                group.send(msg.cdc(seq, conn.theirs.token, (0, 0), (0, 0),
                                   msg.F))
            validate(3)
            conn.seq = 3
            conn.data(pattern(100, 100))            # 4, held
            if own_first:
                conn.data(pattern(200, 100))        # 5, held
                validate(5)
            else:
                validate(5)
                conn.data(pattern(200, 100))
            for data in late:
                group.send(data)
            # R-4.6.1-06, R-4.6.1-07: nothing was lost
            conn.gets(pattern(100, 200))
            conn.seq = 5
            echo(conn)
    return run


def _third_link(bench):
    """The peer switches links twice, and a message of the third link arrives
    before those of the first. The first validation comes last."""
    for first_late in (False, True):
        with bench.connected(SERVER) as (conn, group):
            late = [conn.cdc(seq=1), conn.cdc(seq=2)]
            def validate(seq):
                group.send(msg.cdc(seq, conn.theirs.token, (0, 0), (0, 0),
                                   msg.F))
            conn.seq = 2
            if first_late:
                validate(4)
                conn.seq = 4
                conn.data(pattern(0, 100))          # 5
                validate(2)
                late += [conn.cdc(seq=3, prod=(0, 0)),
                         conn.cdc(seq=4, prod=(0, 0))]
            else:
                validate(2)
                conn.tell()                         # 3
                conn.tell()                         # 4
                validate(4)
                conn.data(pattern(0, 100))          # 5
            for data in late:
                group.send(data)
            # R-4.6.1-06, R-4.6.1-07
            conn.gets(pattern(0, 100))
            conn.seq = 5
            echo(conn)


def _second_is_lost(bench):
    """The peer switches links twice; the messages of the first link arrive late,
    and one of the second never."""
    with bench.connected(SERVER) as (other, group):
        conn = group.connect()
        late = [conn.cdc(seq=1), conn.cdc(seq=2)]
        for seq in (2, 4):
            group.send(msg.cdc(seq, conn.theirs.token, (0, 0), (0, 0), msg.F))
        for data in late:
            group.send(data)
        # R-4.6.1-07
        conn.expect_abort()
        echo(other)


def _replayed(bench):
    """After a switch of links the peer repeats the same operations, even for
    bytes that were read already. The test checks both ways to continue. No
    byte is delivered twice."""
    with bench.connected(SERVER) as (conn, group):
        conn.data(pattern(0, 300))
        conn.gets(pattern(0, 300))
        conn.data(pattern(300, 300))
        group.send(msg.cdc(conn.seq, conn.theirs.token, (0, 0), (0, 0),
                           msg.F))
        conn.prod -= 300
        conn.seq -= 1
        conn.data(pattern(300, 300))            # the same operation
        # R-4.6.2-04
        conn.gets(pattern(300, 300))
        # R-4.6.2-04
        conn.nothing_to_read()
        conn.prod -= 300
        conn.data(pattern(300, 500))            # merged with new bytes
        # R-4.6.2-04
        conn.gets(pattern(600, 200))
        # R-4.6.2-04
        conn.nothing_to_read()


# -- flags ---------------------------------------------------------------

def _urgent_without_data(bench):
    """Sends flags P and U in messages without data."""
    with bench.connected(SERVER) as (conn, group):
        for flags in (msg.P, msg.U, msg.P | msg.U, msg.P | msg.B):
            conn.tell(flags)
        conn.tell()
        group.alive()
        conn.nothing_to_read()
        conn.data(pattern(0, 50))
        conn.gets(pattern(0, 50))


def _reserved_bits(bench):
    """We set all reserved bits, and the module ignores them."""
    with bench.connected(SERVER) as (conn, group):
        conn.write(pattern(0, 60))
        data = bytearray(conn.cdc())
        data[8:10] = data[16:18] = b"\xff\xff"
        data[24] |= 0x07
        data[25] |= 0x1f
        data[26:] = b"\xff" * 18
        group.send(bytes(data))
        # R-A.2-01, R-A.4-01
        conn.gets(pattern(0, 60))
        echo(conn)


def _asks(bench):
    """Sends flag R: the module must send its position at once if the peer does
    not know that position."""
    with bench.connected(SERVER) as (conn, group):
        conn.data(pattern(0, 1000))
        conn.gets(pattern(0, 1000))
        group.quiet(0.1)
        conn.tell(msg.R)
        # R-4.5.1-08, R-A.4-16
        conn.expect(prod=0, cons=1000)
        conn.tell(msg.R)                # the peer knows the position
        group.quiet(0.1)
        conn.data(pattern(0, 10), msg.R)
        conn.gets(pattern(0, 10))
        # R-4.5.1-08, R-A.4-16
        conn.expect(prod=0, cons=1010)


# -- windows, the module reads -------------------------------------------

def _updates(bench):
    """Checks both sides of each bound in 4.5.1."""
    with bench.connected(SERVER) as (conn, group):
        # We see half of the window, which does not count as less than half.
        conn.data(pattern(0, HALF))
        conn.gets(pattern(0, HALF))
        # R-4.5.1-01, -05
        group.quiet(0.1)
        # We see less than half, but the gain would be too small.
        conn.data(pattern(0, 2000))
        # The gain is the whole window, far more than 10 percent.
        conn.gets(pattern(0, 2000))
        # R-4.5.1-01, -04
        conn.expect(prod=0, cons=HALF + 2000)


def _small_gain(bench):
    """We see less than half, and the gain is 10 percent. With one byte less,
    the module sends nothing."""
    with bench.connected(SERVER) as (conn, group):
        conn.data(pattern(0, HALF + 4000))
        conn.gets(pattern(0, ELEMENT // 10))
        # R-4.5.1-01, -03, -05
        group.quiet(0.1)
        at = ELEMENT // 10
        conn.gets(pattern(at, 1))
        # R-4.5.1-01
        conn.expect(prod=0, cons=at + 1)


def _blocked_writer(bench):
    """Sends flag B: the module must report every byte that is read."""
    with bench.connected(SERVER) as (conn, group):
        conn.data(pattern(0, ELEMENT), msg.B)
        for count in range(1, 6):
            conn.gets(pattern(count - 1, 1))
            # R-4.5.1-07
            conn.expect(prod=0, cons=count)
        conn.tell()             # we are not blocked any more
        group.alive()           # the module has handled the message
        conn.gets(pattern(5, 1))
        # R-4.5.1-07
        group.quiet(0.1)


def _blocked_later(bench):
    """Sends flag B after the read: the module must still report its
    position."""
    with bench.connected(SERVER) as (conn, group):
        conn.data(pattern(0, 1000))
        conn.gets(pattern(0, 1000))
        group.quiet(0.1)
        conn.tell(msg.B)
        # R-4.5.1-07
        conn.expect(prod=0, cons=1000)


def _with_data(bench):
    """Checks that every message carries the position, so no separate message
    follows."""
    with bench.connected(SERVER) as (conn, group):
        for count in range(1, 30):
            conn.data(pattern(0, 1000))
            conn.gets(pattern(0, 1000))
            conn.sends(b"ok")
            # R-4.5.1-06
            conn.expect(prod=2 * count, cons=1000 * count)
            conn.cons += 2
        group.quiet(0.1)


# -- windows, the module writes ------------------------------------------

def _stops(bench, module):
    """Checks that the module writes exactly one window and then stops, however
    much data the application has."""
    with bench.connected(module) as (conn, group):
        data = pattern(0, 3 * ELEMENT)
        # R-4.7-05
        check(bench.app.write(conn.number, data.hex()) == len(data),
              "send() did not take it all")
        got = _collect(conn, ELEMENT)
        # R-4.3-05, R-A.4-14
        check(got.flags == msg.B, f"{got}: not blocked")
        # R-2.1-17, R-4.5.1-10, R-A.4-08
        group.quiet()
        check(conn.element(0, ELEMENT) == data[:ELEMENT], "wrong bytes")
        conn.cons = 1000        # a part of the data
        conn.tell()
        got = _collect(conn, ELEMENT + 1000)
        check(got.flags == msg.B, f"{got}: not blocked")
        group.quiet(0.1)
        check(conn.element(ELEMENT, 1000) == data[ELEMENT:][:1000],
              "wrong bytes")
        there = ELEMENT + 1000
        while there < len(data):
            conn.cons += 5000
            conn.tell()
            there = min(conn.cons + ELEMENT, len(data))
            got = _collect(conn, there)
            check(conn.element(conn.cons, there - conn.cons) ==
                  data[conn.cons:there], "wrong bytes")
        # R-A.4-14
        check(not got.flags, f"{got}: still blocked")


def _collect(conn, until):
    """Receives CDC messages up to this position, and never beyond."""
    got = None
    while _position(got, until) != until:
        got = conn.group.receive()
        conn.their_seq += 1
        check(isinstance(got, msg.Cdc), f"{got}")
        # R-2.1-17, R-A.4-08
        check(_position(got, until) <= until, f"{got} beyond {until}")
        # R-A.4-14
        check(_position(got, until) == until or got.flags & msg.B,
              f"{got} is not the end and not blocked")
    return got


def _position(got, near):
    """Returns the stream position of a cursor, close to another position."""
    if got is None:
        return None
    wrap, cursor = got.prod
    lap = near // ELEMENT
    return (lap + (wrap - lap + 32768) % 65536 - 32768) * ELEMENT + cursor


def _small_sends(bench):
    """Checks that each small send leaves by itself as long as the window
    allows."""
    with bench.connected(SERVER) as (conn, _):
        for count in range(1, 21):
            conn.sends(b"n")
            # R-4.5.2-01
            conn.expect(prod=count, cons=0)


def _behind_one(bench, prepare):
    """The application sends one byte six times. We have no posted receive for
    the first message. Returns the positions of the messages that arrive
    afterwards."""
    group = bench.group(SERVER)
    point = group.end_point
    point.receives = 2
    conn = group.connect()
    prepare(conn)
    point.refill = False
    for count in (1, 2):
        conn.sends(b"r")
        conn.expect(prod=count, cons=0)
    for _ in range(6):
        conn.sends(b"n")
    point.refill = True
    point.feed()
    reach = []
    while not reach or reach[-1] < 8:
        got = group.receive()
        check(isinstance(got, msg.Cdc) and not got.prod[0], f"{got}")
        reach.append(got.prod[1])
    group.alive()
    group.end()
    return reach


def _coalesced(bench):
    """Checks that five of the sends wait for the first message and leave
    together, except if the application or the administrator has disabled the
    delay."""
    def nothing(_):
        pass

    def nodelay(conn):
        left = bench.app.options(conn.number, [[socket.IPPROTO_TCP,
                                                socket.TCP_NODELAY, 1]])
        check(not left, "TCP_NODELAY was not taken")

    reach = _behind_one(bench, nothing)
    # R-4.5.2-02
    check(reach == [3, 8], f"messages reach to {reach}")
    reach = _behind_one(bench, nodelay)
    # R-4.5.2-03
    check(reach == [3, 4, 5, 6, 7, 8], f"TCP_NODELAY: {reach}")
    with bench.sysctl("net.smc.autocorking_size", 0):
        reach = _behind_one(bench, nothing)
    # R-4.5.2-03
    check(reach == [3, 4, 5, 6, 7, 8], f"by setting: {reach}")


def _many_laps(bench):
    """Makes both elements wrap several times, with odd sizes, and checks all
    bytes."""
    with bench.connected(SERVER) as (conn, group):
        size, at = 4999, 0
        for _ in range(24):
            conn.sends(pattern(at, size))
            got = group.receive()
            conn.their_seq += 1
            # R-4.3-03, R-4.7-01, R-A.4-10
            check(isinstance(got, msg.Cdc) and
                  got.prod == msg.cursor(at + size, ELEMENT), f"{got}")
            # R-4.2-04
            check(conn.element(at, size) == pattern(at, size), "wrong bytes")
            at += size
            conn.cons = at
            conn.data(pattern(at, size))
            # R-2.1-16, R-4.2-04, R-A.4-11
            conn.gets(pattern(at, size))
            extra = group.poll(0.005)
            while extra:        # updates of the window
                conn.their_seq += 1
                extra = group.poll(0.005)
        check(at > 7 * ELEMENT, "too few")


def cases():
    for name, ids, fields in IMPOSSIBLE:
        yield Case(name, ids, _impossible(dict(fields)), expected=BAD)
    yield Case("unknown tokens", "R-A.4-07, R-4.6.1-10", _unknown_token)
    yield Case("token of another group", "R-1.2-02, R-A.4-07", _other_group)
    yield Case("token of a sibling", "R-3.4-02", _sibling)
    yield Case("order of CDC messages", "R-A.4-04, R-A.4-05", _order)
    yield Case("sequence numbers wrap", "R-A.4-04, R-4.3-02", _wraps)
    yield Case("sequence of its own", "R-4.3-02, R-A.4-06, R-L-07, R-A.4-01",
               _own_sequence)
    yield Case("validation, all has arrived", "R-4.6.1-06, R-4.6.1-08, "
               "R-4.6.1-03", _validation(0))
    yield Case("validation, one lower", "R-4.6.1-06, R-L-23", _validation(1))
    yield Case("validation, one is lost", "R-4.6.1-07, R-2.3-08",
               _validation(-1), expected=BAD)
    yield Case("validation, far in the future", "R-4.6.1-07",
               _validation(-30000), expected=BAD)
    yield Case("validation, two moves, held before", "R-4.6.1-06, R-4.6.1-07",
               _moves_twice(True))
    yield Case("validation, two moves, held after", "R-4.6.1-06, R-4.6.1-07",
               _moves_twice(False))
    yield Case("validation, two moves, held of the third link",
               "R-4.6.1-06, R-4.6.1-07", _third_link)
    yield Case("validation, two moves, the second one is lost", "R-4.6.1-07",
               _second_is_lost, expected=BAD)
    yield Case("replay", "R-4.6.2-04", _replayed)
    yield Case("urgent flags without data", "R-4.3-05",
               _urgent_without_data)
    yield Case("reserved bits", "R-A.4-01, R-A.2-01", _reserved_bits)
    yield Case("cursor update requested", "R-4.5.1-08, R-A.4-16", _asks)
    yield Case("window update: half", "R-4.5.1-01, R-4.5.1-05", _updates)
    yield Case("window update: 10 percent", "R-4.5.1-01, R-4.5.1-05",
               _small_gain)
    yield Case("window update: blocked", "R-4.5.1-07, R-A.4-14",
               _blocked_writer)
    yield Case("window update: blocked later", "R-4.5.1-07", _blocked_later)
    yield Case("window update with data", "R-4.5.1-06", _with_data)
    yield from both("a full window", "R-2.1-17, R-4.5.1-10, R-A.4-08, "
                    "R-A.4-14, R-4.7-05", _stops)
    yield Case("small sends", "R-4.5.2-01", _small_sends)
    yield Case("small sends behind one that is under way", "R-4.5.2-03",
               _coalesced, limit=60)
    yield Case("many laps", "R-4.2-04, R-4.3-03, R-A.4-10, R-A.4-11, "
               "R-A.4-12, R-4.7-01, R-2.1-16", _many_laps)
