# SPDX-License-Identifier: GPL-2.0
"""CLC messages (RFC 7609 A.2) as bytes, and functions that damage them."""

import dataclasses
import ipaddress
import struct

EYE = bytes.fromhex("e2d4c3d9")
EYE_SMCD = bytes.fromhex("e2d4c3c4")
OPTION = bytes.fromhex("fe06e2d4c3d9")      # on SYN and SYN-ACK

PROPOSAL, ACCEPT, CONFIRM, DECLINE = 1, 2, 3, 4
HEADER_LEN = 8
FLAG = 8                # F of an Accept, S of a Decline
OFFER_R, OFFER_D, OFFER_NONE, OFFER_BOTH = 0, 1, 2, 3

# Offsets in every message, ...
AT_TYPE, AT_LENGTH, AT_VERSION = 4, 5, 7
# ... in a Proposal, ...
AT_SKIP, AT_NET, AT_MASK, AT_COUNT, AT_PREFIX = 38, 40, 44, 47, 48
PREFIX_LEN = 17
# ... in Accept and Confirm.
AT_PEER_ID, AT_QPN, AT_INDEX, AT_SIZES = 8, 38, 45, 50

# Diagnosis codes that the tests expect.
MEMORY = 0x01010000
SUBNET = 0x03070000
NO_DEVICE = 0x03030002
IPSEC = 0x03020000
CONFIG = 0x03000000
NO_OPTION = 0x03010000
OUT_OF_SYNC = 0x04000000
PEER_DECLINED = 0x05000000
NO_EXTENSION = 0x03030004
NO_UEID = 0x03030008
RELEASE = 0x03030009
FEW_CONNS = 0x0303000a
FEW_LINKS = 0x0303000b
NO_LINK = 0x030a0000
NO_ROUTE = 0x030e0000
INDIRECT = 0x030f0000
LINK_TIMEOUT = 0x02010000
LINK_NOT_READY = 0x09990002


@dataclasses.dataclass(frozen=True)
class Offer:    # pylint: disable=too-many-instance-attributes
    """The fields of Accept and Confirm that describe the sender, its link and
    its buffer."""

    peer_id: bytes
    gid: bytes
    mac: bytes
    qpn: int = 0x123456
    rkey: int = 0x77
    index: int = 1
    token: int = 0x55aa55aa
    bsize: int = 2
    mtu: int = 3
    addr: int = 0x1000
    psn: int = 0x1234

    def but(self, **changes):
        """Returns a copy with other values."""
        return dataclasses.replace(self, **changes)


def message(kind, body, version=1, flags=0, eye=EYE):
    """Returns a message: header, body and trailer."""
    length = HEADER_LEN + len(body) + len(eye)
    return (eye + struct.pack(">BHB", kind, length, version << 4 | flags) +
            body + eye)


def spoil(data, at, new):
    """Returns data with the bytes at an offset (from the end if negative)
    replaced."""
    at %= len(data)
    return data[:at] + new + data[at + len(new):]


def be16(value):
    return value.to_bytes(2, "big")


def _area(net, prefixes):
    """Returns the mask and prefix area of a Proposal."""
    out = bytes(5)
    if net:
        net = ipaddress.IPv4Network(net)
        out = net.network_address.packed + bytes([net.prefixlen])
    out += bytes(2) + bytes([len(prefixes)])
    for prefix in prefixes:
        prefix = ipaddress.IPv6Network(prefix)
        out += prefix.network_address.packed + bytes([prefix.prefixlen])
    return out


def _sender(offer):
    return offer.peer_id + offer.gid + offer.mac


def proposal(offer, net=None, prefixes=(), skip=b"", version=1):
    """Returns the Proposal of the RFC; skip precedes the mask area."""
    return message(PROPOSAL, _sender(offer) + be16(len(skip)) + skip +
                   _area(net, prefixes), version)


def linux_proposal(offer, net, typev1, typev2=OFFER_R):
    """Returns a Proposal of version 2 as deployed Linux sends it, with one
    enterprise ID.

    The block for SMC-D precedes the mask area, and the version 2 extension
    follows it. Without SMC-R in version 1 there is no mask area.
    """
    with_v1 = typev1 != OFFER_NONE
    area = _area(net, ()) if with_v1 else b""
    block = bytes(10) + be16(28 + len(area)) + bytes(28)
    extension = (bytes([1, 0, 0, 0x10]) + bytes(4) + offer.gid +
                 bytes([255, 2, 0, 1]) + bytes(12) +
                 b"ENTERPRISE OF NOBODY".ljust(32))
    if typev2 == OFFER_NONE:
        extension = b""
    body = (_sender(offer) + be16(len(block) if with_v1 else 0) + block +
            area + extension)
    return message(PROPOSAL, body, 2, typev2 << 2 | typev1)


