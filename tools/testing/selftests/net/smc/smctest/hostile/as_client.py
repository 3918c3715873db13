# SPDX-License-Identifier: GPL-2.0
"""Attacks the victim's listener as a hostile client, up to the client's
Confirm."""

from smctest import sockets, wire
from smctest.hostile.case import Case
from smctest.world import (CLIENT_IS_DECLINED, DECLINED_BY_CLIENT,
                              LOST_BY_CLIENT, MALFORMED_BY_CLIENT, V4_NET,
                              V4_OTHER, V6_NET)

SENTENCE = b"GET / HTTP/1.1\r\nHost: me\r\n\r\n" * 3


# -- instead of a Proposal: TCP has to end -------------------------------

def _at(at, new, **kwargs):
    return lambda world: wire.spoil(world.proposal(**kwargs), at, new)


def _v6(at, new, count):
    """Returns a function that makes a Proposal with this number of prefixes and
    replaces some of its bytes."""
    def make(world):
        prefixes = [V6_NET] + [f"fd78:{n}::/64" for n in range(1, count)]
        data = wire.proposal(world.me(), prefixes=prefixes)
        return wire.spoil(data, at, new)
    return make


NO_PROPOSAL = (
    ("length 0", "R-A.2-06, R-C.6-01", _at(wire.AT_LENGTH, wire.be16(0))),
    ("length 7", "R-A.2-06, R-C.6-01", _at(wire.AT_LENGTH, wire.be16(7))),
    ("length 51", "R-A.2-06, R-C.6-01", _at(wire.AT_LENGTH, wire.be16(51))),
    ("length 65535", "R-A.2-06, R-C.6-01",
     _at(wire.AT_LENGTH, wire.be16(65535))),
    ("length 653", "R-A.2-06, R-C.6-01", lambda world: wire.proposal(
        world.me(), V4_NET, skip=bytes(601))),
    ("a byte more than the fields", "R-A.2-06, R-A.2.2-13",
     lambda world: wire.message(wire.PROPOSAL,
                                world.proposal()[8:-4] + b"\0")),
    ("eye catcher wrong in front", "R-A.2-02, R-C.6-01", _at(3, b"\xd8")),
    ("eye catcher wrong behind", "R-A.2-02, R-C.6-01", _at(-1, b"\xd8")),
    ("eye catcher of SMC-D behind", "R-A.2-02, R-C.6-01",
     _at(-4, wire.EYE_SMCD)),
    ("type 0", "R-A.2-07, R-C.6-01", _at(wire.AT_TYPE, b"\0")),
    ("type 5", "R-A.2-07, R-C.6-01", _at(wire.AT_TYPE, b"\5")),
    ("type 255", "R-A.2-07, R-C.6-01", _at(wire.AT_TYPE, b"\xff")),
    ("version 0", "R-A.2-03, R-C.6-01", _at(wire.AT_VERSION, b"\0")),
    ("mask length 33", "R-A.2.2-08", _at(wire.AT_MASK, bytes([33]))),
    ("9 prefixes announced, 8 there", "R-A.2.2-09",
     _v6(wire.AT_COUNT, bytes([9]), 8)),
    ("9 prefixes", "R-A.2.2-09, R-A.2.2-12",
     _v6(wire.AT_COUNT, bytes([9]), 9)),
    ("8 prefixes announced, none there", "R-A.2-06, R-A.2.2-09",
     _at(wire.AT_COUNT, bytes([8]))),
    ("2 prefixes there, 1 announced", "R-A.2.2-13",
     _v6(wire.AT_COUNT, bytes([1]), 2)),
    ("prefix length 129", "R-A.2.2-11",
     _v6(wire.AT_PREFIX + 16, bytes([129]), 2)),
    ("offset beyond the message", "R-A.2.2-06",
     _at(wire.AT_SKIP, wire.be16(1000))),
    ("offset 65535", "R-A.2.2-06", _at(wire.AT_SKIP, wire.be16(65535))),
    ("offset into the trailer", "R-A.2.2-06", _at(wire.AT_SKIP, wire.be16(4))),
    ("Accept from a client", "R-3.2-02, R-C.6-01",
     lambda world: wire.accept(world.me())),
    ("Confirm without Accept", "R-3.2-02, R-A.2.4-04",
     lambda world: wire.confirm(world.me())),
    ("Decline one byte too long", "R-A.2.5-01", lambda world: wire.message(
        wire.DECLINE, wire.decline()[8:-4] + b"\0")),
    ("Decline with version 2 and length 28", "R-A.2-06", lambda world:
     wire.spoil(wire.decline(), wire.AT_VERSION, b"\x20")),
    ("application data", "R-C.6-01", lambda world: SENTENCE),
    ("one byte of garbage, then a Proposal", "R-C.6-01",
     lambda world: b"\xe2" + world.proposal()),
)


