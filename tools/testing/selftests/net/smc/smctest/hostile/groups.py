# SPDX-License-Identifier: GPL-2.0
"""Attacks existing objects: a link group and connections between normal sockets
of this host and the victim. The test captures the packets of their
handshakes."""

import contextlib
import itertools
import socket
import time

from smctest import Failure, check, sniff, sockets, wire
from smctest.hostile.case import Case
from smctest.world import (DECLINED_BY_CLIENT, DECLINED_BY_SERVER, GOOD,
                              LOST_BY_CLIENT, PORT, SERVER_IS_DECLINED, V4_NET,
                              add, moves, wait_until)

MANY = 20
WRONG_KEYS = 260    # more than the group's table has room for


def expect_reset(sock):
    """Checks that recv() on this ordinary AF_SMC socket fails with
    ECONNRESET."""
    try:
        data = sock.recv(1)
    except ConnectionResetError:
        return
    except TimeoutError:
        raise Failure("the connection lives on") from None
    raise Failure(f"{data!r} instead of ECONNRESET")


class Tapped:
    """A normal connection, with the messages of its handshake."""

    def __init__(self, wiretap, port):
        """port: the port of its server; no other connection to this port has
        been opened since."""
        syn = wiretap.find(lambda s: s.flags == sniff.SYN and s.dport == port)
        check(syn, "no SYN on the wire")
        self.client, self.server = syn.sport, port
        wait_until(lambda: len(self._said(wiretap)) >= 2)
        said = self._said(wiretap)
        heard = wiretap.messages(self.server, self.client)
        check([m.kind for m in said] == [wire.PROPOSAL, wire.CONFIRM] and
              [m.kind for m in heard] == [wire.ACCEPT],
              f"the handshake on the wire is {said} {heard}")
        self.confirm, self.accept = said[1].offer, heard[0].offer
        self.first = heard[0].flag

    def _said(self, wiretap):
        return wiretap.messages(self.client, self.server)


class Member:
    """Opens a connection as a decent client of the victim."""

    def __init__(self, where):
        self.where = where
        self.wiretap = sniff.Sniffer()
        self.sock = sockets.smc_socket(where.host)
        sockets.smc_connect(self.sock, where.host, PORT)
        self.sock.settimeout(sockets.PATIENCE)
        sockets.expect_echo(self.sock)
        self.tapped = Tapped(self.wiretap, PORT)
        self.next = []      # seq and ack of the next forged segment

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.sock.close()
        if self.next:
            self._end_tcp()
        self.wiretap.close()

    def _end_tcp(self):
        """Resets the victim's connection, because the sequence numbers of the
        two TCPs no longer match."""
        wait_until(lambda: not any(
            sock["dport"] == self.tapped.client
            for sock in self.where.sockets_of(PORT)))
        self.forge(sniff.RST)

    @property
    def own(self):
        """Returns the fields of our Confirm about our end of the group."""
        return self.tapped.confirm

    def forge(self, flags, payload=b""):
        """Returns a TCP segment of this connection with the right sequence
        number, which our TCP did not send."""
        if not self.next:
            self.next = [max(_behind(s) for s in self.wiretap.read() if
                             s[:2] == ports) for ports in (
                                 (self.tapped.client, PORT),
                                 (PORT, self.tapped.client))]
        sniff.send(self.where.own, self.where.host, sniff.Segment(
            self.tapped.client, PORT, *self.next, flags | sniff.ACK, b"",
            payload))
        self.next[0] += len(payload) + bool(flags & sniff.FIN)
        self.next[0] &= 0xffffffff


def _behind(segment):
    """Returns the sequence number that follows a segment; the segment must
    have no SYN."""
    return (segment.seq + len(segment.payload)) & 0xffffffff


class Served:   # pylint: disable=too-few-public-methods
    """The victim is a decent client of ours."""

    ports = itertools.count(7900)

    def __init__(self, where):
        port = next(self.ports)
        self.victim = where.victim
        self.listener = sockets.smc_listen(where.own, port, 4)
        with sniff.Sniffer() as wiretap:
            self.number = self.victim.connect(where.own, port)
            self.sock = sockets.smc_accept(self.listener)
            self.tapped = Tapped(wiretap, port)

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.victim.close(self.number)
        self.sock.close()
        self.listener.close()


