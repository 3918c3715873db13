#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Accepted sockets belong to the cgroup of the program that listens, as on TCP:
the BPF programs of that cgroup run for their options. Programs for the start and
end of a socket run for AF_SMC and for IPPROTO_SMC as for TCP.

memcg.sh tests which cgroup is charged for their memory.
"""
# kernels: 6.12 6.1
# deep: 6.1

import contextlib
import ctypes
import errno
import os
import socket
import struct
import sys
import time

from smctest import cgroups, ktap, sockets
from smctest.ktap import case, same

HOST = "127.0.0.1"
SYS_BPF = {"x86_64": 321, "aarch64": 280}
# from linux/bpf.h
BPF_MAP_CREATE, BPF_MAP_LOOKUP, BPF_PROG_LOAD, BPF_PROG_ATTACH = 0, 1, 5, 8
BPF_MAP_TYPE_ARRAY = 2
BPF_PROG_TYPE_CGROUP_SOCK, BPF_PROG_TYPE_CGROUP_SOCKOPT = 9, 25
BPF_CGROUP_SOCK_CREATE, BPF_CGROUP_SETSOCKOPT, BPF_CGROUP_SOCK_RELEASE = \
    2, 22, 34
ATTR_BYTES = 144
IPPROTO_SMC = 256
PATIENCE = 60   # seconds, on a slow machine


def instruction(opcode, registers, offset, value):
    """An instruction of BPF; registers: source << 4 | destination."""
    return struct.pack("=BBhi", opcode, registers, offset, value)


def returns(value):
    """r0 = value; exit"""
    return instruction(0xb7, 0, 0, value) + instruction(0x95, 0, 0, 0)


# offsets of members of struct bpf_sock
BPF_SOCK_FAMILY, BPF_SOCK_PROTOCOL = 4, 12


def if_sock(member, value, then):
    """Runs @then for a socket whose member of struct bpf_sock has the value, and
    lets others pass."""
    return (instruction(0x61, 0x11, member, 0) +
            instruction(0x55, 1, len(then) // 8, value) +
            then + returns(1))


def if_smc(then):
    """Runs @then for a socket with protocol IPPROTO_SMC."""
    return if_sock(BPF_SOCK_PROTOCOL, IPPROTO_SMC, then)


def if_af_smc(then):
    """Runs @then for a socket of AF_SMC."""
    return if_sock(BPF_SOCK_FAMILY, sockets.AF_SMC, then)


def count_in(table, index):
    """Adds 1 to an entry of the map."""
    return (instruction(0x62, 10, -4, index) +      # the key on the stack
            instruction(0xbf, 0xa2, 0, 0) +         # r2 = r10
            instruction(0x07, 2, 0, -4) +
            instruction(0x18, 0x11, 0, table) +     # r1 = the map
            instruction(0, 0, 0, 0) +
            instruction(0x85, 0, 0, 1) +            # bpf_map_lookup_elem()
            instruction(0x15, 0, 2, 0) +            # if r0 == 0 skip 2
            instruction(0xb7, 1, 0, 1) +
            instruction(0xdb, 0x10, 0, 0))          # lock *(u64 *)r0 += r1


REFUSE = returns(0)
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


def program(kind, attach, code):
    """Loads a BPF program."""
    text = ctypes.create_string_buffer(code, len(code))
    licence = ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("=IIQQIIQII16sII", kind, len(code) // 8,
                       ctypes.addressof(text), ctypes.addressof(licence),
                       0, 0, 0, 0, 0, b"test", 0, attach)
    return bpf(BPF_PROG_LOAD, attr)


def attach_to(directory, kind, attach, code):
    """Runs the program for the cgroup from now on."""
    loaded = program(kind, attach, code)
    target = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    bpf(BPF_PROG_ATTACH, struct.pack("=IIII", target, loaded, attach, 0))
    os.close(target)
    os.close(loaded)


def enter(directory):
    """Moves this process into the cgroup."""
    with open(os.path.join(directory, "cgroup.procs"), "w",
              encoding="ascii") as file:
        file.write(str(os.getpid()))


@contextlib.contextmanager
def inside(directory):
    """Moves this process into the cgroup for the time of the block."""
    enter(directory)
    try:
        yield
    finally:
        enter(ROOT)


@contextlib.contextmanager
def group():
    """Yields a new cgroup without programs."""
    directory = os.path.join(ROOT, "smc_options")
    os.mkdir(directory)
    try:
        yield directory
    finally:
        os.rmdir(directory)


def refuse_options(directory):
    """From now on sockets of the cgroup refuse options."""
    attach_to(directory, BPF_PROG_TYPE_CGROUP_SOCKOPT, BPF_CGROUP_SETSOCKOPT,
              REFUSE)


def option_error(sock):
    """Sets an option; returns the name of the error, or None."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    except OSError as err:
        return errno.errorcode[err.errno]
    return None


