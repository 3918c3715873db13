# SPDX-License-Identifier: GPL-2.0
"""Prints the netlink answers of this host's SMC as JSON, to compare two hosts.

The output has the attributes of each view with their nesting; the decoder
checks the types. The output also has the errnos of requests that must fail.
"""

import errno
import json
import sys

from smctest.netlink import genl
from smctest.netlink.spec import Family

EID = "SHAPE-0".ljust(32)
OWN_EID = "SMCV2-DEFAULT-UEID".ljust(32)    # EID of both hosts in the lab


def names(value):
    """Returns the attribute names with their nested attributes."""
    if not isinstance(value, dict):
        return None
    return {name: names(inner) for name, inner in sorted(value.items())}


def merge(one, two):
    if one is None or two is None:
        return one or two
    return {name: merge(one.get(name), two.get(name))
            for name in sorted({**one, **two})}


def views(family):
    found = {}
    for name, op in family.ops.items():
        if "dump" not in op:
            continue
        found[name] = {}
        for told, reply in family.dump(name):
            found[name][told] = merge(found[name].get(told, {}), names(reply))
    return found


def outcome(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except genl.Refused as err:
        return errno.errorcode.get(err.errno, err.errno)
    return "ok"


def ueid(gen):
    def do(name, value):
        return outcome(gen.do, name, entry=value)

    told = {
        "add": do("add-ueid", EID),
        "add again": do("add-ueid", EID),
        "lower case": do("add-ueid", "shape".ljust(32)),
        "short": do("add-ueid", "SHAPE"),
        "long": do("add-ueid", "A" * 33),
        "not padded": do("add-ueid", b"SHAPE\0" + bytes(27)),
        "first character": do("add-ueid", "-SHAPE".ljust(32)),
        "missing": outcome(gen.do, "add-ueid"),
        "remove": do("remove-ueid", EID),
        "remove again": do("remove-ueid", EID),
        "flush with attribute": outcome(gen.do, "flush-ueid",
                                        raw=genl.attribute(1, b"x\0")),
        "view with attribute": outcome(gen.dump, "dump-ueid",
                                       raw=genl.attribute(1, b"x\0")),
        "enable seid": outcome(gen.do, "enable-seid"),
        "disable seid": outcome(gen.do, "disable-seid"),
        "view without dump": outcome(gen.do, "get-sys-info"),
        "command that is none": outcome(gen.do, unknown_to(gen)),
        "add for flush": do("add-ueid", EID),
        "flush": outcome(gen.do, "flush-ueid"),
        "flush empty": outcome(gen.do, "flush-ueid"),
    }
    told["rows after flush"] = [e["entry"] for _, e in gen.dump("dump-ueid")]
    do("add-ueid", OWN_EID)
    return told


def unknown_to(family):
    family.ops["none"] = {"value": 99, "name": "none",
                          "attribute-set": next(iter(family.sets))}
    return "none"


def limitation(gen):
    """Turns handshake limitation on, and off again."""
    told = {}
    for name in ("enable", "disable"):
        told[name] = outcome(gen.do, f"{name}-hs-limitation")
        told[f"{name} again"] = outcome(gen.do, f"{name}-hs-limitation")
        told[f"view after {name}"] = [
            e["enabled"] for _, e in gen.dump("dump-hs-limitation")]
    return told


def pnet_rows(pnet):
    return sorted((e["name"], e["ethname"], e["ibname"], e["ibport"])
                  for _, e in pnet.dump("get"))


def pnetid(pnet):
    def add(**values):
        return outcome(pnet.do, "add", **values)

    told = {
        "flush empty": outcome(pnet.do, "flush"),
        "eth": add(name="net1", ethname="eth77"),
        "eth again": add(name="NET2", ethname="eth77"),
        "ib": add(name="NET1", ibname="mlx77"),
        "ib again": add(name="NET2", ibname="mlx77"),
        "ib port 2": add(name="NET1", ibname="mlx77", ibport=2),
        "ib port 3": add(name="NET1", ibname="mlx78", ibport=3),
        "ib port 0": add(name="NET1", ibname="mlx78", ibport=0),
        "no device": add(name="NET1"),
        "no name": add(ethname="eth78"),
        "bad name": add(name="NET-1", ethname="eth78"),
        "long name": add(name="N" * 17, ethname="eth78"),
        "empty name": add(name="", ethname="eth78"),
        "blanks": add(name=" net3 ", ethname="eth79"),
        "rows": pnet_rows(pnet),
        "get": outcome(pnet.get, "get", name="NET1"),
        "get rows": len(pnet.get("get", name="NET1")),
        "del other": outcome(pnet.do, "del", name="NET8"),
        "del": outcome(pnet.do, "del", name="NET1"),
        "del without name": outcome(pnet.do, "del"),
        "get without name": outcome(pnet.do, "get"),
    }
    told["rows after del"] = pnet_rows(pnet)
    told["flush"] = outcome(pnet.do, "flush")
    told["rows after flush"] = pnet_rows(pnet)
    return told


def main():
    link = genl.Link()
    gen, pnet = Family("smc_gen", link), Family("smc_pnetid", link)
    json.dump({"views": views(gen), "ueid": ueid(gen),
               "limitation": limitation(gen), "pnetid": pnetid(pnet)},
              sys.stdout)


if __name__ == "__main__":
    main()
