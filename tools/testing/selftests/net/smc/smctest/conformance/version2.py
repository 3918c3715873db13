# SPDX-License-Identifier: GPL-2.0
"""Tests of groups of version 2 in which the client asks for a link. LLC
messages of 44 bytes differ from the messages of version 1 only in their first
byte."""

import contextlib
import struct

from smctest import check, sockets, ueid, wire
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.adapter import GID, adapter
from smctest.conformance.case import Case
from smctest.conformance.links import Second, address, announce, deleted
from smctest.conformance.peer import (CLIENT, LINK_UID, PATIENCE, SERVER, V4_NET,
                                      AsClient, AsServer, echo)

V2 = 0x20           # bit of the first byte
AT_CONNS, AT_LINKS = 140, 141      # offsets in an Accept
REQUEST = 5         # REQUEST ADD LINK
CONFIRM_REPEATS = 2
DELETE_RKEY_HEAD = 8
AT_COUNT, AT_GIDS = 24, 28
AT_NUMBER = 29      # in CONFIRM LINK
ADD_HEAD = 72       # bytes of ADD LINK before the list of keys


class Endpoint(verbs.Endpoint):
    """An endpoint that converts the type bytes of received messages to version
    1."""

    slot = 256      # for ADD LINK with keys

    def try_send(self, data):
        if data[0] != msg.CDC and not data[0] & V2:
            data = bytes([data[0] | V2]) + data[1:]
        return super().try_send(data)

    def receive(self, timeout=verbs.TIMEOUT):
        data = super().receive(timeout)
        if data and data[0] & 0xf0 == V2:
            data = bytes([data[0] ^ V2]) + data[1:]
        return data


class _AsServer(AsServer):
    """Exchanges the Proposal and the Accept."""

    version = 2
    links = 2

    def accept(self, **changes):
        answer = wire.accept2(self.me.but(**changes), self.first)
        if self.first:
            answer = wire.spoil(answer, AT_LINKS, bytes([self.links]))
        self.tcp.sendall(answer)

    def confirmed(self):
        self.group.wait_for(self.tcp)
        answer = sockets.expect(self.tcp, wire.CONFIRM, version=2)
        self._met(answer.offer)
        return answer


class AsServerOfOne(_AsServer):
    """The peer as a server with one link: the client must not ask for another
    one."""

    links = 1


class _AsClient(AsClient):
    """Exchanges the Accept and the Confirm."""

    answer = None

    def propose(self):
        self.tcp = self.bench.dial(port=self.group.port)
        self.tcp.sendall(wire.proposal2(self.me, V4_NET))

    def accepted(self):
        self.group.wait_for(self.tcp)
        self.answer = sockets.expect(self.tcp, wire.ACCEPT, version=2)
        self._met(self.answer.offer)
        return self.answer

    def confirm(self, **changes):
        self.tcp.sendall(wire.confirm2(self.me.but(**changes), self.answer))


class _Second(Second):
    """A link that the module offers with its keys."""

    endpoint = Endpoint

    def accept(self, **changes):
        self.end_point.connect(self.theirs, min(self.theirs.mtu, self.me.mtu))
        short = msg.add_link(self.me.but(**changes), self.number, msg.REPLY,
                             mtu=self.me.mtu)
        key = struct.pack(">IIQ", self.group.me.rkey, self.me.rkey, self.me.addr)
        self.group.send(
            struct.pack("<BHB", msg.ADD_LINK, ADD_HEAD + len(key), msg.REPLY) +
            short[4:] + bytes(ADD_HEAD - 2 - msg.LEN) + struct.pack("<H", 1) + key)


@contextlib.contextmanager
def _group(bench, make, module=CLIENT):
    """Yields (connection, group, CONFIRM LINK); CONFIRM LINK is our first
    message on the link."""
    bench.app.ueids([ueid.DEFAULT])
    group = bench.group(module, Endpoint)
    group.make = make
    try:
        conn = group.contact()
        conn.rendezvous()
        group.number = 1
        yield conn, group, msg.confirm_link(group.me, group.number, LINK_UID)
    finally:
        group.end()
        bench.app.ueids([])


@contextlib.contextmanager
def _connected(bench):
    with _group(bench, _AsServer) as (conn, group, confirm):
        group.send(confirm)
        group.expect(msg.CONFIRM_LINK)
        group.send(msg.add_link(group.me, 2, mtu=0))
        got = group.expect(msg.ADD_LINK)
        check(got.flags == msg.REPLY | msg.ADD_REJECT, f"{got}")
        conn.take()
        yield conn, group


def _confirm_again(bench):
    """The answer to a server's CONFIRM LINK is late, and the server has
    repeated it. In a group with one link, first contact is complete after the
    first answer. The number of repetitions is limited."""
    with _group(bench, AsServerOfOne) as (conn, group, confirm):
        for _ in range(1 + CONFIRM_REPEATS):
            group.send(confirm)
        group.expect(msg.CONFIRM_LINK)
        conn.take()
        group.alive()
        echo(conn)
        group.send(confirm)
        # R-C.7.1-32
        group.violated(conn)


