# SPDX-License-Identifier: GPL-2.0
"""Tests conditions outside CLC: the TCP option, limits, SYN cookies, IPsec,
subnets, IPv6, VLANs."""

import contextlib
import errno
import ipaddress
import socket
import subprocess

from smctest import Skip, check, diag, sniff, sockets, wire
from smctest.hostile.case import Case
from smctest.world import (CLIENT_IS_DECLINED, DECLINED_BY_CLIENT, DEVICE,
                              GOOD, LOST_BY_CLIENT, PLAIN_CLIENT, PORT, PORT6,
                              SERVER_IS_DECLINED, V4_NET, V6_NET, add, moves,
                              wait_until)

IPSEC_PORT = 7002
CAP = 5
RNIC = "rxe0"
ROCE_PORT = 4791


# -- the option on the wire ----------------------------------------------

def _syn(wiretap, port):
    return wiretap.find(lambda s: s.flags == sniff.SYN and s.dport == port)


def _syn_ack(wiretap, port):
    return wiretap.find(lambda s: s.flags == sniff.SYN | sniff.ACK and
                        s.sport == port)


def _option_both_ways(where):
    with sniff.Sniffer() as wiretap:
        where.good()
        syn, answer = _syn(wiretap, PORT), _syn_ack(wiretap, PORT)
        later = [s for s in wiretap.segments if not s.flags & sniff.SYN and
                 sniff.shows_option(s)]
    # R-3.1-01, R-3.5.1.1-01, R-6-01, R-A.1-01
    check(syn and sniff.shows_option(syn), f"{syn}")
    # R-3.1-01, R-3.5.1.1-02
    check(answer and sniff.shows_option(answer), f"{answer}")
    # R-3.5.1.1-06
    check(not later, f"the option is on {later}")


def _plain_client(where):
    with sniff.Sniffer() as wiretap:
        with socket.create_connection((where.host, PORT), 5) as tcp:
            # R-3.1-02, R-3.5.1.6.4-01
            sockets.expect_echo(tcp)
            port = tcp.getsockname()[1]
            answer = _syn_ack(wiretap, PORT)
            heard = wiretap.stream(PORT, port)
    # R-3.5.1.1-04
    check(answer and not sniff.shows_option(answer), f"{answer}")
    # R-3.1-02, R-3.5.1.6.4-01
    check(heard == b"hello", f"{heard} was answered")


def _call_plain(where, with_option, stack):
    """The victim connects to a plain TCP server, and must send no byte by
    itself."""
    wiretap = stack.enter_context(sniff.Sniffer())
    listener = stack.enter_context(socket.create_server((where.own, 0)))
    port = listener.getsockname()[1]
    number = where.victim.connect(where.own, port)
    tcp = stack.enter_context(listener.accept()[0])
    tcp.settimeout(sockets.PATIENCE)
    result = wait_until(lambda: where.victim.outcome(number))
    check(result and result[0] == 0, f"connect(): {result}")
    where.victim.send(number, b"first words".hex())
    got = sockets.read(tcp, 11)
    where.victim.close(number)
    # R-3.1-02
    check(got == b"first words", f"{got!r} came")
    syn = _syn(wiretap, port)
    check(syn and sniff.shows_option(syn) == with_option, f"{syn}")


def _plain_server(where):
    with contextlib.ExitStack() as stack:
        _call_plain(where, True, stack)


# TCP of the kernel accepts any option length from 6 on; the module cannot
# change that.
ODD_OPTIONS = (
    ("as it should be", wire.OPTION, True),
    ("another ExID", bytes.fromhex("fe06e2d4c3c4"), False),
    ("ExID in ASCII", b"\xfe\x06SMCR", False),
    ("length 5", bytes.fromhex("fe05e2d4c3"), False),
    ("kind 253", bytes.fromhex("fd06e2d4c3d9"), False),
    # With TCP-AO the kernel itself drops a SYN that has five bytes or more left.
    ("length beyond the header", bytes.fromhex("01010101fe06e2d4"), False),
)


