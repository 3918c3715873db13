# SPDX-License-Identifier: GPL-2.0
"""The agreement on the extension of Documentation/networking/smc/frames.rst:
vendor bytes of a Proposal, and of the first-contact extension of Accept and
Confirm. The code follows the page and not the module."""

import dataclasses

from smctest import wire

AT_OFFER, OFFER_LEN = 52, 8         # in a Proposal
AT_ANSWER, ANSWER_LEN = 144, 4      # in Accept and Confirm of first contact
OUI = bytes.fromhex("72d49b")
FRAMES, ELASTIC, WIDE, V6 = 0x80, 0x40, 0x20, 0x10
KNOWN = FRAMES | ELASTIC | WIDE | V6
NEWEST = 3          # version
SHORT_HEADS = 3     # version from which on records may have short heads (F-38)
SMALLEST = 9        # log2 of the smallest frame
HEADS = 512         # bytes beyond the size that version 2 allows (F-37)
NONE = bytes(ANSWER_LEN)


@dataclasses.dataclass(frozen=True)
class Terms:
    """An offer or an answer."""

    version: int
    size: int           # log2 of the largest frame
    caps: int
    nonce: int

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    @property
    def answer(self):
        """Returns the bytes of Accept and Confirm."""
        return bytes([self.version << 4 | self.size, self.caps]) + wire.be16(
            self.nonce)

    @property
    def offer(self):
        """Returns the bytes of a Proposal."""
        return OUI + self.answer + bytes(1)

    @property
    def usable(self):
        """Returns the capabilities without those that F-28 removes."""
        caps = self.caps & KNOWN
        if self.size < SMALLEST:
            caps &= ~FRAMES
        return caps if caps & FRAMES else caps & ~ELASTIC


def parse(data):
    """Returns the Terms in an answer."""
    return Terms(data[0] >> 4, data[0] & 15, data[1],
                 int.from_bytes(data[2:4], "big"))


def offered(proposal):
    """Returns the bytes of the offer in a Proposal."""
    return proposal.data[AT_OFFER:AT_OFFER + OFFER_LEN]


def answered(message):
    """Returns the bytes of the answer in an Accept or Confirm."""
    return message.data[AT_ANSWER:AT_ANSWER + ANSWER_LEN]


def with_offer(proposal, offer):
    return wire.spoil(proposal, AT_OFFER, offer)


def with_answer(message, answer):
    return wire.spoil(message, AT_ANSWER, answer)


def chosen(own, offer):
    """Returns the answer of a server that allows the terms of own (F-28,
    F-29)."""
    return Terms(min(own.version, offer.version), own.size,
                 own.usable & offer.usable, offer.nonce).answer
