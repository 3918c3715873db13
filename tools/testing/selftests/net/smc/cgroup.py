#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Accepted sockets belong to the cgroup of the program that listens, as on TCP:
the BPF programs of that cgroup run for their options.

memcg.sh shows who is charged for their memory.
"""
# kernels: 6.12 6.1

import contextlib
import ctypes
import errno
import os
import socket
import struct
import subprocess
import sys
import tempfile

from smctest import ktap, sockets
from smctest.ktap import case, same

HOST = "127.0.0.1"
SYS_BPF = {"x86_64": 321, "aarch64": 280}
# from linux/bpf.h
BPF_PROG_LOAD, BPF_PROG_ATTACH = 5, 8
BPF_PROG_TYPE_CGROUP_SOCKOPT = 25
BPF_CGROUP_SETSOCKOPT = 22
ATTR_BYTES = 144
REFUSE = struct.pack("=BBhi", 0xb7, 0, 0, 0) + struct.pack("=Q", 0x95)
ROOT = None     # where the cgroups are mounted

libc = ctypes.CDLL(None, use_errno=True)


def bpf(command, attr):
    """Calls bpf(2); returns a descriptor or 0."""
    number = SYS_BPF.get(os.uname().machine)
    if not number:
        ktap.lacking("number of bpf(2)")
    data = ctypes.create_string_buffer(attr, ATTR_BYTES)
    ret = libc.syscall(number, command, data, ATTR_BYTES)
    if ret < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return ret


def refusing_program():
    """Returns a BPF program that refuses every setsockopt()."""
    code = ctypes.create_string_buffer(REFUSE, len(REFUSE))
    licence = ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("=IIQQIIQII16sII", BPF_PROG_TYPE_CGROUP_SOCKOPT,
                       len(REFUSE) // 8, ctypes.addressof(code),
                       ctypes.addressof(licence), 0, 0, 0, 0, 0, b"refuse",
                       0, BPF_CGROUP_SETSOCKOPT)
    return bpf(BPF_PROG_LOAD, attr)


def enter(directory):
    """Moves this process into the cgroup."""
    with open(os.path.join(directory, "cgroup.procs"), "w",
              encoding="ascii") as file:
        file.write(str(os.getpid()))


@contextlib.contextmanager
def inside(directory):
    """This process is in the cgroup."""
    enter(directory)
    try:
        yield
    finally:
        enter(ROOT)


@contextlib.contextmanager
def group():
    """A cgroup without programs."""
    directory = os.path.join(ROOT, "smc_options")
    os.mkdir(directory)
    try:
        yield directory
    finally:
        os.rmdir(directory)


def refuse_options(directory):
    """Sockets of the cgroup take no options any more."""
    program = refusing_program()
    target = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    bpf(BPF_PROG_ATTACH, struct.pack("=IIII", target, program,
                                     BPF_CGROUP_SETSOCKOPT, 0))
    os.close(target)
    os.close(program)


def option_error(sock):
    """Sets an option; returns the name of the error, or None."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    except OSError as err:
        return errno.errorcode[err.errno]
    return None


def accepted(listen, connect, accept):
    """Only the listener is opened inside the cgroup. Returns what an option
    says to the accepted socket, and to the client's."""
    with group() as directory:
        with inside(directory):
            listener = listen()
        refuse_options(directory)
        with contextlib.ExitStack() as stack:
            stack.enter_context(listener)
            client = stack.enter_context(connect(listener.getsockname()[1]))
            server = stack.enter_context(accept(listener))
            client.sendall(b"x")
            same(b"x", server.recv(1))
            return option_error(server), option_error(client)


def smc_client(port):
    sock = sockets.smc_socket(HOST)
    sockets.smc_connect(sock, HOST, port)
    return sock


def tcp_client(port):
    return socket.create_connection((HOST, port))


PORTS = iter(range(7700, 7800))


class SmcListener:
    """Python knows no addresses of AF_SMC."""

    def __init__(self):
        self.port = next(PORTS)
        self.sock = sockets.smc_listen(HOST, self.port, 5)

    def getsockname(self):
        return HOST, self.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()


def smc_accept(listener):
    return sockets.smc_accept(listener.sock)


@case
def plain_tcp():
    """TCP: options of accepted sockets obey the listener's cgroup."""
    same(("EPERM", None),
         accepted(lambda: socket.create_server((HOST, 0)), tcp_client,
                  lambda listener: listener.accept()[0]))


@case
def smc():
    """SMC: options of accepted sockets obey the listener's cgroup."""
    same(("EPERM", None), accepted(SmcListener, smc_client, smc_accept))


@case
def fallback():
    """Fallback: options of accepted sockets obey the listener's cgroup."""
    same(("EPERM", None), accepted(SmcListener, tcp_client, smc_accept))


def main():
    """Runs the cases with cgroups of version 2."""
    global ROOT     # pylint: disable=global-statement
    with tempfile.TemporaryDirectory() as ROOT:
        if subprocess.run(["mount", "-t", "cgroup2", "none", ROOT],
                          check=False).returncode:
            ktap.lacking("cgroup2")
        try:
            return ktap.run_cases()
        finally:
            subprocess.run(["umount", ROOT], check=True)


if __name__ == "__main__":
    sys.exit(main())