def _odd_option(number, option, offered):
    """Returns the answer to a SYN; this host then resets the unknown
    connection."""
    def run(where):
        port = 20000 + number   # not an ephemeral port: some are in use
        with sniff.Sniffer() as wiretap:
            sniff.send(where.own, where.host, sniff.Segment(
                port, PORT, 1000, 0, sniff.SYN, option, b""))
            answer = wiretap.find(lambda s: s.dport == port and
                                  s.flags == sniff.SYN | sniff.ACK)
        check(answer, "no SYN-ACK")
        # R-3.1-03
        check(sniff.shows_option(answer) == offered, f"{answer}")
    return run


def _option_cases():
    yield Case("option: on SYN and SYN-ACK, not on later segments",
               "R-3.1-01, R-3.5.1.1-01, R-3.5.1.1-02, R-3.5.1.1-06, "
               "R-A.1-01, R-6-01",
               _option_both_ways, GOOD)
    yield Case("option: plain client", "R-3.1-02, R-3.5.1.1-04, "
               "R-3.5.1.6.4-01", _plain_client,
               PLAIN_CLIENT)
    yield Case("option: plain server", "R-3.1-02", _plain_server,
               moves("ClientFallbacks"))
    for number, (name, option, offered) in enumerate(ODD_OPTIONS):
        yield Case(f"option: {name}", "R-3.1-03",
                   _odd_option(number, option, offered))


# -- both hosts have SMC, but the option is missing -----------------------

def _expect_plain(where):
    """Checks that a decent client gets TCP, because the SYN-ACK already lacks
    the option."""
    with sniff.Sniffer() as wiretap:
        where.good()
        answer = _syn_ack(wiretap, PORT)
    check(answer and not sniff.shows_option(answer), f"{answer}")


def _cookies(where):
    with where.sysctl("net.ipv4.tcp_syncookies", 2):
        # R-3.5.1.1-07
        _expect_plain(where)
        with where.dial() as tcp:   # a Proposal is application data now
            # R-3.5.1.1-07
            sockets.expect_echo(tcp, where.proposal())


@contextlib.contextmanager
def _mutes(where, count):
    """Opens silent clients with the option; continues when the victim has
    counted them."""
    with contextlib.ExitStack() as stack:
        ports = {stack.enter_context(where.dial()).getsockname()[1]
                 for _ in range(count)}
        check(wait_until(lambda: ports <= {
            sock["dport"] for sock in where.sockets_of(PORT)}),
              "the handshakes do not begin")
        yield


def _cap_of_listener(where):
    with where.sysctl("net.smc.hs_max_listener", CAP), _mutes(where, CAP):
        _expect_plain(where)
        where.good(where.host6)     # another listener
    _until_gone(where)


def _cap_of_namespace(where):
    with where.sysctl("net.smc.hs_max_net", CAP), _mutes(where, CAP):
        _expect_plain(where)
        with contextlib.ExitStack() as stack:
            _call_plain(where, False, stack)
    _until_gone(where)


def _until_gone(where):
    check(wait_until(lambda: not where.sockets_of(PORT)),
          "the mute clients do not go")


def _cap_cases():
    over = moves("HandshakesOverCap")
    mutes = {name: CAP * value for name, value in LOST_BY_CLIENT.items()}
    yield Case("SYN cookies: TCP", "R-3.5.1.1-07", _cookies,
               add(PLAIN_CLIENT, PLAIN_CLIENT))
    yield Case("cap: pending handshakes of a listener", "",
               _cap_of_listener, add(mutes, over, PLAIN_CLIENT, GOOD))
    yield Case("cap: pending handshakes of a namespace", "",
               _cap_of_namespace, add(mutes, over, PLAIN_CLIENT, over,
                                      moves("ClientFallbacks")))


# -- addresses -----------------------------------------------------------

def _ip(*words):
    done = subprocess.run(["ip", *words], check=False, capture_output=True,
                          encoding="utf-8")
    return [done.returncode, done.stdout + done.stderr]


def _both(where, stack, add_words, del_words):
    """Runs ip ... with different arguments on each host, and undoes it at the
    end."""
    for run, word in ((lambda *w: where.victim.run("ip", *w), "1"),
                      (_ip, "2")):
        own = [w.replace("#", word) for w in add_words]
        status, out = run(*own)
        if status:
            raise Skip(f"ip {' '.join(own)}: {out.strip()}")
        stack.callback(run, *[w.replace("#", word) for w in del_words])


