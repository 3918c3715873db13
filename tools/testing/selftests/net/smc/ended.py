#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Ends many connections, but keeps their sockets. Prints how many of ten further
connections use TCP. limits.sh calls this program in a network namespace of its own.
"""

import contextlib
import ctypes
import socket
import struct

SMC = socket.AF_INET, socket.SOCK_STREAM, 256
UNSPECIFIED = bytes(16)     # an address of family AF_UNSPEC
ENDED = 60                  # of each kind
FURTHER = 10


def fallbacks():
    """Returns the number of clients of this namespace that use TCP."""
    with open("/proc/net/smc_mib", encoding="ascii") as mib:
        return next(int(line.split()[1]) for line in mib
                    if line.startswith("ClientFallbacks"))


def pair(listener):
    """Returns both ends of a new connection."""
    client = socket.socket(*SMC)
    client.connect(listener.getsockname())
    return client, listener.accept()[0]


def reset_by_peer(listener):
    client, peer = pair(listener)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()
    with contextlib.suppress(ConnectionResetError):
        client.recv(1)
    return client


def left(listener):
    client, peer = pair(listener)
    ctypes.CDLL(None).connect(client.fileno(), UNSPECIFIED, len(UNSPECIFIED))
    with contextlib.suppress(ConnectionResetError):
        peer.recv(1)
    peer.close()
    return client


def main():
    listener = socket.socket(*SMC)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    kept = []
    for _ in range(ENDED):
        kept.append(reset_by_peer(listener))
        kept.append(left(listener))
    before = fallbacks()
    kept += [pair(listener) for _ in range(FURTHER)]
    print(fallbacks() - before)


if __name__ == "__main__":
    main()
