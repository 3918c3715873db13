// SPDX-License-Identifier: GPL-2.0
/*
 * Requests and responses of many logical connections share one queue pair. For
 * each message a WRITE puts the payload into the peer's element, and a 44-byte
 * SEND announces it, as in SMC-R. Both sides run the same loop, but treat a
 * received message differently.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vb.h"

struct loop_conn {
	uint64_t seq;
	uint64_t t0;
};

struct rr {
	struct vb *v;
	bool client;
	bool stop;
	unsigned int busy;
	unsigned int queued;		/* messages in the chain */
	uint64_t now;
	uint64_t ops;
	struct loop_conn *conns;
	struct vb_cdc *in;		/* messages of a batch */
	struct samples lat;
	struct ibv_send_wr wr[2 * CHAIN_MAX];
	struct ibv_sge sge[2 * CHAIN_MAX];
};

static void drain_send_cq(struct vb *v)
{
	struct ibv_wc wc[BATCH_MAX];
	unsigned int i, n;

	do {
		n = vb_poll(v, v->scq, wc);
		for (i = 0; i < n; i++)
			vb_sent(v, &wc[i]);
	} while (n == v->o->batch);
}

static void flush(struct rr *r)
{
	struct ibv_send_wr *bad;
	struct vb *v = r->v;

	if (!r->queued)
		return;
	if (v->rec) {
		vb_records_post(v);
	} else {
		r->wr[2 * r->queued - 1].next = NULL;
		if (ibv_post_send(v->qp, r->wr, &bad))
			die("ibv_post_send: %s", strerror(errno));
		v->stats.posts++;
	}
	r->queued = 0;
}

/* This is needed only with a separate send queue. Without one, the completions
 * of sends come with the other completions.
 */
static void reclaim(struct rr *r)
{
	struct vb *v = r->v;

	if (v->posted - v->finished < v->sq / 2 || !v->o->split_cq)
		return;
	drain_send_cq(v);
	while (v->posted - v->finished >= v->sq) {
		v->stats.sq_waits++;
		flush(r);
		usleep(50);
		drain_send_cq(v);
	}
}

static void fill(struct rr *r, uint32_t conn, uint32_t len, uint64_t seq)
{
	struct ibv_send_wr *write = &r->wr[2 * r->queued], *send = write + 1;
	struct ibv_sge *data = &r->sge[2 * r->queued], *ctrl = data + 1;
	struct vb *v = r->v;
	struct vb_cdc *cdc = vb_send_slot(v);
	uint64_t offset = (uint64_t)conn * v->slot;

	cdc->conn = conn;
	cdc->len = len;
	cdc->seq = seq;
	*data = (struct ibv_sge){ (uintptr_t)v->out + offset, len,
				  v->mr->lkey };
	*ctrl = (struct ibv_sge){ (uintptr_t)cdc, sizeof(*cdc), v->mr->lkey };
	memset(write, 0, 2 * sizeof(*write));
	write->next = send;
	write->sg_list = data;
	write->num_sge = 1;
	write->opcode = IBV_WR_RDMA_WRITE;
	write->wr.rdma.remote_addr = v->peer.addr + offset;
	write->wr.rdma.rkey = v->peer.rkey;
	if (v->o->inline_data && len <= DATA_INLINE)
		write->send_flags = IBV_SEND_INLINE;
	send->next = send + 1;
	send->sg_list = ctrl;
	send->num_sge = 1;
	send->opcode = IBV_WR_SEND;
	if (v->o->inline_cdc)
		send->send_flags |= IBV_SEND_INLINE;
	if (v->o->solicited)
		send->send_flags |= IBV_SEND_SOLICITED;
	v->posted++;
	v->stats.messages++;
	send->wr_id = v->posted;
	if (v->posted % v->o->signal_every == 0)
		send->send_flags |= IBV_SEND_SIGNALED;
}

/*
 * A program with sockets makes one system call to send a message and one to
 * receive it. If a system call costs as much as a packet, this variant shows
 * how much of the difference to bare verbs comes from system calls.
 */
static void enter_kernel(struct rr *r)
{
	if (r->v->o->calls)
		syscall(SYS_getppid);
}

static void message(struct rr *r, uint32_t conn, uint32_t len, uint64_t seq)
{
	enter_kernel(r);
	reclaim(r);
	memcpy(r->v->out + (uint64_t)conn * r->v->slot, &seq, sizeof(seq));
	if (r->v->rec)
		vb_records_add(r->v, conn, len, seq);
	else
		fill(r, conn, len, seq);
	if (++r->queued == r->v->o->chain)
		flush(r);
}

static void request(struct rr *r, uint32_t conn)
{
	struct loop_conn *c = &r->conns[conn];

	c->t0 = r->now;
	r->busy++;
	message(r, conn, r->v->o->req, ++c->seq);
}

