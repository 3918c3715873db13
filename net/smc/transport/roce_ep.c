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
