# SPDX-License-Identifier: GPL-2.0
"""Tests in which steps a Decline still leads to TCP, and in which it does not,
from CLC to the second link (RFC 7609 C.1 to C.4, 3.5.1.6.4). C.5 and C.6:
clc/hostile.py."""

import errno

from smctest import check, same, sockets, wire
from smctest import messages as msg
from smctest.conformance.case import Case
from smctest.conformance.peer import CLIENT, SERVER, echo

TIMEOUT = 0x02010000
EYE_CATCHER = 0x03050000
NOT_READY = 0x09990002


def on_tcp(conn, taken=False):
    """Only this connection uses TCP, and it loses no data. taken: the
    application has the connection."""
    if not taken:
        conn.take()
    conn.tcp.sendall(b"over tcp")
    conn.gets(b"over tcp")
    conn.app.write(conn.number, b"yes".hex())
    # R-1.1-02, R-C.1-03
    check(sockets.read(conn.tcp, 3) == b"yes", "not on TCP")
    # In a case that has not finished, a connection to another listener may use
    # the same port on our side.
    ports = conn.tcp.getpeername()[1], conn.tcp.getsockname()[1]
    found = [sock for sock in conn.bench.open_sockets()
             if (sock["sport"], sock["dport"]) == ports]
    # R-1.1-02
    check(len(found) == 1 and found[0]["mode"] == "tcp", f"{found}")


# -- the module is the server --------------------------------------------

def _instead_of_confirm(bench):
    conn, _ = bench.contact(SERVER)
    conn.propose()
    conn.accepted()
    conn.tcp.sendall(wire.decline())
    # R-C.1-01, -03
    on_tcp(conn)


def _instead_of_reply(bench):
    """We could not send our CONFIRM LINK (C.2): the server reads our Decline
    on TCP."""
    conn, group = bench.contact(SERVER)
    conn.rendezvous()
    group.confirmed()
    conn.tcp.sendall(wire.decline(TIMEOUT))
    # R-3.5.1.6.4-02, R-C.2-04
    on_tcp(conn)


def _wrong_reply(reason, changes, flags=msg.NO_EYE):
    """Our CONFIRM LINK does not match our Confirm."""
    def run(bench):
        conn, group = bench.contact(SERVER)
        conn.rendezvous()
        group.confirmed()
        number = group.number
        fields = dict(changes)
        if "number" in fields:
            group.number = fields.pop("number")
        group.send(group.confirm_link(flags, **fields))
        group.number = number
        # R-2.2.4-01, R-3.5.1.5-05, R-C.7.1-20, R-L-06
        sockets.expect_decline(conn.tcp, reason)
        group.gone = True
        on_tcp(conn)
    return run


def _after_server_forms(bench):
    """The group exists already: a Decline ends the connection and does not
    lead to TCP."""
    with bench.connected(SERVER) as (conn, group):
        conn.tcp.sendall(wire.decline())
        # R-C.2-02, R-C.3-01
        conn.expect_abort()
        group.alive()


def _subsequent_server(bench):
    """Checks that after its Accept the server does not decline. If the Confirm
    names an unknown link, the server resets TCP; the group stays."""
    with bench.connected(SERVER) as (first, group):
        conn = group.contact()
        conn.propose()
        conn.accepted()
        conn.confirm(qpn=conn.me.qpn ^ 1)
        # R-3.5.2.3-02, R-C.1-05, R-C.3-03
        sockets.expect_gone(conn.tcp)
        group.alive()
        echo(first)


def _dead_before_confirm(bench):
    """The link ends between Accept and Confirm: no fallback."""
    with bench.connected(SERVER) as (first, group):
        conn = group.contact()
        conn.propose()
        conn.accepted()
        group.send(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL))
        group.expect(msg.DELETE_LINK)
        group.gone = True
        first.expect_reset()
        conn.confirm()
        # R-C.1-05, R-C.3-03, -05
        sockets.expect_gone(conn.tcp)


# -- the module is the client --------------------------------------------

def _for_proposal(bench):
    conn, _ = bench.contact(CLIENT)
    conn.propose()
    conn.tcp.sendall(wire.decline())
    # R-C.1-01, -03
    on_tcp(conn)


def _instead_of_confirm_link(bench):
    """Checks that the client waits for CONFIRM LINK and for a Decline."""
    conn, _ = bench.contact(CLIENT)
    conn.rendezvous()
    conn.tcp.sendall(wire.decline(TIMEOUT))
    # R-C.2-05
    on_tcp(conn)