# -- the victim is the server --------------------------------------------

def _enter(where, member):
    """We use the identity of a member: we send a Proposal, and get an Accept
    for the member's group."""
    tcp = where.dial()
    tcp.sendall(wire.proposal(member.own, V4_NET))
    answer = sockets.expect(tcp, wire.ACCEPT)
    # R-3.5.2.1-02
    check(not answer.flag and answer.offer.qpn == member.tapped.accept.qpn,
          f"{answer} does not name the group")
    return tcp


def _first_contacts(where, run):
    """Returns the number of first contacts that run() makes."""
    before = where.victim.stats()["FirstContacts"]
    run()
    return where.victim.stats()["FirstContacts"] - before


def _decline_keeps_group(where):
    with Member(where) as member:
        with _enter(where, member) as tcp:
            tcp.sendall(wire.decline())
            sockets.expect_echo(tcp)
        # R-A.2.5-02
        sockets.expect_echo(member.sock)
        check(_first_contacts(where, where.good) == 0, "a new group was made")


def _decline_with_s_ends_group(where):
    with Member(where) as member:
        with _enter(where, member) as tcp:
            tcp.sendall(wire.decline(wire.OUT_OF_SYNC, sync=True))
            sockets.expect_echo(tcp)
        # R-A.2.5-02
        expect_reset(member.sock)
    # R-C.4-03
    check(_first_contacts(where, where.good) == 1, "no new group was made")


def _connects_to_itself(where):
    """Opens a connection of the victim to its own service."""
    number = where.victim.connect(where.host, PORT)
    wait_until(lambda: where.victim.outcome(number))
    check(where.victim.outcome(number)[0] == 0, "no connection within a host")
    return number


def _echoes(where, number):
    where.victim.send(number, b"alive".hex())
    wait_until(lambda: where.victim.readable(number))
    got = where.victim.recv(number, 5)
    check(got == b"alive".hex(), f"recv(): {got}")


def _decline_with_s_as_the_victim(where):
    """We use the victim's own peer ID. Connections within the victim must
    not end."""
    number = _connects_to_itself(where)
    try:
        _echoes(where, number)
        me = where.me().but(peer_id=where.victim_id)
        with where.accepted(me) as (tcp, _, answer):
            check(not answer.flag, "it found no group")
            tcp.sendall(wire.decline(wire.OUT_OF_SYNC, sync=True))
            sockets.expect_echo(tcp)
        _echoes(where, number)
    finally:
        where.victim.close(number)


def _many_wrong_keys(where):
    """Each Confirm names another link, and a new key. The group must not keep
    the keys, because its table has room for 255."""
    with where.sysctl("net.smc.extension", 0), Member(where) as member:
        for key in range(WRONG_KEYS):
            with _enter(where, member) as tcp:
                tcp.sendall(wire.confirm(member.own.but(
                    qpn=0x123456, rkey=0x77000000 + key)))
                sockets.expect_gone(tcp)
        tcp = _enter(where, member)
        tcp.sendall(wire.confirm(member.own.but(rkey=0x76000000,
                                                token=0x13131313)))
        time.sleep(0.3)
        sockets.expect_open(tcp)
        sockets.reset(tcp)
        sockets.expect_echo(member.sock)


def _wrong_link(**changes):
    """The Confirm names a link that is not in the group."""
    def run(where):
        with Member(where) as member:
            with _enter(where, member) as tcp:
                tcp.sendall(wire.confirm(member.own.but(**changes)))
                # R-2-01, R-3.5.2.3-02
                sockets.expect_gone(tcp)
            sockets.expect_echo(member.sock)
    return run


def _confirm_element_in_use(where):
    """The old connection must end, because the victim has not announced the
    end of that connection to us."""
    with Member(where) as member:
        tcp = _enter(where, member)
        try:
            tcp.sendall(wire.confirm(member.own.but(token=0x13131313)))
            member.sock.settimeout(5)
            # R-3.5.2.3-01, R-4.4.2-03, -04
            expect_reset(member.sock)
        finally:
            sockets.reset(tcp)


# -- a group that forms --------------------------------------------------

