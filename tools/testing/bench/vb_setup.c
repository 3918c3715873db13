// SPDX-License-Identifier: GPL-2.0
/* Sets up the device, the memory and the queues, and connects the
 * queue pair.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vb.h"

static void open_device(struct vb *v)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_port_attr port;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), v->o->dev))
			v->ctx = ibv_open_device(list[i]);
	if (!v->ctx)
		die("cannot open RDMA device %s", v->o->dev);
	ibv_free_device_list(list);
	if (ibv_query_port(v->ctx, 1, &port))
		die("ibv_query_port: %s", strerror(errno));
	v->mtu = port.active_mtu;
	/* GID of the IPv4 address */
	for (i = 0; i < port.gid_tbl_len; i++) {
		static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };

		if (ibv_query_gid(v->ctx, 1, i, &v->gid) ||
		    memcmp(v->gid.raw, v4, sizeof(v4)))
			continue;
		v->gid_index = i;
		return;
	}
	die("%s has no GID of an IPv4 address", v->o->dev);
}

/* Returns the bytes of the largest message. */
static unsigned int largest(const struct vb_opts *o)
{
	return o->req > o->resp ? o->req : o->resp;
}

static void take_memory(struct vb *v)
{
	size_t half, all;

	v->slots = v->o->bulk ? v->o->depth : v->o->conns;
	v->slot = v->o->bulk ? v->o->msg : largest(v->o);
	v->slot = (v->slot + 63) / 64 * 64;
	v->sq = v->o->bulk ? v->o->depth : 8 * v->o->conns;
	if (v->sq < 64)
		v->sq = 64;
	v->rq = v->o->bulk ? 2 * v->o->depth : 2 * v->o->conns;
	if (v->rq < 64)
		v->rq = 64;
	v->piece = v->o->records ? FRAME_MAX : sizeof(struct vb_cdc);
	half = (size_t)v->slot * v->slots;
	all = 2 * half + (size_t)(v->sq + v->rq) * v->piece;
	v->mem = mmap(NULL, all, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (v->mem == MAP_FAILED)
		die("mmap %zu bytes: %s", all, strerror(errno));
	v->rmb = v->mem;
	v->out = v->mem + half;
	v->sends = v->mem + 2 * half;
	v->receives = v->sends + (size_t)v->sq * v->piece;
	v->mr = ibv_reg_mr(v->pd, v->mem, all,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!v->mr)
		die("ibv_reg_mr: %s", strerror(errno));
}

static void create_queues(struct vb *v)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_recv_wr = v->rq,
			.max_send_wr = 2 * v->sq,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = v->o->inline_data ? DATA_INLINE :
					   v->o->inline_cdc ? CDC_INLINE : 0,
		},
	};

	v->channel = ibv_create_comp_channel(v->ctx);
	if (!v->channel)
		die("ibv_create_comp_channel: %s", strerror(errno));
	v->rcq = ibv_create_cq(v->ctx, 2 * v->sq + v->rq, NULL, v->channel, 0);
	v->scq = v->rcq;
	if (v->o->split_cq)
		v->scq = ibv_create_cq(v->ctx, 2 * v->sq, NULL, v->channel, 0);
	if (!v->rcq || !v->scq)
		die("ibv_create_cq: %s", strerror(errno));
	attr.send_cq = v->scq;
	attr.recv_cq = v->rcq;
	v->qp = ibv_create_qp(v->pd, &attr);
	if (!v->qp)
		die("ibv_create_qp: %s", strerror(errno));
}

/**
 * vb_open() - create everything that does not need the peer
 * @v: filled in; receives are posted
 * @o: options; must outlive @v
 */
void vb_open(struct vb *v, const struct vb_opts *o)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	uint64_t i;

	v->o = o;
	if (o->records && (o->bulk || largest(o) > FRAME_MAX / 2))
		die("records are for requests and responses of up to %u bytes",
		    FRAME_MAX / 2);
	open_device(v);
	v->pd = ibv_alloc_pd(v->ctx);
	if (!v->pd)
		die("ibv_alloc_pd: %s", strerror(errno));
	take_memory(v);
	if (o->records)
		vb_records_open(v);
	create_queues(v);
	if (ibv_modify_qp(v->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			  IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		die("queue pair to INIT: %s", strerror(errno));
	for (i = 0; i < v->rq; i++)
		vb_post_recv(v, &i, 1);
}

/**
 * vb_local() - describe this end to the peer
 * @v: opened
 * @me: result
 */
void vb_local(struct vb *v, struct vb_peer *me)
{
	memset(me, 0, sizeof(*me));
	me->addr = (uintptr_t)v->rmb;
	me->rkey = v->mr->rkey;
	me->qpn = v->qp->qp_num;
	me->psn = v->qp->qp_num & 0xffffff;
	me->gid = v->gid;
}

/**
 * vb_connect() - make the queue pair ready to send
 * @v: opened
 * @peer: parameters that the peer's vb_local() has written
 */
void vb_connect(struct vb *v, const struct vb_peer *peer)
{
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = v->mtu,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 5,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = {
				.dgid = peer->gid,
				.sgid_index = v->gid_index,
				.hop_limit = 1,
			},
		},
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = v->qp->qp_num & 0xffffff,
		.timeout = 15,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};

	v->peer = *peer;
	if (ibv_modify_qp(v->qp, &rtr, IBV_QP_STATE | IBV_QP_AV |
			  IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		die("queue pair to RTR: %s", strerror(errno));
	if (ibv_modify_qp(v->qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		die("queue pair to RTS: %s", strerror(errno));
}
