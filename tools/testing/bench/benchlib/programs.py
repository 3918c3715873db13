# SPDX-License-Identifier: GPL-2.0
"""Provides the packages and programs that must exist before a host starts."""

import os
import subprocess

from benchlib import BenchError, pair

OUT = os.path.join(pair.TREE, "build", "bench")


def prepare(*kernels):
    """Installs the packages, or prints their names, and compiles the programs.
    Returns their directory."""
    purposes = {"uml" if kernel.startswith("uml") else "qemu"
                for kernel in kernels}
    script = os.path.join(pair.TREE, "scripts", "prepare")
    done = subprocess.run([script, "bench", *sorted(purposes)],
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise SystemExit(1)     # the command has printed the reason
    if os.geteuid():
        raise BenchError("only root can start the hosts")
    for what, argv in (("benchmark programs", ["-C", pair.BENCH, f"O={OUT}"]),
                       ("tools", ["-C", pair.TREE, "tools"])):
        done = subprocess.run(["make", "-s", *argv],
                              stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise BenchError(f"the {what} do not build")
    return OUT
