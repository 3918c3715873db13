# SPDX-License-Identifier: GPL-2.0
"""How often a host under QEMU runs each block of its code: reads the counts of
the plugin blocks.so, and adds them up by function."""

import collections
import dataclasses
import os
import socket
import subprocess
import tempfile

from benchlib import BenchError, programs

QEMU = "qemu-system-x86_64"
PATIENCE = 60       # seconds for one piece of a dump
PAGE = 4096
USER = "[user space]"
NO_SYMBOL = "[no symbol]"


@dataclasses.dataclass
class Dump:
    """The counts of a host. runs: {(address, instructions): how often this
    block ran}, lost: instructions of the blocks without a count."""

    runs: dict
    lost: int

    def since(self, before):
        """Returns what a host has counted since an earlier dump."""
        runs = {block: n - before.runs.get(block, 0)
                for block, n in self.runs.items()}
        return Dump({block: n for block, n in runs.items() if n},
                    self.lost - before.lost)

    def calls(self, starts):
        """Returns how often the host has called the functions that begin at
        these addresses."""
        return sum(n for (address, _), n in self.runs.items()
                   if address in starts)

    def by_function(self, symbols):
        """Returns the instructions and the calls, two Counters by the name of
        the function."""
        instructions, calls = collections.Counter(), collections.Counter()
        for (address, length), n in self.runs.items():
            name = function_at(symbols, address)
            instructions[name] += length * n
            if address and symbols.is_start(address):
                calls[name] += n
        return instructions, calls

    def pages(self, symbols, often):
        """Returns the number of pages whose code ran at least so often, a
        Counter by the part of the host. User space has no addresses."""
        found = {(part_of(function_at(symbols, address)), address // PAGE)
                 for (address, _), n in self.runs.items()
                 if address and n >= often}
        return collections.Counter(part for part, _ in found)


def function_at(symbols, address):
    """Returns the name of the function at an address; 0 is user space."""
    return (symbols.name(address) or NO_SYMBOL) if address else USER


def part_of(name):
    """Returns the part of a host to which a function belongs: user space, the
    kernel or a module."""
    if name.startswith("["):
        return name.strip("[]")
    return name.partition(" [")[2].rstrip("]") or "kernel"


def parse(text):
    """Parses what the plugin says. Returns a Dump, or raises BenchError."""
    lines = text.splitlines()
    try:
        word, lost = lines[0].split()
        if word != "lost" or lines[-1] != "end":
            raise ValueError
        runs = {}
        for line in lines[1:-1]:
            address, length, n = line.split()
            runs[int(address, 16), int(length)] = int(n)
        return Dump(runs, int(lost))
    except (IndexError, ValueError):
        raise BenchError("the plugin of QEMU says no complete "
                         f"counts: {text[-60:]!r}") from None


def read(hosts, host):
    """Returns the Dump of a host since its start."""
    said = bytearray()
    try:
        pid = hosts.sessions()["ab".index(host)]
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(PATIENCE)
            link.connect(os.path.join(hosts.directory(), f"blocks-{pid}"))
            while piece := link.recv(1 << 20):
                said += piece
    except (OSError, IndexError) as err:
        raise BenchError(f"host {host}: no counts of QEMU: {err}") from None
    return parse(said.decode())


def qemu_words(plugin=os.path.join(programs.OUT, "blocks.so")):
    """Returns the words for QEMU's command line that load the plugin. Raises
    BenchError if this machine's QEMU cannot load it."""
    words = ("-plugin", f"file={plugin.replace(',', ',,')}")
    argv = [QEMU, *words, "-machine", "none", "-accel", "tcg", "-nodefaults",
            "-no-user-config", "-display", "none", "-monitor", "stdio"]
    with tempfile.TemporaryDirectory() as where:
        try:
            done = subprocess.run(argv, cwd=where, input="quit\n", timeout=60,
                                  check=False, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, encoding="utf-8")
        except (OSError, subprocess.TimeoutExpired) as err:
            raise BenchError(f"cannot try the plugin: {err}") from None
    if done.returncode:
        raise BenchError(f"this QEMU cannot load the plugin that counts: "
                         f"{done.stderr.strip()}")
    return words
