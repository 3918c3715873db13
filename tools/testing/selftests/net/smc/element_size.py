#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""The element of a connection without frames has net.smc.rmem_first bytes, until
a connection with the same peer and port often needed more.
"""
# also: uml
# deep: 6.12 6.1

import contextlib
import fcntl
import socket
import sys
import termios

from smctest import check, ktap, sockets
from smctest.ktap import case, same
from smctest.world import wait_until

HOST = "127.0.0.1"
DIR = "/proc/sys/net/smc/"
TABLE = "/proc/net/smc_bulk"
FIRST, MOST = 65536, 262144
FILLS = 8           # so many times the peer must fill the element


def sysctl(name, value):
    """Returns the old value."""
    with open(DIR + name, "r+", encoding="ascii") as file:
        old = file.read().strip()
        file.seek(0)
        file.write(str(value))
    return old


def forget():
    with open(TABLE, "w", encoding="ascii") as file:
        file.write("all\n")


def remembered():
    """Returns {(address, port, role): seconds left}; the address as shown."""
    with open(TABLE, encoding="ascii") as file:
        rows = [line.split() for line in file]
    peers = [row[0].rsplit(":", 1) for row in rows]
    return {(address, int(port), row[1]): int(row[2])
            for (address, port), row in zip(peers, rows)}


def learned():
    with open("/proc/net/smc_mib", encoding="ascii") as file:
        return int(dict(line.split() for line in file)["ElementsTooSmall"])


@contextlib.contextmanager
def listening(host=HOST):
    with sockets.smc_listen(host, 0, 16) as listener:
        yield listener, int.from_bytes(sockets.raw_name(listener)[2:4], "big")


@contextlib.contextmanager
def pair(listener, port, rcvbuf=None, host=HOST):
    """Yields the server's and the client's end of a connection. rcvbuf: the
    client's SO_RCVBUF."""
    with sockets.smc_socket(host) as client:
        if rcvbuf:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        sockets.smc_connect(client, host, port)
        with sockets.smc_accept(listener) as server:
            for sock in (client, server):
                sock.settimeout(sockets.PATIENCE)
            client.sendall(b"x")
            same(b"x", server.recv(1))
            yield server, client


def element(sock):
    """getsockopt() shows twice the size."""
    return sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2


def unread(sock):
    return int.from_bytes(fcntl.ioctl(sock, termios.FIONREAD, bytes(4)),
                          sys.byteorder)


def fill(sender, reader, times):
    """The sender fills the element, and then the reader empties it."""
    for _ in range(times):
        sender.sendall(bytes(FIRST))
        check(wait_until(lambda: unread(reader) == FIRST),
              f"{unread(reader)} bytes arrived")
        sockets.read(reader, FIRST)


def sizes(listener, port):
    """Returns the sizes of a new connection: the server's and the client's."""
    with pair(listener, port) as (server, client):
        return element(server), element(client)


@case
def small_at_first():
    """Short messages never lead to a larger element."""
    with listening() as (listener, port):
        for _ in range(2):
            with pair(listener, port) as (server, client):
                same((FIRST, FIRST), (element(server), element(client)))
                for _ in range(100):
                    client.sendall(bytes(1000))
                    sockets.read(server, 1000)
        same({}, remembered())


@case
def some_fills_are_not_enough():
    """A peer that fills the element a few times changes nothing."""
    with listening() as (listener, port):
        with pair(listener, port) as (server, client):
            fill(client, server, FILLS - 1)
        same((FIRST, FIRST), sizes(listener, port))
        same({}, remembered())


@case
def server_learns():
    """The server's next element is large if the client has filled this one.
    The client's element stays small, and so does that of another port."""
    before = learned()
    with listening() as (listener, port), listening() as (other, at):
        with pair(listener, port) as (server, client):
            fill(client, server, FILLS)
        check(wait_until(lambda: learned() == before + 1), "nothing was learned")
        same((MOST, FIRST), sizes(listener, port))
        same((FIRST, FIRST), sizes(other, at))
        rows = remembered()
        same([(HOST, port, "server")], list(rows))
        check(86000 < rows[HOST, port, "server"] <= 86400, f"{rows}")
    forget()


@case
def client_learns():
    """The server fills the client's element. Writing to the table empties it."""
    with listening() as (listener, port):
        with pair(listener, port) as (server, client):
            fill(server, client, FILLS)
        check(wait_until(remembered), "nothing was learned")
        same((FIRST, MOST), sizes(listener, port))
        same([(HOST, port, "client")], list(remembered()))
        forget()
        same((FIRST, FIRST), sizes(listener, port))


@case
def over_ipv6():
    """The table shows an IPv6 address in brackets."""
    with listening("::1") as (listener, port):
        with pair(listener, port, host="::1") as (server, client):
            fill(client, server, FILLS)
        check(wait_until(remembered), "nothing was learned")
        same([("[::1]", port, "server")], list(remembered()))
    forget()


@case
def the_application_chooses():
    """SO_RCVBUF overrides both sizes, and nothing is learned."""
    with listening() as (listener, port):
        with pair(listener, port, 2 * FIRST) as (server, client):
            same((FIRST, 2 * FIRST), (element(server), element(client)))
            fill(server, client, FILLS)
        same((FIRST, FIRST), sizes(listener, port))
        same({}, remembered())


@case
def off():
    """With 0, and with a value that is not lower, rmem holds."""
    try:
        for first in (0, MOST, 2 * MOST):
            sysctl("rmem_first", first)
            with listening() as (listener, port):
                same((MOST, MOST), sizes(listener, port))
        sysctl("rmem_first", 1)
        with listening() as (listener, port):
            same((16384, 16384), sizes(listener, port))
    finally:
        sysctl("rmem_first", FIRST)


@case
def at_most_256():
    """A new entry replaces the oldest one."""
    ports = []
    with contextlib.ExitStack() as stack:
        for _ in range(257):
            listener, port = stack.enter_context(listening())
            with pair(listener, port) as (server, client):
                fill(client, server, FILLS)
            ports.append(port)
        check(wait_until(lambda: (HOST, ports[-1], "server") in remembered()),
              "the last one is missing")
        same(256, len(remembered()))
    forget()


@case
def frames_do_not_need_it():
    """With frames the limit of the window is rmem."""
    old = sysctl("extension", 15)
    try:
        with listening() as (listener, port):
            same((MOST, MOST), sizes(listener, port))
    finally:
        sysctl("extension", old)


def main():
    old = [(name, sysctl(name, value)) for name, value in
           (("extension", 0), ("rmem", MOST), ("rmem_first", FIRST))]
    forget()
    try:
        return ktap.run_cases()
    finally:
        forget()
        for name, value in old:
            sysctl(name, value)


if __name__ == "__main__":
    sys.exit(main())
