# SPDX-License-Identifier: GPL-2.0
"""The program on the host under attack listens, connects and reports, as the
requests demand.

Requests are lines of JSON on a plain TCP connection, one at a time. Each
request gets one line as answer. The end of that connection ends the program.
Accepted sockets echo all bytes.
"""

import errno
import glob
import json
import os
import random
import select
import selectors
import socket
import subprocess
import sys
import threading
import time

from smctest import diag, sockets, ueid

CONTROL_PORT = 7990
TIME_WAIT, LISTEN = 6, 10
LIFE = 2000     # seconds, limit of the program's run


class Outgoing:
    """Runs a blocking connect() in a thread, as an application does."""

    def __init__(self, host, port):
        self.sock = sockets.smc_socket(host)
        self.address = host, port
        self.error = None       # errno of connect(), once it is over
        self.seconds = None

    def begin(self):
        """Starts a non-blocking connect and ignores its result."""
        self.sock.setblocking(False)
        try:
            sockets.smc_connect(self.sock, *self.address)
        except OSError as err:
            if err.errno != errno.EINPROGRESS:
                raise

    def run(self):
        start = time.monotonic()
        try:
            sockets.smc_connect(self.sock, *self.address)
            result = 0
        except OSError as err:
            result = err.errno
        self.seconds = time.monotonic() - start
        self.error = result


def _serve_once(listener):
    with sockets.smc_accept(listener) as sock:
        sock.settimeout(0.5)
        sock.sendall(sock.recv(100))