def _two(where):
    """A peer begins a first contact, and one more connection waits for its
    end."""
    me = where.me()
    first, second = where.dial(), where.dial()
    for tcp in (first, second):
        tcp.sendall(wire.proposal(me, V4_NET))
        if tcp is first:
            sockets.expect(tcp, wire.ACCEPT)
    time.sleep(0.1)
    sockets.expect_open(second)
    return first, second


def _takes_over(leave):
    """The first contact fails, and the connection that waited makes a first
    contact of its own."""
    def run(where):
        first, second = _two(where)
        with first, second:
            leave(first)
            answer = sockets.expect(second, wire.ACCEPT)
            # R-3.5.1.6.4-04
            check(answer.flag, "no F flag in first contact")
            second.sendall(wire.decline())
            sockets.expect_echo(second)
    return run


def _declines(tcp):
    tcp.sendall(wire.decline())
    sockets.expect_echo(tcp)


def _second_out_of_sync(where):
    """The second connection declines with S before any Accept. That says
    nothing about the group that the first one creates."""
    first, second = _two(where)
    with first, second:
        second.sendall(wire.decline(wire.OUT_OF_SYNC, sync=True))
        sockets.expect_echo(second)
        sockets.expect_open(first)
        _declines(first)


def _second_leaves(where):
    first, second = _two(where)
    with first:
        second.close()
        _declines(first)


def _many(where):
    """Checks that the victim does not wait for first contacts of other peers
    that hang."""
    with contextlib.ExitStack() as stack:
        for _ in range(MANY):
            stack.enter_context(where.accepted())
        start = time.monotonic()
        with where.accepted() as (tcp, _, _):
            seconds = time.monotonic() - start
            check(seconds < 3, f"Accept came after {seconds:.1f} s")
            _declines(tcp)


# -- the victim is the client --------------------------------------------

def _unknown_link(change):
    """For each field that identifies the link, we send one Accept with a wrong
    value."""
    def run(where):
        with Served(where) as served, where.called() as call:
            offer = served.tapped.accept
            wrong = getattr(offer, change)
            wrong = (wrong ^ 1 if isinstance(wrong, int) else
                     wrong[:-1] + bytes([wrong[-1] ^ 1]))
            call.tcp.sendall(wire.accept(offer.but(**{change: wrong}),
                                         first=False))
            # R-2-01, R-3.5.1.3-01, R-3.5.2.2-01, R-C.4-01
            sockets.expect_decline(call.tcp, wire.OUT_OF_SYNC, sync=True)
            call.expect_tcp()
    return run


def _first_contact_again(where):
    """We send F although we have a group with the victim: the victim creates a
    new group, and does not use the existing group."""
    with Served(where) as served:
        with where.called() as call:
            offer = served.tapped.accept.but(qpn=0x123456)
            call.tcp.sendall(wire.accept(offer) + wire.decline())
            sockets.expect(call.tcp, wire.CONFIRM)
            call.expect_tcp()
        with Served(where) as later:
            # R-3.5.1.3-02
            check(not later.tapped.first, "the old group is gone")


def _accept_element_in_use(where):
    with Served(where) as served, where.called() as call:
        offer = served.tapped.accept.but(token=0x13131313)
        call.tcp.sendall(wire.accept(offer, first=False))
        served.sock.settimeout(5)
        try:
            # R-3.5.2.2-04, R-4.4.2-03, -04
            expect_reset(served.sock)
        finally:
            sockets.reset(call.tcp)


# -- TCP below an SMC connection -----------------------------------------

def _forged_reset(where):
    before = where.victim.stats()["AbortsSent"]
    with Member(where) as member:
        member.forge(sniff.RST)
        expect_reset(member.sock)
    after = where.victim.stats()["AbortsSent"]
    # R-4.8.2-09
    check(after == before + 1, "no abort was sent")


def _forged_end(where):
    """R-L-18: checks that a FIN does not end the data transfer by RDMA."""
    with Member(where) as member:
        member.forge(sniff.FIN)
        for _ in range(3):
            # R-L-18
            sockets.expect_echo(member.sock)


def _forged_data(where):
    """Checks that no byte of the TCP connection reaches an application that
    uses SMC. An unexpected byte ends the connection."""
    with Member(where) as member:
        member.forge(0, b"forged data")
        # R-4.5.3-11
        expect_reset(member.sock)


