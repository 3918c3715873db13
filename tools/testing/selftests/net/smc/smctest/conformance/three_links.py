# SPDX-License-Identifier: GPL-2.0
"""Tests of three links. More are not possible, because one message has room
for the keys of an RMB on three links (RFC 7609 2.2.2, 2.3, 3.5.5.1, 3.5.5.2,
4.6, A.3.5).

Each host has three adapters, on three networks. The first adapters make the
first contact.
"""

import contextlib
import time

from smctest import check, world
from smctest import verbs
from smctest import messages as msg
from smctest.conformance.adapter import coming, ready
from smctest.conformance.case import Case, both
from smctest.conformance.links import (LateOffer, Offer, Second, address,
                                       announce, gid_of, is_validation, notice,
                                       over)
from smctest.conformance.peer import (CLIENT, ELEMENT, PATIENCE, QUIET, SERVER,
                                      SPARE, echo, pattern)
from smctest.world import wait_until

LINKS = 3
THEIRS = {gid_of(f"10.77.{number}.1"): number for number in (1, 2)}
LATE = 90       # seconds until an idle RMB is freed


# -- adapters ---------------------------------------------------------------

def _come(bench, number):
    """Adds this adapter, and waits until it has its address."""
    name = f"rxe{number}"
    bench.app.run("rdma", "link", "delete", name)
    check(wait_until(lambda: not bench.app.run(
        "rdma", "link", "add", name, "type", "rxe", "netdev",
        f"eth{number}")[0], PATIENCE), f"{name} does not come")
    ready(bench, number)


@contextlib.contextmanager
def _leaving(bench):
    """Removes the added adapters."""
    try:
        yield
    finally:
        for group in list(bench.groups):
            group.end()         # the module deletes the link without asking us
        for number in (1, 2):
            bench.app.run("rdma", "link", "delete", f"rxe{number}")


@contextlib.contextmanager
def _adapters(bench):
    with _leaving(bench):
        for number in (1, 2):
            _come(bench, number)
        yield


def _nic(number):
    return verbs.Nic(gid_of(f"10.77.{number}.2"), f"rxe{number}")


# -- links ------------------------------------------------------------------

def _pairs(got, link):
    """Returns {old key: (new key, new address)} of an ADD LINK CONTINUATION,
    and the number of keys that were left before it."""
    check(got.data[4] == link.number, f"{got}")
    return got.data[5], {
        got.number(at, 4): (got.number(at + 4, 4), got.number(at + 8, 8))
        for at in (8, 24)[:got.data[5]]}


def _exchange(group, link, spares=()):
    """Sends our keys, two per message, and receives the module's key for each
    of its RMBs: link.keys. We send the key of the RMB in use, and the keys of
    the spare RMBs: pairs of (key on the first link, key on this link)."""
    ours = [(group.me.rkey, link.me.rkey, link.me.addr),
            *((old, new, 0) for old, new in spares)]
    flags = msg.REPLY if group.module == SERVER else 0
    link.keys, left = {}, 3
    while ours or left > 2:
        if group.module == CLIENT:
            group.send(msg.add_link_cont(link.number, len(ours), ours[:2]))
        # R-3.5.5.2.3-02
        left, keys = _pairs(group.expect(msg.ADD_LINK_CONT), link)
        link.keys.update(keys)
        if group.module == SERVER:
            group.send(msg.add_link_cont(link.number, len(ours), ours[:2],
                                         flags))
        ours = ours[2:]
        if ours:
            time.sleep(1)       # the module waits twice as long
    rkey, addr = link.keys[group.theirs.rkey]
    link.theirs = link.theirs.but(rkey=rkey, addr=addr)


def _offered(group):
    """Returns the module's next offer, which may use either of its other
    adapters."""
    add = group.expect(msg.ADD_LINK, PATIENCE)
    number = THEIRS.get(add.data[12:28])
    # R-3.5.1.6-02
    check(number, f"{add} is of another adapter")
    return Second(group, add, _nic(number))


def _added(group, number):
    """Adds a link with this number; the module offers it, or we do."""
    if group.module == SERVER:
        link = _offered(group)
    else:
        link = Offer(group, number, _nic((number - 2) % 2 + 1))
    device = f"eth{link.nic.device[-1]}"
    link.me = link.me.but(mac=world.own_mac(device))
    if group.module == SERVER:
        link.accept()
        _exchange(group, link)
        link.asked()
        link.confirm(LINKS)
    else:
        # R-3.5.1.6.1-03
        link.offer(gid_of(f"10.77.{link.nic.device[-1]}.1"))
        _exchange(group, link)
        link.confirm(LINKS)
        link.confirmed()
    return link


