# SPDX-License-Identifier: GPL-2.0
"""Tests on hosts: the tests of a kernel, in several parts with separate labs.

A test script states its needs in comments near its top:

    # lab: --nics 2 --b none     arguments of "lab up" (default: ours, ours)
    # lab: fresh                 a separate lab, which the test may damage
    # kernels: uml uml-debug     run only on these kernels
    # deep: 6.1 6.12             on these kernels only in check-deep
    # timeout: 900               seconds; four times as long in check-deep
    # timer: 1                   shortest timer that must not expire, seconds
                                 (default 2)
    # no-unload: reason          why the modules cannot be unloaded
    # places: in_host two_host   where a script of the top directory runs
                                 (default in_host)
    # deep-two-host: 6.12        like "deep", if the two places differ
    # also: uml                  not in check-deep only on this kernel, which
                                 otherwise serves interop
    # foreign: s390x             runs on these kernels, too, whose processors
                                 are foreign
    # without-frames: uml-debug  runs between two hosts once more, with
                                 net.smc.extension=0; not in check-deep only on
                                 these kernels

Scripts at the top run inside host a. Scripts of two_host/ and scripted/, and
scripts at the top for which two_host is a place, run on this machine with LAB
(the program), LAB_NAME and LAB_KERNEL set, and use "$LAB exec". Scripts of
interop/ run like two_host/, once with stock SMC on host b and, in check-deep,
once on host a, and get OURS and STOCK with the names of the hosts.
SMC_TEST_DEPTH is "check" or "deep".

If a script fails while the machine has stopped its hosts for longer than the
script's shortest timer, it runs once more on new hosts, and the report says so.
excuse() says how the pauses of two hosts count. No other script runs twice.
"""

import concurrent.futures
import glob
import json
import os
import re
import time

from checklib import TREE, command
from checklib.build import SELFTESTS
from checklib.results import FAIL, PASS, SKIP
from lablib import watch

KERNELS = ("uml-debug", "6.12", "uml", "6.1")
# A big-endian processor, and one with pages of 64 KiB.
FOREIGN = ("s390x", "arm64-64k")
# smp-debug finds data races and wrong locking on several CPUs; on 6.12-rt,
# spinlocks sleep.
DEEP_KERNELS = (*KERNELS, "smp-debug", "6.12-rt", *FOREIGN)
IN_HOST, TWO_HOST = "in_host", "two_host"
ANY, ORDINARY, SPECIAL = "any lab", "the ordinary lab", "another lab"
# Kinds of tests: their stage, the place where tests of the top directory run,
# the directory with further tests, and the lab that these tests need.
PARTS = {"kunit": ("kunit", "", "", ANY),
         "in-host": ("in-host", IN_HOST, "", ANY),
         "two-host": ("two-host", TWO_HOST, "two_host", ORDINARY),
         "two-host-special": ("two-host", TWO_HOST, "two_host", SPECIAL),
         "scripted": ("two-host", "", "scripted", ANY),
         "interop": ("interop", "", "interop", ANY)}
# The processor emulates the hosts with these kernels.
EMULATED = ("6.12", "6.1", "smp-debug", "6.12-rt", *FOREIGN)
# Lanes run in parallel and start in this order. Long lanes start early, and
# short ones fill the gaps at the end. So all lanes end at about the same time.
# An emulated host takes half a minute of the processors to start. So such a
# kernel has one lane, whose parts share their labs.
LANES = (("uml-debug", ("scripted",)),
         ("6.12", ("in-host", "two-host", "two-host-special", "scripted")),
         ("uml-debug", ("two-host",)),
         ("uml-debug", ("two-host-special",)),
         ("uml", ("scripted",)),
         ("uml", ("two-host-special",)),
         ("uml-debug", ("kunit", "in-host")),
         ("uml", ("interop",)),
         ("uml", ("in-host",)),
         ("6.1", ("in-host", "two-host", "two-host-special", "scripted")),
         ("uml", ("two-host",)),
         ("6.12", ("interop",)),
         ("6.1", ("interop",)),
         ("smp-debug", ("kunit", "in-host", "two-host", "two-host-special",
                        "scripted")),
         ("6.12-rt", ("in-host", "two-host", "two-host-special", "scripted")),
         ("s390x", ("kunit", "in-host", "two-host", "two-host-special")),
         ("arm64-64k", ("kunit", "in-host", "two-host")))
