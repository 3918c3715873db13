# SPDX-License-Identifier: GPL-2.0
"""Tests how a second link is added and deleted (RFC 7609 3.5.1.6, 3.5.5.1,
3.5.5.2.3, 4.6)."""

from smctest import check
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.case import Case
from smctest.conformance.links import (SLOW, accepted, deleted, deletes,
                                       gid_of, is_validation, linked, offered,
                                       offering)
from smctest.conformance.peer import echo, pattern

SLOW_ANSWER = 3.5   # seconds: more than the 2 that first contact waits
NO_WISH = 6         # seconds: a client that needs a link asks after 4


def _added(bench):
    """Checks all bytes; then writes data to the same element with the key of
    either link."""
    with linked(bench) as (conn, group, second):
        echo(conn)
        data = pattern(3, 100)
        second.end_point.write(data, second.theirs.rkey, second.theirs.addr +
                               (conn.their_element - group.theirs.addr) +
                               conn.prod % conn.their_size)
        conn.prod += len(data)
        second.end_point.send(conn.cdc())
        # R-3.5.1.6-04, R-3.5.5.2-01
        conn.gets(data)
        group.alive()
        # R-2.2.1-02
        echo(conn)


def _parallel(bench):
    """The link is between the same two adapters: the server deletes it before
    it is used."""
    with offered(bench) as (conn, group, second):
        second.accept(gid=group.me.gid)
        # R-2.2.1-03, R-C.7.1-22
        got = deleted(group, second.number)
        check(got.number(5, 4) == msg.LOST_PATH, f"{got}")
        conn.take()
        echo(conn)


def _wrong_keys(bench):
    """Sends keys of an RMB that does not exist."""
    with offered(bench) as (conn, group, second):
        second.accept()
        group.expect(msg.ADD_LINK_CONT)
        group.send(msg.add_link_cont(second.number, 1, [
            (group.me.rkey ^ 1, second.me.rkey, second.me.addr)], msg.REPLY))
        # R-A.3.3-08
        deleted(group, second.number)
        conn.take()
        echo(conn)


def _not_confirmed(bench):
    """The module's CONFIRM LINK gets no reply: the group continues with one
    link."""
    with offered(bench) as (conn, group, second):
        second.accept()
        second.exchange()
        second.asked()
        # R-3.5.1.6.2-03, R-C.7.1-02
        deleted(group, second.number)
        conn.take()
        echo(conn)


def _reported(bench):
    """We report the link as failed, and the server deletes it. The server may
    send DELETE LINK twice, so we may answer twice."""
    with linked(bench) as (conn, group, second):
        group.send(msg.delete_link(second.number, msg.OPERATOR,
                                   msg.DELETE_ORDERLY))
        # R-2-07, R-2.3-05, R-3.5.5.1-01, R-3.5.5.1.4-01
        deleted(group, second.number)
        offer = group.expect(msg.ADD_LINK)
        group.send(msg.delete_link(second.number, 0, msg.REPLY))
        group.send(group.reject_add(offer))
        group.alive()
        echo(conn)


def _all(bench):
    """DELETE LINK of all links ends both links."""
    with linked(bench) as (conn, group, _):
        group.send(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL))
        # R-3.5.4-07
        group.expect(msg.DELETE_LINK)
        group.gone = True
        conn.expect_reset()


def _fails(bench):
    """Our queue pair stops answering. The connection on that link sends F over
    the other link and repeats undelivered data. Then the link is deleted."""
    with linked(bench) as (conn, group, second):
        other = second.carried()
        other.sends(pattern(0, 50))
        got = msg.parse(second.end_point.receive(verbs.TIMEOUT))
        check(isinstance(got, msg.Cdc) and got.seq == 1 and
              got.token == other.me.token, f"{got}")
        second.end_point.close()
        other.sends(pattern(50, 70))
        # R-2.3-03, -07, R-3.5.5.1.3-02, R-4.6.1-02
        is_validation(group.receive(SLOW), other, 1)
        got = group.receive()
        # R-4.6.1-05, R-4.6.2-01
        check(isinstance(got, msg.Cdc) and got.token == other.me.token and
              got.prod == (0, 120) and got.seq > 2 and not got.flags, f"{got}")
        # R-2.2-04, R-2.3-09, R-4.6.1-01, R-4.6.2-01
        check(other.element(50, 70) == pattern(50, 70), "wrong bytes written")
        # R-3.5.5.1.3-02, -03, R-A.3.4-05
        got = deleted(group, second.number, answer=False)
        # R-2.3-13, R-A.3.4-03
        check(not got.flags & msg.DELETE_ORDERLY and
              got.number(5, 4) == msg.LOST_PATH, f"{got}")
        # Behaves like a client that has already given up the link.
        group.send(msg.delete_link(second.number, msg.UNKNOWN_LINK, msg.REPLY))
        # R-L-15
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        echo(conn)


