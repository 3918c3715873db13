# SPDX-License-Identifier: GPL-2.0
"""The measured items and their goals."""

import dataclasses

# The modules of the client's and of the server's host, for systems with SMC.
SIDES = {"stock": ("stock", "stock"), "ours": ("ours", "ours"),
         "to_stock": ("ours", "stock"), "from_stock": ("stock", "ours")}
MIXED = ("to_stock", "from_stock")
SYSTEMS = ("tcp", "stock", "verbs", "ours", *MIXED)
TITLES = {"tcp": "TCP", "stock": "stock SMC", "verbs": "bare verbs",
          "verbs_send": "verbs, WRITE + SEND",
          "verbs_calls": "verbs + system calls",
          "verbs_records": "verbs, records + system calls",
          "ours": "this module",
          "ours_rfc": "this module, no frames",
          "to_stock": "this module to stock SMC",
          "from_stock": "stock SMC to this module"}


def base(system):
    """Returns the system, or the one that it is a variant of."""
    for name in ("verbs", "ours"):
        if system.startswith(f"{name}_"):
            return name
    return system


def selected(system, wanted):
    """Has the user asked for this system, or for the system of which it is a
    variant?"""
    return base(system) in wanted


@dataclasses.dataclass(frozen=True)
class Item:
    """One row of the report: the arguments of the programs, and the value to
    compare."""

    key: str
    title: str
    unit: str
    sock: tuple = None      # sockbench mode and options, None: see service
    verbs: tuple = None     # verbsbench mode and options, None: not measured
    value: str = "rate"
    high: bool = True       # higher is better
    inhost: bool = False
    mixed: bool = True      # measured between different modules too
    ways: bool = False      # compares ways to use a socket: TCP and ours only
    fresh: bool = False     # each measurement on hosts started for it
    per: str = "operation"  # divisor of the counts
    # messages per doorbell of a program that makes system calls between
    # messages
    calls_chain: int = 1
    service: str = None     # a whole program, see services.py
    busy_poll: int = 0      # net.core.busy_poll of both hosts, microseconds

    def systems(self, wanted):
        """Returns the selected systems that support this item."""
        if self.inhost or self.ways:
            return [s for s in ("tcp", "ours") if s in wanted]
        if self.service:
            return [s for s in ("tcp", "stock", "ours") if s in wanted]
        out = [s for s in wanted if (s != "verbs" or self.verbs) and
               (s not in MIXED or self.mixed)]
        if "ours" in out:
            out.append("ours_rfc")
        if "verbs" in out:
            out += (["verbs_send"] if self.key == "bulk" else
                    ["verbs_calls", "verbs_records"])
        return out


def _rr(conns, req, resp):
    return ("rr", "--conns", str(conns), "--req", str(req), "--resp",
            str(resp))


