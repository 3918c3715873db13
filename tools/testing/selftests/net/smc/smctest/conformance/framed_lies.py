# SPDX-License-Identifier: GPL-2.0
"""Tests frames.rst with a peer that breaks the rules: it sends wrong values in
each field of a record and of a frame, gives no credits, takes no data, and
floods the module. A wrong record ends its connection, and a wrong frame ends
its link."""

from functools import partial

from smctest import Failure, check, frames, verbs
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.framed_peer import framed, join, offers_frames
from smctest.conformance.peer import (CLIENT, PATIENCE, SERVER,
                                      pattern)
from smctest.world import wait_until

NEEDS = offers_frames
HUGE = (1 << 62) + 1
RECORD, FRAME = "RecordViolations", "FrameViolations"
SENT = "FramesSent"

# Each row has a name and the fields of a record. Before it, 1000 bytes were
# sent in each direction, and both sides have read them.
RECORDS = (
    # F-05
    ("producer position beyond 2^62", {"prod": HUGE}),
    ("consumer position beyond 2^62", {"cons": HUGE}),
    ("data from before position 0", {"prod": 3, "data": b"data"}),
    ("offer with the number 0", {"offer": (0, 5, 0, 65536)}),
    ("offer of a size that is no power of two", {"offer": (1, 5, 0, 65537)}),
    ("offer of nothing with a key", {"offer": (1, 5, 0, 0)}),
    ("offer that goes round the RMB", {"offer": (1, 5, 0xffffffff, 65536)}),
    ("move with the number 0", {"move": 0}),
    ("move with data", {"move": 1, "prod": 1004, "data": b"data"}),
    ("move with the end", {"move": 1, "flags": frames.D}),
    ("answer with the number 0", {"answer": (0, 1000)}),
    ("answer beyond 2^62", {"answer": (1, HUGE)}),
    ("urgent position 0", {"urgent": 0}),
    ("urgent position beyond 2^62", {"urgent": HUGE}),
    # F-19
    ("bytes that came before", {"prod": 1000, "data": b"data"}),
    ("a gap without an element", {"prod": 1001}),
    ("bytes beyond the window", {"prod": 1000 + 65536 * 64}),
    ("an offer that was never made", {"heard": 9}),
    ("more read than was sent", {"cons": 1001}),
    ("an answer to no change of links", {"answer": (1, 1000)}),
    # F-21
    ("a move from beyond the window", {"move": 1, "prod": HUGE - 1}),
)

def _short_as_long(data):
    """Returns a frame whose record has a short head without the bit for it."""
    record = bytes(frames.Record(1, prod=4, data=b"data", short=True))
    size = frames.HEAD + len(record)
    return data[:2] + size.to_bytes(2, "big") + data[4:frames.HEAD] + \
        record[:5] + b"\0" + record[6:]


# Each row has a name, and a function that damages a frame with one good
# record.
FRAMES = (
    # F-02, F-04
    ("shorter than it says", lambda data: data[:-1]),
    ("longer than it says", lambda data: data + b"x"),
    ("one record too many", lambda data: data[:1] + b"\2" + data[2:]),
    ("one record too few", lambda data: data[:1] + b"\0" + data[2:]),
    ("half a header", lambda data: data[:4]),
    ("a single byte", lambda data: data[:1]),
    # F-03
    ("an unknown part", lambda data: data[:13] + b"\1" + data[14:]),
    ("a part that is missing", lambda data: data[:13] + b"\x80" + data[14:]),
    # F-38
    ("a long head that is marked as short",
     lambda data: data[:13] + b"\x08" + data[14:]),
    ("a short head that is marked as long", _short_as_long),
    # F-03
    ("data beyond its end", lambda data: data[:14] + b"\xff" + data[15:]),
    # F-06
    ("a count that goes back", lambda data: data[:4] + bytes(4) + data[8:]),
    ("an absurd count", lambda data: data[:4] + b"\x7f" + data[5:]),
)


def _counted(bench, name, before):
    check(wait_until(lambda: bench.app.stats()[name] == before + 1),
          f"{name} did not grow by one")


def _with_both_heads(rows):
    """Yields each row, and whether its record has a short head (F-38)."""
    for name, fields in rows:
        yield name, fields, False
        if frames.Record(0, **fields).fits_short:
            yield f"{name}, short head", fields, True


def _records(bench, module):
    """Checks that each wrong record ends its connection; the link and other
    connections stay."""
    with framed(bench, module) as (other, group):
        for name, fields, short in _with_both_heads(RECORDS):
            try:
                conn = join(group)
                conn.short = short
                conn.echo(1000)
                before = bench.app.stats()[RECORD]
                conn.say(**fields)
                conn.prod = 1000
                # rows of RECORDS
                conn.aborted()
                _counted(bench, RECORD, before)
            except Failure as why:
                raise Failure(f"{name}: {why}") from why
        group.alive()
        other.echo()


def _frame(change):
    """Checks that the frame ends its link, and has no other effect."""
    def run(bench, module):
        with framed(bench, module) as (conn, group):
            conn.echo()
            before = bench.app.stats()[FRAME]
            data = change(group.end_point.frame(conn.record(b"data")))
            group.end_point.try_send(data)
            # rows of FRAMES
            group.fails(conn)
            _counted(bench, FRAME, before)
    return run


def _behind(bench, module):
    """Nothing that arrives behind a broken frame counts, such as another broken
    frame."""
    with framed(bench, module) as (conn, group):
        conn.echo()
        before = bench.app.stats()[FRAME]
        broken = group.end_point.frame(conn.record(b"data"))[:-1]
        group.end_point.try_send_together(broken, broken, broken)
        group.fails(conn)
        # F-04
        _counted(bench, FRAME, before)


