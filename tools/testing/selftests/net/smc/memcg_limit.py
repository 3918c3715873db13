#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""A memory cgroup at its limit: one container opens connections until SMC has no
memory for another one. Then it gets TCP or ENOMEM, and the connections of another
container lose nothing. Their rates are printed.

If the container also fills its connections with data, the kernel may kill the
container before that. The same happens with plain TCP, which the test tries
for comparison: at the limit, even a small charge makes the kernel kill.

memcg.sh tests which cgroup is charged.
"""
# kernels: 6.12 6.1
# deep: 6.1
# timeout: 900

import contextlib
import errno
import itertools
import mmap
import os
import select
import signal
import socket
import struct
import sys
import threading
import time

from smctest import cgroups, diag, ktap, sockets
from smctest.ktap import case, check
from smctest.victim import Victim

HOST = "127.0.0.1"
LIMIT = 48 << 20    # bytes of the container
ELEMENT = 256 << 10
MOST = 400          # connections; far more than fit
TRIES = 3
LOOK = 4            # connections between two looks at their modes
QUEUE = 64 << 10    # bytes that are sent on each connection
NO_MEMORY = 0x01010000      # reason of a Decline
LARGE = 64 << 20    # bytes of one send()
NEIGHBOURS = 4      # connections of the other container
SECONDS = 2         # for a rate
PATIENCE = 150      # seconds; a busy machine leaves a host little time
PORTS = itertools.count(7720)
EXTENSION = "net.smc.extension"
ROOT = None         # where the cgroups are mounted


# -- cgroups ---------------------------------------------------------------

def attribute(group, name):
    return os.path.join(ROOT, group, name)


def read(group, name):
    with open(attribute(group, name), encoding="ascii") as file:
        return file.read()


def write(group, name, value):
    with open(attribute(group, name), "w", encoding="ascii") as file:
        file.write(str(value))


def number(group, name, key):
    """Returns a value of a file of keys and values."""
    return int(dict(line.split() for line in
                    read(group, name).splitlines())[key])


@contextlib.contextmanager
def cgroup(name, limit="max"):
    os.mkdir(os.path.join(ROOT, name))
    write(name, "memory.max", limit)
    try:
        yield name
    finally:
        wait_until(lambda: "populated 0" in read(name, "cgroup.events"))
        os.rmdir(os.path.join(ROOT, name))


def wait_until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        check(time.monotonic() < end, f"not after {PATIENCE} s")
        time.sleep(0.1)


# -- connections -----------------------------------------------------------

class Tcp:
    """Plain TCP."""

    def __init__(self, _port):
        self.listener = socket.create_server((HOST, 0), backlog=64)

    def pair(self):
        """Returns both ends of a new connection."""
        client = socket.create_connection(self.listener.getsockname())
        return client, self.listener.accept()[0]


class Smc:
    """AF_SMC, which may fall back."""

    def __init__(self, port):
        self.port = port
        self.listener = sockets.smc_listen(HOST, self.port, 64)

    def pair(self):
        client = sockets.smc_socket(HOST)
        sockets.smc_connect(client, HOST, self.port)
        return client, sockets.smc_accept(self.listener)


@contextlib.contextmanager
def elements():
    """Each new connection has an element, as with peers that do not have the
    extension. By reference, memory is only charged for bytes."""
    before = Victim.sysctl(EXTENSION, 0)
    try:
        yield
    finally:
        Victim.sysctl(EXTENSION, before)


def fill(sock):
    """Sends as many bytes as fit, within a limit."""
    sock.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        sent = 0
        while sent < QUEUE:
            sent += sock.send(bytes(QUEUE - sent))


def on_tcp(port):
    """Returns the reasons of connections of a listener that are on TCP."""
    return [(one["reason"], one["peer_reason"]) for one in diag.sockets()
            if one["mode"] == "tcp" and one["dport"] == port]


# -- processes -------------------------------------------------------------

class Child:
    """A process in a cgroup, which calls a function with a shared array of
    numbers."""

    def __init__(self, group, function, *args):
        self.numbers = mmap.mmap(-1, mmap.PAGESIZE)
        self.said, out = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(out)
            return
        status = 1
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            write(group, "cgroup.procs", os.getpid())
            function(self, *args)
            status = 0
        except BaseException as err:    # pylint: disable=broad-except
            os.write(out, repr(err).encode())
        finally:
            os._exit(status)

    def set(self, index, value):
        struct.pack_into("=Q", self.numbers, 8 * index, value)

    def get(self, index):
        return struct.unpack_from("=Q", self.numbers, 8 * index)[0]

    def runs(self):
        """Fails if the process has ended by itself. Returns false if it was
        killed."""
        if not self.pid:
            return False
        ended, status = os.waitpid(self.pid, os.WNOHANG)
        if ended:
            self.pid = None
            if status == signal.SIGKILL:
                return False
            said = os.read(self.said, 4096).decode()
            raise ktap.Failure(f"a process ended, status {status}: {said}")
        return True

    def end(self):
        if self.pid:
            os.kill(self.pid, signal.SIGTERM)
            os.waitpid(self.pid, 0)
        os.close(self.said)
        self.numbers.close()


EXCHANGES, = range(1)
OPEN, REFUSED, DONE = range(3)


def neighbour(child, port):
    """Exchanges messages for ever, and checks them."""
    family = Smc(port)
    pairs = [family.pair() for _ in range(NEIGHBOURS)]
    check(not on_tcp(family.port), "the neighbour is on TCP")
    for turn in itertools.count(1):
        for index, (client, server) in enumerate(pairs):
            message = b"%08d.%d" % (turn, index)
            for source, sink in ((client, server), (server, client)):
                source.sendall(message)
                check(sockets.read(sink, len(message)) == message,
                      "not what was sent")
        child.set(EXCHANGES, turn * NEIGHBOURS)


def crowd(child, kind, port, data):
    """Opens connections until one is refused, and keeps them."""
    family = kind(port)
    pairs = []
    refused = errors = 0
    while len(pairs) < MOST and not refused and not errors:
        try:
            pairs.append(family.pair())
            for sock in pairs[-1] if data else ():
                fill(sock)
        except OSError as err:
            if err.errno not in (errno.ENOMEM, errno.ENOBUFS):
                raise
            errors += 1
        # to list all sockets takes time
        if kind is Smc and len(pairs) % LOOK == 0:
            reasons = on_tcp(family.port)
            refused = len(reasons)
            check(all(NO_MEMORY in pair for pair in reasons), f"{reasons}")
        child.set(OPEN, len(pairs) - refused)
        child.set(REFUSED, refused + errors)
    child.set(DONE, 1)
    select.select([], [], [])


def send_large(child, port):
    """Sends many bytes within one call, while a thread reads them. The bytes
    take no memory of this process."""
    family = Smc(port)
    client, server = family.pair()
    check(not on_tcp(port), "the connection is on TCP")
    reader = threading.Thread(target=drain, args=(server, LARGE))
    reader.start()
    with mmap.mmap(-1, LARGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as zeros:
        client.sendall(zeros)
    reader.join()
    child.set(DONE, 1)
    select.select([], [], [])


def drain(sock, count):
    buffer = bytearray(64 << 10)
    while count:
        got = sock.recv_into(buffer)
        check(got, "the stream ends early")
        count -= got


# -- the cases -------------------------------------------------------------

def rate(other):
    """Returns the number of exchanges per second."""
    begin, before = time.monotonic(), other.get(EXCHANGES)
    while time.monotonic() < begin + SECONDS:
        other.runs()
        time.sleep(0.1)
    return (other.get(EXCHANGES) - before) / (time.monotonic() - begin)


@contextlib.contextmanager
def container(group, function, *args):
    child = Child(group, function, *args)
    try:
        yield child
    finally:
        child.end()


def beside(kind, data):
    """Opens connections of one kind in one container, while another container
    works. Returns the numbers of connections: those that were not refused, and
    those that were."""
    with cgroup("smc_other") as others, cgroup("smc_bad", LIMIT) as bad, \
            container(others, neighbour, next(PORTS)) as other:
        wait_until(lambda: other.runs() and other.get(EXCHANGES))
        print(f"# alone: {rate(other):.0f} exchanges in a second", flush=True)
        with container(bad, crowd, kind, next(PORTS), data) as child:
            begin, before = time.monotonic(), other.get(EXCHANGES)
            wait_until(lambda: child.get(DONE) or not child.runs())
            now = time.monotonic() - begin
            print(f"# while it opens them: "
                  f"{(other.get(EXCHANGES) - before) / now:.0f}", flush=True)
            print(f"# beside them: {rate(other):.0f}", flush=True)
            got = [child.get(i) for i in (OPEN, REFUSED)]
            print(f"# connections: {got[0]}, refused: {got[1]}, "
                  f"{'' if child.runs() else 'killed, '}charged: "
                  f"{read(bad, 'memory.current').strip()}", flush=True)
        wait_until(lambda: not number(bad, "memory.stat", "sock"))
        check(other.runs(), "the neighbour was killed")
        check(not number(others, "memory.events", "oom_kill"), "not its limit")
        return got


@case
def smc():
    """SMC is refused at the limit; another container loses nothing."""
    refused = 0
    fit = LIMIT // ELEMENT
    with elements():
        for _ in range(TRIES):
            opened, refused = beside(Smc, False)
            check(opened < fit, f"{opened} with {fit} elements")
            if refused:
                check(opened > fit // 8, "it was refused much too early")
                return
    check(refused, "nothing was refused")


@case
def large_send():
    """What the peer has taken is not charged while one send() goes on."""
    with cgroup("smc_large") as group, \
            container(group, send_large, next(PORTS)) as child:
        wait_until(lambda: child.get(DONE) or not child.runs())
        check(child.runs(), "killed")
        peak = int(read(group, "memory.peak"))
        print(f"# {LARGE} bytes sent, peak of the memory: {peak}", flush=True)
        check(peak < LARGE // 2, f"peak of the memory: {peak}")


@case
def smc_with_data():
    """SMC with data at the limit; another container loses nothing."""
    beside(Smc, True)


@case
def plain_tcp():
    """Plain TCP with data at the limit, for comparison."""
    beside(Tcp, True)


def main():
    """Runs the cases with cgroups of version 2."""
    global ROOT     # pylint: disable=global-statement
    with cgroups.mounted() as ROOT:
        try:
            write("", "cgroup.subtree_control", "+memory")
        except OSError:
            ktap.lacking("memory cgroup")
        return ktap.run_cases()


if __name__ == "__main__":
    sys.exit(main())
