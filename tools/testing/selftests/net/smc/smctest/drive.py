# SPDX-License-Identifier: GPL-2.0
"""Runs a module of smctest on two hosts. This program itself runs on the
machine that has the hosts.

LAB, LAB_NAME and LAB_KERNEL select the hosts. SMC_OPT_KO is the path of the
module smc_opt for their kernel; if it is not set, the program builds the
module.
"""

import os
import subprocess

from smctest import SELFTESTS, TREE
from smctest.ktap import Report

RUN_MODULE = os.path.join(SELFTESTS, "run_module")
SMC_OPT = os.path.join(SELFTESTS, "modules/smc_opt")


class Lab:
    """The two hosts, as seen from the machine."""

    def __init__(self, module, limit):
        """module: the Python module to run on the hosts; limit: time limit in
        seconds."""
        self.module = module
        self.limit = limit
        self.program = os.environ.get("LAB", os.path.join(TREE, "scripts/lab"))
        self.name = os.environ.get("LAB_NAME", "lab")

    def argv(self, verb, *words):
        return [self.program, verb, "--name", self.name, *words]

    def on(self, host, *words):
        """Returns the argv that runs the module of smctest on a host."""
        return self.argv("exec", "--timeout", str(self.limit), host, "--",
                         RUN_MODULE, self.module, *words)

    def complaints(self, host):
        """Returns the kernel reports of a host so far."""
        done = subprocess.run(self.argv("dmesg-check", host), check=False,
                              stdout=subprocess.PIPE, encoding="utf-8")
        return done.stdout


def option_module(kernel):
    """Returns the path of smc_opt.ko for the hosts' kernel."""
    given = os.environ.get("SMC_OPT_KO")
    if given:
        return os.path.realpath(given)
    done = subprocess.run(["make", "-s", "--no-print-directory", "-C", SMC_OPT,
                           "path", f"LAB_KERNEL={kernel}"], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout.strip()


def relay(report, argv):
    """Runs the program, and passes its results and comments on at once."""
    failed = report.failed
    with subprocess.Popen(argv, stdout=subprocess.PIPE,
                          encoding="utf-8") as run:
        for line in run.stdout:
            report.relay(line)
    if run.returncode and report.failed == failed:
        report.fail("hostile host: ends well, not with status "
                    f"{run.returncode}")


def drive(lab, service, client):
    """Runs a Python module of smctest as server on host a and as client on
    host b. Then checks that neither kernel has reported a new error.

    service: arguments of the module on host a, where it prints a line when it
    is ready; client: arguments on host b.
    """
    report = Report()
    module = option_module(os.environ.get("LAB_KERNEL", "uml-debug"))
    before = {host: lab.complaints(host) for host in "ab"}
    with subprocess.Popen(lab.on("a", service),
                          stdout=subprocess.PIPE) as served:
        served.stdout.readline()    # the service is ready, or has ended
        relay(report, lab.on("b", *client, "--ko", module))
        served.terminate()
    for host in "ab":
        after = lab.complaints(host)
        report.result(after == before[host], f"no kernel report on host {host}",
                      after if after != before[host] else "")
    return report.finish()
