#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Opens many connections at the same time.

many_connections.py --listen PORT
    sends back all received data, until a signal ends the program
many_connections.py ADDRESS PORT COUNT FILE
    opens COUNT connections, sends different data on each and reads it back;
    then prints "open" and waits until the file is gone; then sends and reads
    again, and ends

Under smc_run, the program uses SMC.
"""

import os
import resource
import select
import socket
import sys
import time

MESSAGE_BYTES = 4000


def listen(port):
    """Echo."""
    server = socket.create_server(("", port), backlog=1024)
    poll = select.epoll()
    poll.register(server, select.EPOLLIN)
    socks = {}
    while True:
        for number, _ in poll.poll():
            if number == server.fileno():
                sock = server.accept()[0]
                socks[sock.fileno()] = sock
                poll.register(sock, select.EPOLLIN)
                continue
            data = socks[number].recv(MESSAGE_BYTES)
            if data:
                socks[number].sendall(data)
            else:
                poll.unregister(number)
                socks.pop(number).close()


def exchange(socks, turn):
    """Raises an exception if a connection does not get its own bytes back."""
    wanted = {}
    for number, sock in enumerate(socks):
        wanted[sock] = (b"%08d.%03d." % (number, turn) *
                        MESSAGE_BYTES)[:MESSAGE_BYTES]
        sock.sendall(wanted[sock])
    for sock, message in wanted.items():
        got = b""
        while len(got) < MESSAGE_BYTES:
            data = sock.recv(MESSAGE_BYTES - len(got))
            if not data:
                raise EOFError(f"{len(got)} bytes, then the end")
            got += data
        if got != message:
            raise ValueError("not what was sent here")


def connect(address, port, count, held):
    """Opens the connections, and uses them before and after the wait."""
    socks = [socket.create_connection((address, port)) for _ in range(count)]
    exchange(socks, 0)
    print("open", flush=True)
    while os.path.exists(held):
        time.sleep(0.1)
    exchange(socks, 1)
    for sock in socks:
        sock.close()


def main():
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if sys.argv[1] == "--listen":
        listen(int(sys.argv[2]))
    else:
        connect(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])


if __name__ == "__main__":
    main()
