#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""compare.py [--no-groups] OURS STOCK: two outputs of shape.py, as KTAP.

Ours must have what stock has, nested alike, and answer alike. What is meant to
differ is listed here, with the reason.
"""

import json
import sys

PCI = "views/get-dev-smcr/get-dev-smcr/dev-smcr/pci-"
# path: (ours, stock, reason); None: not there
MEANT = {
    **{PCI + name: (None, None, "tools print their stack without it")
       for name in ("chid", "device", "fid", "id", "vendor")},
    "pnetid/ib port 2": ("ok", "EEXIST", "an entry for each port"),
    "pnetid/get rows": (3, 2, "the entry of port 2"),
    "pnetid/rows": (None, None, "the entry of port 2"),
    "pnetid/no device": ("EINVAL", "EEXIST", "nothing is there already"),
}
# Newer attributes that an older kernel does not send.
NEWER = ("sndbuf-alloc", "rmb-alloc", "rx-rmb-usage", "tx-rmb-usage",
         "max-conns", "max-links")


def differences(ours, stock, path=""):
    """Yields (path, ours, stock) of all that is not the same."""
    if isinstance(ours, dict) and isinstance(stock, dict):
        for name in sorted({**ours, **stock}):
            inner = f"{path}/{name}" if path else name
            if name not in ours:
                yield inner, "absent", stock[name]
            elif name not in stock:
                yield inner, ours[name], "absent"
            else:
                yield from differences(ours[name], stock[name], inner)
    elif ours != stock:
        yield path, ours, stock


def meant(path, ours, stock):
    if path.split("/")[-1] in NEWER and stock == "absent":
        return True
    # One of the two had nothing of the kind: no group, no fallback.
    if path.startswith("views/") and path.count("/") == 2 and \
       "absent" in (ours, stock):
        return True
    if path not in MEANT:
        return False
    wanted = MEANT[path]
    return wanted[:2] in ((None, None), (ours, stock))


def main():
    with open(sys.argv[-2], encoding="utf-8") as file:
        ours = json.load(file)
    with open(sys.argv[-1], encoding="utf-8") as file:
        stock = json.load(file)
    failed = 0
    print("KTAP version 1")
    parts = ("views", "ueid", "limitation", "pnetid")
    for number, part in enumerate(parts, 1):
        wrong = [d for d in differences(ours[part], stock[part], part)
                 if not meant(*d)]
        for path, one, two in wrong:
            print(f"# {path}: ours {one}, stock {two}")
        failed += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {number} - "
              f"{part}: as the kernel's own module has it")
    both = set(ours["views"]) & set(stock["views"])
    empty = [name for name in sorted(both)
             if not (ours["views"][name] and stock["views"][name])]
    wanted = ["get-dev-smcd", "get-lgr-smcd"]
    if sys.argv[1] == "--no-groups":
        wanted = sorted(wanted + ["get-lgr-smcr", "get-link-smcr"])
    failed += empty != wanted
    print(f"# of {len(both)} views these are empty: {' '.join(empty)}")
    print(f"{'not ' if empty != wanted else ''}ok 5 - all other views "
          "had something to tell on both")
    print("1..5")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
