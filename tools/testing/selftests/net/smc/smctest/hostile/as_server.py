# SPDX-License-Identifier: GPL-2.0
"""Attacks the victim's connect() as a hostile server."""

import contextlib
import errno
import socket
from concurrent.futures import ThreadPoolExecutor

from smctest import Failure, check, sockets, wire
from smctest.hostile.case import Case
from smctest.world import (DECLINED_BY_SERVER, LOST_BY_SERVER,
                              MALFORMED_BY_SERVER, PORT, SERVER_IS_DECLINED,
                              V4_NET, wait_until)

BANNER = b"SSH-2.0-OpenSSH_9.2p1 and so on, more than a header\r\n"


# -- instead of an Accept: connect() fails -------------------------------

def _at(at, new):
    return lambda me: wire.spoil(wire.accept(me), at, new)


NO_ACCEPT = (
    ("length 0", "R-A.2-06, R-C.6-01", _at(wire.AT_LENGTH, wire.be16(0))),
    ("length 7", "R-A.2-06, R-C.6-01", _at(wire.AT_LENGTH, wire.be16(7))),
    ("length 51", "R-A.2-06, R-C.6-01", _at(wire.AT_LENGTH, wire.be16(51))),
    ("length 67", "R-A.2.3-01", lambda me: wire.message(
        wire.ACCEPT, wire.accept(me)[8:-5], flags=wire.FLAG)),
    ("length 69", "R-A.2.3-01", lambda me: wire.message(
        wire.ACCEPT, wire.accept(me)[8:-4] + b"\0", flags=wire.FLAG)),
    ("length 65535", "R-A.2-06, R-C.6-01",
     _at(wire.AT_LENGTH, wire.be16(65535))),
    ("eye catcher wrong in front", "R-A.2-02", _at(0, b"\xe3")),
    ("eye catcher wrong behind", "R-A.2-02", _at(-2, b"\xc4")),
    ("SMC-D", "R-C.6-01", lambda me: wire.message(
        wire.ACCEPT, bytes(36), eye=wire.EYE_SMCD)),
    ("type 0", "R-A.2-07", _at(wire.AT_TYPE, b"\0")),
    ("type 5", "R-A.2-07", _at(wire.AT_TYPE, b"\5")),
    ("version 0", "R-A.2-03", _at(wire.AT_VERSION, b"\x08")),
    ("version 2 in answer to 1", "R-A.2-03", _at(wire.AT_VERSION, b"\x28")),
    ("index 0", "R-2.1-11", lambda me: wire.accept(me.but(index=0))),
    ("QP number 0", "R-A.2.3-12", lambda me: wire.accept(me.but(qpn=0))),
    ("Confirm", "R-3.2-02", wire.confirm),
    ("Proposal", "R-3.2-02", lambda me: wire.proposal(me, V4_NET)),
    ("Decline without trailer", "R-A.2-02",
     lambda me: wire.decline()[:-4] + bytes(4)),
    ("application data", "R-C.6-01", lambda me: BANNER),
)


def _refused(make):
    def run(world):
        with world.called() as call:
            call.tcp.sendall(make(world.me()))
            # R-C.6-01: rows of NO_ACCEPT
            call.expect_errno(errno.EPROTO)
            # R-C.6-01
            sockets.expect_gone(call.tcp)
    return run


def _refused_for_element(world):
    """On first contact, the element exceeds the end of the address space."""
    with world.called() as call:
        call.tcp.sendall(wire.accept(world.me().but(
            index=255, bsize=15, addr=(1 << 64) - (1 << 20))))
        # R-2.1-11
        call.expect_errno(errno.EPROTO)
        sockets.expect_gone(call.tcp)


# -- the victim declines -------------------------------------------------