def _refused(make):
    def run(world):
        with world.dial() as tcp:
            tcp.sendall(make(world))
            # R-C.6-01: rows of NO_PROPOSAL
            sockets.expect_gone(tcp)
    return run


# -- after the Accept ----------------------------------------------------

NO_CONFIRM = (
    ("Proposal", "R-3.2-02", lambda world, me: wire.proposal(me, V4_NET)),
    ("Accept", "R-3.2-02", lambda world, me: wire.accept(me)),
    ("length 67", "R-A.2.4-01", lambda world, me: wire.message(
        wire.CONFIRM, wire.confirm(me)[8:-5])),
    ("length 69", "R-A.2.4-01", lambda world, me: wire.message(
        wire.CONFIRM, wire.confirm(me)[8:-4] + b"\0")),
    ("version 2", "R-A.2-03", lambda world, me: wire.spoil(
        wire.confirm(me), wire.AT_VERSION, b"\x20")),
    ("eye catcher wrong behind", "R-A.2-02", lambda world, me: wire.spoil(
        wire.confirm(me), -1, b"\0")),
    ("body of SMC-D", "R-C.6-01", lambda world, me: wire.message(
        wire.CONFIRM, bytes(36), eye=wire.EYE_SMCD)),
    ("index 0", "R-2.1-11", lambda world, me: wire.confirm(me.but(index=0))),
    ("QP number 0", "R-A.2.3-12",
     lambda world, me: wire.confirm(me.but(qpn=0))),
    ("peer ID not that of the Proposal", "R-A.2.1-03",
     lambda world, me: wire.confirm(world.me())),
    ("element over the end of the address space", "R-2.1-11",
     lambda world, me: wire.confirm(me.but(index=255, bsize=15,
                                           addr=(1 << 64) - (1 << 20)))),
    ("application data", "R-C.6-01", lambda world, me: SENTENCE),
)


def _confirm_refused(make):
    def run(world):
        with world.accepted() as (tcp, me, _):
            tcp.sendall(make(world, me))
            # R-C.6-01: rows of NO_CONFIRM
            sockets.expect_gone(tcp)
    return run


def _confirm_declined(mtu):
    """For a reserved MTU the RFC requires a Decline, and the connection
    continues on TCP."""
    def run(world):
        with world.accepted() as (tcp, me, _):
            tcp.sendall(wire.confirm(me.but(mtu=mtu)))
            # R-A.2.4-03, R-C.6-03
            sockets.expect_decline(tcp, wire.CONFIG)
            # R-C.6-03
            sockets.expect_echo(tcp)
    return run


# -- Declines and what follows them --------------------------------------

def _declines(*messages):
    """Sends the messages and the following data in one segment."""
    def run(world):
        with world.dial() as tcp:
            tcp.sendall(b"".join(messages) + b"hello")
            got = sockets.read(tcp, 5)
            # R-3.2-03, R-C.1-01, R-L-05
            sockets.check(got == b"hello", f"{got!r} came back")
            sockets.expect_echo(tcp, b"more")
    return run


def _proposal_and_decline(world):
    with world.dial() as tcp:
        tcp.sendall(world.proposal() + wire.decline() + b"hello")
        sockets.expect(tcp, wire.ACCEPT)
        got = sockets.read(tcp, 5)
        # R-3.2-03, -04
        sockets.check(got == b"hello", f"{got!r} came back")


def _split_decline(world):
    with world.dial() as tcp:
        sockets.send_split(tcp, wire.decline())
        # R-3.2-04
        sockets.expect_echo(tcp)


def _split_handshake(world):
    """Sends Proposal and Confirm byte by byte; the victim declines because of
    the MTU."""
    me = world.me()
    with world.dial() as tcp:
        sockets.send_split(tcp, wire.proposal(me, V4_NET))
        # R-3.2-04
        answer = sockets.expect(tcp, wire.ACCEPT)
        sockets.check(answer.flag, "no F flag in first contact")
        sockets.send_split(tcp, wire.confirm(me.but(mtu=0)))
        # R-3.2-04
        sockets.expect_decline(tcp, wire.CONFIG)
        sockets.expect_echo(tcp)


