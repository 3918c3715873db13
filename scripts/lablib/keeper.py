# SPDX-License-Identifier: GPL-2.0
"""The process behind a lab: owns its hosts and serves its commands.

One keeper per lab. The keeper starts the hosts, holds the cables between them,
and takes requests on a Unix socket in the run directory: one JSON line in,
frames out (frames.client_frame).
"""

import asyncio
import json
import os
import signal
import time

from lablib import LabError, frames, host as hosts, launch, place, watch
from lablib.switch import Switch

# Time limit in seconds until the agent of a host reports. An emulated host on a
# loaded machine is slow.
START_LIMIT = {True: 60, False: 180}
SETUP_LIMIT = 180
ENV = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
       "HOME": "/root", "LC_ALL": "C.UTF-8", "TERM": "dumb"}


class Keeper:
    """The hosts of one lab, and the socket for requests."""

    def __init__(self, config):
        self.config = config
        self.run = config["run"]
        self.hosts = {}
        self.loose_ends = []
        self.switch = Switch()
        self.over = asyncio.Event()
        # true if no other process will remove the directory
        self.orphaned = False
        self.watches = {}

    async def bring_up(self):
        """Starts the hosts and sets them up."""
        self._write_state()
        plans = {plan.name: plan for plan in self.config["hosts"]}
        # Both hosts use the same kind of cable.
        kind = plans["a"].kernel.wire
        cables = [self._cable(kind) for _ in range(self.config["nics"])]
        for side, name in enumerate(place.HOSTS):
            ends = [cable[side] for cable in cables]
            if name not in plans:
                launch.drain(ends)
                self.loose_ends += ends
                continue
            host = hosts.Host(plans[name], self.config)
            self.hosts[name] = host
            await host.start(ends)
            self._write_state()
        await self._all(self._set_up(host) for host in self.hosts.values())
        if len(self.hosts) == 2:
            await self._check_wires()
        await self._set_up_stock()

    def _cable(self, kind):
        """Returns the settings for the same NIC of both hosts."""
        if not self.config["switch"]:
            return launch.wire(kind)
        ends = []
        for _ in place.HOSTS:
            end, port = launch.wire(kind)
            self.switch.plug(port)
            ends.append(end)
        return ends

    def tear_down(self):
        for host in self.hosts.values():
            host.kill()
        self.switch.unplug()
        for end in self.loose_ends:
            end.close()

    async def serve(self):
        """Answers requests until a request ends the keeper."""
        path = place.control_socket(self.run)
        server = await asyncio.start_unix_server(self._client, path)
        return server

    # -- starting the hosts ----------------------------------------------------

    def _write_state(self):
        state = {"keeper": os.getpid(), "nics": self.config["nics"],
                 "hosts": {h.name: str(h) for h in self.config["hosts"]},
                 "sessions": [h.session for h in self.hosts.values()]}
        path = os.path.join(self.run, "state")
        with open(path + ".new", "w", encoding="ascii") as file:
            json.dump(state, file)
        os.rename(path + ".new", path)

    @staticmethod
    async def _all(coroutines):
        """Runs all coroutines in parallel; raises the first failure."""
        tasks = [asyncio.ensure_future(c) for c in coroutines]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def _must(self, host, argv, what, limit=SETUP_LIMIT):
        """Runs argv on the host; returns its stdout, or raises its stderr as
        an error."""
        out, err = bytearray(), bytearray()

        async def sink(kind, data):
            (out if kind == frames.OUT else err).extend(data)

        status = await host.execute(argv, sink, env=ENV, timeout=limit)
        if status:
            lines = err.decode(errors="replace").strip().splitlines()
            why = lines[-1] if lines else f"exit status {status}"
            raise LabError(f"host {host.name}: {what}: {why}")
        return out.decode(errors="replace")

    async def _set_up(self, host):
        kernel = host.plan.kernel
        limit = START_LIMIT[kernel.is_uml]
        try:
            await host.wait_hello(limit)
        except (hosts.HostGone, hosts.HostLate):
            # The kernel puts breakpoints into its own code for a moment. QEMU
            # 7.2 with two CPUs may run such a breakpoint after the kernel has
            # removed it (Oops: int3). Or the second CPU gets no interrupt of
            # its timer, and the kernel waits for ever (RCU reports a stall).
            # The kernel has not run our code yet.
            if kernel.is_uml:
                raise
            await host.start_again()
            self._write_state()
            await host.wait_hello(limit)
        index = place.HOSTS.index(host.name) + 1
        rxe = ["--rxe", host.plan.rxe] if host.plan.rxe else []
        await self._must(
            host, [f"{place.GUEST}/setup", *rxe, str(index),
                   str(self.config["nics"]), *host.plan.modules], "setup")

    async def _check_wires(self):
        host = self.hosts["a"]
        for n in range(self.config["nics"]):
            addresses = [f"10.77.{n}.2"]
            if all(h.plan.kernel.ipv6 for h in self.hosts.values()):
                addresses.append(f"fd77:{n}::2")
            for address in addresses:
                await self._must(host, ["busybox", "ping", "-q", "-c1", "-w5",
                                        address],
                                 f"host b does not answer on {address}")

    async def _set_up_stock(self):
        """Hosts with stock SMC need a common EID. With a common EID, the hosts
        must use SMC-R."""
        tool = f"{place.GUEST}/stock"
        stock = [host for host in self.hosts.values()
                 if host.plan.smc == "stock"]
        await self._all(self._must(host, [tool, "ueid"], "adding the UEID")
                        for host in stock)
        if len(stock) < 2 or not self.config["nics"]:
            return
        a, b = stock
        await self._all([
            self._must(a, [tool, "serve", "10.77.0.1"], "stock SMC-R check"),
            self._must(b, [tool, "connect", "10.77.0.1"],
                       "stock SMC-R check")])

    def follow(self, owner):
        """Ends the lab together with the process it was started for, even if
        that process was killed."""
        def leave():
            self.orphaned = True
            self.over.set()

        try:
            pidfd = os.pidfd_open(owner)
        except ProcessLookupError:
            leave()
            return
        asyncio.get_running_loop().add_reader(pidfd, leave)

    # -- the machine -----------------------------------------------------

    async def watch(self):
        """Watches until the end if the machine lets the hosts run."""
        self.watches = {name: watch.Watch() for name in self.hosts}
        pids, looks = {}, 0
        while True:
            for name, host in self.hosts.items():
                if looks % watch.RESCAN == 0:
                    pids[name] = list(place.session_members({host.session}))
                self.watches[name].look(time.monotonic(),
                                        watch.samples(pids[name]))
            looks += 1
            await asyncio.sleep(watch.PERIOD)

    def _usage(self):
        now = time.monotonic()
        for name, host in self.hosts.items():
            self.watches[name].look(now, watch.samples(
                place.session_members({host.session})))
        return {name: seen.report() for name, seen in self.watches.items()}

    # -- requests --------------------------------------------------------

    async def _client(self, reader, writer):
        try:
            line = await reader.readline()
            request = json.loads(
                line.decode(errors="surrogateescape") or "null")
            if request and request.get("ask") == "usage":
                writer.write(frames.client_frame(
                    b"x", json.dumps(self._usage()).encode()))
                await writer.drain()
            elif request:
                await self._answer(request, reader, writer)
        except (ConnectionError, ValueError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _answer(self, request, reader, writer):
        work = asyncio.create_task(self._exec(request, writer))
        left = asyncio.create_task(reader.read(1))
        await asyncio.wait((work, left), return_when=asyncio.FIRST_COMPLETED)
        left.cancel()
        if not work.done():         # the client has disconnected
            work.cancel()
            return
        answer = json.dumps(work.result()).encode()
        writer.write(frames.client_frame(b"x", answer))
        await writer.drain()

    async def _exec(self, request, writer):
        async def sink(kind, data):
            letter = b"o" if kind == frames.OUT else b"e"
            writer.write(frames.client_frame(letter, data))
            await writer.drain()

        host = self.hosts.get(request["host"])
        if not host:
            return {"error": f"this lab has no host {request['host']}"}
        try:
            status = await host.execute(
                request["argv"], sink, cwd=request["cwd"],
                env={**ENV, "LAB_HOST": host.name},
                timeout=request["timeout"])
        except hosts.OutOfTime:
            return {"timeout": True}
        except LabError as err:
            return {"error": str(err)}
        return {"status": status}


async def _run(config, report):
    keeper = Keeper(config)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, keeper.over.set)
    if config["owner"]:
        keeper.follow(config["owner"])
    try:
        up = asyncio.create_task(keeper.bring_up())
        stop = asyncio.create_task(keeper.over.wait())
        await asyncio.wait((up, stop), return_when=asyncio.FIRST_COMPLETED)
        if not up.done():
            up.cancel()
            raise LabError("stopped while starting")
        up.result()
        watching = asyncio.create_task(keeper.watch())
        server = await keeper.serve()
        report("ok")
        await asyncio.wait((stop, watching),
                           return_when=asyncio.FIRST_COMPLETED)
        server.close()
        if watching.done():     # only after an internal error
            watching.result()
        watching.cancel()
    finally:
        keeper.tear_down()
        if keeper.orphaned:
            place.remove_run_dir(keeper.run)


def main(config, report):
    """Runs a lab. Calls report(line) once, with "ok" or an error."""
    try:
        asyncio.run(_run(config, report))
    except LabError as err:
        report(str(err))
    except Exception as err:    # the user must get an answer
        report(f"keeper: {type(err).__name__}: {err}")
        raise
