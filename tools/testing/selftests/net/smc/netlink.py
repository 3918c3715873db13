#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Tests of the two netlink families: answers, errnos and error texts,
privileges, namespaces, lists of many parts. The decoder knows only the YAML
specs.
"""
# deep: 6.12 6.1

import errno
import os
import socket
import subprocess
import sys
import threading

from smctest import SELFTESTS, ktap, process
from smctest.ktap import case, same
from smctest.netlink import genl
from smctest.netlink.spec import Family

DEFAULT_EID = "SMCV2-DEFAULT-UEID".ljust(32)
PEER = os.path.join(SELFTESTS, "smc_peer")
WRITES = ["flush-ueid", "enable-seid", "disable-seid", "enable-hs-limitation",
          "disable-hs-limitation"]
VIEWS = ["get-sys-info", "get-lgr-smcr", "get-link-smcr", "get-lgr-smcd",
         "get-dev-smcd", "get-dev-smcr", "get-stats", "get-fback-stats",
         "dump-ueid", "dump-seid", "dump-hs-limitation"]


def families(receive=1 << 16):
    link = genl.Link(receive)
    return Family("smc_gen", link), Family("smc_pnetid", link)


def refused(error, function, *args, words=True, **kwargs):
    """Requires that the kernel refuses the request with this errno and a
    message."""
    try:
        function(*args, **kwargs)
    except genl.Refused as err:
        same(errno.errorcode[error], errno.errorcode.get(err.errno))
        if words and not err.words:
            raise AssertionError("no word about the reason") from err
        return
    raise AssertionError(f"not refused, {errno.errorcode[error]} wanted")


def eids(gen):
    return [reply["entry"] for _, reply in gen.dump("dump-ueid")]


def padded(name):
    return name.ljust(32)


def entries(pnet):
    return [(e["name"], e["ethname"], e["ibname"], e["ibport"])
            for _, e in pnet.dump("get")]


def stats(gen):
    (_, reply), = gen.dump("get-stats")
    return reply["stats"]


def traffic(*arguments):
    subprocess.run([PEER, "--single", "--div", "16", "--slow", "6",
                    *arguments], check=True, stdout=subprocess.DEVNULL,
                   timeout=60)


@case
def views():
    """Every view has the form that the spec describes."""
    gen, _ = families()
    for name in VIEWS:
        gen.dump(name)


@case
def sys_info():
    """System information has all attributes, and pads the host name."""
    gen, _ = families()
    (_, reply), = gen.dump("get-sys-info")
    info = reply["sys-info"]
    same({"ver", "rel", "is-ism-v2", "local-host", "is-smcr-v2"}, set(info))
    same(os.uname().nodename.ljust(32)[:32], info["local-host"])


@case
def devices():
    """The view of the RDMA device has port, interface and PCI attributes."""
    gen, _ = families()
    found = {d["dev-smcr"]["ib-name"]: d["dev-smcr"]
             for _, d in gen.dump("get-dev-smcr")}
    dev = found["rxe0"]
    same({"is-crit", "pci-fid", "pci-chid", "pci-vendor", "pci-device",
          "pci-id", "ib-name", "port"}, set(dev))
    port = dev["port"]
    same((1, 1, 0), (port["valid"], port["state"], port["pnet-usr"]))
    with open("/sys/class/infiniband/rxe0/parent", encoding="ascii") as file:
        same(socket.if_nametoindex(file.read().strip()), port["netdev"])


@case
def ueid_table():
    """User EIDs can be added, listed and removed; bad requests have errnos."""
    gen, _ = families()
    same([DEFAULT_EID], eids(gen))
    names = [padded(f"EID.{n}-X") for n in range(4)]
    for name in names:
        gen.do("add-ueid", entry=name)
        if name != names[3]:
            refused(errno.EEXIST, gen.do, "add-ueid", entry=name)
    same(sorted(names + [DEFAULT_EID]), sorted(eids(gen)))
    refused(errno.ERANGE, gen.do, "add-ueid", entry=padded("ONE-MORE"))
    gen.do("remove-ueid", entry=names[0])
    refused(errno.ENOENT, gen.do, "remove-ueid", entry=names[0])
    for bad in ("lower", "-FIRST", ".FIRST", "", " LEADING", "SP ACE", "A_B"):
        refused(errno.EINVAL, gen.do, "add-ueid", entry=padded(bad))
    gen.do("flush-ueid")
    same([], eids(gen))
    gen.do("add-ueid", entry=DEFAULT_EID)
    same([DEFAULT_EID], eids(gen))


@case
def ueid_length():
    """A user EID of the wrong length, without NUL or missing is refused."""
    gen, _ = families()
    for entry in (b"A" * 31 + b"\0", b"SHORT\0", b"\0"):
        refused(errno.EINVAL, gen.do, "add-ueid", entry=entry)
    for entry in (b"A" * 33 + b"\0", b"A" * 400 + b"\0", b"A" * 33, b""):
        refused_any(gen.do, "add-ueid", entry=entry)
    refused(errno.EINVAL, gen.do, "add-ueid")
    refused(errno.EINVAL, gen.do, "remove-ueid")
    same([DEFAULT_EID], eids(gen))


def refused_any(function, *args, **kwargs):
    """The policy of the core refuses a request; the errno differs."""
    try:
        function(*args, **kwargs)
    except genl.Refused as err:
        if err.errno in (errno.EINVAL, errno.ERANGE):
            return
        raise
    raise AssertionError("not refused")


@case
def attributes_unknown():
    """An attribute that a command does not have is refused with a message."""
    gen, pnet = families()
    one = genl.attribute(1, b"x\0")
    many = genl.attribute(77, b"x\0")
    for name in WRITES:
        refused(errno.EINVAL, gen.do, name, raw=one)
        refused(errno.EINVAL, gen.do, name, raw=many)
    for name in VIEWS:
        refused(errno.EINVAL, gen.dump, name, raw=one)
    refused(errno.EINVAL, pnet.do, "flush", raw=many)


@case
def attributes_broken():
    """Truncated and overlong attributes are refused."""
    gen, pnet = families()
    for raw in (b"\x03\0\1\0", b"\xff\0\1\0AAAA", b"\4\0", b"\0\0\0\0"):
        refused(errno.EINVAL, gen.do, "add-ueid", raw=raw, words=False)
        refused(errno.EINVAL, pnet.do, "del", raw=raw, words=False)
    same([DEFAULT_EID], eids(gen))


@case
def commands_unknown():
    """Unknown commands, and known ones in the wrong form: EOPNOTSUPP."""
    gen, pnet = families()
    for family in (gen, pnet):
        for value in (0, 19, 99, 255):
            family.ops["none"] = {"value": value, "name": "none",
                                  "attribute-set": next(iter(family.sets))}
            refused(errno.EOPNOTSUPP, family.do, "none", words=False)
    for name in VIEWS:
        refused(errno.EOPNOTSUPP, gen.do, name, words=False)
    refused(errno.EOPNOTSUPP, gen.dump, "flush-ueid", words=False)


@case
def seid():
    """There is no system EID, and a request cannot turn it on or off."""
    gen, _ = families()
    same([("dump-seid", {})], gen.dump("dump-seid"))
    refused(errno.EOPNOTSUPP, gen.do, "enable-seid")
    refused(errno.EOPNOTSUPP, gen.do, "disable-seid")


@case
def end_lgr():
    """A request to end a link group must name a group that exists."""
    gen = families()[0]
    refused(errno.EINVAL, gen.do, "end-lgr")
    for number in (0, 1, 1 << 8 | 1, 0xffffff << 8):
        refused(errno.ENOENT, gen.do, "end-lgr", id=number)


@case
def hs_limitation():
    """Handshake limitation can be switched and read; the sysctl agrees."""
    gen, _ = families()
    for verb, value in (("enable", 1), ("disable", 0)):
        gen.do(f"{verb}-hs-limitation")
        same([("dump-hs-limitation", {"enabled": value})],
             gen.dump("dump-hs-limitation"))
        with open("/proc/sys/net/smc/limit_smc_hs", encoding="ascii") as file:
            same(value, int(file.read()))


@case
def pnet_table():
    """PNETIDs can be added for both kinds of device, listed and removed."""
    _, pnet = families()
    same([], entries(pnet))
    pnet.do("add", name=" net1 ", ethname="eth77")
    pnet.do("add", name="NET1", ibname="mlx7_0", ibport=2)
    pnet.do("add", name="Net2", ethname="eth78", ibname="0000:01:00.0")
    rows = [("NET1", "eth77", "n/a", 255), ("NET1", "n/a", "mlx7_0", 2),
            ("NET2", "eth78", "n/a", 255), ("NET2", "n/a", "0000:01:00.0", 1)]
    same(rows, entries(pnet))
    same(rows[:2], [(e["name"], e["ethname"], e["ibname"], e["ibport"])
                    for _, e in pnet.get("get", name="net1")])
    same([], pnet.get("get", name="NET3"))
    refused(errno.EEXIST, pnet.do, "add", name="NET9", ethname="eth77")
    refused(errno.EEXIST, pnet.do, "add", name="NET9", ibname="mlx7_0",
            ibport=2)
    pnet.do("del", name="NET1")
    same(rows[2:], entries(pnet))
    refused(errno.ENOENT, pnet.do, "del", name="NET1")
    pnet.do("flush")
    same([], entries(pnet))
    pnet.do("flush")


@case
def pnet_bad():
    """A bad PNETID, port or name is refused, and the table stays the same."""
    _, pnet = families()
    for name in ("", "   ", "A-B", "A B", "\u00c4"):
        refused(errno.EINVAL, pnet.do, "add", name=name, ethname="eth77")
    refused_any(pnet.do, "add", name="A" * 17, ethname="eth77")
    refused_any(pnet.do, "add", name="A", ethname="e" * 16)
    refused_any(pnet.do, "add", name="A", ibname="i" * 64)
    for port in (0, 3, 255):
        refused(errno.EINVAL, pnet.do, "add", name="A", ibname="i",
                ibport=port)
    refused(errno.EINVAL, pnet.do, "add", name="A")
    refused(errno.EINVAL, pnet.do, "add", ethname="eth77")
    refused(errno.EINVAL, pnet.do, "add", name="A", ethname="")
    refused(errno.EINVAL, pnet.do, "add", name="A", ibname="")
    refused(errno.EINVAL, pnet.do, "del")
    refused(errno.EINVAL, pnet.get, "get")
    same([], entries(pnet))
    pnet.do("add", name="A", ibname="rxe0")
    before = entries(pnet)
    refused(errno.EEXIST, pnet.do, "add", name="A", ethname="eth77",
            ibname="rxe0")
    refused(errno.EINVAL, pnet.do, "add", name="A", ethname="eth77",
            ibname=" ")
    same(before, entries(pnet))
    pnet.do("flush")


@case
def pnet_device():
    """The view of devices shows the PNETID of each port."""
    gen, pnet = families()
    pnet.do("add", name="SHOWN", ibname="rxe0")
    found = {d["dev-smcr"]["ib-name"]: d["dev-smcr"]["port"]
             for _, d in gen.dump("get-dev-smcr")}
    pnet.do("flush")
    same(("SHOWN", 1), (found["rxe0"]["pnetid"], found["rxe0"]["pnet-usr"]))


def rename(old, new):
    subprocess.run(["rdma", "dev", "set", old, "name", new], check=True,
                   timeout=20)


def ports(gen):
    """Yields the first port of each device."""
    return {d["dev-smcr"]["ib-name"]: d["dev-smcr"]["port"]
            for _, d in gen.dump("get-dev-smcr")}


@case
def renamed_device():
    """The views and the table show the new name of a renamed device."""
    gen, pnet = families()
    pnet.do("add", name="OLD", ibname="rxe0")
    pnet.do("add", name="NEW", ibname="rxenew")
    try:
        rename("rxe0", "rxenew")
        same((False, "NEW"), ("rxe0" in ports(gen),
                              ports(gen)["rxenew"]["pnetid"]))
        rename("rxenew", "rxe0")
        same((False, "OLD"), ("rxenew" in ports(gen),
                              ports(gen)["rxe0"]["pnetid"]))
    finally:
        if os.path.exists("/sys/class/infiniband/rxenew"):
            rename("rxenew", "rxe0")
        pnet.do("flush")


@case
def renamed_under_view():
    """A view of a device that is being renamed has one of the two names."""
    gen, pnet = families()
    pnet.do("add", name="OLD", ibname="rxe0")
    pnet.do("add", name="NEW", ibname="rxe-with-a-longer-name")
    names = {"rxe0": "OLD", "rxe-with-a-longer-name": "NEW"}
    seen = set()

    def renaming():
        for _ in range(20):
            rename(*names)
            rename(*reversed(names))

    worker = threading.Thread(target=renaming)
    worker.start()
    try:
        while worker.is_alive():
            seen |= set(ports(gen))
    finally:
        worker.join()
        pnet.do("flush")
    same(set(), seen - set(names))


@case
def many_parts():
    """A list of many parts has each entry once, in the right order."""
    _, pnet = families(receive=8192)
    for number in range(600):
        pnet.do("add", name=f"N{number}", ethname=f"e{number}")
    rows = entries(pnet)
    parts = pnet.link.parts
    pnet.do("flush")
    same([f"e{number}" for number in range(600)], [row[1] for row in rows])
    if parts < 3:
        raise AssertionError(f"{parts} parts only")


def write_all():
    gen, pnet = families()
    for name in WRITES:
        refused(errno.EPERM, gen.do, name, words=False)
    for name in ("add-ueid", "remove-ueid"):
        refused(errno.EPERM, gen.do, name, words=False, entry=DEFAULT_EID)
    refused(errno.EPERM, gen.do, "end-lgr", words=False, id=1 << 8)
    refused(errno.EPERM, pnet.do, "add", words=False, name="A", ethname="e")
    refused(errno.EPERM, pnet.do, "del", words=False, name="A")
    refused(errno.EPERM, pnet.do, "flush", words=False)
    for name in VIEWS:
        gen.dump(name)
    pnet.dump("get")


@case
def unprivileged():
    """Without CAP_NET_ADMIN a program can read views but change nothing."""
    def child():
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        write_all()

    process.in_child(child)
    same([DEFAULT_EID], eids(families()[0]))


@case
def user_namespace():
    """Root of a user namespace may not change anything either."""
    def child():
        process.unshare(process.CLONE_NEWUSER | process.CLONE_NEWNET)
        write_all()

    process.in_child(child)


@case
def namespaces():
    """Each namespace has its own tables and does not see those of others."""
    gen, pnet = families()
    pnet.do("add", name="OUTER", ethname="eth0", ibname="rxe0")
    gen.do("add-ueid", entry=padded("OUTER"))
    gen.do("enable-hs-limitation")

    def child():
        process.unshare(process.CLONE_NEWNET)
        inner, table = families()
        same([], entries(table))
        same([DEFAULT_EID], eids(inner))
        same([("dump-hs-limitation", {"enabled": 0})],
             inner.dump("dump-hs-limitation"))
        same([], inner.dump("get-fback-stats"))
        same(0, stats(inner)["smcr-tech"]["tx-cnt"])
        table.do("add", name="INNER", ethname="eth0")
        refused(errno.EINVAL, table.do, "add", name="INNER", ibname="rxe0")
        same([("INNER", "eth0", "n/a", 255)], entries(table))
        table.do("flush")
        inner.do("flush-ueid")

    try:
        process.in_child(child)
        same([("OUTER", "eth0", "n/a", 255), ("OUTER", "n/a", "rxe0", 1)],
             entries(pnet))
        same({DEFAULT_EID, padded("OUTER")}, set(eids(gen)))
    finally:
        pnet.do("flush")
        gen.do("remove-ueid", entry=padded("OUTER"))
        gen.do("disable-hs-limitation")


@case
def statistics():
    """The module counts connections, calls, bytes and sizes."""
    gen, _ = families()
    before = stats(gen)
    traffic("--family", "smc", "sizes")
    after = stats(gen)

    def more(*path):
        old, new = before, after
        for name in path:
            old, new = old[name], new[name]
        return new - old

    tech = "smcr-tech"
    same(more(tech, "rx-bytes"), more(tech, "tx-bytes"))
    won = [more(tech, f"{side}-v{v}-succ")
           for side in ("clnt", "srv") for v in (1, 2)]
    if min(more(tech, "tx-cnt"), more(tech, "rx-cnt"),
           more(tech, "tx-bytes"), sum(won)) <= 0:
        raise AssertionError(f"nothing was counted: {after[tech]}")
    for side in ("tx", "rx"):
        same(more(tech, f"{side}-cnt"),
             sum(more(tech, f"{side}pload-size", name)
                 for name in after[tech][f"{side}pload-size"]))
        same(sum(won), sum(more(tech, f"{side}-rmb-size", name)
                           for name in after[tech][f"{side}-rmb-size"]))
    same(sum(won), more(tech, "rx-rmb-stats", "reuse-cnt") +
         more(tech, "rx-rmb-stats", "alloc-cnt"))
    same(0, sum(after["smcd-tech"]["tx-rmb-size"].values()))


def fallbacks(gen):
    """Returns {(role, code): count}, (all as server, all as client)."""
    rows, totals = {}, (0, 0)
    for number, (_, reply) in enumerate(gen.dump("get-fback-stats")):
        row = reply["fback-stats"]
        same(number == 0, "srv-cnt" in row and "clnt-cnt" in row)
        if not number:
            totals = row["srv-cnt"], row["clnt-cnt"]
        key = row["type"], row["rsn-code"]
        same(False, key in rows)
        rows[key] = row["rsn-cnt"]
    return rows, totals


@case
def fallback_statistics():
    """Reasons for TCP are counted for each role; the total appears once."""
    gen, _ = families()
    old, old_totals = fallbacks(gen)
    with socket.create_server(("127.0.0.1", 0)) as plain:
        port = plain.getsockname()[1]
        for _ in range(3):
            with socket.socket(43, socket.SOCK_STREAM, 0) as client:
                error = connect(client, port)
                same(0, error)
    new, totals = fallbacks(gen)
    code = 0x03010000
    same(3, new[(0, code)] - old.get((0, code), 0))
    same(3, totals[1] - old_totals[1])
    same(old_totals[0], totals[0])


def connect(client, port):
    """Calls connect() of libc, because Python's connect() does not know this
    family."""
    where = (socket.AF_INET.to_bytes(2, sys.byteorder) +
             port.to_bytes(2, "big") + socket.inet_aton("127.0.0.1") +
             bytes(8))
    return process.libc.connect(client.fileno(), where, len(where))


if __name__ == "__main__":
    sys.exit(ktap.run_cases())
