# SPDX-License-Identifier: GPL-2.0
"""Tests elements that start with an eye catcher (RFC 7609 4.2), as
net.smc.smcr_eyecatcher makes them."""

from smctest import check, sockets
from smctest.conformance.case import both
from smctest.conformance.decline import EYE_CATCHER, on_tcp
from smctest.conformance.peer import ELEMENT, SERVER, echo, pattern

EYE = 4                 # bytes
SETTING = "net.smc.smcr_eyecatcher"


def _data(bench, module):
    """The data goes around both elements several times, and the eye catchers
    stay."""
    with bench.sysctl(SETTING, 1):
        conn, group = bench.connect(module, eye=EYE)
    own = (conn.me.index - 1) * ELEMENT
    ours = bytes(range(EYE))
    group.end_point.rmb.write(ours, EYE, own)
    for _ in range(10):
        # R-4.2-02, R-4.3-04
        echo(conn, 6000)
        # R-4.2-02, R-4.4.1-04
        check(group.end_point.rmb.read(EYE, own) == ours,
              "our eye catcher was written over")
    at = conn.sends(pattern(0, 100))
    # R-4.3-04
    conn.expect(prod=at + 100, cons=conn.prod)
    conn.cons += 100


def _damaged(bench, module):
    """The peer writes over the eye catcher."""
    with bench.sysctl(SETTING, 1):
        conn, group = bench.connect(module, eye=EYE)
        other = group.connect()
    echo(conn)
    conn.write_at(0, b"X")
    conn.data(b"more")
    # R-4.2-03, R-4.4.1-06
    conn.expect_abort()
    echo(other)


def _other_wish(bench, module):
    """The module uses eye catchers, and the peer does not."""
    with bench.sysctl(SETTING, 1):
        conn, group = bench.contact(module)
        conn.rendezvous()
        if module == SERVER:
            group.eye = EYE
            group.confirmed()
            group.eye = 0
        else:
            group.number = 1
        group.send(group.confirm_link())
        # R-L-06
        sockets.expect_decline(conn.tcp, EYE_CATCHER)
    group.gone = True
    on_tcp(conn)


def cases():
    yield from both("eye catchers: data", "R-4.2-02, R-4.3-04, R-4.4.1-04",
                    _data)
    yield from both("eye catchers: damaged", "R-4.2-03, R-4.4.1-06", _damaged,
                    expected={"CdcViolations": 1})
    yield from both("eye catchers: only one side wants them", "R-L-06",
                    _other_wish)
