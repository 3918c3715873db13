// SPDX-License-Identifier: GPL-2.0
/*
 * The client sends RDMA WRITEs of one size into a ring of slots at the server.
 * A fixed number of WRITEs is outstanding. As an option, a 44-byte SEND follows
 * each WRITE. Then the server only posts its receive buffer again.
 */
#include <errno.h>
#include <string.h>

#include "vb.h"

struct bulk {
	struct vb *v;
	unsigned int queued;
	unsigned int wrs;
	struct ibv_send_wr wr[2 * CHAIN_MAX];
	struct ibv_sge sge[2 * CHAIN_MAX];
};

static struct ibv_send_wr *next_wr(struct bulk *b, void *addr, uint32_t len)
{
	struct ibv_send_wr *wr = &b->wr[b->wrs];
	struct ibv_sge *sge = &b->sge[b->wrs++];

	*sge = (struct ibv_sge){ (uintptr_t)addr, len, b->v->mr->lkey };
	memset(wr, 0, sizeof(*wr));
	wr->next = wr + 1;
	wr->sg_list = sge;
	wr->num_sge = 1;
	return wr;
}

static void flush(struct bulk *b)
{
	struct ibv_send_wr *bad;

	if (!b->queued)
		return;
	b->wr[b->wrs - 1].next = NULL;
	if (ibv_post_send(b->v->qp, b->wr, &bad))
		die("ibv_post_send: %s", strerror(errno));
	b->v->stats.posts++;
	b->queued = 0;
	b->wrs = 0;
}

/* @last: no write follows, so the client must poll for this completion */
static void add_write(struct bulk *b, bool last)
{
	struct vb *v = b->v;
	uint64_t offset = v->posted % v->slots * v->slot;
	struct ibv_send_wr *wr;

	v->posted++;
	v->stats.messages++;
	memcpy(v->out + offset, &v->posted, sizeof(v->posted));
	wr = next_wr(b, v->out + offset, v->o->msg);
	wr->opcode = IBV_WR_RDMA_WRITE;
	wr->wr.rdma.remote_addr = v->peer.addr + offset;
	wr->wr.rdma.rkey = v->peer.rkey;
	if (v->o->cdc) {
		struct vb_cdc *cdc = vb_send_slot(v);

		cdc->seq = v->posted;
		wr = next_wr(b, cdc, sizeof(*cdc));
		wr->opcode = IBV_WR_SEND;
		wr->send_flags = v->o->inline_cdc ? IBV_SEND_INLINE : 0;
	}
	wr->wr_id = v->posted;
	if (last || v->posted % v->o->signal_every == 0)
		wr->send_flags |= IBV_SEND_SIGNALED;
	if (++b->queued == v->o->chain)
		flush(b);
}

static void reap(struct vb *v, bool wait)
{
	struct ibv_wc wc[BATCH_MAX];
	unsigned int i, n;

	n = vb_poll(v, v->scq, wc);
	if (!n && wait) {
		if (ibv_req_notify_cq(v->scq, 0))
			die("ibv_req_notify_cq: %s", strerror(errno));
		n = vb_poll(v, v->scq, wc);
		if (!n) {
			vb_wait(v);
			n = vb_poll(v, v->scq, wc);
		}
	}
	for (i = 0; i < n; i++)
		vb_sent(v, &wc[i]);
}

static uint64_t run_for(struct bulk *b, double secs)
{
	uint64_t until = now_ns() + (uint64_t)(secs * 1e9), first;
	struct vb *v = b->v;

	first = v->posted;
	while (now_ns() < until) {
		while (v->posted - v->finished < v->o->depth)
			add_write(b, false);
		flush(b);
		reap(v, true);
	}
	while (v->posted - v->finished >= v->o->depth)
		reap(v, true);
	add_write(b, true);
	flush(b);
	while (v->finished < v->posted)
		reap(v, true);
	return v->posted - first;
}

/**
 * vb_serve_bulk() - receive announcements for ever, if the client sends any
 * @v: connected
 */
void vb_serve_bulk(struct vb *v)
{
	struct ibv_wc wc[BATCH_MAX];
	uint64_t index[BATCH_MAX];
	unsigned int i, n;

	for (;;) {
		if (ibv_req_notify_cq(v->rcq, 0))
			die("ibv_req_notify_cq: %s", strerror(errno));
		while ((n = vb_poll(v, v->rcq, wc))) {
			for (i = 0; i < n; i++)
				index[i] = wc[i].wr_id;
			vb_post_recv(v, index, n);
		}
		vb_wait(v);
	}
}

/**
 * vb_check_bulk() - check that the slots contain the last round of writes
 * @v: the server's endpoint
 * @last: number of the last write
 *
 * Return: NULL if they do, otherwise the error.
 */
const char *vb_check_bulk(struct vb *v, uint64_t last)
{
	uint64_t i, seq;

	for (i = 0; i < v->slots && i < last; i++) {
		memcpy(&seq, v->rmb + (last - 1 - i) % v->slots * v->slot,
		       sizeof(seq));
		if (seq != last - i)
			return "error a slot does not hold its write";
	}
	return NULL;
}

/**
 * vb_client_bulk() - measure
 * @v: connected
 * @r: with the control channel open
 */
void vb_client_bulk(struct vb *v, struct vb_run *r)
{
	struct bulk *b = zalloc(sizeof(*b));
	uint64_t n;

	b->v = v;
	run_for(b, v->o->warm);
	vb_begin(v, r);
	n = run_for(b, v->o->secs);
	vb_end(v, r);
	ctl_ask(&r->ctl, "check %llu", (unsigned long long)v->posted);
	printf("bench=verbs_bulk bytes=%llu msg=%u depth=%u cdc=%u rate=%.3f unit=MB/s",
	       (unsigned long long)n * v->o->msg, v->o->msg, v->o->depth,
	       v->o->cdc, n * v->o->msg / r->secs / 1e6);
	vb_print(v, r, n);
}
