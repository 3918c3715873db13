#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Reserves memory for an AF_SMC socket (SO_RESERVE_MEM). Prints by how many
pages the account of all AF_SMC sockets has grown, and what getsockopt()
returns."""

import socket

AF_SMC = 43
SO_RESERVE_MEM = 73
BYTES = 4 << 20


def pages():
    with open("/proc/net/protocols", encoding="ascii") as file:
        lines = [line.split() for line in file]
    return next(int(words[3]) for words in lines if words[0] == "SMC")


with socket.socket(AF_SMC, socket.SOCK_STREAM, 0) as sock:
    before = pages()
    sock.setsockopt(socket.SOL_SOCKET, SO_RESERVE_MEM, BYTES)
    print(pages() - before,
          sock.getsockopt(socket.SOL_SOCKET, SO_RESERVE_MEM))