def _stated(got):
    check(got.data[34] == LINKS, f"{got} states {got.data[34]} links")


@contextlib.contextmanager
def _three(bench, module):
    """Yields (connection, group, second link, third link). The module allows
    at most three links. The connection does not wait for the third link."""
    with _adapters(bench):
        conn, group = bench.contact(module)
        conn.rendezvous()
        if module == SERVER:
            _stated(group.confirmed())
            group.send(group.confirm_link(links=LINKS))
        else:
            group.number = 1
            group.send(group.confirm_link(links=8))
            _stated(group.confirmed())
        second = _added(group, 2)
        conn.take()
        third = _added(group, 3)
        # R-2.2.2-02, R-2.2.4-04
        check(wait_until(lambda: bench.app.groups() == ["symmetric"]),
              f"groups are {bench.app.groups()}")
        yield conn, group, second, third


def _given_up(group, link, conn):
    """We report a link as failed. The connection of that link moves to the
    first link, and the link is deleted. The module may repeat data that we
    have received, if it does not know of the delivery."""
    group.send(msg.delete_link(link.number, msg.LOST_PATH))
    data, word, count = [], [], 1
    while len(data) < count or not word:
        got = group.receive(PATIENCE)
        (data if isinstance(got, msg.Cdc) else word).append(got)
        if data and data[0].seq != conn.their_seq:
            count = 2
    check(len(data) == count and len(word) == 1 and
          word[0].kind == msg.DELETE_LINK and
          word[0].data[4] == link.number and
          bool(word[0].flags & msg.REPLY) == (group.module == CLIENT),
          f"{data}, {word}")
    # R-2.3-03, R-4.6.1-09
    is_validation(data[0], conn, conn.their_seq - (count - 1))
    if count > 1:
        conn.their_seq += 1
        check(data[1].token == conn.me.token and not data[1].flags and
              data[1].seq == conn.their_seq, f"{data[1]}")
    if group.module == SERVER:
        group.send(msg.delete_link(link.number, 0, msg.REPLY))


def _refuse(group, count):
    """Receives the server's next offers, if the module is the server."""
    for _ in range(count if group.module == SERVER else 0):
        group.send(group.reject_add(group.expect(msg.ADD_LINK, PATIENCE)))


# -- keys -------------------------------------------------------------------

def _listed(asked):
    """Returns {link number: (key, address)} of a CONFIRM RKEY; the number None
    is the link that carries the message."""
    return {None if at == 4 else asked.data[at]:
            (asked.number(at + 1, 4), asked.number(at + 5, 8))
            for at in range(4, 17 + 13 * asked.data[4], 13)}


def _go_back(conn, link):
    """Returns the connection's key on the first link, from the announcement of
    the RMB."""
    for asked in conn.group.served:
        if asked.kind == msg.CONFIRM_RKEY:
            keys = _listed(asked)
            if keys[link.number][0] == conn.theirs.rkey:
                rkey, addr = keys[None]
                conn.theirs = conn.theirs.but(rkey=rkey, addr=addr)
                return
    check(False, "the RMB was not announced for three links")


def _go_over(conn, link):
    """Sets the key of the connection on a link that was added later."""
    rkey, addr = link.keys[conn.theirs.rkey]
    conn.theirs = conn.theirs.but(rkey=rkey, addr=addr)


# -- cases ------------------------------------------------------------------

def _no_fourth(bench, module):
    """The group has three links: the server offers no fourth link, and the
    client accepts none."""
    with address(), _three(bench, module) as (conn, group, *_):
        if module == SERVER:
            notice(group)
        else:
            fourth = Offer(group, 4)
            fourth.ask()
            got = group.expect(msg.ADD_LINK)
            # R-2.2.2-07, R-3.5.5.1.2-03
            check(got.flags == msg.REPLY | msg.ADD_REJECT and
                  got.byte2 == msg.NO_PATH and
                  got.data[31] == fourth.number, f"{got}")
        group.alive()
        # R-2.2.2-04, -10
        group.quiet()
        echo(conn)


