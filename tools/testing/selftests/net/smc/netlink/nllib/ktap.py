# SPDX-License-Identifier: GPL-2.0
"""Cases of a test program, one KTAP result each."""

import ctypes
import os
import sys
import traceback

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
CASES = []

libc = ctypes.CDLL(None, use_errno=True)


def case(function):
    """Decorator: the first line of the doc string is the result's name."""
    CASES.append(function)
    return function


def same(wanted, got):
    if wanted != got:
        raise AssertionError(f"wanted {wanted!r}, got {got!r}")


def run():
    failed = 0
    print("KTAP version 1")
    for number, function in enumerate(CASES, 1):
        name = function.__doc__.splitlines()[0].rstrip(".")
        sys.stdout.flush()
        try:
            function()
            print(f"ok {number} - {name}")
        except Exception:   # pylint: disable=broad-except
            failed += 1
            print("".join("# " + line + "\n" for line in
                          traceback.format_exc().splitlines()), end="")
            print(f"not ok {number} - {name}")
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


def unshare(flags):
    if libc.unshare(flags):
        raise OSError(ctypes.get_errno(), "unshare")


def in_child(function):
    """Run it in a process of its own; its exception is one here."""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reader)
        text = ""
        try:
            function()
        except BaseException:   # pylint: disable=broad-except
            text = traceback.format_exc()
        os.write(writer, text.encode()[:60000])
        os._exit(1 if text else 0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        text = file.read().decode()
    status = os.waitpid(pid, 0)[1]
    if status:
        raise AssertionError(f"in a child (status {status}):\n{text}")
