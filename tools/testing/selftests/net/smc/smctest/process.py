# SPDX-License-Identifier: GPL-2.0
"""Processes and namespaces, by libc where Python has no call for it."""

import ctypes
import os
import traceback

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000

libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags):
    if libc.unshare(flags):
        raise OSError(ctypes.get_errno(), "unshare")


def in_child(function):
    """Runs a function in a separate process and raises its exception here."""
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
