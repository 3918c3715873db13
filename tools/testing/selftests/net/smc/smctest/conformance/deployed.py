# SPDX-License-Identifier: GPL-2.0
"""Deployed peers behave in ways that the RFC does not describe. These tests
check the reactions of the module."""

from smctest import check
from smctest import messages as msg
from smctest.conformance.case import both
from smctest.conformance.links import two_links
from smctest.conformance.peer import ELEMENT, PATIENCE, echo, pattern
from smctest.conformance.two_links import moves, told


def _half_open(bench, module):
    """We close and revoke the RMB of a connection that the application still
    has open. The RFC allows this, because the module does not write to the RMB
    any more. close() works normally."""
    with bench.connected(module) as (first, group):
        mine = group.end_point.region(ELEMENT)
        group.send(msg.confirm_rkey(mine.rkey, mine.buf))
        group.expect_bytes(msg.confirm_rkey(mine.rkey, mine.buf,
                                            flags=msg.REPLY))
        conn = group.contact()
        conn.me = conn.me.but(rkey=mine.rkey, addr=mine.buf, index=1)
        conn.rendezvous()
        conn.take()
        conn.sends(pattern(0, 50))
        conn.expect(prod=50)
        check(mine.read(50, 0) == pattern(0, 50), "not in that RMB")
        conn.cons = 50
        conn.tell(ends=msg.C)
        check(bench.app.read(conn.number, 10) == "", "no end of file")
        group.send(msg.delete_rkey([mine.rkey]))
        # R-L-16
        group.expect_bytes(msg.delete_rkey([mine.rkey], msg.REPLY))
        mine.close()        # a write to the RMB would end the link
        bench.app.write(conn.number, pattern(50, 70).hex())
        # R-L-16
        group.alive()
        bench.app.close(conn.number)
        conn.number = None
        # R-L-16
        conn.expect(prod=50, cons=0, ends=msg.C)
        conn.expect_gone()
        group.alive()
        echo(first)


def _key_again(bench, module):
    """We delete a key, and then use the same key value for another RMB. This
    RMB has another address, and another key on the other link."""
    with two_links(bench, module) as (conn, group, second):
        key = second.end_point.region(2 * ELEMENT)
        old, new = (group.end_point.region(ELEMENT) for _ in range(2))
        told(second, key.rkey, key.buf, [(group.number, old.rkey, old.buf)])
        second.send(msg.delete_rkey([key.rkey]))
        got = second.expect(msg.DELETE_RKEY)
        check(got.data == msg.delete_rkey([key.rkey], msg.REPLY), f"{got}")
        told(second, key.rkey, key.buf + ELEMENT,
             [(group.number, new.rkey, new.buf)])
        other = second.carried(rkey=key.rkey, addr=key.buf + ELEMENT, index=1)
        other.sends(pattern(0, 50))
        check(second.end_point.receive() is not None, "no message")
        # R-L-17
        check(key.read(50, ELEMENT) == pattern(0, 50), "not at the new address")
        # R-L-17
        check(not any(key.read(ELEMENT, 0)), "at the old address")
        moves(group, second, other, new)
        # R-L-17
        check(not any(old.read(ELEMENT, 0)), "by the old key")
        echo(conn)


def _nothing_said(group):
    group.send(msg.test_link(b""))
    # R-L-20
    group.expect_bytes(msg.test_link(b"", msg.REPLY))


def _zeros(bench, module):
    """We repeat TEST LINK with zeros, even while the module waits for the
    answer to its own TEST LINK. The module answers each of them, and does not
    mistake our request for the answer to its own."""
    with bench.sysctl("net.smc.smcr_testlink_time", 1):
        conn, group = bench.connect(module)
    for _ in range(2):
        group.serves.discard(msg.TEST_LINK)
        asked = group.expect(msg.TEST_LINK, PATIENCE)
        check(any(asked.data[4:20]), "zeros, as anybody might say")
        _nothing_said(group)
        group.answer(asked)
        for _ in range(3):
            _nothing_said(group)
    echo(conn)
    group.end()


def cases():
    yield from both("DELETE RKEY of a connection half open", "R-L-16",
                    _half_open)
    yield from both("key deleted and told again", "R-L-17", _key_again)
    yield from both("TEST LINK of zeros", "R-L-20", _zeros)
