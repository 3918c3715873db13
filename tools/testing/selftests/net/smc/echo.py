#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Tests a server that echoes the TCP option but does not speak SMC. Only one
connection may fail: after it, clients use plain TCP for the server's address
for a while.
"""
# deep: 6.12 6.1

import contextlib
import ctypes
import errno
import os
import socket
import subprocess
import sys
import threading
import time

from smctest import SELFTESTS, TREE, ktap, process
from smctest.ktap import case, same
from smctest.netlink import genl
from smctest.netlink.spec import Family

AF_SMC, TCP_ULP = 43, 31
SYSCTL = "/proc/sys/net/smc/echo_memory"
TABLE = "/proc/net/smc_echo"
ECHO = 0x05010000


def remember(seconds):
    with open(SYSCTL, "w", encoding="ascii") as file:
        file.write(str(seconds))


def forget():
    with open(TABLE, "w", encoding="ascii") as file:
        file.write("all\n")


def remembered():
    with open(TABLE, encoding="ascii") as file:
        return {line.split()[0]: int(line.split()[1]) for line in file}


def counters():
    with open("/proc/net/smc_mib", encoding="ascii") as file:
        values = dict(line.split() for line in file)
    return (int(values["OptionEchoes"]), int(values["OptionEchoesAvoided"]))


def fallbacks():
    """Returns how often a client has fallen back to TCP for this reason."""
    return sum(row["fback-stats"]["rsn-cnt"] for _, row in
               Family("smc_gen", genl.Link()).dump("get-fback-stats")
               if row["fback-stats"]["rsn-code"] == ECHO)


@contextlib.contextmanager
def server(answer, family=socket.AF_INET):
    """Runs a plain TCP server that shows the option, and yields its port.

    answer() handles each connection.
    """
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, TCP_ULP, b"smc_opt")
    listener.bind(("", 0))
    listener.listen(64)

    def serve():
        while True:
            try:
                conn, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(conn,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    remember(600)
    forget()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        remember(0)


def http(conn):
    """Answers as a web server does when it receives rubbish."""
    with conn, contextlib.suppress(OSError):
        first = conn.recv(64)
        if first.startswith(b"GET"):
            conn.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        else:
            conn.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        conn.recv(64)


def closes(conn):
    with conn, contextlib.suppress(OSError):
        conn.recv(64)


def connect(port, address="127.0.0.1"):
    """Opens an AF_SMC connection. Returns its file, or the errno."""
    six = ":" in address
    fd = process.libc.socket(AF_SMC, socket.SOCK_STREAM, 1 if six else 0)
    head = (socket.AF_INET6 if six else socket.AF_INET).to_bytes(
        2, sys.byteorder) + port.to_bytes(2, "big")
    if six:
        where = head + bytes(4) + socket.inet_pton(socket.AF_INET6,
                                                   address) + bytes(4)
    else:
        where = head + socket.inet_aton(address) + bytes(8)
    if process.libc.connect(fd, where, len(where)):
        error = ctypes.get_errno()
        os.close(fd)
        return error
    return os.fdopen(fd, "r+b", buffering=0)


def works(port, address="127.0.0.1"):
    conn = connect(port, address)
    if isinstance(conn, int):
        raise AssertionError(f"connect: {os.strerror(conn)}")
    with conn:
        conn.write(b"GET /\r\n\r\n")
        same(b"HTTP/1.1 200 OK\r\n\r\n", conn.read(100))


def breaks(error, port, address="127.0.0.1"):
    got = connect(port, address)
    if not isinstance(got, int):
        got.close()
        raise AssertionError("connected")
    same(errno.errorcode[error], errno.errorcode.get(got))


def twice(address, family):
    before, fell = counters(), fallbacks()
    with server(http, family) as port:
        breaks(errno.EPROTO, port, address)
        for _ in range(3):
            works(port, address)
        left = remembered()
    same([address], list(left))
    if not 590 <= left[address] <= 600:
        raise AssertionError(f"remembered for {left[address]} seconds")
    same((1, 3), tuple(now - then for now, then in zip(counters(), before)))
    same(3, fallbacks() - fell)


@case
def ipv4():
    """A web server that echoes the option breaks one connection, not two."""
    twice("127.0.0.1", socket.AF_INET)


@case
def ipv6():
    """The same over IPv6."""
    twice("::1", socket.AF_INET6)


@case
def mapped():
    """An IPv4 address is the same address in an IPv6 socket."""
    with server(http) as port:
        breaks(errno.EPROTO, port)
        works(port, "::ffff:127.0.0.1")


@case
def closing():
    """Clients use TCP for a server that closed, but for at most 60 seconds."""
    with server(closes) as port:
        breaks(errno.ECONNRESET, port)
        left = remembered()["127.0.0.1"]
        if not 50 <= left <= 60:
            raise AssertionError(f"remembered for {left} seconds")
        with connect(port) as conn:
            conn.write(b"x")


@case
def others():
    """Other addresses do not matter, but other ports of the host do."""
    with server(http) as port, server(http) as other:
        breaks(errno.EPROTO, port)
        works(other)
        breaks(errno.EPROTO, port, "127.0.0.2")
        same({"127.0.0.1", "127.0.0.2"}, set(remembered()))


@case
def forgotten():
    """When its time is over, clients try SMC with an address again."""
    with server(http) as port:
        remember(5)
        breaks(errno.EPROTO, port)
        works(port)
        time.sleep(5.2)
        same({}, remembered())
        breaks(errno.EPROTO, port)


@case
def off():
    """The sysctl value 0 turns this off; a request empties the table."""
    with server(http) as port:
        breaks(errno.EPROTO, port)
        forget()
        same({}, remembered())
        breaks(errno.EPROTO, port)
        remember(0)
        same({}, remembered())
        breaks(errno.EPROTO, port)
        breaks(errno.EPROTO, port)


@case
def bounded():
    """The table does not grow beyond its limit and keeps new entries."""
    with server(http) as port:
        addresses = [f"127.1.{n // 250}.{n % 250 + 1}" for n in range(300)]
        for address in addresses:
            breaks(errno.EPROTO, port, address)
        left = remembered()
        same(256, len(left))
        same(True, addresses[-1] in left)
        works(port, addresses[-1])


@case
def namespace():
    """Each namespace has its own table."""
    def child():
        process.unshare(process.CLONE_NEWNET)
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        same({}, remembered())
        with server(http) as port:
            breaks(errno.EPROTO, port)
            same(["127.0.0.1"], list(remembered()))

    with server(http) as port:
        breaks(errno.EPROTO, port, "127.0.0.9")
        process.in_child(child)
        same(["127.0.0.9"], list(remembered()))


def shown(state):
    """Returns the ULPs that ss shows for TCP connections, once ss shows this
    state."""
    for _ in range(50):
        out = subprocess.run(["ss", "-Htni", "state", "established"],
                             check=True, capture_output=True,
                             encoding="ascii").stdout
        found = [word for word in out.split() if word.startswith("tcp-ulp-")]
        if state in found:
            return
        time.sleep(0.1)
    raise AssertionError(f"ss shows {found}, not {state}")


@case
def handshake_client():
    """While the server is silent, ss shows the client's handshake."""
    over = threading.Event()
    with server(lambda conn: over.wait(30)) as port:
        client = threading.Thread(target=connect, args=(port,), daemon=True)
        client.start()
        shown("tcp-ulp-smc:connect")
        over.set()
        client.join(8)


