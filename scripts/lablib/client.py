# SPDX-License-Identifier: GPL-2.0
"""The verbs of "lab". All except "up" talk to a keeper."""

import fcntl
import json
import os
import select
import signal
import socket
import sys

from lablib import LabError, cached, frames, place, plan

TROUBLE = 125   # exit status if the lab has failed, and not the command
CONSOLE_LINES = 15      # lines to show of a host that did not start


def _state(run):
    try:
        with open(os.path.join(run, "state"), encoding="ascii") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def _connect(name):
    run = place.run_dir(name)
    link = socket.socket(socket.AF_UNIX)
    try:
        link.connect(place.control_socket(run))
    except OSError:
        link.close()
        raise LabError(f"no lab called {name} is up") from None
    return link


# -- up ------------------------------------------------------------------

def _daemonize(config, pipe, lock):
    """Turns this process into the keeper and closes all other files of the
    caller."""
    os.setsid()
    if os.fork():
        os._exit(0)
    log = os.path.join(config["run"], "keeper.log")
    null = os.open("/dev/null", os.O_RDONLY)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for source, target in ((null, 0), (out, 1), (out, 2)):
        os.dup2(source, target)
    pipe, lock = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (pipe, lock))
    os.dup2(pipe, 3, inheritable=False)
    os.dup2(lock, 4, inheritable=False)
    os.closerange(5, 65536)
    os.chdir("/")

    def report(line):
        os.write(3, line.encode(errors="replace"))
        os.close(3)

    # Imported only here, because the import takes as long as a short command.
    from lablib import keeper   # pylint: disable=import-outside-toplevel
    keeper.main(config, report)


def _spawn_keeper(config, lock):
    """Starts the keeper and waits for its report. Returns None or an error."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        status = 1
        try:
            _daemonize(config, theirs, lock)
            status = 0
        finally:
            os._exit(status)
    os.close(theirs)
    os.waitpid(child, 0)
    with os.fdopen(ours, encoding="utf-8", errors="replace") as pipe:
        word = pipe.read()
    return None if word == "ok" else word or "the keeper died"


def up(args):
    """Start a lab; returns when both hosts are ready."""
    run = place.run_dir(args.name)
    if os.geteuid():
        raise LabError("only root can start a lab")
    if place.is_held(run):
        raise LabError(f"a lab called {args.name} is up already")
    hosts = plan.asked_for(args)
    plan.find(hosts)
    if os.path.isdir(run) and not place.is_held(run):
        _down_one(args.name)    # the keeper of this lab was killed
    cached.exec_program()
    lock = place.make_run_dir(run)
    config = {"run": run, "hosts": hosts, "nics": args.nics,
              "switch": args.switch, "smp": args.smp, "mem": args.mem,
              "boot": args.boot, "qemu": args.qemu, "pin": args.pin,
              "owner": args.owner}
    try:
        why = _spawn_keeper(config, lock)
    except BaseException:   # the user has interrupted the start
        _down_one(args.name)
        raise
    os.close(lock)
    if why:
        _end_remains(run)
        _show_consoles(run, [host.name for host in hosts])
        place.remove_run_dir(run)
        raise LabError(f"{args.name}: {why}")
    return 0


def _show_consoles(run, hosts):
    """Prints the console output of hosts that did not start. The lab keeps no
    other files of these hosts."""
    for host in hosts:
        try:
            with open(place.console_file(run, host), encoding="utf-8",
                      errors="replace") as console:
                lines = console.read().splitlines()
        except FileNotFoundError:
            continue
        for line in lines[-CONSOLE_LINES:]:
            print(f"{host}: {line}", file=sys.stderr)


# -- other verbs ---------------------------------------------------------

def execute(args):
    """Runs a command on a host, with the program for it."""
    program = cached.exec_program()
    os.execv(program, ["lab", "--name", args.name, "--timeout",
                       str(args.timeout), args.host, "--", *args.command])


def log(args):
    """Print a host's console."""
    path = place.console_file(place.run_dir(args.name), args.host)
    try:
        with open(path, "rb") as console:
            while data := console.read(65536):
                sys.stdout.buffer.write(data)
    except FileNotFoundError:
        raise LabError(f"no console of host {args.host} in lab "
                       f"{args.name}") from None
    return 0


def _wait_for_end(pid, seconds):
    """Returns true if the process has ended, even if no process has waited for
    it."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([pidfd], [], [], seconds)[0])
    finally:
        os.close(pidfd)


def _end_remains(run):
    """Kills processes that a dead keeper has left behind."""
    state = _state(run)
    if state:
        place.kill_sessions(set(state["sessions"]))


def _end_keeper(run):
    """Tells the keeper to end, and kills it if it does not."""
    state = _state(run)
    if not place.is_held(run) or not state:
        return
    try:
        os.kill(state["keeper"], signal.SIGTERM)
        if not _wait_for_end(state["keeper"], 20):
            os.kill(state["keeper"], signal.SIGKILL)
            _wait_for_end(state["keeper"], 5)
    except ProcessLookupError:
        pass


def _down_one(name):
    run = place.run_dir(name)
    if not os.path.isdir(run):
        raise LabError(f"no lab called {name}")
    _end_keeper(run)
    _end_remains(run)
    place.remove_run_dir(run)


def down(args):
    """Ends a lab and removes all its files."""
    for name in place.names() if getattr(args, "all", False) else [args.name]:
        _down_one(name)
    return 0


def listing(_args):
    """Prints one line per lab."""
    for name in place.names():
        run = place.run_dir(name)
        state = _state(run) or {}
        word = "dead"
        if place.is_held(run):
            ready = os.path.exists(place.control_socket(run))
            word = "up" if ready else "starting"
        hosts = [f"{host}: {what}"
                 for host, what in state.get("hosts", {}).items()]
        print(f"{name}: {', '.join([word, *hosts])}")
    return 0


def capture(name, host, argv, timeout):
    """Returns (exit status, stdout) of a command; passes on its stderr."""
    link = _connect(name)
    request = {"host": host, "argv": argv, "cwd": "/",
               "timeout": timeout}
    link.sendall(json.dumps(request).encode() + b"\n")
    out = bytearray()
    with link.makefile("rb") as answers:
        while frame := frames.read_client_frame(answers):
            kind, data = frame
            if kind == b"x":
                answer = json.loads(data)
                if "status" not in answer:
                    raise LabError(answer.get("error", f"{argv[0]} on host "
                                              f"{host} took too long"))
                return answer["status"], out.decode(errors="replace")
            if kind == b"o":
                out += data
            else:
                sys.stderr.buffer.write(data)
    raise LabError(f"the lab {name} went down")


def usage(args):
    """Prints as JSON, for each host, the pauses and the CPU time since the last
    call."""
    link = _connect(args.name)
    link.sendall(json.dumps({"ask": "usage"}).encode() + b"\n")
    with link.makefile("rb") as answers:
        frame = frames.read_client_frame(answers)
    if not frame:
        raise LabError(f"the lab {args.name} went down")
    print(frame[1].decode())
    return 0


def refresh(args):
    """Drops the host's cache of the machine's files."""
    status, _ = capture(args.name, args.host, [
        "sh", "-c", "sync; echo 3 > /proc/sys/vm/drop_caches"], timeout=60)
    return status
