# SPDX-License-Identifier: GPL-2.0
"""Tests of the checks on hosts: a fault makes the check fail, and each excused
failure is reported."""

import os
import subprocess
import tempfile
import time

from checklib import TREE, command, labs
from checklib.build import SELFTESTS
from checklib.results import FAIL, PASS, Report

KERNELS = ("uml", "6.12")       # a short run uses only the first kernel
RACES = "smp-debug"             # the kernel that reports data races
SCRIPTS = os.path.join(TREE, "scripts/tests/scripts")


class Silent(Report):
    """A report for programs: it prints nothing."""

    def __init__(self):
        super().__init__()
        self.results = []
        self.lines = []

    def add(self, name, status, detail=""):
        self.results.append((name, status))

    def note(self, text):
        self.lines.append(text)

    def repeats(self):
        """Returns the scripts that were run once more."""
        return len(self._repeated)

    def failures(self):
        return [name for name, status in self.results if status == FAIL]


class Trial:
    """A test script that misbehaves, and a lab for it alone."""

    def __init__(self, report, kernel, module):
        self.report = report
        self.kernel = kernel
        self.module = module

    def _run(self, script, lab, env, inside):
        silent = Silent()
        lane = labs.Lane(silent, self.kernel, (), False)
        lane.name = f"check-{os.getpid()}-self-{self.kernel}"
        need = labs.Needs(os.path.join(SCRIPTS, script))
        need.lab, need.fresh = lab, "fresh" in env
        with tempfile.TemporaryDirectory() as scratch:
            lane.env = {"COMPLAIN": self.module, **env,
                        "SELFTESTS": os.path.join(TREE, SELFTESTS),
                        "MARK": os.path.join(scratch, "mark")}
            try:
                lane.run_scripts([need], inside)
            finally:
                lane.close()
        return silent

    def _say(self, what, good, silent):
        self.report.add(f"tests of tests, {self.kernel}: {what}",
                        PASS if good else FAIL,
                        "\n".join([*map(str, silent.results), *silent.lines]))

    def warns(self, what, lab=(), host="b", fresh=False, inside=False,
              complaint="warn=1"):
        """A kernel report fails only the script that was running at
        the time."""
        env = {"WARNS_ON": host, "COMPLAINT": complaint,
               **({"fresh": "y"} if fresh else {})}
        silent = self._run("warns_inside.sh" if inside else "warns.sh", lab,
                           env, inside)
        failed = silent.failures()
        self._say(f"{what} is a failure",
                  len(failed) == 1 and "no kernel report" in failed[0] and
                  f"host {'a' if inside else host}" in failed[0] and
                  not silent.repeats(), silent)

    def stopped(self):
        """A pause caused by the machine excuses a failure, and the report
        names the pause."""
        silent = self._run("stopped.sh", (), {}, False)
        told = any("stopped by a signal" in line for line in silent.lines)
        self._say("a host that is stopped for 3 s is excused, and told",
                  told and silent.repeats() == 1 and not silent.failures(),
                  silent)

    def spins(self):
        """A pause caused by the host itself excuses no failure."""
        silent = self._run("spins.sh", (), {}, False)
        self._say("a host that spins for 3 s has failed",
                  not silent.repeats() and len(silent.failures()) == 1, silent)


ENDS_WITHIN = 20        # seconds


def _listed(name):
    """Does the lab exist, in any state?"""
    return f"{name}: " in command.run([labs.LAB, "list"], 60)[1]


def _gone(name):
    """Has the lab ended without a call of "lab down"?"""
    end = time.monotonic() + ENDS_WITHIN
    while _listed(name):
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def ends_with_owner(report, kernel):
    """A lab was started for a process. Checks that the lab ends with this
    process, in each way in which the process can end."""
    name = f"check-{os.getpid()}-owned-{kernel}"
    owner = subprocess.Popen(["sleep", "3600"])
    try:
        status, out = command.run(
            [labs.LAB, "up", "--name", name, "--kernel", kernel, "--hosts", "1",
             "--owner", str(owner.pid)], labs.UP_LIMIT)
        if not status and not _listed(name):
            status, out = 1, "it is not in the list"
    finally:
        owner.kill()
        owner.wait()
    gone = _gone(name)
    report.add(f"tests of tests, {kernel}: a lab ends with who wanted it",
               FAIL if status or not gone else PASS,
               out or f"{name} is still there")
    # A lab must not start if its owner has already ended.
    status, out = command.run(
        [labs.LAB, "up", "--name", name, "--kernel", kernel, "--hosts", "1",
         "--owner", str(owner.pid)], labs.UP_LIMIT)
    report.add(f"tests of tests, {kernel}: a lab that fails leaves nothing",
               PASS if status and not _listed(name) else FAIL, out)


def _trial(report, kernel):
    """Returns a Trial, or None if its module does not build."""
    status, out = command.run(
        ["make", "-s", "--no-print-directory", "-C",
         f"{SELFTESTS}/modules/complain", "path", f"LAB_KERNEL={kernel}"], 600)
    if status:
        report.add(f"tests of tests, {kernel}: the module builds", FAIL, out)
        return None
    return Trial(report, kernel, out.strip().splitlines()[-1])


def races(report):
    """Runs the trial on the kernel that reports data races."""
    trial = _trial(report, RACES)
    if trial:
        trial.warns("a data race", complaint="race=2000")


def run(report, kernel):
    """Runs all trials on one kernel."""
    ends_with_owner(report, kernel)
    trial = _trial(report, kernel)
    if not trial:
        return
    trial.warns("a warning in a shared lab")
    trial.warns("a warning in a lab of its own", fresh=True)
    trial.warns("a warning in a stock host", lab=("--b", "stock"))
    if kernel == "uml":
        trial.warns("a warning in an in-host test", inside=True)
    trial.stopped()
    trial.spins()
