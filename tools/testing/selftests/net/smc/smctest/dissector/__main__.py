# SPDX-License-Identifier: GPL-2.0
"""Tests tools/wireshark/smcr.lua with captures that the test writes; prints
KTAP.

run_module dissector CODEC

CODEC is the program of tools/wireshark/codec.c. All messages come from smctest,
which follows the pages and not the module.
"""

import random
import shutil
import struct
import subprocess
import sys
import tempfile

from smctest import extension, frames, ktap, messages, wire
from smctest.dissector import LIMIT, SCRIPT, dissect, packets
from smctest.frames import Record, frame
from smctest.ktap import case, check, same

SEED, MUTANTS = 7609, 3000

ALL = Record(0x55aa0007, frames.B | frames.W, 900, 3, 100, 2,
             (3, 4, 4096, 65536), 5, (6, 70), 8)
DATA = Record(8, frames.D, 5, 2, 4096, 0, data=b"hello")
ENDS = Record(9, frames.D | frames.C | frames.A, 1 << 62, 1 << 62, 0xffffffff,
              1, urgent=1 << 62)
FULL = Record(11, frames.C, (1 << 40) - 1, (1 << 40) - 2, (1 << 24) - 1, 65535,
              data=b"short", short=True)
GOOD = (frame(16), frame(0xffffffff, DATA), frame(20, ALL, DATA, ENDS),
        frame(21, DATA, Record(10, prod=4, data=bytes(3)), ALL),
        frame(22, waits=True), frame(23, FULL, ALL.but(short=True), ENDS))
ME = wire.Offer(bytes(8), bytes(range(16)), b"\2\0\0\0\0\1")
# The values of a record as fields of the dissector, in the order of the wire
VALUES = ("token", "flags", "parts", "length", "producer", "consumer", "window",
          "heard")
PART_VALUES = (("offer.number", "offer.rkey", "offer.offset", "offer.size"),
               ("move",), ("answer.number", "answer.position"), ("urgent",))


def record_columns():
    names = VALUES + sum(PART_VALUES, ())
    return [f"smcx.record.{name}" for name in names]


def records_of(found):
    """Returns the values of a packet's records, as codec.c prints them."""
    columns = {name: iter(found.numbers(name)) for name in record_columns()}

    def values(names):
        return [next(columns[f"smcx.record.{name}"]) for name in names]

    out = []
    for _ in found["smcx.record.token"]:
        out.append(values(VALUES))
        for (_, bit, _), names in zip(frames.PARTS, PART_VALUES):
            if out[-1][2] & bit:
                out[-1] += values(names)
    return out


def as_values(record):
    """Returns the values of a Record, in the same way."""
    out = [record.token, record.flags, bytes(record)[5], len(record.data),
           record.prod, record.cons, record.window, record.heard]
    for name, _, _ in frames.PARTS:
        value = getattr(record, name)
        if value is not None:
            out += value if isinstance(value, tuple) else [value]
    return out


def expert_texts(found):
    return " ".join(found["_ws.expert.message"])


# -- frames ------------------------------------------------------------------

@case
def good_frames():
    """frames: header, records, parts and data"""
    columns = ("smcx.frame.records", "smcx.frame.length", "smcx.frame.credits",
               "smcx.record.limit", "smcx.record.begin", "smcx.record.data",
               *(f"smcx.record.flags.{one}" for one in "bwdca"),
               *(f"smcx.record.parts.{one[0]}" for one in frames.PARTS),
               "smcx.record.parts.short",
               *record_columns(), "_ws.col.Info", "_ws.col.Protocol")
    found = dissect([packets.rdma(one) for one in GOOD], columns)
    for bytes_, got in zip(GOOD, found):
        credits, records = frames.parse(bytes_)
        same([], got.complaints)
        same([len(records)], got.numbers("smcx.frame.records"))
        same([len(bytes_)], got.numbers("smcx.frame.length"))
        same([credits], got.numbers("smcx.frame.credits"))
        same([as_values(one) for one in records], records_of(got))
        same([one.cons + one.window for one in records],
             got.numbers("smcx.record.limit"))
        withdata = [one for one in records if one.data]
        same([one.data.hex() for one in withdata], got["smcx.record.data"])
        same([one.prod - len(one.data) for one in withdata],
             got.numbers("smcx.record.begin"))
        for name, bit in zip("bwdca", (0x80, 0x40, 0x20, 0x10, 8)):
            same([int(bool(one.flags & bit)) for one in records],
                 got.numbers(f"smcx.record.flags.{name}"))
        for name, bit, _ in frames.PARTS:
            same([int(bool(bytes(one)[5] & bit)) for one in records],
                 got.numbers(f"smcx.record.parts.{name}"))
        same([int(one.short) for one in records],
             got.numbers("smcx.record.parts.short"))
        same(["SMC-R"], got["_ws.col.Protocol"])
    check(found[2]["_ws.col.Info"][0].endswith(
        "[SMC-R] Frame, 3 records, SENDs up to 20"), f"{found[2]}")


