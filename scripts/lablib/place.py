# SPDX-License-Identifier: GPL-2.0
"""Paths: the tree, the cache, the run directories."""

import fcntl
import os
import re
import shutil
import signal
import time

from lablib import LabError

LIB = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(LIB))
GUEST = os.path.join(LIB, "guest")
HOSTS = ("a", "b")


def cache():
    """Returns the directory for builds that all clones share."""
    path = os.environ.get("SMC_LAB_CACHE", "/var/cache/smcr-lab")
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as err:
        raise LabError(f"cannot use the cache {path}: {err.strerror}") from None
    return path


def run_base():
    return f"/tmp/smc-lab-{os.getuid()}"


def run_dir(name):
    """Returns the directory of the lab with this name."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}", name):
        raise LabError(f"not a name for a lab: {name!r}")
    return os.path.join(run_base(), name)


def names():
    """Returns the names of all labs that have a run directory."""
    try:
        return sorted(os.listdir(run_base()))
    except FileNotFoundError:
        return []


def control_socket(run):
    return os.path.join(run, "ctl")


def console_file(run, host):
    return os.path.join(run, f"console-{host}")


def is_held(run):
    """Does a keeper, or an "up" that is starting one, use this lab?"""
    try:
        fd = os.open(os.path.join(run, "lock"), os.O_RDONLY)
    except OSError:
        return os.path.isdir(run)   # the directory was made a moment ago
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(fd)


def make_run_dir(run):
    """Makes and locks the run directory. The lock lasts while the returned
    file is open."""
    base = run_base()
    os.makedirs(base, mode=0o700, exist_ok=True)
    if os.stat(base).st_uid != os.getuid():
        raise LabError(f"{base} belongs to somebody else")
    try:
        os.mkdir(run, 0o700)
    except FileExistsError:
        raise LabError(f"a lab called {os.path.basename(run)} is being "
                       "started or stopped") from None
    lock = os.open(os.path.join(run, "lock"), os.O_RDONLY | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def remove_run_dir(run):
    shutil.rmtree(run, ignore_errors=True)
    try:
        os.rmdir(run_base())
    except OSError:
        pass


def session_members(sessions):
    """Returns the processes of these sessions that have not ended."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii",
                      errors="replace") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) in sessions and fields[0] != "Z":
            yield int(entry)


def kill_sessions(sessions, seconds=5.0):
    """Kills every process of these sessions and waits until they have ended.

    A host under User Mode Linux has many processes. All of them are in the
    session that was made for the host.
    """
    sessions = {sid for sid in sessions if sid > 1}
    deadline = time.monotonic() + seconds
    while sessions:
        left = list(session_members(sessions))
        if not left:
            return
        if time.monotonic() > deadline:
            raise LabError(f"processes do not end: {left}")
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)
