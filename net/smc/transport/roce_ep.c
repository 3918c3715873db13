// SPDX-License-Identifier: GPL-2.0
/*
 * The object of a RoCE endpoint: parts that its queue pair and its regions
 * share.
 */
#define pr_fmt(fmt) "smc: " fmt

#include <linux/delay.h>
#include <linux/module.h>
#include "port_priv.h"
#include "roce_ep.h"

enum {
	/* The first delay before another attempt; each next one is doubled. */
	DESTROY_RETRY_MS	= 100,
	/* With their delays, these attempts last for 51 s. */
	DESTROY_TRIES		= 10,
	/* No endpoint opens for this time after the last of them has failed. */
	REFUSED_MS		= 60000,
};

/* How often the end of the module tells why it waits. */
#define KEPT_WARN_MS	60000

static atomic_t n_kept = ATOMIC_INIT(0);

/*
 * The device still has an object of the endpoint, and may read and write what
 * the object names. So this memory is never freed. The device may be removed,
 * but its events may still call this module, so the module stays.
 */
static void keep_all(struct smc_roce *r)
{
	if (xchg(&r->kept, true))
		return;
	smc_ep_get(&r->ep, SMC_EP_REF_KEPT);
	atomic_inc(&n_kept);
	/* no effect if the module is already being unloaded */
	__module_get(THIS_MODULE);
}

/**
 * smc_roce_ep_exit - the end of the module, which waits for ever if a device
 * has not destroyed an object
 *
 * keep_all() prevents the unload, unless it has already begun.
 *
 * Context: may sleep; no endpoint is left but those that are kept.
 */
void smc_roce_ep_exit(void)
{
	while (atomic_read(&n_kept)) {
		pr_warn("cannot be unloaded: devices have not destroyed objects of %d queue pairs\n",
			atomic_read(&n_kept));
		schedule_timeout_idle(msecs_to_jiffies(KEPT_WARN_MS));
	}
}

/**
 * smc_roce_ep_may_open - may the port have another endpoint?
 * @port:	port
 *
 * After an object could not be destroyed, no endpoint opens for a minute.
 * Otherwise a device that never destroys an object would get more and more of
 * them. Context: any.
 */
bool smc_roce_ep_may_open(const struct smc_port *port)
{
	unsigned long since = READ_ONCE(port->refused);

	return !since ||
	       !time_in_range(jiffies, since,
			      since + msecs_to_jiffies(REFUSED_MS));
}

/**
 * smc_roce_ep_destroy - destroy an object of the device
 * @r:		endpoint
 * @destroy:	calls the device. Return: 0 or a negative errno
 * @obj:	the object
 *
 * A device may refuse while its firmware restarts, so this function tries again
 * for up to 51 s. For a minute after that, it tries only once for other objects
 * of the port. Context: may sleep. Return: true if the object is gone.
 * Otherwise the endpoint is kept, and with it all that the device may use.
 */
bool smc_roce_ep_destroy(struct smc_roce *r, int (*destroy)(void *obj),
			 void *obj)
{
	unsigned int ms = DESTROY_RETRY_MS;
	struct smc_port *port = r->ep.port;
	int tries = smc_roce_ep_may_open(port) ? DESTROY_TRIES : 1;
	int err = destroy(obj);

	for (; err && --tries; ms *= 2) {
		msleep(ms);
		err = destroy(obj);
	}
	if (!err)
		return true;
	WRITE_ONCE(port->refused, jiffies ?: 1);
	keep_all(r);
	pr_warn_ratelimited("%s does not destroy an object (%d): its memory stays, and the module cannot be unloaded\n",
			    r->ibdev->name, err);
	return false;
}

/** smc_roce_ep_hw_put - drop one use of the protection domain */
void smc_roce_ep_hw_put(struct smc_roce *r)
{
	if (!refcount_dec_and_test(&r->hw))
		return;
	if (!READ_ONCE(r->kept))
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
