# SPDX-License-Identifier: GPL-2.0
"""User Mode Linux hosts must keep the processor's state, whatever its size."""

import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "../kernel/build")
# The panic after a first process that has ended with status 0.
END = "Attempted to kill init! exitcode=0x00000000"


def compiled(source, scratch, *options):
    """Returns the path of what a C file of this directory compiles to."""
    path = os.path.join(scratch, source.removesuffix(".c"))
    subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", path,
                    os.path.join(HERE, source), *options], check=True)
    return path


def console(size, scratch, init="/bin/true"):
    """Returns the output of a host whose processor state has this size."""
    forger = compiled("xstate.c", scratch, "-shared", "-fPIC", "-ldl")
    built = subprocess.run([BUILD, "uml"], check=True, encoding="utf-8",
                           stdout=subprocess.PIPE).stdout.strip()
    done = subprocess.run(
        [f"{built}/linux", "mem=128M", "root=/dev/root", "rootfstype=hostfs",
         "rootflags=/", "ro", f"init={init}", "con=null",
         "con0=null,fd:1", "ssl=null", f"uml_dir={scratch}/", "umid=xstate"],
        env={"PATH": os.environ["PATH"], "TMPDIR": "/dev/shm",
             "LD_PRELOAD": forger, "FORGED_XSTATE": str(size)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
        timeout=60, check=False)
    return done.stdout


class ProcessorState(unittest.TestCase):
    def comes_up(self, size):
        with tempfile.TemporaryDirectory() as scratch:
            self.assertIn(END, console(size, scratch))

    def test_own(self):
        "processor state: as large as this machine's"
        self.comes_up(0)

    def test_amx(self):
        "processor state: as large as with AMX"
        self.comes_up(11008)

    def test_larger(self):
        "processor state: larger than any that is known"
        self.comes_up(20000)

    def test_kept(self):
        "processor state: each process keeps its vector registers"
        with tempfile.TemporaryDirectory() as scratch:
            init = compiled("fpheld.c", scratch, "-static")
            self.assertIn(END, console(0, scratch, init))