def _keys(bench, module):
    """A new RMB of the module has a key on each link. One message announces
    all keys, and each key works. DELETE RKEY names one of these keys."""
    with _three(bench, module) as (conn, group, second, third):
        group.serves -= {msg.CONFIRM_RKEY, msg.DELETE_RKEY}
        other = group.contact()
        other.propose()
        if module == CLIENT:
            other.accept()
        asked = group.expect(msg.CONFIRM_RKEY)
        keys = _listed(asked)
        # R-3.5.5.2-02, R-3.5.5.2.1-01
        check(list(keys) == [None, second.number, third.number],
              f"{asked} is of links {list(keys)}")
        # R-A.3.5-02, -03
        check(asked.data == msg.confirm_rkey(
            *keys[None], [(number, *keys[number])
                          for number in (second.number, third.number)]),
              f"{asked}")
        for link, number in ((group, None), (second, second.number),
                             (third, third.number)):
            # R-3.5.5.2-01
            link.end_point.write(b"mine", *keys[number])
        group.answer(asked)
        if module == SERVER:
            other.accepted()
            check((other.theirs.rkey, other.theirs.addr) in keys.values(),
                  f"{other.theirs}")
        else:
            other.confirmed()
        other.leave()
        gone = group.receive(LATE)
        while isinstance(gone, msg.Cdc):    # the last messages of its connection
            gone = group.receive(LATE)
        # R-3.5.5.2.2-05, R-A.3.7-01, -02
        check(gone.data == msg.delete_rkey([keys[None][0]]), f"{gone}")
        # the module answers our requests at once when they cross its own
        # R-3.5.5.3.3-08
        group.alive()
        # R-3.5.5.3.3-08
        _announced(group, third, [(SPARE + at, 0x1000) for at in range(LINKS)])
        group.answer(gone)
        echo(conn)


def _our_keys(bench, module):
    """We announce an RMB over the third link with the keys for all links. The
    module writes with the key of the link that it sends over, at last over the
    first link."""
    with _three(bench, module) as (conn, group, second, third):
        mine = [link.end_point.region(2 * ELEMENT)
                for link in (group, second, third)]
        keys = [(one.rkey, one.buf) for one in mine]
        _announced(group, third, keys)
        users = [link.carried(rkey=keys[at][0], addr=keys[at][1], index=at)
                 for at, link in ((1, second), (2, third))]
        for at, link in ((1, second), (2, third)):
            _writes(link, users[at - 1], mine[at], 0)
        for link, user in ((third, users[1]), (second, users[0])):
            _given_up(group, link, user)
            _refuse(group, 1 if link is third else 3)
            _writes(group, user, mine[0], 50)
        echo(conn)


def _announced(group, third, keys):
    others = [(group.number, *keys[0]), (third.number - 1, *keys[1])]
    third.send(msg.confirm_rkey(*keys[2], others))
    got = third.expect(msg.CONFIRM_RKEY)
    # R-3.3-04, -05
    check(got.data == msg.confirm_rkey(*keys[2], others, msg.REPLY), f"{got}")


def _writes(link, conn, memory, at):
    """Receives the module's next 50 bytes, over this link."""
    conn.sends(pattern(at, 50))
    data = link.end_point.receive()
    check(data is not None, "no message")
    got = msg.parse(data)
    conn.their_seq += 1
    check(isinstance(got, msg.Cdc) and got.token == conn.me.token and
          got.prod == (0, at + 50), f"{got}")
    # R-3.5.5.2-01
    check(memory.read(50, (conn.me.index - 1) * ELEMENT + at) ==
          pattern(at, 50), "written elsewhere")


def _our_keys_go(bench, module):
    """We delete an RMB: DELETE RKEY names one of its three keys, and all become
    invalid."""
    with _three(bench, module) as (conn, group, second, third):
        keys = [(SPARE + at, 0x1000 * at) for at in range(LINKS)]
        for at, (link, number) in enumerate(((group, group.number),
                                             (second, second.number),
                                             (third, third.number))):
            _announced(group, third, keys)
            link.end_point.send(msg.delete_rkey([keys[at][0]]))
            got = msg.parse(link.end_point.receive())
            # R-3.3-05, R-A.3.7-02
            check(got.data == msg.delete_rkey([keys[at][0]], msg.REPLY),
                  f"{got} over link {number}")
            for other, (rkey, _) in zip((group, second, third), keys):
                other.end_point.send(msg.delete_rkey([rkey]))
                got = msg.parse(other.end_point.receive())
                # R-3.5.5.2-03, R-3.5.5.2.2-05
                check(got.data == msg.delete_rkey(
                    [rkey], msg.REPLY | msg.RKEY_NEGATIVE, 0x80), f"{got}")
        echo(conn)


def _moved(link, conns, count):
    """Returns the number of connections that continue over this link."""
    found = {}
    for _ in range(count):
        data = link.end_point.receive(PATIENCE)
        check(data is not None, f"only {len(found)} of {count} came over")
        got = msg.parse(data)
        conn = next((one for one in conns if isinstance(got, msg.Cdc) and
                     got.token == one.me.token), None)
        check(conn and got.token not in found, f"{got}")
        # R-2.3-11, R-4.6.1-09
        is_validation(got, conn, conn.their_seq)
        found[got.token] = conn
    data = link.end_point.receive(QUIET)
    check(data is None, f"{data and msg.parse(data)} came over, too")
    return list(found.values())


