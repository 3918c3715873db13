# SPDX-License-Identifier: GPL-2.0
"""Tests on hosts: one lane per kernel, each with labs of its own.

A test script says in a comment near its top what it needs:

    # lab: --nics 2 --b none     arguments of "lab up" (default: ours, ours)
    # lab: fresh                 a lab of its own, which it may ruin
    # kernels: uml uml-debug     run only there
    # timeout: 900               seconds

Scripts of two_host/, clc/ and conformance/ run on this machine, with LAB (the
program), LAB_NAME and LAB_KERNEL set, and use "$LAB exec"; those of in_host/
run inside host a. Those of interop/ run like two_host/, once with stock SMC on
host b and once on host a, and get OURS and STOCK with the names of the hosts.
"""

import glob
import os
import re
import time

from checklib import TREE, command
from checklib.build import SELFTESTS
from checklib.results import FAIL, PASS, SKIP

KERNELS = ("uml-debug", "6.12", "6.1")
LAB = os.path.join(TREE, "scripts/lab")
HEADER = re.compile(r"^(?:#|//)\s*(lab|kernels|timeout):\s*(.*?)\s*$",
                    re.MULTILINE)
# One kernel with several CPUs, one with a single CPU: they fail differently.
SHAPE = {"6.12": ("--smp", "2")}
UP_LIMIT = 420
TEST_LIMIT = 600
# Kernels whose own SMC can be the peer, and what is wrong with others.
STOCK = ("6.12", "uml")
NO_STOCK = {"6.1": "stock SMC of 6.1 cannot use its rdma_rxe, which does not "
                   "report cur_qp_state"}
NOT_A_TEST = ("lib", "settings")


class Needs:
    """What a test script asks for."""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8", errors="replace") as file:
            found = dict(HEADER.findall(file.read(4096)))
        words = found.get("lab", "").split()
        self.fresh = "fresh" in words
        self.lab = tuple(word for word in words if word != "fresh")
        self.kernels = found.get("kernels", "").split()
        self.timeout = int(found.get("timeout", TEST_LIMIT))

    @property
    def name(self):
        return os.path.relpath(self.path, os.path.join(TREE, SELFTESTS))


def tests(where):
    """The scripts of a directory below the selftests, as Needs."""
    paths = []
    for pattern in ("*.sh", "*.py"):
        paths += glob.glob(os.path.join(TREE, SELFTESTS, where, pattern))
    return [Needs(path) for path in sorted(paths)
            if os.access(path, os.X_OK) and
            not os.path.basename(path).startswith(NOT_A_TEST)]


