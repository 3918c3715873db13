# SPDX-License-Identifier: GPL-2.0
"""Tests the agreement on the extension of frames.rst with peers that send
wrong values in each field. Whatever values a peer sends, the handshake must
continue as without the extension.

The victim speaks version 2 during this part only.
"""

from smctest import check, extension, sockets, wire
from smctest.extension import ELASTIC, FRAMES, KNOWN, V6, WIDE, Terms
from smctest.hostile.case import Case
from smctest.world import (DECLINED_BY_CLIENT, DECLINED_BY_SERVER, V4_NET, add,
                           wait_until)

SYSCTL = "net.smc.extension"
COUNTER = "ExtensionMismatches"
AT_EXT, AT_CONNS, AT_EIDS = 50, 140, 64
ALL = Terms(extension.NEWEST, 12, KNOWN, 0xbeef)
PROPOSALS = 4       # so many that not all have the same nonce by chance


def _own_offer(world):
    """Returns the bytes of the victim's offer."""
    with world.called(version=2) as call:
        call.tcp.sendall(wire.decline(version=2))
        call.expect_errno(0)
        return extension.offered(call.proposal)


def _counted(world, before, by):
    """Checks that the counter of wrong answers is higher by this number."""
    def now():
        return world.victim.stats()[COUNTER] - before

    check(wait_until(lambda: now() == by), f"{COUNTER} by {now()}")


# -- we are the client ---------------------------------------------------

def _accept(world, tcp, offer):
    """Returns (own fields, the victim's Accept) for a Proposal with these
    vendor bytes."""
    me = world.me()
    tcp.sendall(extension.with_offer(wire.proposal2(me, V4_NET), offer))
    got = sockets.expect(tcp, wire.ACCEPT, version=2)
    check(got.flag and len(got.data) == 160, f"{got}: not of first contact")
    return me, got


def _as_before(got):
    """Checks that the Accept has the bytes of a host without the extension."""
    data = got.data
    wanted = wire.message(
        wire.ACCEPT, data[8:AT_EIDS] + wire.DEFAULT_EID.ljust(32).encode() +
        bytes(8) + bytes([0x80, 0x21, 0, 0]) + data[108:AT_CONNS + 2] +
        bytes(14), 2, wire.FLAG)
    check(data == wanted, f"{got}, not {wanted.hex()}")


def _leaves(tcp):
    """Sends our Decline, after which the connection must use TCP."""
    tcp.sendall(wire.decline(version=2))
    sockets.expect_echo(tcp)


OFFERS = (
    ("everything", ALL.offer),
    ("all capabilities, known or not", ALL.but(caps=0xff).offer),
    ("only unknown capabilities", ALL.but(caps=0x0f).offer),
    ("no capability", ALL.but(caps=0).offer),
    ("ELASTIC without FRAMES", ALL.but(caps=ELASTIC).offer),
    ("WIDE and V6", ALL.but(caps=WIDE | V6, size=0).offer),
    ("FRAMES of 1 byte", ALL.but(caps=FRAMES, size=0).offer),
    ("FRAMES of 256 bytes", ALL.but(size=8).offer),
    ("FRAMES of 32 KiB", ALL.but(size=15).offer),
    ("version 1", ALL.but(version=1).offer),
    ("the version before", ALL.but(version=extension.NEWEST - 1).offer),
    ("the next version", ALL.but(version=extension.NEWEST + 1).offer),
    ("version 15, all bits set", Terms(15, 15, 0xff, 0xffff).offer),
    ("nonce 0", ALL.but(nonce=0).offer),
    ("a reserved byte that is not 0", ALL.offer[:7] + b"\xff"),
)

NO_OFFERS = (
    ("no vendor bytes", bytes(8)),
    ("another vendor", b"\x00\x0c\xe7" + ALL.offer[3:]),
    ("an identifier with one wrong bit", b"\x72\xd4\x9a" + ALL.offer[3:]),
    ("all bits set", b"\xff" * 8),
    ("the identifier only", extension.OUI + bytes(5)),
    ("version 0, all capabilities", ALL.but(version=0).offer),
)


