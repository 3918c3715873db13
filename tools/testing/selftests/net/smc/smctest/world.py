# SPDX-License-Identifier: GPL-2.0
"""Objects that all tests share: both hosts, identities, expectations."""

import contextlib
import fcntl
import itertools
import os
import socket
import struct
import time

from smctest import Failure, check, diag, polls, sockets, ueid, wire

PORT = 7000             # the victim's echo service, IPv4
PORT6 = 7001            # the echo service, IPv6 and IPv4
DEVICE = "eth0"
V4_NET, V4_OTHER = "10.77.0.0/24", "10.78.0.0/24"
V6_NET = "fd77::/64"
SIOCGIFHWADDR = 0x8927

# Counters that must change as expected and not otherwise.
TRACKED = (
    "ClientHandshakes", "ServerHandshakes", "ClientFallbacks",
    "ServerFallbacks", "ClientHandshakeFailures", "ServerHandshakeFailures",
    "HandshakesOverCap", "ClcMalformed", "ClcTimeouts",
    "DeclinesSent", "DeclinesReceived", "LlcViolations",
    "CdcViolations", "CdcUnknownToken", "Accepted")

GOOD = {"ServerHandshakes": 1, "Accepted": 1}


def moves(*names):
    """Returns a count of 1 for each name."""
    out = {}
    for name in names:
        out[name] = out.get(name, 0) + 1
    return out


def _sum(known, value):
    """Compares amounts; one of them may be a range."""
    if isinstance(known, range):
        known, value = value, known
    if isinstance(value, range):
        return range(known + value.start, known + value.stop)
    return known + value


def add(*counts):
    out = {}
    for count in counts:
        for name, value in count.items():
            out[name] = _sum(out.get(name, 0), value)
    return out


# The expected changes of the victim's counters for each result of a handshake.
MALFORMED_BY_CLIENT = moves("ClcMalformed", "ServerHandshakeFailures")
LOST_BY_CLIENT = moves("ServerHandshakeFailures")
DECLINED_BY_CLIENT = moves("DeclinesReceived", "ServerFallbacks", "Accepted")
CLIENT_IS_DECLINED = moves("DeclinesSent", "ServerFallbacks", "Accepted")
PLAIN_CLIENT = moves("ServerFallbacks", "Accepted")
MUTE_CLIENT = moves("ClcTimeouts", "ServerHandshakeFailures")
MALFORMED_BY_SERVER = moves("ClcMalformed", "ClientHandshakeFailures")
LOST_BY_SERVER = moves("ClientHandshakeFailures")
DECLINED_BY_SERVER = moves("DeclinesReceived", "ClientFallbacks")
SERVER_IS_DECLINED = moves("DeclinesSent", "ClientFallbacks")
MUTE_SERVER = moves("ClcTimeouts", "ClientHandshakeFailures")


def own_mac(device=DEVICE):
    request = struct.pack("16s240x", device.encode())
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        return fcntl.ioctl(sock, SIOCGIFHWADDR, request)[18:24]


def wait_until(condition, seconds=sockets.PATIENCE):
    """Polls the condition; returns its last value."""
    for _ in polls(seconds, first=0.01, most=0.1):
        if value := condition():
            break
    return value


def _is_amount(number, expected):
    if isinstance(expected, range):
        return number in expected
    return number == expected


