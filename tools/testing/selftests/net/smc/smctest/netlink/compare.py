# SPDX-License-Identifier: GPL-2.0
"""Compares two outputs of shape and prints KTAP. Arguments: KERNEL OURS STOCK.

Our families must have the attributes of stock in the same nests, and give the
same answers. This file lists intended differences with the reasons. KERNEL is
the kernel of the stock host.
"""

import json
import sys

from smctest.ktap import Report

PCI = "views/get-dev-smcr/get-dev-smcr/dev-smcr/pci-"
ROWS = [["NET1", "eth77", "n/a", 255], ["NET1", "n/a", "mlx77", 1],
        ["NET3", "eth79", "n/a", 255]]
# path: (ours, stock, reason)
MEANT = {
    **{PCI + name: (None, "absent", "tools print their stack without it")
       for name in ("chid", "device", "fid", "id", "vendor")},
    "views/get-fback-stats/get-fback-stats/fback-stats/rsn-cnt-all":
        (None, "absent", "a count that does not stop at 65535"),
    "pnetid/ib port 2": ("ok", "EEXIST", "an entry for each port"),
    "pnetid/get rows": (3, 2, "the entry of port 2"),
    "pnetid/rows": (sorted(ROWS + [["NET1", "n/a", "mlx77", 2]]), ROWS,
                    "the entry of port 2"),
    "pnetid/no device": ("EINVAL", "EEXIST", "nothing is there already"),
}
# Attributes that Linux 6.1 does not send.
NEWER = ("sndbuf-alloc", "rmb-alloc", "rx-rmb-usage", "tx-rmb-usage",
         "max-conns", "max-links")


def differences(ours, stock, path=""):
    """Yields (path, ours, stock) of all values that differ."""
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


def meant(kernel, path, ours, stock):
    if kernel.startswith("6.1.") and path.split("/")[-1] in NEWER:
        return stock == "absent"
    return path in MEANT and MEANT[path][:2] == (ours, stock)


def _read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    kernel, *paths = sys.argv[1:]
    ours, stock = (_read(path) for path in paths)
    report = Report()
    for part in ("views", "ueid", "limitation", "pnetid"):
        wrong = [d for d in differences(ours[part], stock[part], part)
                 if not meant(kernel, *d)]
        report.result(not wrong, f"{part}: as the kernel's own module has it",
                      "\n".join(f"{path}: ours {one}, stock {two}"
                                for path, one, two in wrong))
    both = set(ours["views"]) & set(stock["views"])
    empty = [name for name in sorted(both)
             if not (ours["views"][name] and stock["views"][name])]
    report.result(empty == ["get-dev-smcd", "get-lgr-smcd"],
                  "all other views had something to tell on both",
                  f"of {len(both)} views these are empty: {' '.join(empty)}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
