/* SPDX-License-Identifier: GPL-2.0 */
/*
 * This benchmark sends SMC-R's messages with bare verbs. The benchmark shows
 * the speed that a good user-space program reaches on the same device. The
 * benchmark uses one RC queue pair and event-driven completions.
 */
#ifndef VB_H
#define VB_H

#include <infiniband/verbs.h>

#include "bench.h"

#define CDC_LEN		44
#define CDC_INLINE	64	/* room that the queue pair should have */
#define DATA_INLINE	224
#define CHAIN_MAX	64
#define FRAME_MAX	4096	/* bytes of a SEND with records */
#define BATCH_MAX	64

struct vb_opts {
	const char *host;	/* NULL: server */
	const char *dev;
	const char *mib;
	int port;
	bool bulk;
	double secs;
	double warm;
	/* the client sends the following values to the server, in this order */
	unsigned int conns;	/* rr: number of closed loops at a time */
	unsigned int req;
	unsigned int resp;
	unsigned int depth;	/* bulk: writes outstanding */
	unsigned int msg;	/* bulk: bytes per write */
	unsigned int cdc;	/* bulk: a SEND after each write */
	unsigned int inline_cdc;
	unsigned int inline_data;
	unsigned int signal_every;	/* SENDs per signalled one */
	unsigned int chain;	/* maximum messages per post */
	unsigned int batch;	/* maximum completions per poll */
	/* a receive event occurs only for solicited SENDs */
	unsigned int solicited;
	unsigned int split_cq;	/* separate send queue, never armed */
	unsigned int again;	/* poll again before arming */
	unsigned int calls;	/* rr: one system call per message and side */
	unsigned int records;	/* rr: SENDs carry the data of many messages */
};

struct vb_peer {
	uint64_t addr;
	uint32_t rkey;
	uint32_t qpn;
	uint32_t psn;
	union ibv_gid gid;
};

/* The part of a CDC message that this program uses; the rest of its 44 bytes is
 * zero.
 */
struct vb_cdc {
	uint32_t conn;
	uint32_t len;
	uint64_t seq;
	uint8_t pad[CDC_LEN - 16];
};

/* A frame has a header and records. The sizes are those of F-02 and F-03. */
struct vb_frame {
	uint32_t records;
	uint32_t len;		/* with this header */
};

/* Precedes the data of a message in a frame. */
struct vb_record {
	uint32_t conn;
	uint32_t len;
	uint64_t seq;
	uint8_t pad[16];
};

struct vb_stats {
	long long wakeups;	/* completion events waited for */
	long long polls;	/* non-empty polls */
	long long posts;	/* doorbells of the send queue */
	long long messages;	/* WRITE + SEND pairs, WRITEs, or records */
	long long sq_waits;	/* no send slot left */
};

struct vb {
	const struct vb_opts *o;
	int ctl;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *scq;
	struct ibv_cq *rcq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t gid_index;
	enum ibv_mtu mtu;
	union ibv_gid gid;
	struct vb_peer peer;
	uint8_t *mem;		/* rmb, payloads, SENDs, receives */
	uint8_t *rmb;
	uint8_t *out;
	uint8_t *sends;
	uint8_t *receives;
	unsigned int piece;	/* bytes of a SEND and of a receive */
	unsigned int slot;	/* bytes per connection in rmb and out */
	unsigned int slots;
	/* number of messages for which the send queue has room */
	unsigned int sq;
	unsigned int rq;
	uint64_t posted;	/* messages, or frames */
	uint64_t finished;
	unsigned int unacked;	/* completion events */
	struct vb_records *rec;	/* NULL: WRITEs and SENDs */
	struct vb_stats stats;
};

/* vb_setup.c */
void vb_open(struct vb *v, const struct vb_opts *o);
void vb_local(struct vb *v, struct vb_peer *me);
void vb_connect(struct vb *v, const struct vb_peer *peer);

/* vb_cq.c */
void *vb_send_slot(struct vb *v);
void vb_post_recv(struct vb *v, const uint64_t *index, unsigned int n);
void vb_wait(struct vb *v);
void vb_sent(struct vb *v, const struct ibv_wc *wc);
unsigned int vb_poll(struct vb *v, struct ibv_cq *cq, struct ibv_wc *wc);
void vb_take_counts(struct vb *v, struct counts *c);

/* vb_rec.c */
void vb_records_open(struct vb *v);
void vb_records_add(struct vb *v, uint32_t conn, uint32_t len, uint64_t seq);
void vb_records_post(struct vb *v);
unsigned int vb_records_take(struct vb *v, const struct ibv_wc *wc,
			     struct vb_cdc *out, unsigned int max);

/* vb_rr.c and vb_bulk.c; @m is the measurement that the client prints */
struct vb_run {
	struct ctl ctl;
	struct counts cli;
	struct counts srv;
	uint64_t start;
	double secs;
};

void vb_begin(struct vb *v, struct vb_run *r);
void vb_end(struct vb *v, struct vb_run *r);
void vb_print(struct vb *v, struct vb_run *r, uint64_t ops);
void vb_serve_rr(struct vb *v);
void vb_serve_bulk(struct vb *v);
const char *vb_check_bulk(struct vb *v, uint64_t last);
void vb_client_rr(struct vb *v, struct vb_run *r);
void vb_client_bulk(struct vb *v, struct vb_run *r);

#endif
