# SPDX-License-Identifier: GPL-2.0
"""Decodes captures with tshark and the dissector of tools/wireshark."""

import os
import subprocess
import tempfile

from smctest import TREE, check
from smctest.dissector import packets

SCRIPT = os.path.join(TREE, "tools/wireshark/smcr.lua")
LIMIT = 120         # seconds for one run of tshark
EXPERTS = ("smcx.frame.malformed", "smcx.record.wrong", "smcx.ext.odd")
HARMLESS = "This could be dangerous"    # about the user root


class Dissected(dict):
    """The fields of one packet: {name: list of values}. The list is empty if
    the packet lacks the field."""

    def numbers(self, name):
        return [int(value, 0) for value in self[name]]

    @property
    def complaints(self):
        return [name for name in EXPERTS if self.get(name)]


def _tshark(name, argv, script):
    loads = ["-X", f"lua_script:{script}"] if script else []
    done = subprocess.run(["tshark", "-n", *loads, "-r", name, *argv],
                          check=False, capture_output=True, encoding="utf-8",
                          timeout=LIMIT)
    check(not done.returncode, f"tshark: {done.returncode} {done.stderr}")
    said = [line for line in done.stderr.splitlines() if HARMLESS not in line]
    check(not said, f"tshark says: {said}")
    return done.stdout


def read(name, columns=(), options=(), script=SCRIPT):
    """Returns what tshark finds in a capture file, one Dissected for each
    packet. Fails if the script has an error. script None: tshark alone."""
    columns = ("_ws.lua.error", *(EXPERTS if script else ()), *columns)
    argv = [*options, "-T", "fields", "-E", "separator=/t", "-E",
            "aggregator=;"]
    for one in columns:
        argv += ["-e", one]
    out = _tshark(name, argv, script)
    found = [Dissected(zip(columns, (
        [value for value in text.split(";") if value]
        for text in line.split("\t")))) for line in out.split("\n")[:-1]]
    wrong = [number for number, one in enumerate(found, 1)
             if one["_ws.lua.error"]]
    check(not wrong,
          f"{len(wrong)} Lua errors, the first in packet {wrong[:1]}")
    return found


def dissect(sent, columns=(), options=(), script=SCRIPT):
    """The same for packets, see packets.write()."""
    with tempfile.TemporaryDirectory() as directory:
        name = os.path.join(directory, "capture")
        packets.write(name, sent)
        return read(name, columns, options, script)
