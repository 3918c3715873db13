# SPDX-License-Identifier: GPL-2.0
"""Runs one measurement: a server on host a, a client on host b. The result is
one line."""

import os
import subprocess

from benchlib import BenchError, items, services

# name in the report: the counts that are added up, each of both sides
COUNTS = {
    "packets": ("net_tx", "lo_tx"),
    "RDMA packets": ("rxe_sent_pkts",),
    "context switches": ("ctxt",),
    "RdmaWrites": ("mib_RdmaWrites",),
    "RdmaSends": ("mib_RdmaSends",),
    "Doorbells": ("mib_Doorbells",),
    "CdcSent": ("mib_CdcSent",),
    "CdcSentWindowUpdates": ("mib_CdcSentWindowUpdates",),
    "LlcSent": ("mib_LlcSent",),
    "FramesSent": ("mib_FramesSent",),
    "RecordsSent": ("mib_RecordsSent",),
    "MemoryRegistrations": ("mib_MemoryRegistrations",),
    "interrupts": ("intr",),
    "BytesSentLent": ("mib_BytesSentLent",),
    "zero-copy sends": ("zc_sends",),
    "of them copied": ("zc_copied",),
}
# memory: name in the report, and the names of the counts that each side has
MEMORY = {
    "client, B": ("cli_mem_kernel",),
    "server, B": ("srv_mem_kernel",),
    "of both in slabs, B": ("cli_mem_slab", "srv_mem_slab"),
    "sockets, B": ("cli_slab_SMC", "srv_slab_SMC", "cli_slab_TCP",
                   "srv_slab_TCP"),
    "memory regions": ("cli_rdma_mr", "srv_rdma_mr"),
    "queue pairs": ("cli_rdma_qp", "srv_rdma_qp"),
}


def parse(line):
    """Parses words of the form key=value; numbers become numbers."""
    out = {}
    for word in line.split():
        key, eq, value = word.partition("=")
        if not eq:
            continue
        try:
            out[key] = float(value)
        except ValueError:
            out[key] = value
    return out


def per_operation(values, inhost):
    """Returns the counts of both sides per operation, if the run has any."""
    ops = values.get("ops") or 0
    if not ops:
        return {}
    if "cli_mem_kernel" in values:
        return {name: sum(values.get(part, 0) for part in parts) / ops
                for name, parts in MEMORY.items()}
    # Within one host, both programs read the same counts.
    sides = ("cli_",) if inhost else ("cli_", "srv_")
    has_module = any(key.startswith("cli_mib_") for key in values)
    has_rdma = any(key.startswith("cli_rxe_") for key in values)
    out = {}
    for name, parts in COUNTS.items():
        if parts[0].startswith("mib_") and not has_module:
            continue
        if parts[0].startswith("rxe_") and not has_rdma:
            continue
        out[name] = sum(values.get(side + part, 0)
                        for side in sides for part in parts) / ops
    return out


class Bench:
    """Tells how to run the programs, and for how long each runs."""

    def __init__(self, bindir, secs, warm):
        self.bindir = bindir
        self.secs = secs
        self.warm = warm

    def _commands(self, item, system):
        times = ("--secs", f"{self.secs:g}", "--warm", f"{self.warm:g}",
                 "--host", "10.77.0.1")
        if system.startswith("verbs"):
            program = os.path.join(self.bindir, "verbsbench")
            extra = {"verbs_send": ("--cdc", "1"),
                     "verbs_calls": ("--calls", "1", "--chain",
                                     str(item.calls_chain)),
                     "verbs_records": ("--calls", "1", "--records", "1"),
                     }.get(system, ())
            return ([program, "server"],
                    [program, *item.verbs, *times, *extra])
        program = os.path.join(self.bindir, "sockbench")
        family = ["--family", "tcp" if system == "tcp" else "smc"]
        if item.inhost and system != "tcp":
            family.append("--inhost")
        return ([program, "server", "--once"],
                [program, *item.sock, *times, *family])

    def measure(self, pair, item, system):
        """Runs one measurement. Returns its values, or raises BenchError."""
        if items.base(system) == "ours":
            pair.allow("0" if system == "ours_rfc" else "15")
        if item.service:
            return services.measure(pair, item.service, system != "tcp",
                                    self.secs)
        server_argv, client_argv = self._commands(item, system)
        limit = 120 + 10 * (self.secs + self.warm)
        with pair.busy_polling(item.busy_poll), pair.undisturbed():
            before = pair.cpu_seconds()
            server = pair.start("a", server_argv, limit)
            try:
                line = pair.run("a" if item.inhost else "b", client_argv,
                                limit)
            except BenchError as err:
                raise BenchError(str(err) + _complaint(server)) from None
            finally:
                _end(server)
            spent = pair.cpu_seconds() - before
        values = parse(line)
        if item.value == "end_bytes" and "cli_bytes" in values:
            values["end_bytes"] = (values["cli_bytes"] +
                                   values["srv_bytes"]) / 2
        if item.value not in values:
            raise BenchError("the program printed no result")
        return {"value": values[item.value], "cpu_seconds": round(spent, 3),
                "load": os.getloadavg()[0], "raw": values,
                "counts": per_operation(values, item.inhost)}


def _end(server):
    try:
        server.wait(timeout=10)
    except subprocess.TimeoutExpired:
        server.terminate()
        server.wait()


def _complaint(server):
    _end(server)
    text = server.stderr.read().strip().splitlines()
    return f"; server: {text[-1]}" if text else ""
