# SPDX-License-Identifier: GPL-2.0
"""The scripted peer with frames: endpoints that count credits, groups and
connections whose data and control go in records (frames.rst)."""

import collections
import contextlib
import time

from smctest import (Skip, check, extension, frames, polls, ueid, verbs,
                     wire)
from smctest.conformance import version2
from smctest.conformance.extension import AsExtClient, AsExtServer, form
from smctest.conformance.peer import (PATIENCE, QUIET, SERVER, Conn, Group,
                                      pattern)
from smctest.world import wait_until

OFFER = extension.Terms(extension.NEWEST, 13, extension.FRAMES, 0xf4a3)
OLD = OFFER.but(version=extension.SHORT_HEADS - 1)
RAISE = 2           # so many new receives cause a frame of ours


class Endpoint(version2.Endpoint):
    """An endpoint with frames. It sorts received records by their token, and
    announces its receives to the module."""

    slot = (1 << OFFER.size) + extension.HEADS

    def __init__(self, *args):
        super().__init__(*args)
        self.spent = 0                      # SENDs of ours
        self.allowed = frames.INITIAL       # SENDs that the module accepts
        self.arrived = 0                        # SENDs of the module
        self.taken = frames.INITIAL         # SENDs that we accept
        self.told = frames.INITIAL          # the value that the module has
        self.gives = True                   # announce new receives
        self.waits = False                  # say that we have waited
        self.waited = False                 # the module's newest frame says so
        self.records = collections.defaultdict(collections.deque)
        self.sizes = []                     # number of records of each frame

    def frame(self, *records):
        """Returns a frame with these records."""
        if self.gives:
            self.told = self.taken
        return frames.frame(self.told, *records, waits=self.waits)

    def try_send(self, data):
        self.spent += 1
        return super().try_send(data)

    def _take(self, data):
        count, records = frames.parse(data)
        self.waited = frames.waited(data)
        # F-06
        check((count - self.allowed) & 0xffffffff <= 0xffff,
              f"the count goes from {self.allowed} to {count}")
        self.allowed = count
        self.sizes.append(len(records))
        for record in records:
            self.records[record.token].append(record)
        # F-07
        left = self.told - self.arrived
        check(left >= (frames.RESERVE if records else 0),
              f"a frame of {len(records)} records leaves {left} credits")

    def receive(self, timeout=verbs.TIMEOUT):
        """Returns the next message that is not a frame, or None."""
        deadline = time.monotonic() + timeout
        while True:
            data = super().receive(max(0, deadline - time.monotonic()))
            if data is None:
                return None
            self.arrived += 1
            self.taken += self.gives
            is_frame = frames.is_frame(data)
            if is_frame:
                self._take(data)
            else:
                # F-07
                check(self.told - self.arrived >= 1, "LLC takes the last credit")
            # F-08; this frame may use the last credit (F-07)
            if self.gives and self.taken - self.told >= RAISE and \
                    self.allowed != self.spent:
                self.try_send(self.frame())
            if not is_frame:
                return data


class FramedGroup(Group):
    """A group with one link, which has frames."""

    def _await_credit(self):
        point = self.end_point
        # F-06, F-08
        check(wait_until(lambda: self.pump() or point.allowed - point.spent >
                         frames.RESERVE, PATIENCE),
              f"{point.spent} of {point.allowed} SENDs, and no more credits")

    def send(self, data):
        """Sends a message as soon as there is a credit."""
        self._await_credit()
        super().send(data)

    def tell(self, *records):
        """Sends a frame with these records."""
        # first the credit: the count must be the newest when the frame leaves
        self._await_credit()
        super().send(self.end_point.frame(*records))

    def fails(self, conn):
        """Checks that the module ends the link."""
        self.gone = True
        conn.expect_reset()