@case
def filters():
    """frames: display filters"""
    sent = [packets.rdma(one) for one in GOOD]
    for text, wanted in (("smcx.frame.type", 6),
                         ("smcx.record.parts.short == 1", 1),
                         ("smcx.frame.type == 0xfb", 1),
                         ("smcx.frame.credits == 20", 1),
                         ("smcx.record.token == 8", 3),
                         ("smcx.record.flags.a == 1", 2),
                         ("smcx.record.offer.size >= 65536", 3),
                         ("smcx.record.data contains \"ell\"", 3),
                         ("smcx.record.producer > 4611686018427387903", 2),
                         ("smcx.frame.malformed", 0), ("smc", 0)):
        same((text, wanted), (text, len(dissect(sent, options=("-Y", text)))))


MALFORMED = (
    ("one byte", GOOD[0][:1], "no header (F-02)"),
    ("half a header", GOOD[0][:7], "no header (F-02)"),
    ("length too large", frame(1, DATA, length=46), "The header says 46"),
    ("length too small", frame(1, DATA, length=44), "The header says 44"),
    ("a record too few", frame(1, DATA, DATA, count=1), "37 bytes behind"),
    ("a record too many", frame(1, DATA, count=2), "Record 2: the message"),
    ("bytes behind the records", frame(1, length=9) + b"x", "1 bytes behind"),
    ("unknown part", frame(1, DATA.but(parts=1)), "unknown parts 0x01"),
    ("unknown part, short head", frame(1, FULL.but(parts=4)),
     "unknown parts 0x04"),
    ("end in a short head", frame(1, count=1, length=30) + bytes(5) + b"\x08" +
     bytes(16), "ends in its head"),
    ("end in another head", frame(1, count=1, length=39) + bytes(31),
     "ends in its head"),
    ("end in a part", frame(1, Record(1, parts=0x80)), "ends in its parts"),
    ("end in the data", frame(1, DATA.but(prod=6, length=6)), "has 6 bytes"),
    ("255 records, none there", frame(1, count=255), "Record 1: the message"),
)


@case
def malformed_frames():
    """frames: each kind of malformed frame"""
    found = dissect([packets.rdma(one) for _, one, _ in MALFORMED],
                    ("_ws.expert.message", "_ws.expert.group", "_ws.col.Info"))
    for (name, _, text), got in zip(MALFORMED, found):
        same((name, ["smcx.frame.malformed"]), (name, got.complaints))
        check(text in expert_texts(got), f"{name}: {expert_texts(got)}")
        check(got["_ws.col.Info"][0].endswith(" [malformed]"), f"{name}: {got}")


FAR = (1 << 62) + 1
WRONG = (
    ("flags", DATA.but(flags=1), "Unknown flags"),
    ("producer", Record(1, prod=FAR), "producer position is more"),
    ("consumer", Record(1, cons=(1 << 64) - 1), "consumer position is more"),
    ("data before 0", DATA.but(prod=4), "begins before position 0"),
    ("offer 0", Record(1, offer=(0, 1, 0, 4096)), "number of the offer is 0"),
    ("offer's size", Record(1, offer=(1, 1, 0, 4097)), "no power of two"),
    ("offer's end", Record(1, offer=(1, 1, 0xfffff000, 8192)), "beyond 32"),
    ("no element", Record(1, offer=(1, 1, 0, 0)), "No element, but"),
    ("no element's offset", Record(1, offer=(1, 0, 1, 0)), "No element, but"),
    ("move 0", Record(1, move=0), "number of the move is 0"),
    ("move with data", DATA.but(flags=0, move=1), "part move has data"),
    ("move with D", Record(1, frames.D, move=1), "part move has D or C"),
    ("move with C", Record(1, frames.C, move=1), "part move has D or C"),
    ("answer 0", Record(1, answer=(0, 1)), "number of the answer is 0"),
    ("answer's position", Record(1, answer=(1, FAR)), "position of the answer"),
    ("urgent 0", Record(1, urgent=0), "urgent position 0"),
    ("urgent far", Record(1, urgent=FAR), "urgent position is more"),
)


