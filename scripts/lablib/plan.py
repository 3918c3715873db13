# SPDX-License-Identifier: GPL-2.0
"""The planned properties of each host of a lab."""

import dataclasses
import os
import re

from lablib import LabError, kernels, place

OWN_ROOT = "/"      # the machine's, or what the kernel's architecture needs
SYSTEMD = "lib/systemd/systemd"     # below the root of a host


@dataclasses.dataclass
class Host:
    """One host: the request of the user and, later, the paths that were found
    for it."""

    name: str
    wanted: str             # name of the kernel
    smc: str                # ours, stock or none
    root: str = OWN_ROOT    # its root file system, a directory
    rebuilt_rxe: bool = False
    systemd: bool = False   # does its first process become systemd?
    kernel: kernels.Kernel = None
    # paths of the modules of SMC
    modules: list = dataclasses.field(default_factory=list)
    rxe: str = None         # rdma_rxe in place of the kernel's
    programs: str = None    # a copy of the tree with programs for the host

    def __str__(self):
        words = f"{self.smc} on {self.wanted}"
        if self.rebuilt_rxe:
            words += " with a rebuilt rdma_rxe"
        if self.root != OWN_ROOT:
            words += f" in {self.root}"
        if self.systemd:
            words += " with systemd"
        return words

    @property
    def mute(self):
        """Does the host have an SMC that cannot use its rdma_rxe?"""
        return (self.smc == "stock" and self.wanted == "6.1" and
                not self.rebuilt_rxe)

    def shared(self):
        """Returns the directories of the machine that a host with a separate
        root needs. "A=B" stands for A, which the host sees as B."""
        if self.root == OWN_ROOT:
            return []
        paths = [place.cache()]
        if self.programs:
            build = os.path.join(place.TREE, "build")
            paths += [f"{self.programs}={place.TREE}", build]
        else:
            paths.append(place.TREE)
        if self.kernel.release:
            modules = f"/lib/modules/{self.kernel.release}"
            if not os.path.isdir(self.root + modules):
                paths.append(modules)
        return paths


def _root(name, path):
    if path is None:
        return OWN_ROOT
    path = os.path.realpath(path)
    if not re.fullmatch(r"[\w./+@~-]+", path):
        raise LabError(f"host {name}: no name for a root: {path!r}")
    if not os.path.lexists(os.path.join(path, "bin/sh")):
        raise LabError(f"host {name}: {path} is no root file system: "
                       "it has no bin/sh")
    return path


def _check(hosts, args):
    """Refuses hosts that are impossible, and impossible pairs of hosts."""
    kinds = {kernels.is_uml(host.wanted) for host in hosts}
    if len(kinds) > 1:
        words = " and ".join(f"{host.wanted} on host {host.name}"
                             for host in hosts)
        raise LabError(f"{words}: no cable goes from User Mode Linux to QEMU; "
                       "take two kernels of one kind")
    if True in kinds and args.smp > 1:
        raise LabError("a User Mode Linux host has one CPU, --smp is for QEMU")
    if False in kinds and args.switch:
        raise LabError("the switch is for User Mode Linux")
    if True in kinds and args.qemu:
        raise LabError("--qemu is for a kernel under QEMU, not for User Mode "
                       "Linux")
    for host in hosts:
        if host.rebuilt_rxe and host.wanted != "6.1":
            raise LabError(f"host {host.name}: rdma_rxe is rebuilt for 6.1, "
                           f"not for {host.wanted}")
        if host.systemd and (
                host.root == OWN_ROOT or kernels.is_uml(host.wanted) or
                not os.path.lexists(os.path.join(host.root, SYSTEMD))):
            raise LabError(f"host {host.name}: --systemd is for QEMU, with a "
                           f"root that has {SYSTEMD}; take --{host.name}-root")
    mute = [host.name for host in hosts if host.mute]
    if mute and all(host.smc == "stock" for host in hosts) and len(hosts) > 1:
        raise LabError(
            f"host {mute[0]}: stock SMC of 6.1 cannot use the rdma_rxe of "
            f"that kernel; take --{mute[0]}-rxe rebuilt, or 6.12 or uml")


def asked_for(args):
    """Returns the hosts that the command line describes, without building
    anything."""
    hosts = [Host(name, getattr(args, f"{name}_kernel") or args.kernel,
                  getattr(args, name),
                  _root(name, getattr(args, f"{name}_root")),
                  getattr(args, f"{name}_rxe") == "rebuilt", args.systemd)
             for name in place.HOSTS[:args.hosts]]
    _check(hosts, args)
    return hosts


def find(hosts):
    """Builds everything that the hosts need, once."""
    found = {name: kernels.find(name)
             for name in sorted({host.wanted for host in hosts})}
    modules = {}
    for host in hosts:
        host.kernel = found[host.wanted]
        if host.root == OWN_ROOT:
            host.root = kernels.root_of(host.kernel)
            host.programs = kernels.programs_of(host.kernel)
        key = host.wanted, host.smc
        if key not in modules:
            modules[key] = host.kernel.modules(host.smc)
        host.modules = modules[key]
        if host.rebuilt_rxe:
            host.rxe = kernels.rebuilt_rxe()
