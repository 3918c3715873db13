# SPDX-License-Identifier: GPL-2.0
"""The application on host a, which uses the module under test. The scripted
peer controls the sockets of the application, with one request at a time."""

import contextlib
import fcntl
import os
import select
import signal
import socket
import struct
import threading
import time

from smctest import sockets, victim
from smctest.conformance.trap import Trap
from smctest.netlink import genl

SIOCATMARK, SIOCOUTQ = 0x8905, 0x5411
# netlink family SMC_GEN_NETLINK
CMD_GROUPS, CMD_END, A_GROUP, A_ID, A_TYPE, A_END = 2, 128, 2, 1, 3, 1
CMD_LINKS, A_LINK, A_EXT, A_EXT_VERSION, A_EXT_CAPS = 3, 3, 24, 1, 2
GROUP_TYPES = ("none", "single", "symmetric", "asymmetric-peer",
               "asymmetric-local")


class Accepted:     # pylint: disable=too-few-public-methods
    """A connection taken from a listener."""

    def __init__(self, sock):
        self.sock = sock


def _sized(sock, rcvbuf, sndbuf):
    for name, value in ((socket.SO_RCVBUF, rcvbuf),
                        (socket.SO_SNDBUF, sndbuf)):
        if value:
            sock.setsockopt(socket.SOL_SOCKET, name, value)


