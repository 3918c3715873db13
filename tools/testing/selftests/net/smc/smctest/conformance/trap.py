# SPDX-License-Identifier: GPL-2.0
"""A page whose first use waits until the program lets it go on
(userfaultfd)."""

import ctypes
import fcntl
import mmap
import os
import select
import struct

SYS_USERFAULTFD = 323       # x86_64
API, REGISTER, ZEROPAGE = 0xc018aa3f, 0xc020aa00, 0xc020aa04
UFFD_API, MISSING = 0xaa, 1
LIBC = ctypes.CDLL(None, use_errno=True)


class Trap:
    """self.page: memory that nobody has touched."""

    def __init__(self):
        """Raises OSError if the kernel has no userfaultfd."""
        self._fd = LIBC.syscall(SYS_USERFAULTFD, os.O_CLOEXEC | os.O_NONBLOCK)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "no userfaultfd")
        fcntl.ioctl(self._fd, API, struct.pack("QQQ", UFFD_API, 0, 0))
        self.page = mmap.mmap(-1, mmap.PAGESIZE,
                              mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._range = ctypes.addressof(ctypes.c_char.from_buffer(self.page))
        self._call(REGISTER, MISSING)

    def _call(self, what, mode):
        fcntl.ioctl(self._fd, what, struct.pack(
            "QQQQ", self._range, mmap.PAGESIZE, mode, 0))

    def sprung(self, seconds):
        """Waits until somebody uses the page."""
        return bool(select.select([self._fd], [], [], seconds)[0])

    def open(self):
        """Wakes all tasks that wait for the page."""
        self._call(ZEROPAGE, 0)
        os.close(self._fd)
