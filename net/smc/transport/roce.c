// SPDX-License-Identifier: GPL-2.0
/*
 * RoCE endpoint: an RC queue pair from creation to destruction. Each endpoint
 * has its own protection domain and its own pair of completion queues
 * (R-2.1-06).
 */
#include <linux/etherdevice.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include "../base/limits.h"
#include "../base/memcg.h"
#include "dev.h"
#include "port_priv.h"
#include "roce_busy.h"
#include "roce_ep.h"
#include "roce_frames.h"
#include "roce_mr.h"
#include "roce_ring.h"

/*
 * The peer does not see these values, so they differ from those of deployed
 * peers. rxe retries for ever with a retry count of 7, and would never report a
 * dead peer. With these values a dead peer is reported after about two seconds,
 * 7 times 0.27 s, and by rxe after 7 times 0.54 s. An adapter may wait up to
 * four times as long before each retry (InfiniBand specification, 9.7.6.1.3),
 * and a dead peer then costs up to 7.5 s.
 * No deadline of the group depends on this report: TEST LINK and the LLC
 * exchanges have timers of their own. When such a timer expires, the link is
 * stopped at once.
 */
enum {
	QP_TIMEOUT	= 16,	/* 0.27 s */
	/*
	 * 0.54 s, for rxe. rxe needs a CPU to send an ACK, so a loaded host
	 * sends it late. Each retry repeats all messages under way, and so adds
	 * to the load.
	 */
	QP_TIMEOUT_RXE	= 17,
	QP_RETRY	= 6,
	/* retry without limit; enough receives are posted, so RNR is rare */
	QP_RNR_RETRY	= 7,
	/* where messages need credits, a missing receive is a fault */
	QP_RNR_CREDITS	= 6,
	QP_RNR_TIMER	= 5,	/* 0.06 ms */
	/* both hosts are on one Layer 2 network, R-5.2-01 */
	QP_HOPS		= 1,
	QP_HOPS_ROUTED	= 64,	/* version 2 through a gateway */
};

static void qp_event(struct ib_event *event, void *ctx)
{
	struct smc_roce *r = ctx;

	switch (event->event) {
	case IB_EVENT_QP_FATAL:
	case IB_EVENT_QP_REQ_ERR:
	case IB_EVENT_QP_ACCESS_ERR:
		smc_ep_fail(&r->ep, -EIO);
		break;
	default:
		break;
	}
}

static void port_changed(struct smc_port_watch *watch)
{
	struct smc_roce *r = container_of(watch, struct smc_roce, watch);
	const struct ib_gid_attr *now;

	if (smc_port_gone(r->ep.port)) {
		smc_ep_fail(&r->ep, -ENETDOWN);
		return;
	}
	/* our reference keeps the index from being used for another GID */
	now = rdma_get_gid_attr(r->ibdev, r->ep.port->num, r->sgid->index);
	if (IS_ERR(now))
		smc_ep_fail(&r->ep, -EADDRNOTAVAIL);
	else
		rdma_put_gid_attr(now);
}

/* ---- opening ---- */

static struct ib_qp *try_qp(struct smc_roce *r, u32 n_sge, u32 inline_bytes)
{
	struct ib_qp_init_attr init = {
		.event_handler	= qp_event,
		.qp_context	= r,
		.send_cq	= r->send.cq,
		.recv_cq	= r->recv.cq,
		.cap = {
			.max_send_wr	 = smc_roce_depth_sends(&r->depth),
			.max_recv_wr	 = smc_roce_depth_recvs(&r->depth),
			.max_send_sge	 = n_sge,
			.max_recv_sge	 = r->ring.n_rx_sge,
			.max_inline_data = inline_bytes,
		},
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
	};
	struct ib_qp *qp = ib_create_qp(r->pd, &init);

	if (!IS_ERR(qp)) {
		r->ring.inline_msg = inline_bytes &&
				     init.cap.max_inline_data >= inline_bytes;
		r->ep.max.pieces = n_sge;
	}
	return qp;
}

/* Return: false if the device, or @max, is too small. */
static bool fit_depth(struct smc_roce *r, int max)
{
	return smc_roce_depth_fit(&r->depth, max, r->ep.user->take);
}

/* Return: false if the queues cannot be smaller. */
static bool halve_depth(struct smc_roce *r)
{
	int sends = smc_roce_depth_sends(&r->depth);

	return sends > SMC_ROCE_ENTRIES_MIN &&
	       fit_depth(r, max(sends / 2, SMC_ROCE_ENTRIES_MIN));
}

/*
 * Creates the queue pair. A device may refuse a combination of values, so the
 * function retries with smaller ones, but not if the device does not answer or
 * is gone.
 */
