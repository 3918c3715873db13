# SPDX-License-Identifier: GPL-2.0
"""LLC and CDC messages (RFC 7609 A.3, A.4) as bytes, in both directions."""

import struct

LEN = 44
CONFIRM_LINK, ADD_LINK, ADD_LINK_CONT, DELETE_LINK = 1, 2, 3, 4
CONFIRM_RKEY, TEST_LINK, CONFIRM_RKEY_CONT, DELETE_RKEY = 6, 7, 8, 9
CDC = 0xfe

REPLY = 0x80
NO_EYE = 0x03               # CONFIRM LINK
ADD_REJECT = 0x40
DELETE_ALL, DELETE_ORDERLY = 0x40, 0x20
RKEY_NEGATIVE, RKEY_RETRY = 0x20, 0x10

NO_PATH, BAD_MTU = 1, 2     # reasons in an ADD LINK reply
LOST_PATH, OPERATOR, PROGRAM = 0x00010000, 0x00020000, 0x00030000
VIOLATION, NOT_NEEDED, UNKNOWN_LINK = 0x00040000, 0x00050000, 0x00100000

B, P, U, R, F = 0x80, 0x40, 0x20, 0x10, 0x08    # CDC, byte 24
D, C, A = 0x80, 0x40, 0x20                      # CDC, byte 25


def be24(value):
    return value.to_bytes(3, "big")


def message(kind, flags, body, byte2=0):
    """Returns an LLC message, with zeros after its body."""
    head = bytes([kind, LEN, byte2, flags])
    return head + body + bytes(LEN - len(head) - len(body))


def confirm_link(offer, number, uid, flags=NO_EYE, links=2):
    return message(CONFIRM_LINK, flags, offer.mac + offer.gid +
                   be24(offer.qpn) + struct.pack(">BIB", number, uid, links))


def add_link(offer, number, flags=0, reason=0, mtu=3):
    """Returns the layout that deployed peers use: two spare bytes follow the
    MAC."""
    return message(ADD_LINK, flags, offer.mac + bytes(2) + offer.gid +
                   be24(offer.qpn) + bytes([number, mtu]) + be24(offer.psn),
                   reason)


def add_link_cont(number, count, pairs=(), flags=0):
    return message(ADD_LINK_CONT, flags, bytes([number, count, 0, 0]) + b"".join(
        struct.pack(">IIQ", *pair) for pair in pairs))


def delete_link(number=0, reason=PROGRAM, flags=0):
    return message(DELETE_LINK, flags, struct.pack(">BI", number, reason))


def confirm_rkey(rkey, addr, others=(), flags=0, count=None):
    """count: the announced number of other links; a test may give a wrong
    number."""
    count = len(others) if count is None else count
    return message(CONFIRM_RKEY, flags, struct.pack(
        ">BIQ", count, rkey, addr) + b"".join(
            struct.pack(">BIQ", *other) for other in others))


def confirm_rkey_cont(count, entries=(), flags=0):
    return message(CONFIRM_RKEY_CONT, flags, bytes([count]) + b"".join(
        struct.pack(">BIQ", *entry) for entry in entries))


def delete_rkey(rkeys, flags=0, mask=0, count=None):
    count = len(rkeys) if count is None else count
    return message(DELETE_RKEY, flags, bytes([count, mask, 0, 0]) + b"".join(
        struct.pack(">I", rkey) for rkey in rkeys))


def test_link(data, flags=0):
    return message(TEST_LINK, flags, data.ljust(16, b"\0"))


def cdc(seq, token, prod, cons, flags=0, ends=0):
    """prod and cons: (wrap, cursor)."""
    return struct.pack(">BBHIHHIHHIBB18x", CDC, LEN, seq, token, 0, *prod, 0,
                       *cons, flags, ends)


class Cdc:
    """A CDC message as received."""

    def __init__(self, data):
        self.data = data
        (_, _, self.seq, self.token, spare1, prod_wrap, prod, spare2,
         cons_wrap, cons, self.flags, self.ends) = struct.unpack_from(
             ">BBHIHHIHHIBB", data)
        self.prod, self.cons = (prod_wrap, prod), (cons_wrap, cons)
        self.clean = not spare1 and not spare2 and data[26:] == bytes(18)

    def __repr__(self):
        return (f"CDC {self.seq} prod {self.prod} cons {self.cons} "
                f"flags {self.flags:02x} ends {self.ends:02x}")


class Llc:
    """A received LLC message."""

    def __init__(self, data):
        self.data = data
        self.kind, self.length, self.byte2, self.flags = data[:4]

    def __repr__(self):
        return f"LLC {self.data.hex()}"

    def number(self, at, length):
        return int.from_bytes(self.data[at:at + length], "big")


def parse(data):
    return Cdc(data) if data[0] == CDC else Llc(data)


def cursor(position, size):
    """Returns (wrap, cursor) of a stream position in an element of
    this size."""
    return position // size & 0xffff, position % size
