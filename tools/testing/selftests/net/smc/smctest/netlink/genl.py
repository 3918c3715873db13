# SPDX-License-Identifier: GPL-2.0
"""Generic netlink: requests and replies as bytes."""

import os
import socket
import struct

NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK, NLM_F_DUMP = 1, 2, 4, 0x300
NLM_F_CAPPED, NLM_F_ACK_TLVS = 0x100, 0x200
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLMSGERR_ATTR_MSG = 1
NLA_F_NESTED, NLA_TYPE_MASK = 0x8000, 0x3fff
SOL_NETLINK, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 270, 10, 11
NETLINK_GET_STRICT_CHK = 12
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2
LIMIT = 10      # seconds for an answer


class Refused(OSError):
    """The kernel's errno and its message."""

    def __init__(self, error, words):
        super().__init__(error, os.strerror(error))
        self.words = words


def attribute(kind, data):
    pad = b"\0" * (-len(data) % 4)
    return struct.pack("=HH", 4 + len(data), kind) + data + pad


def attributes(data):
    """Returns [(type, nested flag, payload)]; raises ValueError on invalid
    data."""
    found = []
    while data:
        if len(data) < 4:
            raise ValueError(f"{len(data)} bytes behind the last attribute")
        length, kind = struct.unpack_from("=HH", data)
        if length < 4 or length > len(data):
            raise ValueError(f"attribute of {length} bytes in {len(data)}")
        found.append((kind & NLA_TYPE_MASK, bool(kind & NLA_F_NESTED),
                      data[4:length]))
        data = data[(length + 3) & ~3:]
    return found


def _words(body, flags):
    """Returns the text of an extended acknowledgement."""
    if not flags & NLM_F_ACK_TLVS:
        return ""
    inner = struct.unpack_from("=I", body, 4)[0]
    start = 20 if flags & NLM_F_CAPPED else 4 + ((inner + 3) & ~3)
    for kind, _, value in attributes(body[start:]):
        if kind == NLMSGERR_ATTR_MSG:
            return value.rstrip(b"\0").decode()
    return ""


class Link:
    """A socket of NETLINK_GENERIC."""

    def __init__(self, receive=1 << 16):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.socket.settimeout(LIMIT)
        for option in (NETLINK_CAP_ACK, NETLINK_EXT_ACK,
                       NETLINK_GET_STRICT_CHK):
            self.socket.setsockopt(SOL_NETLINK, option, 1)
        self.receive = receive
        self.parts = 0
        self.seq = 0
        self.ids = {}

    def close(self):
        self.socket.close()

    def request(self, kind, flags, payload):
        """Returns (type, flags, payload) of all answers."""
        self.seq += 1
        self.parts = 0
        self.socket.send(struct.pack("=IHHII", 16 + len(payload), kind,
                                     NLM_F_REQUEST | flags, self.seq, 0) +
                         payload)
        answers = []
        while True:
            data = self.socket.recv(self.receive)
            self.parts += 1
            while len(data) >= 16:
                length, what, bits, seq = struct.unpack_from("=IHHI", data)
                body, data = data[16:length], data[(length + 3) & ~3:]
                if seq != self.seq:
                    raise ValueError(f"answer to {seq}, not to {self.seq}")
                if what in (NLMSG_DONE, NLMSG_ERROR):
                    # The message that ends a list may have no data.
                    error = -struct.unpack("=i", body[:4] or bytes(4))[0]
                    if error:
                        raise Refused(error, _words(body, bits))
                    return answers
                answers.append((what, bits, body))

    def family(self, name):
        if name not in self.ids:
            head = struct.pack("=BBH", CTRL_CMD_GETFAMILY, 1, 0)
            head += attribute(CTRL_ATTR_FAMILY_NAME, name.encode() + b"\0")
            for _, _, body in self.request(GENL_ID_CTRL, NLM_F_ACK, head):
                for kind, _, value in attributes(body[4:]):
                    if kind == CTRL_ATTR_FAMILY_ID:
                        self.ids[name] = struct.unpack("=H", value)[0]
        return self.ids[name]
