#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Loads a module while allocations of its start fail, one in each attempt.

    start_fails.py FILE STEP

The first attempt fails allocation number 1, the next one number 1 + STEP, until
a start needs fewer allocations. inject_faults chooses which allocations count.
A start that works in spite of the fault is undone. Prints the number of starts
that failed. Runs on a host as root; the module must not be loaded.
"""

import ctypes
import errno
import os
import sys

INIT_MODULE, DELETE_MODULE = 175, 176   # of x86-64
MOST = 3000     # limit of the allocations of a start

libc = ctypes.CDLL(None, use_errno=True)


def system_call(number, *args):
    """Returns 0 or the errno."""
    return ctypes.get_errno() if libc.syscall(number, *args) else 0


def start(image, nth):
    """Returns (errno of the start, has the allocation failed?)."""
    fd = os.open("/proc/thread-self/fail-nth", os.O_RDWR)
    os.pwrite(fd, str(nth).encode(), 0)
    err = system_call(INIT_MODULE, image, ctypes.c_ulong(len(image)), b"")
    met = os.pread(fd, 12, 0).strip() == b"0"
    os.pwrite(fd, b"0", 0)
    os.close(fd)
    return err, met


def main():
    path, step = sys.argv[1], int(sys.argv[2])
    name = os.path.basename(path).removesuffix(".ko").encode()
    with open(path, "rb") as file:
        image = file.read()
    failed = 0
    for nth in range(1, MOST, step):
        err, met = start(image, nth)
        failed += bool(err)
        if err not in (0, errno.ENOMEM, errno.ENOBUFS, errno.ENFILE):
            sys.exit(f"allocation {nth}: {os.strerror(err)}")
        if not err:
            err = system_call(DELETE_MODULE, name, os.O_NONBLOCK)
            if err:
                sys.exit(f"after allocation {nth} the module stays: "
                         f"{os.strerror(err)}")
        if not met:
            print(failed)
            sys.exit(0 if failed else "no start failed")
    sys.exit(f"a start with {MOST} allocations")


if __name__ == "__main__":
    main()