def _declined(code, make, sync=False):
    """We send a Decline, after which the victim's application has a TCP
    connection."""
    def run(world):
        with world.called() as call:
            call.tcp.sendall(make(world))
            # R-A.2.3-09, R-C.4-01, -02, R-C.6-03, R-L-24
            sockets.expect_decline(call.tcp, code, sync)
            # R-C.4-01, R-C.6-03
            call.expect_tcp()
            info = call.socket_info()
            check(info["mode"] == "tcp" and info["reason"] == code,
                  f"the socket says {info}")
    return run


# -- we decline ----------------------------------------------------------

def _declines(data, version=1):
    """We send Decline and data in one segment; the socket shows the
    reasons."""
    def run(world):
        with world.called() as call:
            call.tcp.sendall(wire.decline(0x03030000, version=version) + data)
            # R-3.2-03, R-C.1-01, R-L-05
            call.expect_tcp(data)
            info = call.socket_info()
            # R-A.2.5-04
            check(info["mode"] == "tcp" and
                  info["reason"] == wire.PEER_DECLINED and
                  info["peer_reason"] == 0x03030000, f"the socket says {info}")
    return run


EARLY = 10      # it depends on time which one arrives first


def _declines_early(world):
    """Our Decline crosses the victim's Proposal."""
    for _ in range(EARLY):
        with world.called(read=False) as call:
            call.tcp.sendall(wire.decline() + b"early")
            call.expect_errno(0)
            # R-C.1-01
            sockets.expect(call.tcp, wire.PROPOSAL)
            call.expect_tcp(b"early")


def _declines_split(world):
    with world.called() as call:
        sockets.send_split(call.tcp, wire.decline())
        call.tcp.sendall(b"Z")
        # R-3.2-04
        call.expect_tcp(b"Z")


def _accepts_and_declines(split):
    """We send Accept, Decline and data: the server gives up during first
    contact."""
    def run(world):
        with world.called() as call:
            accept = wire.accept(world.me())
            if split:
                sockets.send_split(call.tcp, accept)
                sockets.expect(call.tcp, wire.CONFIRM)
                accept = b""
            call.tcp.sendall(accept + wire.decline() + b"late")
            if not split:
                sockets.expect(call.tcp, wire.CONFIRM)
            # R-3.2-04, R-C.2-05
            call.expect_tcp(b"late")
    return run


def _data_like_decline(world):
    data = wire.decline() + wire.accept(world.me())
    with world.called() as call:
        call.tcp.sendall(wire.decline() + data)
        # R-C.6-02
        call.expect_tcp(data)


# -- TCP ends at some step -----------------------------------------------

STEPS = ("before the Proposal is read", "after the Proposal", "in the Accept",
         "after the Accept")


def _leave(step, end):
    def run(world):
        with world.called(read=step != STEPS[0]) as call:
            if step == "in the Accept":
                call.tcp.sendall(wire.accept(world.me())[:30])
            if step == "after the Accept":
                call.tcp.sendall(wire.accept(world.me()))
                sockets.expect(call.tcp, wire.CONFIRM)
            end(call.tcp)
            call.tcp = None
            call.expect_errno(errno.ECONNRESET)
    return run


def _leave_by_fin(tcp):
    tcp.close()


SPIN = 0.2      # seconds, more than TCP's handshake takes


def _fin_with_syn(world):
    """Our FIN has arrived when the victim's worker sees that TCP is
    connected."""
    with sockets.option_listen(world.own) as listener, \
            ThreadPoolExecutor(1) as pool:
        spin = pool.submit(world.victim.connect_then_spin, world.own,
                           listener.getsockname()[1], SPIN)
        tcp, _ = listener.accept()
        with tcp:
            tcp.shutdown(socket.SHUT_WR)
            tcp.settimeout(sockets.PATIENCE)
            sockets.expect(tcp, wire.PROPOSAL)
            sockets.expect_gone(tcp)
        number = spin.result()
        code = wait_until(lambda: world.victim.so_error(number))
        check(code == errno.ECONNRESET, f"SO_ERROR {code}")
        world.victim.close(number)


# -- the victim's application gives up -----------------------------------

ABANDONED = ("at once", "after TCP's handshake", "after the Proposal",
             "during first contact", "after the Decline", "by shutdown")


