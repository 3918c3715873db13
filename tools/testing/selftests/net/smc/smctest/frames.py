# SPDX-License-Identifier: GPL-2.0
"""Frames and records of Documentation/networking/smc/frames.rst as bytes, in
both directions. The code follows the page and not the module."""

import dataclasses
import struct

from smctest import Failure, check

TYPE, WAITED = 0xfa, 0xfb   # the sender has waited for credits (F-01)
HEAD, RECORD = 8, 32        # bytes of a frame's header, and of a record
SHORT_RECORD = 23           # bytes of a record with a short head (F-38)
INITIAL = 4                 # SENDs that each side accepts at first (F-06)
RESERVE = 2                 # credits that records leave (F-07)
WINDOW = 8192               # bytes of the window before the first record
FIRST = 1                   # number of the first offer and of the first move

B, W, D, C, A = 0x80, 0x40, 0x20, 0x10, 0x08
OFFER, MOVE, ANSWER, URGENT = 0x80, 0x40, 0x20, 0x10
SHORT = 0x08                # among the parts: the record has a short head
# (attribute of a record, bit, layout), in the order of the wire
PARTS = (("offer", OFFER, ">IIII"), ("move", MOVE, ">I"),
         ("answer", ANSWER, ">IQ"), ("urgent", URGENT, ">Q"))


@dataclasses.dataclass(frozen=True)
class Record:   # pylint: disable=too-many-instance-attributes
    """A record. offer: (number, key, offset, size) or None; move: number;
    answer: (number, position); urgent: position. parts and length replace the
    values that follow from the other attributes, so that a test can send wrong
    values. short: the record has a short head."""

    token: int
    flags: int = 0
    prod: int = 0
    cons: int = 0
    window: int = WINDOW
    heard: int = 0
    offer: tuple = None
    move: int = None
    answer: tuple = None
    urgent: int = None
    data: bytes = b""
    parts: int = None
    length: int = None
    short: bool = False

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def __bytes__(self):
        parts, tail = 0, b""
        for name, bit, layout in PARTS:
            value = getattr(self, name)
            if value is not None:
                parts |= bit
                tail += struct.pack(layout, *(value if isinstance(
                    value, tuple) else (value,)))
        if self.parts is not None:
            parts = self.parts
        length = len(self.data) if self.length is None else self.length
        return struct.pack(">IBBH", self.token, self.flags,
                           parts | SHORT * self.short,
                           length) + self._values() + tail + self.data

    def _values(self):
        if self.short:  # F-38
            return b"".join(value.to_bytes(size, "big") for value, size in (
                (self.prod, 5), (self.cons, 5), (self.window, 3),
                (self.heard, 2)))
        return struct.pack(">QQII", self.prod, self.cons, self.window,
                           self.heard)

    @property
    def fits_short(self):
        """Do the values fit in a short head?"""
        # F-38
        return max(self.prod, self.cons) < 1 << 40 and \
            self.window < 1 << 24 and self.heard < 1 << 16


def frame(taken, *records, count=None, length=None, waits=False):
    """Returns a frame. count and length: wrong values of the header."""
    body = b"".join(bytes(one) for one in records)
    return struct.pack(">BBHI", WAITED if waits else TYPE, len(records) if count is None else count,
                       HEAD + len(body) if length is None else length,
                       taken & 0xffffffff) + body


def is_frame(data):
    return data[:1] in (bytes([TYPE]), bytes([WAITED]))


def waited(data):
    """Does the frame say that its sender has waited?"""
    return data[0] == WAITED


def _head(data, at):
    """Returns the values of a record's head, (token, flags, parts, length,
    producer, consumer, window, heard), and the offset behind it."""
    check(len(data) - at >= SHORT_RECORD, "the frame ends in a record")
    first = struct.unpack_from(">IBBH", data, at)
    if first[2] & SHORT:
        # F-38
        values, at = [], at + 8
        for size in (5, 5, 3, 2):
            values.append(int.from_bytes(data[at:at + size], "big"))
            at += size
        return (*first, *values), at
    check(len(data) - at >= RECORD, "the frame ends in a record")
    return (*first, *struct.unpack_from(">QQII", data, at + 8)), at + RECORD


def _record(data, at):
    """Returns (record, offset behind it)."""
    (token, flags, parts, length, prod, cons, window, heard), at = _head(data,
                                                                         at)
    # F-03
    check(not flags & 7 and not parts & 7, f"flags {flags:02x}, parts {parts:02x}")
    found = {}
    for name, bit, layout in PARTS:
        if not parts & bit:
            continue
        size = struct.calcsize(layout)
        check(len(data) - at >= size, f"the frame ends in the part {name}")
        value = struct.unpack_from(layout, data, at)
        found[name] = value if len(value) > 1 else value[0]
        at += size
    check(len(data) - at >= length, "the frame ends in the data")
    return Record(token, flags, prod, cons, window, heard, **found,
                  data=data[at:at + length],
                  short=bool(parts & SHORT)), at + length


def parse(data):
    """Returns (count of the header, records) of a frame; fails if the frame is
    malformed (F-02 to F-05)."""
    check(len(data) >= HEAD, f"a frame of {len(data)} bytes")
    _, count, length, taken = struct.unpack_from(">BBHI", data)
    # F-02
    check(length == len(data), f"{len(data)} bytes say {length}")
    at, records = HEAD, []
    for _ in range(count):
        record, at = _record(data, at)
        records.append(record)
    # F-03
    check(at == len(data), f"{len(data) - at} bytes behind the records")
    tokens = [record.token for record in records]
    check(len(set(tokens)) == len(tokens), "a connection has two records")
    return taken, records


def self_check():
    """Returns an error of the codec on test inputs, or an empty string."""
    one = Record(7, B | W, 900, 3, 100, 2, (3, 4, 4096, 65536), 5, (6, 70), 8,
                 b"data")
    two = Record(8, D, prod=1, data=b"x")
    three = one.but(token=9, short=True, prod=(1 << 40) - 1)
    got = parse(frame(20, one, two, three))
    if got != (20, [one, two, three]):
        return f"{got}"
    if len(bytes(one)) - len(bytes(three)) != RECORD - SHORT_RECORD:
        return "the length of a short head"
    if not waited(frame(20, waits=True)) or waited(frame(20)):
        return "the flag of the header"
    for bad in (frame(1, one, count=2), frame(1, one, length=99),
                frame(1, one) + b"x", frame(1, one.but(length=5))):
        try:
            parse(bad)
        except Failure:
            continue
        return f"{bad.hex()} was taken"
    return ""