static int create_qp(struct smc_roce *r)
{
	u32 n_sge = min_t(u32, r->ibdev->attrs.max_send_sge,
			  SMC_EP_MAX_PIECES);
	u32 inline_bytes = SMC_EP_MSG_LEN;
	struct ib_qp *qp;

	r->ring.n_rx_sge = r->ep.user->take ? 1 :
			   min_t(u32, r->ibdev->attrs.max_recv_sge,
				 SMC_ROCE_RX_PIECES);
	for (;;) {
		qp = try_qp(r, n_sge, inline_bytes);
		if (!IS_ERR(qp))
			break;
		if (qp == ERR_PTR(-ETIMEDOUT) || qp == ERR_PTR(-ENODEV))
			return PTR_ERR(qp);
		if (inline_bytes)
			inline_bytes = 0;
		else if (n_sge > 1)
			n_sge /= 2;
		else if (!halve_depth(r))
			return PTR_ERR(qp);
	}
	r->qp = qp;
	return 0;
}

static int destroy_qp(void *qp)
{
	return ib_destroy_qp(qp);
}

static int create_queues(struct smc_roce *r)
{
	const struct ib_device_attr *attrs = &r->ibdev->attrs;
	int err;

	if (!fit_depth(r, min(attrs->max_qp_wr, attrs->max_cqe)))
		return -EOPNOTSUPP;
	err = smc_roce_cq_open(r);
	if (err)
		return err;
	err = create_qp(r);
	if (err)
		goto free_cqs;
	err = smc_roce_ring_alloc(r);
	if (err)
		goto free_qp;
	return 0;
free_qp:
	if (!smc_roce_ep_destroy(r, destroy_qp, r->qp))
		return err;
free_cqs:
	smc_roce_cq_free(r);
	return err;
}

/*
 * After this no completion is handled: the queue pair is destroyed, or its
 * completion queues are not polled again.
 */
static void destroy_queues(struct smc_roce *r)
{
	if (smc_roce_ep_destroy(r, destroy_qp, r->qp)) {
		smc_roce_cq_quiesce(r);
		smc_roce_cq_free(r);
	} else {
		smc_roce_cq_stop(r);
	}
	/* partner: reg_settled(); no registration is under way now */
	smp_store_release(&r->qp, NULL);
	wake_up_all(&r->reg_wait);
}

/*
 * Changes the state of the queue pair. If that fails, the queue pair must not
 * be drained any more. Context: the caller creates the endpoint, or holds
 * ep->ctl. Return: 0 or a negative errno.
 */
static int modify_qp(struct smc_roce *r, struct ib_qp_attr *attr, int mask)
{
	int err = ib_modify_qp(r->qp, attr, mask | IB_QP_STATE);

	if (err)
		r->stuck = true;
	return err;
}

/*
 * Ends all posted work requests. After a change of state has failed, a drain
 * may wait for ever. The device may not stop the queue pair on demand. Or it
 * does not complete receives any more, as rdma_rxe after a change that found no
 * memory. So the queue pair is destroyed instead.
 */
static void stop_queues(struct smc_roce *r)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	modify_qp(r, &attr, 0);
	if (!r->stuck) {
		ib_drain_qp(r->qp);
	} else {
		/* a receive that is being handled may use the queue pair */
		smc_roce_cq_quiesce(r);
		destroy_queues(r);
	}
	smc_roce_ring_flush(r);
}

static void free_queues(struct smc_roce *r)
{
	if (r->qp)
		destroy_queues(r);
	if (!READ_ONCE(r->kept))
		smc_roce_ring_free(r);
}

static int modify_init(struct smc_roce *r)
{
	struct ib_qp_attr attr = {
		.qp_state	 = IB_QPS_INIT,
		.pkey_index	 = 0,
		.port_num	 = r->ep.port->num,
		.qp_access_flags = IB_ACCESS_LOCAL_WRITE |
				   IB_ACCESS_REMOTE_WRITE,
	};

	return modify_qp(r, &attr, IB_QP_PKEY_INDEX | IB_QP_PORT |
			 IB_QP_ACCESS_FLAGS);
}

static int describe_self(struct smc_roce *r)
{
	struct smc_ep_addr *self = &r->ep.self;
	struct ib_port_attr port;
	int err;

	err = ib_query_port(r->ibdev, r->ep.port->num, &port);
	if (err)
		return err;
	err = rdma_read_gid_l2_fields(r->sgid, NULL, self->mac);
	if (err)
		return err;
	memcpy(self->gid, r->sgid->gid.raw, sizeof(self->gid));
	self->psn = get_random_u32() & SMC_PSN_MAX;
	self->mtu = port.active_mtu;
	r->ep.max.mr_pages = min_t(u32, 512,
				   r->ibdev->attrs.max_fast_reg_page_list_len);
	return 0;
}