def _beyond_the_end(bench, module):
    with framed(bench, module) as (other, group):
        conn = join(group)
        conn.say(b"end", frames.D)
        conn.gets(b"end")
        before = bench.app.stats()[RECORD]
        conn.say(b"more")
        # F-10, F-19
        conn.aborted(ended=True)
        _counted(bench, RECORD, before)
        other.echo()


def _element_lies(bench, module):
    """A peer that has an element announces more bytes than it can hold, or
    ignores the offer."""
    with framed(bench, module) as (other, group):
        for fields in ({"prod": 1 << 20}, {"heard": 0}):
            conn = join(group)
            conn.say(b"more", frames.W)
            conn.gets(b"more")
            conn.heard = conn.hear().offer[0]
            conn.say()
            before = bench.app.stats()[RECORD]
            conn.say(**fields)
            # F-19
            conn.aborted()
            _counted(bench, RECORD, before)
        other.echo()


def _unknown_key(bench, module):
    """An offer with a key that was never announced has no effect."""
    with framed(bench, module) as (conn, _):
        conn.say(b"x", offer=(frames.FIRST, conn.me.rkey ^ 0x5000, 0, 16384))
        conn.gets(b"x")
        conn.sends(b"y")
        # F-14
        conn.expect(b"y", heard=0)


def _no_credits(bench, module):
    """A peer that gives no new credits gets no more SENDs than it has
    announced, and its connections end as the application wants."""
    with framed(bench, module) as (conn, group):
        point = group.end_point
        point.gives = False
        conn.app.write(conn.number, pattern(0, 60000).hex())
        conn.window = 1 << 20
        conn.say()
        check(wait_until(lambda: group.pump() or point.told - point.arrived <=
                         frames.RESERVE), "the credits are not used up")
        while conn.mail():
            conn.hear()
        got = point.arrived
        conn.silent()
        # F-07
        check(point.arrived == got, f"{point.arrived} SENDs, not {got}")
        conn.app.abort(conn.number)
        conn.number = None
        # F-07: flag A waits for a credit, like all other records
        conn.silent()
        point.gives = True
        point.taken = point.arrived + frames.INITIAL
        group.tell()
        conn.until(frames.A)
        group.tell(frames.Record(conn.theirs.token, frames.A))
        join(group).echo()


def _takes_nothing(bench, module):
    """A peer that promises receives which it does not post: the device gives
    up, and the link ends."""
    with framed(bench, module, 2 * frames.INITIAL) as (conn, group):
        point = group.end_point
        point.refill, point.gives = False, False
        point.told = 0xffff
        conn.window = 1 << 20
        conn.say()
        group.gone = True
        before = bench.app.stats()[SENT]
        errors = []

        def settled(count):
            error = conn.app.error(conn.number)
            if error:
                errors.append(error)
            return error or bench.app.stats()[SENT] >= before + count

        # Each write waits for its SEND. Otherwise one SEND could carry several
        # writes, and the peer could have enough receives.
        for count in range(1, 4 * frames.INITIAL + 1):
            conn.app.write(conn.number, pattern(0, 100).hex())
            if not wait_until(partial(settled, count), PATIENCE) or errors:
                break
        # F-06
        check(errors or
              wait_until(lambda: conn.app.error(conn.number), PATIENCE),
              "the connection lives on")


def _without_credit(bench, module):
    """A peer that goes on without credits: the link ends when the module has
    told its last count."""
    with framed(bench, module) as (conn, group):
        conn.echo()
        before = bench.app.stats()[FRAME]
        point = group.end_point
        sent = 0
        while sent < 3000 and verbs.accessible(point.try_send(point.frame())):
            sent += 1
        # F-06
        check(sent < 3000, "it never had enough")
        group.fails(conn)
        _counted(bench, FRAME, before)


def _flood(bench, module):
    """A peer uses each credit at once, for frames with invalid content. The
    module keeps nothing of them, and the link stays."""
    with framed(bench, module) as (conn, group):
        other = join(group)
        for _ in range(200):
            group.tell()
        for _ in range(200):
            group.tell(conn.record())
        junk = other.record().but(token=other.theirs.token ^ 5)
        for _ in range(100):
            group.tell(*[junk] * 100)
        other.sends(b"go")
        other.expect(b"go")
        other.echo()
        group.send(msg.test_link(b"flood"))
        group.expect_bytes(msg.test_link(b"flood", msg.REPLY))
        conn.echo()


def cases():
    yield from both("frames: broken records", "", _records, limit=120)
    # Each row needs a new group, so half of the rows run in each role.
    for at, (name, change) in enumerate(FRAMES):
        module = (SERVER, CLIENT)[at % 2]
        yield Case(f"frames: broken frame: {name}, {module}", "",
                   lambda bench, m=module, run=_frame(change): run(bench, m))
    yield from both("frames: frames behind a broken one", "", _behind)
    yield from both("frames: bytes behind the end", "", _beyond_the_end)
    yield from both("frames: wrong words about an element", "", _element_lies)
    yield from both("frames: offer with an unknown key", "", _unknown_key)
    yield from both("frames: no credits", "", _no_credits, limit=90)
    yield from both("frames: a peer that takes nothing", "", _takes_nothing,
                    limit=60)
    yield from both("frames: SENDs without a credit", "", _without_credit,
                    limit=90)
    yield from both("frames: a flood", "", _flood, limit=90)
