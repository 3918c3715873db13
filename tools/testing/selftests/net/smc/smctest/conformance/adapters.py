# SPDX-License-Identifier: GPL-2.0
"""Tests which links a group must have if a host has several adapters (RFC 7609
2.2.1, 2.2.2, 3.5.1.6.1, 3.5.5.1).

A1, A2 and A3 are the module's adapters; A2 and A3 appear and disappear. P1 is
the scripted peer's address at first contact, P2 and P3 are other addresses. A
wire connects NIC n of one host with NIC n of the other, so an address of ours
that both A1 and A2 reach is on two of our NICs.
"""

import contextlib

from smctest import check
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.case import Case
from smctest.conformance.later_links import take_keys
from smctest.conformance.links import (OTHER, LateOffer, Second, address,
                                       another, begun, deleted, deletes,
                                       gid_of, is_validation, joined, notice,
                                       over, two_links)
from smctest.conformance.peer import CLIENT, QUIET, SERVER, echo, pattern
from smctest.world import wait_until

FIRST = "10.77.0.2"     # P1
THEIRS = "10.77.1.1"    # A2
OURS = "10.77.1.2"      # P3, which only A2 reaches


def _run(bench, *argv):
    status, text = bench.app.run(*argv)
    check(not status, f"{' '.join(argv)}: {text}")


def hide(bench):
    """Leaves host a with one adapter."""
    for number in (1, 2):
        bench.app.run("rdma", "link", "delete", f"rxe{number}")


@contextlib.contextmanager
def _there(bench, number):
    """Adds A2 or A3, which reaches our first network."""
    name, net = f"rxe{number}", f"eth{number}"
    _run(bench, "ip", "address", "add", f"10.77.0.{20 + number}/24", "dev", net,
         "noprefixroute")
    try:
        _run(bench, "rdma", "link", "add", name, "type", "rxe", "netdev", net)
        try:
            check(wait_until(lambda: "ACTIVE" in bench.app.run(
                "cat", f"/sys/class/infiniband/{name}/ports/1/state")[1]),
                  f"{name} is not active")
            yield
        finally:
            for group in list(bench.groups):
                group.end()     # the module deletes the link without asking us
            _run(bench, "rdma", "link", "delete", name)
    finally:
        _run(bench, "ip", "address", "del", f"10.77.0.{20 + number}/24", "dev",
             net)


def _nic(text, number=1):
    return verbs.Nic(gid_of(text), f"rxe{number}")


def _expect_groups(bench, *kinds):
    check(wait_until(lambda: bench.app.groups() == sorted(kinds)),
          f"groups are {bench.app.groups()}, not {sorted(kinds)}")


def _offered(group, nic):
    """Returns the link that the module offers because an adapter has
    appeared."""
    return Second(group, group.expect(msg.ADD_LINK), nic)


def _needless(group, link, answer=True):
    """Checks that the server deletes the asymmetric link, because there are two
    others."""
    got = deleted(group, link.number, answer)
    # R-2.2.1-04, R-2.3-13, R-A.3.4-03
    check(got.number(5, 4) == msg.NOT_NEEDED and
          got.flags == msg.DELETE_ORDERLY, f"{got}")


# -- the module is the server ----------------------------------------------

def _replaced(bench):
    """A1-P1 and A1-P2 exist. A2 appears and gets a link to P3. The link to P2
    is deleted, but works until we get DELETE LINK. No further link follows."""
    _expect_groups(bench)
    with two_links(bench, SERVER) as (conn, group, second):
        # R-2.2.1-01
        _expect_groups(bench, "asymmetric-local")
        with _there(bench, 1):
            # R-2.2.2-11, -13
            third = _offered(group, _nic(OURS))
            third.join(links=8)
            _needless(group, second, answer=False)
            keys = conn.theirs
            conn.theirs = keys.but(rkey=second.theirs.rkey,
                                   addr=second.theirs.addr)
            with over(second):
                conn.data(b"on the link that goes")
            # R-2.2.1-04
            conn.gets(b"on the link that goes")
            conn.theirs = keys
            group.send(msg.delete_link(second.number, 0, msg.REPLY))
            # R-2.2.1-01, R-2.2.2-02
            _expect_groups(bench, "symmetric")
            check(wait_until(lambda: not verbs.accessible(
                second.end_point.try_send(msg.test_link(b"late")))),
                  "it is still there")
            other = third.carried()
            with over(third):
                echo(other)
            # R-2.2.2-04
            _at_limit(bench, group)