def _marked(where):
    """Checks that tools see that this TCP connection belongs to SMC."""
    with Member(where) as member:
        out = where.victim.run("ss", "-Htnie", "sport", "=", f":{PORT}")[1]
        lines = "".join(out.splitlines()).split("ESTAB")
        own = [line for line in lines if f":{member.tapped.client} " in line]
        check(len(own) == 1 and "tcp-ulp-smc" in own[0], f"ss says {own}")


def _closed_in_order(where):
    """Both sides shut down their direction; each reads end of file
    (R-4.8.1)."""
    with Member(where) as member:
        member.sock.shutdown(socket.SHUT_WR)
        check(member.sock.recv(1) == b"", "data instead of the end")


def cases():
    refused = add(GOOD, LOST_BY_CLIENT)
    yield Case("group: Decline of a member", "R-A.2.5-02, R-3.5.2.1-02",
               _decline_keeps_group, add(GOOD, GOOD, DECLINED_BY_CLIENT))
    yield Case("group: Decline with S of a member", "R-C.4-03, R-A.2.5-02",
               _decline_with_s_ends_group, add(GOOD, GOOD, DECLINED_BY_CLIENT))
    yield Case("group: Decline with S, with the victim's own peer ID",
               "R-C.4-03", _decline_with_s_as_the_victim,
               add(GOOD, moves("ClientHandshakes"), DECLINED_BY_CLIENT))
    yield Case("group: many Confirms with another link and key",
               "R-3.5.2.3-02", _many_wrong_keys,
               add(GOOD, GOOD, *[LOST_BY_CLIENT] * WRONG_KEYS))
    for change, value in (("qpn", 0x123456), ("gid", bytes(16)),
                          ("mac", bytes(6))):
        yield Case(f"group: Confirm with another {change}", "R-3.5.2.3-02",
                   _wrong_link(**{change: value}), refused)
    yield from _forming_cases()
    client = moves("ClientHandshakes")
    for change in ("peer_id", "gid", "mac", "qpn"):
        yield Case(f"group: Accept with another {change}",
                   "R-3.5.1.3-01, R-3.5.2.2-01, R-C.4-01", _unknown_link(change),
                   add(client, SERVER_IS_DECLINED))
    yield Case("group: Accept with F beside it", "R-3.5.1.3-02",
               _first_contact_again, add(client, client, DECLINED_BY_SERVER))
    yield Case("group: RST of TCP", "R-4.8.2-09", _forged_reset, GOOD)
    yield Case("group: FIN of TCP", "R-L-18", _forged_end, GOOD)
    yield Case("group: data on TCP", "R-4.5.3-11", _forged_data, GOOD)
    yield Case("group: ULP of a member's TCP", "", _marked, GOOD)
    yield Case("group: the usual end", "", _closed_in_order, GOOD)
    yield Case("group: Confirm names an element in use",
               "R-3.5.2.3-01, R-4.4.2-03, R-4.4.2-04",
               _confirm_element_in_use, add(GOOD, GOOD))
    yield Case("group: Accept names an element in use",
               "R-3.5.2.2-04, R-4.4.2-03, R-4.4.2-04", _accept_element_in_use,
               # connect() may find the connection aborted already: then it
               # fails, and the socket continues as a TCP socket
               add(client, client, {"ClientFallbacks": range(2)}))


def _forming_cases():
    yield Case("forming group: the first leaves", "R-3.5.1.6.4-04",
               _takes_over(lambda tcp: tcp.close()),
               add(LOST_BY_CLIENT, DECLINED_BY_CLIENT))
    yield Case("forming group: the first declines", "R-3.5.1.6.4-04",
               _takes_over(_declines), add(*[DECLINED_BY_CLIENT] * 2))
    yield Case("forming group: the second declines with S", "R-C.4-03",
               _second_out_of_sync, add(*[DECLINED_BY_CLIENT] * 2))
    yield Case("forming group: the second leaves", "",
               _second_leaves, add(LOST_BY_CLIENT, DECLINED_BY_CLIENT))
    yield Case(f"forming groups: {MANY} of them", "", _many,
               add(*[LOST_BY_CLIENT] * MANY, DECLINED_BY_CLIENT))
