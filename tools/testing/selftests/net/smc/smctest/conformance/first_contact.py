# SPDX-License-Identifier: GPL-2.0
"""Tests every byte of first contact, in both roles (RFC 7609 3.5.1, A.2, A.3.1,
A.3.2)."""

import socket

from smctest import check, wire
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.case import Case, both
from smctest.conformance.peer import CLIENT, ELEMENT, SERVER, pattern
from smctest.world import V4_NET

PATIENT = 19        # exponent: about two seconds for an answer


def _link_fields(offer, message):
    """Checks fields of every Accept and Confirm; the parser checks the 68
    bytes."""
    data = message.data
    # R-A.2-04, R-A.2.3-01, -02
    check(len(data) == 68 and data[7] >> 4 == 1 and not data[7] & 7,
          f"header of {message}")
    # R-A.2-01, R-A.2.3-05, -10
    check(not data[51] and not data[60], f"reserved bytes of {message}")
    # R-2.1-13, R-4.1-01, R-A.2.3-04, -06, -07, -12
    check(offer.qpn > 1 and offer.index >= 1 and offer.bsize <= 5 and
          1 <= offer.mtu <= 5 and offer.token and offer.rkey,
          f"fields of {message}")
    check(not any(offer.mac[:1]) or not offer.mac[0] & 1, f"MAC of {message}")


def _accept_bytes(bench):
    conn, _ = bench.contact(SERVER)
    conn.propose()
    answer = conn.accepted()
    _link_fields(answer.offer, answer)
    # R-A.2.1-03
    check(answer.peer_id == bench.victim_id, "another peer ID")
    # R-A.2.1-01
    check(answer.peer_id[2:] == answer.offer.mac, "MAC in the peer ID")
    # R-3.5.1.2-08, R-A.2.3-01..05, -10
    check(answer.data == wire.accept(answer.offer), f"{answer}")
    # R-4.1-02
    check(answer.offer.bsize == 0, "not the size of SO_RCVBUF")
    conn.tcp.sendall(wire.decline())
    conn.take()


def _proposal_bytes(bench):
    conn, _ = bench.contact(CLIENT)
    before = bench.app.stats()
    conn.propose()
    data = conn.proposal.data
    # R-3.5.1.2-02, R-A.2.2-01..05, -07, -09, -13, R-L-03
    check(data == wire.proposal(wire.Offer(
        bench.victim_id, data[16:32], data[32:38]), V4_NET),
          f"{conn.proposal}")
    check(len(data) == 52 and data[16:28] == bytes(10) + b"\xff\xff",
          f"{conn.proposal}")
    # R-A.2.1-01, R-A.2.2-14
    check(bench.victim_id[2:] == data[32:38], "MAC in the peer ID")
    after = bench.app.stats()
    for name in ("MemoryRegistrations", "RmbsAllocated", "GroupsCreated"):
        # R-3.5.1.2-04
        check(after[name] == before[name], f"{name} moved at the Proposal")
    conn.tcp.sendall(wire.decline())
    check(conn.outcome() == 0, "connect() failed")


def _confirm_bytes(bench):
    conn, _ = bench.contact(CLIENT)
    conn.propose()
    conn.accept()
    answer = conn.confirmed()
    _link_fields(answer.offer, answer)
    # R-A.2.4-01, -02
    check(answer.data == wire.confirm(answer.offer), f"{answer}")
    # R-A.2.1-03
    check(answer.peer_id == bench.victim_id == conn.proposal.peer_id,
          "another peer ID than in the Proposal")
    # R-A.2.4-02
    check(answer.offer.gid == conn.proposal.data[16:32] and
          answer.offer.mac == conn.proposal.data[32:38],
          "another adapter than the preferred one")
    conn.tcp.sendall(wire.decline())
    check(conn.outcome() == 0, "connect() failed")


