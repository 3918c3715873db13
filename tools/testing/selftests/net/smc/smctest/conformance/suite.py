# SPDX-License-Identifier: GPL-2.0
"""The list of all tests, in order. The suite runs on the host of the scripted
peer."""

import contextlib
import fnmatch
import threading
import time

from smctest import Skip, check
from smctest.conformance import (
    adapter_leaves, adapters, capture, cdc, close, collisions, contact,
    decline, deployed, extension, eye_catcher, first_contact, framed,
    framed_lies, ipv6, ladders, later_links, llc, multihomed, packets, reload,
    rkeys, second_link, sequence_wrap, silence, stuck_reader, three_links,
    timers, two_links, version2)
from smctest.conformance.peer import Bench
from smctest.ktap import Report
from smctest.option import option_module
from smctest.victim import Remote
from smctest.world import wait_until

# A test may change these counters only if it declares that.
TRACKED = ("LlcViolations", "CdcViolations", "ClcMalformed")


@contextlib.contextmanager
def counting(bench, expected):
    before = bench.app.stats()
    yield

    def wrong():
        now = bench.app.stats()
        return {name: now[name] - before[name] for name in TRACKED
                if now[name] - before[name] != expected.get(name, 0)}

    wait_until(lambda: not wrong(), 3)
    left = wrong()
    check(not left, f"counters moved by {left}, not {expected}")


def _attempt(bench, case):
    groups = list(bench.groups)
    try:
        with counting(bench, case.expected):
            case.run(bench)
    except Exception:
        bench.listen()      # the old queue may have connections
        raise
    finally:
        for group in [one for one in bench.groups if one not in groups]:
            group.end()


def _named(case):
    return f"{case.name} ({case.ids})" if case.ids else case.name


def _chosen(module, names, slow):
    """Returns the slow cases or the other cases of a part, if their names
    match."""
    return [case for case in module.cases()
            if bool(case.slow) == slow and fnmatch.fnmatch(case.name, names)]


def _part(report, bench, module, names, slow):
    """Runs the cases of a part, and the slow cases that are due meanwhile. If
    NEEDS of the module is skipped, that is the only result."""
    needs = getattr(module, "NEEDS", None)
    for case in _chosen(module, names, False):
        slow.end_due()
        if needs:
            try:
                needs(bench)
            except Skip as why:
                report.skip(case.name, why)
                return
            needs = None
        report.run(_named(case), case.limit, _attempt, bench, case)


class Slow:
    """Tests that wait for timers start first. A test ends soon after its timer
    has expired, because the module also ends groups that have no connections
    for some minutes. While tests wait, a thread answers the module's
    requests."""

    def __init__(self, bench, report):
        self.bench, self.report = bench, report
        self.pending = []       # (when, case, group list, finish or error)
        self.lock = threading.Lock()
        self.over = threading.Event()

    def _answer(self):
        while not self.over.wait(0.1):
            with self.lock:
                for _, _, groups, _ in self.pending:
                    for group in groups:
                        group.pump()

    def begin(self, modules, names):
        for case in (case for module in modules
                     for case in _chosen(module, names, True)):
            before = list(self.bench.groups)
            self.bench.listen()
            try:
                finish = case.run(self.bench)
            except Exception as err:    # pylint: disable=broad-except
                finish = err
            groups = [one for one in self.bench.groups if one not in before]
            self.pending.append((time.monotonic() + case.slow, case, groups,
                                 finish))
        self.bench.listen()
        self.pending.sort(key=lambda one: one[0])
        threading.Thread(target=self._answer, daemon=True).start()

    def end_due(self):
        """Ends the tests whose time has come."""
        while self.pending and self.pending[0][0] <= time.monotonic():
            self._end_first()

    def end(self):
        """Ends all tests."""
        while self.pending:
            self._end_first()
        self.over.set()

    def _end_first(self):
        when, case, groups, finish = self.pending[0]
        time.sleep(max(0, when - time.monotonic()))
        with self.lock:
            self.pending.pop(0)
        self.report.run(_named(case), case.limit, self._finish, finish)
        for group in groups:
            group.end()

    @staticmethod
    def _finish(finish):
        if isinstance(finish, Exception):
            raise finish
        finish()


def _nothing_left(bench):
    """Checks that every group and every connection has ended."""
    def left():
        stats = bench.app.stats()
        pairs = bench.app.run("rdma", "resource", "show", "qp")[1]
        return (stats["GroupsCreated"] - stats["GroupsEnded"],
                stats["RmbsAllocated"] - stats["RmbsFreed"],
                len(bench.open_sockets()), pairs.count("comm [smc"))

    # R-3.5.1.6.2-01, R-3.5.1.6.4-03, R-4.8.2-13, R-4.8.3-03
    check(wait_until(lambda: left() == (0, 0, 0, 0), 15),
          f"groups, RMBs, sockets, queue pairs left: {left()}")


# The parts of each suite in this order; --only may name them.
SUITES = {
    "conformance": (
        contact, first_contact, second_link, two_links, collisions, llc, rkeys,
        cdc, ladders, close, decline, eye_catcher, timers, capture, adapters),
    "frames": (extension, ipv6, framed, framed_lies),
    "later_links": (later_links, silence, deployed, packets),
    "two_nics": (adapter_leaves, three_links, multihomed, version2),
    "sequence_wrap": (sequence_wrap,),
    "strict": (eye_catcher, stuck_reader)}
# Every group of the module receives a notice of a new adapter.
ALONE = (adapters,)


def _name(module):
    """Returns the subject of a part, from its file."""
    return module.__name__.rpartition(".")[2]


def main(args):
    report = Report()
    parts = [module for module in SUITES[args.suite]
             if fnmatch.fnmatch(_name(module), args.only)]
    with option_module(args.ko):
        bench = Bench(Remote(args.victim), args.victim, args.own)
        adapters.hide(bench)
        slow = Slow(bench, report)
        # Groups of tests that still wait must not get a probe.
        with bench.sysctl("net.smc.smcr_testlink_time", 600):
            slow.begin(parts, args.case)
            for module in parts:
                if module not in ALONE:
                    _part(report, bench, module, args.case, slow)
            slow.end()
            for module in parts:
                if module in ALONE:
                    _part(report, bench, module, args.case, slow)
        if args.case != "*":
            return report.finish()
        report.run("nothing is left (R-4.8.2-13, R-3.5.1.6.4-03)", 30,
                   _nothing_left, bench)
        if args.suite == "later_links" and fnmatch.fnmatch("reload", args.only):
            report.run("the module is loaded again (R-A.2.1-02, R-C.7.1-14, "
                       "R-4.8.3-01)", 240, reload.run, bench, args.smc)
    return report.finish()
