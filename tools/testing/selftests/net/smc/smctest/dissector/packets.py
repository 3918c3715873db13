# SPDX-License-Identifier: GPL-2.0
"""Capture files with packets of RoCE and TCP."""

import socket
import struct

A, B = "10.77.0.1", "10.77.0.2"
QP = 0x11
ROCE_V2, TCP_PORT = 4791, 50000
UDP, TCP = 17, 6
# Opcodes of the base transport header
FIRST, MIDDLE, LAST, ONLY, WRITE_ONLY = 0, 1, 2, 4, 10


def _ethernet(source, target, protocol, payload):
    """Returns an IPv4 packet; nobody checks its checksums."""
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0x4000,
                       64, protocol, 0, socket.inet_aton(source),
                       socket.inet_aton(target))
    return bytes.fromhex("020000000001" "020000000002" "0800") + head + payload


def rdma(payload, opcode=ONLY, psn=1, source=A, target=B, qp=QP):
    """Returns a packet of RoCE v2."""
    pad = -len(payload) % 4
    extended = struct.pack(">QII", 0x1000, 1, len(payload)) \
        if opcode == WRITE_ONLY else b""
    body = struct.pack(">BBHII", opcode, pad << 4, 0xffff, qp, psn) + \
        extended + payload + bytes(pad) + bytes(4)
    return _ethernet(source, target, UDP, struct.pack(
        ">HHHH", 0xc000, ROCE_V2, 8 + len(body), 0) + body)


def split(payload, size, psn=1, **other):
    """Returns a message as several packets of this size."""
    pieces = [payload[at:at + size] for at in range(0, len(payload), size)]
    kinds = [FIRST] + [MIDDLE] * (len(pieces) - 2) + [LAST]
    return [rdma(piece, kind, psn + at, **other)
            for at, (piece, kind) in enumerate(zip(pieces, kinds))]


def tcp(payload, seq=1, to_server=True, port=TCP_PORT):
    ports = (40000, port) if to_server else (port, 40000)
    hosts = (A, B) if to_server else (B, A)
    return _ethernet(*hosts, TCP, struct.pack(
        ">HHIIBBHHH", *ports, seq, 1, 0x50, 0x18, 8192, 0, 0) + payload)


def write(name, packets):
    """Writes a capture file. packets: (packet, number of bytes that were
    captured of it), or the packet alone."""
    with open(name, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for number, packet in enumerate(packets):
            packet, size = packet if isinstance(packet, tuple) else (
                packet, len(packet))
            file.write(struct.pack("<IIII", number, 0, size, len(packet)) +
                       packet[:size])


def all_cuts(packet):
    """Returns the packet with each possible number of captured bytes."""
    return [(packet, size) for size in range(1, len(packet) + 1)]
