# SPDX-License-Identifier: GPL-2.0
"""Attacks with version 2: lengths, offsets and counts beyond the message,
wrong answers.

The victim speaks version 2 during this part only.
"""

import errno

from smctest import check, sockets, ueid, wire
from smctest.hostile.case import Case
from smctest.world import (CLIENT_IS_DECLINED, DECLINED_BY_CLIENT,
                              MALFORMED_BY_CLIENT, MALFORMED_BY_SERVER,
                              SERVER_IS_DECLINED, V4_NET, V4_OTHER, add)

OTHER = "OTHER.UEID"
# Offsets in the Proposals of wire.proposal2() with IPv4 and both versions.
AT_EXT, EXT = 50, 88
AT_EIDS, AT_SMCD, AT_RELEASE, AT_SMCD_EXT = EXT, EXT + 1, EXT + 3, EXT + 6
# In Accept and Confirm.
AT_EID, AT_FIRST, AT_GIDS = 64, 104, 156


def _proposal(world, **changes):
    return wire.proposal2(world.me(), V4_NET, **changes)


# -- Proposals that end TCP ----------------------------------------------

def _at(at, new, **changes):
    return lambda world: wire.spoil(_proposal(world, **changes), at, new)


NO_PROPOSAL = (
    ("offset of the mask area 41", _at(wire.AT_SKIP, wire.be16(41))),
    ("offset of the mask area 65535", _at(wire.AT_SKIP, wire.be16(65535))),
    ("offset of the extension 27", _at(AT_EXT, wire.be16(27))),
    ("offset of the extension 173", _at(AT_EXT, wire.be16(173))),
    ("offset of the extension 65535", _at(AT_EXT, wire.be16(65535))),
    ("extension into the trailer", _at(AT_EXT, wire.be16(72))),
    ("2 EIDs announced, 1 there", _at(AT_EIDS, b"\2")),
    ("9 EIDs", _at(AT_EIDS, b"\x09", eids=(ueid.DEFAULT,) * 9)),
    ("255 EIDs", _at(AT_EIDS, b"\xff")),
    ("SMC-D part beyond the message",
     _at(AT_SMCD_EXT, wire.be16(200), typev2=wire.OFFER_BOTH)),
    ("SMC-D part at 65535",
     _at(AT_SMCD_EXT, wire.be16(65535), typev2=wire.OFFER_BOTH)),
    ("255 SMC-D devices", _at(AT_SMCD, b"\xff", typev2=wire.OFFER_BOTH)),
    ("no room for the block", lambda world: wire.message(
        wire.PROPOSAL, bytes(60), 2, wire.OFFER_R << 2 | wire.OFFER_NONE)),
    ("9 prefixes", _at(87, b"\x09")),
)


def _refused(make):
    def run(world):
        with world.dial() as tcp:
            tcp.sendall(make(world))
            sockets.expect_gone(tcp)
    return run


# -- Proposals that are declined, or answered with version 1 --------------

def _declined_with(code, make, version=2):
    def run(world):
        with world.dial() as tcp:
            tcp.sendall(make(world))
            sockets.expect_decline(tcp, code, version=version)
            sockets.expect_echo(tcp)
    return run


def _elsewhere(world):
    """The Proposal has a RoCE address to which the victim has no route."""
    return wire.proposal2(world.me(), V4_OTHER, gid=bytes(10) + b"\xff\xff" +
                          bytes([192, 0, 2, 1]))


DECLINED = (
    ("no EID in common", wire.NO_UEID, lambda world: wire.proposal2(
        world.me(), V4_OTHER, eids=(OTHER,))),
    ("no EID at all", wire.NO_UEID, lambda world: wire.proposal2(
        world.me(), None, eids=())),
    ("15 connections", wire.FEW_CONNS, lambda world: wire.proposal2(
        world.me(), None, conns=15)),
    ("no links", wire.FEW_LINKS, lambda world: wire.proposal2(
        world.me(), None, links=0)),
    ("no route to the RoCE address", wire.NO_ROUTE, _elsewhere),
    ("no extension", wire.NO_EXTENSION, lambda world: wire.spoil(
        wire.proposal2(world.me(), None), AT_EXT, wire.be16(0))),
)


def _answered_with_v1(make):
    """The Proposal also offers version 1, and the victim chooses it."""
    def run(world):
        with world.dial() as tcp:
            tcp.sendall(make(world))
            sockets.expect(tcp, wire.ACCEPT)
            tcp.sendall(wire.decline())
            sockets.expect_echo(tcp)
    return run


# -- after the Accept ----------------------------------------------------

