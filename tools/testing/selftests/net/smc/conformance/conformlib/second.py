# SPDX-License-Identifier: GPL-2.0
"""A second link (RFC 7609 3.5.1.6, 3.5.5.1, 3.5.5.2.3, 4.6). To the module we
are another adapter where we have another address."""

import contextlib
import socket
import subprocess

from hostilelib import check
from hostilelib.world import DEVICE

from conformlib import messages as msg
from conformlib import verbs
from conformlib.case import Case
from conformlib.contact import echo
from conformlib.peer import (CLIENT, ELEMENT, ELEMENTS, LINK_UID, SERVER,
                             pattern)

OTHER = "10.77.0.3"
GID = bytes(10) + b"\xff\xff" + socket.inet_aton(OTHER)
SLOW = 8        # seconds: a queue pair gives up, an answer does not come


def _address(verb):
    subprocess.run(["ip", "address", verb, f"{OTHER}/24", "dev", DEVICE],
                   check=True)


class Second:
    """The link that the module offers in first contact."""

    def __init__(self, group, add):
        bench = group.bench
        self.group, self.number = group, add.data[31]
        self.end_point = verbs.Endpoint(verbs.Nic(GID), bench.psn(),
                                        ELEMENT * ELEMENTS)
        rmb = self.end_point.rmb
        self.me = group.me.but(gid=GID, qpn=self.end_point.qpn,
                               psn=self.end_point.psn, rkey=rmb.rkey,
                               addr=rmb.buf)
        self.theirs = group.theirs.but(
            mac=add.data[4:10], gid=add.data[12:28], qpn=add.number(28, 3),
            psn=add.number(33, 3), mtu=add.data[32] & 15)
        check(self.theirs.qpn != group.theirs.qpn, "the first queue pair")

    def accept(self, **changes):
        """Our reply to ADD LINK, and the queue pair."""
        self.end_point.connect(self.theirs, min(self.theirs.mtu, self.me.mtu))
        self.group.send(msg.add_link(self.me.but(**changes), self.number,
                                     msg.REPLY, mtu=self.me.mtu))

    def exchange(self):
        """The keys of the one RMB that each side has."""
        got = self.group.expect(msg.ADD_LINK_CONT)
        rkey, addr = got.number(12, 4), got.number(16, 8)
        check(got.data == msg.add_link_cont(
            self.number, 1, [(self.group.theirs.rkey, rkey, addr)]), f"{got}")
        check(rkey != self.group.theirs.rkey, "the same key on two links")
        self.theirs = self.theirs.but(rkey=rkey, addr=addr)
        self.group.send(msg.add_link_cont(
            self.number, 1, [(self.group.me.rkey, self.me.rkey, self.me.addr)],
            msg.REPLY))

    def asked(self):
        """CONFIRM LINK, over the link itself."""
        data = self.end_point.receive(verbs.TIMEOUT)
        check(data is not None, "no CONFIRM LINK")
        got = msg.parse(data)
        uid = got.number(30, 4)
        check(data == msg.confirm_link(self.theirs, self.number, uid,
                                       links=got.data[34]), f"{got}")
        check(uid != self.group.uid, "the user ID of the first link")

    def confirm(self):
        self.end_point.send(msg.confirm_link(
            self.me, self.number, LINK_UID + 1, msg.NO_EYE | msg.REPLY))


@contextlib.contextmanager
def _offered(bench):
    """(connection, group, second link that was offered)"""
    _address("add")
    second = None
    group = bench.group(SERVER)
    try:
        conn = group.contact()
        conn.rendezvous()
        group.confirmed()
        group.send(group.confirm_link())
        second = Second(group, group.expect(msg.ADD_LINK))
        yield conn, group, second
    finally:
        group.end()
        if second:
            second.end_point.close()
        _address("del")


@contextlib.contextmanager
def _linked(bench):
    """The same with both links in use."""
    with _offered(bench) as (conn, group, second):
        second.accept()
        second.exchange()
        second.asked()
        check(bench.app.take(group.listener, 0.1) is None, "accepted too early")
        second.confirm()
        conn.take()
        yield conn, group, second


