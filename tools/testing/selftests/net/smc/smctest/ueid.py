# SPDX-License-Identifier: GPL-2.0
"""Sets the user EIDs of version 2 over generic netlink.

As a program with arguments NAME..., replaces all UEIDs by these names.
"""

import errno
import os
import socket
import struct
import sys

NETLINK_GENERIC, GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2
NLM_F_REQUEST_ACK = 5
NLMSG_ERROR = 2
UEID_ADD, UEID_FLUSH, EID = 10, 12, 1
DEFAULT = "SMCV2-DEFAULT-UEID"


def _attribute(kind, data):
    pad = b"\0" * (-len(data) % 4)
    return struct.pack("=HH", 4 + len(data), kind) + data + pad


def _ask(kind, command, payload=b""):
    """Sends a request; returns the attributes of the reply before the ACK."""
    body = struct.pack("=BBH", command, 1, 0) + payload
    head = struct.pack("=IHHII", 16 + len(body), kind, NLM_F_REQUEST_ACK, 1, 0)
    found = {}
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                       NETLINK_GENERIC) as link:
        link.settimeout(10)
        link.send(head + body)
        while True:
            data = link.recv(1 << 16)
            while len(data) >= 16:
                length, what = struct.unpack_from("=IH", data)
                one, data = data[16:length], data[(length + 3) & ~3:]
                if what != NLMSG_ERROR:
                    found = _attributes(one[4:])
                    continue
                code = -struct.unpack_from("=i", one)[0]
                if code:
                    raise OSError(code, os.strerror(code))
                return found


def _attributes(data):
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        found[kind] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found


def _family():
    name = _attribute(CTRL_ATTR_FAMILY_NAME, b"SMC_GEN_NETLINK\0")
    reply = _ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, name)
    return struct.unpack("=H", reply[CTRL_ATTR_FAMILY_ID])[0]


def replace(names):
    """Replaces all UEIDs by these names."""
    family = _family()
    try:
        _ask(family, UEID_FLUSH)
    except OSError as err:
        if err.errno != errno.ENOENT:
            raise
    for name in names:
        _ask(family, UEID_ADD, _attribute(EID, name.ljust(32).encode() + b"\0"))


if __name__ == "__main__":
    replace(sys.argv[1:])
