# SPDX-License-Identifier: GPL-2.0
"""Captures every flow, and decodes the packets with an independent decoder,
tshark. For frames tshark uses the script of tools/wireshark."""

import collections
import contextlib
import os
import shutil
import subprocess
import tempfile
import time

from smctest import Skip, check, dissector, same, sockets, wire
from smctest import messages as msg
from smctest.conformance.case import Case
from smctest.conformance.framed_peer import framed, offers_frames
from smctest.conformance.peer import CLIENT, SERVER, echo, pattern
from smctest.world import DEVICE

LIMIT = 100     # seconds for one look at a capture
# The words for each message in tshark's Info column.
NAMES = ("Proposal", "Accept", "Confirm", "Decline", "Confirm Link",
         "Add Link", "Delete Link", "Confirm Rkey", "Delete Rkey",
         "Test Link", "CDC Message")
PROPOSAL_LEN, CONFIRM_LEN = 52, 68


@contextlib.contextmanager
def _captured(name):
    """Runs tcpdump inside the with block. In immediate mode its ring has
    slots for the largest packet that offloads can make: the default 2 MiB
    hold 8 packets, and a host that stands still for a moment loses more."""
    argv = ["tcpdump", "-i", DEVICE, "-U", "--immediate-mode", "-s", "9000",
            "-B", "16384", "-w", name]
    with subprocess.Popen(argv, stderr=subprocess.PIPE) as dump:
        try:
            dump.stderr.readline()      # it listens
            yield
            time.sleep(0.5)             # packets may be under way
        finally:
            dump.terminate()
            said = dump.stderr.read().decode(errors="replace")
    check(os.path.getsize(name) > 1000 and
          "\n0 packets dropped by kernel" in said, f"tcpdump: {said}")


Frame = collections.namedtuple("Frame", "info malformed kind source target "
                               "length fin number opcode queue_pair "
                               "host protocols")
COLUMNS = ("_ws.col.Info", "_ws.malformed", "smc.clc_msg", "tcp.srcport",
           "tcp.dstport", "tcp.len", "tcp.flags.fin", "tcp.seq",
           "infiniband.bth.opcode", "infiniband.bth.destqp", "ip.dst",
           "frame.protocols")
# Opcodes of the base transport header: SEND and RDMA WRITE of a reliable
# connection, all without immediate data; and acknowledgements.
SENDS, WRITES, ACKNOWLEDGE = {0, 1, 2, 4}, {6, 7, 8, 10}, 17


def _tshark(name):
    """Decodes all frames at once, because each run takes long on a slow
    host."""
    argv = ["tshark", "-n", "-r", name, "-T", "fields",
            *(word for column in COLUMNS for word in ("-e", column))]
    done = subprocess.run(argv, check=False, capture_output=True,
                          encoding="utf-8", timeout=LIMIT)
    check(not done.returncode, f"tshark: {done.stderr}")
    frames = [Frame(*line.split("\t")) for line in done.stdout.splitlines()]
    check(frames, f"nothing was captured: {done.stderr}")
    return frames


def _short(frame):
    """The Proposal ends with its mask area, as in the RFC. tshark 4.0 also
    reads fields of SMC-D, which follow the mask area in newer messages. Other
    tests check each byte."""
    return frame.kind == "1" and frame.length == str(PROPOSAL_LEN)


def _ours(frame):
    """Can tshark know this message? It takes a random port for that of another
    protocol, and its data for malformed messages. So of TCP only SMC counts, and
    of RDMA only SENDs."""
    return "smc" in frame.protocols.split(":") or frame.opcode == "4"


def _flows(bench, module):
    """Sends each kind of message, and ends connections in all ways. Returns
    the TCP ports of a connection whose data moved by RDMA to the end."""
    first, group = bench.connect(module)
    echo(first)
    group.alive()
    group.send(msg.confirm_rkey(0x1234, 0x5000))
    group.expect(msg.CONFIRM_RKEY)
    group.send(msg.delete_rkey([0x1234, 0x4321]))
    group.expect(msg.DELETE_RKEY)
    group.send(msg.delete_link(99, msg.LOST_PATH))
    group.expect(msg.DELETE_LINK)
    orderly = group.connect()
    for _ in range(3):
        echo(orderly, 2000)
    ports = {str(name[1]) for name in (orderly.tcp.getsockname(),
                                       orderly.tcp.getpeername())}
    orderly.data(pattern(0, 10), ends=msg.D)
    orderly.gets(pattern(0, 10))
    bench.app.close(orderly.number)
    orderly.number = None
    orderly.expect(ends=msg.C)
    orderly.tell(ends=msg.D | msg.C)
    orderly.expect_gone()
    orderly.expect_tcp("FIN")
    aborted = group.connect()
    aborted.tell(ends=msg.A)
    aborted.expect(ends=msg.A)
    aborted.expect_gone()
    declined = group.contact()
    declined.propose()
    if module == SERVER:
        declined.accepted()
        declined.tcp.sendall(wire.decline())
        declined.take()
    else:
        declined.accept(qpn=group.me.qpn ^ 1)
        sockets.expect(declined.tcp, wire.DECLINE)
        check(declined.outcome() == 0, "connect() failed")
    group.end()
    return ports


