# SPDX-License-Identifier: GPL-2.0
"""Searches the output of a host's kernel for errors, and runs kmemleak."""

import os
import re
import sys

from lablib import LabError, client, place

START = "lab: loading smc"    # written by guest/setup
REPORT = re.compile(
    r"WARNING[: ]|\bBUG\b|KASAN|lockdep|possible (recursive|circular|irq)|"
    r"inconsistent lock state|suspicious RCU|INFO: task .* (hung|blocked)|"
    r"rcu.*stall|kmemleak: [1-9]|UBSAN|general protection|Oops|refcount_t|"
    r"Kernel panic|ODEBUG|sleeping function called|scheduling while atomic|"
    r"unregister_netdevice: waiting|leaked reference|"
    r"list_(add|del) corruption|"
    r"DEBUG_LOCKS_WARN_ON|unbalanced|held lock|bad: scheduling")
# Lines that look like a report but are not one.
HARMLESS = re.compile(r"kmemleak: (Kernel|Cannot|Automatic)|FAULT_INJECTION")
# An entry of a call trace, such as "? lockdep_hardirqs_on+0xd4/0x1f0". The
# trace of a report follows a line that matches REPORT. The kernel also prints a
# trace when an allocation fails, and some tests make allocations fail.
TRACE_ENTRY = re.compile(r"^(\[ *\d+\.\d+\])? *(\[<[0-9a-f]+>\] )?(\? )?"
                         r"[\w.]+\+0x[0-9a-f]+/0x[0-9a-f]+( \[\w+\])?$")
SHOWN_AFTER = 40    # number of lines of a report that are printed


def _console_since_start(name, host):
    path = place.console_file(place.run_dir(name), host)
    try:
        with open(path, encoding="utf-8", errors="replace") as console:
            text = console.read()
    except FileNotFoundError:
        raise LabError(f"no console of host {host} in lab {name}") from None
    start = text.rfind(START)
    return text[start + len(START):] if start >= 0 else text


def _new_part(name, host, text):
    """Returns the reports that are new since the last call."""
    mark = os.path.join(place.run_dir(name), f"scanned-{host}")
    try:
        with open(mark, encoding="ascii") as file:
            seen = int(file.read())
    except (OSError, ValueError):
        seen = 0
    with open(mark, "w", encoding="ascii") as file:
        file.write(str(len(text)))
    return text[seen:]


def is_report(line):
    """Is this line of the kernel's output an error, or the begin of one?"""
    return (REPORT.search(line) and not HARMLESS.search(line) and
            not TRACE_ENTRY.search(line.strip()))


def dmesg_check(args):
    """Prints the lines and exits with status 1 if the kernel has reported an
    error."""
    text = _console_since_start(args.name, args.host)
    if args.new:
        text = _new_part(args.name, args.host, text)
    lines = text.splitlines()
    hits = [i for i, line in enumerate(lines) if is_report(line)]
    if not hits:
        return 0
    last = min(hits[-1] + 1, hits[0] + SHOWN_AFTER)
    for line in lines[hits[0]:max(last, hits[0] + SHOWN_AFTER)]:
        print(f"{args.host}: {line}")
    return 1


# An object counts as leaked only if it is some seconds old and two scans have
# not found a pointer to it.
KMEMLEAK = """
f=/sys/kernel/debug/kmemleak
[ -e $f ] || { echo "this kernel has no kmemleak" >&2; exit 3; }
sleep 5
echo scan > $f && echo scan > $f && cat $f
"""


def kmemleak(args):
    """Prints the leaks and exits with status 1 if the host leaks memory."""
    status, out = client.capture(args.name, args.host, ["sh", "-c", KMEMLEAK],
                                 timeout=300)
    if status:
        raise LabError(f"host {args.host}: kmemleak scan failed ({status})")
    sys.stdout.write(out)
    return 1 if out.strip() else 0
