#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Small messages to and fro, then silence, then one message more.

The client prints how many bytes of memory its send queue holds, which are
charged to its socket (SO_MEMINFO): the most that it held after a message was
delivered, and what it holds when the connection has been quiet for long enough,
or SECS have passed. Then it prints "ok" if the connection still works. Each
message has other bytes than the one before.

usage: idle_memory.py --listen PORT | HOST PORT SECS
"""

import socket
import struct
import sys
import time

SO_MEMINFO = 55
WMEM_QUEUED = 5     # index of SK_MEMINFO_WMEM_QUEUED
REQUEST = 200
ANSWER = 1000
EXCHANGES = 20
LOOKS = 5
DELIVERED = 0.2     # seconds after which a message is delivered for certain


def request(number):
    """The bytes of a request."""
    return bytes((number + i) % 256 for i in range(REQUEST))


def answer(asked):
    """The bytes of the answer."""
    return bytes(255 - byte for byte in asked) * (ANSWER // REQUEST)


def receive(conn, size):
    """Receives size bytes, or less at the end of the stream."""
    return conn.recv(size, socket.MSG_WAITALL)


def held(conn):
    """Bytes of memory of the send queue."""
    info = conn.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 4 * 16)
    return struct.unpack_from("=I", info, 4 * WMEM_QUEUED)[0]


def serve(port):
    """Answers the requests of one client after the other."""
    listener = socket.create_server(("", port))
    while True:
        with listener.accept()[0] as conn:
            asked = receive(conn, REQUEST)
            while asked:
                conn.sendall(answer(asked))
                asked = receive(conn, REQUEST)


def exchange(conn, number):
    """Returns whether the right answer comes."""
    conn.sendall(request(number))
    return receive(conn, ANSWER) == answer(request(number))


def connect(host, port, secs):
    """Runs the client."""
    with socket.create_connection((host, port)) as conn:
        good = all(exchange(conn, n) for n in range(EXCHANGES))
        most = 0
        for n in range(LOOKS):
            good = good and exchange(conn, EXCHANGES + n)
            time.sleep(DELIVERED)
            most = max(most, held(conn))
        print("busy", most, flush=True)
        end = time.monotonic() + secs
        while held(conn) and time.monotonic() < end:
            time.sleep(0.1)
        print("quiet", held(conn), flush=True)
        good = good and exchange(conn, EXCHANGES + LOOKS)
        print("ok" if good else "wrong bytes")


if sys.argv[1] == "--listen":
    serve(int(sys.argv[2]))
else:
    connect(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