static void arrived(struct rr *r, const struct vb_cdc *cdc)
{
	struct vb *v = r->v;
	uint32_t want = r->client ? v->o->resp : v->o->req;
	uint64_t seq;

	if (cdc->conn >= v->o->conns || cdc->len != want)
		die("message of %u bytes for connection %u", cdc->len,
		    cdc->conn);
	memcpy(&seq, v->rmb + (uint64_t)cdc->conn * v->slot, sizeof(seq));
	enter_kernel(r);
	if (seq != cdc->seq)
		die("payload does not match its announcement");
	if (!r->client) {
		message(r, cdc->conn, v->o->resp, seq);
		return;
	}
	if (seq != r->conns[cdc->conn].seq)
		die("response %llu to request %llu", (unsigned long long)seq,
		    (unsigned long long)r->conns[cdc->conn].seq);
	r->busy--;
	r->ops++;
	samples_add(&r->lat, r->now - r->conns[cdc->conn].t0);
	if (!r->stop)
		request(r, cdc->conn);
}

/* Takes the messages of a receive. A connection has one under way at a time. */
static unsigned int take(struct rr *r, const struct ibv_wc *wc, unsigned int n)
{
	struct vb *v = r->v;

	if (v->rec)
		return vb_records_take(v, wc, &r->in[n], v->o->conns - n);
	if (n == v->o->conns)
		die("more messages than connections");
	memcpy(&r->in[n], v->receives + wc->wr_id * v->piece, sizeof(r->in[n]));
	return 1;
}

static void process(struct rr *r, const struct ibv_wc *wc, unsigned int n)
{
	uint64_t index[BATCH_MAX];
	unsigned int i, used = 0, in = 0;

	for (i = 0; i < n; i++) {
		if (!(wc[i].opcode & IBV_WC_RECV)) {
			vb_sent(r->v, &wc[i]);
			continue;
		}
		index[used++] = wc[i].wr_id;
		in += take(r, &wc[i], in);
	}
	/* Posts the receives first, because the peer may answer immediately. */
	vb_post_recv(r->v, index, used);
	if (r->client && in)
		r->now = now_ns();
	for (i = 0; i < in; i++)
		arrived(r, &r->in[i]);
	flush(r);
}

/* Arms the queue, polls once more, and sleeps only if the queue is empty. */
static void step(struct rr *r)
{
	struct ibv_wc wc[BATCH_MAX];
	struct vb *v = r->v;
	unsigned int n = 0;

	if (v->o->again)
		n = vb_poll(v, v->rcq, wc);
	if (!n) {
		if (ibv_req_notify_cq(v->rcq, v->o->solicited))
			die("ibv_req_notify_cq: %s", strerror(errno));
		n = vb_poll(v, v->rcq, wc);
	}
	if (!n) {
		vb_wait(v);
		n = vb_poll(v, v->rcq, wc);
	}
	while (n) {
		process(r, wc, n);
		if (n < v->o->batch)
			break;
		n = vb_poll(v, v->rcq, wc);
	}
}

static struct rr *set_up(struct vb *v, bool client)
{
	struct rr *r = zalloc(sizeof(*r));

	r->v = v;
	r->client = client;
	r->conns = zalloc(v->o->conns * sizeof(*r->conns));
	r->in = zalloc(v->o->conns * sizeof(*r->in));
	return r;
}

/**
 * vb_serve_rr() - answer requests for ever
 * @v: connected
 */
void vb_serve_rr(struct vb *v)
{
	struct rr *r = set_up(v, false);

	for (;;)
		step(r);
}

static void run_for(struct rr *r, double secs)
{
	uint64_t until;
	uint32_t i;

	r->now = now_ns();
	until = r->now + (uint64_t)(secs * 1e9);
	r->stop = false;
	for (i = 0; i < r->v->o->conns; i++)
		request(r, i);
	flush(r);
	while (r->now < until)
		step(r);
	r->stop = true;
	while (r->busy)
		step(r);
}

/**
 * vb_client_rr() - measure
 * @v: connected
 * @run: with the control channel open
 */
void vb_client_rr(struct vb *v, struct vb_run *run)
{
	struct rr *r = set_up(v, true);

	run_for(r, v->o->warm);
	r->ops = 0;
	r->lat.n = 0;
	vb_begin(v, run);
	run_for(r, v->o->secs);
	vb_end(v, run);
	printf("bench=verbs_rr conns=%u req=%u resp=%u rate=%.3f unit=1/s p50_us=%.1f p99_us=%.1f",
	       v->o->conns, v->o->req, v->o->resp, r->ops / run->secs,
	       samples_us(&r->lat, 0.5), samples_us(&r->lat, 0.99));
	vb_print(v, run, r->ops);
}
