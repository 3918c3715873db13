#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Tests that the probes of net/smc/base/probe detect old and new interfaces.

usage: probe_test.py TOP OUT

TOP is the top of the tree, OUT is the directory for the results. The program
runs probe.sh with stub headers (probe_stubs.h), in which each interface is old
or new. It also runs probe.sh for kernels that lack something, and once as a
whole build does. It prints KTAP.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

from ktap import Report

HERE = os.path.dirname(os.path.realpath(__file__))
CC = os.environ.get("CC", "gcc")
VERSION_CODE = (6 << 16) + (1 << 8)
OPTIONS = ("CONFIG_INET", "CONFIG_INFINIBAND_MODULE", "CONFIG_SMC_MODULE")
OUT_OF_TREE = "-DMODULE"
# Interfaces that exist in the old headers and not in the new headers.
GONE = {"SENDPAGE"}
TIMEOUT = 300


class Probes:
    """Runs the probes with stub headers in directory."""

    def __init__(self, top, directory):
        self.script = os.path.join(top, "net/smc/base/probe.sh")
        self.sources = sorted(glob.glob(
            os.path.join(top, "net/smc/base/probe/*.c")))
        self.names = [os.path.basename(path)[:-2].upper()
                      for path in self.sources]
        self.include = os.path.join(directory, "include")
        self.answers = os.path.join(directory, "probed.h")
        shutil.rmtree(directory, ignore_errors=True)
        for header in self.headers():
            path = os.path.join(self.include, header)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.symlink(os.path.join(HERE, "probe_stubs.h"), path)

    def headers(self):
        """Returns all headers that are included with <>."""
        found = set()
        for path in glob.glob(os.path.join(os.path.dirname(self.script),
                                           "probe/*")):
            with open(path, encoding="utf-8") as file:
                found |= set(re.findall(r"^#include <(.*)>", file.read(),
                                        re.M))
        return sorted(found)

    def run(self, new=(), options=OPTIONS, version=VERSION_CODE, flags=(),
            compiler=CC):
        """Returns (exit status, {name: 0 or 1}, stderr)."""
        if os.path.exists(self.answers):
            os.unlink(self.answers)
        done = subprocess.run(
            [self.script, self.answers, f"{self.answers}.d", compiler,
             f"-I{self.include}", "-nostdinc", "-std=gnu11",
             f"-DLINUX_VERSION_CODE={version}",
             *(f"-D{option}=1" for option in options),
             *(f"-DNEW_{name}" for name in new), *flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            encoding="utf-8", timeout=TIMEOUT, check=False)
        answers = {}
        if os.path.exists(self.answers):
            with open(self.answers, encoding="utf-8") as file:
                for name, value in re.findall(r"#define SMC_HAVE_(\w+) ([01])",
                                              file.read()):
                    answers[name] = int(value)
        return done.returncode, answers, done.stderr


def expected(probes, new):
    return {name: int((name in new) != (name in GONE))
            for name in probes.names}


def tell(have, want):
    """Returns the differences, for the log."""
    return "\n".join(f"{name}: {have.get(name)}, not {value}"
                     for name, value in want.items()
                     if have.get(name) != value)


def one_interface(ktap, probes, name):
    """If exactly one interface is new, or exactly one is old, only the answer
    for this interface changes."""
    said = ""
    for new in ({name}, set(probes.names) - {name}):
        status, have, error = probes.run(new)
        want = expected(probes, new)
        if status or have != want:
            said += error + tell(have, want) + "\n"
    ktap.result(not said, f"{name.lower()}: old and new", said)


def all_interfaces(ktap, probes):
    for what, new in (("old", ()), ("new", probes.names)):
        status, have, error = probes.run(new)
        want = expected(probes, new)
        ktap.result(status == 0 and want and have == want,
                    f"all interfaces are {what}", error + tell(have, want))


def one_line(ktap, name, wanted, outcome):
    """The build fails, and prints one line that contains the wanted words."""
    status, answers, error = outcome
    lines = error.splitlines()
    ktap.result(status != 0 and not answers and len(lines) == 1 and
                wanted in lines[0], name, error)


def lacking(ktap, probes):
    """The build rejects unsuitable kernels and compilers that do not work."""
    for option in OPTIONS:
        left = [other for other in OPTIONS if other != option]
        lacks = option.replace("_MODULE", "")
        one_line(ktap, f"a kernel without {lacks}", f"lacks {lacks}",
                 probes.run(options=left))
    # Kconfig leaves out an option that depends on a missing option.
    one_line(ktap, "the first option that is missing is named",
             "lacks CONFIG_INFINIBAND", probes.run(options=OPTIONS[:1]))
    one_line(ktap, "a kernel that is too old", "older than Linux 6.1",
             probes.run(version=VERSION_CODE - 1))
    built_in = (*OPTIONS[:2], "CONFIG_SMC")
    one_line(ktap, "a kernel with SMC built in", "CONFIG_SMC=y",
             probes.run(options=built_in, flags=[OUT_OF_TREE]))
    status, answers, error = probes.run(options=built_in)
    ktap.result(status == 0 and answers == expected(probes, ()),
                "the same in the kernel's own tree", error)
    one_line(ktap, "a compiler that is not there", "compiler does not run",
             probes.run(compiler="/nowhere/cc"))
    one_line(ktap, "headers that do not compile", "do not compile",
             probes.run(flags=["-Dtimer_list=42"]))
    missing = os.path.join(probes.include, "net/tcp.h")
    os.rename(missing, missing + ".away")
    one_line(ktap, "a header that is missing", "net/tcp.h", probes.run())
    os.rename(missing + ".away", missing)


def kernel_without(kdir, copy, option):
    """Creates the headers in kdir for a kernel without this option."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(kdir, copy, symlinks=True,
                    ignore=shutil.ignore_patterns("vmlinux"))
    for name, pattern, new in (
            ("autoconf.h", rf"^#define {option}(_MODULE)? 1\n", ""),
            ("utsrelease.h", r'UTS_RELEASE ".*"',
             f'UTS_RELEASE "test-without-{option}"')):
        path = os.path.join(copy, "include/generated", name)
        with open(path, encoding="utf-8") as file:
            text, count = re.subn(pattern, new, file.read(), flags=re.M)
        if count != 1:
            raise RuntimeError(f"{kdir}: {name} is not as expected")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def build(top, kdir, **env):
    """Returns (exit status, output lines) of a build for kdir. env: changes of
    the environment"""
    done = subprocess.run(
        [os.path.join(top, "scripts/kernel/module"), "--kdir", kdir],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        timeout=TIMEOUT, check=False, env={**os.environ, **env})
    return done.returncode, done.stdout.splitlines()


def no_headers(ktap, top, out):
    """Nothing to build for."""
    empty = os.path.join(out, "empty")
    bare = os.path.join(out, "bare")
    os.makedirs(empty, exist_ok=True)
    os.makedirs(bare, exist_ok=True)
    with open(os.path.join(bare, "Makefile"), "w", encoding="utf-8"):
        pass
    for name, kdir, wanted in (
            ("a release without headers", "/lib/modules/6.99-none/build",
             "install linux-headers-6.99-none"),
            ("a directory without kernel", empty, "no kernel build directory"),
            ("a kernel that is not configured", bare, "not configured")):
        status, lines = build(top, kdir)
        ktap.result(status != 0 and len(lines) == 1 and wanted in lines[0],
                    name, "\n".join(lines))


def no_gcc(out):
    """Returns a PATH on which the name gcc does not work: the compiler of
    Debian's kernels has another name."""
    path = os.path.join(out, "no-gcc")
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "gcc"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexit 127\n")
    os.chmod(file.name, 0o755)
    return f"{path}:{os.environ['PATH']}"


def whole_build(ktap, top, out):
    """Runs a whole build for a kernel without SMC."""
    name = "a whole build for a kernel without CONFIG_SMC"
    kdirs = sorted(glob.glob("/usr/src/linux-headers-*-amd64"))
    if not kdirs:
        ktap.skip(name, "no kernel headers in /usr/src (linux-headers-amd64)")
        return
    copy = os.path.join(out, "kernel")
    kernel_without(kdirs[-1], copy, "CONFIG_SMC")
    for case, path in ((name, os.environ["PATH"]),
                       (f"{name}, without the name gcc", no_gcc(out))):
        status, lines = build(top, copy, PATH=path)
        ktap.result(status != 0 and len(lines) == 2 and
                    "net/smc: this kernel lacks CONFIG_SMC" in lines[0] and
                    lines[1].startswith("module: build against"),
                    case, "\n".join(lines))


def main():
    if len(sys.argv) != 3:
        print("usage: probe_test.py TOP OUT", file=sys.stderr)
        return 2
    top, out = (os.path.abspath(path) for path in sys.argv[1:])
    probes = Probes(top, os.path.join(out, "stubs"))
    ktap = Report()
    for name in probes.names:
        one_interface(ktap, probes, name)
    all_interfaces(ktap, probes)
    lacking(ktap, probes)
    no_headers(ktap, top, out)
    whole_build(ktap, top, out)
    return ktap.finish()


if __name__ == "__main__":
    sys.exit(main())