class Framed(Conn):
    """A connection with records. cons: bytes of the module that have
    arrived. agreed: version of the extension that both hosts use."""

    agreed = OFFER.version

    def __init__(self, *args):
        super().__init__(*args)
        self.window = frames.WINDOW
        self.edge = frames.WINDOW       # the module may send up to here
        self.read = 0                   # read position of the module
        self.may = frames.WINDOW        # we may send up to here
        self.ends = 0                   # flags that all records repeat
        self.heard = 0                  # the module's newest offer
        self.own = None                 # our offer, as in a record
        self.told = 0                   # cons of our newest record
        self.short = False              # our records have short heads

    def record(self, data=b"", flags=0, **other):
        """Returns our next record."""
        self.prod += len(data)
        self.ends |= flags & (frames.D | frames.C | frames.A)
        self.edge = max(self.edge, self.cons + self.window)
        self.told = self.cons
        fields = {"token": self.theirs.token, "flags": flags | self.ends,
                  "prod": self.prod, "cons": self.cons,
                  "window": self.window, "heard": self.heard, "data": data,
                  "short": self.short}
        fields.update(other)
        return frames.Record(**fields)

    def say(self, data=b"", flags=0, **other):
        """Sends a frame with our next record."""
        self.group.tell(self.record(data, flags, **other))

    def pour(self, data):
        """Sends bytes as the window allows, and checks that the application
        reads them."""
        size = min(self.group.end_point.slot - frames.HEAD - frames.RECORD,
                   frames.WINDOW)
        for at in range(0, len(data), size):
            piece = data[at:at + size]
            more = frames.B if len(data) - at > len(piece) else 0
            self.say(piece, more)
            self.gets(piece)
            # F-09: while we set B, each read causes a record
            while more and self.may - self.prod < size:
                self.hear()

    def mail(self):
        """Lets the endpoint sort what has arrived; returns this connection's
        records."""
        self.group.pump()
        return self.group.end_point.records[self.me.token]

    def _written(self, record, start):
        """Returns the bytes that the module has written to our element before
        the data of a record."""
        # F-15
        check(self.own and record.heard == self.own[0],
              f"{record}: bytes from {start}, not {self.cons}")
        _, _, offset, size = self.own
        # F-16
        check(start - self.told <= size, f"{record} overwrites unread bytes")
        ring = self.group.end_point.rmb.read(size, offset)
        at = self.cons % size
        return (ring + ring)[at:at + start - self.cons]

    def hear(self, timeout=PATIENCE):
        """Returns the next record of this connection, and checks its
        positions. Bytes in our element become data of the record."""
        check(wait_until(self.mail, timeout), f"no record in {timeout} s")
        got = self.mail().popleft()
        # F-38
        check(got.short == (self.agreed >= extension.SHORT_HEADS and
                            got.fits_short), f"{got}: the other head")
        # F-05
        start = got.prod - len(got.data)
        if got.move is None:
            check(start >= self.cons, f"{got}: bytes from {start}, not "
                  f"{self.cons}")
            if start > self.cons:
                got = got.but(data=self._written(got, start) + got.data)
            self.cons = got.prod
        # F-09
        check(got.prod <= self.edge, f"{got} is beyond the window {self.edge}")
        check(self.read <= got.cons <= self.prod,
              f"{got} after {self.read} of {self.prod}")
        self.read = got.cons
        self.may = max(self.may, got.cons + got.window)
        return got

    def expect(self, data=b"", flags=0, **other):   # pylint: disable=arguments-differ
        """Checks the next record: its data, its flags, and other fields."""
        got = self.hear()
        check(got.data == data, f"{got}: not these {len(data)} bytes")
        check(got.flags == flags, f"{got}: flags {got.flags:02x}, not "
              f"{flags:02x}")
        for name, value in other.items():
            check(getattr(got, name) == value, f"{got}: {name} is not {value}")
        return got

    def collect(self, length):
        """Returns the next bytes of the module, from as many records as it
        takes; we read at once."""
        out = b""
        while len(out) < length:
            out += self.hear().data
            if self.edge - self.cons < self.window // 2:
                self.say()
        return out

    def until(self, flag):
        """Returns the data up to the record with this flag."""
        out, end = b"", time.monotonic() + PATIENCE
        while True:
            got = self.hear()
            out += got.data
            if got.flags & flag:
                return out
            check(time.monotonic() < end, f"no record with {flag:02x}")

    def silent(self, seconds=QUIET):
        """Checks that no record arrives."""
        for _ in polls(seconds):
            check(not self.mail(), f"{self.mail()} came")

    def echo(self, size=200):
        """Sends data in both directions."""
        data = pattern(self.cons, size)
        self.sends(data)
        self.expect(data)
        self.say(pattern(self.prod, size))
        self.gets(pattern(self.prod - size, size))

    def aborted(self, ended=False):
        """Checks that the module aborts this connection: a record with A, and
        a reset for the application. ended: the application reads the end of the
        stream, which came first."""
        self.until(frames.A)
        if ended:
            self.expect_broken()
        else:
            self.expect_reset()
        self.say(flags=frames.A)
        self.expect_tcp("RST")


class AsClient(Framed, AsExtClient):
    """A connection that we open."""

    offer = OFFER.offer


class AsServer(Framed, AsExtServer):
    """A connection that the application opens."""

    @staticmethod
    def answer(offer):
        return extension.chosen(OFFER, offer)


def offers_frames(bench):
    """Checks that the module offers frames; otherwise the tests are
    skipped."""
    bench.app.ueids([ueid.DEFAULT])
    try:
        with bench.called(version=2) as call:
            call.tcp.sendall(wire.decline(version=2))
            call.expect_errno(0)
            caps = extension.offered(call.proposal)[4]
    finally:
        bench.app.ueids([])
    if not caps & extension.FRAMES:
        raise Skip("the module offers no frames")


def join(group):
    """Opens one more connection of the group, or the first one."""
    conn = group.contact()
    conn.rendezvous()
    if conn.first:
        form(group)
    conn.take()
    return conn


class AsOldClient(AsClient):
    """A connection that a host opens which does not know short heads."""

    agreed = OLD.version
    offer = OLD.offer


class AsOldServer(AsServer):
    """A connection to a host which does not know short heads."""

    agreed = OLD.version

    @staticmethod
    def answer(offer):
        return extension.chosen(OLD, offer)


@contextlib.contextmanager
def framed(bench, module, receives=verbs.RECEIVES, make=(AsClient, AsServer)):
    """Yields (connection, group) after first contact with frames. receives:
    number of receives that we really post. make: our connections, as client and
    as server."""
    bench.app.ueids([ueid.DEFAULT])
    group = bench.group(module, Endpoint, FramedGroup)
    group.end_point.receives = receives
    group.make = make[0] if module == SERVER else make[1]
    try:
        yield join(group), group
    finally:
        group.end()
        bench.app.ueids([])
