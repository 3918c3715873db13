#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Makes TCP connections on 127.0.0.1 and prints the ports, once the first
service waits: traffic.py; ends when its standard input ends.

Services: one large transfer that stays open, twenty short connections, one
connection with many small exchanges. They begin when a line is read.
"""

import socket
import sys
import threading


def serve(listener, answer):
    """Accepts connections for ever; answer() gets each."""
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=answer, args=(conn,), daemon=True).start()


def echo(conn):
    with conn:
        while data := conn.recv(65536):
            conn.sendall(data)


def service():
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener, echo), daemon=True).start()
    return listener.getsockname()


def exchange(conn, size):
    conn.sendall(bytes(size))
    left = size
    while left:
        left -= len(conn.recv(min(left, 65536)))


def talk(conn, stop):
    while not stop.is_set():
        exchange(conn, 100)


def main():
    bulk, short, lively = service(), service(), service()
    print(bulk[1], short[1], lively[1], flush=True)
    sys.stdin.readline()
    with socket.create_connection(bulk) as large, \
         socket.create_connection(lively) as chat:
        for _ in range(64):
            exchange(large, 65536)
        stop = threading.Event()
        talker = threading.Thread(target=talk, args=(chat, stop))
        talker.start()
        for _ in range(20):
            with socket.create_connection(short) as conn:
                exchange(conn, 100)
        print("done", flush=True)
        sys.stdin.read()
        stop.set()
        talker.join()


if __name__ == "__main__":
    main()