def _offered(offer):
    """Checks that the victim answers with the common subset."""
    def run(world):
        own = extension.parse(_own_offer(world)[3:])
        with world.dial() as tcp:
            _, got = _accept(world, tcp, offer)
            wanted = extension.chosen(own, extension.parse(offer[3:]))
            # F-28, F-29
            check(extension.answered(got) == wanted,
                  f"{extension.answered(got).hex()}, not {wanted.hex()}")
            _as_before(wire.Message(extension.with_answer(got.data,
                                                          extension.NONE)))
            _leaves(tcp)
    return run


def _not_offered(offer):
    def run(world):
        with world.dial() as tcp:
            _, got = _accept(world, tcp, offer)
            # F-27
            _as_before(got)
            _leaves(tcp)
    return run


def _turned_off(world):
    """Checks that with the sysctl at 0 the victim answers no offer."""
    with world.sysctl(SYSCTL, "0"), world.dial() as tcp:
        _, got = _accept(world, tcp, ALL.offer)
        # F-28
        _as_before(got)
        _leaves(tcp)


def _release0(world):
    """Checks that in release 0 the vendor bytes are reserved."""
    with world.dial() as tcp:
        tcp.sendall(extension.with_offer(wire.proposal2(
            world.me(), V4_NET, release=0, conns=0, links=0), ALL.offer))
        got = sockets.expect(tcp, wire.ACCEPT, version=2)
        # F-27
        check(extension.answered(got) == extension.NONE, f"{got}")
        _leaves(tcp)


CONFIRMS = (
    ("repeats the answer", 0, lambda answer: answer.answer),
    ("without an answer", 0, lambda answer: extension.NONE),
    ("with version 0", 0, lambda answer: answer.but(version=0).answer),
    ("with another nonce", 1, lambda answer: answer.but(
        nonce=answer.nonce ^ 1).answer),
    ("with an older version", 1, lambda answer: answer.but(version=1).answer),
    ("with a newer version", 1, lambda answer: answer.but(
        version=answer.version + 1).answer),
    ("with another size", 1, lambda answer: answer.but(
        size=answer.size ^ 1).answer),
    ("with another capability", 1, lambda answer: answer.but(
        caps=answer.caps ^ V6).answer),
    ("with an unknown capability", 1, lambda answer: answer.but(
        caps=answer.caps | 1).answer),
    ("with all bits set", 1, lambda answer: b"\xff" * 4),
)


def _confirms(offer, make, wrong):
    """Checks that link confirmation begins whatever the Confirm says, and that
    the client may still decline."""
    def run(world):
        before = world.victim.stats()[COUNTER]
        with world.dial() as tcp:
            me, got = _accept(world, tcp, offer)
            answer = make(extension.parse(extension.answered(got)))
            tcp.sendall(extension.with_answer(wire.confirm2(me, got), answer))
            # F-31
            _counted(world, before, wrong)
            _leaves(tcp)
        _counted(world, before, wrong)
    return run


# -- we are the server ---------------------------------------------------

def _proposal(world):
    """Checks that the offer has the form of the page, and a new nonce each
    time."""
    offers = [_own_offer(world) for _ in range(PROPOSALS)]
    for offer in offers:
        own = extension.parse(offer[3:])
        # F-27
        check(offer == own.offer and own.version == extension.NEWEST,
              f"offer {offer.hex()}")
        check(own.caps == own.usable and
              (own.size >= extension.SMALLEST) == bool(own.caps & FRAMES),
              f"offer {offer.hex()}")
    check(len({offer[5:7] for offer in offers}) > 1, f"nonces {offers}")


def _proposal_as_before(world):
    """Checks that with the sysctl at 0 the Proposal has the bytes of a host
    without the extension; otherwise only the vendor bytes differ."""
    found = {}
    for value in ("0", "15"):
        with world.sysctl(SYSCTL, value), world.called(version=2) as call:
            found[value] = call.proposal.data
            call.tcp.sendall(wire.decline(version=2))
            call.expect_errno(0)
    off, on = found["0"], found["15"]
    at = 52 + int.from_bytes(off[AT_EXT:AT_EXT + 2], "big")
    me = world.me().but(peer_id=off[8:16], gid=off[16:32], mac=off[32:38])
    wanted = wire.proposal2(me, V4_NET, conns=off[at + 24], links=off[at + 25])
    # F-27
    check(off == wanted, f"{off.hex()}, not {wanted.hex()}")
    check(extension.with_offer(on, bytes(extension.OFFER_LEN)) == off and
          on != off, f"{on.hex()} and {off.hex()}")


