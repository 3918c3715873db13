# SPDX-License-Identifier: GPL-2.0
"""Captures TCP segments and RDMA packets, and forges TCP segments."""

import collections
import socket
import struct

from smctest import polls, wire
from smctest.world import DEVICE

ETH_P_ALL, ETH_P_IP, ETH_P_IPV6, ETH_P_8021Q = 3, 0x800, 0x86dd, 0x8100
FIN, SYN, RST, ACK = 1, 2, 4, 16
ROCE_V2 = 4791      # UDP port

Segment = collections.namedtuple(
    "Segment", "sport dport seq ack flags options payload ttl tos",
    defaults=(None, None))


def _segment(packet, protocol):
    """Returns the TCP segment in an IP packet, or None. TTL and TOS are for
    IPv4 only."""
    extra = ()
    if protocol == ETH_P_IP and packet[9] == socket.IPPROTO_TCP:
        end = int.from_bytes(packet[2:4], "big")
        data = packet[(packet[0] & 15) * 4:end]
        extra = packet[8], packet[1]
    elif protocol == ETH_P_IPV6 and packet[6] == socket.IPPROTO_TCP:
        data = packet[40:40 + int.from_bytes(packet[4:6], "big")]
    else:
        return None
    sport, dport, seq, ack, offset, flags = struct.unpack_from(">HHIIBB", data)
    head = (offset >> 4) * 4
    return Segment(sport, dport, seq, ack, flags, data[20:head], data[head:],
                   *extra)


Rdma = collections.namedtuple("Rdma", "source queue_pair tos")


def _rdma(packet, protocol):
    """Returns the header fields of an RDMA packet over IPv4, or None."""
    if protocol != ETH_P_IP or packet[9] != socket.IPPROTO_UDP:
        return None
    data = packet[(packet[0] & 15) * 4:]
    if int.from_bytes(data[2:4], "big") != ROCE_V2:
        return None
    return Rdma(socket.inet_ntoa(packet[12:16]),
                int.from_bytes(data[13:16], "big"), packet[1])


class Sniffer:
    """Captures all TCP segments and RDMA packets while the object is open."""

    def __init__(self):
        self.segments = []
        self.rdma = []
        self._sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                   socket.htons(ETH_P_ALL))
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self._sock.bind((DEVICE, ETH_P_ALL))
        self._sock.setblocking(False)

    def __enter__(self):
        return self

    def __exit__(self, *_exc):
        self.close()

    def close(self):
        self._sock.close()

    def read(self):
        """Reads all captured packets."""
        while True:
            try:
                frame = self._sock.recv(65536)
            except BlockingIOError:
                return self.segments
            protocol = int.from_bytes(frame[12:14], "big")
            at = 14
            if protocol == ETH_P_8021Q:
                protocol = int.from_bytes(frame[16:18], "big")
                at = 18
            segment = _segment(frame[at:], protocol)
            if segment:
                self.segments.append(segment)
            packet = _rdma(frame[at:], protocol)
            if packet:
                self.rdma.append(packet)

    def find(self, condition, seconds=20):
        """Returns the first segment for which the condition holds, or None."""
        for _ in polls(seconds, first=0.01, most=0.1):
            for segment in self.read():
                if condition(segment):
                    return segment
        return None

    def stream(self, sport, dport):
        """Returns the payload from one port to another, in order."""
        start = {segment.seq: segment.payload for segment in self.read()
                 if (segment.sport, segment.dport) == (sport, dport) and
                 segment.payload}
        if not start:
            return b""
        data, at = b"", min(start)
        while at in start:      # a retransmission starts at the same sequence number
            data += start[at]
            at += len(start[at])
        return data

    def messages(self, sport, dport):
        """Returns the CLC messages from one port to another."""
        return wire.split(self.stream(sport, dport))


def shows_option(segment):
    return wire.OPTION in segment.options


def _checksum(data):
    data += bytes(len(data) & 1)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def send(source, target, segment):
    """Sends a segment that does not come from a socket of this host; only
    IPv4."""
    options = segment.options + bytes(-len(segment.options) % 4)
    head = struct.pack(">HHIIBBHHH", segment.sport, segment.dport, segment.seq,
                       segment.ack, (20 + len(options)) // 4 << 4,
                       segment.flags, 8192, 0, 0)
    data = head + options + segment.payload
    pseudo = (socket.inet_aton(source) + socket.inet_aton(target) +
              struct.pack(">BBH", 0, socket.IPPROTO_TCP, len(data)))
    check = _checksum(pseudo + data)
    data = data[:16] + wire.be16(check) + data[18:]
    with socket.socket(socket.AF_INET, socket.SOCK_RAW,
                       socket.IPPROTO_TCP) as raw:
        raw.sendto(data, (target, 0))