# On this kernel the tests with stock SMC run, because it is fast. A test
# without stock SMC runs on it only if its head has "also": such a test needs
# separate adapters, and takes much longer on the other kernels.
INTEROP_ONLY = ("uml",)
LAB = os.path.join(TREE, "scripts/lab")
HEADER = re.compile(
    r"^(?:#|//) *(lab|kernels|deep|deep-two-host|also|foreign|timeout|timer|"
    r"no-unload|places|without-frames): *(.*?) *$",
    re.MULTILINE)
# Kernels with several CPUs and with a single CPU fail in different ways.
SHAPE = {"6.12": ("--smp", "2"), "6.12-rt": ("--smp", "2"),
         "smp-debug": ("--smp", "2")}
UP_LIMIT = 420
DEEP_TIME = 4           # factor for the time limit of a script on this kernel
TEST_LIMIT = 600
SHORTEST_TIMER = 2.0    # seconds
# Two of our hosts speak frames; this setting leaves the messages of the RFC.
ALL_CAPABILITIES, NO_CAPABILITY = "15", "0"
# (kernel with our module, kernel with stock SMC), by lane. check-deep also uses
# the second table.
INTEROP = {"uml": (("uml", "uml"),)}
DEEP_INTEROP = {"6.12": (("6.12", "6.12"),),
                "6.1": (("6.1", "6.12"), ("6.12", "6.1"), ("6.1", "6.1"))}
# Our modules on the other host of a foreign kernel: two sizes of pages meet.
PARTNER = {"s390x": "6.12", "arm64-64k": "6.12"}
NOT_A_TEST = ("lib", "settings")


def pauses(seen):
    """Returns a text for each host that the machine has stopped. seen: {host:
    {"pauses": [(begin, end, cause)]}} with times in seconds"""
    told = []
    for host, what in sorted(seen.items()):
        if what["pauses"]:
            times = ", ".join(f"{end - begin:.1f}"
                              for begin, end, _ in what["pauses"])
            longest = max(what["pauses"], key=lambda p: p[1] - p[0])
            told.append(f"host {host} {longest[2]} for {times} s")
    return told


def _most_paused(spans, window):
    """Returns the maximum time in a window of this length during which at
    least one host has stood still."""
    begins = [begin for begin, _, _ in spans]
    begins += [end - window for _, end, _ in spans]
    return max((sum(max(0.0, min(end, at + window) - max(begin, at))
                    for begin, end, _ in spans) for at in begins),
               default=0.0)


def excuse(seen, timer):
    """Returns why a failure is excused, or "". The pauses of two hosts add up,
    because the timer of one host runs while the other host stands still. But
    they add up only in the window of two timers, and the time during which both
    stand still counts once."""
    spans = watch.union(watch.Pause(*pause) for what in seen.values()
                        for pause in what["pauses"])
    if _most_paused(spans, 2 * timer) <= timer:
        return ""
    return f"{', '.join(pauses(seen))}, its shortest timer is {timer:g} s"


class Needs:
    """The needs of a test script."""

    def __init__(self, path, place="", frames=True):
        """place: where the script runs, if it is in the top directory; frames:
        may both hosts use frames?"""
        self.path = path
        self.place = place
        self.frames = frames
        with open(path, encoding="utf-8", errors="replace") as file:
            found = dict(HEADER.findall(file.read(4096)))
        words = found.get("lab", "").split()
        self.fresh = "fresh" in words
        self.lab = tuple(word for word in words if word != "fresh")
        self.kernels = found.get("kernels", "").split()
        self.places = found.get("places", IN_HOST).split()
        self.deep = found.get("deep", "").split()
        if place == TWO_HOST and "deep-two-host" in found:
            self.deep = found["deep-two-host"].split()
        self.also = found.get("also", "").split()
        self.foreign = found.get("foreign", "").split()
        self.timeout = int(found.get("timeout", TEST_LIMIT))
        self.timer = float(found.get("timer", SHORTEST_TIMER))
        self.no_unload = found.get("no-unload", "")
        self.without_frames = found.get("without-frames")

    @property
    def special(self):
        """Does the script need a lab of its own, or an unusual lab?"""
        return self.fresh or bool(self.lab)

    @property
    def name(self):
        name = os.path.relpath(self.path, os.path.join(TREE, SELFTESTS))
        if self.place:
            name = os.path.join(self.place, os.path.basename(self.path))
        return name if self.frames else f"{name} without frames"

    def again_without_frames(self, kernel, deep):
        """Returns the same script for hosts that use no frames, or nothing."""
        if self.without_frames is None:
            return []
        if not deep and kernel not in self.without_frames.split():
            return []
        return [Needs(self.path, self.place, frames=False)]

    def left_out(self, kernel, deep):
        """Returns the reason not to run the script on a kernel, or an empty
        string."""
        if self.kernels and kernel not in self.kernels:
            return f"runs on {', '.join(self.kernels)} only"
        if kernel in self.deep and not deep:
            return "left to check-deep"
        return ""