def _waits_for_old(bench):
    """Deletes an asymmetric link while a message of a connection waits for a
    receive of ours on that link. The connection sends nothing over the new
    link before the message has arrived."""
    with begun(bench, SERVER) as (conn, group, second):
        point = second.end_point
        point.receives = 2
        second.join()
        conn.take()
        point.refill = False
        other = second.carried()
        for at in (0, 50):
            other.sends(pattern(at, 50))
            check(point.receive() is not None, "no message")
        other.sends(pattern(100, 50))
        with _there(bench, 1):
            third = _offered(group, _nic(OURS))
            third.accept()
            take_keys(group, third)
            third.asked()
            third.confirm()
            # R-2.3-06
            check(third.end_point.receive(1) is None, "it did not wait")
            point.refill = True
            point.feed()
            data = point.receive()
            check(data and msg.parse(data).prod == (0, 150), f"{data}")
            # R-2.3-06, R-2.3-07
            is_validation(msg.parse(third.end_point.receive()), other, 3)
            _needless(group, second)
            echo(conn)


def _at_limit(bench, group):
    """Neither A3 nor our notice leads to a third link."""
    with _there(bench, 2):
        if group.module == SERVER:
            notice(group)
        # R-2.2.2-09, -10, R-3.5.5.1.1-04, R-3.5.5.1.2-04
        group.quiet(1)
        group.alive()


def _both_shared(bench):
    """A1-P1 and A1-P2 exist. A2 appears and gets a link to P2, which is
    symmetric, and A1-P2 is deleted."""
    with two_links(bench, SERVER) as (conn, group, second), \
            address(OTHER, "eth1"), _there(bench, 1):
        _offered(group, _nic(OTHER)).join()
        # R-2.2.1-04
        _needless(group, second)
        _expect_groups(bench, "symmetric")
        group.quiet()
        echo(conn)


def _client_has_another(bench):
    """A1-P1 and A2-P1 exist. P2 appears, and we send a notice: A2-P2 is added,
    and A2-P1 is deleted."""
    with joined(bench, SERVER) as (conn, group), address(FIRST, "eth1"), \
            address(OTHER, "eth1"), _there(bench, 1):
        second = _offered(group, _nic(FIRST))
        second.join()
        # R-2.2.1-01
        _expect_groups(bench, "asymmetric-peer")
        group.quiet()
        # R-3.5.5.1.2-02
        another(group, nic=_nic(OTHER)).join()
        _needless(group, second)
        _expect_groups(bench, "symmetric")
        echo(conn)


def _second_asymmetric(bench):
    """A1-P1 and A2-P1 exist. A3 appears, and our answer chooses P1 again."""
    with joined(bench, SERVER) as (_, group), address(FIRST, "eth1"), \
            _there(bench, 1):
        second = _offered(group, _nic(FIRST))
        second.join()
        with _there(bench, 2):
            add = group.expect(msg.ADD_LINK)
            group.send(msg.add_link(group.me.but(qpn=99), add.data[31],
                                    msg.REPLY, mtu=3))
            # R-2.2.2-12, R-3.5.5.1.1-02
            got = deleted(group, add.data[31])
            check(got.number(5, 4) == msg.LOST_PATH, f"{got}")
            _expect_groups(bench, "asymmetric-peer")


def _survivor(bench):
    """The group has A1-P1 and A1-P2, and A1-P1 fails. Then A1-P2 counts as
    symmetric, and A2-P3 becomes the second link."""
    with two_links(bench, SERVER) as (_, group, second):
        second.promote()
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        deleted(group, second.number)
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        with _there(bench, 1):
            # R-2.2.2-11
            _offered(group, _nic(OURS)).join()
            _expect_groups(bench, "symmetric")
            _at_limit(bench, group)


def _report_during_add(bench):
    """We report A1-P2 while the server adds A2-P3: the server finishes one
    exchange before the other."""
    with two_links(bench, SERVER) as (conn, group, second), _there(bench, 1):
        third = _offered(group, _nic(OURS))
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        # R-3.5.5.3.1-04
        group.quiet()
        third.accept()
        third.exchange()
        third.asked()
        group.quiet()
        third.confirm()
        # R-3.5.5.3-01, R-3.5.5.3.1-04
        deleted(group, second.number)
        _expect_groups(bench, "symmetric")
        echo(conn)


def _report_during_delete(bench):
    """We report A2-P3 while the server deletes A1-P2: the server finishes one
    exchange before the other."""
    with two_links(bench, SERVER) as (conn, group, second), _there(bench, 1):
        third = _offered(group, _nic(OURS))
        third.join()
        _needless(group, second, answer=False)
        group.send(msg.delete_link(third.number, msg.LOST_PATH))
        # R-3.5.5.3.2-03
        group.quiet()
        group.send(msg.delete_link(second.number, 0, msg.REPLY))
        # R-3.5.5.3.2-03
        deleted(group, third.number)
        for _ in range(2):      # over A2 again, and over A1
            group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        echo(conn)


