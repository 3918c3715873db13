# SPDX-License-Identifier: GPL-2.0
"""Tests exchanges that cross (RFC 7609 3.5.5.3): ADD LINK, DELETE LINK of one
link and CONFIRM RKEY exclude each other. A request that arrives during another
exchange has to wait, or gets a temporary refusal."""

from smctest import check
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.links import (another, deleted, deletes, joined,
                                       notice, replied, two_links)
from smctest.conformance.peer import CLIENT, SERVER, echo
from smctest.world import wait_until

BUSY = msg.REPLY | msg.RKEY_NEGATIVE | msg.RKEY_RETRY


def _wants_rmb(group):
    """Opens a connection for which the module needs another RMB."""
    group.serves.discard(msg.CONFIRM_RKEY)
    conn = group.contact()
    conn.propose()
    if group.module == CLIENT:
        conn.accept()
    return conn


def _gets_rmb(conn, asked, second=None):
    """We answer CONFIRM RKEY, and the connection starts."""
    conn.group.answer(asked)
    if conn.group.module == SERVER:
        conn.accepted()
        if second and second.same_queue_pair(conn.theirs):
            second.names(conn)      # the new link is the idle one
        conn.confirm()
    else:
        conn.confirmed()
    conn.take()
    if conn.me.gid == conn.group.me.gid:
        echo(conn)


def _refuse(group, asked):
    """Not now."""
    group.send(asked.data[:3] + bytes([BUSY]) + asked.data[4:])


def _refused(group, rkey):
    """Sends our CONFIRM RKEY, which the module must refuse for the moment."""
    group.send(msg.confirm_rkey(rkey, 0x1000))
    got = group.expect(msg.CONFIRM_RKEY)
    check(got.data == msg.confirm_rkey(rkey, 0x1000, flags=BUSY), f"{got}")


def _taken(group, rkey):
    group.send(msg.confirm_rkey(rkey, 0x1000))
    group.expect_bytes(msg.confirm_rkey(rkey, 0x1000, flags=msg.REPLY))


def _one_key(asked, before=None):
    """Checks that a CONFIRM RKEY is for one link, and for the same RMB as
    before."""
    check(asked.data == msg.confirm_rkey(asked.number(5, 4),
                                         asked.number(9, 8)), f"{asked}")
    check(not before or asked.data[5:17] == before.data[5:17],
          f"{asked} of another RMB than {before}")


def _two_keys(asked, number):
    """Checks that a CONFIRM RKEY is for two links."""
    check(asked.data == msg.confirm_rkey(
        asked.number(5, 4), asked.number(9, 8),
        [(number, asked.number(18, 4), asked.number(22, 8))]), f"{asked}")


# -- while a link is added -------------------------------------------------

def _rkey_waits_for_add(bench, module):
    """Checks that the module's CONFIRM RKEY follows after the link is added,
    and contains the keys on both links."""
    with joined(bench, module) as (conn, group):
        second = another(group)
        if module == SERVER:
            other = _wants_rmb(group)
            # R-3.5.5.3-02, -03
            group.quiet()
            second.accept()
        else:
            second.offer()
            other = _wants_rmb(group)
            # R-3.5.5.3-02, -03
            group.quiet()
        second.exchange()
        if module == SERVER:
            second.asked()
            group.quiet()
            second.confirm()
        else:
            group.quiet()
            second.confirm()
            second.confirmed()
        asked = group.expect(msg.CONFIRM_RKEY)
        # R-3.5.5.3-03
        _two_keys(asked, second.number)
        _gets_rmb(other, asked, second)
        echo(conn)


def _refused_during_add(bench):
    """Checks that the server refuses our CONFIRM RKEY in each step of the
    exchange, and accepts it afterwards."""
    with joined(bench, SERVER) as (conn, group):
        second = another(group)
        _refused(group, 0x71000)
        second.accept()
        got = group.expect(msg.ADD_LINK_CONT)
        _refused(group, 0x71000)
        group.send(msg.add_link_cont(second.number, 1, [
            (group.me.rkey, second.me.rkey, second.me.addr)], msg.REPLY))
        second.theirs = second.theirs.but(rkey=got.number(12, 4),
                                          addr=got.number(16, 8))
        second.asked()
        _refused(group, 0x71000)
        # R-3.5.5.3-01, R-3.5.5.3.1-01
        group.alive()
        second.confirm()
        keys = 0x71000, 0x1000, [(second.number, 0x72000, 0x2000)]

        def taken():    # messages on different links may overtake each other
            group.send(msg.confirm_rkey(*keys))
            return group.expect(msg.CONFIRM_RKEY).data == \
                msg.confirm_rkey(*keys, msg.REPLY)

        check(wait_until(taken), "refused afterwards, too")
        echo(conn)


