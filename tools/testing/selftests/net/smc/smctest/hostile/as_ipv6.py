# SPDX-License-Identifier: GPL-2.0
"""Tests version 2 between IPv6 addresses (frames.rst, F-35) with peers that do
not know it, or that send wrong GIDs. Then the victim uses version 1, or TCP.

The victim speaks version 2 during this part only.
"""

import socket

from smctest import check, extension, sockets, wire
from smctest.extension import KNOWN, V6, Terms
from smctest.hostile.case import Case
from smctest.world import (CLIENT_IS_DECLINED, DECLINED_BY_CLIENT,
                           DECLINED_BY_SERVER, GOOD, SERVER_IS_DECLINED,
                           V6_NET, add)

SYSCTL = "net.smc.extension"
ALL_BUT_V6 = "7"
ALL = Terms(1, 12, KNOWN, 0xbeef)
AT_EXT, EXT_FROM, AT_GID = 50, 52, 16
ELSEWHERE = ["fd78::/64"]


def _gid(text):
    return socket.inet_pton(socket.AF_INET6, text)


def _v4(text):
    return bytes(10) + b"\xff\xff" + socket.inet_aton(text)


# -- we are the client ---------------------------------------------------

def _me(world):
    return world.me().but(gid=world.gid6)


def _proposed(world, tcp, offer, prefixes=(V6_NET,), **changes):
    """Sends a Proposal between IPv6 addresses; returns our fields."""
    me = _me(world)
    tcp.sendall(extension.with_offer(
        wire.proposal2(me, None, prefixes=prefixes, **changes), offer))
    return me


def _leaves(tcp, version):
    tcp.sendall(wire.decline(version=version))
    sockets.expect_echo(tcp)


def _version2(world):
    """Checks that the Accept has the victim's IPv6 GID, also for a client in
    another subnet whose RoCE address is in ours."""
    for prefixes in ([V6_NET], ELSEWHERE, ()):
        with world.dial(world.host6) as tcp:
            _proposed(world, tcp, ALL.offer, prefixes)
            got = sockets.expect(tcp, wire.ACCEPT, version=2)
            # F-35
            check(got.data[AT_GID:AT_GID + 16] == _gid(world.host6), f"{got}")
            # F-28, F-35
            check(extension.parse(extension.answered(got)).caps & V6,
                  f"{got}: no V6")
            _leaves(tcp, 2)


def _answered_with_v1(offer, **changes):
    def run(world):
        with world.dial(world.host6) as tcp:
            _proposed(world, tcp, offer, **changes)
            # F-35
            sockets.expect(tcp, wire.ACCEPT)
            _leaves(tcp, 1)
    return run


def _declined_with(code, offer, **changes):
    """The client is in another subnet, so version 1 is impossible, too."""
    def run(world):
        with world.dial(world.host6) as tcp:
            _proposed(world, tcp, offer, ELSEWHERE, **changes)
            # F-35
            sockets.expect_decline(tcp, code, version=2)
            sockets.expect_echo(tcp)
    return run


def _server_without(world):
    with world.sysctl(SYSCTL, ALL_BUT_V6):
        _answered_with_v1(ALL.offer)(world)


NO_V6 = (
    ("no vendor bytes", bytes(extension.OFFER_LEN), {}),
    ("every other capability", ALL.but(caps=0xff & ~V6).offer, {}),
    ("version 0", ALL.but(version=0).offer, {}),
    ("another vendor", b"\x00\x0c\xe7" + ALL.offer[3:], {}),
    ("release 0", ALL.offer, {"release": 0, "conns": 0, "links": 0}),
)

GIDS = (
    ("of IPv4", _v4("10.77.0.2")),
    ("unspecified", bytes(16)),
    ("loopback", _gid("::1")),
    ("link-local", _gid("fe80::2")),
    ("multicast", _gid("ff02::1")),
    ("multicast, as a host", _gid("ff05::2")),
    ("the victim's own", _gid("fd77::1")),
    ("without a route", _gid("fd99::1")),
    ("all bits set", b"\xff" * 16),
)