def _data_like_decline(world):
    """Checks that after a fallback the victim reads no CLC messages."""
    with world.dial() as tcp:
        tcp.sendall(wire.decline())
        # R-C.6-02
        sockets.expect_echo(tcp, wire.decline() + world.proposal())


def _decline_for_accept(sync):
    def run(world):
        with world.accepted() as (tcp, _, _):
            tcp.sendall(wire.decline(wire.OUT_OF_SYNC if sync else wire.CONFIG,
                                     sync) + b"hello")
            got = sockets.read(tcp, 5)
            # R-C.1-01, -03
            sockets.check(got == b"hello", f"{got!r} came back")
    return run


def _decline_for_link(world):
    """The client's RNIC has failed after its Confirm (C.2)."""
    with world.accepted() as (tcp, me, _):
        tcp.sendall(wire.confirm(me))
        tcp.sendall(wire.decline(0x02010000) + b"hello")
        got = sockets.read(tcp, 5)
        # R-C.2-04
        sockets.check(got == b"hello", f"{got!r} came back")


def _garbage_for_link(world):
    with world.accepted() as (tcp, me, _):
        tcp.sendall(wire.confirm(me))
        tcp.sendall(SENTENCE)
        # R-C.6-01
        sockets.expect_gone(tcp)


# -- Proposals that are understood ---------------------------------------

def _declined_with(code, make):
    def run(world):
        with world.dial() as tcp:
            tcp.sendall(make(world))
            # R-3.5.1.2-06, R-5.2-01
            sockets.expect_decline(tcp, code)
            # R-3.5.1.2-10
            sockets.expect_echo(tcp)
    return run


def _accepted_then_left(make):
    """The victim answers with Accept and F. We decline, so that no group
    remains."""
    def run(world):
        with world.dial() as tcp:
            tcp.sendall(make(world))
            # R-A.2-03, R-A.2.2-06, R-L-01
            answer = sockets.expect(tcp, wire.ACCEPT)
            sockets.check(answer.flag, "no F flag in first contact")
            sockets.check(answer.peer_id == world.victim_id, "peer ID changed")
            offer = answer.offer
            sockets.check(offer.qpn > 1 and offer.index and
                          1 <= offer.mtu <= 5 and offer.bsize <= 5,
                          f"{answer}")
            tcp.sendall(wire.decline())
            sockets.expect_echo(tcp)
    return run


def _linux(typev1):
    return lambda world: wire.linux_proposal(world.me(), V4_NET, typev1)


def _linux_without_v1(typev1):
    """The Proposal has no version 1 part, and has an unknown enterprise ID in
    version 2."""
    def run(world):
        with world.dial() as tcp:
            tcp.sendall(_linux(typev1)(world))
            answer = sockets.expect(tcp, wire.DECLINE, version=2)
            # R-L-02
            sockets.check(answer.diagnosis >> 24 == 3, f"{answer}")
            sockets.expect_echo(tcp)
    return run


# The victim may have a group with itself, so that the impostor's connection
# would be a further one of the group.
IMPOSTOR = {name: range(2) for name in (*CLIENT_IS_DECLINED, *LOST_BY_CLIENT)}


def _in_host_impostor(world):
    """The Proposal has the victim's own peer ID: the victim searches the
    in-host endpoint."""
    me = world.me().but(peer_id=world.victim_id)
    with world.accepted(me) as (tcp, _, answer):
        offer = answer.offer
        tcp.sendall(wire.confirm(me.but(qpn=offer.qpn, rkey=offer.rkey,
                                        addr=offer.addr)))
        if answer.flag:
            sockets.expect_decline(tcp, wire.LINK_NOT_READY)
            sockets.expect_echo(tcp)
        else:
            sockets.expect_gone(tcp)


# -- TCP ends at some step -----------------------------------------------

STEPS = ("after connect", "in the header", "in the Proposal",
         "after the Proposal", "after the Accept", "in the Confirm")


def _leave(step, end):
    def run(world):
        me = world.me()
        message = wire.proposal(me, V4_NET)
        tcp = world.dial()
        if step == "in the header":
            tcp.sendall(message[:5])
        elif step == "in the Proposal":
            tcp.sendall(message[:40])
        elif step != "after connect":
            tcp.sendall(message)
        if step in STEPS[4:]:
            sockets.expect(tcp, wire.ACCEPT)
        if step == "in the Confirm":
            tcp.sendall(wire.confirm(me)[:30])
        end(tcp)
    return run