# -- the module is the client --------------------------------------------

def _client_added(bench):
    with accepted(bench) as (conn, group, _):
        echo(conn)
        group.alive()


def _client_third(bench):
    """We offer another link to the module's only adapter: the client refuses a
    second asymmetric link."""
    with accepted(bench) as (conn, group, _):
        group.send(msg.add_link(group.me.but(
            gid=gid_of("10.77.0.4"), qpn=99), 3, mtu=3))
        got = group.expect(msg.ADD_LINK)
        # R-2.2.2-12
        check(got.flags == msg.REPLY | msg.ADD_REJECT and
              got.byte2 == msg.NO_PATH, f"{got}")
        echo(conn)


def _client_deletes(bench):
    """We send DELETE LINK for one link: the client always replies, and the
    other link stays."""
    with accepted(bench) as (conn, group, second):
        # R-3.5.5.1.3-05
        deletes(group, second.number, msg.OPERATOR, msg.DELETE_ORDERLY)
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        got = group.expect(msg.DELETE_LINK)
        # R-C.7.1-26
        check(got.number(5, 4) == msg.UNKNOWN_LINK, f"{got}")
        echo(conn)


def _client_reports(bench):
    """Our queue pair fails while data is under way. The module uses the other
    link, reports the failure, and leaves the deletion to us."""
    with accepted(bench) as (conn, group, second):
        other = second.carried()
        second.end_point.close()
        other.sends(pattern(0, 80))
        # R-2.3-03, R-4.6-01
        is_validation(group.receive(SLOW), other, 0)
        got = group.receive()
        check(isinstance(got, msg.Cdc) and got.prod == (0, 80), f"{got}")
        got = group.expect(msg.DELETE_LINK)
        # R-2.3-05, R-A.3.4-06
        check(not got.flags and got.data[4] == second.number and
              got.number(5, 4) == msg.LOST_PATH, f"{got}")
        # R-2-07, R-2.2.3-04, R-2.3-05, R-3.5.5.1-01
        deletes(group, second.number)
        echo(conn)


def _deleted_late(bench):
    """The client is slow to answer DELETE LINK in first contact. The client
    may take as long as in any other exchange, and connections do not wait for
    the answer."""
    with offered(bench) as (conn, group, second):
        second.accept()
        second.exchange()
        second.asked()
        deleted(group, second.number, answer=False)
        conn.take()
        # R-C.7.1-02
        group.quiet(SLOW_ANSWER)
        group.send(msg.delete_link(second.number, 0, msg.REPLY))
        echo(conn)


def _client_withdrawn(bench):
    """A link is deleted before it is active. The deletion is not a failure, and
    the client does not ask for another link."""
    with offering(bench) as (conn, group, second):
        before = bench.app.stats()["LinkFailovers"]
        second.offer()
        second.exchange()
        # R-3.5.5.1.3-05
        deletes(group, second.number)
        conn.take()
        echo(conn)
        moved = bench.app.stats()["LinkFailovers"] - before
        check(not moved, f"{moved} links failed over")
        # R-C.8-03
        group.quiet(NO_WISH)


def _client_waits(bench):
    """No CONFIRM LINK arrives on the new link. The client asks the server to
    delete it, and the application waits for that."""
    with offering(bench) as (conn, group, second):
        second.offer()
        second.exchange()
        got = group.expect(msg.DELETE_LINK, SLOW)
        # R-3.5.1.6.2-03, R-C.7.1-08
        check(not got.flags & msg.REPLY and got.data[4] == second.number,
              f"{got}")
        # R-3.5.1.6.2-03, R-A.3.1-03, R-C.7.1-08
        conn.running()
        deletes(group, second.number)
        conn.take()
        echo(conn)


def cases():
    yield Case("second link, all bytes", "R-3.5.1.6-03, R-3.5.1.6-04, "
               "R-3.5.5.2.3-01, R-A.3.1-03, "
               "R-A.3.3-03, R-A.3.3-07, R-3.5.1.6.3-01, R-3.5.5.2-01, "
               "R-2.2.1-02, R-3.3-03", _added)
    yield Case("parallel link accepted", "R-C.7.1-22, R-2.2.1-03", _parallel)
    yield Case("keys of an unknown RMB", "R-A.3.3-08", _wrong_keys)
    yield Case("second link not confirmed", "R-C.7.1-02, R-3.5.1.6.2-03",
               _not_confirmed)
    yield Case("second link not confirmed, slow client", "R-C.7.1-02",
               _deleted_late)
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
    yield Case("second link withdrawn", "R-3.5.5.1.3-05, R-C.8-03",
               _client_withdrawn)
    yield Case("second link fails", "R-2.3-07, R-4.6.1-02, R-4.6.1-05, "
               "R-4.6.1-09, R-2.3-13, R-A.3.4-05, R-3.5.5.1.3-03", _fails)