def _may_propose(tcp):
    """The Proposal may leave before the close(), or not at all."""
    try:
        sockets.expect(tcp, wire.PROPOSAL)
    except Failure:
        with contextlib.suppress(ConnectionError):
            check(not tcp.recv(100), "something else than a Proposal")
    else:
        sockets.expect_gone(tcp)


def _abandoned(world, step):
    """The application closes a socket during a non-blocking connect(); TCP
    must end."""
    victim = world.victim
    with sockets.option_listen(world.own) as listener:
        port = listener.getsockname()[1]
        number = victim.connect_nonblock(world.own, port)
        if step == "at once":
            victim.close(number)
            return
        tcp, _ = listener.accept()
        with tcp:
            tcp.settimeout(sockets.PATIENCE)
            if step != "after TCP's handshake":
                sockets.expect(tcp, wire.PROPOSAL)
            if step == "during first contact":
                tcp.sendall(wire.accept(world.me()))
                sockets.expect(tcp, wire.CONFIRM)
            if step == "after the Decline":
                tcp.sendall(wire.decline())
                wait_until(lambda: any(
                    sock["dport"] == port and sock["mode"] == "tcp"
                    for sock in victim.sockets()))
            if step == "by shutdown":
                victim.shutdown(number)
            victim.close(number)
            if step == "after TCP's handshake":
                _may_propose(tcp)
            else:
                sockets.expect_gone(tcp)


def _all_abandoned(step):
    def run(world):
        for _ in range(5):
            _abandoned(world, step)
    return run


# -- the socket after a failure ------------------------------------------

def _again(world):
    """Checks that a socket whose connect() failed can connect again, as in TCP.
    The module does not count a connect() that TCP refuses as a failed
    handshake."""
    victim = world.victim
    with world.called() as call, socket.socket() as deaf:
        deaf.bind((world.own, 0))
        call.tcp.sendall(BANNER)
        call.expect_errno(errno.EPROTO)
        code = victim.again(call.number, world.own, deaf.getsockname()[1])
        check(code == errno.ECONNREFUSED, f"errno {code}, nobody listens")
        code = victim.again(call.number, "127.0.0.1", PORT)
        check(code == 0, f"errno {code}, a decent server")


def _so_error(world):
    """Checks that a non-blocking connect() reports its error once."""
    victim = world.victim
    with sockets.option_listen(world.own) as listener:
        number = victim.connect_nonblock(world.own, listener.getsockname()[1])
        tcp, _ = listener.accept()
        with tcp:
            tcp.settimeout(sockets.PATIENCE)
            sockets.expect(tcp, wire.PROPOSAL)
            tcp.sendall(BANNER)
            sockets.expect_gone(tcp)
        codes = [victim.so_error(number) for _ in range(2)]
        victim.close(number)
        check(codes == [errno.EPROTO, 0], f"SO_ERROR: {codes}")


def _corked(world):
    """Checks that TCP_CORK of the application does not delay the handshake."""
    with world.called(cork=True) as call:
        call.tcp.sendall(wire.decline())
        seconds = call.expect_errno(0)
        check(seconds < 3, f"took {seconds:.1f} s")


def _other_ulp(world):
    """Checks that after a fallback the module detaches the ULP, and does not
    attach it again."""
    with world.called() as call:
        call.tcp.sendall(wire.decline())
        call.expect_errno(0)
        victim = world.victim
        code = victim.set_ulp(call.number, "smc")
        check(code, "setsockopt(TCP_ULP, smc) on a fallen back socket")
        code = victim.set_ulp(call.number, "tls")
        check(code in (0, errno.ENOENT), f"TCP_ULP tls: errno {code}")
        code = victim.user_ulp("smc")
        check(code == errno.EOPNOTSUPP, f"TCP_ULP smc: errno {code}")


def _unknown_link(world, **changes):
    return wire.accept(world.me().but(**changes), first=False)