def _nothing_on_tcp(frames, ports):
    """After CLC, TCP carries only a FIN, whose sequence number follows the
    last CLC byte."""
    sent = collections.Counter()
    ends = {}
    for frame in frames:
        if {frame.source, frame.target} != ports:
            continue
        if int(frame.length):       # a repeated packet counts once
            sent[frame.source] = max(sent[frame.source], int(frame.number) +
                                     int(frame.length) - 1)
        if frame.fin in ("1", "True"):
            ends[frame.source] = int(frame.number)
    # R-1.1-01
    check(sorted(sent.values()) == [CONFIRM_LEN, PROPOSAL_LEN + CONFIRM_LEN],
          f"bytes on TCP: {dict(sent)}")
    for source, number in ends.items():     # relative to the SYN
        # R-1.1-05
        check(number == sent[source] + 1, f"FIN has number {number}")
    check(ends, "no FIN")


def _connections_only(frames):
    """Checks the RDMA packets: all belong to reliable connections."""
    opcodes = {int(frame.opcode, 0) for frame in frames if frame.opcode}
    # R-2-03, R-4.7-02
    check(opcodes <= SENDS | WRITES | {ACKNOWLEDGE}, f"opcodes {opcodes}")
    check(opcodes & SENDS and opcodes & WRITES, f"only opcodes {opcodes}")
    pairs = {int(frame.queue_pair, 0) for frame in frames if frame.queue_pair}
    # queue pair 1 is for management; only the connection manager uses it
    # R-1.1-07
    check(min(pairs) > 1, f"queue pairs {pairs}")


def _written_first(frames):
    """The first data to each queue pair precedes the CDC message about it."""
    seen = {}       # (host, queue pair, message?): number of the first frame
    for number, frame in enumerate(frames):
        opcode = int(frame.opcode or "255", 0)
        told = opcode in SENDS and "cdc message" in frame.info.lower()
        if told or opcode in WRITES:
            seen.setdefault((frame.host, frame.queue_pair, told), number)
    pairs = {pair[:2] for pair in seen if pair[2]}
    check(len(pairs) >= 4, f"data for {pairs} only")
    for pair in pairs:
        # R-2.1-19
        check(seen.get((*pair, False), len(frames)) < seen[*pair, True],
              f"told before it was written, to {pair}")


def _needs_programs():
    for program in ("tcpdump", "tshark"):
        if not shutil.which(program):
            raise Skip(f"no {program}")


def _decoded(bench):
    _needs_programs()
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "capture")
        with _captured(name):
            flows = [_flows(bench, module) for module in (SERVER, CLIENT)]
        frames = _tshark(name)
    wrong = [frame for frame in frames
             if frame.malformed and _ours(frame) and not _short(frame)]
    # R-A.2-05, R-A.3.2-02
    check(not wrong, f"malformed: {wrong}")
    seen = "\n".join(frame.info for frame in frames).lower()
    missing = [one for one in NAMES if one.lower() not in seen]
    # R-A.3-01, R-A.4-01
    check(not missing, f"not seen: {missing} in\n{seen}")
    for pair in flows:
        _nothing_on_tcp(frames, pair)
    _connections_only(frames)
    _written_first(frames)


def _frames(bench):
    """Checks that tshark finds the same records as the peer."""
    _needs_programs()
    if not os.path.exists(dissector.SCRIPT):
        raise Skip(f"no {dissector.SCRIPT}")
    offers_frames(bench)
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "capture")
        with _captured(name), framed(bench, SERVER) as (conn, _):
            conn.sends(pattern(0, 300))
            conn.expect(pattern(0, 300))
            conn.say(b"abc")
            conn.gets(b"abc")
            tokens = conn.me.token, conn.theirs.token
        found = dissector.read(name, ("smcx.record.token", "smcx.record.data"),
                               ("--disable-protocol", "rpcordma"))
    same([], [got.complaints for got in found if got.complaints])
    seen = {(token, data) for got in found for token, data in
            zip(got.numbers("smcx.record.token"), got["smcx.record.data"])}
    for token, data in zip(tokens, (pattern(0, 300), b"abc")):
        # F-02, F-03
        check((token, data.hex()) in seen, f"{token:x}: no {data[:9]!r}")


def cases():
    yield Case("capture of frames", "", _frames, limit=2 * LIMIT)
    yield Case("capture of every flow", "R-A.2-05, R-A.3-01, R-A.3.2-02, "
               "R-A.4-01, R-1.1-01, R-1.1-05, R-2.1-19, R-2-03, R-4.7-02",
               _decoded, limit=2 * LIMIT)
