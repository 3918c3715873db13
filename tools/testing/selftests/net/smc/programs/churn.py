#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Opens, uses and closes connections, on all processors at once.

churn.py --listen PORT PROCESSES
    each process listens on a port of its own, from PORT on, and sends back all
    received data, until it is killed
churn.py ADDRESS PORT PROCESSES CONNECTIONS ROUNDS
    each process keeps CONNECTIONS connections open; in each round it exchanges
    bytes on all of them, and replaces one connection by a new one

Under smc_run, the program uses SMC.
"""

import os
import signal
import socket
import sys

from many_connections import exchange, listen


def churn(address, port, count, rounds):
    """Opens the connections, and runs the rounds."""
    socks = [socket.create_connection((address, port)) for _ in range(count)]
    for turn in range(rounds):
        exchange(socks, turn)
        socks.pop(0).close()
        socks.append(socket.create_connection((address, port)))
    exchange(socks, rounds)


def fork(number, function):
    """Return: true if all processes have ended well. They end with this one."""
    children = []

    def end(*_):
        for child in children:
            os.kill(child, signal.SIGKILL)
        os._exit(1)

    for i in range(number):
        child = os.fork()
        if not child:
            function(i)
            os._exit(0)
        children.append(child)
    signal.signal(signal.SIGTERM, end)
    return not any([os.waitpid(child, 0)[1] for child in children])


def main():
    address, port, number, *rest = sys.argv[1:]
    if address == "--listen":
        fork(int(number), lambda i: listen(int(port) + i))
    else:
        ok = fork(int(number), lambda i: churn(address, int(port) + i,
                                               *map(int, rest)))
        sys.exit(not ok)


if __name__ == "__main__":
    main()
