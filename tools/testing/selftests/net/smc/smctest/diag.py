# SPDX-License-Identifier: GPL-2.0
"""The list of SMC sockets, which the kernel's socket diagnosis returns."""

import socket
import struct

from smctest.sockets import AF_SMC

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST_DUMP = 0x301
DIAG_FALLBACK = 5
STATE_LISTEN = 10
MODES = {0: "smc", 1: "tcp"}


def _one(data):
    """Decodes a struct smc_diag_msg with its attributes."""
    state, mode = data[1], data[2]
    sport, dport = struct.unpack_from(">HH", data, 4)
    out = {"state": state, "mode": MODES.get(mode, mode), "sport": sport,
           "dport": dport, "reason": 0, "peer_reason": 0}
    at = 64
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if kind & 0x3fff == DIAG_FALLBACK:
            out["reason"], out["peer_reason"] = struct.unpack_from(
                "=II", data, at + 4)
        at += max(4, (length + 3) & ~3)
    return out


def sockets():
    """Returns all SMC sockets of this namespace, as dictionaries."""
    body = struct.pack("=BBBB48x", AF_SMC, 0, 0, 1 << (DIAG_FALLBACK - 1))
    head = struct.pack("=IHHII", 16 + len(body), SOCK_DIAG_BY_FAMILY,
                       NLM_F_REQUEST_DUMP, 1, 0)
    found = []
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                       NETLINK_SOCK_DIAG) as link:
        link.settimeout(5)
        link.sendall(head + body)
        while True:
            data = link.recv(1 << 18)
            while len(data) >= 16:
                length, kind = struct.unpack_from("=IH", data)
                if kind == NLMSG_DONE:
                    return found
                if kind == NLMSG_ERROR:
                    raise OSError(-struct.unpack_from("=i", data, 16)[0],
                                  "socket diagnosis")
                found.append(_one(data[16:length]))
                data = data[(length + 3) & ~3:]


def counters():
    """Returns the counters of /proc/net/smc_mib."""
    with open("/proc/net/smc_mib", encoding="ascii") as file:
        return {name: int(value) for name, value in map(str.split, file)}
