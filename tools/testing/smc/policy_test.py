#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Checks the examples of tools/policy; prints KTAP.

policy_test.py [TREE]

clang compiles the BPF program for its hook. nft accepts the rules, which take
option 254 out of a SYN of a client that is not in the group, and nothing else.
"""

import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

import ktap

HERE = os.path.dirname(os.path.realpath(__file__))
RULES = "tools/policy/smc-owners.nft"
PROGRAM = "tools/policy/no_smc.c"
HOOK = b"cgroup/sock_create\0"
GROUP = 2000
ADDRESS = socket.inet_aton("127.0.0.1")
ETH_P_ALL = 3
SYN, ACK = 0x02, 0x10
# maximum segment size, and SMC-R's part of option 254
OPTIONS = bytes.fromhex("020405b4fe06e2d4c3d90101")
STRIPPED = bytes.fromhex("020405b40101010101010101")


def compiles(top):
    """Returns what is wrong, or an empty string."""
    machine = os.uname().machine
    with tempfile.TemporaryDirectory() as scratch:
        to = os.path.join(scratch, "no_smc.o")
        done = subprocess.run(
            ["clang", "-O2", "-Wall", "-Wextra", "-Werror", "-target", "bpf",
             f"-I/usr/include/{machine}-linux-gnu", "-c",
             os.path.join(top, PROGRAM), "-o", to], check=False,
            capture_output=True, encoding="utf-8")
        if done.returncode:
            return done.stderr
        with open(to, "rb") as file:
            return "" if HOOK in file.read() else "no section of the hook"


def constants(top):
    """Returns the numbers of the program that the header does not have."""
    with open(os.path.join(top, PROGRAM), encoding="utf-8") as file:
        program = file.read()
    with open(os.path.join(top, "include/uapi/linux/smc.h"),
              encoding="utf-8") as file:
        number = re.search(r"SMCPROTO_INET\s*=?\s*(\d+)", file.read())
    return f"protocol {number and number[1]}" if not number or \
        f"protocol != {number[1]};" not in program or \
        "family != 43 " not in program else ""


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff


def send(port, flags, group):
    """A process of the group sends a segment with options to this host."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    os.setgid(group)    # the owner is the group that opens the socket
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
    head = struct.pack("!HHIIBBHHH", 4000, port, 1, 0,
                       (20 + len(OPTIONS)) // 4 << 4, flags, 1000, 0, 0)
    pseudo = ADDRESS * 2 + struct.pack("!HH", socket.IPPROTO_TCP,
                                       20 + len(OPTIONS))
    total = checksum(pseudo + head + OPTIONS)
    raw.sendto(head[:16] + struct.pack("!H", total) + head[18:] + OPTIONS,
               ("127.0.0.1", 0))
    os._exit(0)


def options_of(tap, port):
    """Returns the options of the next segment to this port."""
    while True:
        packet = tap.recv(2048)[14:]
        if len(packet) >= 40 and packet[9] == socket.IPPROTO_TCP and \
           packet[22:24] == struct.pack("!H", port):
            return packet[40:20 + (packet[32] >> 4) * 4]


def inside(top):
    """Runs in a network namespace of its own, and prints what is wrong."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["nft", "-f", os.path.join(top, RULES)], check=True)
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                        socket.htons(ETH_P_ALL))
    tap.bind(("lo", 0))
    tap.settimeout(30)
    for port, (flags, group, wanted) in enumerate(
            ((SYN, 0, STRIPPED), (SYN, GROUP, OPTIONS),
             (SYN | ACK, 0, OPTIONS), (ACK, 0, OPTIONS)), 5000):
        send(port, flags, group)
        found = options_of(tap, port)
        if found != wanted:
            print(f"flags {flags:#x}, group {group}: {found.hex()}")


def rules(report, top):
    """The owner of a packet is a group of the first user namespace."""
    name = "rules: a SYN of another group has no option 254"
    if os.geteuid() or not shutil.which("nft") or subprocess.run(
            ["unshare", "--net", "nft", "add", "table", "inet", "probe"],
            check=False, capture_output=True).returncode:
        report.skip(name, "needs root, nft, and a kernel with nf_tables")
        return
    done = subprocess.run(["unshare", "--net", sys.executable, "-B", __file__,
                           "--inside", top], check=False, capture_output=True,
                          encoding="utf-8", timeout=60)
    said = done.stdout + done.stderr
    report.result(not done.returncode and not said, name, said)


def main():
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2])
        return 0
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "../../..")
    report = ktap.Report()
    if shutil.which("clang"):
        wrong = compiles(top)
        report.result(not wrong, "program: clang compiles it", wrong)
    else:
        report.skip("program: clang compiles it", "clang is not installed")
    wrong = constants(top)
    report.result(not wrong, "program: numbers of AF_SMC and IPPROTO_SMC", wrong)
    rules(report, top)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
