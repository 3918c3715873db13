#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Connects two AF_SMC sockets of this host over each port, and prints a line
for each: the port, and what smcss says of the client's mode.

usage: modes_by_port.py SMCSS PORT[@ADDRESS]...

The address is 127.0.0.1, another one, or ::ffff: and one.
"""

import ctypes
import json
import socket
import struct
import subprocess
import sys

AF_SMC = 43
SMC_IPV4, SMC_IPV6 = 0, 1
SOL_SOCKET, SO_REUSEADDR = 1, 2
libc = ctypes.CDLL(None, use_errno=True)


def must(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "a call for AF_SMC")
    return result


def ipv4(host, port):
    return struct.pack("=HH4s8x", socket.AF_INET, socket.htons(port),
                       socket.inet_aton(host))


def mapped(host, port):
    return struct.pack("=HHI16sI", socket.AF_INET6, socket.htons(port), 0,
                       socket.inet_pton(socket.AF_INET6, host), 0)


def client_mode(smcss, port, host):
    address = ipv4(host.removeprefix("::ffff:"), port)
    to, family = (mapped(host, port), SMC_IPV6) if ":" in host else \
        (address, SMC_IPV4)
    with socket.socket(AF_SMC, socket.SOCK_STREAM, SMC_IPV4) as listener, \
            socket.socket(AF_SMC, socket.SOCK_STREAM, family) as client:
        fd, one = listener.fileno(), ctypes.byref(ctypes.c_int(1))
        must(libc.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, one, 4))
        must(libc.bind(fd, address, len(address)))
        must(libc.listen(fd, 4))
        must(libc.connect(client.fileno(), to, len(to)))
        server = must(libc.accept(fd, None, None))
        found = json.loads(subprocess.run([smcss, "-a", "--json"], check=True,
                                          stdout=subprocess.PIPE).stdout)
        socket.close(server)
    for sock in found:
        if sock.get("peer", {}).get("port") == port:
            why = sock.get("reason")
            return sock["mode"] + (f": {why['text']}" if why else "")
    return "no such socket"


def main():
    for where in sys.argv[2:]:
        port, _, host = where.partition("@")
        print(where, client_mode(sys.argv[1], int(port), host or "127.0.0.1"))


main()
