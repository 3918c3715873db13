// SPDX-License-Identifier: GPL-2.0
/* Completions, receives and counts. The program waits for events and never
 * spins.
 */
#include <errno.h>
#include <string.h>

#include "vb.h"

/** vb_send_slot() - memory of the next SEND */
void *vb_send_slot(struct vb *v)
{
	return v->sends + v->posted % v->sq * v->piece;
}

/**
 * vb_post_recv() - post receive buffers to the queue pair, for the first time
 * or again
 * @v: the endpoint
 * @index: which buffers
 * @n: number of buffers, at most BATCH_MAX
 */
void vb_post_recv(struct vb *v, const uint64_t *index, unsigned int n)
{
	struct ibv_recv_wr wr[BATCH_MAX], *bad;
	struct ibv_sge sge[BATCH_MAX];
	unsigned int i;

	for (i = 0; i < n; i++) {
		sge[i].addr = (uintptr_t)v->receives + index[i] * v->piece;
		sge[i].length = v->piece;
		sge[i].lkey = v->mr->lkey;
		wr[i].wr_id = index[i];
		wr[i].next = i + 1 < n ? &wr[i + 1] : NULL;
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = 1;
	}
	if (n && ibv_post_recv(v->qp, wr, &bad))
		die("ibv_post_recv: %s", strerror(errno));
}

/**
 * vb_wait() - sleep until the armed completion queue has an event
 * @v: the endpoint
 */
void vb_wait(struct vb *v)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(v->channel, &cq, &context))
		die("ibv_get_cq_event: %s", strerror(errno));
	v->stats.wakeups++;
	/* an acknowledgment takes a mutex, so it covers many events */
	if (++v->unacked < 64 || cq != v->rcq)
		return;
	ibv_ack_cq_events(cq, v->unacked);
	v->unacked = 0;
}

/**
 * vb_sent() - count a send completion
 * @v: the endpoint
 * @wc: its wr_id is the number of messages that were posted up to this one
 */
void vb_sent(struct vb *v, const struct ibv_wc *wc)
{
	v->finished = wc->wr_id;
}

/**
 * vb_poll() - poll up to the configured number of completions
 * @v: the endpoint
 * @cq: which queue
 * @wc: result; an array of BATCH_MAX entries
 *
 * Return: number of completions; the program ends if one has failed.
 */
unsigned int vb_poll(struct vb *v, struct ibv_cq *cq, struct ibv_wc *wc)
{
	int i, n = ibv_poll_cq(cq, v->o->batch, wc);

	if (n < 0)
		die("ibv_poll_cq: %d", n);
	for (i = 0; i < n; i++)
		if (wc[i].status)
			die("completion: %s", ibv_wc_status_str(wc[i].status));
	v->stats.polls += n > 0;
	return n;
}

/**
 * vb_take_counts() - read the counts of the system and of this endpoint
 * @v: the endpoint
 * @c: result
 */
void vb_take_counts(struct vb *v, struct counts *c)
{
	counts_take(c, COUNTS_RUN, v->o->mib);
	counts_add(c, "vb_", "wakeups", v->stats.wakeups);
	counts_add(c, "vb_", "polls", v->stats.polls);
	counts_add(c, "vb_", "posts", v->stats.posts);
	counts_add(c, "vb_", "messages", v->stats.messages);
	counts_add(c, "vb_", "sq_waits", v->stats.sq_waits);
}

/**
 * vb_begin() - take the counts of both sides and start the clock
 * @v: the client's endpoint
 * @r: the measurement
 */
void vb_begin(struct vb *v, struct vb_run *r)
{
	ctl_ask(&r->ctl, "begin");
	vb_take_counts(v, &r->cli);
	r->start = now_ns();
}

/**
 * vb_end() - stop the clock, then turn the counts into differences
 * @v: the client's endpoint
 * @r: the measurement
 */
void vb_end(struct vb *v, struct vb_run *r)
{
	static struct counts after;

	r->secs = (now_ns() - r->start) / 1e9;
	vb_take_counts(v, &after);
	counts_subtract(&after, &r->cli);
	r->cli = after;
	ctl_ask(&r->ctl, "end");
	counts_parse(&r->srv, r->ctl.line);
}

/**
 * vb_print() - print variant and counts, and end the result line
 * @v: the client's endpoint
 * @r: the measurement, ended
 * @ops: operations
 */
void vb_print(struct vb *v, struct vb_run *r, uint64_t ops)
{
	static char buf[32768];
	const struct vb_opts *o = v->o;

	printf(" variant=ic%u.id%u.sig%u.ch%u.ba%u.sol%u.split%u.again%u.calls%u.rec%u",
	       o->inline_cdc, o->inline_data, o->signal_every, o->chain,
	       o->batch, o->solicited, o->split_cq, o->again, o->calls,
	       o->records);
	printf(" ops=%llu secs=%.6f", (unsigned long long)ops, r->secs);
	if (counts_format(&r->cli, "cli_", buf, sizeof(buf)))
		printf(" %s", buf);
	if (counts_format(&r->srv, "srv_", buf, sizeof(buf)))
		printf(" %s", buf);
	putchar('\n');
	if (fflush(stdout))
		die("cannot write the result");
}