def _add_crosses_rkey(bench):
    """Our ADD LINK arrives while the client waits for our answer to CONFIRM
    RKEY. The client continues with the link, and repeats CONFIRM RKEY
    afterwards."""
    with joined(bench, CLIENT) as (conn, group):
        other = _wants_rmb(group)
        first = group.expect(msg.CONFIRM_RKEY)
        _one_key(first)
        second = another(group)
        second.ask()
        _refuse(group, first)
        # R-3.5.5.3.3-03
        second.accepted()
        second.exchange()
        group.quiet()
        second.confirm()
        second.confirmed()
        asked = group.expect(msg.CONFIRM_RKEY)
        # R-3.5.5.3.1-07, R-A.3.5-07
        _two_keys(asked, second.number)
        check(asked.data[5:17] == first.data[5:17], "another RMB")
        _gets_rmb(other, asked)
        echo(conn)


def _notice_waits_for_rkey(bench):
    """A client's ADD LINK arrives during the server's CONFIRM RKEY: the server
    handles it afterwards."""
    with joined(bench, SERVER) as (conn, group):
        other = _wants_rmb(group)
        asked = group.expect(msg.CONFIRM_RKEY)
        notice(group)
        # R-3.5.5.3-01, R-3.5.5.3.3-01, -02
        group.alive()
        # R-3.5.5.3-02, R-3.5.5.3.3-02
        group.quiet()
        group.answer(asked)
        # R-3.5.5.3.3-02
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        other.accepted()
        other.confirm()
        other.take()
        echo(other)
        echo(conn)


def _all_during_add(bench, module):
    """DELETE LINK with flag A arrives while a link is added: the module obeys
    at once."""
    with joined(bench, module) as (conn, group):
        second = another(group)
        if module == SERVER:
            second.accept()
            group.expect(msg.ADD_LINK_CONT)
        else:
            second.offer()
        _all_ends(conn)


def _all_ends(conn):
    group = conn.group
    group.send(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL))
    if group.module == SERVER:
        got = group.expect(msg.DELETE_LINK)
        # R-3.5.5.3-01, R-3.5.5.3.1-05, R-3.5.5.3.2-04
        check(got.flags & ~msg.DELETE_ORDERLY == msg.DELETE_ALL, f"{got}")
    else:
        group.quiet()
    group.gone = True
    # R-3.5.4-06, R-3.5.5.3.1-05, R-3.5.5.3.2-04
    conn.expect_reset()


# -- while a link is deleted -----------------------------------------------

def _during_delete(bench):
    """The server waits for our reply to DELETE LINK. Meanwhile the server
    answers TEST LINK, refuses our keys, and delays its own exchange of
    keys."""
    with two_links(bench, SERVER) as (conn, group, second):
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        deleted(group, second.number, answer=False)
        # R-3.5.5.3.2-01
        group.alive()
        echo(conn)
        _refused(group, 0x73000)
        other = _wants_rmb(group)
        # R-3.5.5.3-02, -03
        group.quiet()
        group.send(msg.delete_link(second.number, 0, msg.REPLY))
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        asked = group.expect(msg.CONFIRM_RKEY)
        _one_key(asked)
        _gets_rmb(other, asked)
        _taken(group, 0x73000)


def _rejects_keys(group):
    """Our bad keys make a link of the server fail; the server begins to delete
    the link."""
    second = another(group)
    second.accept()
    group.expect(msg.ADD_LINK_CONT)
    group.send(msg.add_link_cont(second.number, 1, [
        (group.me.rkey ^ 1, second.me.rkey, second.me.addr)], msg.REPLY))
    deleted(group, second.number, answer=False)
    return second


def _notice_during_delete(bench):
    """A client's ADD LINK arrives while the server waits for the reply to
    DELETE LINK: the server handles it afterwards. Without this ADD LINK the
    server would try again only after a minute."""
    with joined(bench, SERVER) as (conn, group):
        second = _rejects_keys(group)
        group.send(msg.delete_link(second.number, 0, msg.REPLY))
        group.quiet()
        second = _rejects_keys(group)
        notice(group)
        group.alive()
        # R-3.5.5.3.2-02
        group.quiet()
        group.send(msg.delete_link(second.number, 0, msg.REPLY))
        # R-3.5.5.3.2-02
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        echo(conn)


