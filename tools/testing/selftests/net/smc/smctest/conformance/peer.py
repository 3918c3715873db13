# SPDX-License-Identifier: GPL-2.0
"""The scripted peer: its link groups and connections.

Every step of a handshake is a method, so that a test may leave a step out, do
it twice or send wrong fields; connect() does all steps.
"""

import contextlib
import errno
import itertools
import select
import socket
import time

from smctest import Failure, check, sockets, wire
from smctest import verbs
from smctest import messages as msg
from smctest.world import V4_NET, World, wait_until

PORT = 7300             # the application's listener
ELEMENT = 16384         # bytes, code 0: the smallest there is
ELEMENTS = 16           # elements in an RMB of ours
QUIET = 0.25            # seconds in which nothing should happen
LINK_UID = 0x5ca1ab1e
TCP_ENDS = {7: "RST", 8: "FIN"}         # states CLOSE and CLOSE_WAIT
SERVER, CLIENT = "server", "client"     # the module's role
PATIENCE = 40       # seconds to wait for a later event
SPARE = 0x9000      # keys of our RMBs that are never written to


class Bench(World):
    """The knowledge of the scripted peer about both hosts."""

    decent = False

    def __init__(self, app, host, own):
        super().__init__(app, host, own)
        self.app = app
        self.nic = verbs.Nic(self.gid)
        self._ports = itertools.count(PORT)
        self.port = self.listener = None
        self.listen()
        self.groups = []
        self._psn = itertools.count(0x314159)

    def listen(self, rcvbuf=ELEMENT):
        """Opens a new listener of the application. New groups connect to this
        listener, so its queue contains no connection of other tests."""
        self.port = next(self._ports)
        self.listener = self.app.offer(self.host, self.port, rcvbuf, 0)

    def psn(self):
        return next(self._psn) & 0xffffff

    # Every case opens its groups with these methods. Each group ends with its
    # case, or earlier.

    def group(self, module, endpoint=verbs.Endpoint, kind=None):
        """Returns a new group in which the module has this role. Cases that
        set up the endpoint themselves use this method; other cases use one of
        the next three. kind: a class derived from Group."""
        group = (kind or Group)(self, module, endpoint)
        self.groups.append(group)
        return group

    def contact(self, module, **me):
        """Yields (connection, group) before first contact, whose steps the
        case runs. me: other values for our Offer."""
        group = self.group(module)
        group.me = group.me.but(**me)
        return group.contact(), group

    def connect(self, module, eye=0, **me):
        """Returns (connection, group) after a complete first contact."""
        group = self.group(module)
        group.eye = eye
        group.me = group.me.but(**me)
        return group.connect(), group

    @contextlib.contextmanager
    def connected(self, module, group=None):
        """Yields (connection, group); if this method made the group, the group
        ends afterwards."""
        made = group or self.group(module)
        try:
            yield made.connect(), made
        finally:
            if not group:
                made.end()

    def open_sockets(self):
        """Returns the application's SMC sockets without its listeners."""
        return [sock for sock in self.app.sockets()
                if sock["state"] != 10]