def _server_forms(bench):
    """Checks that the connection starts only after the attempt to add a second
    link."""
    conn, group = bench.contact(SERVER)
    conn.rendezvous()
    # R-3.5.1.4-01, R-A.2.3-11
    got = group.confirmed()
    # R-2.2.2-05
    check(got.data[34] >= 2, "no limit of links")
    # R-1.1-04, R-3.5.1.6-01
    check(bench.app.take(group.listener, 0.1) is None, "accepted too early")
    group.send(group.confirm_link())
    # R-2.2-01, R-2.2.3-01, R-3.5.1.5-04, R-3.5.1.6-05, R-L-13
    add = group.expect(msg.ADD_LINK)
    check(not add.flags and not add.byte2, f"flags of {add}")
    check(add.data[10:12] == bytes(2) and add.data[36:] == bytes(8),
          f"reserved bytes of {add}")
    # R-2.2.4-01, R-3.5.1.6-04
    check(add.data[31] not in (0, group.number), "link number not new")
    # R-3.5.1.6-03, -04
    check(add.number(28, 3) not in (0, conn.theirs.qpn), "no link of its own")
    # R-3.5.1.6-03, R-A.3.2-02, R-L-08
    check(add.data[12:28] == conn.theirs.gid, "another adapter, of one")
    # R-L-10
    check(any(add.data[4:36]) and any(add.data[4:10]) and
          any(add.data[12:28]), f"an empty ADD LINK: {add}")
    # R-1.1-04, R-3.5.1.6-01
    check(bench.app.take(group.listener, 0.1) is None, "accepted too early")
    # R-3.5.1.6-01
    group.quiet(0.1)
    group.send(group.reject_add(add))
    # R-3.5.1.6.2-01
    conn.take()
    # R-2.2.1-02, R-4.8.1-10
    _both_ways(conn)


def _client_forms(bench):
    conn, group = bench.contact(CLIENT)
    # We send the message once, so the module's queue pair must be able to
    # receive when we have its Confirm.
    group.end_point.retries, group.end_point.wait = 0, PATIENT
    conn.rendezvous()
    # R-1.1-04, R-3.2-01, R-3.5.1.1-08
    conn.running()
    group.number = 77       # another number than the server chose
    # R-3.5.1.3-03
    group.send(group.confirm_link())
    # R-3.5.1.5-03, R-A.2.3-11
    got = group.confirmed()
    # R-2.2.2-07, R-A.3.1-05
    check(got.data[34] == 2, "not the server's limit of links")
    # R-3.5.1.1-08, R-3.5.1.6-01
    conn.running()
    # R-3.5.1.6-01
    group.quiet(0.1)
    group.send(group.add_link())
    got = group.rejected()
    check(got.data[4:10] == conn.theirs.mac and
          got.data[12:28] == conn.theirs.gid, f"not its own data in {got}")
    conn.take()
    _both_ways(conn)


def _both_ways(conn):
    """Checks the first CDC messages of a connection, which begin with sequence
    number 1."""
    conn.sends(pattern(0, 100))
    # R-4.7.1-01, R-L-07
    got = conn.expect(prod=100, cons=0)
    # R-1.2-01, R-4.3-02, R-L-07
    check(got.seq == 1 and got.token == conn.me.token, f"{got}")
    # R-2.1-19
    check(conn.element(0, 100) == pattern(0, 100), "wrong bytes written")
    conn.data(pattern(7, 50))
    conn.gets(pattern(7, 50))


def _link_numbers(bench):
    """Checks that each link has a unique ID, and a number that is not 0."""
    uids = set()
    for _ in range(3):
        with bench.connected(SERVER) as (_, group):
            # R-2.2.4-03
            check(group.number, "link number 0")
            uids.add(group.uid)
    # R-2.2.4-04, -05
    check(len(uids) == 3, f"link user IDs {uids}")


def _smaller_mtu(bench, module):
    """Our queue pair accepts packets of 512 bytes and refuses longer
    packets."""
    conn, _ = bench.connect(module, mtu=2)
    data = pattern(0, 6000)
    conn.sends(data)
    conn.expect(prod=6000, cons=0)
    # R-A.2.3-08
    check(conn.element(0, 6000) == data, "wrong bytes written")
    conn.data(data)
    # R-A.2.3-08
    conn.gets(data)


def _few_links(links):
    def run(bench, module):
        conn, group = bench.contact(module)
        conn.rendezvous()
        if module == SERVER:
            group.confirmed()
            group.send(group.confirm_link(links=links))
            # R-2.2.2-06
            group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        else:
            group.number = 1
            group.send(group.confirm_link(links=links))
            group.confirmed()
            group.send(group.add_link())
            group.rejected()
        conn.take()
        _both_ways(conn)
    return run


def _own_uid(bench):
    """Checks that if the link user ID changes later, the module ignores
    that."""
    with bench.connected(SERVER) as (conn, group):
        group.send(group.add_link())        # a notice, with our old values
        # R-A.3.2-06
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        # R-A.3.2-06
        group.alive()
        _both_ways(conn)