def _instead_of_add_link(bench):
    """We send a Decline between CONFIRM LINK and ADD LINK, which C.3
    allows."""
    conn, group = bench.contact(CLIENT)
    conn.rendezvous()
    group.number = 1
    group.send(group.confirm_link())
    group.confirmed()
    conn.tcp.sendall(wire.decline(TIMEOUT))
    # R-3.5.1.6.4-02, R-C.2-05
    on_tcp(conn)


def _wrong_request(reason, changes, flags=msg.NO_EYE):
    """Our CONFIRM LINK does not match our Accept."""
    def run(bench):
        conn, group = bench.contact(CLIENT)
        conn.rendezvous()
        group.number = 1
        group.send(group.confirm_link(flags, **changes))
        # R-3.5.1.5-05, R-C.7.1-20, R-L-06
        sockets.expect_decline(conn.tcp, reason)
        group.gone = True
        on_tcp(conn)
    return run


def _out_of_order(bench):
    """ADD LINK arrives before CONFIRM LINK. The client's link is not
    confirmed, so the client may still decline, and does."""
    conn, group = bench.contact(CLIENT)
    conn.rendezvous()
    group.number = 1
    group.send(group.add_link())
    # R-C.2-01
    answer = sockets.expect(conn.tcp, wire.DECLINE)
    check(not answer.flag, f"{answer}")
    group.gone = True
    on_tcp(conn)


def _after_client_forms(bench):
    """Checks that the client cannot fall back to TCP after its reply to ADD
    LINK."""
    with bench.connected(CLIENT) as (conn, group):
        conn.tcp.sendall(wire.decline())
        # R-C.2-02, R-C.3-02
        conn.expect_abort()
        group.alive()


def _out_of_sync(bench):
    """Our Accept has no flag F and names a group that the client does not
    have."""
    with bench.connected(CLIENT) as (first, group):
        stale = group.me.qpn ^ 1
        conn = group.contact()
        conn.propose()
        conn.accept(qpn=stale)
        answer = sockets.expect(conn.tcp, wire.DECLINE)
        # R-3.5.2.2-02, R-C.4-01, -02
        check(answer.flag and answer.diagnosis == wire.OUT_OF_SYNC,
              f"{answer}")
        # R-C.4-01
        conn.fell_back()
        echo(first)


def _dead_before_accept(bench):
    """The link ends between Proposal and Accept: the client sends nothing
    before the Accept arrives, then declines with S."""
    with bench.connected(CLIENT) as (first, group):
        conn = group.contact()
        conn.propose()
        group.send(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL))
        group.gone = True
        first.expect_reset()
        # R-C.1-04, R-C.4-04
        sockets.expect_open(conn.tcp)
        conn.accept()
        answer = sockets.expect(conn.tcp, wire.DECLINE)
        # R-C.4-01
        check(answer.flag and answer.diagnosis == wire.OUT_OF_SYNC,
              f"{answer}")
        check(conn.outcome() == 0, "connect() failed")


def _committed(bench):
    """Checks that after its Confirm, the client of a subsequent contact cannot
    fall back. If the link ends then, the connection ends, too."""
    with bench.connected(CLIENT) as (_, group):
        conn = group.contact()
        conn.rendezvous()
        group.send(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL))
        group.gone = True
        conn.take()
        # R-C.1-06, R-C.3-04
        conn.expect_reset()
        # R-C.3-05
        conn.expect_tcp("RST")


def _no_chase(bench):
    """Checks that the client sends a Decline of its own and nothing else."""
    conn, _ = bench.contact(CLIENT)
    conn.propose()
    conn.accept(mtu=6)
    answer = sockets.expect(conn.tcp, wire.DECLINE)
    # R-A.2.5-01, -03
    check(answer.data == wire.decline(wire.CONFIG, peer_id=bench.victim_id),
          f"{answer}")
    check(conn.outcome() == 0, "connect() failed")
    # R-C.1-04
    sockets.expect_open(conn.tcp)
    check(conn.outcome() != errno.ECONNRESET, "connect() failed")


# -- both sides decline ---------------------------------------------------

def _declines(bench, module):
    """Lets the module decline after first contact has begun. Our own Decline may
    be under way then."""
    conn, group = bench.contact(module)
    conn.rendezvous()
    if module == SERVER:
        group.confirmed()
    else:
        group.number = 1
    group.send(group.confirm_link(msg.NO_EYE, mac=b"\2\0\0\0\0\1"))
    sockets.expect_decline(conn.tcp, NOT_READY)
    group.gone = True
    return conn