@case
def handshake_server():
    """While the client is silent, ss shows the server's handshake."""
    fd = process.libc.socket(AF_SMC, socket.SOCK_STREAM, 0)
    process.libc.listen(fd, 5)
    where = ctypes.create_string_buffer(16)
    size = ctypes.c_int(16)
    process.libc.getsockname(fd, where, ctypes.byref(size))
    mute = socket.socket()
    mute.setsockopt(socket.IPPROTO_TCP, TCP_ULP, b"smc_opt")
    mute.connect(("127.0.0.1", int.from_bytes(where.raw[2:4], "big")))
    try:
        shown("tcp-ulp-smc:connect")
    finally:
        mute.close()
        os.close(fd)


@case
def real():
    """A real SMC peer that declines does not get into the table."""
    before = counters()[0]
    remember(600)
    subprocess.run([os.path.join(SELFTESTS, "smc_peer"), "--single", "--div",
                    "16", "--slow", "6", "--family", "smc", "names"],
                   check=True, stdout=subprocess.DEVNULL, timeout=60)
    remember(0)
    same(before, counters()[0])


def main():
    release = os.uname().release
    name = ("uml-debug" if release.endswith("-lab-debug") else
            "smp-debug" if release.endswith("-lab-smp-debug") else
            "uml" if release.endswith("-lab") else
            "6.1" if release.startswith("6.1.") else "6.12")
    module = os.path.join(TREE, "build", name, "smc_opt/smc_opt.ko")
    loaded = os.path.isdir("/sys/module/smc_opt")
    if not loaded and not os.path.exists(module):
        ktap.lacking(module)
    if not loaded:
        subprocess.run(["insmod", module], check=True)
    try:
        return ktap.run_cases()
    finally:
        # The server ends its connections in the background.
        for _ in range(0 if loaded else 50):
            if not subprocess.run(["rmmod", "smc_opt"], check=False,
                                  stderr=subprocess.DEVNULL).returncode:
                break
            time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main())