def tests(where, place=""):
    """Returns the scripts of a directory below the selftests, as Needs."""
    paths = []
    for pattern in ("*.sh", "*.py"):
        paths += glob.glob(os.path.join(TREE, SELFTESTS, where, pattern))
    return [Needs(path, place) for path in sorted(paths)
            if os.access(path, os.X_OK) and
            not os.path.basename(path).startswith(NOT_A_TEST)]


def tests_of(part, kernel, deep, only=""):
    """Returns the scripts of a part for a kernel: those of its directory, and
    those of the top directory that run there. only: a part of their names"""
    place, directory, lab = PARTS[part][1:]
    found = [need for need in tests("", place) if place in need.places]
    found += tests(directory) if directory else []
    if directory == TWO_HOST:
        for need in list(found):
            found += need.again_without_frames(kernel, deep)
    return [need for need in found
            if only in need.name and (lab == ANY or need.special == (lab == SPECIAL)) and
            (kernel not in FOREIGN or kernel in need.foreign) and
            (deep or kernel not in INTEROP_ONLY or kernel in need.also)]


def _has_work(part, kernel, deep, only):
    if part == "kunit":
        return not only
    if part == "interop":
        return bool(_pairs(kernel, deep) and _interop_tests(only))
    return bool(tests_of(part, kernel, deep, only))


def _interop_tests(only):
    return [need for need in tests("interop") if only in need.name]


def lanes(stages, kernels, deep, only=""):
    """Returns (kernel, parts) of each lane that has something to do,
    in order. only: a part of the names of the scripts to run"""
    found = []
    for kernel, parts in LANES:
        parts = tuple(part for part in parts if PARTS[part][0] in stages and
                      _has_work(part, kernel, deep, only))
        if kernel in kernels and parts:
            found.append((kernel, parts))
    return found


def _pairs(kernel, deep):
    """Returns the pairs (kernel with our module, kernel with stock SMC) of a
    lane."""
    return INTEROP.get(kernel, ()) + (DEEP_INTEROP.get(kernel, ())
                                      if deep else ())


def run_all(_name):
    """Every script runs."""
    return False


