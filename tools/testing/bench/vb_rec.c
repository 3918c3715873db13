// SPDX-License-Identifier: GPL-2.0
/*
 * Records: one SEND, a frame, carries messages of several connections with
 * their data. The data are copied at both ends, between the frame and the
 * memory of the connection. The module does the same for frames (frames.rst);
 * this program does it without sockets.
 */
#include <errno.h>
#include <string.h>

#include "vb.h"

struct vb_records {
	struct vb_frame *open;	/* NULL: the next record begins a frame */
	unsigned int n;		/* frames to post, including @open */
	struct ibv_send_wr wr[CHAIN_MAX];
	struct ibv_sge sge[CHAIN_MAX];
};

static struct vb_frame *begin_frame(struct vb *v, struct vb_records *rec)
{
	void *at = vb_send_slot(v);
	struct ibv_send_wr *wr = &rec->wr[rec->n];
	struct ibv_sge *sge = &rec->sge[rec->n++];

	rec->open = at;
	*rec->open = (struct vb_frame){ 0, sizeof(struct vb_frame) };
	*sge = (struct ibv_sge){ (uintptr_t)at, 0, v->mr->lkey };
	memset(wr, 0, sizeof(*wr));
	wr->next = wr + 1;
	wr->sg_list = sge;
	wr->num_sge = 1;
	wr->opcode = IBV_WR_SEND;
	wr->wr_id = ++v->posted;
	if (v->o->solicited)
		wr->send_flags |= IBV_SEND_SOLICITED;
	if (v->posted % v->o->signal_every == 0)
		wr->send_flags |= IBV_SEND_SIGNALED;
	return rec->open;
}

static void end_frame(struct vb *v, struct vb_records *rec)
{
	if (!rec->open)
		return;
	rec->sge[rec->n - 1].length = rec->open->len;
	if (v->o->inline_data && rec->open->len <= DATA_INLINE)
		rec->wr[rec->n - 1].send_flags |= IBV_SEND_INLINE;
	rec->open = NULL;
}

/**
 * vb_records_open() - prepare an endpoint that sends records
 * @v: the endpoint, with memory
 */
void vb_records_open(struct vb *v)
{
	v->rec = zalloc(sizeof(*v->rec));
}

/**
 * vb_records_add() - add a message to the frame, or begin another one
 * @v: the endpoint; its queue has room for a SEND
 * @conn: connection, whose data are in its slot of v->out
 * @len: number of bytes; they fit one frame
 * @seq: number of the message
 *
 * The caller posts after at most CHAIN_MAX messages.
 */
void vb_records_add(struct vb *v, uint32_t conn, uint32_t len, uint64_t seq)
{
	struct vb_record record = { .conn = conn, .len = len, .seq = seq };
	struct vb_frame *frame = v->rec->open;
	uint8_t *at;

	if (!frame || frame->len + sizeof(record) + len > v->piece) {
		end_frame(v, v->rec);
		frame = begin_frame(v, v->rec);
	}
	at = (uint8_t *)frame + frame->len;
	memcpy(at, &record, sizeof(record));
	memcpy(at + sizeof(record), v->out + (uint64_t)conn * v->slot, len);
	frame->len += sizeof(record) + len;
	frame->records++;
	v->stats.messages++;
}

/**
 * vb_records_post() - post all frames with one doorbell
 * @v: the endpoint, with at least one record
 */
void vb_records_post(struct vb *v)
{
	struct vb_records *rec = v->rec;
	struct ibv_send_wr *bad;

	end_frame(v, rec);
	rec->wr[rec->n - 1].next = NULL;
	if (ibv_post_send(v->qp, rec->wr, &bad))
		die("ibv_post_send: %s", strerror(errno));
	v->stats.posts++;
	rec->n = 0;
}

/**
 * vb_records_take() - copy the data of a received frame to their connections
 * @v: the endpoint
 * @wc: completion of the receive
 * @out: result: one entry for each message
 * @max: entries of @out; the program ends if there are more messages
 *
 * Return: number of messages.
 */
unsigned int vb_records_take(struct vb *v, const struct ibv_wc *wc,
			     struct vb_cdc *out, unsigned int max)
{
	const uint8_t *buf = v->receives + wc->wr_id * v->piece;
	uint32_t at = sizeof(struct vb_frame), i;
	struct vb_record record;
	struct vb_frame frame;

	memcpy(&frame, buf, sizeof(frame));
	if (wc->byte_len < at || frame.len != wc->byte_len)
		die("frame of %u bytes says %u", wc->byte_len, frame.len);
	if (frame.records > max)
		die("%u messages, at most %u wait", frame.records, max);
	for (i = 0; i < frame.records; i++) {
		if (frame.len - at < sizeof(record))
			die("frame ends in a record");
		memcpy(&record, buf + at, sizeof(record));
		at += sizeof(record);
		if (record.conn >= v->o->conns || record.len > v->slot ||
		    record.len > frame.len - at)
			die("record of %u bytes for connection %u", record.len,
			    record.conn);
		memcpy(v->rmb + (uint64_t)record.conn * v->slot, buf + at,
		       record.len);
		at += record.len;
		out[i].conn = record.conn;
		out[i].len = record.len;
		out[i].seq = record.seq;
	}
	return frame.records;
}
