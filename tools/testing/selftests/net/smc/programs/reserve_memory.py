#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Reserves memory for an AF_SMC socket (SO_RESERVE_MEM). Prints whether the
account of all AF_SMC sockets has grown by it, and what getsockopt() returns.
Each processor may hold back up to 256 pages of earlier changes."""

import resource
import socket

AF_SMC = 43
SO_RESERVE_MEM = 73
PAGES = 2048


def pages():
    with open("/proc/net/protocols", encoding="ascii") as file:
        lines = [line.split() for line in file]
    return next(int(words[3]) for words in lines if words[0] == "SMC")


with socket.socket(AF_SMC, socket.SOCK_STREAM, 0) as sock:
    before = pages()
    sock.setsockopt(socket.SOL_SOCKET, SO_RESERVE_MEM,
                    PAGES * resource.getpagesize())
    print("grown" if pages() - before > PAGES // 2 else "not grown",
          sock.getsockopt(socket.SOL_SOCKET, SO_RESERVE_MEM))