def cases():
    for name, ids, make in NO_ACCEPT:
        yield Case(f"connect: for an Accept: {name}", ids, _refused(make),
                   MALFORMED_BY_SERVER)
    yield Case("connect: element over the end of the address space",
               "R-2.1-11", _refused_for_element, MALFORMED_BY_SERVER)
    for mtu in (0, 6, 15):
        yield Case(f"connect: Accept with F and MTU {mtu}",
                   "R-C.6-03, R-A.2.3-09",
                   _declined(wire.CONFIG, lambda world, mtu=mtu: wire.accept(
                       world.me().but(mtu=mtu))), SERVER_IS_DECLINED)
    for name, changes in (("", {}), (", MTU 0", {"mtu": 0})):
        yield Case(f"connect: Accept for an unknown link{name}",
                   "R-C.4-01, R-C.4-02", _declined(
                       wire.OUT_OF_SYNC, lambda world, changes=changes:
                       _unknown_link(world, **changes), True),
                   SERVER_IS_DECLINED)
    yield from _decline_cases()
    for step in STEPS:
        for word, end in (("FIN", _leave_by_fin), ("RST", sockets.reset)):
            if (step, word) == (STEPS[3], "FIN"):
                continue    # the server may have closed before: R-L-18
            outcome = dict(LOST_BY_SERVER)
            if (step, word) == (STEPS[0], "RST"):
                # the reset may come before TCP's connect() has returned
                outcome["ClientHandshakeFailures"] = range(1 + 1)
            yield Case(f"connect: {word} {step}", "", _leave(step, end),
                       outcome)
    yield Case("connect: FIN before the worker runs", "", _fin_with_syn,
               LOST_BY_SERVER)
    yield from _socket_cases()


def _decline_cases():
    yield Case("connect: Decline", "R-C.1-01, R-A.2.5-04", _declines(b""),
               DECLINED_BY_SERVER)
    yield Case("connect: Decline and data in one segment", "R-3.2-03",
               _declines(b"data"), DECLINED_BY_SERVER)
    yield Case("connect: Decline of version 2 and data", "R-L-05",
               _declines(b"data", 2), DECLINED_BY_SERVER)
    yield Case("connect: Decline crosses the Proposal", "R-C.1-01",
               _declines_early,
               {name: EARLY * count
                for name, count in DECLINED_BY_SERVER.items()})
    yield Case("connect: Decline byte by byte", "R-3.2-04", _declines_split,
               DECLINED_BY_SERVER)
    yield Case("connect: Accept, Decline and data in one segment",
               "R-3.2-04, R-C.2-05", _accepts_and_declines(False),
               DECLINED_BY_SERVER)
    yield Case("connect: Accept byte by byte, Decline for the link",
               "R-3.2-04, R-C.2-05", _accepts_and_declines(True),
               DECLINED_BY_SERVER)
    yield Case("connect: data that looks like CLC", "R-C.6-02",
               _data_like_decline, DECLINED_BY_SERVER)


def _socket_cases():
    for step in ABANDONED:
        outcome = (DECLINED_BY_SERVER if step == "after the Decline" else
                   LOST_BY_SERVER)
        outcome = {name: 5 * count for name, count in outcome.items()}
        if step in ABANDONED[:2]:   # perhaps before SMC's handshake has begun
            outcome["ClientHandshakeFailures"] = range(5 + 1)
        yield Case(f"connect: closed {step}, 5 times", "",
                   _all_abandoned(step), outcome)
    yield Case("connect: the same socket after a failure", "", _again,
               {"ClcMalformed": 1, "ClientHandshakeFailures": 1,
                "ClientHandshakes": 1, "ServerHandshakes": 1, "Accepted": 1})
    yield Case("connect: SO_ERROR after garbage", "R-C.6-01", _so_error,
               MALFORMED_BY_SERVER)
    yield Case("connect: TCP_CORK set before", "", _corked,
               DECLINED_BY_SERVER)
    yield Case("connect: ULPs after fallback", "", _other_ulp,
               DECLINED_BY_SERVER)