def _crossing(module, before=b""):
    """Checks that the application never sees our Decline, which crosses the
    module's, but every byte that comes after it, even in one segment."""
    def run(bench):
        conn = _declines(bench, module)
        ours = wire.decline(TIMEOUT, peer_id=conn.me.peer_id)
        conn.tcp.sendall(ours + before)
        conn.take()
        conn.gets(before)
        # R-1.1-02
        on_tcp(conn, taken=True)
        # only the first message of the stream can be one of the handshake
        conn.tcp.sendall(ours)
        conn.gets(ours)
    return run


def _crossing_sleeper(module):
    """The same while the application sleeps in recv()."""
    def run(bench):
        conn = _declines(bench, module)
        conn.take()
        conn.app.read_begins(conn.number, 3)
        conn.tcp.sendall(wire.decline(TIMEOUT, peer_id=conn.me.peer_id))
        # R-1.1-02
        check(conn.app.read_ends(0.5) is None, "recv() got the Decline")
        conn.tcp.sendall(b"abc")
        same(b"abc".hex(), conn.app.read_ends())
        on_tcp(conn, taken=True)
    return run


def _not_crossing(module):
    """Bytes of an application that look like the Decline of another peer."""
    def run(bench):
        conn = _declines(bench, module)
        conn.take()
        data = wire.decline(TIMEOUT, peer_id=bytes(7) + b"\1")
        conn.tcp.sendall(data)
        # R-1.1-02
        conn.gets(data)
        on_tcp(conn, taken=True)
    return run


def cases():
    for name, module in (("server", SERVER), ("client", CLIENT)):
        yield Case(f"Declines that cross, {name}", "R-1.1-02",
                   _crossing(module))
        yield Case(f"Declines that cross, data in the segment, {name}",
                   "R-1.1-02", _crossing(module, b"at once"))
        yield Case(f"Declines that cross, recv() sleeps, {name}", "R-1.1-02",
                   _crossing_sleeper(module))
        yield Case(f"data like the Decline of another peer, {name}", "R-1.1-02",
                   _not_crossing(module))
    yield Case("Decline for its Accept", "R-C.1-01, R-C.1-03",
               _instead_of_confirm)
    yield Case("Decline for its CONFIRM LINK", "R-C.2-04, R-3.5.1.6.4-02",
               _instead_of_reply)
    for name, changes in (("MAC", {"mac": b"\2\0\0\0\0\1"}),
                          ("GID", {"gid": bytes(15) + b"\1"}),
                          ("QP number", {"qpn": 0xffff00})):
        ids = "R-3.5.1.5-05, R-C.7.1-20"
        yield Case(f"CONFIRM LINK reply with another {name}", ids,
                   _wrong_reply(NOT_READY, changes))
        yield Case(f"CONFIRM LINK with another {name}", ids,
                   _wrong_request(NOT_READY, changes))
    yield Case("CONFIRM LINK reply with another number", "R-2.2.4-01, "
               "R-C.7.1-20", _wrong_reply(NOT_READY, {"number": 99}))
    yield Case("CONFIRM LINK reply of a peer with eye catchers",
               "R-L-06", _wrong_reply(EYE_CATCHER, {}, 0))
    yield Case("CONFIRM LINK of a peer with eye catchers",
               "R-L-06", _wrong_request(EYE_CATCHER, {}, 0))
    yield Case("Decline after forming, server", "R-C.2-02, R-C.3-01",
               _after_server_forms)
    yield Case("Confirm of another link", "R-C.1-05, R-C.3-03, R-3.5.2.3-02",
               _subsequent_server)
    yield Case("end between Accept and Confirm", "R-C.1-05, R-C.3-03, "
               "R-C.3-05", _dead_before_confirm)
    yield Case("Decline for its Proposal", "R-C.1-01, R-C.1-03", _for_proposal)
    yield Case("Decline for its Confirm", "R-C.2-05", _instead_of_confirm_link)
    yield Case("Decline before ADD LINK", "R-C.2-05, R-3.5.1.6.4-02",
               _instead_of_add_link)
    yield Case("ADD LINK before CONFIRM LINK", "R-C.7.1-32, R-C.2-01",
               _out_of_order, expected={"LlcViolations": 1})
    yield Case("Decline after forming, client", "R-C.2-02, R-C.3-02",
               _after_client_forms)
    yield Case("out of sync", "R-C.4-01, R-C.4-02, R-3.5.2.2-02", _out_of_sync)
    yield Case("end between Proposal and Accept", "R-C.4-01, R-C.4-04",
               _dead_before_accept)
    yield Case("end behind the Confirm", "R-C.1-06, R-C.3-04, R-C.3-05",
               _committed)
    yield Case("one Decline, all bytes", "R-C.1-04, R-A.2.5-01, "
               "R-A.2.5-03", _no_chase)