def _deleted(group, number, answer=True):
    """The server's DELETE LINK of that link, over the first one."""
    got = group.expect(msg.DELETE_LINK)
    check(not got.flags & (msg.REPLY | msg.DELETE_ALL) and
          got.data[4] == number, f"{got}")
    if answer:
        group.send(msg.delete_link(number, 0, msg.REPLY))
    return got


def _added(bench):
    """All bytes; then data to the same element by the key of either link."""
    with _linked(bench) as (conn, group, second):
        echo(conn)
        data = pattern(3, 100)
        second.end_point.write(data, second.theirs.rkey, second.theirs.addr +
                               (conn.their_element - group.theirs.addr) +
                               conn.prod % conn.their_size)
        conn.prod += len(data)
        second.end_point.send(conn.cdc())
        conn.gets(data)
        group.alive()
        echo(conn)


def _parallel(bench):
    """The same two adapters again: deleted before it is used."""
    with _offered(bench) as (conn, group, second):
        second.accept(gid=group.me.gid)
        got = _deleted(group, second.number)
        check(got.number(5, 4) == msg.LOST_PATH, f"{got}")
        conn.take()
        echo(conn)


def _wrong_keys(bench):
    """Keys of an RMB that there is not."""
    with _offered(bench) as (conn, group, second):
        second.accept()
        group.expect(msg.ADD_LINK_CONT)
        group.send(msg.add_link_cont(second.number, 1, [
            (group.me.rkey ^ 1, second.me.rkey, second.me.addr)], msg.REPLY))
        _deleted(group, second.number)
        conn.take()
        echo(conn)


def _not_confirmed(bench):
    """No reply to its CONFIRM LINK: one link is enough."""
    with _offered(bench) as (conn, group, second):
        second.accept()
        second.exchange()
        second.asked()
        _deleted(group, second.number)
        conn.take()
        echo(conn)


def _reported(bench):
    """We say that the link is gone: the server deletes it. It may be answered
    twice, as it may say that twice."""
    with _linked(bench) as (conn, group, second):
        group.send(msg.delete_link(second.number, msg.OPERATOR,
                                   msg.DELETE_ORDERLY))
        _deleted(group, second.number)
        offer = group.expect(msg.ADD_LINK)
        group.send(msg.delete_link(second.number, 0, msg.REPLY))
        group.send(group.reject_add(offer))
        group.alive()
        echo(conn)


def _all(bench):
    """DELETE LINK of all ends both."""
    with _linked(bench) as (conn, group, _):
        group.send(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL))
        group.expect(msg.DELETE_LINK)
        group.gone = True
        conn.expect_reset()


def _fails(bench):
    """The queue pair does not answer any more: the connection that it carries
    says F, and sends again what was not delivered; then the link goes."""
    with _linked(bench) as (conn, group, second):
        other = group.contact()
        other.propose()
        other.accepted()
        check(other.theirs.qpn == second.theirs.qpn, "not the idle link")
        other.me = other.me.but(gid=second.me.gid, qpn=second.me.qpn,
                                psn=second.me.psn, rkey=second.me.rkey,
                                addr=second.me.addr)
        other.confirm()
        other.take()
        other.sends(pattern(0, 50))
        got = msg.parse(second.end_point.receive(verbs.TIMEOUT))
        check(isinstance(got, msg.Cdc) and got.seq == 1 and
              got.token == other.me.token, f"{got}")
        second.end_point.close()
        other.sends(pattern(50, 70))
        got = group.receive(SLOW)
        check(got.data == msg.cdc(1, other.me.token, (0, 0), (0, 0), msg.F),
              f"{got} is no validation")
        got = group.receive()
        check(isinstance(got, msg.Cdc) and got.token == other.me.token and
              got.prod == (0, 120) and got.seq > 2 and not got.flags, f"{got}")
        check(other.element(50, 70) == pattern(50, 70), "wrong bytes written")
        got = _deleted(group, second.number)
        check(not got.flags & msg.DELETE_ORDERLY and
              got.number(5, 4) == msg.LOST_PATH, f"{got}")
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        echo(conn)