def _test_link_early(bench, module):
    """Checks that the module answers TEST LINK at every step of first
    contact."""
    conn, group = bench.contact(module)
    conn.rendezvous()
    if module == SERVER:
        group.confirmed()
        # R-3.5.5.3.1-01, R-A.3.8-02
        group.alive()
        group.send(group.confirm_link())
        add = group.expect(msg.ADD_LINK)
        # R-3.5.5.3.1-01, R-A.3.8-02
        group.alive()
        group.send(group.reject_add(add))
    else:
        group.number = 1
        group.send(group.confirm_link())
        group.confirmed()
        # R-3.5.5.3.1-01, R-A.3.8-02
        group.alive()
        group.send(group.add_link())
        group.rejected()
    conn.take()
    group.alive()


def _wrong_mtu_later(bench):
    """Checks that the MTU matters only in first contact."""
    with bench.connected(SERVER) as (_, group):
        conn = group.contact()
        conn.propose()
        conn.accepted()
        conn.confirm(mtu=0)
        # R-A.2.3-09, R-A.2.4-03
        conn.take()
        _both_ways(conn)
    with bench.connected(CLIENT) as (_, group):
        conn = group.contact()
        conn.propose()
        conn.accept(mtu=15)
        conn.confirmed()
        # R-A.2.3-09
        conn.take()
        _both_ways(conn)


def _any_size(bench):
    """Checks that the module accepts elements up to 512 MiB, and writes to the
    right addresses."""
    for code in (1, 5, 15):
        conn, group = bench.contact(SERVER)
        conn.propose()
        conn.accepted()
        conn.link_up()
        conn.me = conn.me.but(index=1, bsize=code)
        conn.confirm()
        group.form()
        conn.take()
        conn.sends(pattern(0, 5000))
        got = group.receive()
        # R-A.2.3-06
        check(got.prod == (0, 5000), f"{got}")
        # R-2.1-01, R-A.2.3-06
        check(conn.element(0, 5000) == pattern(0, 5000), "wrong bytes")
        group.end()


def _index_places(bench):
    """Checks that an element begins at (index - 1) times its length."""
    with bench.connected(SERVER) as (first, group):
        for _ in range(3):
            conn = group.connect()
        check(conn.me.index == 4, "not the fourth element")
        conn.sends(pattern(9, 3000))
        conn.expect(prod=3000, cons=0)
        ring = group.end_point.rmb.read(4 * ELEMENT, 0)
        # R-2.1-10..12
        check(ring[3 * ELEMENT:][:3000] == pattern(9, 3000),
              "the element is not where its index says")
        # R-2.1-11
        check(not any(ring[:3 * ELEMENT]), "bytes beside the element")
        first.sends(b"x")
        first.expect(prod=1, cons=0)


def _number_names_link(bench):
    """Checks that the peer's adapter has the MAC, GID and QP number that the
    Accept names."""
    with bench.connected(SERVER) as (conn, group):
        check(verbs.accessible(group.end_point.try_send(
            msg.test_link(b"is it you"))), "no answer of its adapter")
        group.expect(msg.TEST_LINK)
        check(conn.theirs.qpn == group.theirs.qpn, "another QP")


OPTIONS = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
           (socket.SOL_SOCKET, socket.SO_PRIORITY, 3),
           (socket.SOL_SOCKET, socket.SO_OOBINLINE, 1),
           (socket.IPPROTO_IP, socket.IP_TTL, 77),
           (socket.IPPROTO_IP, socket.IP_TOS, 0x10),
           (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
           (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 55),
           (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 44),
           (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3),
           (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 12345)]


def _options(bench, module):
    """Checks that a socket in mode SMC-R stores its options and returns
    them."""
    with bench.connected(module) as (conn, _):
        lost = bench.app.options(conn.number, OPTIONS)
        # R-B.1-01, -03
        check(not lost, f"lost: {lost}")
        _both_ways(conn)


def _all_while_adding(bench):
    """Instead of an answer to ADD LINK we send DELETE LINK for the whole
    group: the module obeys at once. A notice that we sent before has no
    effect."""
    conn, group = bench.contact(SERVER)
    conn.rendezvous()
    group.confirmed()
    group.send(group.confirm_link())
    group.expect(msg.ADD_LINK)
    group.send(group.add_link())
    # R-3.5.5.3.1-02
    group.alive()
    group.send(msg.delete_link(0, msg.LOST_PATH, msg.DELETE_ALL))
    # R-3.5.5.3.1-05
    group.expect(msg.DELETE_LINK)
    group.gone = True
    conn.expect_tcp("RST")


