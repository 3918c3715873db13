# SPDX-License-Identifier: GPL-2.0
"""Runs programs with a time limit, and returns all their output in
one string."""

import os
import re
import signal
import subprocess
import threading

import ktap
from checklib import TREE
from checklib.results import COVERED, FAIL, PASS, SKIP

# seconds; beside hosts a program gets a tenth of a processor or less
LIMIT = 1800
OUT_OF_TIME = 124
NOTHING_TESTED = 4  # exit status of a selftest that can do none of its tests
EXTENT = re.compile(r"^\s*# covered: (.*?)\s*$", re.MULTILINE)
_running = set()
_over = threading.Event()       # set when no command may start any more


def _kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_all():
    """Ends all running commands and prevents new ones, at the end of the whole
    run."""
    _over.set()
    for process in list(_running):
        _kill(process)


def run(argv, timeout, env=None, cwd=TREE):
    """Returns (exit status, output). With status OUT_OF_TIME the time limit
    was exceeded, and all processes of the command were killed."""
    if _over.is_set():
        return OUT_OF_TIME, "not started: the run is over"
    process = subprocess.Popen(
        argv, cwd=cwd, env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
    _running.add(process)
    if _over.is_set():      # kill_all() may not have seen this process
        _kill(process)
    try:
        out, _ = process.communicate(timeout=timeout)
        status = process.returncode
    except subprocess.TimeoutExpired:
        _kill(process)
        out, _ = process.communicate()
        out += f"\nstopped after {timeout} s\n".encode()
        status = OUT_OF_TIME
    except BaseException:
        _kill(process)
        process.wait()
        raise
    finally:
        _running.discard(process)
    return status, out.decode(errors="replace")


def simple(report, name, argv, timeout=LIMIT, **kwargs):
    """Runs a test whose exit status is its result."""
    status, out = run(argv, timeout, **kwargs)
    report.add(name, FAIL if status else PASS, out)
    return not status


def with_ktap(prefix, argv, timeout, **kwargs):
    """Runs a test that prints KTAP, and adds each of its results to ours."""
    status, out = run(argv, timeout, **kwargs)
    return ktap_results(prefix, status, out)


def ktap_results(prefix, status, out):
    """Returns the results of the KTAP in out. A bad exit status without a
    failed result adds a failure."""
    leaves = ktap.parse(out)
    found = [(f"{prefix}: {name}", result, detail)
             for name, result, detail in leaves]
    if status == OUT_OF_TIME:
        found.append((f"{prefix}: ends in time", FAIL, out[-2000:]))
    elif status and not any(result == FAIL for _, result, _ in leaves) and (
            status != NOTHING_TESTED or
            any(result != SKIP for _, result, _ in leaves)):
        found.append((f"{prefix}: ends well", FAIL,
                      f"{out}\nexit status {status}"))
    elif not leaves:
        found.append((f"{prefix}: reports results", FAIL, out or "no output"))
    found += [(f"{prefix}: {text}", COVERED, "") for text in EXTENT.findall(out)]
    return found
