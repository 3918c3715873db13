# SPDX-License-Identifier: GPL-2.0
"""Run a program with a time limit and all its output in one string."""

import contextlib
import os
import re
import signal
import subprocess
import threading

import ktap
from checklib import TREE
from checklib.results import COVERED, FAIL, PASS, SKIP

OUT_OF_TIME = 124
NOTHING_TESTED = 4      # a selftest that can do none of its tests
EXTENT = re.compile(r"^\s*# covered: (.*?)\s*$", re.MULTILINE)
# A session is a scheduling group of its own where the kernel makes such groups;
# the first line is for those, the second for all other kernels.
LOW_PRIORITY = ("sh", "-c", "{ echo 10 > /proc/self/autogroup; } 2> /dev/null\n"
                'exec nice -n 10 "$@"', "sh")
LOW_TIME = 4            # programs of low priority may take so many times as long
_running = set()
_over = threading.Event()       # set: no command may start any more
_thread = threading.local()


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


@contextlib.contextmanager
def low_priority():
    """Programs that this thread runs get the time that all others leave."""
    _thread.low = True
    try:
        yield
    finally:
        _thread.low = False


def run(argv, timeout, env=None, cwd=TREE):
    """(exit status, output). OUT_OF_TIME: its time was over, all is killed."""
    if _over.is_set():
        return OUT_OF_TIME, "not started: the run is over"
    if getattr(_thread, "low", False):
        argv, timeout = [*LOW_PRIORITY, *argv], timeout * LOW_TIME
    process = subprocess.Popen(
        argv, cwd=cwd, env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
    _running.add(process)
    if _over.is_set():      # kill_all() may have missed it
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


def simple(report, name, argv, timeout=600, **kwargs):
    """A test whose exit status is the result."""
    status, out = run(argv, timeout, **kwargs)
    report.add(name, FAIL if status else PASS, out)
    return not status


def with_ktap(prefix, argv, timeout, **kwargs):
    """Results of a test that prints KTAP: each of its results is one of ours."""
    status, out = run(argv, timeout, **kwargs)
    return ktap_results(prefix, status, out)


def ktap_results(prefix, status, out):
    """The results of the KTAP in out. A bad exit status without a failure is a
    failure, too."""
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
