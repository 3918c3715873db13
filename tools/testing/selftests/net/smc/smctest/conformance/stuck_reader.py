# SPDX-License-Identifier: GPL-2.0
"""The end of a connection whose application still copies bytes out of the
element (RFC 7609 4.4.2)."""

from smctest import Skip, check
from smctest import messages as msg
from smctest.conformance.case import Case
from smctest.conformance.peer import ELEMENT, SERVER, echo


def _late_word(bench):
    """We answer the abort while the connection waits for the reader."""
    with bench.connected(SERVER) as (_, group):
        *_, neighbour, conn = [group.connect() for _ in range(3)]
        check(neighbour.theirs.rkey == conn.theirs.rkey,
              "the two elements are of different RMBs")
        place = conn.theirs.rkey, conn.theirs.index
        before = bench.app.stats()["ElementsQuarantined"]
        conn.data(b"unread")
        if not bench.app.stick(conn.number):
            raise Skip("no userfaultfd")
        conn.tell(prod=(0, ELEMENT))
        got = group.receive()
        check(got.ends & msg.A, f"{got} is no abort")
        conn.expect_gone(20)
        conn.tell(ends=msg.A)
        echo(neighbour)         # now the earlier message has arrived
        bench.app.unstick()
        bench.app.close(conn.number)
        conn.number = None
        conn.expect_tcp("RST")
        # R-4.4.2-01
        places = [(again.theirs.rkey, again.theirs.index)
                  for again in (group.connect() for _ in range(6))]
        check(place in places, "the element is lost")
        check(bench.app.stats()["ElementsQuarantined"] == before,
              "an element is quarantined")


def cases():
    yield Case("element after a word that finds a reader", "R-4.4.2-01",
               _late_word, expected={"CdcViolations": 1}, limit=60)
