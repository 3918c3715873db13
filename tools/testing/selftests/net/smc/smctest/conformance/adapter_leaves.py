# SPDX-License-Identifier: GPL-2.0
"""An adapter of the module's host appears, or disappears while a link uses it
(RFC 7609 3.5.5.1, C.7.1)."""

import contextlib
import socket

from smctest import check, world
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.adapter import NET, RNIC, adapter, come, going
from smctest.conformance.adapter import GID as THEIRS
from smctest.conformance.case import Case
from smctest.conformance.links import Offer, accepted, linked, over
from smctest.conformance.peer import CLIENT, PATIENCE, SPARE, echo

OURS = bytes(10) + b"\xff\xff" + socket.inet_aton("10.77.1.2")
NOBODY = OURS[:-1] + b"\x09"
NUMBER = 2


def _added(group):
    """Adds a link between the second adapters of the two hosts. Returns the
    link."""
    link = Offer(group, NUMBER, verbs.Nic(OURS, RNIC))
    link.me = link.me.but(mac=world.own_mac(NET))
    link.join(gid=THEIRS)
    return link


@contextlib.contextmanager
def _leaving(bench):
    """Yields (connection, group, link whose adapter will be removed). The
    client has reported the link. The link works until the server deletes
    it."""
    come(bench)
    with bench.connected(CLIENT) as (conn, group):
        link = _added(group)
        echo(conn)
        going(bench)
        got = group.expect(msg.DELETE_LINK, PATIENCE)
        # R-2.3-13, R-A.3.4-03
        check(got.data == msg.delete_link(NUMBER, msg.OPERATOR,
                                          msg.DELETE_ORDERLY), f"{got}")
        yield conn, group, link


def _ignored(bench):
    """Checks that the client ignores commands on the reported link, and the
    other link works."""
    with _leaving(bench) as (conn, group, link):
        link.end_point.send(msg.confirm_rkey(SPARE, 0))
        link.end_point.send(msg.delete_rkey([SPARE]))
        link.end_point.send(msg.add_link(link.me, 3, mtu=3))
        group.alive()
        # R-C.7.1-23
        group.quiet()
        # R-C.7.1-23
        check(link.end_point.receive(0) is None, "an answer")
        group.send(msg.delete_link(NUMBER, msg.OPERATOR, msg.DELETE_ORDERLY))
        got = group.expect(msg.DELETE_LINK)
        check(got.flags & msg.REPLY and got.data[4] == NUMBER, f"{got}")
        echo(conn)


def _obeyed(bench):
    """Checks that the client obeys a DELETE LINK for the whole group on the
    reported link."""
    with _leaving(bench) as (conn, group, link):
        link.end_point.send(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL))
        group.gone = True
        # R-3.5.4-06, R-C.7.1-23
        conn.expect_reset()


def _offer_unanswered_of_two(bench):
    """If the group has another link, the server deletes the link that carried
    the offer, and repeats the offer over the other link."""
    with linked(bench) as (_, group, second), adapter(bench, wait=False):
        got = group.expect(msg.ADD_LINK, PATIENCE)
        check(got.data[12:28] == THEIRS, f"{got}")
        with over(second):
            # R-C.7.1-06
            _first_deleted(group, False)
            got = group.expect(msg.ADD_LINK, PATIENCE)
            # R-C.7.1-06
            check(got.data[12:28] == THEIRS, f"{got}")
            group.send(group.reject_add(got))
            _end(group)


def _first_deleted(group, client):
    """Checks that the module deletes the first link. Messages of the group use
    the second link."""
    wanted = msg.delete_link(group.number, msg.LOST_PATH)
    # R-A.3.4-05
    group.expect_bytes(wanted, PATIENCE)
    group.said = wanted     # repeated, with TEST LINK, if our answer is late
    if not client:
        group.send(msg.delete_link(group.number, 0, msg.REPLY))
        return
    group.send(msg.delete_link(group.number, msg.LOST_PATH))
    got = group.expect(msg.DELETE_LINK, PATIENCE)
    check(got.flags & msg.REPLY, f"{got}")


def _end(group):
    """Ends the group by a message on the remaining link."""
    group.send(msg.delete_link(0, msg.PROGRAM,
                               msg.DELETE_ALL | msg.DELETE_ORDERLY))
    group.gone = True


def _keys_missing_of_two(bench):
    """If the group has another link, the client reports over it that the first
    link has failed."""
    with accepted(bench) as (_, group, second), adapter(bench):
        got = group.expect(msg.ADD_LINK, PATIENCE)
        check(not got.flags and got.data[12:28] == THEIRS,
              f"{got} is no notice of its adapter")
        for rkey in range(SPARE, SPARE + 4):
            others = [(second.number, rkey + 0x200, 0)]
            group.send(msg.confirm_rkey(rkey, 0, others))
            group.expect_bytes(msg.confirm_rkey(rkey, 0, others, msg.REPLY))
        group.send(msg.add_link(group.me.but(gid=NOBODY, qpn=99), 3, mtu=3))
        got = group.expect(msg.ADD_LINK)
        check(got.flags == msg.REPLY and
              got.data[12:28] == THEIRS, f"{got}")
        group.send(msg.add_link_cont(3, 5, [
            (group.me.rkey, 1, 0), (SPARE, 2, 0)]))
        group.expect(msg.ADD_LINK_CONT)
        with over(second):
            # R-C.7.1-12
            _first_deleted(group, True)
            _end(group)


def cases():
    yield Case("ADD LINK unanswered, two links", "R-C.7.1-06, R-C.8-03",
               _offer_unanswered_of_two, limit=120)
    yield Case("ADD LINK CONTINUATION missing, two links", "R-C.7.1-12",
               _keys_missing_of_two, limit=120)
    yield Case("commands on a link that was reported", "R-C.7.1-23", _ignored,
               limit=120)
    yield Case("DELETE LINK A on a link that was reported",
               "R-C.7.1-23, R-3.5.4-06", _obeyed, limit=120)