# -- the module is the client ----------------------------------------------

def _noticed(group):
    """Receives the client's notice that A2 has appeared. The client may send
    one per address."""
    got = group.expect(msg.ADD_LINK)
    # R-3.5.5.1.2-01, R-A.3.2-05
    check(not got.flags & msg.REPLY and got.data[12:28] == gid_of(THEIRS),
          f"{got}")
    data = got.data
    while data is not None:
        check(data == got.data, f"{msg.parse(data)}")
        data = group.poll(QUIET)


def _takes_second(bench):
    """A1-P1 exists, and we offer P1 again, which adds A2-P1. Then P2 appears,
    and we add A2-P2. We may do so although A2 has a link, because that link
    can be deleted."""
    with joined(bench, CLIENT) as (conn, group), address(FIRST, "eth1"), \
            address(OTHER, "eth1"), _there(bench, 1):
        _noticed(group)
        second = LateOffer(group, 2, _nic(FIRST))
        # R-3.5.1.6.1-02
        second.join(gid=gid_of(THEIRS))
        _expect_groups(bench, "asymmetric-peer")
        third = LateOffer(group, 3, _nic(OTHER))
        # R-2.2.2-11, R-3.5.1.6.1-03
        third.join(gid=gid_of(THEIRS))
        deletes(group, second.number, msg.NOT_NEEDED, msg.DELETE_ORDERLY)
        _expect_groups(bench, "symmetric")
        echo(conn)
        other = third.carried()
        with over(third):
            echo(other)


def _notice_answered(bench):
    """A1-P1 and A1-P2 exist. A2 appears, and the client sends a notice. Our
    ADD LINK for A2-P2 answers the notice. The group then has all its links,
    and the client sends no notice of A3."""
    with two_links(bench, CLIENT) as (conn, group, second), \
            address(OTHER, "eth1"):
        _expect_groups(bench, "asymmetric-local")
        with _there(bench, 1):
            # R-2.2.2-11
            _noticed(group)
            # R-3.5.5.3.1-03
            LateOffer(group, 3, _nic(OTHER)).join(8, gid_of(THEIRS))
            deletes(group, second.number, msg.NOT_NEEDED, msg.DELETE_ORDERLY)
            _expect_groups(bench, "symmetric")
            echo(conn)
            _at_limit(bench, group)


def _notice_ignored(bench):
    """We do not answer the client's notice. The client does not repeat the
    notice, and the link stays. The test waits longer than the client's longest
    time limit."""
    with joined(bench, CLIENT) as (conn, group), _there(bench, 1):
        _noticed(group)
        # R-3.5.5.1.2-05
        group.quiet(6)
        # R-3.5.5.1.2-05
        group.alive()
        echo(conn)
        echo(group.connect())


def cases():
    yield Case("asymmetric link replaced", "R-2.2.1-01, R-2.2.1-04, "
               "R-2.2.2-04, R-2.2.2-10, R-2.2.2-11, R-3.5.5.1.2-04, "
               "R-3.5.5.1.3-04, R-2.2.2-13", _replaced)
    yield Case("asymmetric link replaced, with a message under way",
               "R-2.3-06", _waits_for_old)
    yield Case("asymmetric link replaced, to the same adapter", "R-2.2.1-01, "
               "R-2.2.1-04", _both_shared)
    yield Case("asymmetric link replaced, the client's adapter",
               "R-2.2.1-01, R-2.2.1-04, R-3.5.5.1.2-02", _client_has_another)
    yield Case("a second asymmetric link", "R-3.5.5.1.1-02, R-2.2.2-12",
               _second_asymmetric)
    yield Case("asymmetric link left alone", "R-2.2.2-11", _survivor)
    yield Case("client's DELETE LINK during ADD LINK", "R-3.5.5.3.1-04, "
               "R-3.5.5.3-01", _report_during_add)
    yield Case("client's DELETE LINK during DELETE LINK", "R-3.5.5.3.2-03, "
               "R-3.5.5.3-01", _report_during_delete)
    yield Case("two adapters of the client", "R-3.5.1.6.1-02, R-2.2.1-01, "
               "R-2.2.2-11", _takes_second)
    yield Case("client's notice answered", "R-3.5.5.3.1-03, R-3.5.5.1.2-01, "
               "R-2.2.2-04, R-2.2.2-09, R-2.2.2-11", _notice_answered)
    yield Case("client's notice ignored", "R-3.5.5.1.2-05", _notice_ignored)