def accepted(listen, connect, accept):
    """Opens only the listener inside the cgroup. Returns the results of an
    option on the accepted socket and on the client's socket."""
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
    """A listener of AF_SMC, whose addresses Python does not know."""

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


def inet_smc(family=socket.AF_INET):
    return socket.socket(family, socket.SOCK_STREAM, IPPROTO_SMC)


def sockets_in_use():
    """Returns the number of SMC sockets of both kinds in /proc/net/protocols."""
    with open("/proc/net/protocols", encoding="ascii") as file:
        rows = [line.split() for line in file]
    return sum(int(row[2]) for row in rows
               if row[0] in ("SMC", "SMC6", "INET_SMC", "INET6_SMC"))


def few_in_use():
    """Waits until no socket is left: closed ones may still wait for a peer.
    Returns the number of those that remain."""
    end = time.monotonic() + PATIENCE
    while sockets_in_use() and time.monotonic() < end:
        time.sleep(0.1)
    return sockets_in_use()


def refused(code, creators):
    """A program refuses the sockets of all creators, and nothing of them stays.
    TCP sockets pass."""
    before = few_in_use()
    with group() as directory:
        attach_to(directory, BPF_PROG_TYPE_CGROUP_SOCK,
                  BPF_CGROUP_SOCK_CREATE, code)
        with inside(directory):
            for create in creators:
                socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
                try:
                    create().close()
                    error = None
                except OSError as err:
                    error = errno.errorcode[err.errno]
                same("EPERM", error)
    same(True, sockets_in_use() <= before)


def starts_and_ends(count, creators):
    """Returns how many starts and ends of sockets the programs have seen.
    count(table, index): code that counts in the map."""
    table = bpf(BPF_MAP_CREATE, struct.pack("=IIII", BPF_MAP_TYPE_ARRAY, 4, 8,
                                            2))
    with group() as directory:
        for index, hook in enumerate((BPF_CGROUP_SOCK_CREATE,
                                      BPF_CGROUP_SOCK_RELEASE)):
            attach_to(directory, BPF_PROG_TYPE_CGROUP_SOCK, hook,
                      count(count_in(table, index)))
        with inside(directory):
            for create in creators:
                create().close()
    counts = []
    for index in (0, 1):
        key = ctypes.c_uint32(index)
        value = ctypes.c_uint64()
        bpf(BPF_MAP_LOOKUP, struct.pack("=IIQQQ", table, 0,
                                        ctypes.addressof(key),
                                        ctypes.addressof(value), 0))
        counts.append(value.value)
    os.close(table)
    return counts


INET_CREATORS = (inet_smc, lambda: inet_smc(socket.AF_INET6))
AF_SMC_CREATORS = (lambda: sockets.smc_socket("127.0.0.1"),
                   lambda: sockets.smc_socket("::1"))


@case
def refused_socket():
    """IPPROTO_SMC: a program can refuse the socket, and nothing of it stays."""
    refused(if_smc(returns(0)), INET_CREATORS)


@case
def refused_af_smc():
    """AF_SMC: a program can refuse the socket, and nothing of it stays."""
    refused(if_af_smc(returns(0)), AF_SMC_CREATORS)


@case
def create_and_release():
    """IPPROTO_SMC: programs see the start and the end of a socket."""
    same([2, 2], starts_and_ends(if_smc, INET_CREATORS))


@case
def create_and_release_af_smc():
    """AF_SMC: programs see the start and the end of a socket."""
    same([2, 2], starts_and_ends(if_af_smc, AF_SMC_CREATORS))


def sets_keepalive():
    """Sets SO_KEEPALIVE of the socket whose option is being set."""
    return (instruction(0x79, 0x11, 0, 0) +         # r1 = the socket
            instruction(0x62, 10, -4, 1) +          # the value on the stack
            instruction(0xb7, 2, 0, socket.SOL_SOCKET) +
            instruction(0xb7, 3, 0, socket.SO_KEEPALIVE) +
            instruction(0xbf, 0xa4, 0, 0) +         # r4 = r10
            instruction(0x07, 4, 0, -4) +
            instruction(0xb7, 5, 0, 4) +
            instruction(0x85, 0, 0, 49) +           # bpf_setsockopt()
            returns(1))


@case
def keepalive_by_program():
    """A program may set SO_KEEPALIVE, and does not wait for TCP's lock."""
    with group() as directory:
        attach_to(directory, BPF_PROG_TYPE_CGROUP_SOCKOPT,
                  BPF_CGROUP_SETSOCKOPT, sets_keepalive())
        with inside(directory), sockets.smc_socket(HOST) as sock:
            before = sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, 1)
            after = sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    same((0, 1), (before, after))


def main():
    """Runs the cases with cgroups of version 2."""
    global ROOT     # pylint: disable=global-statement
    with cgroups.mounted() as ROOT:
        return ktap.run_cases()


if __name__ == "__main__":
    sys.exit(main())