def _peer_reason(host, port):
    """Returns the fallback reasons of this host's own sockets to a port."""
    return [(s["reason"], s["peer_reason"]) for s in diag.sockets()
            if s["dport"] == port]


def _all_closed(where):
    """Without this wait, an address disappears while TCP closes its
    connections, which then remain."""
    wait_until(lambda: not where.victim.tcp_sockets())


def _subnets_differ(where):
    """Adds two addresses that reach each other, with different netmasks."""
    with contextlib.ExitStack() as stack:
        victim = ("10.79.0.1/16", "dev", DEVICE)
        status, out = where.victim.run("ip", "addr", "add", *victim)
        check(not status, out)
        stack.callback(where.victim.run, "ip", "addr", "del", *victim)
        own = ("10.79.0.2/24", "dev", DEVICE)
        status, out = _ip("addr", "add", *own)
        check(not status, out)
        stack.callback(_ip, "addr", "del", *own)
        stack.callback(_all_closed, where)
        with sockets.smc_socket("10.79.0.1") as sock:
            sockets.smc_connect(sock, "10.79.0.1", PORT)
            sock.settimeout(sockets.PATIENCE)
            sockets.expect_echo(sock)
            wanted = [(wire.PEER_DECLINED, wire.SUBNET)]
            # Connections of earlier cases may still be closing.
            wait_until(lambda: _peer_reason("10.79.0.1", PORT) == wanted)
            reasons = _peer_reason("10.79.0.1", PORT)
        # R-3.5.1.2-06, R-5.2-01
        check(reasons == wanted, f"{reasons}")


def _prefixes(code, *prefixes):
    """Sends a Proposal with these prefixes over IPv6; code: code of the
    Decline, or None."""
    def run(where):
        with where.dial(where.host6) as tcp:
            tcp.sendall(wire.proposal(where.me(), prefixes=prefixes))
            if code:
                # R-3.5.1.2-07
                sockets.expect_decline(tcp, code)
            else:
                # R-3.5.1.2-07
                sockets.expect(tcp, wire.ACCEPT)
                tcp.sendall(wire.decline())
            sockets.expect_echo(tcp)
    return run


def _v4_subnet_over_v6(where):
    with where.dial(where.host6) as tcp:
        tcp.sendall(wire.proposal(where.me(), V4_NET))
        # R-3.5.1.2-07
        sockets.expect_decline(tcp, wire.SUBNET)
        sockets.expect_echo(tcp)


def _ten_addresses(where):
    """The victim has more prefixes than a Proposal may list."""
    with contextlib.ExitStack() as stack:
        for number in range(10):
            words = (f"fd90:{number}::1/64", "dev", DEVICE)
            status, out = where.victim.run("ip", "addr", "add", *words,
                                           "nodad")
            check(not status, out)
            stack.callback(where.victim.run, "ip", "addr", "del", *words)
        with where.called(where.own6) as call:
            proposal = call.proposal
            call.tcp.sendall(wire.decline())
            call.expect_tcp()
    prefixes = proposal.prefixes
    # R-A.2.2-02, -12
    check(len(prefixes) == 8 == len(set(prefixes)) and
          len(proposal.data) == 52 + 8 * wire.PREFIX_LEN, f"{proposal}")
    # R-A.2.2-07
    check(proposal.data[wire.AT_NET:wire.AT_COUNT] == bytes(7), f"{proposal}")
    known = [ipaddress.IPv6Network(V6_NET)] + [
        ipaddress.IPv6Network(f"fd90:{n}::/64") for n in range(10)]
    # R-3.5.1.2-02
    check(set(prefixes) <= set(known), f"{prefixes}")


def _good_at(host, port=None):
    return lambda where: where.good(host or where.host6, port)


def _vlan_gids(where):
    """Have both RNICs GIDs for the VLAN? The GIDs appear some time after the
    addresses."""
    look = f"cat /sys/class/infiniband/{RNIC}/ports/1/gids/* 2> /dev/null"
    return ("0a51:0001" in where.victim.run("sh", "-c", look)[1] and
            "0a51:0002" in subprocess.getoutput(look))


