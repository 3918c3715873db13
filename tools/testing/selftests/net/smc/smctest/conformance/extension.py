# SPDX-License-Identifier: GPL-2.0
"""Tests the terms of a group after the agreement on the extension of
frames.rst, and which connections fit into the group. The group has one link.
"""

import contextlib

from smctest import check, extension, sockets, ueid, wire
from smctest import messages as msg
from smctest.conformance.case import Case
from smctest.conformance.peer import (CLIENT, LINK_UID, SERVER, AsClient,
                                      echo)
from smctest.conformance.version2 import AT_CONNS, AsServerOfOne, Endpoint
from smctest.extension import ELASTIC, FRAMES, KNOWN, WIDE, Terms
from smctest.world import V4_NET, wait_until

# These connections use CDC and no frames. framed.py tests frames.
ALL = Terms(extension.NEWEST, 12, KNOWN & ~(FRAMES | ELASTIC), 0xbeef)
NO_OFFER = bytes(extension.OFFER_LEN)
SYSCTL = "net.smc.extension"
CONNS = "net.smc.smcr_max_conns_per_lgr"


class AsExtClient(AsClient):
    """offer: vendor bytes of the Proposal; repeat(answer): those of the
    Confirm; conns: limit of connections in the Proposal."""

    offer = ALL.offer
    conns = 255
    answer = None

    @staticmethod
    def repeat(answer):
        return answer

    def propose(self):
        self.tcp = self.bench.dial(port=self.group.port)
        self.tcp.sendall(extension.with_offer(
            wire.proposal2(self.me, V4_NET, conns=self.conns, links=1),
            self.offer))

    def accepted(self):
        self.group.wait_for(self.tcp)
        self.answer = sockets.expect(self.tcp, wire.ACCEPT, version=2)
        # F-32
        check(self.answer.flag == self.first, f"F flag of {self.answer}")
        self._met(self.answer.offer)
        return self.answer

    def confirm(self, **changes):
        me = self.me.but(**changes)
        if not self.first:
            self.tcp.sendall(wire.spoil(wire.accept2(me, False), wire.AT_TYPE,
                                        bytes([wire.CONFIRM])))
            return
        self.tcp.sendall(extension.with_answer(
            wire.confirm2(me, self.answer),
            self.repeat(extension.answered(self.answer))))


class AsExtServer(AsServerOfOne):
    """answer(offer): vendor bytes of the Accept; conns: its limit of
    connections."""

    conns = 255

    @staticmethod
    def answer(offer):
        return offer.but(size=0, caps=offer.caps & ALL.caps).answer

    def accept(self, **changes):
        offer = extension.parse(extension.offered(self.proposal)[3:])
        message = wire.accept2(self.me.but(**changes), self.first)
        if self.first:
            message = wire.spoil(message, AT_CONNS,
                                 bytes([self.conns, self.links]))
            message = extension.with_answer(message, self.answer(offer))
        self.tcp.sendall(message)


def form(group):
    """Confirms the only link of the group."""
    flags = msg.NO_EYE
    if group.module == SERVER:
        got = group.expect(msg.CONFIRM_LINK)
        group.number, group.said = got.data[29], got.data
        flags |= msg.REPLY
    else:
        group.number = 1
    group.send(msg.confirm_link(group.me, group.number, LINK_UID, flags, 1))
    if group.module == CLIENT:
        group.expect(msg.CONFIRM_LINK)


def _joined(group):
    """Opens one more connection, or the first one."""
    conn = group.contact()
    conn.rendezvous()
    if conn.first:
        form(group)
    conn.take()
    echo(conn)
    return conn


@contextlib.contextmanager
def _group(bench, make):
    """Yields a group with one working connection."""
    bench.app.ueids([ueid.DEFAULT])
    group = bench.group(SERVER if issubclass(make, AsClient) else CLIENT,
                        Endpoint)
    group.make = make
    try:
        _joined(group)
        yield group
    finally:
        group.end()
        bench.app.ueids([])