# -- we are the server ---------------------------------------------------

def _proposal(world):
    """Checks that the Proposal offers both versions, each with its IPv6
    fields."""
    with world.called(world.own6, version=2) as call:
        data = call.proposal.data
        # F-35
        check(data[wire.AT_VERSION] == 0x20, f"{call.proposal}: offers")
        check(V6_NET in map(str, call.proposal.prefixes),
              f"{call.proposal.prefixes}")
        at = EXT_FROM + int.from_bytes(data[AT_EXT:AT_EXT + 2], "big")
        gid = _gid(world.host6)
        check(data[at + 8:at + 24] == gid and data[AT_GID:AT_GID + 16] == gid,
              f"{call.proposal}: GIDs")
        check(extension.parse(extension.offered(call.proposal)[3:]).caps & V6,
              f"{call.proposal}: no V6")
        call.tcp.sendall(wire.decline(version=2))
        call.expect_tcp()


def _proposal_as_before(world):
    """Checks that without V6 the Proposal is of version 1."""
    for value in (ALL_BUT_V6, "0"):
        with world.sysctl(SYSCTL, value), world.called(world.own6) as call:
            prefixes = call.proposal.prefixes
            # F-35
            check(len(call.proposal.data) ==
                  52 + len(prefixes) * wire.PREFIX_LEN, f"{call.proposal}")
            call.tcp.sendall(wire.decline())
            call.expect_tcp()


def _accepts(me, version):
    """Checks that the victim takes this Accept."""
    def run(world):
        with world.called(world.own6, version=2) as call:
            offer = me(world)
            call.tcp.sendall(wire.accept2(offer) if version == 2 else
                             wire.accept(offer))
            # F-35
            got = sockets.expect(call.tcp, wire.CONFIRM, version=version)
            check(got.data[AT_GID:AT_GID + 16] == _gid(world.host6), f"{got}")
            call.tcp.sendall(wire.decline(version=version))
            call.expect_tcp()
    return run


def _accept_declined(gid):
    """Checks that the victim declines an Accept of version 2 with this GID."""
    def run(world):
        with world.called(world.own6, version=2) as call:
            call.tcp.sendall(wire.accept2(world.me().but(gid=gid)))
            # F-35
            sockets.expect_decline(call.tcp, wire.NO_ROUTE, version=2)
            call.expect_tcp()
    return run


def cases():
    yield Case("IPv6: both hosts have SMC", "", lambda world: world.good(
        world.host6), GOOD)
    yield Case("IPv6, listener: version 2", "", _version2,
               add(*[DECLINED_BY_CLIENT] * 3))
    for name, offer, changes in NO_V6:
        yield Case(f"IPv6, listener: {name}", "",
                   _answered_with_v1(offer, **changes), DECLINED_BY_CLIENT)
        yield Case(f"IPv6, listener: {name}, no common prefix", "",
                   _declined_with(wire.NO_DEVICE, offer, **changes),
                   CLIENT_IS_DECLINED)
    yield Case("IPv6, listener: V6 is off", "", _server_without,
               DECLINED_BY_CLIENT)
    for name, gid in GIDS:
        yield Case(f"IPv6, listener: GID {name}", "",
                   _answered_with_v1(ALL.offer, gid=gid), DECLINED_BY_CLIENT)
        yield Case(f"IPv6, listener: GID {name}, no common prefix", "",
                   _declined_with(wire.NO_ROUTE, ALL.offer, gid=gid),
                   CLIENT_IS_DECLINED)
    yield Case("IPv6, connect: the Proposal", "", _proposal,
               DECLINED_BY_SERVER)
    yield Case("IPv6, connect: V6 is off", "", _proposal_as_before,
               add(DECLINED_BY_SERVER, DECLINED_BY_SERVER))
    for version in (1, 2):
        yield Case(f"IPv6, connect: answer of version {version}", "",
                   _accepts(_me, version), DECLINED_BY_SERVER)
    for name, gid in GIDS:
        yield Case(f"IPv6, connect: Accept with GID {name}", "",
                   _accept_declined(gid), SERVER_IS_DECLINED)
