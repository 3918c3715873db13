# SPDX-License-Identifier: GPL-2.0
"""Checks that everything compiles without a warning."""

import concurrent.futures
import glob
import os
import tempfile

import ktap
from checklib import TREE, command
from checklib.results import FAIL, PASS, SKIP
from lablib.kernels import BUILT

SELFTESTS = "tools/testing/selftests/net/smc"
# A short run checks the modules with sparse for this kernel only, and builds the
# modules of all tests for it.
THOROUGH = "6.12"
SBIN_TOOLS = ("smcss", "smcr", "smc_pnet", "smc_rnics", "smc_chk",
              "smc_dbg", "smc_advise", "smc_ctl")


def _test_modules():
    found = glob.glob(os.path.join(TREE, SELFTESTS, "modules/*/Makefile"))
    return [os.path.dirname(path) for path in sorted(found)]


def modules(report, kernels):
    """Builds our modules for each kernel, with W=1, two kernels at a time: a
    build has parts that use one processor only."""
    ready = []
    for name in kernels:
        if name in BUILT:
            # This step may have to build the kernel first.
            status, out = command.run(["scripts/kernel/build", name], 3600)
            if status:
                report.add(f"build: kernel {name}", FAIL, out)
                continue
        ready.append(name)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: command.simple(
            report, f"build: modules for {name}",
            ["scripts/kernel/module", "--strict", name], 1800), ready))


def sparse(report, kernels, deep):
    """Checks our modules with sparse, which sees nearly the same code with each
    kernel."""
    for name in kernels:
        if deep or name == THOROUGH:
            command.simple(
                report, f"build: sparse for {name}",
                ["scripts/kernel/module", "--strict", "--sparse", name], 1800)


def test_modules(report, kernels, deep):
    """Builds the modules of tests. A test also builds the module that it
    needs."""
    for name in kernels:
        if not deep and name != THOROUGH:
            continue
        for path in _test_modules():
            command.simple(
                report, f"build: {os.path.basename(path)} for {name}",
                ["make", "-s", "-C", path, f"LAB_KERNEL={name}"], command.LIMIT)


def install(report):
    """Runs "make install" as a user does, into a scratch directory."""
    status, out = command.run(["scripts/kernel/newest", "6.1"], 60)
    if status:
        report.add("build: make install", SKIP, out.strip())
        return
    release = out.strip()
    kdir = f"/lib/modules/{release}/build"
    with tempfile.TemporaryDirectory() as root:
        if not command.simple(report, "build: make install",
                              ["make", "install", f"KDIR={kdir}",
                               f"DESTDIR={root}", "PREFIX=/usr"], 1800):
            return
        missing = [path for path in (
            f"lib/modules/{release}/updates/smc.ko",
            f"lib/modules/{release}/updates/smc_diag.ko",
            "usr/bin/smc_run",
            "usr/lib/smc_run_bpf",
            "usr/share/bash-completion/completions/smc_run",
            "usr/share/man/man7/smc_counters.7",
            "usr/share/man/man5/smc.conf.5",
            "usr/share/smcr/grafana-dashboard.json",
            "usr/share/smcr/smc.conf.example",
            "usr/lib/systemd/system/smc-conf.service",
            "usr/share/smcr/wireshark/smcr.lua",
            "usr/lib/systemd/system/smc-metrics.service",
            "usr/lib/systemd/system/smc-metrics.timer",
            *(f"usr/sbin/{tool}" for tool in SBIN_TOOLS),
            *(f"usr/share/man/man8/{tool}.8" for tool in SBIN_TOOLS),
            *(f"usr/share/bash-completion/completions/{tool}"
              for tool in SBIN_TOOLS))
                   if not os.path.exists(os.path.join(root, path))]
        report.add("build: everything is installed",
                   FAIL if missing else PASS, f"missing: {missing}")
        _, out = command.run(["make", "uninstall", f"KDIR={kdir}",
                              f"DESTDIR={root}", "PREFIX=/usr"], 60)
        left = [path for path in glob.glob("**", root_dir=root, recursive=True)
                if not os.path.isdir(os.path.join(root, path))]
        report.add("build: make uninstall leaves nothing",
                   FAIL if left else PASS, f"left: {left}\n{out}")


def programs(report):
    """Builds tools and test programs."""
    command.simple(report, "build: tools", ["make", "tools"])
    for directory in (SELFTESTS, "tools/testing/bench"):
        if os.path.exists(os.path.join(TREE, directory, "Makefile")):
            command.simple(report, f"build: {directory}",
                           ["make", "-C", directory])


def in_tree(report):
    """Builds a kernel tree in which net/smc and its selftests replace the
    stock ones."""
    report.add_all(command.with_ktap(
        "build: in a kernel tree", ["tools/testing/smc/in_tree.sh"], 1800))


def unit(report):
    """Runs tests that need no host: user-space unit tests, fuzzers, tools."""
    for directory in ("tools/testing/smc", "tools/smc_run", "tools/smcss",
                      "tools/lib", "tools/smcr", "tools/smc_dbg",
                      "tools/smc_advise", "tools/smc_ctl", "tools/wireshark",
                      "tools/testing/bench", "scripts/tests"):
        # the tests of scripts may have to build a kernel first
        timeout = 3600 if directory == "scripts/tests" else command.LIMIT
        makefile = os.path.join(TREE, directory, "Makefile")
        if not os.path.exists(makefile):
            report.add(f"unit: {directory}", SKIP, "not in this tree")
            continue
        report.add_all(command.with_ktap(
            f"unit: {directory}", ["make", "-s", "--no-print-directory", "-C",
                                   directory, "check"], timeout))
    wrong = ktap.self_check()
    report.add("unit: results are read right", FAIL if wrong else PASS, wrong)


DEEP = {"chroot": ("tools/testing/deep/chroot_bench.sh", 2 * 3600),
        "fuzz": ("tools/testing/smc/fuzz_long.sh", 4 * 3600),
        "model": ("tools/testing/smc/model_long.sh", 2 * 3600),
        "arm64": ("tools/testing/deep/arm64.sh", 3600),
        "flavours": ("tools/testing/deep/flavours.sh", 3600),
        "hs_ctrl": ("tools/testing/deep/hs_ctrl.sh", 3600),
        "packages": ("tools/testing/deep/packages.sh", 3600),
        "kselftest": ("tools/testing/deep/kselftest.sh", 2 * 3600),
        "mutations": ("tools/testing/smc/mutate_rows.py check --lab", 7200)}


def deep(report, name):
    """Runs a part of the deep run, which starts its own hosts if it
    needs any."""
    line, timeout = DEEP[name]
    report.add_all(command.with_ktap(f"deep: {name}", line.split(), timeout))