def _answered_twice(bench):
    """A request without an answer is repeated. The module repeats its request.
    We may answer each request, but an additional answer is an error."""
    no = msg.message(REQUEST, msg.REPLY, b"")
    with _connected(bench) as (conn, group), adapter(bench):
        asked = [group.poll(PATIENCE) for _ in range(2)]
        check(all(asked), "no request, or only one")
        while data := group.poll(1):    # the client may report a new adapter twice
            asked.append(data)
        check(asked == asked[:1] * len(asked) and asked[0][0] == REQUEST and
              not asked[0][3] and asked[0][AT_COUNT] == 2 and
              asked[0][AT_GIDS:] == GID + group.theirs.gid,
              f"{[one.hex() for one in asked]}")
        for _ in asked:
            group.send(no)
        group.alive()
        echo(conn)
        group.send(no)
        group.violated(conn)


def _delete_many(rkeys):
    """Returns DELETE RKEY of version 2, with all keys."""
    length = max(msg.LEN, DELETE_RKEY_HEAD + 4 * len(rkeys))
    return (struct.pack("<BHBB3x", msg.DELETE_RKEY | V2, length, 0, len(rkeys)) +
            b"".join(struct.pack(">I", rkey) for rkey in rkeys)).ljust(
                length, b"\0")


def _delete_answer(count, unknown):
    """Returns a reply to DELETE RKEY, with the number of unknown keys and no
    keys."""
    return msg.message(msg.DELETE_RKEY,
                       msg.REPLY | (msg.RKEY_NEGATIVE if unknown else 0),
                       bytes([count, unknown]))


def _delete_rkeys(bench):
    """DELETE RKEY contains more keys than fit into a message of version 1. The
    module deletes all of them, and counts the unknown keys."""
    with _connected(bench) as (conn, group):
        for count in (9, 60, 254):
            keys = [0x30000 + i for i in range(count)]
            announce(group, keys[1::2])
            group.send(_delete_many(keys))
            # R-A.3.7-03, R-A.3.7-05
            group.expect_bytes(_delete_answer(count, len(keys[0::2])))
            group.send(_delete_many(keys))
            group.expect_bytes(_delete_answer(count, count))
        echo(conn)
        # the count is higher by one than the number of keys
        group.send(_delete_many([1] * 10)[:msg.LEN])
        # R-A.3.7-01
        group.violated(conn)


def _offer(group):
    """Receives ADD LINK, and returns its first 44 bytes in version 1."""
    data = group.poll(verbs.TIMEOUT)
    check(data and data[0] == msg.ADD_LINK and len(data) >= ADD_HEAD,
          f"{data and data.hex()} is no ADD LINK")
    return msg.parse(bytes([msg.ADD_LINK, msg.LEN, 0]) + data[3:msg.LEN])


@contextlib.contextmanager
def _linked(bench):
    """Yields (connection, group, second link). The module is the server."""
    with address(), _group(bench, _AsClient, SERVER) as (conn, group, _):
        group.said = group.expect(msg.CONFIRM_LINK).data
        group.number = group.said[AT_NUMBER]
        group.send(group.confirm_link())
        second = _Second(group, _offer(group))
        second.accept()
        second.expect(msg.CONFIRM_LINK)
        second.confirm()
        conn.take()
        yield conn, group, second


def _asks_meanwhile(bench):
    """The client asks for a link while the server waits for the answer to
    DELETE LINK. The server refuses at once, and offers a link afterwards."""
    gids = bytes(16 * 2)
    asked = struct.pack("<BHB20xB3x", REQUEST, AT_GIDS + len(gids), 0, 2) + gids
    with _linked(bench) as (conn, group, second):
        group.send(msg.delete_link(second.number, msg.OPERATOR,
                                   msg.DELETE_ORDERLY))
        deleted(group, second.number, answer=False)
        group.send(asked)
        group.expect_bytes(msg.message(REQUEST, msg.REPLY, b""))
        group.send(msg.delete_link(second.number, 0, msg.REPLY))
        offer = _offer(group)
        group.send(msg.add_link(group.me, offer.data[31],
                                msg.REPLY | msg.ADD_REJECT))
        echo(conn)


def cases():
    yield Case("REQUEST ADD LINK during DELETE LINK", "", _asks_meanwhile)
    yield Case("CONFIRM LINK again, one link", "R-C.7-01, R-C.7.1-32",
               _confirm_again, expected={"LlcViolations": 1})
    yield Case("DELETE RKEY of more than 8", "R-A.3.7-01, R-A.3.7-03, R-A.3.7-05",
               _delete_rkeys, expected={"LlcViolations": 1}, limit=120)
    yield Case("REQUEST ADD LINK answered twice", "R-C.7.1-32", _answered_twice,
               expected={"LlcViolations": 1}, limit=120)
