#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""An AF_SMC server that keeps all accepted connections and reads no data. The
program can also run clients of this server.

accept_and_hold.py
    prints its port and serves until its standard input ends
accept_and_hold.py FAMILY PORT COUNT BYTES
    opens COUNT connections (FAMILY smc or tcp), sends at most BYTES on each
    without waiting, prints "open" and keeps them until its standard input ends
"""

import ctypes
import os
import socket
import sys
import threading

AF_SMC = 43
libc = ctypes.CDLL(None, use_errno=True)


def address(port):
    """Returns a struct sockaddr_in with an address of this host."""
    return (socket.AF_INET.to_bytes(2, sys.byteorder) +
            port.to_bytes(2, "big") + socket.inet_aton("127.0.0.1") + bytes(8))


def call(name, *args):
    """Calls a function of libc, which must succeed. Python does not support
    addresses of AF_SMC."""
    ret = getattr(libc, name)(*args)
    if ret < 0:
        sys.exit(f"{name}: {os.strerror(ctypes.get_errno())}")
    return ret


def smc_socket():
    """Returns a new AF_SMC socket."""
    return call("socket", AF_SMC, socket.SOCK_STREAM, 0)


def serve():
    """Accepts connections for ever."""
    listener = smc_socket()
    call("bind", listener, address(0), 16)
    call("listen", listener, 128)
    name = ctypes.create_string_buffer(16)
    call("getsockname", listener, name, ctypes.byref(ctypes.c_uint(16)))
    print(int.from_bytes(name.raw[2:4], "big"), flush=True)
    while True:
        call("accept", listener, None, None)


def connect(family, port, size):
    """Opens a connection and sends as many of the bytes as fit."""
    if family == "tcp":
        sock = socket.create_connection(("127.0.0.1", port))
        number = sock.detach()
    else:
        number = smc_socket()
        call("connect", number, address(port), 16)
    sent = 0
    while sent < size:
        got = libc.send(number, bytes(size - sent), size - sent,
                        socket.MSG_DONTWAIT)
        if got <= 0:
            break
        sent += got


if len(sys.argv) == 1:
    threading.Thread(target=serve, daemon=True).start()
else:
    for _ in range(int(sys.argv[3])):
        connect(sys.argv[1], int(sys.argv[2]), int(sys.argv[4]))
    print("open", flush=True)
sys.stdin.read()
