# SPDX-License-Identifier: GPL-2.0
"""TCP option 254 for plain sockets: the test module smc_opt."""

import contextlib
import os
import subprocess

from smctest.world import wait_until


@contextlib.contextmanager
def option_module(path):
    """Loads the module that lets TCP sockets show option 254."""
    if os.path.isdir("/sys/module/smc_opt"):
        yield
        return
    subprocess.run(["insmod", path], check=True)
    try:
        yield
    finally:
        # TCP may not yet have ended a connection.
        wait_until(lambda: subprocess.run(
            ["rmmod", "smc_opt"], check=False,
            stderr=subprocess.DEVNULL).returncode == 0)
