# SPDX-License-Identifier: GPL-2.0
"""Tests a link that fails when the sequence numbers of CDC messages wrap (RFC
7609 4.6.1, A.4)."""

import socket

from smctest import check
from smctest import messages as msg
from smctest.conformance.case import Case
from smctest.conformance.links import deleted, linked
from smctest.conformance.peer import ELEMENT, PATIENCE, echo, pattern

LAST = 0xffff       # the next number is 0
# The application sends this many messages of one byte at a time. After each
# batch, and often while we receive it, we answer the module's LLC requests,
# because it waits only two seconds for an answer (SMC_LLC_WAIT_MS).
BATCH, OFTEN = 256, 32


class _Drain:
    """Receives the messages of a connection on its link."""

    def __init__(self, conn, end_point):
        self.conn, self.end_point = conn, end_point
        self.seq = 0

    def take(self, until):
        """Receives all messages up to this position."""
        at = self.conn.cons
        while at < until:
            data = self.end_point.receive(PATIENCE)
            check(data is not None, f"nothing comes behind {at}")
            got = msg.parse(data)
            self.seq += 1
            if self.seq % OFTEN == 0:
                self.conn.group.pump()
            # R-4.3-02, R-A.4-06
            check(isinstance(got, msg.Cdc) and got.seq == self.seq,
                  f"{got} is not message {self.seq}")
            at = got.prod[0] * ELEMENT + got.prod[1]
            if at - self.conn.cons > ELEMENT // 2:
                self._read(at)
        self._read(at)
        self.conn.group.pump()

    def _read(self, position):
        self.conn.cons = position
        self.end_point.send(self.conn.cdc())


def _wraps(bench):
    """Message number 65536, whose sequence number is 0, is lost with the link.
    The module's validation names the message before it, and the module sends
    its data again."""
    with linked(bench) as (conn, group, second):
        other = second.named()
        other.confirm()
        other.take()
        bench.app.options(other.number, [[socket.IPPROTO_TCP,
                                          socket.TCP_NODELAY, 1]])
        drain = _Drain(other, second.end_point)
        while drain.seq < LAST:
            count = min(LAST - drain.seq, BATCH)
            bench.app.trickle(other.number, count)
            drain.take(other.cons + count)
        second.end_point.close()
        start = other.sends(pattern(0, 50))
        got = group.receive(PATIENCE)
        # R-4.6.1-02, -04, -09
        check(got.data == msg.cdc(LAST, other.me.token, (0, 0), (0, 0), msg.F),
              f"{got} is no validation")
        got = group.receive()
        # R-4.3-02, R-4.6.1-04, R-A.4-06
        check(isinstance(got, msg.Cdc) and got.token == other.me.token and
              got.prod == msg.cursor(start + 50, ELEMENT) and got.seq == 1,
              f"{got}")
        # R-2.3-09
        check(other.element(start, 50) == pattern(0, 50), "wrong bytes written")
        deleted(group, second.number)
        group.send(group.reject_add(group.expect(msg.ADD_LINK)))
        echo(conn)


def cases():
    yield Case("sequence number 0 is lost", "R-4.6.1-02, R-4.6.1-04, "
               "R-4.6.1-09, R-A.4-06, R-2.3-09", _wraps, limit=900)
