#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Opens one AF_SMC connection to a plain TCP server on this host, which causes
a fallback."""

import ctypes
import os
import socket
import sys

AF_SMC = 43

libc = ctypes.CDLL(None, use_errno=True)
with socket.create_server(("127.0.0.1", 0)) as server:
    fd = libc.socket(AF_SMC, socket.SOCK_STREAM, 0)
    where = (socket.AF_INET.to_bytes(2, sys.byteorder) +
             server.getsockname()[1].to_bytes(2, "big") +
             socket.inet_aton("127.0.0.1") + bytes(8))
    if libc.connect(fd, where, len(where)):
        sys.exit(f"connect: {os.strerror(ctypes.get_errno())}")
    os.close(fd)