def _reports(group):
    """The client gives a link up because our CONFIRM LINK is wrong, and reports
    that."""
    second = another(group)
    second.offer()
    second.exchange()
    second.confirm(qpn=second.me.qpn ^ 1)
    got = group.expect(msg.DELETE_LINK)
    # R-C.7.1-20
    check(not got.flags & (msg.REPLY | msg.DELETE_ALL) and
          got.data[4] == second.number, f"{got}")
    return second


def _during_report(bench):
    """The client has reported a link. While it waits for DELETE LINK, it
    answers TEST LINK."""
    with joined(bench, CLIENT) as (conn, group):
        second = _reports(group)
        # R-3.5.5.3.2-01
        group.alive()
        echo(conn)
        other = _wants_rmb(group)
        # R-3.5.5.3-03
        group.quiet()
        deletes(group, second.number)
        asked = group.expect(msg.CONFIRM_RKEY)
        _one_key(asked)
        _gets_rmb(other, asked)


def _all_during_delete(bench, module):
    """DELETE LINK with flag A arrives while one link is deleted: the module
    obeys at once."""
    with joined(bench, module) as (conn, group):
        if module == SERVER:
            _rejects_keys(group)
        else:
            _reports(group)
        _all_ends(conn)


def _report_waits_for_rkey(bench):
    """A client's DELETE LINK arrives during the server's CONFIRM RKEY: the
    server handles it afterwards."""
    with two_links(bench, SERVER) as (conn, group, second):
        other = _wants_rmb(group)
        asked = group.expect(msg.CONFIRM_RKEY)
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        group.alive()
        # R-3.5.5.3.3-04
        group.quiet()
        group.answer(asked)
        # R-3.5.5.3-01, R-3.5.5.3.3-04
        deleted(group, second.number)
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        other.accepted()
        other.confirm()
        other.take()
        echo(other)
        echo(conn)


def _delete_crosses_rkey(bench):
    """Our DELETE LINK arrives while the client waits for our answer to CONFIRM
    RKEY. The client deletes the link, and sends a new CONFIRM RKEY without
    that link."""
    with two_links(bench, CLIENT) as (conn, group, second):
        other = _wants_rmb(group)
        first = group.expect(msg.CONFIRM_RKEY)
        _two_keys(first, second.number)
        group.send(msg.delete_link(second.number, msg.LOST_PATH))
        _refuse(group, first)
        # R-3.5.5.3.3-05
        replied(group, second.number)
        asked = group.expect(msg.CONFIRM_RKEY)
        # R-3.5.5.3.3-05
        _one_key(asked, first)
        _gets_rmb(other, asked)
        echo(conn)


def cases():
    yield from both("CONFIRM RKEY has to wait for ADD LINK",
                    "R-3.5.5.3-02, R-3.5.5.3-03", _rkey_waits_for_add)
    yield Case("our CONFIRM RKEY during ADD LINK", "R-3.5.5.3.1-06, "
               "R-3.5.5.3.1-01, R-3.5.5.3-01", _refused_during_add)
    yield Case("ADD LINK crosses CONFIRM RKEY", "R-3.5.5.3.3-03, "
               "R-3.5.5.3.1-07", _add_crosses_rkey)
    yield Case("ADD LINK notice during CONFIRM RKEY", "R-3.5.5.3.3-02, "
               "R-3.5.5.3-01, R-3.5.5.3-02", _notice_waits_for_rkey)
    yield from both("DELETE LINK A during ADD LINK", "R-3.5.5.3.1-05, "
                    "R-3.5.5.3-01", _all_during_add)
    yield Case("during DELETE LINK", "R-3.5.5.3.2-01, R-3.5.5.3.2-05, "
               "R-3.5.5.3-02", _during_delete)
    yield Case("during the client's DELETE LINK", "R-3.5.5.3.2-01, "
               "R-3.5.5.3-02, R-C.7.1-20", _during_report)
    yield Case("ADD LINK notice during DELETE LINK", "R-3.5.5.3.2-02",
               _notice_during_delete)
    yield from both("DELETE LINK A during DELETE LINK", "R-3.5.5.3.2-04, "
                    "R-3.5.5.3-01", _all_during_delete)
    yield Case("client's DELETE LINK during CONFIRM RKEY", "R-3.5.5.3.3-04, "
               "R-3.5.5.3-01", _report_waits_for_rkey)
    yield Case("DELETE LINK crosses CONFIRM RKEY", "R-3.5.5.3.3-05",
               _delete_crosses_rkey)