class Lane:
    """Runs the tests on a kernel in order, one lab after another."""

    def __init__(self, report, kernel, parts, deep, only="", skip=run_all):
        self.report = report
        self.only = only        # a part of the names of the scripts to run
        self.skip = skip        # must the script of this name not run?
        self.fine = []          # scripts that had no failure in this lab
        self.kernel = kernel
        self.parts = parts
        self.title = kernel     # prefix of the names of results
        self.deep = deep
        # a foreign processor is slow, and its faults do not hide
        self.depth = "deep" if deep and kernel not in FOREIGN else "check"
        self.name = "-".join(("check", str(os.getpid()), kernel, *parts[:1]))
        self.hosts = ()
        # environment of the scripts, besides the variables of the lab
        self.env = {}
        self.stock = ()         # hosts with the kernel's own SMC
        self.shape = None       # arguments of the running lab
        # reason why the modules of this lab cannot be unloaded
        self.no_unload = ""

    def run(self):
        try:
            for part in self.parts:
                if part == "kunit":
                    self._kunit()
                elif part == "interop":
                    self._interop()
                else:
                    self.run_scripts(tests_of(part, self.kernel, self.deep,
                                              self.only),
                                     in_host=part == "in-host")
        finally:
            self.close()

    # -- labs --------------------------------------------------------------

    def _lab(self, verb, *args, timeout=60):
        return command.run([LAB, verb, "--name", self.name, *args], timeout)

    def _open(self, shape):
        """Starts a lab of this shape. Returns an error text, or "" after
        success."""
        if self.shape == shape:
            return ""
        self.close()
        status, out = self._lab("up", "--owner", str(os.getpid()),
                                "--kernel", self.kernel,
                                *SHAPE.get(self.kernel, ()),
                                *self._partner(shape), *shape,
                                timeout=UP_LIMIT)
        words = " ".join(shape) or "ours, ours"
        if status:
            self._lab("down")
            return f"lab up ({words}): {out}"
        self.report.note(f"{self.kernel}: lab up ({words})")
        self.shape = shape
        single = "--hosts" in shape and "1" in shape
        self.stock = tuple(host for host in ("a", "b")
                           if f"--{host} stock" in words)
        self.hosts = ("a",) if single else ("a", "b")
        self.no_unload = ""
        return ""

    def _partner(self, shape):
        """Returns the arguments of "lab up" for a second host with another
        kernel."""
        if self.kernel not in PARTNER or "--b-kernel" in shape or \
                "none" in shape:
            return ()
        return "--b-kernel", PARTNER[self.kernel]

    def close(self, alive=True):
        """Checks what the tests have left behind, and takes the lab down. The
        scripts in self.fine count only if they have left nothing. Returns
        whether that is so."""
        if self.shape is None:
            return True
        well = False
        if alive:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                well = all(list(pool.map(self._inspect, self.hosts)))
            self.report.ended_well(self.fine, well)
        self.fine = []
        self._lab("down")
        self.shape = None
        return well

    def _inspect(self, host):
        """Checks that the modules unload and leave nothing, and that the kernel
        has reported no error. Returns whether that is so."""
        bad = 0
        where = f"{self.title} {' '.join(self.shape) or 'ours'} host {host}"
        if self.no_unload:
            self.report.add(f"{where}: modules unload and leave nothing", SKIP,
                            self.no_unload)
        elif host not in self.stock:
            status, out = self._lab("exec", "--timeout", "120", host, "--",
                                    f"{TREE}/scripts/lablib/guest/unload",
                                    timeout=150)
            self.report.add(f"{where}: modules unload and leave nothing",
                            FAIL if status else PASS, out)
            bad |= status
        if self.kernel == "uml-debug":
            status, out = self._lab("kmemleak", host, timeout=400)
            self.report.add(f"{where}: no memory leaked",
                            FAIL if status else PASS, out)
            bad |= status
        status, out = self._lab("dmesg-check", "--new", host)
        self.report.add(f"{where}: no kernel report",
                        FAIL if status else PASS, out)
        return not (bad or status)

    def _usage(self):
        """Returns the pauses that the machine has caused since the last call,
        and the CPU time, by host."""
        status, out = self._lab("usage")
        try:
            return {} if status else json.loads(out)
        except ValueError:
            return {}

    # -- tests -------------------------------------------------------------

    def _ended(self, name, results):
        """Adds the results of a whole script. close() decides whether it has
        ended well."""
        self.report.add_all(results)
        found = {status for _, status, _ in results}
        if FAIL in found:
            self.report.ended_well([name], False)
        elif PASS in found:
            self.fine.append(name)

    def _kunit(self):
        prefix = f"kunit {self.kernel}"
        if self.skip(prefix):
            return
        module = os.path.join(TREE, "build", self.kernel,
                              "net/smc/smc_kunit.ko")
        why = self._open(()) if os.path.exists(module) else \
            "no smc_kunit.ko was built"
        if why:
            self._ended(prefix, [(prefix, FAIL, why)])
            return
        script = (f"dmesg -C; insmod {module} && dmesg && "
                  "rmmod smc_kunit")
        status, out = self._lab("exec", "--timeout", "300", "a", "--", "sh",
                                "-c", script, timeout=330)
        self._ended(prefix, command.ktap_results(prefix, status,
                                                 _kunit_lines(out)))

    def run_scripts(self, needs, in_host=False):
        """Runs scripts one after the other; those with the same needs share a
        lab."""
        run_one = self._in_host if in_host else self._two_host
        timed = ("a",) if in_host else ("a", "b")
        if not needs:
            self.report.add(f"{self.kernel}: there are test scripts", FAIL)
        for need in sorted(needs, key=lambda n: (n.fresh, n.lab, n.name)):
            name = f"{self.title} {need.name}"
            why = need.left_out(self.kernel, self.deep)
            if why:
                self.report.add(name, SKIP, why)
                continue
            if self.skip(name):
                continue
            results, seen = self._attempt(need, run_one)
            failed = [result for result in results if result[1] == FAIL]
            why = excuse({host: what for host, what in seen.items()
                          if host in timed}, need.timer)
            if why and failed:
                self.report.repeated(name, why, failed)
                if not self.close():
                    self.report.ended_well([name], False)
                results, _ = self._attempt(need, run_one)
            self._ended(name, results)
            if need.fresh:
                self.close()

    def _attempt(self, need, run_one):
        """Runs a script. Returns (results, pauses that the machine has caused,
        by host)."""
        name = f"{self.title} {need.name}"
        begun = time.monotonic()
        if need.fresh:
            self.close()
        why = self._open(need.lab)
        if why:
            return [(name, FAIL, f"there was no lab for it: {why}")], {}
        self.no_unload = self.no_unload or need.no_unload
        self._usage()
        results = run_one(need)
        results += self._reports(need)
        seen = self._usage()
        cpu = sum(host["cpu"] for host in seen.values())
        self.report.timed(name, time.monotonic() - begun, cpu)
        for what in pauses(seen):
            self.report.note(f"{name}: {what}")
        return results, seen

    def _interop(self):
        """Runs the tests with stock SMC on one host, and in check-deep then on
        the other."""
        sides = (("a", "b"), ("b", "a")) if self.deep else (("a", "b"),)
        for kernels in _pairs(self.kernel, self.deep):
            for ours, stock in sides:
                self._interop_pair(ours, stock, *kernels)

    def _interop_pair(self, ours, stock, own_kernel, stock_kernel):
        needs = _interop_tests(self.only)
        for need in needs:
            need.lab += (f"--{ours}", "ours", f"--{stock}", "stock")
            if own_kernel != stock_kernel:
                need.lab += (f"--{ours}-kernel", own_kernel,
                             f"--{stock}-kernel", stock_kernel)
            # the rdma_rxe of this kernel does not work with its SMC
            if stock_kernel == "6.1":
                need.lab += (f"--{stock}-rxe", "rebuilt")
        self.env = {"OURS": ours, "STOCK": stock}
        self.title = f"{own_kernel} on {ours}, stock {stock_kernel} on {stock}:"
        self.run_scripts(needs)
        self.close()
        self.env, self.title = {}, self.kernel

    def _in_host(self, need):
        limit = need.timeout * (DEEP_TIME if self.deep else 1)
        argv = [LAB, "exec", "--name", self.name, "--timeout", str(limit), "a",
                "--", "env", f"SMC_TEST_DEPTH={self.depth}", need.path]
        return command.with_ktap(f"{self.title} {need.name}", argv,
                                 limit + 30)

    def _allow(self, capabilities):
        """Sets net.smc.extension on all hosts. Returns an error text, or "" after
        success."""
        for host in self.hosts:
            status, out = self._lab("exec", "--timeout", "20", host, "--",
                                    "sysctl", "-qw",
                                    f"net.smc.extension={capabilities}")
            if status:
                return f"host {host}: net.smc.extension={capabilities}: {out}"
        return ""

    def _two_host(self, need):
        if need.frames:
            return self._two_host_run(need)
        why = self._allow(NO_CAPABILITY)
        if why:
            return [(f"{self.title} {need.name}", FAIL, why)]
        results = self._two_host_run(need)
        # the next script of this lab expects frames; a dead host is reported
        self._allow(ALL_CAPABILITIES)
        return results

    def _two_host_run(self, need):
        limit = need.timeout * (DEEP_TIME if self.deep else 1)
        env = {**self.env, "LAB_NAME": self.name, "LAB_KERNEL": self.kernel,
               "LAB": LAB, "SMC_TEST_DEPTH": self.depth}
        return command.with_ktap(f"{self.title} {need.name}", [need.path],
                                 limit, env=env)

    def _reports(self, need):
        """Adds kernel reports to the test that caused them. A dead host is
        also a report."""
        found = []
        for host in self.hosts:
            name = f"{self.title} {need.name}: host {host}"
            status, out = self._lab("exec", "--timeout", "20", host, "--",
                                    "true", timeout=40)
            if status:
                found.append((f"{name} is alive", FAIL,
                              out + self._lab("log", host)[1][-4000:]))
                self.close(alive=False)
                break
            status, out = self._lab("dmesg-check", "--new", host)
            if status:
                found.append((f"{name}: no kernel report", FAIL, out))
        return found


def _kunit_lines(out):
    """Returns the KTAP part of a kernel log."""
    lines = out.splitlines()
    for number, line in enumerate(lines):
        if "KTAP version" in line:
            return "\n".join(lines[number:])
    return out
