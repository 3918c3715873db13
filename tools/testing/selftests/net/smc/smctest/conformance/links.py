# SPDX-License-Identifier: GPL-2.0
"""A second link between the scripted peer and the module. If we have another
address, the module takes us for another adapter."""

import contextlib
import socket
import subprocess

from smctest import check, wire
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.peer import (CLIENT, ELEMENT, ELEMENTS, LINK_UID,
                                      PATIENCE, SERVER)
from smctest.world import DEVICE

OTHER = "10.77.0.3"
SLOW = 8        # seconds: until a queue pair fails or a missing answer is noticed


def gid_of(address):
    return bytes(10) + b"\xff\xff" + socket.inet_aton(address)


@contextlib.contextmanager
def address(text=OTHER, device=DEVICE):
    """Adds an address to our adapter."""
    def change(verb):
        subprocess.run(["ip", "address", verb, f"{text}/24", "dev", device,
                        "noprefixroute"], check=True)

    change("add")
    try:
        yield
    finally:
        change("del")


def announce(group, rkeys):
    """Announces RMBs that do not exist, with these keys on the first link."""
    for rkey in rkeys:
        group.send(msg.confirm_rkey(rkey, 0))
        group.expect_bytes(msg.confirm_rkey(rkey, 0, flags=msg.REPLY))


def notice(group):
    """As a client: sends the notice that a new adapter has appeared."""
    group.send(msg.add_link(wire.Offer(group.me.peer_id, gid_of(OTHER),
                                       group.me.mac, qpn=0, psn=0), 0, mtu=0))


class Link:     # pylint: disable=too-many-instance-attributes
    """A second link of a group; it ends with its group."""

    endpoint = verbs.Endpoint

    def __init__(self, group, number, nic=None):
        nic = nic or verbs.Nic(gid_of(OTHER))
        self.group, self.number, self.nic = group, number, nic
        self.end_point = self.endpoint(nic, group.bench.psn(),
                                       ELEMENT * ELEMENTS)
        group.more.append(self.end_point)
        rmb = self.end_point.rmb
        self.me = group.me.but(gid=nic.gid, qpn=self.end_point.qpn,
                               psn=self.end_point.psn, rkey=rmb.rkey,
                               addr=rmb.buf)
        self.theirs = None

    def send(self, data):
        self.end_point.send(data)

    def expect(self, kind, timeout=verbs.TIMEOUT):
        """Returns the next message on the link, which must be LLC of this
        kind."""
        data = self.end_point.receive(timeout)
        check(data is not None, f"nothing came over link {self.number}")
        got = msg.parse(data)
        check(isinstance(got, msg.Llc) and got.kind == kind,
              f"{got} is not of kind {kind}")
        return got

    def same_queue_pair(self, theirs):
        """Is this the queue pair of the link? Queue pair numbers are unique per
        adapter."""
        return (self.theirs.gid, self.theirs.qpn) == (theirs.gid, theirs.qpn)

    def names(self, conn, **changes):
        """Makes the connection's CLC messages name this link."""
        conn.me = conn.me.but(**{
            "gid": self.me.gid, "mac": self.me.mac, "qpn": self.me.qpn,
            "psn": self.me.psn, "rkey": self.me.rkey, "addr": self.me.addr,
            **changes})

    def named(self, **changes):
        """Opens a connection in which our next CLC message (the Confirm or the
        Accept) names this link."""
        conn = self.group.contact()
        conn.propose()
        if self.group.module == SERVER:
            conn.accepted()
            check(self.same_queue_pair(conn.theirs), "not the idle link")
        self.names(conn, **changes)
        return conn

    def carried(self, **changes):
        """Opens a connection that uses this link."""
        conn = self.named(**changes)
        if self.group.module == SERVER:
            conn.confirm()
        else:
            conn.accept()
            conn.confirmed()
        conn.take()
        return conn

    def back(self, conn):
        """Returns the key for the connection's data on the first link, which
        the module announced when it added the RMB."""
        for asked in self.group.served:
            if asked.kind == msg.CONFIRM_RKEY and \
               asked.data[17] == self.number and \
               asked.number(18, 4) == conn.theirs.rkey:
                conn.theirs = conn.theirs.but(rkey=asked.number(5, 4),
                                              addr=asked.number(9, 8))
                return
        check(False, "the RMB was not announced for both links")

    def promote(self):
        """Makes the group's messages use this link. self.end_point still
        belongs to the first link."""
        group = self.group
        for name in ("end_point", "me", "theirs", "number"):
            mine, its = getattr(self, name), getattr(group, name)
            setattr(self, name, its)
            setattr(group, name, mine)