class World:
    """The hostile host, and what it knows about the victim."""

    decent = True       # this host has SMC sockets, too

    def __init__(self, victim, victim_host, own_host):
        self.victim = victim
        self.host = victim_host         # 10.77.0.1
        self.own = own_host             # 10.77.0.2
        self.host6, self.own6 = "fd77::1", "fd77::2"
        self.mac = own_mac()
        self.gid = bytes(10) + b"\xff\xff" + socket.inet_aton(own_host)
        self.gid6 = socket.inet_pton(socket.AF_INET6, self.own6)
        self.stalled = None             # closes connections that stay silent
        self._numbers = itertools.count(int.from_bytes(os.urandom(2), "big"))
        # Waits for connections of earlier programs, because TCP repeats a lost
        # FIN for minutes.
        self.old_tcp = [sock[1:] for sock in victim.tcp_sockets()]
        victim.ueids([])                # version 1, except for its own part
        if self.decent:
            ueid.replace([])
        victim.listen("0.0.0.0", PORT)
        victim.listen("::", PORT6)
        self.victim_id = self._learn_victim_id()

    # -- identities ------------------------------------------------------

    def me(self):
        """Returns a peer that the victim has never met, on this
        host's RNIC."""
        number = next(self._numbers) & 0xffff
        # The peer ID is not made from our MAC, because this host's own SMC has
        # such a peer ID.
        peer_id = (wire.be16(number) + self.mac[:5] +
                   bytes([self.mac[5] ^ 0x80]))
        return wire.Offer(peer_id=peer_id, gid=self.gid, mac=self.mac)

    def proposal(self, **changes):
        """Returns a Proposal that the victim must accept."""
        return wire.proposal(self.me(), V4_NET, **changes)

    def _learn_victim_id(self):
        with self.called() as call:
            peer_id = call.proposal.peer_id
            call.tcp.sendall(wire.decline())
            call.expect_errno(0)
        return peer_id

    # -- we are the client -----------------------------------------------

    def dial(self, host=None, port=None):
        """Opens a TCP connection with the option to the victim's service."""
        host = host or self.host
        sock = sockets.option_socket(host)
        sock.settimeout(sockets.PATIENCE)
        sock.connect((host, port or (PORT6 if sockets.is_v6(host) else PORT)))
        return sock

    @contextlib.contextmanager
    def accepted(self, me=None):
        """Makes a first contact up to the Accept. Yields (connection, own
        offer, Accept)."""
        me = me or self.me()
        with self.dial() as tcp:
            tcp.sendall(wire.proposal(me, V4_NET))
            yield tcp, me, sockets.expect(tcp, wire.ACCEPT)

    def good(self, host=None, port=None):
        """Opens a connection of a decent client. Returns the seconds of its
        connect()."""
        host = host or self.host
        port = port or (PORT6 if sockets.is_v6(host) else PORT)
        with sockets.smc_socket(host) as sock:
            start = time.perf_counter()
            sockets.smc_connect(sock, host, port)
            seconds = time.perf_counter() - start
            sock.settimeout(sockets.PATIENCE)
            sockets.expect_echo(sock, b"good?")
        return seconds

    # -- we are the server -----------------------------------------------

    @contextlib.contextmanager
    def called(self, host=None, read=True, cork=False, port=0, version=1):
        """The victim connects to us; with read, the method reads the
        Proposal."""
        call = Call(self.victim, (host or self.own, port), cork)
        try:
            call.answer(read, version)
            yield call
        finally:
            call.end()

    # -- counters --------------------------------------------------------

    @contextlib.contextmanager
    def counting(self, expected):
        """Checks that the block changes the tracked counters by these amounts.

        An amount is a number, or a range if it depends on which side is
        faster.
        """
        before = self.victim.stats()
        yield

        def wrong():
            now = self.victim.stats()
            diff = {name: now[name] - before[name] for name in TRACKED}
            return {name: f"{diff[name]}, not {expected.get(name, 0)}"
                    for name in TRACKED
                    if not _is_amount(diff[name], expected.get(name, 0))}

        wait_until(lambda: not wrong())
        left = wrong()
        check(not left, f"counters: {left}")

    def sysctl(self, name, value):
        """Inside the block of the with statement, the victim's sysctl has this
        value."""
        @contextlib.contextmanager
        def changed():
            old = self.victim.sysctl(name, value)
            try:
                yield
            finally:
                self.victim.sysctl(name, old)
        return changed()

    @contextlib.contextmanager
    def version2(self):
        """Lets the victim and the decent clients also use version 2 inside the
        block."""
        self.victim.ueids([ueid.DEFAULT])
        ueid.replace([ueid.DEFAULT])
        try:
            yield
        finally:
            self.victim.ueids([])
            ueid.replace([])

    def sockets_of(self, port):
        """Returns the victim's SMC sockets with this local port, without
        listeners."""
        return [sock for sock in self.victim.sockets() if
                sock["sport"] == port and sock["state"] != diag.STATE_LISTEN]


class Call:
    """Yields a connect() of the victim, and our end of its TCP connection."""

    def __init__(self, victim, address, cork):
        self.victim = victim
        self.listener = sockets.option_listen(*address)
        self.port = self.listener.getsockname()[1]
        self.number = victim.connect(address[0], self.port, cork)
        self.tcp = None
        self.proposal = None

    def answer(self, read, version):
        self.tcp, _ = self.listener.accept()
        self.tcp.settimeout(sockets.PATIENCE)
        if read:
            self.proposal = sockets.expect(self.tcp, wire.PROPOSAL,
                                           version)

    def expect_errno(self, code, limit=sockets.PATIENCE):
        """Checks the result of connect(); returns the seconds that it took."""
        result = wait_until(lambda: self.victim.outcome(self.number), limit)
        check(result, f"connect() still runs after {limit} s")
        check(result[0] == code, f"connect(): errno {result[0]}, not {code}")
        return result[1]

    def expect_tcp(self, data=b""):
        """Checks that connect() has succeeded, data has arrived, and both
        directions are open."""
        self.expect_errno(0)
        for text in filter(None, (data, b"down")):
            if text != data:
                self.tcp.sendall(text)
            got = self.victim.recv(self.number, len(text))
            check(got == text.hex(), f"the application got {got}")
        self.victim.send(self.number, b"up".hex())
        got = sockets.read(self.tcp, 2)
        check(got == b"up", f"{got!r} came up")

    def socket_info(self):
        """Returns the victim's socket in its list."""
        found = [sock for sock in self.victim.sockets()
                 if sock["dport"] == self.port]
        if len(found) != 1:
            raise Failure(f"{len(found)} sockets to port {self.port}")
        return found[0]

    def end(self):
        self.listener.close()
        if self.tcp:
            self.tcp.close()
        self.victim.close(self.number)