def _accepted(world, tcp, **changes):
    """Returns the victim's Accept of version 2 for a first contact of ours."""
    me = world.me()
    tcp.sendall(wire.proposal2(me, V4_NET, **changes))
    got = sockets.expect(tcp, wire.ACCEPT, version=2)
    check(got.flag and len(got.data) == 160, f"{got}: not of first contact")
    check(got.data[AT_EID:AT_EID + 32] == ueid.DEFAULT.ljust(32).encode(),
          f"{got}: EID")
    return me, got


def _good_accept(world):
    with world.dial() as tcp:
        _, got = _accepted(world, tcp, conns=77, links=2)
        first = got.data[AT_FIRST:]
        check(first[0] & 0x80, "not direct")
        check(first[1] == 0x21, f"system and release {first[1]:#x}")
        check(first[36] == 77, f"{first[36]} connections")
        check(1 <= first[37] <= 2, f"{first[37]} links")
        tcp.sendall(wire.decline(version=2))
        sockets.expect_echo(tcp)


def _release0(world):
    """A client of release 0 gets release 0, and an Accept without limits of
    connections and links."""
    with world.dial() as tcp:
        _, got = _accepted(world, tcp, release=0, conns=0, links=0)
        first = got.data[AT_FIRST:]
        check(first[1] == 0x20 and first[36:38] == bytes(2), f"{got}")
        tcp.sendall(wire.decline(version=2))
        sockets.expect_echo(tcp)


def _fewer_conns(world):
    """The administrator's limit is lower than the client's offer."""
    with world.sysctl("net.smc.smcr_max_conns_per_lgr", "20"):
        with world.dial() as tcp:
            _, got = _accepted(world, tcp, conns=77)
            check(got.data[AT_FIRST + 36] == 20, f"{got}: connections")
            tcp.sendall(wire.decline(version=2))
            sockets.expect_echo(tcp)
        with world.dial() as tcp:
            _, got = _accepted(world, tcp, conns=17)
            check(got.data[AT_FIRST + 36] == 17, f"{got}: connections")
            tcp.sendall(wire.decline(version=2))
            sockets.expect_echo(tcp)


NO_CONFIRM = (
    ("of version 1", lambda me, accept: wire.confirm(me)),
    ("without F", lambda me, accept: wire.spoil(
        wire.confirm2(me, accept), wire.AT_VERSION, b"\x20")),
    ("3 GIDs announced, 1 there", lambda me, accept: wire.spoil(
        wire.confirm2(me, accept), AT_GIDS, b"\3")),
    ("255 GIDs", lambda me, accept: wire.spoil(
        wire.confirm2(me, accept), AT_GIDS, b"\xff")),
    ("length of an Accept", lambda me, accept: wire.message(
        wire.CONFIRM, wire.confirm2(me, accept)[8:156], 2, wire.FLAG)),
    ("another EID", lambda me, accept: wire.spoil(
        wire.confirm2(me, accept), AT_EID, OTHER.ljust(32).encode())),
)

CONFIRM_DECLINED = (
    ("release 0", wire.RELEASE, AT_FIRST + 1, b"\x20"),
    ("other connections", wire.FEW_CONNS, AT_FIRST + 36, b"\x10"),
    ("other links", wire.FEW_LINKS, AT_FIRST + 37, b"\x07"),
    ("another address than the Proposal", wire.CONFIG, 28,
     bytes([192, 0, 2, 1])),
)


def _confirm_refused(make):
    def run(world):
        with world.dial() as tcp:
            me, accept = _accepted(world, tcp)
            tcp.sendall(make(me, accept))
            sockets.expect_gone(tcp)
    return run


def _confirm_declined(code, at, new):
    def run(world):
        with world.dial() as tcp:
            me, accept = _accepted(world, tcp)
            tcp.sendall(wire.spoil(wire.confirm2(me, accept), at, new))
            sockets.expect_decline(tcp, code, version=2)
            sockets.expect_echo(tcp)
    return run


# -- we are the server ---------------------------------------------------

def _good_proposal(world):
    with world.called(version=2) as call:
        data = call.proposal.data
        ext = 52 + int.from_bytes(data[AT_EXT:AT_EXT + 2], "big")
        check(data[wire.AT_VERSION] == 0x20, f"{call.proposal}: offers")
        check(data[ext] == 1 and data[ext + 3] >> 4 == 1, "EIDs, release")
        check(data[ext + 40:ext + 72] == ueid.DEFAULT.ljust(32).encode(),
              "EID")
        check(data[ext + 8:ext + 24] == data[16:32], "GIDs differ")
        call.tcp.sendall(wire.decline(version=2))
        call.expect_errno(0)


def _offers_fewer(world):
    """Our Accept allows more connections than the victim has offered: the
    victim declines."""
    with world.sysctl("net.smc.smcr_max_conns_per_lgr", "20"):
        with world.called(version=2) as call:
            data = call.proposal.data
            ext = 52 + int.from_bytes(data[AT_EXT:AT_EXT + 2], "big")
            check(data[ext + 24] == 20, f"{data[ext + 24]} connections")
            call.tcp.sendall(wire.spoil(wire.accept2(world.me()),
                                        AT_FIRST + 36, b"\x15"))
            sockets.expect_decline(call.tcp, wire.FEW_CONNS, version=2)
            call.expect_tcp()


