#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Measures how long an idle connection takes to notice that the peer does not
answer.

unplugged.py --listen PORT
    accepts connections and sends nothing
unplugged.py ADDRESS PORT NETDEV KEEPINTVL
    connects, sets TCP_KEEPIDLE to one second, drops all packets of NETDEV, and
    prints the error and the number of seconds after which recv() ended

Under smc_run, the program uses SMC.
"""

import errno
import socket
import subprocess
import sys
import time

LIMIT_S = 60


def listen(port):
    """Keeps accepted connections open."""
    server = socket.create_server(("", port))
    kept = []
    while True:
        kept.append(server.accept())


def netem(verb, netdev):
    """Begins or ends the loss of all packets."""
    rule = ["netem", "loss", "100%"] if verb == "add" else []
    subprocess.run(["tc", "qdisc", verb, "dev", netdev, "root", *rule],
                   check=True)


def connected(address, port):
    """Connects as soon as the other end listens on its port."""
    deadline = time.monotonic() + LIMIT_S / 2
    while True:
        try:
            return socket.create_connection((address, port))
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def watch(address, port, netdev, interval):
    """Returns the name of the error, and the seconds until recv()
    returned it."""
    sock = connected(address, port)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, interval)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 2)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.settimeout(LIMIT_S)
    time.sleep(1)       # by then all data is acknowledged
    start = time.monotonic()
    netem("add", netdev)
    try:
        name = f"{len(sock.recv(1))} bytes"
    except OSError as err:
        # Python's own timeout has no errno
        name = errno.errorcode[err.errno] if err.errno else "nothing"
    spent = time.monotonic() - start
    netem("del", netdev)
    return name, spent


def main():
    """Runs one of the two commands that the text at the top describes."""
    if sys.argv[1] == "--listen":
        listen(int(sys.argv[2]))
    address, port, netdev, interval = sys.argv[1:]
    name, spent = watch(address, int(port), netdev, int(interval))
    print(f"{name} {spent:.0f}")


if __name__ == "__main__":
    main()