# answer of the server, made from the client's offer; is it agreed?
ANSWERS = (
    ("the offer", True, lambda offer: offer.answer),
    ("no capability", True, lambda offer: offer.but(caps=0).answer),
    ("a larger frame", True, lambda offer: offer.but(size=15).answer),
    ("no answer", False, lambda offer: extension.NONE),
    ("version 0", False, lambda offer: offer.but(version=0).answer),
    ("another nonce", False, lambda offer: offer.but(
        nonce=offer.nonce ^ 0x100).answer),
    ("nonce 0, if it is another", False, lambda offer: offer.but(
        nonce=0 if offer.nonce else 1).answer),
    ("version 1", True, lambda offer: offer.but(version=1).answer),
    ("a newer version", False, lambda offer: offer.but(
        version=offer.version + 1).answer),
    ("version 15", False, lambda offer: offer.but(version=15).answer),
    ("an unknown capability", False, lambda offer: offer.but(
        caps=offer.caps | 1).answer),
    ("all capabilities, known or not", False, lambda offer: offer.but(
        caps=0xff, size=12).answer),
    ("FRAMES of 256 bytes", False, lambda offer: offer.but(
        caps=FRAMES, size=8).answer),
    ("ELASTIC without FRAMES", False, lambda offer: offer.but(
        caps=ELASTIC).answer),
    ("all bits set", False, lambda offer: b"\xff" * 4),
)


def _answers(make, agreed, value="15"):
    """Checks that the Confirm repeats a good answer and no other, and that the
    client continues with link confirmation."""
    def run(world):
        before = world.victim.stats()[COUNTER]
        with world.sysctl(SYSCTL, value), world.called(version=2) as call:
            offer = extension.parse(extension.offered(call.proposal)[3:])
            answer = make(offer)
            call.tcp.sendall(extension.with_answer(wire.accept2(world.me()),
                                                   answer))
            got = sockets.expect(call.tcp, wire.CONFIRM, version=2)
            wanted = answer if agreed else extension.NONE
            # F-30, F-31
            check(extension.answered(got) == wanted,
                  f"{got}: {extension.answered(got).hex()}")
            call.tcp.sendall(wire.decline(version=2))
            call.expect_tcp()
        _counted(world, before, int(not agreed and answer[0] >= 0x10))
    return run


def cases():
    for name, offer in OFFERS:
        yield Case(f"extension, listener: {name}", "", _offered(offer),
                   add(DECLINED_BY_CLIENT, DECLINED_BY_SERVER))
    for name, offer in NO_OFFERS:
        yield Case(f"extension, listener: {name}", "", _not_offered(offer),
                   DECLINED_BY_CLIENT)
    yield Case("extension, listener: off by sysctl", "", _turned_off,
               DECLINED_BY_CLIENT)
    yield Case("extension, listener: release 0", "", _release0,
               DECLINED_BY_CLIENT)
    for name, wrong, make in CONFIRMS:
        yield Case(f"extension, listener: Confirm {name}", "",
                   _confirms(ALL.offer, make, wrong), DECLINED_BY_CLIENT)
    yield Case("extension, listener: Confirm of what was not answered", "",
               _confirms(bytes(8), lambda answer: ALL.answer, 1),
               DECLINED_BY_CLIENT)
    declined = DECLINED_BY_SERVER
    yield Case("extension, connect: the offer", "", _proposal,
               add(*[declined] * PROPOSALS))
    yield Case("extension, connect: the Proposal with and without", "",
               _proposal_as_before, add(declined, declined))
    for name, agreed, make in ANSWERS:
        yield Case(f"extension, connect: answer {name}", "",
                   _answers(make, agreed), declined)
    yield Case("extension, connect: answer to no offer", "",
               _answers(lambda offer: ALL.answer, False, "0"), declined)