class App(victim.Victim):
    """self.outgoing contains all connections, whichever side began them."""

    def __init__(self):
        super().__init__()
        self.signals = 0
        self.trap = self.stuck = self.sleeper = None
        self.slept = []

    # -- begin -----------------------------------------------------------

    def offer(self, host, port, rcvbuf=0, sndbuf=0):
        """Opens a listener; the application accepts connections one by one."""
        sock = sockets.smc_listen(host, port, 64)
        _sized(sock, rcvbuf, sndbuf)
        return self._new(self.listeners, sock)

    def unlisten_all(self):
        for listener in list(self.listeners):
            self.unlisten(listener)

    def take(self, listener, seconds=5):
        """Calls accept(). Returns the connection's number, or None."""
        sock = self.listeners[listener]
        if not select.select([sock], [], [], seconds)[0]:
            return None
        return self._new(self.outgoing, Accepted(sockets.smc_accept(sock)))

    # pylint: disable-next=too-many-arguments
    def dial(self, host, port, rcvbuf=0, sndbuf=0, options=()):
        """Calls connect() in a thread; see outcome()."""
        out = victim.Outgoing(host, port)
        _sized(out.sock, rcvbuf, sndbuf)
        for option in options:
            out.sock.setsockopt(*option)
        threading.Thread(target=out.run, daemon=True).start()
        return self._new(self.outgoing, out)

    def dial_again(self, number, host, port):
        """As dial(), on a socket whose connect() has failed."""
        out = self.outgoing[number]
        out.address, out.error = (host, port), None
        threading.Thread(target=out.run, daemon=True).start()

    # -- data ------------------------------------------------------------

    def write(self, number, data, flags=0):
        """Calls send() without waiting. Returns the number of bytes that
        send() accepted, or -errno."""
        sock = self.outgoing[number].sock
        try:
            return sock.send(bytes.fromhex(data),
                             flags | socket.MSG_DONTWAIT)
        except OSError as err:
            return -err.errno

    def trickle(self, number, count):
        """Makes a number of send() calls with one byte each, in parallel to
        other requests."""
        sock = self.outgoing[number].sock
        sock.settimeout(60)

        def run():
            for _ in range(count):
                sock.send(b"x")

        threading.Thread(target=run, daemon=True).start()

    def read(self, number, length, seconds=5, flags=0):
        """Calls recv() for available or arriving bytes. Returns hex, or
        -errno."""
        sock = self.outgoing[number].sock
        sock.settimeout(seconds)
        try:
            return sock.recv(length, flags).hex()
        except TimeoutError:
            return -11
        except OSError as err:
            return -err.errno

    def read_begins(self, number, length):
        """Calls a recv() that sleeps in the kernel, in parallel to other
        requests."""
        sock = self.outgoing[number].sock
        sock.settimeout(None)
        self.slept = []

        def run():
            try:
                self.slept.append(sock.recv(length).hex())
            except OSError as err:
                self.slept.append(-err.errno)

        self.sleeper = threading.Thread(target=run, daemon=True)
        self.sleeper.start()

    def read_ends(self, seconds=30):
        """Returns the result of this recv(), or None while it sleeps."""
        self.sleeper.join(seconds)
        return self.slept[0] if self.slept else None

    def read_all(self, number, length, seconds=30):
        """Calls recv() in a loop until all bytes have arrived. Python's
        timeouts make a socket non-blocking, so MSG_WAITALL has no effect."""
        deadline, got = time.monotonic() + seconds, ""
        while len(got) < 2 * length:
            more = self.read(number, length - len(got) // 2,
                             max(deadline - time.monotonic(), 0.001))
            if not isinstance(more, str):
                return got or more
            if not more:
                break
            got += more
        return got

    def stick(self, number):
        """Calls recv() for a page that does not exist; the call waits in the
        middle of the copy until unstick(). Returns false if this kernel cannot
        do that."""
        try:
            self.trap = Trap()
        except OSError:
            return False
        sock = self.outgoing[number].sock
        sock.settimeout(None)
        self.stuck = threading.Thread(target=self._stuck, args=(sock,),
                                      daemon=True)
        self.stuck.start()
        return self.trap.sprung(10)

    def _stuck(self, sock):
        with contextlib.suppress(ConnectionResetError):
            sock.recv_into(self.trap.page)

    def unstick(self):
        self.trap.open()
        self.stuck.join()

    def inline(self, number):
        self.outgoing[number].sock.setsockopt(
            socket.SOL_SOCKET, socket.SO_OOBINLINE, 1)

    def at_mark(self, number):
        return self._asked(number, SIOCATMARK)

    def queued(self, number):
        """Returns the number of bytes that the kernel does not know to be
        delivered."""
        return self._asked(number, SIOCOUTQ)

    def _asked(self, number, what):
        answer = fcntl.ioctl(self.outgoing[number].sock, what,
                             struct.pack("i", 0))
        return struct.unpack("i", answer)[0]

    def events(self, number, seconds=0):
        """Calls poll(). Returns events that are pending or arrive."""
        poll = select.poll()
        poll.register(self.outgoing[number].sock,
                      select.POLLIN | select.POLLOUT | select.POLLPRI |
                      select.POLLRDHUP)
        found = poll.poll(1000 * seconds)
        return found[0][1] if found else 0

    def options(self, number, wanted):
        """Sets each [level, name, value]; returns the options that have a
        different value afterwards."""
        sock = self.outgoing[number].sock
        for level, name, value in wanted:
            sock.setsockopt(level, name, value)
        return [[level, name, sock.getsockopt(level, name)]
                for level, name, value in wanted
                if sock.getsockopt(level, name) != value]

    def watch(self, number):
        """Begins to count SIGURG for this socket."""
        fcntl.fcntl(self.outgoing[number].sock, fcntl.F_SETOWN, os.getpid())
        signal.signal(signal.SIGURG, self._signalled)
        self.signals = 0

    def _signalled(self, _number, _frame):
        self.signals += 1

    def signalled(self):
        return self.signals

    def urgent(self, number, seconds=5):
        """Waits for the exceptional condition only."""
        poll = select.poll()
        poll.register(self.outgoing[number].sock, select.POLLPRI)
        return bool(poll.poll(1000 * seconds))

    # -- end -------------------------------------------------------------

    def shut(self, number, how):
        self.outgoing[number].sock.shutdown(how)

    def abort(self, number):
        """Closes the socket with SO_LINGER and time 0."""
        sockets.reset(self.outgoing.pop(number).sock)

    def error(self, number):
        return self.so_error(number)

    # -- telling ---------------------------------------------------------

    @staticmethod
    def _groups(link):
        """Returns the attributes of each link group."""
        found = link.request(link.family("SMC_GEN_NETLINK"), genl.NLM_F_DUMP,
                             struct.pack("=BBH", CMD_GROUPS, 1, 0))
        for _, _, body in found:
            outer = {kind: value for kind, _, value in
                     genl.attributes(body[4:])}
            yield {kind: value for kind, _, value in
                   genl.attributes(outer[A_GROUP])}

    def groups(self):
        """Returns the kinds of all link groups, sorted."""
        link = genl.Link()
        kinds = [GROUP_TYPES[group[A_TYPE][0]] for group in self._groups(link)]
        link.close()
        return sorted(kinds)

    def group_ids(self):
        """Returns the IDs of all link groups, in hexadecimal."""
        link = genl.Link()
        numbers = [group[A_ID].hex() for group in self._groups(link)]
        link.close()
        return numbers

    @staticmethod
    def extensions():
        """Returns [version, capabilities] of the extension of each group that
        has one, and of each link, sorted."""
        link = genl.Link()
        groups, links = [], []
        for _, _, body in link.request(link.family("SMC_GEN_NETLINK"),
                                       genl.NLM_F_DUMP,
                                       struct.pack("=BBH", CMD_LINKS, 1, 0)):
            for outer, _, value in genl.attributes(body[4:]):
                found = {kind: inner for kind, _, inner in
                         genl.attributes(value)}.get(A_EXT)
                if found:
                    ext = {kind: inner for kind, _, inner in
                           genl.attributes(found)}
                    (groups if outer == A_GROUP else links).append(
                        [ext[A_EXT_VERSION][0], ext[A_EXT_CAPS][0]])
        link.close()
        return [sorted(groups), sorted(links)]

    @staticmethod
    def end_group(number):
        """Ends the link group with this ID, as an operator does."""
        link = genl.Link()
        link.request(link.family("SMC_GEN_NETLINK"), genl.NLM_F_ACK,
                     struct.pack("=BBH", CMD_END, 1, 0) +
                     genl.attribute(A_END, bytes.fromhex(number)))
        link.close()

    @staticmethod
    def note(text):
        """Writes a mark into the kernel's log, before the lines of the next
        test."""
        with open("/dev/kmsg", "w", encoding="ascii") as log:
            log.write(f"conformance: {text}\n")
        return os.getpid()