def _pair_rr(conns, req, resp):
    return {"sock": _rr(conns, req, resp), "verbs": _rr(conns, req, resp),
            "calls_chain": max(1, conns // 4)}


_EXCHANGE = ("--req", "200", "--resp", "1000")
_BUSY = ("rr", "--conns", "1000", "--busy", "50", *_EXCHANGE)

ITEMS = (
    Item("bulk", "one bulk stream", "MB/s", ("bulk",),
         ("bulk", "--chain", "4"), per="64 KiB"),
    Item("lat64", "64-byte ping-pong, median", "us", value="p50_us",
         high=False, **_pair_rr(1, 64, 64)),
    Item("rr1", "request/response 200/1000 B, 1 connection", "1/s",
         **_pair_rr(1, 200, 1000)),
    Item("rr16", "request/response, 16 connections", "1/s", **_pair_rr(16, 200, 1000)),
    Item("rr64", "request/response, 64 connections", "1/s", **_pair_rr(64, 200, 1000)),
    Item("short1", "connect, 1 exchange, close; 1 at a time", "1/s",
         ("short", "--conns", "1", *_EXCHANGE), per="connection"),
    Item("short8", "connect, 1 exchange, close; 8 at a time", "1/s",
         ("short", "--conns", "8", *_EXCHANGE), per="connection"),
    Item("idle", "kernel memory of an idle connection, one end", "B",
         ("idle", "--conns", "1000", "--req", "64", "--resp", "64"),
         value="end_bytes", high=False, per="connection", mixed=False,
         fresh=True),
    Item("busy50", "request/response, 50 busy of 1000 connections", "1/s",
         _BUSY, mixed=False),
    Item("busy50_p99", "99th percentile of its time", "us", _BUSY,
         value="p99_us", high=False, mixed=False),
    Item("busy50_memory", "kernel memory of one of these connections, one end",
         "B", ("idle", *_BUSY[1:]), value="end_bytes", high=False,
         per="connection", mixed=False, fresh=True),
    Item("fanin", "messages of 100 B, 64 senders, one reader", "1/s",
         ("fan", "--conns", "64", "--req", "100"), per="message",
         mixed=False),
    Item("redis", "redis-benchmark -P 16 -c 50, GET of 100 B", "1/s",
         service="redis", mixed=False),
    Item("pgbench", "pgbench -S -c 20", "1/s", service="pgbench",
         mixed=False),
    Item("sendfile", "one bulk stream by sendfile()", "MB/s",
         ("bulk", "--source", "file"), per="64 KiB", ways=True, mixed=False),
    Item("zerocopy", "one bulk stream with MSG_ZEROCOPY", "MB/s",
         ("bulk", "--source", "zerocopy"), per="64 KiB", ways=True,
         mixed=False),
    Item("lat64_busy", "64-byte ping-pong, median, both hosts busy-poll", "us",
         _rr(1, 64, 64), value="p50_us", high=False, ways=True, mixed=False,
         busy_poll=200),
    Item("inhost_bulk", "one bulk stream within a host", "MB/s", ("bulk",),
         inhost=True, per="64 KiB"),
    Item("inhost_lat64", "64-byte ping-pong within a host, median", "us",
         _rr(1, 64, 64), value="p50_us", high=False, inhost=True),
)


@dataclasses.dataclass(frozen=True)
class Goal:
    """A bound on a ratio, on our median or on one of our counts.

    The ratio is "system" to "other" (Results.ratio()).
    If "other" is missing, the bound applies to the median itself; if "count" is
    there, it applies to this count of the system.
    """

    item: str
    other: str = None       # the system to compare with
    atleast: float = None
    atmost: float = None
    count: str = None       # sum of both sides per operation
    required: bool = False
    system: str = "ours"
    kernels: tuple = ("uml",)   # where the bound of a ratio is required

    def name(self):
        """Returns the name of the bounded value."""
        if self.count:
            return f"{self.item}: {self.count}" + (
                "" if self.system == "ours" else
                f" ({TITLES[self.system]})")
        what = "ours" if self.system == "ours" else TITLES[self.system]
        return f"{self.item}: {what}" + (f" / {TITLES[self.other]}"
                                         if self.other else "")

    def text(self):
        """The goal in words."""
        sign, bound = ((">=", self.atleast) if self.atleast is not None
                       else ("<=", self.atmost))
        return f"{self.name()} {sign} {bound:g}"

    def met(self, value):
        """Does the value reach the goal?"""
        if self.atleast is not None:
            return value >= self.atleast
        return value <= self.atmost

    def binds(self, kernel):
        """Does a run on this kernel fail when it misses the goal?

        The bound of a ratio applies to the kernels it was made for: under
        User Mode Linux a system call costs as much as a packet, under
        emulation a copy is expensive. Counts are the same everywhere.
        """
        return self.required and (bool(self.count) or kernel in self.kernels)


# Two hosts with different modules must not be slower than two hosts with the
# other module. Results of the same system differ by some percent from run to
# run.
_NOISE = 0.05
_MIXED_GOALS = tuple(
    Goal(item.key, "stock", system=system,
         **({"atleast": 1 - _NOISE} if item.high else {"atmost": 1 + _NOISE}))
    for system in MIXED for item in ITEMS if item.mixed and not item.inhost)

GOALS = (
    # Required goals. Each bound leaves a margin below the result of the slower
    # of two machines.
    Goal("bulk", "verbs", atleast=0.65, required=True),
    Goal("rr16", "stock", atleast=0.9, required=True),
    Goal("rr64", "stock", atleast=1.1, required=True),
    Goal("short8", "stock", atleast=1.7, required=True),
    # A connection after the first of its group needs no registration and no LLC
    # message. Each side sends one CDC message for its data and one for its
    # close, or records that say the same. A few messages of the group itself
    # (TEST LINK) are allowed.
    Goal("short8", count="MemoryRegistrations", atmost=0.001, required=True),
    Goal("short8", count="LlcSent", atmost=0.001, required=True),
    Goal("short8", count="CdcSent", atmost=4.01, required=True,
         system="ours_rfc"),
    # An idle connection has no element, and little memory of its own.
    Goal("idle", atmost=8192, required=True, kernels=("uml",)),
    # What frames are for (Documentation/networking/smc/frames.rst). Bare verbs
    # that put the records of several connections into one SEND, with a system
    # call per message and end, are the ceiling.
    Goal("rr16", "verbs_records", atleast=0.95, required=True),
    Goal("rr64", "verbs_records", atleast=0.95, required=True),
    Goal("rr64", count="packets", atmost=3, required=True),
    Goal("rr1", "tcp", atleast=0.47, required=True, kernels=("6.12",)),
    Goal("rr16", "tcp", atleast=1, required=True, kernels=("6.12",)),
    Goal("rr64", "tcp", atleast=1.3, required=True, kernels=("6.12",)),
    # Nothing is copied when an application sends from a file, or with
    # MSG_ZEROCOPY.
    Goal("sendfile", count="BytesSentLent", atleast=65000, required=True),
    Goal("zerocopy", count="BytesSentLent", atleast=65000, required=True),
    Goal("zerocopy", count="of them copied", atmost=0, required=True),
    # Further aims of the design.
    Goal("bulk", "stock", atleast=2.5),
    Goal("bulk", "verbs", atleast=0.9),
    Goal("lat64", "verbs", atmost=1),
    Goal("rr16", "stock", atleast=1.2),
    Goal("rr16", "verbs", atleast=0.9),
    Goal("rr64", "stock", atleast=1.2),
    Goal("rr64", "verbs", atleast=0.9),
    Goal("short8", "tcp", atleast=0.85),
    Goal("inhost_bulk", "tcp", atleast=2),
    Goal("inhost_lat64", "tcp", atmost=0.5),
    *_MIXED_GOALS,
)
