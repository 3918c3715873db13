#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Root listens, and a process of another user accepts, as a server with workers
does. Prints the user that ss shows for the connection.

accept_as_user.py FAMILY    FAMILY: smc or tcp
"""

import os
import re
import socket
import subprocess
import sys

NOBODY = 65534
PROTOCOLS = {"smc": 256, "tcp": 0}


def new_socket():
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM,
                         PROTOCOLS[sys.argv[1]])


with new_socket() as listener, new_socket() as client:
    client.settimeout(30)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    worker = os.fork()
    if not worker:
        os.setuid(NOBODY)
        accepted = listener.accept()[0]
        accepted.sendall(b"x")
        accepted.recv(1)
        os._exit(0)
    client.connect(listener.getsockname())
    client.recv(1)
    port = listener.getsockname()[1]
    shown = subprocess.run(["ss", "-Htne", "sport", "=", f":{port}"],
                           check=True, capture_output=True, text=True).stdout
    print(*re.findall(r"uid:(\d+)", shown))
    client.sendall(b"x")
    os.waitpid(worker, 0)