@case
def wrong_records():
    """frames: each kind of wrong record"""
    found = dissect([packets.rdma(frame(1, DATA.but(token=2), one))
                     for _, one, _ in WRONG],
                    ("_ws.expert.message", "smcx.record.token"))
    for (name, one, text), got in zip(WRONG, found):
        same((name, ["smcx.record.wrong"]), (name, got.complaints))
        check(text in expert_texts(got), f"{name}: {expert_texts(got)}")
        same([2, one.token], got.numbers("smcx.record.token"))


@case
def truncated():
    """frames: each length of a message that ends too early"""
    for whole in GOOD[2], GOOD[5]:
        found = dissect([packets.rdma(whole[:size])
                         for size in range(1, len(whole) + 1)])
        for size, got in enumerate(found, 1):
            same((size, ["smcx.frame.malformed"] if size < len(whole) else []),
                 (size, got.complaints))


@case
def partly_captured():
    """frames: each number of bytes that were captured"""
    found = dissect(packets.all_cuts(packets.rdma(GOOD[2])),
                    ["smcx.record.token"])
    # Wireshark shows no payload of packets that are not complete.
    same([[]] * (len(found) - 1), [got["smcx.record.token"] or got.complaints
                                   for got in found[:-1]])
    same(([], 3), (found[-1].complaints, len(found[-1]["smcx.record.token"])))


def mutants(random_):
    """Yields changed frames."""
    for _ in range(MUTANTS):
        data = bytearray(random_.choice(GOOD))
        for _ in range(random_.randrange(4)):
            at = random_.randrange(1, len(data))
            if random_.random() < 0.5:
                data[at] ^= 1 << random_.randrange(8)
            else:
                data[at] = random_.choice((0, 1, 0x7f, 0x80, 0xff))
        if random_.random() < 0.2:
            del data[random_.randrange(2, len(data)):]
            if random_.random() < 0.5 and len(data) > 4:
                data[2:4] = struct.pack(">H", len(data))
        yield bytes(data)


def judged(sent):
    """Returns what the module's codec prints for each frame."""
    done = subprocess.run([sys.argv[1]], check=True, encoding="ascii",
                          stdout=subprocess.PIPE, timeout=LIMIT,
                          input="".join(one.hex() + "\n" for one in sent))
    return done.stdout.splitlines()