class Group:    # pylint: disable=too-many-instance-attributes
    """A link group with the module, with one link."""

    def __init__(self, bench, module, endpoint):
        self.bench = bench
        self.module = module
        self.make = AsClient if module == SERVER else AsServer
        self.port, self.listener = bench.port, bench.listener
        self.end_point = endpoint(bench.nic, bench.psn(), ELEMENT * ELEMENTS)
        self.me = bench.me().but(
            qpn=self.end_point.qpn, psn=self.end_point.psn,
            rkey=self.end_point.rmb.rkey, addr=self.end_point.rmb.buf,
            bsize=0, mtu=bench.nic.mtu)
        self.theirs = None      # Offer of the module's first message
        self.eye = 0            # bytes of the eye catcher of elements
        self.number = None      # number of the link
        self.uid = None         # the module's user ID of the link
        self.said = None        # request that may come again
        self.conns = []
        self.more = []          # end points of further links
        self.ended = False
        self.gone = False       # the module has ended the group
        self.serves = {msg.CONFIRM_RKEY, msg.DELETE_RKEY, msg.TEST_LINK}
        self.served = []        # requests that poll() has answered
        self.on_request = None  # called with each request first
        self.refuses = set()    # kinds of requests to refuse
        self._kept = []         # messages that pump() has taken
        self._elements = itertools.count(1)
        self._tokens = itertools.count(int.from_bytes(self.me.peer_id[:2],
                                                      "big") << 16 | 1)

    # -- messages on the link --------------------------------------------

    def send(self, data):
        self.end_point.send(data)

    def poll(self, timeout):
        """Returns the next message as bytes, or None. This method answers the
        requests that a peer must always answer, unless the test handles
        them."""
        if self._kept:
            return self._kept.pop(0)
        deadline = time.monotonic() + timeout
        while True:
            data = self.end_point.receive(
                max(0, deadline - time.monotonic()))
            if data is not None and data == self.said:
                continue        # repeated, because one side was slow
            if data is None or data[0] not in self.serves or \
               data[3] & msg.REPLY:
                return data
            self.served.append(msg.parse(data))
            if self.on_request:
                self.on_request(self.served[-1])
            # The request may have crossed the end of the link.
            self.end_point.try_send(self._reply(data))

    def _reply(self, data):
        """Returns the echo of a request, which in RKEY messages may refuse the
        first key."""
        if data[0] not in self.refuses:
            return data[:3] + bytes([data[3] | msg.REPLY]) + data[4:]
        return data[:3] + bytes([data[3] | msg.REPLY | msg.RKEY_NEGATIVE,
                                 data[4], 0x80]) + data[6:]

    def pump(self):
        """While the test waits, this method answers the same requests as
        poll(), and keeps the other messages."""
        if self.gone:
            return
        kept, self._kept = self._kept, []
        with contextlib.suppress(Failure):      # the link may have ended
            data = self.poll(0)
            while data is not None:
                kept.append(data)
                data = self.poll(0)
        self._kept = kept

    def answer(self, asked):
        """Answers a request that the test has taken from poll()."""
        self.serves.add(asked.kind)
        data = asked.data
        self.send(data[:3] + bytes([data[3] | msg.REPLY]) + data[4:])

    def receive(self, timeout=verbs.TIMEOUT):
        """Returns the next message, decoded; fails if there is none."""
        data = self.poll(timeout)
        check(data is not None, f"no message in {timeout} s")
        # R-3.3-01, R-A.3-01
        check(len(data) == msg.LEN and data[1] == msg.LEN,
              f"a message of {len(data)} bytes: {data.hex()}")
        return msg.parse(data)

    def wait_for(self, tcp):
        """Waits for data on TCP; the link must be silent."""
        deadline = time.monotonic() + sockets.PATIENCE
        while not select.select([tcp], [], [], 0.005)[0]:
            data = self.poll(0) if self.number else None
            # R-3.5.2.2-07, R-3.5.2.4-01
            check(data is None, f"{data and msg.parse(data)} came meanwhile")
            check(time.monotonic() < deadline, "nothing on TCP")

    def expect_bytes(self, wanted, timeout=verbs.TIMEOUT):
        got = self.receive(timeout)
        check(got.data == wanted, f"{got.data.hex()}, not {wanted.hex()}")

    def expect(self, kind, timeout=verbs.TIMEOUT):
        """Returns the next message, which must be LLC of this kind."""
        got = self.receive(timeout)
        check(isinstance(got, msg.Llc) and got.kind == kind,
              f"{got} is not of kind {kind}")
        return got

    def quiet(self, seconds=QUIET):
        """Fails if a message arrives."""
        data = self.poll(seconds)
        check(data is None, f"{data and msg.parse(data)} came")

    def alive(self):
        """Checks that the link answers TEST LINK."""
        data = self.bench.psn().to_bytes(16, "big")
        self.send(msg.test_link(data))
        self.expect_bytes(msg.test_link(data, msg.REPLY))

    def violated(self, conn=None, reason=msg.VIOLATION):
        """Checks that the module ends the link and sends the reason
        (R-C.7.1-32)."""
        # R-3.5.4-05, R-A.3.4-03, R-C.7.1-32
        self.expect_bytes(msg.delete_link(0, reason, msg.DELETE_ALL))
        self.gone = True
        if conn:
            conn.expect_reset()

    # -- first contact ---------------------------------------------------

    @property
    def eye_flags(self):
        return 0 if self.eye else msg.NO_EYE

    def confirm_link(self, flags=None, links=2, **changes):
        """Sends our half of the exchange: reply or request, with wrong fields
        if the test gives them."""
        if flags is None:
            flags = self.eye_flags
        return msg.confirm_link(
            self.me.but(**changes), self.number, LINK_UID,
            flags | (msg.REPLY if self.module == SERVER else 0), links)

    def confirmed(self):
        """Receives CONFIRM LINK of the module and checks all bytes."""
        got = self.expect(msg.CONFIRM_LINK)
        if self.module == SERVER:
            self.number = got.data[29]
        self.uid = got.number(30, 4)
        reply = msg.REPLY if self.module == CLIENT else 0
        wanted = msg.confirm_link(self.theirs, self.number, self.uid,
                                  self.eye_flags | reply, got.data[34])
        # R-2.2.4-01, R-3.5.1.5-01, -03, R-A.3.1-01, -02, -04, R-L-06
        check(got.data == wanted, f"{got.data.hex()}, not {wanted.hex()}")
        # R-2.2.2-05
        check(2 <= got.data[34] <= 8, f"{got.data[34]} links")
        # R-2.2.4-03
        check(self.number, "link number 0")
        if self.module == SERVER:
            self.said = got.data
        return got

    def add_link(self):
        """As a server: sends our ADD LINK, which names the same
        adapter again."""
        return msg.add_link(self.me, self.number + 1, mtu=self.me.mtu)

    def reject_add(self, got):
        """As a client: refuses ADD LINK for lack of an adapter, or for an
        invalid MTU."""
        mtu = got.data[32] & 15
        reason = msg.NO_PATH if 1 <= mtu <= 5 else msg.BAD_MTU
        return msg.add_link(self.me, got.data[31],
                            msg.REPLY | msg.ADD_REJECT, reason)

    def rejected(self):
        """As a server: the module must refuse a link between the same
        adapters."""
        got = self.expect(msg.ADD_LINK)
        # R-3.5.1.6.1-06, R-A.3.2-01
        check(got.flags == msg.REPLY | msg.ADD_REJECT,
              f"{got}: flags {got.flags:02x}")
        # R-2.2.1-03, R-3.5.1.6.1-01, R-A.3.2-03
        check(got.byte2 == msg.NO_PATH, f"reason {got.byte2}")
        # R-3.5.1.6.1-06, R-A.3.2-04
        check(got.data[31] == self.number + 1, "another link number")
        return got

    def form(self):
        """Exchanges CONFIRM LINK, and attempts a second link."""
        if self.module == SERVER:
            self.confirmed()
            self.send(self.confirm_link())
            got = self.expect(msg.ADD_LINK)
            self.send(self.reject_add(got))
        else:
            self.number = 1
            self.send(self.confirm_link())
            self.confirmed()
            self.send(self.add_link())
            self.rejected()

    # -- connections -----------------------------------------------------

    def contact(self):
        """Returns a connection whose handshake has not begun."""
        conn = self.make(self, next(self._elements), next(self._tokens))
        self.conns.append(conn)
        return conn

    def connect(self):
        """Opens a connection of the application; it may be the first of the
        group."""
        conn = self.contact()
        conn.rendezvous()
        if conn.first:
            self.form()
        conn.take()
        return conn

    # -- end -------------------------------------------------------------

    def end(self):
        """Sends DELETE LINK for the whole group, as a peer does that ends the
        group."""
        if self.ended:
            return
        self.ended = True
        for conn in self.conns:
            conn.leave()
        if self.number and self.theirs and not self.gone:
            self._delete()
        self.end_point.close()
        for end_point in self.more:
            end_point.close()
            end_point.nic.close()
        if self in self.bench.groups:
            self.bench.groups.remove(self)

    def _delete(self):
        """Sends DELETE LINK for the group. A server answers with its own DELETE
        LINK before it ends the group."""
        status = self.end_point.try_send(msg.delete_link(
            0, msg.PROGRAM, msg.DELETE_ALL | msg.DELETE_ORDERLY))
        if self.module == CLIENT or not verbs.accessible(status):
            return
        deadline = time.monotonic() + 2
        data = b"\0"
        while data and data[0] != msg.DELETE_LINK and \
                time.monotonic() < deadline:
            data = self.end_point.receive(1)