class Second(Link):
    """A link that the module offers."""

    def __init__(self, group, add, nic=None):
        super().__init__(group, add.data[31], nic)
        # R-3.5.1.6-05
        check(not add.flags & msg.REPLY and self.number, f"{add}")
        self.theirs = group.theirs.but(
            mac=add.data[4:10], gid=add.data[12:28], qpn=add.number(28, 3),
            psn=add.number(33, 3), mtu=add.data[32] & 15)
        # R-3.5.1.6-04
        check(not self.same_queue_pair(group.theirs), "the first queue pair")

    def accept(self, **changes):
        """Sends our reply to ADD LINK, and creates the queue pair."""
        self.end_point.connect(self.theirs, min(self.theirs.mtu, self.me.mtu))
        self.group.send(msg.add_link(self.me.but(**changes), self.number,
                                     msg.REPLY, mtu=self.me.mtu))

    def exchange(self):
        """Exchanges the keys of the one RMB that each side has."""
        got = self.group.expect(msg.ADD_LINK_CONT)
        rkey, addr = got.number(12, 4), got.number(16, 8)
        # R-3.5.1.6.3-01, R-3.5.5.2.3-01, R-A.3.3-01..03, -07
        check(got.data == msg.add_link_cont(
            self.number, 1, [(self.group.theirs.rkey, rkey, addr)]), f"{got}")
        # R-2.1-06, R-3.5.1.6-04, R-3.5.5.2-01
        check(rkey != self.group.theirs.rkey or
              self.theirs.gid != self.group.theirs.gid,
              "the same key on two links")
        self.theirs = self.theirs.but(rkey=rkey, addr=addr)
        self.group.send(msg.add_link_cont(
            self.number, 1, [(self.group.me.rkey, self.me.rkey, self.me.addr)],
            msg.REPLY))

    def asked(self):
        """Receives the module's CONFIRM LINK over the new link."""
        # R-3.3-03, R-3.5.1.6.2-02, R-A.3.1-03
        got = self.expect(msg.CONFIRM_LINK)
        uid = got.number(30, 4)
        # R-A.3.1-01
        check(got.data == msg.confirm_link(self.theirs, self.number, uid,
                                           links=got.data[34]), f"{got}")
        # R-2.2.4-05
        check(uid != self.group.uid, "the user ID of the first link")

    def confirm(self, links=2):
        self.send(msg.confirm_link(self.me, self.number, LINK_UID + 1,
                                   msg.NO_EYE | msg.REPLY, links))

    def join(self, links=2):
        """Runs all steps."""
        self.accept()
        self.exchange()
        self.asked()
        self.confirm(links)


class Offer(Link):
    """A link that we offer as a server."""

    def ask(self):
        self.group.send(msg.add_link(self.me, self.number, mtu=self.me.mtu))

    def answer(self):
        return self.group.expect(msg.ADD_LINK)

    def accepted(self, gid=None):
        """Receives the client's answer, which names its only adapter or the
        given adapter."""
        self.bind(self.answer(), gid)

    def bind(self, got, gid=None):
        """Takes an answer that has arrived, and connects the queue pair."""
        # R-2.2.4-01, R-3.5.1.6.1-04, -05, R-A.3.2-04
        check(got.flags == msg.REPLY and got.data[31] == self.number and
              got.data[12:28] == (gid or self.group.theirs.gid), f"{got}")
        self.theirs = self.group.theirs.but(
            mac=got.data[4:10], gid=got.data[12:28],
            qpn=got.number(28, 3), psn=got.number(33, 3),
            mtu=got.data[32] & 15)
        # R-3.5.1.6.1-05, R-A.3.2-04
        check(not self.same_queue_pair(self.group.theirs) and
              1 <= self.theirs.mtu <= self.me.mtu, f"{got}")
        self.end_point.connect(self.theirs, self.theirs.mtu)

    def offer(self, gid=None):
        self.ask()
        self.accepted(gid)

    def exchange(self):
        self.group.send(msg.add_link_cont(self.number, 1, [
            (self.group.me.rkey, self.me.rkey, self.me.addr)]))
        got = self.group.expect(msg.ADD_LINK_CONT)
        rkey, addr = got.number(12, 4), got.number(16, 8)
        # R-3.5.1.6.3-01, R-3.5.5.2.3-01, R-A.3.3-07
        check(got.data == msg.add_link_cont(
            self.number, 1, [(self.group.theirs.rkey, rkey, addr)],
            msg.REPLY), f"{got}")
        self.theirs = self.theirs.but(rkey=rkey, addr=addr)

    def confirm(self, links=2, **changes):
        """Sends CONFIRM LINK, with wrong fields if the test gives them."""
        self.send(msg.confirm_link(self.me.but(**changes), self.number,
                                   LINK_UID + 1, links=links))

    def confirmed(self):
        got = self.expect(msg.CONFIRM_LINK)
        check(got.data == msg.confirm_link(
            self.theirs, self.number, got.number(30, 4),
            msg.NO_EYE | msg.REPLY, got.data[34]), f"{got}")

    def join(self, links=2, gid=None):
        """Runs all steps."""
        self.offer(gid)
        self.finish(links)

    def finish(self, links=2):
        """Runs the steps that follow the client's answer."""
        self.exchange()
        self.confirm(links)
        self.confirmed()