@case
def as_the_module():
    """frames: the module's codec reads and writes the same"""
    sent = list(GOOD) + list(mutants(random.Random(SEED)))
    found = dissect([packets.rdma(one) for one in sent],
                    ["smcx.frame.type", "smcx.frame.credits",
                     *record_columns()])
    count = {"malformed": 0, "wrong": 0, "sane": 0}
    for data, verdict, got in zip(sent, judged(sent), found):
        if verdict == "malformed":
            count["malformed"] += 1
            check("smcx.frame.malformed" in got.complaints, data.hex())
            continue
        credits, waited, *records, written = verdict.split("|")
        bad = any(one.endswith("wrong") for one in records)
        count["wrong" if bad else "sane"] += 1
        same((data.hex(), ["smcx.record.wrong"] if bad else []),
             (data.hex(), got.complaints))
        same([frames.WAITED if int(waited) else frames.TYPE],
             got.numbers("smcx.frame.type"))
        same([int(credits)], got.numbers("smcx.frame.credits"))
        same([[int(value) for value in one.split()[:-1]] for one in records],
             records_of(got))
        check(bad or written == data.hex(), f"{written} for {data.hex()}")
    check(min(count.values()) > MUTANTS // 20, f"{count}")


@case
def several_packets():
    """frames: a SEND of several packets, repeated and lost ones"""
    big = frame(99, Record(3, prod=5000, data=bytes(range(250)) * 16), DATA)
    other = frame(98, DATA)
    one = packets.split(big, 1024, psn=0xfffffe)
    sent = one[:2] + packets.split(other, 24, source=packets.B,
                                   target=packets.A)[:1]
    sent += [one[1]] + one[2:] + [one[-1]]                  # repeated packets
    sent += packets.split(other, 24, source=packets.B, target=packets.A)[1:]
    sent += one[:1] + one[2:]                               # one is lost
    sent += packets.split(bytes(3000), 1024)                # another message
    # Wireshark's RPC over RDMA has an error with SENDs of several packets.
    for options in ((), ("-2", "--disable-protocol", "rpcordma")):
        found = dissect(sent, ("smcx.frame.credits", "smcx.record.token",
                               "smcx.frame.part"), options)
        same([], [got for got in found if got.complaints])
        same([99, 99, 98], [value for got in found
                            for value in got.numbers("smcx.frame.credits")])
        same([3, 8, 3, 8, 8], [value for got in found
                               for value in got.numbers("smcx.record.token")])


@case
def others():
    """other packets: as without the script"""
    sent = [packets.rdma(frame(1, DATA), packets.WRITE_ONLY),
            packets.rdma(messages.cdc(1, 2, (3, 4), (5, 6), messages.F)),
            packets.rdma(messages.confirm_link(ME, 1, 2)),
            packets.rdma(messages.delete_rkey([1, 2])),
            packets.rdma(b"\xfc" + bytes(50)), packets.rdma(bytes(10)),
            packets.rdma(b""), packets.tcp(wire.accept(ME), to_server=False),
            packets.tcp(b"GET / HTTP/1.0\r\n\r\n", 100), packets.tcp(b"", 200)]
    columns = ("frame.protocols", "smc.llc_msg", "smc.clc_msg",
               "smc.rmbe.ctrl.seqno", "_ws.col.Info", "_ws.col.Protocol")
    plain = dissect(sent, columns, script=None)
    found = dissect(sent, columns + ("smcx",))
    for without, got in zip(plain, found):
        same([without[name] for name in columns],
             [got[name] for name in columns])
    same([False] * 7, [bool(found[at]["smcx"]) for at in (0, 1, 3, 4, 5, 6, 8)])


# -- agreement -----------------------------------------------------------------

TERMS = extension.Terms(1, 12, extension.FRAMES | extension.WIDE, 0xf4a3)
OFFERED = wire.proposal2(ME, "10.77.0.0/24")
ACCEPTED = wire.accept2(ME)
TERM_COLUMNS = ("smcx.ext.version", "smcx.ext.frame_log", "smcx.ext.caps",
                "smcx.ext.nonce")
CAP_COLUMNS = tuple(f"smcx.ext.caps.{one}"
                    for one in ("frames", "elastic", "wide", "v6"))


def sent_by_tcp(message, seq=1):
    return packets.tcp(message, seq, message[4:5] != bytes([wire.ACCEPT]))


def all_by_tcp(sent):
    return [sent_by_tcp(one, 1000 * at) for at, one in enumerate(sent)]


@case
def agreement():
    """agreement: offer, answer, Confirm"""
    accept = extension.with_answer(ACCEPTED, TERMS.answer)
    confirm = extension.with_answer(wire.confirm2(ME, wire.Message(accept)),
                                    TERMS.answer)
    v2only = extension.with_offer(wire.proposal2(ME, None), TERMS.offer)
    sent = [extension.with_offer(OFFERED, TERMS.offer), accept, confirm, v2only]
    # Wireshark expects HTTP at this port.
    found = dissect(all_by_tcp(sent) + [packets.tcp(sent[0], port=8080)],
                    ("smcx.offer", "smcx.answer", "smcx.offer.oui",
                     "smcx.max_conns", "smcx.max_links", *TERM_COLUMNS,
                     *CAP_COLUMNS))
    for at, got in enumerate(found):
        same([], got.complaints)
        same((at not in (1, 2), at in (1, 2)),
             (bool(got["smcx.offer"]), bool(got["smcx.answer"])))
        same([[1], [12], [0xa0], [0xf4a3]],
             [got.numbers(one) for one in TERM_COLUMNS])
        same([[1], [0], [1], [0]], [got.numbers(one) for one in CAP_COLUMNS])
        same([255], got.numbers("smcx.max_conns"))
        same([1 if at in (1, 2) else 2], got.numbers("smcx.max_links"))
    same([0x72d49b], found[0].numbers("smcx.offer.oui"))


@case
def no_agreement():
    """agreement: none, another vendor, older versions"""
    vendor = extension.with_offer(OFFERED, b"\2\2\2" + TERMS.answer + b"\0")
    old = wire.proposal2(ME, "10.77.0.0/24", release=0)
    old = extension.with_offer(old, TERMS.offer)
    sent = [OFFERED, ACCEPTED, vendor, old, wire.accept2(ME, first=False),
            wire.linux_proposal(ME, "10.77.0.0/24", wire.OFFER_R, wire.OFFER_D),
            wire.proposal(ME, "10.77.0.0/24"), wire.accept(ME),
            wire.confirm(ME), wire.decline(), wire.EYE + bytes(70),
            wire.EYE_SMCD + ACCEPTED[4:]]
    found = dissect(all_by_tcp(sent),
                    ("smcx.offer", "smcx.answer", "smcx.offer.oui",
                     "smcx.ext.version"))
    same([], [got.complaints for got in found if got.complaints])
    same([0], found[0].numbers("smcx.offer.oui"))
    same([0], found[1].numbers("smcx.ext.version"))
    same([0x20202], found[2].numbers("smcx.offer.oui"))
    same([[]] * 3, [found[at]["smcx.ext.version"] for at in (0, 2, 3)])
    same([], [got for got in found[3:]
              if got["smcx.offer"] or got["smcx.answer"]])


@case
def odd_agreement():
    """agreement: values that are of no use"""
    terms = (TERMS.but(size=8), TERMS.but(caps=extension.ELASTIC),
             TERMS.but(caps=0x81))
    sent = [extension.with_offer(OFFERED, one.offer) for one in terms]
    sent += [extension.with_answer(ACCEPTED, one.answer) for one in terms]
    sent.append(extension.with_offer(OFFERED, TERMS.offer[:7] + b"\1"))
    for got in dissect(all_by_tcp(sent)):
        same(["smcx.ext.odd"], got.complaints)


@case
def clc_lengths():
    """agreement: each length of the messages, sent and captured"""
    accept = extension.with_answer(ACCEPTED, TERMS.answer)
    confirm = wire.confirm2(ME, wire.Message(accept))
    sent = []
    for whole in (extension.with_offer(OFFERED, TERMS.offer), accept, confirm,
                  wire.proposal(ME, None, ["2001:db8::/32"] * 8)):
        for size in range(1, len(whole)):
            sent.append(sent_by_tcp(whole[:size], 1000 * len(sent)))
            # one that lies about its length
            lie = wire.spoil(whole, wire.AT_LENGTH, wire.be16(size))
            sent.append(sent_by_tcp(lie, 1000 * len(sent)))
        sent += packets.all_cuts(sent_by_tcp(whole, 1000 * len(sent)))
    for at in range(0, 65536, 97):      # offsets
        for where in (wire.AT_SKIP, 50):
            for whole in (OFFERED, wire.proposal(ME)):
                sent.append(sent_by_tcp(wire.spoil(whole, where, wire.be16(at)),
                                        1000 * len(sent)))
    same([], [got.complaints for got in dissect(sent) if got.complaints])


@case
def first_version():
    """version 1: the Proposal's networks"""
    found = dissect([sent_by_tcp(wire.proposal(ME, "10.77.0.0/24")),
                     sent_by_tcp(wire.proposal(ME, None, ["2001:db8::/32",
                                                          "fe80::/64"]), 1000)],
                    ("smcx.proposal.net", "smcx.proposal.mask",
                     "smcx.proposal.prefixes", "smcx.proposal.prefix",
                     "smcx.proposal.prefix.length"))
    same([["10.77.0.0"], ["24"], ["0"], [], []], list(found[0].values())[-5:])
    same([["0.0.0.0"], ["0"], ["2"], ["2001:db8::", "fe80::"], ["32", "64"]],
         list(found[1].values())[-5:])


# -- LLC messages --------------------------------------------------------------

def second(message, order="<", length=None):
    """Returns a message in the form of version 2."""
    return bytes([message[0] | 0x20]) + struct.pack(
        f"{order}H", length or len(message)) + message[3:]


def add_link2(order):
    pairs = struct.pack(">IIQIIQ", 1, 2, 3, 4, 5, 6)
    return second(messages.add_link(ME, 2, mtu=3) + b"\x80\0" + ME.gid +
                  bytes(8) + struct.pack(f"{order}H", 2) + pairs, order)


def request_add_link():
    head = bytes([5, 0, 0, 0]) + bytes(20) + bytes([2, 0, 0, 0])
    return second(head + ME.gid + bytes(16))


def delete_rkey2():
    keys = struct.pack(">12I", *range(12))
    return second(bytes([9, 0, 0, 0, 12, 0, 0, 0]) + keys)


# (message, fields and their values)
LITTLE = (
    (add_link2("<"), {"count": "2", "ref_rkey": "0x00000001;0x00000004",
                      "new_addr": "0x0000000000000003;0x0000000000000006",
                      "direct": "1", "mtu": "3", "psn": "0x001234",
                      "qpn": "0x123456", "link": "2"}),
    (second(messages.add_link(ME, 2, messages.ADD_REJECT | messages.REPLY)),
     {"flags.rejected": "1", "flags.reply": "1", "count": ""}),
    (request_add_link(),
     {"count": "2", "gid": "1:203:405:607:809:a0b:c0d:e0f;::"}),
    (delete_rkey2(), {"count": "12", "rkey": ";".join(
        f"0x{key:08x}" for key in range(12))}),
    (second(messages.confirm_link(ME, 3, 77)),
     {"link": "3", "uid": "0x0000004d", "max_links": "2", "max_conns": "0"}),
    (second(messages.confirm_rkey(0x77, 0x5000, [(2, 3, 4)], messages.REPLY |
                                  messages.RKEY_RETRY)),
     {"count": "1", "rkey": "0x00000077;0x00000003", "link": "2",
      "flags.retry": "1", "flags.negative": "0"}),
    (second(messages.delete_link(1, messages.LOST_PATH,
                                 messages.DELETE_ORDERLY)),
     {"link": "1", "reason": "0x00010000", "flags.orderly": "1"}),
    (second(messages.test_link(b"abc")),
     {"test_data": b"abc".ljust(16, b"\0").hex()}),
    # a length that is not the one of the message
    (second(messages.test_link(b"x"), length=72), {"length": "72"}),
)


@case
def little_endian():
    """LLC of version 2: messages of little-endian hosts"""
    names = sorted({name for _, values in LITTLE for name in values})
    columns = [f"smcx.llc.{name}" for name in names]
    found = dissect([packets.rdma(one) for one, _ in LITTLE],
                    columns + ["_ws.col.Protocol"])
    for (message, values), got in zip(LITTLE, found):
        for name, value in values.items():
            same((message.hex(), name, value),
                 (message.hex(), name, ";".join(got[f"smcx.llc.{name}"])))
        same(["SMC-Rv2"], got["_ws.col.Protocol"])
    big = dissect([packets.rdma(add_link2(">"))], ("smc.llc_msg", "smcx"))[0]
    check(big["smc.llc_msg"] and not big["smcx"], f"big endian: {big}")


@case
def llc_lengths():
    """LLC: each length of the messages, sent and captured"""
    whole = [one for one, _ in LITTLE]
    whole += [messages.add_link_cont(1, 2, [(1, 2, 3)] * 2),
              messages.confirm_link(ME, 1, 2), messages.test_link(b"abc")]
    sent = []
    for one in whole:
        sent += [packets.rdma(one[:size]) for size in range(1, len(one))]
        sent += [packets.rdma(second(one[:size]))
                 for size in range(3, len(one))]
        sent += packets.all_cuts(packets.rdma(one))
        sent += [packets.rdma(wire.spoil(one, at, b"\xff"))
                 for at in range(3, messages.LEN)]
    dissect(sent)


@case
def llc_details():
    """LLC of version 1: what Wireshark does not show"""
    with_conns = wire.spoil(messages.confirm_link(ME, 1, 2), 35, b"\xff")
    found = dissect([packets.rdma(messages.add_link_cont(1, 2, [(1, 2, 3),
                                                                (4, 5, 6)])),
                     packets.rdma(with_conns),
                     packets.rdma(messages.test_link(b"abc"))],
                    ("smcx.llc.ref_rkey", "smcx.llc.new_rkey",
                     "smcx.llc.max_conns", "smcx.llc.test_data"))
    same([1, 4], found[0].numbers("smcx.llc.ref_rkey"))
    same([2, 5], found[0].numbers("smcx.llc.new_rkey"))
    same([255], found[1].numbers("smcx.llc.max_conns"))
    same([b"abc".ljust(16, b"\0").hex()], found[2]["smcx.llc.test_data"])


# -- the test itself -----------------------------------------------------------

@case
def errors_are_seen():
    """the test reports an error of the script"""
    with open(SCRIPT, encoding="utf-8") as file:
        text = file.read()
    bad = text.replace('r:add(tree, "record.heard", ', "r:absent(")
    check(bad != text, "the script has another form")
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(bad)
        file.flush()
        try:
            dissect([packets.rdma(GOOD[1])], script=file.name)
        except ktap.Failure as why:
            check("Lua" in str(why), f"another failure: {why}")
        else:
            raise ktap.Failure("nobody noticed")


if __name__ == "__main__":
    if not shutil.which("tshark"):
        ktap.lacking("tshark")
    sys.exit(ktap.run_cases())
