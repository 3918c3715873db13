# SPDX-License-Identifier: GPL-2.0
"""The program's own queue pair and memory, through libibverbs."""

import time

from pyverbs import enums
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

from smctest import Failure, polls

DEVICE, PORT = "rxe0", 1
RECEIVES = 256          # receives that are posted at any time
STAGING = 1 << 18       # limit of bytes per write
TIMEOUT = 10            # seconds for events that should happen at once
RETRY = 16              # exponent: about a quarter of a second for an answer
PAUSE = 0.1             # seconds; less than that quarter

LOCAL = enums.IBV_ACCESS_LOCAL_WRITE
REMOTE = LOCAL | enums.IBV_ACCESS_REMOTE_WRITE


class Nic:
    """The adapter of this host."""

    def __init__(self, gid, device=DEVICE):
        self.device = device
        self.context = Context(name=device)
        self.gid = gid
        self.gid_index = self._find(gid)
        self.mtu = self.context.query_port(PORT).active_mtu

    def close(self):
        self.context.close()

    def _find(self, gid):
        for index in range(16):
            text = str(self.context.query_gid(PORT, index))
            if bytes.fromhex(text.replace(":", "")) == gid:
                return index
        raise Failure(f"{self.device} does not have the GID {gid.hex()}")


def _gid_text(gid):
    text = gid.hex()
    return ":".join(text[at:at + 4] for at in range(0, 32, 4))


class Endpoint:
    """One queue pair with its protection domain, receives and an RMB."""

    slot = 64               # bytes of a receive

    def __init__(self, nic, psn, rmb_bytes):
        self.nic = nic
        self.psn = psn
        self.pd = PD(nic.context)
        self.sent = CQ(nic.context, 64)
        self.got = CQ(nic.context, 2 * RECEIVES)
        self.qp = QP(self.pd, QPInitAttr(
            qp_type=enums.IBV_QPT_RC, scq=self.sent, rcq=self.got,
            cap=QPCap(max_send_wr=64, max_recv_wr=RECEIVES)))
        self.rmb = MR(self.pd, rmb_bytes, REMOTE)
        self.inbox = MR(self.pd, RECEIVES * self.slot, LOCAL)
        self.outbox = MR(self.pd, STAGING, LOCAL)
        self.receives = RECEIVES    # receives to post; may be fewer
        self.refill = True          # post used receives again
        self.paused = False         # see send()
        self.retries = 6            # the value 7 would mean for ever
        self.wait = RETRY           # time until each retry
        self.regions = []
        self._closed = False

    def region(self, size):
        """More memory for the peer to write to."""
        self.regions.append(MR(self.pd, size, REMOTE))
        return self.regions[-1]

    @property
    def qpn(self):
        return self.qp.qp_num

    def connect(self, theirs, mtu):
        """Connects to the queue pair that an Accept or Confirm names."""
        attr = QPAttr(port_num=PORT)
        attr.qp_access_flags = REMOTE
        attr.path_mtu = mtu
        attr.rq_psn = theirs.psn
        attr.sq_psn = self.psn
        attr.dest_qp_num = theirs.qpn
        attr.min_rnr_timer = 12
        attr.timeout = self.wait
        attr.retry_cnt, attr.rnr_retry = self.retries, 6
        route = GlobalRoute(GID(_gid_text(theirs.gid)),
                            sgid_index=self.nic.gid_index, hop_limit=1)
        attr.ah_attr = AHAttr(is_global=1, port_num=PORT, gr=route)
        self.qp.to_init(attr)
        self.feed()
        self.qp.to_rtr(attr)
        self.qp.to_rts(attr)

    def feed(self):
        """Posts all receives; no earlier receive may be posted any more."""
        for slot in range(self.receives):
            self._post_receive(slot)

    def _post_receive(self, slot):
        place = SGE(self.inbox.buf + slot * self.slot, self.slot,
                    self.inbox.lkey)
        self.qp.post_recv(RecvWR(wr_id=slot, sg=[place], num_sge=1))

    # -- sending ---------------------------------------------------------

    def _post(self, data, opcode, remote=None):
        """Posts data and waits; returns the status of the completion."""
        self.outbox.write(data, len(data))
        place = SGE(self.outbox.buf, len(data), self.outbox.lkey)
        request = SendWR(opcode=opcode, sg=[place], num_sge=1)
        if remote:
            request.set_wr_rdma(*remote)
        before = time.monotonic()
        self.qp.post_send(request)
        return self._await_sent(1, before)

    def _await_sent(self, left, before):
        """Waits for so many completions; returns the status of the last one.
        Notes in paused whether this host stood still since the time before."""
        self.paused = False
        for _ in polls(TIMEOUT):
            count, done = self.sent.poll(left)
            now = time.monotonic()
            self.paused |= now - before > PAUSE
            before = now
            left -= count
            if not left:
                return done[-1].status
        return None

    def try_send(self, data):
        return self._post(data, enums.IBV_WR_SEND)

    def try_send_together(self, *messages):
        """Posts all messages at once; the adapter may refuse any of them."""
        requests = [None]       # the last first; they must all stay
        whole = b"".join(messages)
        self.outbox.write(whole, len(whole))
        at = len(whole)
        for data in reversed(messages):
            at -= len(data)
            place = SGE(self.outbox.buf + at, len(data), self.outbox.lkey)
            requests.append(SendWR(opcode=enums.IBV_WR_SEND, sg=[place],
                                   num_sge=1, next_wr=requests[-1]))
        before = time.monotonic()
        self.qp.post_send(requests[-1])
        self._await_sent(len(messages), before)

    def send(self, data):
        """Sends a message; the peer's adapter must receive it.

        If this host stands still for some time, its adapter believes that the
        answer is late. It drops the answer that has come meanwhile, and sends
        the message again. The module has perhaps closed the link by then, and
        nobody answers. So after a pause only the effects of the message tell
        whether it has arrived.
        """
        status = self.try_send(data)
        if self.paused and status == enums.IBV_WC_RETRY_EXC_ERR:
            return
        if status != enums.IBV_WC_SUCCESS:
            raise Failure(f"a message did not arrive: status {status}")

    def try_write(self, data, rkey, addr):
        return self._post(data, enums.IBV_WR_RDMA_WRITE, (rkey, addr))

    def write(self, data, rkey, addr):
        status = self.try_write(data, rkey, addr)
        if status != enums.IBV_WC_SUCCESS:
            raise Failure(f"a write was refused: status {status}")

    # -- receiving -------------------------------------------------------

    def receive(self, timeout=TIMEOUT):
        """Returns the next message, or None."""
        for _ in polls(timeout):
            count, done = self.got.poll(1)
            if count:
                break
        else:
            return None
        slot, status, length = (done[0].wr_id, done[0].status,
                                done[0].byte_len)
        if status != enums.IBV_WC_SUCCESS:
            return None
        data = self.inbox.read(length, slot * self.slot)
        if self.refill:
            self._post_receive(slot)
        return data

    def close(self):
        if self._closed:
            return
        self._closed = True
        self.qp.close()
        for part in (self.rmb, self.inbox, self.outbox, *self.regions,
                     self.sent, self.got, self.pd):
            part.close()


def accessible(status):
    """Has the adapter completed the posted work?"""
    return status == enums.IBV_WC_SUCCESS
