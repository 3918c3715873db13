# SPDX-License-Identifier: GPL-2.0
"""The kernels that hosts can run, and the smc modules for each."""

import glob
import os
import socket
import subprocess

from lablib import LabError, cached, place

NATIVE = "x86_64"
# Kernels that scripts/kernel/build builds: their architectures and images.
BUILT = {"uml": (NATIVE, "linux"), "uml-debug": (NATIVE, "linux"),
         "smp-debug": (NATIVE, "arch/x86/boot/bzImage"),
         "s390x": ("s390x", "arch/s390/boot/bzImage"),
         "arm64-64k": ("aarch64", "arch/arm64/boot/Image")}
NAMES = ("6.12", "6.1", "6.12-rt", *BUILT)


class Kernel:
    """One kernel: its image and its modules."""

    def __init__(self, name, image, release=None, build=None, arch=NATIVE):
        self.name = name
        self.image = image
        self.arch = arch
        self.release = release  # name under /lib/modules (Debian's only)
        self.build = build      # build directory (the lab's only)

    @property
    def is_uml(self):
        return is_uml(self.name)

    @property
    def ipv6(self):
        """Does IPv6 work? QEMU 7.2 emulates s390x so that checksums of TCP and
        of IPv6 are wrong. They do not matter within the host."""
        return self.arch != "s390x"

    @property
    def wire(self):
        """Socket type of the cables for its NICs: datagrams or a stream."""
        return socket.SOCK_SEQPACKET if self.is_uml else socket.SOCK_STREAM

    @property
    def memory(self):
        """Default memory of a host in MiB."""
        return 2048 if self.is_uml else 1536

    def modules(self, smc):
        """Returns the modules that a host with this SMC loads."""
        if smc == "none":
            return []
        return self.stock_modules() if smc == "stock" else self.our_modules()

    def stock_modules(self):
        """Returns the paths of the kernel's own smc and smc_diag, in load
        order."""
        base = self.build or f"/lib/modules/{self.release}/kernel"
        return [_one(f"{base}/net/smc/{name}.ko*", f"{name} of {self.name}")
                for name in ("smc", "smc_diag")]

    def our_modules(self):
        """Builds our modules for this kernel; returns their paths in load
        order."""
        script = os.path.join(place.TREE, "scripts/kernel/module")
        out = _output([script, self.name],
                      f"building our module for {self.name}")
        built = out.strip().splitlines()[-1]
        return [_one(f"{built}/net/smc/{path}", f"our {path} of {self.name}")
                for path in ("smc.ko", "smc_diag.ko")]


def _one(pattern, what):
    found = [p for p in glob.glob(pattern)
             if p.endswith((".ko", ".ko.xz", ".ko.zst"))]
    if not found:
        raise LabError(f"{what} is missing ({pattern})")
    return found[0]


def _output(argv, what):
    """Returns the stdout of a helper program; the user sees its stderr."""
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, encoding="utf-8",
                              errors="replace")
    except OSError as err:
        raise LabError(f"{what}: {argv[0]}: {err.strerror}") from None
    if done.returncode or not done.stdout.strip():
        raise LabError(f"{what} failed")
    return done.stdout


def _debian(name):
    script = os.path.join(place.TREE, "scripts/kernel/newest")
    release = _output([script, name], f"finding a kernel {name}").strip()
    return Kernel(name, f"/boot/vmlinuz-{release}", release=release)


def is_uml(name):
    """Is the kernel with this name User Mode Linux?"""
    return name.startswith("uml")


def rebuilt_rxe():
    """Returns the path of an rdma_rxe for 6.1 that stock SMC of 6.1
    can use."""
    cached.packages("rxe")
    script = os.path.join(place.TREE, "scripts/kernel/rxe")
    return _output([script], "building rdma_rxe for 6.1").strip()


def find(name):
    """Returns the kernel with this name; builds the kernel if necessary."""
    if name not in NAMES:
        raise LabError(f"no such kernel: {name} ({', '.join(NAMES)})")
    if not is_uml(name):
        cached.packages("qemu")
    if name == "6.12-rt":
        cached.packages("rt")
    if name not in BUILT:
        return _debian(name)
    arch, image = BUILT[name]
    cached.packages("uml")      # also what the build of any kernel needs
    if arch != NATIVE:
        cached.packages(arch)
    script = os.path.join(place.TREE, "scripts/kernel/build")
    build = _output([script, name], f"building the {name} kernel").strip()
    return Kernel(name, f"{build}/{image}", build=build, arch=arch)


def busybox(kernel):
    """Returns the path of a static busybox for the kernel's processor."""
    return os.path.join(root_of(kernel), "bin/busybox")


def programs_of(kernel):
    """Returns a copy of the tree with programs for the kernel's processor, or
    None if the tree has them."""
    if kernel.arch == NATIVE:
        return None
    script = os.path.join(place.TREE, "scripts/kernel/programs")
    return _output([script, kernel.arch],
                   f"building programs for {kernel.arch}").strip()


def root_of(kernel):
    """Returns the root file system that hosts with this kernel need, which is
    the machine's or, for a foreign processor, one of Debian's."""
    if kernel.arch == NATIVE:
        return "/"
    script = os.path.join(place.TREE, "scripts/kernel/root")
    return _output([script, kernel.arch],
                   f"unpacking a root for {kernel.arch}").strip()
