#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Sends a stream without end.

stream.py --listen PORT     accepts one connection after the other, and reads
                            all bytes
stream.py ADDRESS PORT      connects, and sends until the peer is gone

Under smc_run, the program uses SMC.
"""

import contextlib
import socket
import sys

READ, WRITE = 1 << 18, 1 << 17


def main(where, port):
    """Runs one end."""
    if where == "--listen":
        listener = socket.create_server(("", int(port)))
        room = bytearray(READ)
        while True:
            with listener.accept()[0] as sock:
                while sock.recv_into(room):
                    pass
    else:
        sock = socket.create_connection((where, int(port)))
        data = bytes(WRITE)
        with contextlib.suppress(ConnectionError):
            while True:
                sock.sendall(data)


main(*sys.argv[1:])