def _leave_by_fin(tcp):
    tcp.close()


def _reset_for_link(world):
    with world.accepted() as (tcp, me, _):
        tcp.sendall(wire.confirm(me))
        sockets.reset(tcp)


def cases():
    for name, ids, make in NO_PROPOSAL:
        yield Case(f"listener: {name}", ids, _refused(make),
                   MALFORMED_BY_CLIENT)
    for name, ids, make in NO_CONFIRM:
        yield Case(f"listener: for a Confirm: {name}", ids,
                   _confirm_refused(make), MALFORMED_BY_CLIENT)
    for mtu in (0, 6, 15):
        yield Case(f"listener: Confirm with MTU {mtu}", "R-C.6-03, R-A.2.4-03",
                   _confirm_declined(mtu), CLIENT_IS_DECLINED)
    yield from _decline_cases()
    yield from _proposal_cases()
    for step in STEPS:
        for word, end in (("FIN", _leave_by_fin), ("RST", sockets.reset)):
            yield Case(f"listener: {word} {step}", "",
                       _leave(step, end), LOST_BY_CLIENT)
    yield Case("listener: RST after the Confirm", "", _reset_for_link,
               LOST_BY_CLIENT)


def _decline_cases():
    declined = DECLINED_BY_CLIENT
    yield Case("listener: Decline and data in one segment",
               "R-C.1-01, R-3.2-03", _declines(wire.decline()), declined)
    yield Case("listener: Decline of version 2 and data", "R-L-05, R-3.2-03",
               _declines(wire.decline(version=2)), declined)
    yield Case("listener: Decline with S first", "R-A.2.5-02",
               _declines(wire.decline(wire.OUT_OF_SYNC, True)), declined)
    yield Case("listener: Decline byte by byte", "R-3.2-04", _split_decline,
               declined)
    yield Case("listener: Proposal, Decline and data in one segment",
               "R-3.2-04, R-3.2-03", _proposal_and_decline, declined)
    yield Case("listener: data that looks like CLC", "R-C.6-02",
               _data_like_decline, declined)
    for sync in (False, True):
        yield Case(f"listener: Decline{' with S' * sync} for a Confirm",
                   "R-C.1-01, R-C.1-03", _decline_for_accept(sync), declined)
    yield Case("listener: Decline while the link is confirmed", "R-C.2-04",
               _decline_for_link, declined)
    yield Case("listener: garbage while the link is confirmed", "R-C.6-01",
               _garbage_for_link, MALFORMED_BY_CLIENT)
    yield Case("listener: handshake byte by byte", "R-3.2-04",
               _split_handshake, CLIENT_IS_DECLINED)


def _proposal_cases():
    yield Case("listener: another subnet", "R-3.5.1.2-06, R-3.5.1.2-10",
               _declined_with(wire.SUBNET, lambda world: wire.proposal(
                   world.me(), V4_OTHER)), CLIENT_IS_DECLINED)
    yield Case("listener: subnet with another mask", "R-3.5.1.2-06, X-07",
               _declined_with(wire.SUBNET, lambda world: wire.proposal(
                   world.me(), "10.77.0.0/23")), CLIENT_IS_DECLINED)
    for skip in (0, 8, 40):
        yield Case(f"listener: offset {skip}", "R-A.2.2-06",
                   _accepted_then_left(lambda world, skip=skip: world.proposal(
                       skip=b"\xe2" * skip)), DECLINED_BY_CLIENT)
    for typev1, word in ((wire.OFFER_R, "R"), (wire.OFFER_BOTH, "R and D")):
        yield Case(f"listener: version 2 of Linux, {word} in version 1",
                   "R-L-01, R-A.2-03", _accepted_then_left(_linux(typev1)),
                   DECLINED_BY_CLIENT)
    for typev1, word in ((wire.OFFER_NONE, "nothing"), (wire.OFFER_D, "D")):
        yield Case(f"listener: version 2 of Linux, {word} in version 1",
                   "R-L-02", _linux_without_v1(typev1), CLIENT_IS_DECLINED)
    yield Case("listener: version 15", "R-A.2-03", _accepted_then_left(
        lambda world: world.proposal(version=15)), DECLINED_BY_CLIENT)
    yield Case("listener: the victim's own peer ID", "",
               _in_host_impostor, IMPOSTOR)
