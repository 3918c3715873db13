# SPDX-License-Identifier: GPL-2.0
"""Damages messages at random. Every handshake with damaged messages must end
exactly once, with any result."""

import errno
import random

from smctest import Failure, check, sockets, wire
from smctest.world import V4_NET, V6_NET, wait_until

MESSAGES_TO_LISTENER = 400
MESSAGES_TO_CONNECT = 200
BATCH = 20
ENDS = {0, errno.EPROTO, errno.ECONNRESET}


def _damaged(data):
    """Changes some bytes, removes some, inserts some, or cuts off the end."""
    data = bytearray(data)
    for _ in range(random.choice((0, 1, 1, 1, 2, 5))):
        data[random.randrange(len(data))] = random.randrange(256)
    at = random.randrange(len(data))
    kind = random.random()
    if kind < 0.08:
        del data[at:]
    elif kind < 0.12:
        del data[at:at + random.randrange(1, 9)]
    elif kind < 0.16:
        data[at:at] = random.randbytes(random.randrange(1, 9))
    if random.random() < 0.2:
        data += random.randbytes(random.randrange(100))
    return bytes(data)


def _for_listener(where):
    """Returns the first message of a client, before fuzzing damages it."""
    me = where.me()
    return random.choice((
        lambda: wire.proposal(me, V4_NET),
        lambda: wire.proposal(me, V4_NET, skip=bytes(40)),
        lambda: wire.proposal(me, prefixes=[V6_NET] * 8),
        lambda: wire.proposal(me.but(peer_id=where.victim_id), V4_NET),
        lambda: wire.linux_proposal(me, V4_NET, random.randrange(4)),
        wire.decline,
        lambda: wire.decline(version=2),
        lambda: wire.accept(me),
        lambda: wire.confirm(me)))()


def _for_connect(where):
    me = where.me()
    return random.choice((
        lambda: wire.accept(me),
        lambda: wire.accept(me, first=False),
        lambda: wire.accept(me.but(peer_id=where.victim_id)),
        lambda: wire.accept(me.but(peer_id=where.victim_id), first=False),
        wire.decline,
        lambda: wire.decline(version=2),
        lambda: wire.decline(wire.OUT_OF_SYNC, True),
        lambda: wire.proposal(me, V4_NET)))()


def _send(sock, data):
    """Sends all data in one or two pieces; the peer may have ended TCP."""
    at = random.choice((0, random.randrange(len(data) + 1)))
    try:
        for piece in filter(None, (data[:at], data[at:])):
            sock.sendall(piece)
    except (BrokenPipeError, ConnectionResetError):
        pass


def _hear(sock, seconds):
    """Returns the bytes that arrive within a time; b"" if none arrive or TCP
    has ended."""
    sock.settimeout(seconds)
    try:
        return sock.recv(1000)
    except (TimeoutError, ConnectionResetError):
        return b""


def _attack_listener(where):
    """Opens a batch of connections. Each client sends a message, and a second
    one if the victim sends an Accept."""
    socks = [where.dial() for _ in range(BATCH)]
    for sock in socks:
        _send(sock, _damaged(_for_listener(where)))
    for sock in socks:
        heard = _hear(sock, random.choice((0.001, 0.02)))
        if heard[4:5] == bytes([wire.ACCEPT]):
            _send(sock, _damaged(wire.confirm(where.me().but(
                peer_id=random.choice((where.victim_id, bytes(8)))))))
            _hear(sock, 0.001)
    for sock in socks:
        random.choice((sockets.reset, lambda sock: sock.close()))(sock)


def _attack_connect(where):
    """The victim makes a batch of connects; all must return."""
    victim = where.victim
    with sockets.option_listen(where.own) as listener:
        port = listener.getsockname()[1]
        numbers = [victim.connect(where.own, port) for _ in range(BATCH)]
        socks = [listener.accept()[0] for _ in numbers]
    for sock in socks:
        # a connect() that ends before its handshake begins does not count
        sock.settimeout(sockets.PATIENCE)
        sockets.expect(sock, wire.PROPOSAL)
        _send(sock, _damaged(_for_connect(where)))
    for sock in socks:
        _hear(sock, random.choice((0.001, 0.02)))
        sockets.reset(sock)
    for number in numbers:
        result = wait_until(lambda number=number: victim.outcome(number))
        check(result, "connect() does not come back")
        check(result[0] in ENDS, f"connect(): errno {result[0]}")
        victim.close(number)


def _ended(where, side):
    """Returns the numbers of finished, successful and accepted handshakes of
    that side."""
    stats = where.victim.stats()
    counts = [stats[side + word] for word in (
        "Handshakes", "Fallbacks", "HandshakeFailures")]
    return sum(counts), sum(counts[:2]), stats["Accepted"]


def _fuzz(where, side, messages, attack):
    """Runs in batches; after each batch, a decent client connects."""
    before = _ended(where, side)
    for _ in range(messages // BATCH):
        attack(where)
        where.good()
    served = messages // BATCH if side == "Server" else 0
    expected = before[0] + messages + served
    if not wait_until(lambda: _ended(where, side)[0] == expected, 20):
        raise Failure(f"{_ended(where, side)[0] - before[0]} handshakes have "
                      f"ended, not {messages + served}")
    after = _ended(where, side)
    if side == "Server":
        check(wait_until(lambda: _ended(where, side)[2] - before[2] ==
                         after[1] - before[1]), "accept() and counters differ")


def run(report, where, seed):
    report.note(f"seed {seed}")
    random.seed(seed)
    report.run(f"listener: {MESSAGES_TO_LISTENER} damaged messages (R-C.6-01)",
               90, _fuzz, where, "Server", MESSAGES_TO_LISTENER,
               _attack_listener)
    report.run(f"connect: {MESSAGES_TO_CONNECT} damaged messages (R-C.6-01)",
               90, _fuzz, where, "Client", MESSAGES_TO_CONNECT,
               _attack_connect)