@contextlib.contextmanager
def _roce(name, source):
    """Returns a function that lists the TTL of each RoCE packet from that
    address over that device since the call."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                       socket.htons(sniff.ETH_P_IP)) as sock:
        sock.bind((name, sniff.ETH_P_IP))
        sock.setblocking(False)

        def read():
            found = []
            with contextlib.suppress(BlockingIOError):
                while True:
                    packet = sock.recv(100)
                    if packet[9] == socket.IPPROTO_UDP and \
                       packet[12:16] == socket.inet_aton(source) and \
                       packet[22:24] == wire.be16(ROCE_PORT):
                        found.append(packet[8])
            return found

        yield read


def _vlan(where):
    """Returns the RNIC's GID of that VLAN, and a separate group."""
    name = f"{DEVICE}.77"
    with contextlib.ExitStack() as stack:
        _both(where, stack, ("link", "add", "link", DEVICE, "name", name,
                             "type", "vlan", "id", "77"),
              ("link", "del", name))
        _both(where, stack, ("addr", "add", "10.81.0.#/24", "dev", name),
              ("addr", "flush", "dev", name))
        _both(where, stack, ("link", "set", name, "up"),
              ("link", "set", name, "down"))
        stack.callback(_all_closed, where)
        check(wait_until(lambda: _vlan_gids(where)), "no GID for the VLAN")
        before = where.victim.stats()["FirstContacts"]
        with _roce(name, "10.81.0.1") as read:
            where.good("10.81.0.1", PORT)
            hops = read()
        after = where.victim.stats()["FirstContacts"]
        # R-1.2-03, R-2-02, R-2.2-02, -03, R-3.5.1.2-05
        check(after == before + 1, "the VLAN shares a group with the LAN")
        # R-2-02, R-5.1-01
        check(hops, "nothing went over the VLAN")
        # R-1.2-03
        check(set(hops) == {1}, f"it may be routed: TTLs {set(hops)}")


GUARD = "smc_guard"


def _filtered(where):
    """Checks that a packet filter that refuses the port also refuses SMC
    sockets."""
    def nft(*words):
        return where.victim.run("nft", *words)

    status, said = nft("add", "table", "ip", GUARD)
    if status:
        raise Skip(f"no nftables here: {said.strip()}")
    try:
        for words in (("chain", "ip", GUARD, "input",
                       "{ type filter hook input priority 0 ; }"),
                      ("rule", "ip", GUARD, "input", "tcp", "dport", str(PORT),
                       "tcp", "flags", "syn", "reject", "with", "tcp",
                       "reset")):
            status, said = nft("add", *words)
            check(not status, said)
        with sockets.smc_socket(where.host) as sock:
            try:
                sockets.smc_connect(sock, where.host, PORT)
                code = 0
            except OSError as err:
                code = err.errno
        # R-1.1-09, R-5.3-01
        check(code == errno.ECONNREFUSED, f"connect(): errno {code}")
    finally:
        nft("delete", "table", "ip", GUARD)
    where.good()


def _address_cases():
    nets = [f"fd78:{n}::/64" for n in range(7)]
    yield Case("subnet: masks differ", "R-3.5.1.2-06, R-5.2-01", _subnets_differ,
               CLIENT_IS_DECLINED)
    yield Case("IPv6: decent client", "R-3.5.1.2-07", _good_at(None), GOOD)
    yield Case("IPv6: IPv4-mapped", "", _good_at("::ffff:10.77.0.1", PORT6),
               GOOD)
    yield Case("IPv6: one prefix", "R-3.5.1.2-07", _prefixes(None, V6_NET),
               DECLINED_BY_CLIENT)
    yield Case("IPv6: only the 8th prefix is common", "R-3.5.1.2-07",
               _prefixes(None, *nets, V6_NET), DECLINED_BY_CLIENT)
    yield Case("IPv6: no common prefix", "R-3.5.1.2-07",
               _prefixes(wire.SUBNET, *nets), CLIENT_IS_DECLINED)
    yield Case("IPv6: prefix of another length", "R-3.5.1.2-07",
               _prefixes(wire.SUBNET, "fd77::/48"), CLIENT_IS_DECLINED)
    yield Case("IPv6: no prefix", "R-3.5.1.2-07", _prefixes(wire.SUBNET),
               CLIENT_IS_DECLINED)
    yield Case("IPv6: IPv4 subnet over IPv6", "R-3.5.1.2-07",
               _v4_subnet_over_v6, CLIENT_IS_DECLINED)
    yield Case("IPv6: more prefixes than fit", "R-A.2.2-02, R-A.2.2-07, "
               "R-A.2.2-12", _ten_addresses,
               moves("DeclinesReceived", "ClientFallbacks"))
    yield Case("VLAN", "R-2.2-03, R-5.1-01", _vlan, GOOD)
    yield Case("filter: SYN rejected", "R-5.3-01", _filtered, GOOD)


