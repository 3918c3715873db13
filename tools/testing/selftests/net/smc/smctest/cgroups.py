# SPDX-License-Identifier: GPL-2.0
"""Cgroups of version 2, for tests within a host."""

import contextlib
import subprocess
import tempfile

from smctest import ktap


@contextlib.contextmanager
def mounted():
    """Mounts cgroup2 and yields the directory. Without cgroup2, the tests are
    skipped."""
    with tempfile.TemporaryDirectory() as root:
        if subprocess.run(["mount", "-t", "cgroup2", "none", root],
                          check=False).returncode:
            ktap.lacking("cgroup2")
        try:
            yield root
        finally:
            subprocess.run(["umount", root], check=True)
