# SPDX-License-Identifier: GPL-2.0
"""Tests listeners that start and close under attack, and checks that no
resources are left at the end."""

import contextlib
import random
import select
import socket
import subprocess
import threading
import time

from smctest import check, diag, sockets, wire
from smctest.hostile.case import Case
from smctest.world import LOST_BY_CLIENT, add, moves, wait_until

SPARE_PORT = 7003
CHURN_SECONDS = 5
CHURN_THREADS = 4


def _decent(where, port):
    sock = sockets.smc_socket(where.host)
    sockets.smc_connect(sock, where.host, port)
    sock.settimeout(sockets.PATIENCE)
    return sock


def _listener_closed(where):
    """A listener closes while its connections are at all stages of the
    handshake: each peer gets a reset."""
    victim = where.victim
    listener = victim.listen(where.host, SPARE_PORT, 64, False)
    before = victim.stats()["ServerHandshakes"]
    with contextlib.ExitStack() as stack:
        socks = [where.dial(port=SPARE_PORT) for _ in range(5)]
        socks[1].sendall(where.proposal())
        sockets.expect(socks[1], wire.ACCEPT)
        socks[2].sendall(where.proposal()[:20])
        socks[3].sendall(wire.decline())
        socks += [_decent(where, SPARE_PORT) for _ in range(2)]
        socks.append(socket.create_connection((where.host, SPARE_PORT), 5))
        for sock in socks:
            stack.enter_context(sock)
        check(wait_until(lambda: len(where.sockets_of(SPARE_PORT)) == 8),
              f"{where.sockets_of(SPARE_PORT)}")
        # connect() returns before the server has handled the Confirm
        wait_until(lambda: victim.stats()["ServerHandshakes"] >= before + 2)
        victim.unlisten(listener)
        for sock in socks:
            sockets.expect_gone(sock)
    check(wait_until(lambda: not where.sockets_of(SPARE_PORT)),
          "children are left")


def _backlog(where):
    """While the accept queue of the AF_SMC listener is full, the SYN-ACK
    carries no SMC option. A connection that arrives then is plain TCP, and
    waits in the accept queue of the hidden TCP socket."""
    victim = where.victim
    listener = victim.listen(where.host, SPARE_PORT, 2, False)
    before = victim.stats()
    socks = [_decent(where, SPARE_PORT) for _ in range(3)]
    # connect() returns before the server has put its end of the connection into
    # the queue.
    wait_until(lambda: victim.stats()["ServerHandshakes"] >=
               before["ServerHandshakes"] + 3)
    socks += [_decent(where, SPARE_PORT) for _ in range(2)]
    held = victim.stats()["ServerFallbacks"] == before["ServerFallbacks"]
    for _ in socks:
        victim.accept(listener)
    for sock in socks:
        sock.close()
    victim.unlisten(listener)
    check(held, "a connection does not wait for accept()")


# -- churn ---------------------------------------------------------------

def _hostile_once(where):
    with where.dial(port=SPARE_PORT) as tcp:
        tcp.settimeout(0.2)
        tcp.sendall(random.choice((
            b"", b"x" * 10, wire.decline(), where.proposal(),
            where.proposal()[:20])))
        if random.random() < 0.5:
            tcp.recv(10)


def _plain_once(where):
    with socket.create_connection((where.host, SPARE_PORT), 1) as tcp:
        tcp.sendall(b"hi")
        tcp.recv(2)


def _abandoned_once(where):
    with sockets.smc_socket(where.host) as sock:
        sock.setblocking(False)
        try:
            sockets.smc_connect(sock, where.host, SPARE_PORT)
        except BlockingIOError:
            pass
        select.select([], [sock], [], random.uniform(0, 0.01))


def _decent_once(where):
    with _decent(where, SPARE_PORT) as sock:
        sock.settimeout(2)
        sock.sendall(b"hi")
        return sock.recv(2) == b"hi"


