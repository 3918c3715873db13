# SPDX-License-Identifier: GPL-2.0
"""A server has an adapter on each of two networks. The tests check which
adapter its Accept names (RFC 7609 3.5.1.2)."""

import collections
import contextlib

from smctest import check, sockets, wire, world
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.adapter import GID, NET, adapter
from smctest.conformance.case import Case
from smctest.conformance.links import gid_of
from smctest.conformance.peer import ELEMENT, SERVER, AsClient, echo

Net = collections.namedtuple("Net", "module own subnet")

NETS = [Net(f"10.77.{number}.1", f"10.77.{number}.2", f"10.77.{number}.0/24")
        for number in range(2)]
FIRST = gid_of(NETS[0].module)


def _client(source, host, subnet):
    """Returns a class of clients that connect from source to host and propose
    subnet."""
    class Client(AsClient):
        """AsClient with another source and destination of its TCP
        connection."""

        def propose(self):
            self.tcp = sockets.option_socket(host)
            self.tcp.settimeout(sockets.PATIENCE)
            self.tcp.bind((source, 0))
            self.tcp.connect((host, self.group.port))
            self.tcp.sendall(wire.proposal(self.me, subnet))
    return Client


@contextlib.contextmanager
def _everywhere(bench):
    """Lets the application listen on all addresses inside the block."""
    bench.listen()
    bench.app.unlisten(bench.listener)
    bench.listener = bench.app.offer("0.0.0.0", bench.port, ELEMENT, 0)
    try:
        yield
    finally:
        bench.listen()


@contextlib.contextmanager
def _contact(bench, number, host):
    """Yields (connection, group) before the handshake: we are on the first
    network, and connect to the given address."""
    net = NETS[number]
    nic = verbs.Nic(gid_of(net.own), f"rxe{number}")
    group = bench.group(SERVER, lambda _, *args: verbs.Endpoint(nic, *args))
    group.me = group.me.but(gid=nic.gid, mac=world.own_mac(f"eth{number}"))
    group.make = _client(net.own, host, net.subnet)
    try:
        yield group.contact(), group
    finally:
        group.end()
        nic.close()


def _named(number, host, gid):
    """Checks that the server uses the adapter on our network, for each address
    that we connect to."""
    def run(bench):
        with adapter(bench), _everywhere(bench), \
                _contact(bench, number, host) as (conn, group):
            conn.propose()
            conn.accepted()
            # R-3.5.1.2-09
            check(conn.theirs.gid == gid, f"{conn.theirs} is not {gid.hex()}")
            conn.link_up()
            conn.confirm()
            group.confirmed()
            group.send(group.confirm_link(links=1))
            group.send(group.reject_add(group.expect(msg.ADD_LINK)))
            conn.take()
            echo(conn)
    return run


def _detour(bench):
    """The Accept would leave by the other network. According to the Proposal
    we are not on that network, so the server does not offer its adapter
    there."""
    def route(verb):
        status, said = bench.app.run("ip", "route", verb, f"{NETS[0].own}/32",
                                     "dev", NET, "src", NETS[0].module)
        check(not status, said)

    with adapter(bench), _everywhere(bench):
        route("add")
        try:
            with _contact(bench, 0, NETS[0].module) as (conn, group):
                conn.propose()
                # R-3.5.1.2-09, -10
                sockets.expect_decline(conn.tcp, wire.SUBNET)
                # R-3.5.1.2-10
                conn.fell_back()
                group.gone = True
        finally:
            route("del")


def cases():
    ids = "R-3.5.1.2-09"
    yield Case("server on two networks, the first", ids,
               _named(0, NETS[0].module, FIRST))
    yield Case("server on two networks, the second", ids,
               _named(1, NETS[1].module, GID))
    yield Case("server on two networks, the address of the other one", ids,
               _named(0, NETS[1].module, FIRST))
    yield Case("server on two networks, the Accept would take the other one",
               "R-3.5.1.2-09, R-3.5.1.2-10", _detour)