# -- the module is the client --------------------------------------------

class Offer:
    """The link that we offer as a server."""

    def __init__(self, group, number):
        bench = group.bench
        self.group, self.number = group, number
        self.end_point = verbs.Endpoint(verbs.Nic(GID), bench.psn(),
                                        ELEMENT * ELEMENTS)
        rmb = self.end_point.rmb
        self.me = group.me.but(gid=GID, qpn=self.end_point.qpn,
                               psn=self.end_point.psn, rkey=rmb.rkey,
                               addr=rmb.buf)
        self.theirs = None

    def offer(self):
        """ADD LINK; the answer, with the client's only adapter."""
        self.group.send(msg.add_link(self.me, self.number, mtu=self.me.mtu))
        got = self.group.expect(msg.ADD_LINK)
        check(got.flags == msg.REPLY and got.data[31] == self.number and
              got.data[12:28] == self.group.theirs.gid, f"{got}")
        self.theirs = self.group.theirs.but(
            qpn=got.number(28, 3), psn=got.number(33, 3),
            mtu=got.data[32] & 15)
        check(self.theirs.qpn != self.group.theirs.qpn and
              1 <= self.theirs.mtu <= self.me.mtu, f"{got}")
        self.end_point.connect(self.theirs, self.theirs.mtu)

    def exchange(self):
        self.group.send(msg.add_link_cont(self.number, 1, [
            (self.group.me.rkey, self.me.rkey, self.me.addr)]))
        got = self.group.expect(msg.ADD_LINK_CONT)
        rkey, addr = got.number(12, 4), got.number(16, 8)
        check(got.data == msg.add_link_cont(
            self.number, 1, [(self.group.theirs.rkey, rkey, addr)],
            msg.REPLY), f"{got}")
        self.theirs = self.theirs.but(rkey=rkey, addr=addr)

    def confirm(self):
        self.end_point.send(msg.confirm_link(self.me, self.number,
                                             LINK_UID + 1))
        data = self.end_point.receive(verbs.TIMEOUT)
        check(data is not None, "no reply to CONFIRM LINK")
        got = msg.parse(data)
        check(data == msg.confirm_link(
            self.theirs, self.number, got.number(30, 4),
            msg.NO_EYE | msg.REPLY, got.data[34]), f"{got}")


@contextlib.contextmanager
def _offering(bench):
    """(connection, group, link that we are about to offer in first contact)"""
    _address("add")
    second = None
    group = bench.group(CLIENT)
    try:
        conn = group.contact()
        conn.rendezvous()
        group.number = 1
        group.send(group.confirm_link())
        group.confirmed()
        second = Offer(group, 2)
        yield conn, group, second
    finally:
        group.end()
        if second:
            second.end_point.close()
        _address("del")


@contextlib.contextmanager
def _accepted(bench):
    """The same with both links in use."""
    with _offering(bench) as (conn, group, second):
        second.offer()
        second.exchange()
        conn.running()
        second.confirm()
        conn.take()
        yield conn, group, second


def _client_added(bench):
    with _accepted(bench) as (conn, group, _):
        echo(conn)
        group.alive()


def _client_third(bench):
    """Another link over its one adapter: no second asymmetric one."""
    with _accepted(bench) as (conn, group, _):
        group.send(msg.add_link(group.me.but(
            gid=bytes(10) + b"\xff\xff\x0a\x4d\0\x04", qpn=99), 3, mtu=3))
        got = group.expect(msg.ADD_LINK)
        check(got.flags == msg.REPLY | msg.ADD_REJECT and
              got.byte2 == msg.NO_PATH, f"{got}")
        echo(conn)