def _rkey_while_adding(bench):
    """CONFIRM RKEY arrives during ADD LINK: the module refuses it for the
    moment."""
    conn, group = bench.contact(SERVER)
    conn.rendezvous()
    group.confirmed()
    group.send(group.confirm_link())
    add = group.expect(msg.ADD_LINK)
    group.send(msg.confirm_rkey(0x1000, 0))
    # R-3.5.5.3-03
    group.expect_bytes(msg.confirm_rkey(
        0x1000, 0, flags=msg.REPLY | msg.RKEY_NEGATIVE | msg.RKEY_RETRY))
    group.send(group.reject_add(add))
    conn.take()
    group.send(msg.confirm_rkey(0x1000, 0))
    group.expect_bytes(msg.confirm_rkey(0x1000, 0, flags=msg.REPLY))


def cases():
    yield Case("Accept, all bytes", "R-3.5.1.2-08, R-A.2.3-01, R-A.2.3-02, "
               "R-A.2.3-03, R-A.2.3-04, R-A.2.3-05, R-A.2.3-10, R-A.2.3-12, "
               "R-A.2.1-01, R-A.2.1-03, R-4.1-02", _accept_bytes)
    yield Case("Proposal, all bytes", "R-3.5.1.2-01, R-3.5.1.2-02, "
               "R-3.5.1.2-04, R-A.2.2-01, R-A.2.2-02, R-A.2.2-03, R-A.2.2-04, "
               "R-A.2.2-05, R-A.2.2-07, R-A.2.2-13, R-A.2.2-14, R-L-03",
               _proposal_bytes)
    yield Case("Confirm, all bytes", "R-3.5.1.3-03, R-A.2.4-01, R-A.2.4-02, "
               "R-A.2.1-03", _confirm_bytes)
    yield Case("forming, server", "R-3.5.1.5-01, R-3.5.1.5-04, R-3.5.1.6-01, "
               "R-3.5.1.6-05, R-3.5.1.6.2-01, R-2.2-01, R-2.2.2-05, "
               "R-2.2.3-01, R-A.3.1-01, R-A.3.1-04, R-A.3.2-02, R-L-06, "
               "R-L-07, R-L-08, R-L-10, R-L-13, R-1.1-04, R-3.5.1.4-01, "
               "R-4.8.1-10", _server_forms)
    yield Case("forming, client", "R-3.5.1.5-03, R-3.5.1.6-01, "
               "R-3.5.1.6.1-01, R-3.5.1.6.1-06, R-2.2.1-03, R-2.2.4-01, "
               "R-A.3.1-02, R-A.3.2-01, R-A.3.2-03, R-A.3.2-04, R-3.5.1.1-08, "
               "R-3.2-01",
               _client_forms)
    yield Case("link numbers and user IDs", "R-2.2.4-03, R-2.2.4-04, "
               "R-2.2.4-05", _link_numbers)
    yield from both("the smaller MTU", "R-A.2.3-07, R-A.2.3-08, R-A.2.3-11",
                    _smaller_mtu)
    yield from both("peer of one link", "R-2.2.2-08", _few_links(1))
    yield Case("peer that leaves the limit out, server", "R-2.2.2-06",
               lambda bench: _few_links(0)(bench, SERVER))
    yield from both("peer of eight links", "",
                    _few_links(8))
    yield Case("old values in a notice", "R-2.2.4-04, R-A.3.2-06", _own_uid)
    yield from both("TEST LINK at each step", "R-3.5.5.3.1-01, R-A.3.8-02",
                    _test_link_early)
    yield from both("options", "R-B.1-01, R-B.1-03", _options)
    yield Case("DELETE LINK A during ADD LINK", "R-3.5.5.3.1-02, "
               "R-3.5.5.3.1-05", _all_while_adding)
    yield Case("CONFIRM RKEY during ADD LINK", "R-3.5.5.3.1-06, R-3.5.5.3-03",
               _rkey_while_adding)
    yield Case("MTU in subsequent contact", "R-A.2.3-09, R-A.2.4-03",
               _wrong_mtu_later)
    yield Case("sizes of elements", "R-A.2.3-06, R-2.1-01, R-2.1-12", _any_size)
    yield Case("places of elements", "R-2.1-10, R-2.1-11", _index_places)
    yield Case("the link is that of the Accept", "R-2-01",
               _number_names_link)
