#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Prints which locks of the module were contended, from the trace of the
kernel.

Prints a line for each kind of lock and function: number of events, number of
locks, kind, function. The kind is the name of a static lock, or the kind of the
object that holds the lock. The events smc:smc_ref show the addresses of
objects. "other" means that none of these objects contains the lock.
"""

import bisect
import collections
import re
import sys

TRACE = "/sys/kernel/tracing/trace"
EVENT = re.compile(r"contention_begin: (?:0x)?([0-9a-f]+) ")
REF = re.compile(r"smc_ref: (\w+) (?:0x)?([0-9a-f]+): ")
FRAME = re.compile(r"^ => (\S+)")
# No object is larger, and objects of one kind have a slab of their size.
OBJECT_MAX = 16384


def symbols():
    """Returns the names of the module's functions, and its data by address."""
    functions, data = set(), {}
    with open("/proc/kallsyms", encoding="ascii") as file:
        for line in file:
            address, kind, name, *module = line.split()
            if module != ["[smc]"]:
                continue
            if kind in "tT":
                functions.add(name)
            else:
                data[int(address, 16)] = name
    return functions, data


def events():
    """Yields (address of the lock, names of the frames)."""
    address, frames = 0, []
    with open(TRACE, encoding="ascii", errors="replace") as file:
        for line in file:
            frame = FRAME.match(line)
            if frame:
                frames.append(frame.group(1))
                continue
            if "<stack trace>" in line:
                continue
            if address:
                yield address, frames
            found = EVENT.search(line)
            address, frames = int(found.group(1), 16) if found else 0, []
    if address:
        yield address, frames


def objects():
    """Returns the kinds of objects by address."""
    with open(TRACE, encoding="ascii", errors="replace") as file:
        return {int(found.group(2), 16): found.group(1)
                for found in map(REF.search, file) if found}


def below(table, address, most):
    """Returns the entry with the largest key that is not above the address, or
    None if that key is too far below."""
    keys = sorted(table)
    i = bisect.bisect_right(keys, address) - 1
    if i >= 0 and address - keys[i] < most:
        return table[keys[i]]
    return None


def callers(frames, functions):
    """Returns the function that takes the lock, and the function of the module
    that calls it. A name is empty if there is none."""
    own = next((name for name in frames if name in functions), "")
    taker = next((name for name in frames if name in functions or
                  not re.search("lock|contention|trace", name)), "")
    return taker, own


def main():
    functions, data = symbols()
    kinds = objects()
    count, through = collections.Counter(), collections.Counter()
    locks = collections.defaultdict(set)
    total = 0
    for address, frames in events():
        total += 1
        taker, own = callers(frames, functions)
        if not own:
            continue
        if taker != own:
            through[taker, own] += 1
            continue
        kind = (below(data, address, 1 << 20) or
                below(kinds, address, OBJECT_MAX) or "other")
        count[kind, own] += 1
        locks[kind, own].add(address)
    for (kind, own), n in count.most_common():
        print(n, len(locks[kind, own]), kind, own)
    print(f"# {total} events; {sum(count.values())} at locks of the module, "
          f"{sum(through.values())} at locks of others that it calls:")
    for (taker, own), n in through.most_common(20):
        print("#", n, taker, "from", own)
    sys.exit(not total)


if __name__ == "__main__":
    main()