DEFAULT_EID = "SMCV2-DEFAULT-UEID"


# pylint: disable-next=too-many-arguments
def proposal2(offer, net, eids=(DEFAULT_EID,), typev2=OFFER_R, release=1,
              conns=255, links=2, gid=None, prefixes=()):
    """Returns a Proposal of both versions; without a subnet and prefixes, of
    version 2 only."""
    with_v1 = net or prefixes
    area = _area(net, prefixes) if with_v1 else b""
    block = bytes(10) + be16(28 + len(area)) + bytes(28)
    extension = (bytes([len(eids), 0, 0, release << 4]) + bytes(4) +
                 (gid or offer.gid) + bytes([conns, links]) + bytes(14) +
                 b"".join(eid.ljust(32).encode() for eid in eids))
    body = (_sender(offer) + be16(len(block) if with_v1 else 0) + block + area +
            extension)
    return message(PROPOSAL, body, 2,
                   typev2 << 2 | (OFFER_R if with_v1 else OFFER_NONE))


def _eid(eid=DEFAULT_EID):
    return eid.ljust(32).encode() + bytes(8)


def _first(release=1, conns=255, links=1):
    """First-contact extension."""
    return (bytes([0x80, 0x20 | release]) + bytes(2) +
            b"hostile".ljust(32) + bytes([conns, links]) + bytes(14))


def accept2(offer, first=True):
    return message(ACCEPT, _link(offer) + _eid() + (_first() if first else b""),
                   2, FLAG if first else 0)


def confirm2(offer, got):
    """Returns the Confirm for this Accept of first contact."""
    conns, links = got.data[140], got.data[141]
    return message(CONFIRM, _link(offer) + _eid() +
                   _first(got.data[105] & 15, conns, links) + bytes([1, 0, 0, 0]) +
                   offer.gid, 2, FLAG)


def _link(offer):
    return (_sender(offer) + offer.qpn.to_bytes(3, "big") +
            struct.pack(">IBIBBQB", offer.rkey, offer.index, offer.token,
                        offer.bsize << 4 | offer.mtu, 0, offer.addr, 0) +
            offer.psn.to_bytes(3, "big"))


def accept(offer, first=True):
    return message(ACCEPT, _link(offer), flags=FLAG if first else 0)


def confirm(offer):
    return message(CONFIRM, _link(offer))


def decline(code=CONFIG, sync=False, version=1, peer_id=bytes(8)):
    words = bytes(16) if version > 1 else b""
    return message(DECLINE, peer_id + struct.pack(">II", code, 0) + words,
                   version, FLAG if sync else 0)


class Message:
    """A message as received."""

    def __init__(self, data):
        self.data = data
        self.kind = data[AT_TYPE]
        self.version = data[AT_VERSION] >> 4
        self.flag = bool(data[AT_VERSION] & FLAG)
        self.peer_id = data[8:16]

    def __repr__(self):
        return f"message {self.data.hex()}"

    @property
    def diagnosis(self):
        return int.from_bytes(self.data[16:20], "big")

    @property
    def prefixes(self):
        """Returns the IPv6 prefixes of a Proposal."""
        skip = int.from_bytes(self.data[AT_SKIP:AT_SKIP + 2], "big")
        data = self.data[AT_PREFIX + skip:]
        return [ipaddress.IPv6Network((data[17 * i:17 * i + 16],
                                       data[17 * i + 16]))
                for i in range(self.data[AT_COUNT + skip])]

    @property
    def offer(self):
        """Returns the fields of an Accept or Confirm."""
        data = self.data
        rkey, index, token, sizes, _, addr, _ = struct.unpack_from(
            ">IBIBBQB", data, 41)
        return Offer(peer_id=data[8:16], gid=data[16:32], mac=data[32:38],
                     qpn=int.from_bytes(data[38:41], "big"), rkey=rkey,
                     index=index, token=token, bsize=sizes >> 4,
                     mtu=sizes & 15, addr=addr,
                     psn=int.from_bytes(data[61:64], "big"))


def split(stream):
    """Returns the messages at the beginning of a captured stream."""
    out = []
    while len(stream) >= HEADER_LEN and stream[:3] == EYE[:3]:
        length = int.from_bytes(stream[AT_LENGTH:AT_LENGTH + 2], "big")
        if length < HEADER_LEN or len(stream) < length:
            break
        out.append(Message(stream[:length]))
        stream = stream[length:]
    return out