NO_ACCEPT = (
    ("F without extension", lambda me: wire.message(
        wire.ACCEPT, wire.accept2(me, first=False)[8:-4], 2, wire.FLAG)),
    ("half an extension, release 1", lambda me: wire.message(
        wire.ACCEPT, wire.accept2(me)[8:140], 2, wire.FLAG)),
    ("length 107", lambda me: wire.message(
        wire.ACCEPT, wire.accept2(me, first=False)[8:103], 2)),
    ("length 159", lambda me: wire.message(
        wire.ACCEPT, wire.accept2(me)[8:155], 2, wire.FLAG)),
)

ACCEPT_DECLINED = (
    ("an EID that was not offered", wire.NO_UEID, AT_EID,
     OTHER.ljust(32).encode()),
    ("release 2", wire.RELEASE, AT_FIRST + 1, b"\x22"),
    ("15 connections", wire.FEW_CONNS, AT_FIRST + 36, b"\x0f"),
    ("no links", wire.FEW_LINKS, AT_FIRST + 37, b"\0"),
    ("4 links", wire.FEW_LINKS, AT_FIRST + 37, b"\4"),
    ("a gateway where there is none", wire.INDIRECT, AT_FIRST, b"\0"),
    ("an address without a route", wire.NO_ROUTE, 28, bytes([192, 0, 2, 1])),
)


def _accept_refused(make):
    def run(world):
        with world.called(version=2) as call:
            call.tcp.sendall(make(world.me()))
            call.expect_errno(errno.EPROTO)
            sockets.expect_gone(call.tcp)
    return run


def _accept_declined(code, make):
    def run(world):
        with world.called(version=2) as call:
            call.tcp.sendall(make(world.me()))
            sockets.expect_decline(call.tcp, code, version=2)
            call.expect_tcp()
    return run


def _unknown_link(world):
    """We use a group that does not exist: the victim sends Decline with S, and
    uses TCP (C.4)."""
    with world.called(version=2) as call:
        call.tcp.sendall(wire.accept2(world.me(), first=False))
        # R-3.5.2.2-02
        sockets.expect_decline(call.tcp, wire.OUT_OF_SYNC, True, version=2)
        call.expect_tcp()


def cases():
    for name, make in NO_PROPOSAL:
        yield Case(f"version 2, listener: {name}", "", _refused(make),
                   MALFORMED_BY_CLIENT)
    for name, code, make in DECLINED:
        yield Case(f"version 2, listener: {name}", "",
                   _declined_with(code, make), CLIENT_IS_DECLINED)
    for name, changes in (("no EID in common", {"eids": (OTHER,)}),
                          ("15 connections", {"conns": 15})):
        yield Case(f"version 2, listener: {name}, version 1 offered", "",
                   _answered_with_v1(lambda world, changes=changes: _proposal(
                       world, **changes)), DECLINED_BY_CLIENT)
    yield Case("version 2, listener: Accept of first contact", "",
               _good_accept, DECLINED_BY_CLIENT)
    yield Case("version 2, listener: release 0", "", _release0,
               DECLINED_BY_CLIENT)
    yield Case("version 2, listener: fewer connections by sysctl", "",
               _fewer_conns, add(DECLINED_BY_CLIENT, DECLINED_BY_CLIENT))
    for name, make in NO_CONFIRM:
        yield Case(f"version 2, listener: Confirm {name}", "",
                   _confirm_refused(make), MALFORMED_BY_CLIENT)
    for name, code, at, new in CONFIRM_DECLINED:
        yield Case(f"version 2, listener: Confirm with {name}", "",
                   _confirm_declined(code, at, new), CLIENT_IS_DECLINED)
    yield Case("version 2, connect: the Proposal", "", _good_proposal,
               {"DeclinesReceived": 1, "ClientFallbacks": 1})
    yield Case("version 2, connect: fewer connections by sysctl", "",
               _offers_fewer, SERVER_IS_DECLINED)
    for name, make in NO_ACCEPT:
        yield Case(f"version 2, connect: {name}", "", _accept_refused(make),
                   MALFORMED_BY_SERVER)
    for name, code, at, new in ACCEPT_DECLINED:
        yield Case(f"version 2, connect: {name}", "", _accept_declined(
            code, lambda me, at=at, new=new: wire.spoil(
                wire.accept2(me), at, new)), SERVER_IS_DECLINED)
    yield Case("version 2, connect: unknown link", "R-3.5.2.2-02",
               _unknown_link, SERVER_IS_DECLINED)
