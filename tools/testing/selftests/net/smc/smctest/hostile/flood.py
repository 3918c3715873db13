# SPDX-License-Identifier: GPL-2.0
"""A flood of Proposals with invented peer IDs: measures the cost for the
victim, and checks that other clients are served."""

import contextlib
import select
import subprocess

from smctest import check, sockets, wire
from smctest.hostile.case import Case
from smctest.world import (CLIENT_IS_DECLINED, DECLINED_BY_CLIENT, DEVICE,
                              GOOD, PORT, V4_NET, add, moves, wait_until)

CAP = 6             # limit of first contacts of one address
FLOOD = 30
GIVEN_UP = 20       # seconds until a link that nobody confirms is given up
OTHER = "10.77.0.99"


def _queue_pairs(where):
    """Returns the queue pairs that SMC has on the victim."""
    text = where.victim.run("rdma", "resource", "show", "qp")[1]
    return sum(line.split()[-1] == "[smc]" for line in text.splitlines())


def _readable(socks):
    return select.select(socks, [], [], 0)[0]


@contextlib.contextmanager
def _flood(where):
    """Sends the Proposals of many peers from one address, and does not
    continue any handshake."""
    with contextlib.ExitStack() as stack:
        socks = []
        for _ in range(FLOOD):
            sock = stack.enter_context(where.dial())
            sock.sendall(where.proposal())
            socks.append(sock)
        yield socks


def _closing(address):
    """Does a TCP socket of this host have the address? TIME-WAIT sends
    nothing."""
    show = ("ss", "-Htn", "state", "connected", "exclude", "time-wait",
            "src", address)
    return subprocess.run(show, check=True, capture_output=True).stdout


@contextlib.contextmanager
def _other_address():
    """Gives this host a second address inside the block. Without the address,
    the last segments of a connection cannot be sent again, and the victim keeps
    its socket for minutes. So the address stays until TCP is done."""
    address = (OTHER + "/24", "dev", DEVICE)
    subprocess.run(("ip", "addr", "add", *address), check=True)
    try:
        yield
    finally:
        wait_until(lambda: not _closing(OTHER))
        subprocess.run(("ip", "addr", "del", *address), check=True)


def _dial_from(where, address):
    sock = sockets.option_socket(where.host)
    sock.settimeout(sockets.PATIENCE)
    sock.bind((address, 0))
    sock.connect((where.host, PORT))
    return sock


def _others_are_served(where):
    """Makes a first contact from another address, and connects a client that
    has a group."""
    with _other_address(), _dial_from(where, OTHER) as tcp:
        tcp.sendall(wire.proposal(where.me(), V4_NET))
        answer = sockets.expect(tcp, wire.ACCEPT)
        check(answer.flag, "no first contact")
        tcp.sendall(wire.decline())
        sockets.expect_echo(tcp)
    where.good()


def _of_one_address(where):
    """Checks that a Proposal above the limit waits. If it waits too long, the
    victim declines it, and the connection uses TCP."""
    where.good()            # the decent client has a group
    pairs = _queue_pairs(where)
    before = where.victim.stats()

    def count(name):
        return where.victim.stats()[name] - before[name]

    with where.sysctl("net.smc.first_max_source", CAP), _flood(where) as socks:
        check(wait_until(lambda: len(_readable(socks)) >= CAP and
                         count("ContactsWaited") >= FLOOD - CAP),
              f"{len(_readable(socks))} of {FLOOD} were answered, "
              f"{count('ContactsWaited')} wait")
        check(_queue_pairs(where) <= pairs + CAP,
              f"{_queue_pairs(where) - pairs} queue pairs")
        _others_are_served(where)
        # the victim gives up the handshakes that hang, and their places become
        # free
        most = 0

        def all_answered():
            nonlocal most
            most = max(most, _queue_pairs(where) - pairs)
            return len(_readable(socks)) == FLOOD

        check(wait_until(all_answered, 4 * sockets.PATIENCE),
              f"{len(_readable(socks))} of {FLOOD} were answered")
        check(most <= CAP + 1, f"{most} queue pairs")
        check(count("ContactsOverCap"), "nobody was declined")
        _all_on_tcp_or_gone(socks)
    # after this, each place is free again
    check(wait_until(lambda: _queue_pairs(where) <= pairs, 20),
          f"{_queue_pairs(where) - pairs} queue pairs are left")


def _all_on_tcp_or_gone(socks):
    """Checks that each handshake got either only an Accept, or a Decline and
    then TCP."""
    declined = 0
    for sock in socks:
        message = sockets.read_message(sock)
        if message.kind != wire.ACCEPT:
            check(message.kind == wire.DECLINE, f"{message}")
            sockets.expect_echo(sock)
            declined += 1
    check(declined, "nobody was declined")


def _calls(where, stack):
    """The victim connects to us many times, and each Accept names a new peer
    that nobody can reach."""
    calls = [stack.enter_context(where.called()) for _ in range(2 * CAP)]
    for call in calls:
        call.tcp.sendall(wire.accept(where.me()))
    return calls


def _as_client(where):
    """Checks that an Accept above the limit waits until the victim has given up
    earlier first contacts."""
    pairs = _queue_pairs(where)
    most = 0

    def all_answered(socks):
        nonlocal most
        most = max(most, _queue_pairs(where) - pairs)
        return len(_readable(socks)) == len(socks)

    with where.sysctl("net.smc.first_max_source", CAP), \
            contextlib.ExitStack() as stack:
        calls = _calls(where, stack)
        socks = [call.tcp for call in calls]
        check(wait_until(lambda: all_answered(socks), 2 * sockets.PATIENCE),
              f"{len(_readable(socks))} of {len(socks)} were answered")
        for call in calls:
            call.tcp.settimeout(GIVEN_UP)
            message = sockets.read_message(call.tcp)
            if message.kind == wire.CONFIRM:
                message = sockets.read_message(call.tcp)
            check(message.kind == wire.DECLINE, f"{message}")
            call.expect_tcp()
    check(CAP <= most <= CAP + 1, f"{most} queue pairs")


def _no_memory(where):
    """Checks that when the host has no memory left for elements, a Proposal
    does not create a group."""
    before = where.victim.stats()["GroupsCreated"]
    with where.sysctl("net.smc.mem", "1 2 3"), where.dial() as tcp:
        tcp.sendall(where.proposal())
        sockets.expect_decline(tcp, wire.MEMORY)
        sockets.expect_echo(tcp)
    check(where.victim.stats()["GroupsCreated"] == before, "a group was made")


def _again(where):
    """Checks that no place is lost: the same number of handshakes gets places
    again."""
    with where.sysctl("net.smc.first_max_source", CAP), \
            contextlib.ExitStack() as stack:
        for _ in range(CAP):
            stack.enter_context(where.accepted())


def cases():
    # the number of Declines depends on which side is faster
    some = range(0, FLOOD + 1)
    over = {"ServerHandshakeFailures": some, "ClcTimeouts": some,
            "DeclinesSent": some, "ServerFallbacks": some, "Accepted": some}
    yield Case(f"flood: {FLOOD} first contacts of one address", "",
               _of_one_address, add(over, GOOD, GOOD, DECLINED_BY_CLIENT), 90)
    yield Case(f"flood: {2 * CAP} Accepts of a server's new groups", "",
               _as_client, moves(*["DeclinesSent", "ClientFallbacks"] *
                                 2 * CAP), 90)
    yield Case("no memory: no group", "", _no_memory, CLIENT_IS_DECLINED)
    yield Case("flood: places are free after it", "", _again,
               moves(*["ServerHandshakeFailures"] * CAP))