class Conn:     # pylint: disable=too-many-instance-attributes
    """A connection. prod and cons are stream positions of both sides."""

    def __init__(self, group, index, token):
        self.group = group
        self.bench = group.bench
        self.app = group.bench.app
        self.me = group.me.but(index=index, token=token)
        self.theirs = None
        self.first = not group.theirs
        self.tcp = None
        self.number = None          # number of the application's socket
        self.seq = 0                # number of our last CDC message
        self.their_seq = 0          # number of the module's last CDC message
        self.prod = self.cons = 0

    # -- steps of the rendezvous -----------------------------------------

    def _met(self, offer):
        self.theirs = offer
        if self.first:
            self.group.theirs = offer

    def link_up(self):
        """Connects our queue pair; from now on the module can reach it."""
        mtu = min(self.theirs.mtu, self.me.mtu)
        self.group.end_point.connect(self.theirs, mtu)

    # -- data ------------------------------------------------------------

    @property
    def their_size(self):
        return ELEMENT << self.theirs.bsize

    @property
    def their_element(self):
        return self.theirs.addr + (self.theirs.index - 1) * self.their_size

    def _cursor(self, position, size):
        """Returns (wrap, cursor) for an element of this size."""
        wrap, cursor = msg.cursor(position, size - self.group.eye)
        return wrap, cursor + self.group.eye

    def write_at(self, where, data):
        """Writes into the module's element, @where bytes from its start."""
        self.group.end_point.write(data, self.theirs.rkey,
                                   self.their_element + where)

    def write(self, data):
        """Writes behind the last byte written, with a wrap if necessary."""
        eye = self.group.eye
        size = self.their_size - eye
        at = self.prod % size
        for piece, where in ((data[:size - at], at), (data[size - at:], 0)):
            if piece:
                self.write_at(eye + where, piece)
        self.prod += len(data)

    def cdc(self, flags=0, ends=0, **other):
        """Returns the CDC message with our positions and the next sequence
        number."""
        self.seq = (self.seq + 1) & 0xffff
        fields = {"seq": self.seq, "token": self.theirs.token,
                  "prod": self._cursor(self.prod, self.their_size),
                  "cons": self._cursor(self.cons, ELEMENT)}
        fields.update(other)
        return msg.cdc(flags=flags, ends=ends, **fields)

    def tell(self, flags=0, ends=0, **other):
        self.group.send(self.cdc(flags, ends, **other))

    def data(self, data, flags=0, ends=0):
        """Writes bytes, and sends the CDC message that announces them."""
        self.write(data)
        self.tell(flags, ends)

    def element(self, start, length):
        """Returns the bytes that the module has written into our element, by
        stream positions."""
        base = (self.me.index - 1) * ELEMENT
        ring = self.group.end_point.rmb.read(ELEMENT, base)[self.group.eye:]
        at = start % len(ring)
        return (ring + ring)[at:at + length]

    def expect(self, prod=None, cons=None, flags=0, ends=0,
               timeout=verbs.TIMEOUT):
        """Checks all fields of the next message, which must be CDC with these
        positions."""
        got = self.group.receive(timeout)
        check(isinstance(got, msg.Cdc), f"{got} is no CDC message")
        self.their_seq = (self.their_seq + 1) & 0xffff
        wanted = msg.Cdc(msg.cdc(
            self.their_seq, self.me.token,
            got.prod if prod is None else self._cursor(prod, ELEMENT),
            got.cons if cons is None else self._cursor(cons, self.their_size),
            flags, ends))
        # R-1.2-01, R-3.4-01, R-4.5.1-09, R-A.4-01, -02
        check(got.data == wanted.data, f"{got} of {got.token:08x}, not "
              f"{wanted} of {wanted.token:08x}")
        return got

    def sends(self, data):
        """Lets the application send these bytes, which must arrive with one CDC
        message."""
        start = self.cons
        count = self.app.write(self.number, data.hex())
        check(count == len(data), f"send() took {count} of {len(data)}")
        return start

    def gets(self, data, seconds=30):
        """Checks that the application reads exactly these bytes."""
        got = self.app.read_all(self.number, len(data), seconds)
        check(got == data.hex(),
              f"recv(): {str(got)[:80]}, not these {len(data)} bytes")

    def nothing_to_read(self):
        got = self.app.read(self.number, 100, 0.05)
        check(got == -11, f"recv(): {got}")

    def expect_reset(self):
        """Checks that the application gets a reset."""
        got = self.app.read(self.number, 100)
        check(got == -errno.ECONNRESET, f"recv(): {str(got)[:80]}")

    def expect_broken(self):
        """Checks that the application reads the end of the stream, which came
        before the error, and that a send fails."""
        got = self.app.read(self.number, 100)
        check(got == "", f"recv(): {str(got)[:80]}")
        got = self.app.write(self.number, "00")
        check(got == -errno.ECONNRESET, f"send(): {got}")

    def expect_abort(self, told=None):
        """Checks that the module sends CDC with A, that the application gets an
        error (told: checks that), and that the module ends TCP with RST after
        our answer."""
        got = self.group.receive()
        self.their_seq = (self.their_seq + 1) & 0xffff
        check(isinstance(got, msg.Cdc) and got.ends & msg.A and
              got.token == self.me.token and got.seq == self.their_seq,
              f"{got} is no abort")
        (told or self.expect_reset)()
        self.tell(ends=msg.A)
        self.expect_tcp("RST")

    def fell_back(self):
        """Checks that the connection of the application uses TCP."""
        self.take()
        self.tcp.sendall(b"tcp")
        self.gets(b"tcp")

    # -- the state of the connection, as seen from outside ----------------

    def exists(self):
        """Does the module know the token? To find out, the method sends an
        outdated message, which has no other effect. The last message may have
        been a violation, which does not count, so the number is one less."""
        before = self.app.stats()
        self.group.send(self.cdc(seq=(self.seq - 2) & 0xffff))
        self.seq -= 1

        def moved():
            now = self.app.stats()
            return [name for name in ("CdcOutdated", "CdcUnknownToken")
                    if now[name] != before[name]]

        found = wait_until(moved)
        check(len(found) == 1, f"an old message moved {found}")
        return found[0] == "CdcOutdated"

    def expect_gone(self, seconds=sockets.PATIENCE):
        """Checks that the connection has ended, and its token is invalid."""
        check(wait_until(lambda: not self.exists(), seconds),
              "the connection lives on")

    def tcp_end(self):
        """Returns how TCP has ended: FIN, RST, or None if it has not."""
        self.tcp.setblocking(False)
        with contextlib.suppress(BlockingIOError, ConnectionResetError):
            data = self.tcp.recv(1)
            # R-1.1-01
            check(not data, f"{data!r} on TCP")
        self.tcp.settimeout(sockets.PATIENCE)
        state = self.tcp.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        return TCP_ENDS.get(state)

    def expect_tcp(self, end, seconds=sockets.PATIENCE):
        got = wait_until(self.tcp_end, seconds)
        check(got == end, f"TCP: {got}, not {end}")

    def leave(self):
        """Ends the remaining parts of the connection."""
        if self.tcp:
            with contextlib.suppress(OSError):
                sockets.reset(self.tcp)
            self.tcp = None
        if self.number is not None:
            self.app.close(self.number)
            self.number = None