/*
 * A write may have one piece, which has to be mapped at once. Bounce buffers
 * and IOMMUs have limits.
 */
static u32 max_write(const struct smc_roce *r)
{
	size_t n = r->ep.max.pieces * PAGE_SIZE;

	if (ib_uses_virt_dma(r->ibdev))
		return n;
	return min(n, dma_max_mapping_size(r->ibdev->dma_device));
}

/*
 * Creates the objects that need the device. After a failure the function holds
 * nothing.
 */
static int open_device(struct smc_roce *r, const struct smc_dev_choice *choice)
{
	int err;

	r->sgid = smc_dev_choice_gid(choice);
	if (IS_ERR(r->sgid))
		return PTR_ERR(r->sgid);
	err = describe_self(r);
	if (err)
		goto put_gid;
	r->pd = ib_alloc_pd(r->ibdev, 0);
	if (IS_ERR(r->pd)) {
		err = PTR_ERR(r->pd);
		goto put_gid;
	}
	err = create_queues(r);
	if (err) {
		/* an event of the queue pair may have queued work */
		smc_ep_abandon(&r->ep);
		goto dealloc_pd;
	}
	r->ep.self.qpn = r->qp->qp_num;
	r->ep.max.write = max_write(r);
	r->ep.max.mr_batch = r->depth.regs / 2;
	smc_ep_limit_slots(&r->ep, r->depth.slots);
	err = modify_init(r);
	if (err) {
		smc_ep_abandon(&r->ep);
		goto free_queues;
	}
	err = smc_roce_ring_fill(r);
	if (err) {
		smc_ep_abandon(&r->ep);
		/* the posted receives complete with an error */
		stop_queues(r);
		smc_roce_frames_stop(r);
		goto free_queues;
	}
	smc_roce_busy_start(r);
	return 0;
free_queues:
	free_queues(r);
dealloc_pd:
	if (!READ_ONCE(r->kept))
		ib_dealloc_pd(r->pd);
put_gid:
	rdma_put_gid_attr(r->sgid);
	return err;
}

static const struct smc_ep_ops roce_ops;

struct smc_ep *smc_ep_open_roce(const struct smc_dev_choice *choice,
				const struct smc_ep_user *user, void *ctx)
{
	struct smc_port *port = choice->port;
	struct smc_roce *r = kzalloc(sizeof(*r), SMC_GFP_PAID);
	int err;

	if (!r)
		return ERR_PTR(-ENOMEM);
	refcount_set(&r->hw, 1);
	init_waitqueue_head(&r->reg_wait);
	err = smc_ep_init(&r->ep, &roce_ops,
			  user->take ? SMC_ROCE_FRAMES_SLOTS : SMC_EP_SLOTS,
			  user, ctx);
	if (err)
		goto cleanup;
	err = -EIO;
	if (!smc_roce_ep_may_open(port))
		goto cleanup;
	err = -ENODEV;
	if (!smc_port_use(port))
		goto cleanup;
	r->ep.port = smc_port_get(port, SMC_PORT_REF_EP);
	r->ibdev = port->ibdev;
	r->tclass = choice->tclass;
	r->sl = choice->sl;
	err = open_device(r, choice);
	if (err)
		goto unuse;
	r->watch.changed = port_changed;
	smc_port_watch(port, &r->watch);
	/* port or GID may have gone before the watch was registered */
	port_changed(&r->watch);
	return smc_ep_opened(&r->ep);
unuse:
	smc_port_unuse(port);
	if (READ_ONCE(r->kept))
		return ERR_PTR(err);
	smc_port_put(port, SMC_PORT_REF_EP);
cleanup:
	smc_ep_cleanup(&r->ep);
	kfree(r);
	return ERR_PTR(err);
}

/* ---- connecting ---- */

/* Return: 0, or -EPROTO if the peer's address is not valid. */
static int check_peer(const struct smc_ep_addr *self,
		      const struct smc_ep_addr *peer, bool routable)
{
	const struct in6_addr *own = (const void *)self->gid;
	const struct in6_addr *his = (const void *)peer->gid;

	if (!peer->qpn || peer->qpn > SMC_QPN_MAX || peer->psn > SMC_PSN_MAX ||
	    peer->mtu < IB_MTU_256 || peer->mtu > IB_MTU_4096)
		return -EPROTO;
	/* MAC of the frames, which the verbs layer does not resolve */
	if (!is_valid_ether_addr(peer->gateway ? peer->hop : peer->mac))
		return -EPROTO;
	if (ipv6_addr_any(his) || ipv6_addr_is_multicast(his))
		return -EPROTO;
	/*
	 * a GID of RoCEv2 is an IP address; a GID of RoCEv1 is only an
	 * identifier
	 */
	if (routable && ipv6_addr_v4mapped(own) != ipv6_addr_v4mapped(his))
		return -EPROTO;
	return 0;
}