def _shares(group, conns):
    """Two links are added, one after the other: the first new link takes half
    of the connections, and the second takes a third of them, evenly from both
    other links."""
    keys = {conn: conn.theirs for conn in conns}
    place = {conn: group for conn in conns}
    for number, count in ((4, len(conns) // 2), (5, len(conns) // 3)):
        link = _added(group, number)
        for conn in _moved(link, conns, count):
            conn.theirs = keys[conn]
            _go_over(conn, link)
            place[conn] = link
    for conn, link in place.items():
        with over(link) if link is not group else contextlib.nullcontext():
            # R-2.3-01, R-3.5.5.2.3-03
            echo(conn)
    spread = sorted(list(place.values()).count(link)
                    for link in set(place.values()))
    # R-2.2-05
    check(spread == [len(conns) // 3] * 3, f"spread is {spread}")


def _down_and_up(bench, module):
    """Each link carries a connection. Two links fail one after the other, and
    the first link carries all. Then two new links get equally many
    connections."""
    with _three(bench, module) as (conn, group, second, third):
        conns = [conn, second.carried(), third.carried()]
        echo(conn)
        for one, link in zip(conns[1:], (second, third)):
            with over(link):
                echo(one)
        for link, one in ((third, conns[2]), (second, conns[1])):
            _given_up(group, link, one)
            _go_back(one, link)
            _refuse(group, 1 if link is third else 3)
            for each in conns if link is second else (conns[0], one):
                echo(each)
        if module == SERVER:    # again for the older link
            group.send(msg.delete_link(third.number, 0, msg.REPLY))
        group.alive()
        for _ in range(3):
            conns.append(group.connect())
            echo(conns[-1])
        if module == SERVER:
            notice(group)
        _shares(group, conns)
        group.alive()


def _told(group, number):
    """Receives the client's notice of the given adapter, which the client may
    send for each address. Notices of other adapters may arrive before it."""
    gid, got = gid_of(f"10.77.{number}.1"), None
    while got is None or got.data[12:28] != gid:
        got = group.expect(msg.ADD_LINK, PATIENCE)
        # R-3.5.5.1.2-01
        check(not got.flags & msg.REPLY, f"{got}")


def _two_notices(bench):
    """A second adapter of the client appears, and it sends a notice. A third
    adapter appears while we add a link over the second adapter; the client
    sends the notice of the third adapter afterwards. The exchange of our keys
    takes three seconds, so that the adapter appears while it runs."""
    conn, group = bench.contact(CLIENT)
    with _leaving(bench):
        conn.rendezvous()
        group.number = 1
        group.send(group.confirm_link(links=LINKS))
        group.confirmed()
        group.send(group.add_link())
        group.rejected()
        conn.take()
        spares = range(SPARE, SPARE + 6)
        announce(group, spares)
        _come(bench, 1)
        bench.app.run("rdma", "link", "delete", "rxe2")
        for number in (1, 2):
            _told(group, number)
            link = LateOffer(group, number + 1, _nic(number))
            link.me = link.me.but(mac=world.own_mac(f"eth{number}"))
            link.offer(gid_of(f"10.77.{number}.1"))
            if number == 1:
                coming(bench, 2)
            _exchange(group, link, [(rkey, rkey + 0x100 * number)
                                    for rkey in spares])
            link.confirm(LINKS)
            link.confirmed()
        echo(conn)


def cases():
    yield from both("no more than three links", "R-2.2.2-04, R-2.2.2-07, "
                    "R-3.5.5.1.2-03, R-A.3.1-05", _no_fourth, limit=120)
    yield from both("RMB for three links", "R-3.5.5.2-02, R-3.5.5.2.1-01, "
                    "R-3.5.5.2.2-05, R-A.3.5-02, R-A.3.5-03", _keys, limit=180)
    yield from both("the peer's RMB for three links", "R-3.5.5.2-01, "
                    "R-3.5.5.2-02, R-4.6.1-04", _our_keys, limit=120)
    yield from both("the peer's RMB for three links goes",
                    "R-3.5.5.2.2-05, R-A.3.7-03", _our_keys_go, limit=120)
    yield from both("three links, one, and three", "R-2.2-04, R-2.2-05, "
                    "R-2.3-01, R-2.3-11, R-4.6.1-04", _down_and_up,
                    limit=120)
    yield Case("two notices of the client", "R-3.5.5.1.2-01, R-2.2.2-09",
               _two_notices, limit=120)