def _churn(report, where):
    """Clients of all kinds connect to a listener that closes and opens again.
    Meanwhile both hosts list their sockets."""
    served = []
    until = time.monotonic() + CHURN_SECONDS

    def clients():
        kinds = (_hostile_once, _plain_once, _abandoned_once, _decent_once,
                 _decent_once)
        while time.monotonic() < until:
            try:
                if random.choice(kinds)(where):
                    served.append(1)
            except OSError:
                pass

    where.victim.churn(where.host, SPARE_PORT, CHURN_SECONDS)
    threads = [threading.Thread(target=clients, daemon=True)
               for _ in range(CHURN_THREADS)]
    for thread in threads:
        thread.start()
    listed = 0
    while time.monotonic() < until:
        listed += len(where.victim.sockets()) + len(diag.sockets())
    check(listed, "no socket was listed")
    for thread in threads:
        thread.join(max(0, until - time.monotonic()) + 15)
    check(not any(thread.is_alive() for thread in threads), "a client hangs")
    report.note(f"{len(served)} decent clients served")
    check(served, "nobody was served")
    where.good()


# -- what is left --------------------------------------------------------

def _sockets_left(where):
    """Checks that the victim has only the sockets of its services, and this
    host has no sockets."""
    def left():
        theirs = [s for s in where.victim.sockets()
                  if s["state"] != diag.STATE_LISTEN]
        return theirs + diag.sockets()

    check(wait_until(lambda: not left(), 20), f"left: {left()}")

    def left_tcp():
        return [sock for sock in where.victim.tcp_sockets()
                if sock[1:] not in where.old_tcp]

    # If the acknowledgement of a FIN was lost, TCP sends the FIN again, in
    # longer and longer intervals.
    check(wait_until(lambda: not left_tcp(), 40),
          f"TCP sockets left: {left_tcp()}: {_both_views(where, left_tcp())}")


def _both_views(where, socks):
    """Returns what both hosts know of the victim's TCP sockets: timers, numbers
    of retransmissions, bytes without acknowledgement."""
    show = ("ss", "-tnaoie")
    own = subprocess.run(show, check=False, capture_output=True,
                         encoding="utf-8").stdout
    found = []
    for host, text in (("victim", where.victim.run(*show)[1]), ("peer", own)):
        # Each socket has a second line, which begins with a tab.
        lines = text.replace("\n\t", " ").splitlines()
        found += [f"{host}: {' '.join(line.split())}" for line in lines
                  if any(f":{sock[2]} " in line for sock in socks)]
    return "; ".join(found)


def _queue_pairs(text):
    """Returns (own number, peer's number) of each queue pair of SMC."""
    return {(int(words[words.index("lqpn") + 1]),
             int(words[words.index("rqpn") + 1]))
            for words in map(str.split, text.splitlines())
            if words[-1] == "[smc]"}


def _groups_left(where):
    """Checks that each queue pair of the victim has its partner on this host:
    none belongs to a peer that a test has invented."""
    show = ("rdma", "resource", "show", "qp")

    def strangers():
        theirs = _queue_pairs(where.victim.run(*show)[1])
        ours = _queue_pairs(subprocess.run(
            show, check=True, capture_output=True, encoding="utf-8").stdout)
        return [pair for pair in theirs if pair[::-1] not in ours], len(theirs)

    def live():
        stats = where.victim.stats()
        return stats["GroupsCreated"] - stats["GroupsEnded"]

    wait_until(lambda: not strangers()[0])
    left, pairs = strangers()
    check(pairs, "no queue pair at all")
    check(not left, f"queue pairs of strangers: {left}")
    # The victim may have a group with itself, which has two queue pairs.
    check(wait_until(lambda: live() <= pairs + 2),
          f"{live()} groups, {pairs} queue pairs")


def cases():
    yield Case("backlog: TCP while the accept queue is full", "", _backlog,
               moves(*["ServerHandshakes"] * 3, *["ServerFallbacks"] * 2,
                     *["HandshakesOverCap"] * 2))
    # Three clients fail because their handshake never ends, and one client has
    # declined.
    yield Case("listener: closed with children at every stage", "",
               _listener_closed, add(
                   *[LOST_BY_CLIENT] * 4, moves(
                       "DeclinesReceived", *["ServerFallbacks"] * 2,
                       *["ServerHandshakes"] * 2)))


def run(report, where):
    report.run(f"listener: {CHURN_SECONDS} s of churn", 60, _churn, report,
               where)
    report.run("left: no socket", 80, _sockets_left, where)
    report.run("left: no group and no queue pair of a stranger", 40,
               _groups_left, where)