class Lane:
    """All that runs on one kernel, in order, lab after lab."""

    def __init__(self, report, kernel, stages):
        self.report = report
        self.kernel = kernel
        self.stages = stages
        self.name = f"check-{os.getpid()}-{kernel}"
        self.hosts = ()
        self.env = {}           # for the scripts, besides the lab
        self.stock = ()         # hosts with the kernel's own SMC
        self.shape = None       # arguments of the lab that is up

    def run(self):
        try:
            if "kunit" in self.stages and self.kernel == "uml-debug":
                self._kunit()
            if "in-host" in self.stages:
                self._scripts(tests("in_host"), self._in_host)
            if "two-host" in self.stages:
                self._scripts(tests("two_host") + tests("clc") +
                              tests("conformance"), self._two_host)
            if "interop" in self.stages:
                self._interop()
        finally:
            self._close()

    # -- labs --------------------------------------------------------------

    def _lab(self, verb, *args, timeout=60):
        return command.run([LAB, verb, "--name", self.name, *args], timeout)

    def _open(self, shape):
        """Have a lab of this shape up; False (and a result) when it fails."""
        if self.shape == shape:
            return True
        self._close()
        status, out = self._lab("up", "--kernel", self.kernel,
                                *SHAPE.get(self.kernel, ()), *shape,
                                timeout=UP_LIMIT)
        words = " ".join(shape) or "ours, ours"
        if status:
            self.report.add(f"{self.kernel}: lab up ({words})", FAIL, out)
            self._lab("down")
            return False
        self.report.note(f"{self.kernel}: lab up ({words})")
        self.shape = shape
        single = "--hosts" in shape and "1" in shape
        self.stock = tuple(host for host in ("a", "b")
                           if f"--{host} stock" in words)
        self.hosts = ("a",) if single else ("a", "b")
        return True

    def _close(self, ruined=False):
        """Take the lab down, after a look at what the tests have left."""
        if self.shape is None:
            return
        if not ruined:
            for host in self.hosts:
                self._inspect(host)
        self._lab("down")
        self.shape = None

    def _inspect(self, host):
        """Modules unload, leave nothing, and the kernel has no complaint."""
        where = f"{self.kernel} {'/'.join(self.shape) or 'ours'} host {host}"
        if host not in self.stock:
            status, out = self._lab("exec", "--timeout", "120", host, "--",
                                    f"{TREE}/scripts/lablib/guest/unload",
                                    timeout=150)
            self.report.add(f"{where}: modules unload and leave nothing",
                            FAIL if status else PASS, out)
        if self.kernel == "uml-debug":
            status, out = self._lab("kmemleak", host, timeout=400)
            self.report.add(f"{where}: no memory leaked",
                            FAIL if status else PASS, out)
        status, out = self._lab("dmesg-check", "--new", host)
        self.report.add(f"{where}: no kernel report",
                        FAIL if status else PASS, out)

    # -- tests -------------------------------------------------------------

    def _kunit(self):
        prefix = f"kunit {self.kernel}"
        module = os.path.join(TREE, "build", self.kernel,
                              "net/smc/smc_kunit.ko")
        if not os.path.exists(module):
            self.report.add(prefix, SKIP, "no smc_kunit.ko was built")
            return
        if not self._open(("--hosts", "1")):
            return
        script = (f"dmesg -C; insmod {module} && dmesg && "
                  "rmmod smc_kunit")
        status, out = self._lab("exec", "--timeout", "300", "a", "--", "sh",
                                "-c", script, timeout=330)
        command.add_ktap(self.report, prefix, status, _kunit_lines(out))

    def _scripts(self, needs, run_one):
        """Scripts that want the same lab share it, one after the other."""
        if not needs:
            self.report.add(f"{self.kernel}: there are test scripts", FAIL)
        for need in sorted(needs, key=lambda n: (n.fresh, n.lab, n.name)):
            if need.kernels and self.kernel not in need.kernels:
                continue
            if need.fresh:
                self._close()
            if not self._open(need.lab):
                self.report.add(f"{self.kernel} {need.name}", FAIL,
                                "there was no lab for it")
                continue
            begun = time.monotonic()
            run_one(need)
            self.report.note(f"{self.kernel} {need.name}: "
                             f"{time.monotonic() - begun:.0f} s")
            self._after(need)

    def _interop(self):
        """With stock SMC on one host, then on the other."""
        if self.kernel in NO_STOCK:
            self.report.add(f"{self.kernel} interop", SKIP,
                            NO_STOCK[self.kernel])
        if self.kernel not in STOCK:
            return
        for ours, stock in (("a", "b"), ("b", "a")):
            needs = tests("interop")
            for need in needs:
                need.lab += (f"--{ours}", "ours", f"--{stock}", "stock")
            self.env = {"OURS": ours, "STOCK": stock}
            self._scripts(needs, self._two_host)
            self._close()
        self.env = {}

    def _in_host(self, need):
        argv = [LAB, "exec", "--name", self.name, "--timeout",
                str(need.timeout), "a", "--", need.path]
        command.with_ktap(self.report, f"{self.kernel} {need.name}", argv,
                          need.timeout + 30)

    def _two_host(self, need):
        env = {**self.env, "LAB_NAME": self.name,
               "LAB_KERNEL": self.kernel, "LAB": LAB}
        command.with_ktap(self.report, f"{self.kernel} {need.name}",
                          [need.path], need.timeout, env=env)

    def _after(self, need):
        """Reports belong to the test that caused them."""
        if need.fresh:
            self._close(ruined=True)
            return
        for host in self.hosts:
            status, out = self._lab("exec", "--timeout", "20", host, "--",
                                    "true", timeout=40)
            if status:
                self.report.add(
                    f"{self.kernel} {need.name}: host {host} is alive", FAIL,
                    out + self._lab("log", host)[1][-4000:])
                self._close(ruined=True)
                return
            status, out = self._lab("dmesg-check", "--new", host)
            if status:
                self.report.add(
                    f"{self.kernel} {need.name}: no report of host {host}",
                    FAIL, out)


def _kunit_lines(out):
    """The KTAP part of a kernel log."""
    lines = out.splitlines()
    for number, line in enumerate(lines):
        if "KTAP version" in line:
            return "\n".join(lines[number:])
    return out