static int roce_accept(struct smc_ep *ep)
{
	struct smc_roce *r = smc_roce_ep_of(ep);
	struct ib_qp_attr attr = {
		.qp_state		= IB_QPS_RTR,
		.path_mtu		= min(ep->self.mtu, ep->peer.mtu),
		.dest_qp_num		= ep->peer.qpn,
		.rq_psn			= ep->peer.psn,
		.max_dest_rd_atomic	= 1,
		.min_rnr_timer		= QP_RNR_TIMER,
		.ah_attr.type		= RDMA_AH_ATTR_TYPE_ROCE,
	};
	int err;

	err = check_peer(&ep->self, &ep->peer,
			 r->sgid->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP);
	if (err)
		return err;
	rdma_ah_set_port_num(&attr.ah_attr, ep->port->num);
	rdma_ah_set_grh(&attr.ah_attr, NULL, 0, r->sgid->index,
			ep->peer.gateway ? QP_HOPS_ROUTED : QP_HOPS, r->tclass);
	rdma_ah_set_sl(&attr.ah_attr, r->sl);
	rdma_ah_set_dgid_raw(&attr.ah_attr, ep->peer.gid);
	memcpy(attr.ah_attr.roce.dmac,
	       ep->peer.gateway ? ep->peer.hop : ep->peer.mac, ETH_ALEN);
	return modify_qp(r, &attr, IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			 IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
			 IB_QP_MIN_RNR_TIMER);
}

static u8 qp_timeout(const struct ib_device *ibdev)
{
	return ibdev->ops.driver_id == RDMA_DRIVER_RXE ? QP_TIMEOUT_RXE :
							  QP_TIMEOUT;
}

static int roce_start(struct smc_ep *ep)
{
	struct ib_qp_attr attr = {
		.qp_state	= IB_QPS_RTS,
		.timeout	= qp_timeout(smc_roce_ep_of(ep)->ibdev),
		.retry_cnt	= QP_RETRY,
		.rnr_retry	= QP_RNR_RETRY,
		.sq_psn		= ep->self.psn,
		.max_rd_atomic	= 1,
	};

	if (ep->user->take && ep->user->counted(ep->ctx))
		attr.rnr_retry = QP_RNR_CREDITS;
	return modify_qp(smc_roce_ep_of(ep), &attr, IB_QP_TIMEOUT |
			 IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_SQ_PSN |
			 IB_QP_MAX_QP_RD_ATOMIC);
}

/* ---- closing ---- */

static void roce_quiesce(struct smc_ep *ep)
{
	struct smc_roce *r = smc_roce_ep_of(ep);

	smc_port_unwatch(ep->port, &r->watch);
	smc_roce_busy_quiesce(r);
	stop_queues(r);
	smc_roce_frames_stop(r);
}

static void roce_close(struct smc_ep *ep)
{
	struct smc_roce *r = smc_roce_ep_of(ep);

	free_queues(r);
	/*
	 * after the grace period of smc_roce_cq_stop() no task runs the queue
	 */
	smc_roce_busy_free(r);
	rdma_put_gid_attr(r->sgid);
	smc_roce_ep_hw_put(r);
}

static void roce_release(struct smc_ep *ep)
{
	smc_port_put(ep->port, SMC_PORT_REF_EP);
	smc_ep_cleanup(ep);
	kfree(smc_roce_ep_of(ep));
}

static const struct smc_ep_ops roce_ops = {
	.name		= "roce",
	.bundle_size	= sizeof(struct smc_roce_bundle),
	.accept		= roce_accept,
	.start		= roce_start,
	.quiesce	= roce_quiesce,
	.close		= roce_close,
	.release	= roce_release,
	.map		= smc_roce_ring_map,
	.unmap		= smc_roce_ring_unmap,
	.post		= smc_roce_ring_post,
	.mr_alloc	= smc_roce_mr_alloc,
	.mr_register	= smc_roce_mr_register,
	.mr_wait	= smc_roce_mr_wait,
	.mr_sync	= smc_roce_mr_sync,
	.mr_free	= smc_roce_mr_free,
};
