# SPDX-License-Identifier: GPL-2.0
"""Tests that options of the application's socket also apply to the TCP packets
that begin and end the connection (RFC 7609 B.1), and to the packets of the link
that it makes."""

import socket
import time

from smctest import check, sniff
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.peer import CLIENT, PATIENCE, echo
from smctest.world import wait_until

TTL, TOS, MSS = 77, 0x10, 1111
ECN = 3             # bits of TOS that the application does not control
CLASS = 0x6a        # a traffic class that no socket asks for
OPTIONS = [[socket.IPPROTO_IP, socket.IP_TTL, TTL],
           [socket.IPPROTO_IP, socket.IP_TOS, TOS],
           [socket.IPPROTO_TCP, socket.TCP_MAXSEG, MSS],
           [socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1],
           [socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1],
           [socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1],
           [socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 100]]


def _mss(segment):
    """Returns the MSS of a SYN. The MSS must be the first option."""
    kind, length = segment.options[:2]
    check((kind, length) == (2, 4), f"options {segment.options.hex()}")
    return int.from_bytes(segment.options[2:4], "big")


def _probe(segments):
    """Returns true if one of these segments is a keepalive probe. A probe has
    the sequence number of the last byte."""
    end = None
    for one in segments:
        if not one.payload and end is not None and \
           one.seq == (end - 1) & 0xffffffff:
            return True
        if one.payload or one.flags & sniff.SYN:
            end = (one.seq + len(one.payload) +
                   bool(one.flags & sniff.SYN)) & 0xffffffff
    return False


def _on_the_wire(bench):
    """Checks TTL, TOS, MSS and keepalive, from SYN to FIN."""
    with sniff.Sniffer() as wire, bench.connected(CLIENT) as (_, group):
        conn = group.contact()
        conn.options = OPTIONS
        conn.rendezvous()
        conn.take()
        ports = conn.tcp.getpeername()[1], conn.tcp.getsockname()[1]

        def sent():
            return [one for one in wire.read()
                    if (one.sport, one.dport) == ports]

        echo(conn)
        deadline = time.monotonic() + PATIENCE
        while not _probe(sent()):
            # R-4.5.3-08, R-B.1-04
            check(time.monotonic() < deadline, "no keepalive probe")
            time.sleep(0.1)
        bench.app.close(conn.number)
        conn.number = None
        conn.expect(ends=msg.C)
        conn.tell(ends=msg.C)
        conn.expect_gone()
        conn.expect_tcp("FIN")
        seen = sent()
        # R-B.1-04
        check(seen[0].flags & sniff.SYN and _mss(seen[0]) == MSS,
              f"{seen[0]} is no SYN with MSS {MSS}")
        check(any(one.flags & sniff.FIN for one in seen), "no FIN")
        wrong = [one for one in seen
                 if one.ttl != TTL or one.tos & ~ECN != TOS]
        # R-B.1-04
        check(not wrong, f"other TTL or TOS: {wrong}")


def _has_class(bench, wire, group, tclass):
    """Checks that all packets of the module on the link have this traffic
    class."""
    def sent():
        wire.read()
        return {one.tos for one in wire.rdma
                if (one.source, one.queue_pair) ==
                (bench.host, group.end_point.qpn)}

    check(wait_until(sent), "no RDMA packet")
    check(sent() == {tclass}, f"traffic classes {sent()}, not {tclass}")


def _class_of_socket(bench):
    """Checks that a link has the type of service of the socket that makes it,
    and that other sockets do not change it."""
    with sniff.Sniffer() as wire:
        conn, group = bench.contact(CLIENT)
        conn.options = OPTIONS
        conn.rendezvous()
        group.form()
        conn.take()
        echo(conn)
        echo(group.connect())
        _has_class(bench, wire, group, TOS)


def _class_of_settings(bench, module):
    with bench.sysctl("net.smc.tclass", CLASS), sniff.Sniffer() as wire, \
            bench.connected(module) as (conn, group):
        echo(conn)
        _has_class(bench, wire, group, CLASS)


def cases():
    yield Case("options on the wire", "R-B.1-04", _on_the_wire, limit=90)
    yield Case("traffic class of the socket", "", _class_of_socket)
    yield from both("traffic class of the settings", "", _class_of_settings)