# -- IPsec ---------------------------------------------------------------

def _esp(src, dst, port, number):
    """One direction: (state, policy) as arguments of ip xfrm."""
    ids = ("src", src, "dst", dst, "proto", "esp", "spi", str(0x7700 + number))
    keys = ("mode", "transport", "aead", "rfc4106(gcm(aes))",
            "0x" + "17" * 20, "128")
    select = ("src", f"{src}/32", "dst", f"{dst}/32", "proto", "tcp", *port)
    use = ("tmpl", "src", src, "dst", dst, "proto", "esp", "mode",
           "transport")
    return (ids, keys), (select, use)


def _ipsec(where, stack, server, client):
    """Sets up ESP for one port of the server, in both directions, with
    arbitrary keys."""
    ports = (client, server, ("dport", str(IPSEC_PORT))), (
        server, client, ("sport", str(IPSEC_PORT)))
    hosts = ((where.own, _ip),
             (where.host, lambda *words: where.victim.run("ip", *words)))
    for number, (src, dst, port) in enumerate(ports):
        (ids, keys), (select, use) = _esp(src, dst, port, number)
        for host, run in hosts:
            way = ("dir", "out" if host == src else "in")
            for kind, name, rest in (("state", ids, keys),
                                     ("policy", (*select, *way), use)):
                status, out = run("xfrm", kind, "add", *name, *rest)
                if status:
                    raise Skip(f"no IPsec here: {out.strip()}")
                stack.callback(run, "xfrm", kind, "del", *name)


def _nothing_in_the_clear(wiretap):
    seen = [s for s in wiretap.read() if IPSEC_PORT in (s.sport, s.dport)]
    check(not seen, f"TCP in the clear: {seen[:1]}")


def _ipsec_listener(where):
    """A decent client declines, and the victim declines a Proposal."""
    with contextlib.ExitStack() as stack:
        listener = where.victim.listen(where.host, IPSEC_PORT)
        stack.callback(where.victim.unlisten, listener)
        _ipsec(where, stack, where.host, where.own)
        with sniff.Sniffer() as wiretap:
            where.good(where.host, IPSEC_PORT)
            # R-5.5-01
            _nothing_in_the_clear(wiretap)
        with where.dial(port=IPSEC_PORT) as tcp:
            tcp.sendall(where.proposal())
            # R-5.5-01
            sockets.expect_decline(tcp, wire.IPSEC)
            sockets.expect_echo(tcp)


def _ipsec_connect(where):
    """Checks that the victim declines instead of sending a Proposal."""
    with contextlib.ExitStack() as stack:
        _ipsec(where, stack, where.own, where.host)
        wiretap = stack.enter_context(sniff.Sniffer())
        with where.called(read=False, port=IPSEC_PORT) as call:
            # R-5.5-01
            sockets.expect_decline(call.tcp, wire.IPSEC)
            call.expect_tcp()
            info = call.socket_info()
            check(info["mode"] == "tcp" and info["reason"] == wire.IPSEC,
                  f"the socket says {info}")
        _nothing_in_the_clear(wiretap)


def cases():
    yield from _option_cases()
    yield from _cap_cases()
    yield from _address_cases()
    # The kernel may first look for modules of each cipher.
    yield Case("IPsec: client", "R-5.5-01", _ipsec_listener,
               add(DECLINED_BY_CLIENT, CLIENT_IS_DECLINED), limit=90)
    yield Case("IPsec: server", "R-5.5-01", _ipsec_connect,
               SERVER_IS_DECLINED, limit=90)