class AsClient(Conn):
    """A connection that we open to the application's listener."""

    def propose(self):
        self.tcp = self.bench.dial(port=self.group.port)
        self.tcp.sendall(wire.proposal(self.me, V4_NET))

    def accepted(self):
        self.group.wait_for(self.tcp)
        answer = sockets.expect(self.tcp, wire.ACCEPT)
        # R-2-04, R-3.5.2.1-03
        check(answer.flag == self.first, f"F flag of {answer}")
        self._met(answer.offer)
        return answer

    def confirm(self, **changes):
        self.tcp.sendall(wire.confirm(self.me.but(**changes)))

    def rendezvous(self):
        """Proposal, Accept, Confirm."""
        self.propose()
        self.accepted()
        if self.first:
            self.link_up()
        self.confirm()

    def take(self):
        """Lets the application accept the connection."""
        self.number = self.app.take(self.group.listener)
        check(self.number is not None, "accept() got nothing")


class AsServer(Conn):
    """A connection that the application opens to us. If the case has set the
    number, the application uses that socket again."""

    options = ()    # socket options: [level, name, value]
    version = 1     # version of the Proposal

    @property
    def target(self):
        """Returns the address to which the application connects."""
        return self.bench.own

    def __init__(self, *args):
        super().__init__(*args)
        self.listener = None
        self.proposal = None
        self.confirm_message = None

    def propose(self):
        self.listener = sockets.option_listen(self.target, 0)
        port = self.listener.getsockname()[1]
        if self.number is None:
            self.number = self.app.dial(self.target, port, ELEMENT, 0,
                                        self.options)
        else:
            self.app.dial_again(self.number, self.target, port)
        self.tcp, _ = self.listener.accept()
        self.listener.close()
        self.tcp.settimeout(sockets.PATIENCE)
        # R-3.5.1.2-01
        self.proposal = sockets.expect(self.tcp, wire.PROPOSAL, self.version)

    def accept(self, **changes):
        self.tcp.sendall(wire.accept(self.me.but(**changes), self.first))

    def confirmed(self):
        self.group.wait_for(self.tcp)
        answer = sockets.expect(self.tcp, wire.CONFIRM)
        check(not answer.flag, f"flags of {answer}")
        self.confirm_message = answer
        self._met(answer.offer)
        return answer

    def rendezvous(self):
        """Proposal, Accept, Confirm."""
        self.propose()
        self.accept()
        self.confirmed()
        if self.first:
            self.link_up()

    def outcome(self, seconds=sockets.PATIENCE):
        """Returns the errno of connect(), or None while it runs."""
        result = wait_until(lambda: self.app.outcome(self.number), seconds)
        return result[0] if result else None

    def take(self):
        """Checks that connect() has succeeded."""
        code = self.outcome()
        check(code == 0, f"connect(): errno {code}")

    def running(self):
        check(self.app.outcome(self.number) is None, "connect() is over")


def pattern(start, length):
    """Returns bytes of a stream whose values show their position."""
    return bytes((at ^ at >> 8 ^ at >> 16) & 0xff
                 for at in range(start, start + length))


SHUT_RD, SHUT_WR, SHUT_RDWR = (socket.SHUT_RD, socket.SHUT_WR,
                               socket.SHUT_RDWR)
__all__ = ["Bench", "Conn", "Failure", "Group"]


def echo(conn, size=200):
    """Sends data in both directions, from the current position in
    the stream."""
    at = conn.cons
    conn.sends(pattern(at, size))
    got = conn.group.receive()
    conn.their_seq += 1
    check(isinstance(got, msg.Cdc) and got.token == conn.me.token,
          f"{got} is not of this connection")
    check(conn.element(at, size) == pattern(at, size), "wrong bytes written")
    conn.cons += size
    conn.data(pattern(3, size))
    conn.gets(pattern(3, size))
