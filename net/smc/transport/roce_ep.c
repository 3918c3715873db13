// SPDX-License-Identifier: GPL-2.0
/*
 * The object of a RoCE endpoint: parts that its queue pair and its regions
 * share.
 */
#include "port_priv.h"
#include "roce_ep.h"

/** smc_roce_ep_hw_put - drop one use of the protection domain */
void smc_roce_ep_hw_put(struct smc_roce *r)
{
	if (!refcount_dec_and_test(&r->hw))
		return;
	ib_dealloc_pd(r->pd);
	smc_port_unuse(r->ep.port);
}

/**
 * smc_roce_ep_kill - stop the queue pair, so that the peer cannot write through
 * it
 * @r:		endpoint
 *
 * Posted work requests are flushed. A quiet queue pair is stopped already.
 * Context: may sleep.
 */
void smc_roce_ep_kill(struct smc_roce *r)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	mutex_lock(&r->ep.ctl);
	if (READ_ONCE(r->ep.state) < SMC_EP_QUIET)
		ib_modify_qp(r->qp, &attr, IB_QP_STATE);
	mutex_unlock(&r->ep.ctl);
}

/** smc_roce_ep_errno - get the errno for the status of a failed completion */
int smc_roce_ep_errno(enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_SUCCESS:
		return 0;
	case IB_WC_WR_FLUSH_ERR:
		return -ECONNABORTED;
	case IB_WC_RETRY_EXC_ERR:
	case IB_WC_RNR_RETRY_EXC_ERR:
		return -ETIMEDOUT;
	case IB_WC_REM_ACCESS_ERR:
	case IB_WC_LOC_PROT_ERR:
		return -EACCES;
	default:
		return -EIO;
	}
}

/**
 * smc_roce_ep_is_message - has a receive completed with a message?
 * @r:		endpoint; it fails if the peer or the device has made an error
 * @wc:		the completion
 *
 * Accepts only plain SENDs. A write with immediate data would deliver old
 * contents of the buffer. A SEND that invalidates a key is not allowed, because
 * the keys are ours. Context: softirq.
 */
bool smc_roce_ep_is_message(struct smc_roce *r, const struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS) {
		smc_ep_fail(&r->ep, smc_roce_ep_errno(wc->status));
		return false;
	}
	if (wc->opcode != IB_WC_RECV ||
	    wc->wc_flags & (IB_WC_WITH_IMM | IB_WC_WITH_INVALIDATE)) {
		smc_ep_fail(&r->ep, -EPROTO);
		return false;
	}
	return true;
}
