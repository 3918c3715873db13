# SPDX-License-Identifier: GPL-2.0
"""Measures whole programs: a service on host a, and its own benchmark on host
b. With SMC both run under smc_run, and the connections must have used SMC."""

import json
import os
import subprocess
import tempfile
import time

from benchlib import BenchError, pair

SERVER = "10.77.0.1"
SMC_RUN = os.path.join(pair.TREE, "tools", "smc_run", "smc_run")
SMCR = os.path.join(pair.TREE, "tools", "smcr", "smcr")
PG = "/usr/lib/postgresql/15/bin/"
AS_POSTGRES = ("setpriv", "--reuid", "postgres", "--regid", "postgres",
               "--clear-groups")
PATIENCE = 120          # seconds for a service to start, on an emulated host


class Redis:
    """redis-benchmark with a pipeline of 16 on 50 connections."""

    conns = 50
    requests = 100000

    def prepare(self, hosts):
        """There is nothing to prepare."""

    def server(self):
        return ("redis-server", "--bind", "0.0.0.0", "--port", "6379", "--dir",
                "/tmp", "--protected-mode", "no", "--save", "",
                "--appendonly", "no")

    # It stores the value that the benchmark gets: without one, GET answers nil.
    ready = ("redis-cli", "-h", SERVER, "set", "key:__rand_int__", "x" * 100)
    stop = ("redis-cli", "-h", SERVER, "shutdown", "nosave")

    def client(self, _):
        return ("redis-benchmark", "-h", SERVER, "-P", "16", "-c",
                str(self.conns), "-n", str(self.requests), "-d", "100", "-t",
                "get", "--csv")

    def rate(self, said):
        """Returns the requests per second."""
        for line in said.splitlines():
            words = line.replace('"', "").split(",")
            if words[0] == "GET":
                return float(words[1])
        raise BenchError("redis-benchmark printed no result")


class Postgres:
    """pgbench with 20 clients that select."""

    conns = 20

    def __init__(self):
        self.prepared = set()

    def prepare(self, hosts):
        """Creates the cluster on this machine, which is faster, and copies it
        to host a, once for each pair of hosts."""
        if hosts.name in self.prepared:
            return
        with tempfile.TemporaryDirectory() as made, \
                tempfile.NamedTemporaryFile(dir=os.path.join(
                    pair.TREE, "build"), suffix=".tar") as archive:
            os.chmod(made, 0o711)
            data = os.path.join(made, "data")
            for argv in (("install", "-d", "-o", "postgres", "-g", "postgres",
                          data),
                         (*AS_POSTGRES, PG + "initdb", "-D", data, "-A",
                          "trust", "--no-sync"),
                         ("sh", "-c", "echo 'host all all 10.77.0.0/24 trust'"
                          f" >> {data}/pg_hba.conf"),
                         ("tar", "-C", made, "-cf", archive.name, "data")):
                subprocess.run(argv, check=True, cwd="/",
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)
            hosts.run("a", ["sh", "-c", f"mkdir -p /tmp/pg && tar -C /tmp/pg "
                            f"-xpf {archive.name}"], PATIENCE)
        self.prepared.add(hosts.name)

    def server(self):
        return (*AS_POSTGRES, PG + "postgres", "-D", "/tmp/pg/data", "-c",
                f"listen_addresses={SERVER}", "-c",
                "unix_socket_directories=", "-c", "fsync=off", "-c",
                "shared_buffers=32MB")

    # It creates the tables of pgbench when they are missing.
    ready = ("sh", "-c", f"{PG}pg_isready -q -h {SERVER} && {{ {PG}psql -h "
             f"{SERVER} -U postgres -c 'select 1 from pgbench_accounts limit "
             f"1' || {PG}pgbench -h {SERVER} -U postgres -i -q postgres; }}")
    stop = ("sh", "-c", "kill -INT $(head -1 /tmp/pg/data/postmaster.pid)")

    def client(self, secs):
        return (PG + "pgbench", "-h", SERVER, "-U", "postgres", "-c",
                str(self.conns), "-j", "2", "-T", str(max(1, round(secs))),
                "-n", "-S", "postgres")

    def rate(self, said):
        """Returns the transactions per second."""
        for line in said.splitlines():
            if line.startswith("tps = "):
                return float(line.split()[2])
        raise BenchError("pgbench printed no result")


SERVICES = {"redis": Redis(), "pgbench": Postgres()}


def _wait_for(hosts, argv):
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return hosts.run("a", list(argv), PATIENCE)
        except BenchError as err:
            if time.monotonic() > end:
                raise BenchError(f"the service does not start: {err}") from None
        time.sleep(0.5)


def _check_mode(hosts, conns):
    stats = json.loads(hosts.run("b", [SMCR, "stats", "json"], 60))
    if stats["smc"] < conns or stats["tcp"]["client"]:
        raise BenchError(f"{stats['smc']} connections by SMC-R, "
                         f"{stats['tcp']['client']} by TCP")


def measure(hosts, name, smc, secs):
    """Runs one measurement. Returns its values, or raises BenchError."""
    service = SERVICES[name]
    under = (SMC_RUN,) if smc else ()
    limit = 4 * PATIENCE + 10 * secs
    service.prepare(hosts)
    before = hosts.cpu_seconds()
    server = hosts.start("a", [*under, *service.server()], limit)
    try:
        _wait_for(hosts, service.ready)
        if smc:
            hosts.run("b", [SMCR, "stats", "reset"], 60)
        with hosts.undisturbed():
            said = hosts.run("b", [*under, *service.client(secs)], limit)
        if smc:
            _check_mode(hosts, service.conns)
    finally:
        hosts.run("a", list(service.stop), 60)
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            server.terminate()
            server.wait()
    return {"value": service.rate(said), "counts": {}, "raw": {"said": said},
            "cpu_seconds": round(hosts.cpu_seconds() - before, 3),
            "load": os.getloadavg()[0]}
