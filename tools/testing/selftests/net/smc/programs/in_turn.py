#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Has many connections, and bytes in flight on some of them at a time.

in_turn.py --listen PORT COUNT
    accepts COUNT connections, and then a last one for commands. On command it
    reads from all others, and checks what it reads
in_turn.py ADDRESS PORT COUNT BATCH BYTES FILE
    opens COUNT connections, prints "open" and waits until FILE is gone. Then
    writes BYTES on each of BATCH connections and lets the server read them only
    when all are written; so for all connections, in turn. Then prints "quiet" and
    waits until FILE is there again.

Under smc_run, the program uses SMC.
"""

import os
import resource
import select
import socket
import sys
import time

CHUNK = 65536
LIMIT = 300     # limit in seconds for a batch


def pattern(size):
    """Returns bytes in which a lost or repeated part shows."""
    words = b"".join(b"%08x" % number for number in range(CHUNK // 8))
    return (words * (size // CHUNK + 1))[:size]


def take(poll, socks, size, batch):
    """Reads @size bytes from each of @batch connections."""
    want = memoryview(pattern(size))
    got = {}
    done = 0
    while done < batch:
        events = poll.poll(LIMIT)
        if not events:
            raise TimeoutError(f"{done} of {batch} connections are read")
        for number, _ in events:
            data = socks[number].recv(CHUNK)
            at = got.get(number, 0)
            if not data or data != want[at:at + len(data)]:
                raise ValueError(f"wrong bytes at {at}")
            got[number] = at + len(data)
            done += got[number] == size


def listen(port, count):
    server = socket.create_server(("", port), backlog=1024)
    poll = select.epoll()
    socks = {}
    for _ in range(count):
        sock = server.accept()[0]
        socks[sock.fileno()] = sock
        poll.register(sock, select.EPOLLIN)
    orders = server.accept()[0]
    while True:
        order = orders.recv(64)
        if not order:
            return
        size, batch = map(int, order.split())
        take(poll, socks, size, batch)
        orders.sendall(b"done")


def fill(socks, data):
    """Writes @data on all these connections; the peer reads none of it."""
    for sock in socks:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, len(data))
        sock.settimeout(LIMIT)
        sock.sendall(data)


def connect(address, port, count, batch, size, path):
    socks = []
    for _ in range(count):
        sock = socket.socket()
        sock.settimeout(LIMIT)
        sock.connect((address, port))
        socks.append(sock)
    orders = socket.create_connection((address, port), LIMIT)
    print("open", flush=True)
    while os.path.exists(path):
        time.sleep(0.2)
    data = pattern(size)
    for first in range(0, count, batch):
        some = socks[first:first + batch]
        fill(some, data)
        orders.sendall(b"%d %d" % (size, len(some)))
        if orders.recv(64) != b"done":
            raise EOFError("the server has ended")
    print("quiet", flush=True)
    while not os.path.exists(path):
        time.sleep(0.2)


def main():
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if sys.argv[1] == "--listen":
        listen(int(sys.argv[2]), int(sys.argv[3]))
    else:
        connect(sys.argv[1], *map(int, sys.argv[2:6]), sys.argv[6])


if __name__ == "__main__":
    main()