class LateOffer(Offer):
    """An offer that a notice of the client may cross."""

    def answer(self):
        while not (got := super().answer()).flags & msg.REPLY:
            pass
        return got


@contextlib.contextmanager
def offered(bench):
    """Yields (connection, group, second link that was offered in first
    contact)."""
    with address():
        conn, group = bench.contact(SERVER)
        try:
            conn.rendezvous()
            group.confirmed()
            group.send(group.confirm_link())
            yield conn, group, Second(group, group.expect(msg.ADD_LINK))
        finally:
            group.end()


@contextlib.contextmanager
def linked(bench):
    """Does what offered() does, and both links are in use."""
    with offered(bench) as (conn, group, second):
        second.accept()
        second.exchange()
        second.asked()
        check(bench.app.take(group.listener, 0.1) is None, "accepted too early")
        second.confirm()
        conn.take()
        yield conn, group, second


@contextlib.contextmanager
def offering(bench):
    """Yields (connection, group, link that we are about to offer in first
    contact)."""
    with address():
        conn, group = bench.contact(CLIENT)
        try:
            conn.rendezvous()
            group.number = 1
            group.send(group.confirm_link())
            group.confirmed()
            yield conn, group, Offer(group, 2)
        finally:
            group.end()


@contextlib.contextmanager
def accepted(bench):
    """Does what offering() does, and both links are in use."""
    with offering(bench) as (conn, group, second):
        second.offer()
        second.exchange()
        conn.running()
        second.confirm()
        second.confirmed()
        conn.take()
        yield conn, group, second


def begun(bench, module):
    """Yields (connection, group, second link, which does not exist yet)."""
    return offered(bench) if module == SERVER else offering(bench)


def two_links(bench, module):
    """Yields (connection, group, second link); both links are in use."""
    return linked(bench) if module == SERVER else accepted(bench)


@contextlib.contextmanager
def joined(bench, module):
    """Yields (connection, group); the group has one link, and we could have
    another."""
    with address(), bench.connected(module) as (conn, group):
        yield conn, group


def another(group, number=2, nic=None):
    """Begins a link later in the life of a group: the module offers it, or we
    do."""
    if group.module == CLIENT:
        return Offer(group, number, nic)
    notice(group)
    # R-3.5.5.1.2-02, R-L-11
    return Second(group, group.expect(msg.ADD_LINK), nic)


@contextlib.contextmanager
def over(link):
    """Makes data and messages of the group use the given link inside the
    block."""
    group, before = link.group, link.group.end_point
    group.end_point = link.end_point
    try:
        yield
    finally:
        group.end_point = before


def deleted(group, number, answer=True, timeout=verbs.TIMEOUT):
    """Receives the server's DELETE LINK of the given link, over the first
    link. A client sends a request instead, and deletes() answers it."""
    got = group.expect(msg.DELETE_LINK, timeout)
    # R-3.5.5.1.4-03
    check(not got.flags & (msg.REPLY | msg.DELETE_ALL) and
          got.data[4] == number, f"{got}")
    if answer:
        group.send(msg.delete_link(number, 0, msg.REPLY))
    return got


def deletes(group, number, reason=msg.LOST_PATH, flags=0):
    """As a server: sends our DELETE LINK of the given link, and receives the
    client's reply."""
    group.send(msg.delete_link(number, reason, flags))
    replied(group, number)


def replied(group, number):
    """Receives the client's reply to DELETE LINK."""
    got = group.expect(msg.DELETE_LINK)
    # R-3.5.5.1.3-05
    check(got.flags & ~msg.DELETE_ORDERLY == msg.REPLY and
          got.data[4] == number and not got.number(5, 4), f"{got}")
    return got


def is_validation(got, conn, seq):
    """Receives the first message of a connection on another link."""
    # R-2.3-07, R-4.6.1-04
    check(got.data == msg.cdc(seq, conn.me.token, (0, 0), (0, 0), msg.F),
          f"{got} is no validation of {seq}")


def ends(group, conn):
    """Checks that the group ends, because its last link has failed."""
    group.expect_bytes(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL),
                       PATIENCE)
    group.gone = True
    conn.expect_reset()