def _shown(bench, wanted):
    """Checks that the views of groups and links have these agreements, and no
    others."""
    def now():
        return bench.app.extensions()

    check(wait_until(lambda: now() == [wanted, wanted]), f"{now()}")


def _variant(make, **members):
    return type(make.__name__, (make,), members)


def _caps(group):
    """Returns the capabilities that the module has answered or offered, without
    those that these peers do not have."""
    if group.module == SERVER:
        return extension.parse(extension.answered(group.conns[0].answer)).caps
    return extension.offered(group.conns[0].proposal)[4] & ALL.caps


def _agreed(bench, make):
    before = bench.app.extensions()[0]
    with _group(bench, make) as group:
        caps = _caps(group)
        # F-36
        check(caps & WIDE, f"no WIDE: {caps:#x}")
        # F-28, F-30, F-31
        _shown(bench, sorted(before + [[ALL.version, caps]]))
        _joined(group)


def _narrow(bench, make, conns, limit):
    """Checks that WIDE needs two hosts that accept 255 connections. The peer
    states conns, and the limit of the module is limit."""
    with bench.sysctl(CONNS, limit), _group(
            bench, _variant(make, conns=conns)) as group:
        caps = _caps(group)
        # F-36
        check(not caps & WIDE, f"WIDE: {caps:#x}")
        _joined(group)


def _off(bench, make):
    """Checks that if the peer sends wrong terms, the connection works as
    without the extension."""
    before = bench.app.extensions()[0]
    with _group(bench, make) as group:
        # F-30, F-31
        _shown(bench, before)
        _joined(group)


def _other_offer(bench):
    """Checks that a connection with another answer gets another group; each
    later one gets the group that fits."""
    plain = _variant(AsExtClient, offer=NO_OFFER)
    with _group(bench, AsExtClient) as one:
        other = bench.group(SERVER, Endpoint)
        # the same peer
        other.me = other.me.but(peer_id=one.me.peer_id)
        other.make = plain
        # F-32
        _joined(other)
        _joined(one)
        _joined(other)
        other.end()


def _liar_has_one_group(bench):
    """Checks that a client that never repeats the answer gets one group, not
    one for each connection."""
    make = _variant(AsExtClient, repeat=staticmethod(lambda _: extension.NONE))
    before = bench.app.stats()["GroupsCreated"]
    with _group(bench, make) as group:
        _joined(group)
        _joined(group)
        # F-32
        check(bench.app.stats()["GroupsCreated"] == before + 1, "more groups")


def _turned_off(bench):
    with bench.sysctl(SYSCTL, "0"):
        _off(bench, AsExtClient)
        _off(bench, _variant(AsExtServer, answer=staticmethod(
            lambda _: ALL.answer)))


def cases():
    yield Case("extension agreed, server", "", lambda bench: _agreed(
        bench, AsExtClient))
    yield Case("extension agreed, client", "", lambda bench: _agreed(
        bench, AsExtServer))
    for name, make, conns, limit in (
            ("the Proposal states 254 connections", AsExtClient, 254, "255"),
            ("a server with a limit of 100", AsExtClient, 255, "100"),
            ("a client with a limit of 100", AsExtServer, 100, "100")):
        yield Case(f"extension: no wide groups, {name}", "",
                   lambda bench, how=(make, conns, limit): _narrow(bench, *how))
    for name, data in (("nothing", extension.NONE), ("all bits set", b"\xff" * 4)):
        yield Case(f"extension: the Confirm says {name}", "",
                   lambda bench, data=data: _off(bench, _variant(
                       AsExtClient, repeat=staticmethod(lambda _: data))))
        yield Case(f"extension: the Accept says {name}", "",
                   lambda bench, data=data: _off(bench, _variant(
                       AsExtServer, answer=staticmethod(lambda _: data))))
    yield Case("extension: another offer, another group", "", _other_offer)
    yield Case("extension: one group for a client that lies", "",
               _liar_has_one_group)
    yield Case("extension: off by sysctl", "", _turned_off)
