# SPDX-License-Identifier: GPL-2.0
"""Tests version 2 between IPv6 addresses (frames.rst, F-35). The group has one
link between IPv6 GIDs."""

import contextlib
import socket

from smctest import check, extension, ueid, verbs, wire
from smctest.conformance.case import both
from smctest.conformance.extension import (ALL, NO_OFFER, SYSCTL, AsExtClient,
                                           AsExtServer, form)
from smctest.conformance.peer import (CLIENT, ELEMENT, SERVER, AsClient,
                                      AsServer, echo)
from smctest.conformance.version2 import Endpoint
from smctest.extension import V6
from smctest.world import V6_NET

AT_EXT, EXT_FROM, AT_GID = 50, 52, 8
WITHOUT_V6 = ALL.but(caps=ALL.caps & ~V6).offer
ALL_BUT_V6 = "7"        # value of the sysctl


def _propose(conn, offer):
    conn.tcp = conn.bench.dial(conn.bench.host6, conn.group.port)
    conn.tcp.sendall(extension.with_offer(
        wire.proposal2(conn.me, None, links=1, prefixes=[V6_NET]), offer))


class _AsClient(AsExtClient):
    """Version 2, and an offer with V6."""

    def propose(self):
        _propose(self, self.offer)


class _AsServer(AsExtServer):
    """Version 2, and an answer with V6."""

    @property
    def target(self):
        return self.bench.own6


class _AsPlainClient(AsClient):
    """Both versions, and an offer without V6. The module has to choose version
    1."""

    offer = NO_OFFER

    def propose(self):
        _propose(self, self.offer)


class _AsPlainServer(AsServer):
    """Version 1, as a server answers that does not know V6."""

    version = 2

    @property
    def target(self):
        return self.bench.own6


def _checks_proposal(bench, proposal):
    """Checks that the Proposal has both versions, each with IPv6."""
    data = proposal.data
    check(data[wire.AT_VERSION] == 0x20, f"{proposal}: not both versions")
    at = EXT_FROM + int.from_bytes(data[AT_EXT:AT_EXT + 2], "big") + AT_GID
    gid = socket.inet_pton(socket.AF_INET6, bench.host6)
    # F-35
    check(data[at:at + 16] == gid, f"{proposal}: GID {data[at:at + 16].hex()}")
    # F-27, F-35
    check(extension.parse(extension.offered(proposal)[3:]).caps & V6,
          f"{proposal}: no V6")
    # F-35, R-3.5.1.2-02
    check(V6_NET in map(str, proposal.prefixes), f"{proposal.prefixes}")


@contextlib.contextmanager
def _group(bench, module, make, endpoint):
    """Yields a group of the scripted peer between IPv6 GIDs."""
    bench.app.ueids([ueid.DEFAULT])
    bench.listen()
    bench.app.unlisten(bench.listener)
    bench.listener = bench.app.offer("::", bench.port, ELEMENT, 0)
    nic = verbs.Nic(bench.gid6)
    group = bench.group(module, lambda _, *args: endpoint(nic, *args))
    group.me = group.me.but(gid=bench.gid6)
    group.make = make
    try:
        yield group
    finally:
        group.end()
        nic.close()
        bench.app.ueids([])
        bench.listen()


def _version2(bench, module):
    make = _AsClient if module == SERVER else _AsServer
    with _group(bench, module, make, Endpoint) as group:
        for _ in range(2):
            conn = group.contact()
            conn.rendezvous()
            if conn.first:
                form(group)
            conn.take()
            echo(conn)
        first = group.conns[0]
        if module == CLIENT:
            _checks_proposal(bench, first.proposal)
        else:
            caps = extension.parse(extension.answered(first.answer)).caps
            # F-28, F-35
            check(caps & V6, f"{first.answer}: no V6")
        # F-35
        check(group.theirs.gid == socket.inet_pton(socket.AF_INET6,
                                                   bench.host6),
              f"GID {group.theirs.gid.hex()}")


def _version1(bench, module, make):
    with _group(bench, module, make, verbs.Endpoint) as group:
        conn = group.connect()
        if module == CLIENT and make.version == 2:
            _checks_proposal(bench, conn.proposal)
        echo(conn)


def _no_v6(bench, module):
    """Checks that a peer without V6 gets version 1."""
    if module == CLIENT:
        _version1(bench, module, _AsPlainServer)
        return
    for offer in (NO_OFFER, WITHOUT_V6):
        # F-35
        _version1(bench, module, type("_AsPlainClient", (_AsPlainClient,),
                                      {"offer": offer}))


def _turned_off(bench, module):
    """Checks that without V6 the module uses version 1."""
    make = type("_Peer", (_AsPlainClient,), {"offer": ALL.offer})
    if module == CLIENT:
        make = type("_Peer", (_AsPlainServer,), {"version": 1})
    with bench.sysctl(SYSCTL, ALL_BUT_V6):
        # F-35
        _version1(bench, module, make)


def cases():
    yield from both("IPv6: version 2", "", _version2)
    yield from both("IPv6: a peer without V6", "", _no_v6, limit=60)
    yield from both("IPv6: V6 is turned off", "", _turned_off)