def _churn(host, port, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with sockets.smc_listen(host, port, 16) as listener:
            life = time.monotonic() + random.uniform(0.05, 0.5)
            while time.monotonic() < life:
                if select.select([listener], [], [], 0.05)[0]:
                    try:
                        _serve_once(listener)
                    except OSError:
                        pass


class Victim:
    """Handles the requests to this host; each method has the name of its
    request."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.listeners = {}
        self.outgoing = {}
        self.accepted = 0
        self.number = 0

    def _new(self, where, value):
        self.number += 1
        where[self.number] = value
        return self.number

    # -- listening -------------------------------------------------------

    def listen(self, host, port, backlog=256, echo=True):
        sock = sockets.smc_listen(host, port, backlog)
        if echo:
            sock.setblocking(False)
            self.selector.register(sock, selectors.EVENT_READ, self._accept)
        return self._new(self.listeners, sock)

    def accept(self, listener):
        """Accepts one connection of a listener that does not echo, and closes
        it."""
        sockets.smc_accept(self.listeners[listener]).close()

    def churn(self, host, port, seconds):
        """Runs a service that closes and opens again during the tests."""
        threading.Thread(target=_churn, args=(host, port, seconds),
                         daemon=True).start()

    def unlisten(self, listener):
        sock = self.listeners.pop(listener)
        if sock in self.selector.get_map():
            self.selector.unregister(sock)
        sock.close()

    def _accept(self, listener):
        while True:
            try:
                sock = sockets.smc_accept(listener)
            except OSError as err:
                if err.errno != errno.EAGAIN:
                    print(f"accept: {err}", file=sys.stderr)
                return
            self.accepted += 1
            sock.setblocking(False)
            self.selector.register(sock, selectors.EVENT_READ, self._echo)

    def _echo(self, sock):
        try:
            data = sock.recv(65536)
            if data:
                sock.sendall(data)
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self.selector.unregister(sock)
        sock.close()

    # -- connecting ------------------------------------------------------

    def connect(self, host, port, cork=False):
        out = Outgoing(host, port)
        if cork:
            out.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        threading.Thread(target=out.run, daemon=True).start()
        return self._new(self.outgoing, out)

    def connect_nonblock(self, host, port):
        out = Outgoing(host, port)
        out.begin()
        return self._new(self.outgoing, out)

    def connect_then_spin(self, host, port, seconds):
        """Begins a non-blocking connect, and lets no worker of its CPU run
        for this time, while packets arrive."""
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        try:
            number = self.connect_nonblock(host, port)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                pass
        finally:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        return number

    def outcome(self, number):
        """Returns [errno, seconds] of the connect, or None while it runs."""
        out = self.outgoing[number]
        if out.error is None:
            return None
        return [out.error, out.seconds]

    def so_error(self, number):
        return self.outgoing[number].sock.getsockopt(socket.SOL_SOCKET,
                                                     socket.SO_ERROR)

    def again(self, number, host, port):
        """Calls connect() once more on a socket whose connect failed."""
        sock = self.outgoing[number].sock
        try:
            sockets.smc_connect(sock, host, port)
        except OSError as err:
            return err.errno
        return 0

    def send(self, number, data):
        self.outgoing[number].sock.sendall(bytes.fromhex(data))

    def readable(self, number):
        """Has anything arrived? The service of this host can echo only between
        two requests."""
        return bool(select.select([self.outgoing[number].sock], [], [], 0)[0])

    def recv(self, number, length):
        """Returns bytes that arrive within a time, up to length; returns the
        errno after a failure."""
        sock = self.outgoing[number].sock
        sock.settimeout(5)
        try:
            return sock.recv(length, socket.MSG_WAITALL).hex()
        except OSError as err:
            return err.errno or errno.ETIMEDOUT

    def set_ulp(self, number, name):
        """Calls setsockopt(TCP_ULP) on a connection; returns its errno."""
        try:
            self.outgoing[number].sock.setsockopt(
                socket.IPPROTO_TCP, sockets.TCP_ULP, name.encode())
        except OSError as err:
            return err.errno
        return 0

    def close(self, number):
        self.outgoing.pop(number).sock.close()

    def shutdown(self, number):
        self.outgoing[number].sock.shutdown(socket.SHUT_RDWR)

    # -- telling ---------------------------------------------------------

    def stats(self):
        """Returns the counters, and the connections that the
        application got."""
        return {**diag.counters(), "Accepted": self.accepted}

    @staticmethod
    def sockets():
        return diag.sockets()

    @staticmethod
    def tcp_sockets():
        """Returns TCP sockets that do not listen or wait: [state, port, peer's
        port]."""
        found = []
        for name in ("tcp", "tcp6"):
            with open(f"/proc/net/{name}", encoding="ascii") as file:
                lines = [line.split() for line in file.readlines()[1:]]
            found += [[int(words[3], 16), *(int(address.split(":")[1], 16)
                                            for address in words[1:3])]
                      for words in lines]
        return [one for one in found if one[0] not in (TIME_WAIT, LISTEN) and
                one[1] != CONTROL_PORT]

    @staticmethod
    def user_ulp(name):
        """Calls setsockopt(TCP_ULP) on a new TCP socket; returns its errno."""
        with socket.socket() as sock:
            try:
                sock.setsockopt(socket.IPPROTO_TCP, sockets.TCP_ULP,
                                name.encode())
            except OSError as err:
                return err.errno
        return 0

    @staticmethod
    def workers():
        """Returns the number of kernel worker threads that are not bound to a
        CPU."""
        count = 0
        for path in glob.glob("/proc/[0-9]*/comm"):
            try:
                with open(path, encoding="ascii", errors="replace") as file:
                    count += file.read().startswith("kworker/u")
            except OSError:
                pass
        return count

    @staticmethod
    def sysctl(name, value):
        """Sets the sysctl; returns the old value."""
        path = "/proc/sys/" + name.replace(".", "/")
        with open(path, "r+", encoding="ascii") as file:
            old = file.read().strip()
            file.seek(0)
            file.write(f"{value}\n")
        return old

    @staticmethod
    def ueids(names):
        """Replaces all user EIDs by these names."""
        ueid.replace(names)

    @staticmethod
    def run(*argv):
        """Runs a command. Returns [exit status, output]."""
        done = subprocess.run(argv, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=30,
                              encoding="utf-8", errors="replace")
        return [done.returncode, done.stdout]

    # -- requests --------------------------------------------------------

    def answer(self, line):
        request = json.loads(line)
        reply = {"id": request["id"]}
        try:
            reply["value"] = getattr(self, request["op"])(*request["args"])
        except Exception as err:    # pylint: disable=broad-except
            reply["error"] = f"{request['op']}: {err!r}"
        return reply

    def serve(self, control):
        """Runs until the control connection ends, or for LIFE seconds."""
        deadline = time.monotonic() + LIFE
        buffer = b""
        self.selector.register(control, selectors.EVENT_READ, None)
        while time.monotonic() < deadline:
            for key, _ in self.selector.select(10):
                if key.data:
                    key.data(key.fileobj)
                    continue
                data = _receive(control)
                if not data:
                    return
                buffer += data
                while b"\n" in buffer:
                    line, buffer = buffer.split(b"\n", 1)
                    reply = json.dumps(self.answer(line)).encode() + b"\n"
                    control.sendall(reply)


def _receive(control):
    try:
        return control.recv(65536)
    except ConnectionResetError:
        return b""


def main(address, service=Victim):
    """service: the object that answers the requests."""
    listener = socket.create_server((address, CONTROL_PORT))
    listener.settimeout(60)
    print("ready", flush=True)
    control, _ = listener.accept()
    listener.close()
    control.settimeout(None)
    control.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with control:
        service().serve(control)
    return 0


class Remote:
    """A Victim on another host: every method is a request."""

    def __init__(self, address):
        self._link = socket.create_connection((address, CONTROL_PORT), 30)
        self._link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._link.settimeout(40)
        self._lines = self._link.makefile("rb")
        self._id = 0

    def _ask(self, op, args):
        self._id += 1
        request = json.dumps({"id": self._id, "op": op, "args": args})
        self._link.sendall(request.encode() + b"\n")
        while True:
            line = self._lines.readline()
            if not line:
                raise RuntimeError("the victim has gone")
            answer = json.loads(line)
            if answer["id"] == self._id:    # skips answers to requests given up
                break
        if "error" in answer:
            raise RuntimeError(f"victim: {answer['error']}")
        return answer["value"]

    def __getattr__(self, op):
        return lambda *args: self._ask(op, args)
