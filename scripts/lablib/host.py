# SPDX-License-Identifier: GPL-2.0
"""One running host, for the keeper."""

import asyncio
import os
import socket

from lablib import LabError, console, frames, launch, place

KILL_GRACE = 5.0  # limit in seconds until a killed command is reported as dead


class HostGone(LabError):
    """The host has ended and cannot run the command."""


class HostLate(LabError):
    """The host runs, but has not reported in time."""


class OutOfTime(LabError):
    """The command was stopped because it exceeded its time limit."""


class Host:
    """A host process, its console, and the commands that run in it."""

    def __init__(self, plan, config):
        self.plan = plan
        self.name = plan.name
        self.config = config
        self.process = None
        self.wires = []
        # reason for the end of the host, or None while it runs
        self.gone = None
        self.ended = asyncio.Event()
        self.hello = asyncio.Event()
        self._reader = None
        self._writer = None
        self._jobs = {}  # job number -> Queue; None after the job was given up
        self._next_job = 0
        self._tasks = []

    async def start(self, wires):
        """Starts the host. @wires are the host's ends of the cables.

        The keeper also keeps these sockets open. If the host dies, its peer
        must see a silent cable and not a closed socket, because the peer's
        driver cannot handle a closed socket.
        """
        self.wires = wires
        ours, theirs = socket.socketpair()
        self.process = launch.start(self.plan, self.config, theirs, wires)
        theirs.close()
        self._reader, self._writer = await asyncio.open_connection(sock=ours)
        self._tasks = [asyncio.create_task(self._watch_process()),
                       asyncio.create_task(self._read_channel())]

    async def start_again(self):
        """Starts the host again on the same cables; ends it first if it still
        runs."""
        loop = asyncio.get_running_loop()
        if not self.gone:
            self.process.kill()
            await self.ended.wait()
        for task in self._tasks:
            task.cancel()
        self._writer.close()
        # a drain task has read from these sockets since the host ended
        for end in self.wires:
            loop.remove_reader(end.fileno())
        self.gone = None
        self.ended.clear()
        await self.start(self.wires)

    @property
    def session(self):
        return self.process.pid if self.process else 0

    async def wait_hello(self, seconds):
        """Waits until the host's agent has reported."""
        waits = [asyncio.create_task(self.hello.wait()),
                 asyncio.create_task(self.ended.wait())]
        try:
            await asyncio.wait(waits, timeout=seconds,
                               return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()
        if self.gone:
            raise HostGone(self.gone)
        if not self.hello.is_set():
            raise HostLate(f"host {self.name} did not start in {seconds} s")

    async def execute(self, argv, sink, *, cwd="/", env=None, timeout=None):
        """Runs argv on the host. Returns the exit status, as a shell does.

        The function awaits sink(kind, data) for each piece of output. The
        command cannot write more output while sink() has not returned.
        """
        if self.gone:
            raise HostGone(self.gone)
        job, queue = self._new_job()
        self._send(frames.EXEC, job, frames.command(argv, cwd, env or {}))
        try:
            async with asyncio.timeout(timeout):
                return await self._pump(job, queue, sink)
        except TimeoutError:
            await self._stop_job(job, queue, sink)
            raise OutOfTime(f"{argv[0]} took more than {timeout:g} s") from None
        finally:
            if job in self._jobs:
                self._jobs[job] = None
                self._kill_job(job)

    def kill(self):
        """Kills the host with all its processes."""
        for task in self._tasks:
            task.cancel()
        if self._writer:
            self._writer.close()
        for end in self.wires:
            asyncio.get_running_loop().remove_reader(end.fileno())
            end.close()
        if self.process:
            place.kill_sessions({self.session})
            self.process.wait()

    # -- internal functions ----------------------------------------------------

    def _new_job(self):
        for _ in range(1 << 16):
            self._next_job = (self._next_job + 1) & 0xffff
            if self._next_job not in self._jobs:
                queue = asyncio.Queue()
                self._jobs[self._next_job] = queue
                return self._next_job, queue
        raise LabError(f"too many commands at once on host {self.name}")

    def _send(self, kind, job, data=b""):
        if not self.gone:
            self._writer.write(frames.agent_frame(kind, job, data))

    def _kill_job(self, job):
        self._send(frames.KILL, job, bytes([9]))

    async def _stop_job(self, job, queue, sink):
        self._kill_job(job)
        try:
            async with asyncio.timeout(KILL_GRACE):
                await self._pump(job, queue, sink)
        except TimeoutError:
            pass

    async def _pump(self, job, queue, sink):
        while True:
            kind, data = await queue.get()
            if kind is None:
                raise HostGone(self.gone)
            if kind == frames.EXIT:
                self._jobs.pop(job, None)
                return _shell_status(int.from_bytes(data, "little"))
            await sink(kind, data)
            self._send(frames.ACK, job, len(data).to_bytes(4, "little"))

    async def _read_channel(self):
        try:
            while True:
                kind, job, data = await frames.read_agent_frame(self._reader)
                self._dispatch(kind, job, data)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass

    def _dispatch(self, kind, job, data):
        if kind == frames.HELLO:
            self.hello.set()
        elif self._jobs.get(job):
            self._jobs[job].put_nowait((kind, data))
        elif kind == frames.EXIT:
            self._jobs.pop(job, None)
        # no caller reads the output any more; acknowledge it until the
        # job ends
        else:
            self._send(frames.ACK, job, len(data).to_bytes(4, "little"))

    async def _watch_process(self):
        loop = asyncio.get_running_loop()
        pidfd = os.pidfd_open(self.process.pid)
        over = asyncio.Event()
        loop.add_reader(pidfd, over.set)
        try:
            await over.wait()
        finally:
            loop.remove_reader(pidfd)
            os.close(pidfd)
        self.process.wait()
        place.kill_sessions({self.session})
        launch.drain(self.wires)
        self.gone = f"host {self.name} is gone: {self._last_words()}"
        self.ended.set()
        for queue in self._jobs.values():
            if queue:
                queue.put_nowait((None, b""))

    def _last_words(self):
        path = place.console_file(self.config["run"], self.name)
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            text = ""
        return console.last_words(text) or (
            f"exit status {self.process.returncode}, last on its console: "
            f"{console.last_line(text)}")


def _shell_status(status):
    if os.WIFSIGNALED(status):
        return 128 + os.WTERMSIG(status)
    return os.WEXITSTATUS(status)
