# SPDX-License-Identifier: GPL-2.0
"""A pair of lab hosts, and the CPU time that the hosts use."""

import contextlib
import json
import os
import subprocess
import sys
import threading

from benchlib import BenchError

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = os.path.dirname(os.path.dirname(os.path.dirname(BENCH)))
LAB = os.environ.get("SMC_LAB", os.path.join(TREE, "scripts", "lab"))
UP_SECS = 3600  # seconds, including a kernel to build
TICK = os.sysconf("SC_CLK_TCK")

# Connections are so short here that all ports would be in TIME_WAIT.
SYSCTLS = ("net.ipv4.ip_local_port_range=1024 65535",
           "net.ipv4.tcp_tw_reuse=1", "net.core.somaxconn=4096",
           "net.ipv4.tcp_max_syn_backlog=4096")
LIMITS = 'ulimit -n 65536 -l unlimited 2>/dev/null; exec "$@"'


class Pair:
    """Hosts a and b with the same kernel; servers run on a.

    sides: the SMC modules of the client's host and of the server's host.
    qemu: words for the command line of QEMU.
    """

    def __init__(self, kernel, name, sides, polite=False, qemu=()):
        self.kernel = kernel
        self.sides = sides
        self.qemu = qemu
        self.name = f"bench-{os.getpid()}-{name.replace('_', '-')}"
        self.realtime = False if polite else None

    def up(self):
        """Starts the hosts; raises BenchError if they do not come up."""
        # Shows the output of the command at once, because it may build a
        # kernel.
        last = None
        with subprocess.Popen(
                [LAB, "up", "--name", self.name, "--kernel", self.kernel,
                 "--a", self.sides[1], "--b", self.sides[0],
                 "--mem", "2048", "--pin",
                 *(f"--qemu={word}" for word in self.qemu)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, encoding="utf-8",
                errors="replace") as lab:
            patience = threading.Timer(UP_SECS, lab.terminate)
            patience.start()
            try:
                for line in lab.stdout:
                    print(line, end="", file=sys.stderr, flush=True)
                    last = line
            except BaseException:
                lab.terminate()
                lab.wait()      # only then can the lab be taken down
                raise
            finally:
                patience.cancel()
        if lab.returncode:
            raise BenchError(f"hosts with {' and '.join(self.sides)} SMC do "
                             f"not start: {_last_line(last)}")
        try:
            self._sysctl(*SYSCTLS)
        except BenchError:
            self.down()
            raise

    def _sysctl(self, *settings):
        for host in "ab":
            self.run(host, ["sysctl", "-q", "-w", *settings], 20)

    def allow(self, capabilities):
        """Sets what both hosts may agree on (Documentation, frames.rst)."""
        self._sysctl(f"net.smc.extension={capabilities}")

    @contextlib.contextmanager
    def busy_polling(self, microseconds):
        """Inside the block, epoll_wait() and poll() on both hosts poll for this
        time before they sleep. 0: they sleep at once, as by default."""
        if not microseconds:
            yield
            return
        self._sysctl(f"net.core.busy_poll={microseconds}")
        try:
            yield
        finally:
            self._sysctl("net.core.busy_poll=0")

    def down(self):
        """Ends the hosts, whatever their state is."""
        subprocess.run([LAB, "down", "--name", self.name], check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=120)

    def command(self, host, argv, seconds):
        """Returns the argv that runs argv on a host with raised limits."""
        return [LAB, "exec", "--name", self.name, "--timeout", str(seconds),
                host, "--", "sh", "-c", LIMITS, "sh", *argv]

    def run(self, host, argv, seconds):
        """Runs a command on a host. Returns its stdout, or raises
        BenchError."""
        try:
            done = subprocess.run(
                self.command(host, argv, seconds), check=False,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                timeout=seconds + 30)
        except subprocess.TimeoutExpired:
            raise BenchError(f"{argv[0]} on host {host} hangs") from None
        if done.returncode:
            raise BenchError(f"host {host}: {_last_line(done.stderr)} "
                             f"(exit status {done.returncode})")
        return done.stdout

    def start(self, host, argv, seconds):
        """Starts a command on a host. Returns the Popen of its "lab exec"."""
        return subprocess.Popen(
            self.command(host, argv, seconds), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace")

    # -- the processes of the hosts on this machine ----------------------------

    def directory(self):
        """Returns the directory in which the lab runs the hosts."""
        return f"/tmp/smc-lab-{os.getuid()}/{self.name}"

    def sessions(self):
        """Returns the sessions of hosts a and b, by the pids of their
        leaders."""
        path = os.path.join(self.directory(), "state")
        try:
            with open(path, encoding="ascii") as file:
                return json.load(file)["sessions"]
        except (OSError, ValueError, KeyError):
            return []

    def processes(self):
        """Yields (pid, fields of its stat after the name) of the hosts'
        processes."""
        sessions = set(self.sessions())
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat", encoding="ascii",
                          errors="replace") as stat:
                    fields = stat.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) in sessions:
                yield int(entry), fields

    def cpu_seconds(self):
        """Returns the CPU time that the hosts have used on the
        machine so far."""
        return sum(sum(map(int, fields[11:15]))
                   for _, fields in self.processes()) / TICK

    @contextlib.contextmanager
    def undisturbed(self):
        """Gives the hosts priority over all other processes.

        Does nothing with --polite, or if the kernel has refused that before.
        """
        if self.realtime is False:
            yield
            return
        self._schedule(os.SCHED_RR, 1)
        try:
            yield
        finally:
            self._schedule(os.SCHED_OTHER, 0)

    def _schedule(self, policy, priority):
        for pid, _ in self.processes():
            try:
                for tid in map(int, os.listdir(f"/proc/{pid}/task")):
                    # the first thread of QEMU handles packets and must not
                    # wait for the threads that run the guest
                    more = 1 if priority and tid == pid else 0
                    os.sched_setscheduler(tid, policy,
                                          os.sched_param(priority + more))
            except (FileNotFoundError, ProcessLookupError):
                continue
            except PermissionError:
                self.realtime = False
                return
        if policy == os.SCHED_RR and self.realtime is None:
            self.realtime = True


def _last_line(text):
    lines = (text or "").strip().splitlines()
    return lines[-1] if lines else "no reason given"