def _client_deletes(bench):
    """DELETE LINK of one link: a reply, always, and the other one stays."""
    with _accepted(bench) as (conn, group, second):
        group.send(msg.delete_link(second.number, msg.OPERATOR,
                                   msg.DELETE_ORDERLY))
        got = group.expect(msg.DELETE_LINK)
        check(got.flags & ~msg.DELETE_ORDERLY == msg.REPLY and
              got.data[4] == second.number and not got.number(5, 4), f"{got}")
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        got = group.expect(msg.DELETE_LINK)
        check(got.number(5, 4) == msg.UNKNOWN_LINK, f"{got}")
        echo(conn)


def _client_reports(bench):
    """Our queue pair dies under its data: it goes on over the other link, says
    so, and leaves the deletion to us."""
    with _accepted(bench) as (conn, group, second):
        other = group.contact()
        other.propose()
        other.me = other.me.but(gid=second.me.gid, qpn=second.me.qpn,
                                psn=second.me.psn, rkey=second.me.rkey,
                                addr=second.me.addr)
        other.accept()
        other.confirmed()
        other.take()
        second.end_point.close()
        other.sends(pattern(0, 80))
        got = group.receive(SLOW)
        check(got.data == msg.cdc(0, other.me.token, (0, 0), (0, 0), msg.F),
              f"{got} is no validation")
        got = group.receive()
        check(isinstance(got, msg.Cdc) and got.prod == (0, 80), f"{got}")
        got = group.expect(msg.DELETE_LINK)
        check(not got.flags and got.data[4] == second.number and
              got.number(5, 4) == msg.LOST_PATH, f"{got}")
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        got = group.expect(msg.DELETE_LINK)
        check(got.flags & msg.REPLY, f"{got}")
        echo(conn)


def _client_waits(bench):
    """No CONFIRM LINK on the new link: the server is told to delete it, and
    the application waits for that."""
    with _offering(bench) as (conn, group, second):
        second.offer()
        second.exchange()
        got = group.expect(msg.DELETE_LINK, SLOW)
        check(not got.flags & msg.REPLY and got.data[4] == second.number,
              f"{got}")
        conn.running()
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        got = group.expect(msg.DELETE_LINK)
        check(got.flags & msg.REPLY, f"{got}")
        conn.take()
        echo(conn)


def cases():
    yield Case("second link, all bytes", "R-3.5.1.6-03, R-3.5.1.6-04, "
               "R-3.5.5.2.3-01, R-3.5.5.2.3-02, R-3.5.5.2.3-03, R-A.3.1-03, "
               "R-A.3.3-03, R-A.3.3-07, R-3.5.1.6.3-01, R-3.5.5.2-01, "
               "R-2.2.1-02, R-3.3-03", _added)
    yield Case("parallel link accepted", "R-C.7.1-22, R-2.2.1-03", _parallel)
    yield Case("keys of an unknown RMB", "R-A.3.3-08, R-C.7.1-24", _wrong_keys)
    yield Case("second link not confirmed", "R-C.7.1-02, R-3.5.1.6.2-03",
               _not_confirmed)
    yield Case("second link reported as gone", "R-3.5.5.1.4-01, R-2.3-05, "
               "R-3.5.5.1-01, R-2-07, R-C.8-02", _reported)
    yield Case("DELETE LINK A with two links", "R-3.5.4-07", _all)
    yield Case("second link, the client's bytes", "R-3.5.1.6.1-04, "
               "R-3.5.1.6.1-05", _client_added)
    yield Case("a third link over one adapter", "R-2.2.2-12", _client_third)
    yield Case("DELETE LINK of one of two links", "R-3.5.5.1.3-05, "
               "R-C.7.1-26", _client_deletes)
    yield Case("second link fails, client", "R-2.3-05, R-2.2.3-04, R-4.6-01",
               _client_reports)
    yield Case("second link not confirmed, client", "R-C.7.1-08",
               _client_waits)
    yield Case("second link fails", "R-2.3-07, R-4.6.1-02, R-4.6.1-05, "
               "R-4.6.1-09, R-2.3-13, R-A.3.4-05, R-3.5.5.1.3-03", _fails)
