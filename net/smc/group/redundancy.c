// SPDX-License-Identifier: GPL-2.0
/*
 * When a group wants another link, and when it tries again (RFC 7609 3.5.5.1.2,
 * C.8). The server wants a link when a port appears, when a link has ended, or
 * when the client asks for one. The client asks when it has a new port, and
 * some time after it has refused an offer because memory or a device failed, or
 * because it has opened too many links lately. The code of this file runs in
 * the group's worker.
 */
#include "add.h"
#include "device.h"
#include "first_contact_fsm.h"
#include "flow_fsm.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link_types.h"
#include "symmetry.h"
#include "redundancy.h"

/*
 * After a link has failed to come up, the server waits this long before it
 * tries again (C.8). Each failure doubles the time, up to the limit. If no path
 * exists, only a new port on either side can help. A new port causes an attempt
 * at once, so these delays may become long.
 */
#define RETRY_MS	4000

#define RETRY_MAX_MS	64000

/*
 * Delay if the device was not even asked, because it has too much to do, or
 * because the worker had waited long enough.
 */
#define SOON_MS		1000U

#define NO_PATH_RETRY_MS 600000

/*
 * A client may have refused an offer because its device lacks a resource, and
 * may lack it for ever. Each attempt costs both hosts a queue pair, so the
 * client asks less and less often. This is the longest delay.
 */
#define REQUEST_RETRY_MAX_MS 300000

static unsigned int redundancy_next_retry(const struct smc_lgr *lgr)
{
	unsigned int last = lgr->flow.retry_ms;

	if (last == NO_PATH_RETRY_MS)
		last = 0;
	return clamp(2 * last, RETRY_MS, lgr->key.role == SMC_SERV ?
		     RETRY_MAX_MS : REQUEST_RETRY_MAX_MS);
}

/* R-C.8-02. The caller sets retry_ms, which decides what the delay forbids. */
static void redundancy_after(struct smc_lgr *lgr, unsigned int ms)
{
	if (lgr->key.role == SMC_SERV)
		lgr->flow.want = SMC_FLOW_WANT_NOTHING;
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_ADD_RETRY, ms);
}

/**
 * smc_redundancy_retry - the link did not come up; try again after the next
 * delay
 * @lgr: group
 *
 * Context: worker. The server adds a link, and the client repeats its request.
 */
void smc_redundancy_retry(struct smc_lgr *lgr)
{
	struct smc_flow *f = &lgr->flow;

	if (lgr->key.role == SMC_SERV)
		f->again = NULL;
	f->retry_ms = redundancy_next_retry(lgr);
	redundancy_after(lgr, f->retry_ms);
}

/**
 * smc_redundancy_soon - the device was not asked for a link; try again soon
 * @lgr: group
 *
 * As smc_redundancy_retry(), but the delay is short, and the next one is not
 * doubled. If the group has opened too many links lately, the delay ends when
 * it may open another one. Context: worker.
 */
void smc_redundancy_soon(struct smc_lgr *lgr)
{
	struct smc_flow *f = &lgr->flow;

	if (lgr->key.role == SMC_SERV)
		f->again = NULL;
	if (f->retry_ms == NO_PATH_RETRY_MS)
		f->retry_ms = 0;
	redundancy_after(lgr, max(SOON_MS, smc_device_open_wait(lgr)));
}

/**
 * smc_redundancy_no_path - no port is left to try
 * @lgr: group
 *
 * The server waits for a new port, but only for a limited time. A deployed
 * client that is busy when its new port appears neither accepts the offer nor
 * asks for another one. The delays begin with RETRY_MAX_MS, or with RETRY_MS if
 * the client has asked for a link and has refused it. Each delay is twice as
 * long as the one before, up to NO_PATH_RETRY_MS. Context: worker.
 */
void smc_redundancy_no_path(struct smc_lgr *lgr)
{
	struct smc_flow *f = &lgr->flow;

	f->no_path_ms = !f->no_path_ms ? RETRY_MAX_MS :
			min_t(u32, 2 * f->no_path_ms, NO_PATH_RETRY_MS);
	if (f->no_path_ms < RETRY_MAX_MS)
		f->again = NULL;
	f->retry_ms = NO_PATH_RETRY_MS;
	redundancy_after(lgr, f->no_path_ms);
}

/**
 * smc_redundancy_may_try - is an attempt to add a link allowed now?
 * @lgr: group
 *
 * Context: worker. Return: false while a retry delay runs. The long delay after
 * smc_redundancy_no_path() allows an attempt.
 */
bool smc_redundancy_may_try(const struct smc_lgr *lgr)
{
	return !READ_ONCE(lgr->mail.deadline[SMC_LGR_DL_ADD_RETRY]) ||
	       lgr->flow.retry_ms == NO_PATH_RETRY_MS;
}

/**
 * smc_redundancy_want - the group may need a link
 * @lgr: group
 *
 * The server sets @lgr->flow.want and clears the list of ports that it has
 * tried. Context: worker.
 */
void smc_redundancy_want(struct smc_lgr *lgr)
{
	if (lgr->key.role == SMC_SERV)
		lgr->flow.want = SMC_FLOW_WANT_LINK;
	lgr->flow.n_tried = 0;
	smc_lgr_due(lgr, SMC_LGR_DUE_FLOW);
}

/* ---- reasons ---- */

/** smc_redundancy_ports - a port or an address was added; runs in the worker */
void smc_redundancy_ports(struct smc_lgr *lgr)
{
	/* first_formed() acts on the agenda item when the group is usable */
	if (READ_ONCE(lgr->state) == SMC_LGR_FORMING)
		smc_lgr_due(lgr, SMC_LGR_DUE_PORTS);
	if (!smc_lgr_usable(lgr) || !smc_lgr_may_add(lgr) ||
	    !smc_symmetry_missing(lgr))
		return;
	if (lgr->key.role == SMC_SERV) {
		smc_redundancy_want(lgr);
	} else {
		lgr->flow.want = SMC_FLOW_WANT_NOTICE;
		smc_lgr_due(lgr, SMC_LGR_DUE_FLOW);
	}
}

/**
 * smc_redundancy_tell - client: ask the server for a link
 * @lgr: group whose links do not change now; deployed peers drop the message
 *	 while links change
 *
 * In version 2 the message is a request, and the client repeats it until the
 * server offers a link or refuses. Context: worker.
 */
void smc_redundancy_tell(struct smc_lgr *lgr)
{
	if (lgr->flow.want != SMC_FLOW_WANT_NOTICE || !smc_symmetry_missing(lgr))
		return;
	lgr->flow.want = SMC_FLOW_WANT_NOTHING;
	if (smc_add_notice(lgr))
		smc_redundancy_retry(lgr);
}

/**
 * smc_redundancy_answered - client: take an offer, or a refusal, as the answer
 * @lgr: group
 *
 * Context: worker. After this the client asks again only if it refuses an offer
 * for a reason that may pass.
 */
void smc_redundancy_answered(struct smc_lgr *lgr)
{
	if (lgr->flow.want != SMC_FLOW_WANT_ANSWER)
		return;
	lgr->flow.want = SMC_FLOW_WANT_NOTHING;
	lgr->flow.again = NULL;
	/* the request need not be repeated, so the delay does not grow */
	if (READ_ONCE(lgr->mail.deadline[SMC_LGR_DL_ADD_RETRY]))
		lgr->flow.retry_ms /= 2;
	smc_lgr_clear_deadline(lgr, SMC_LGR_DL_ADD_RETRY);
}

/* ---- server: requests of the client ---- */

/**
 * smc_redundancy_asked - server: the client asks for a link
 * @lgr: group
 *
 * Context: worker.
 */
void smc_redundancy_asked(struct smc_lgr *lgr)
{
	/* R-3.5.5.1.2-02, -04, R-3.5.5.3.1-02 */
	if (!smc_symmetry_missing(lgr))
		return;
	lgr->flow.again = NULL;
	lgr->flow.no_path_ms = RETRY_MS / 2;
	smc_redundancy_want(lgr);
}

/**
 * smc_redundancy_request - REQUEST ADD LINK, or the answer that refuses it
 * @link: on this link
 * @in: message
 *
 * Context: worker.
 */
void smc_redundancy_request(struct smc_link *link, const struct smc_llc_in *in)
{
	bool reply = in->m.request.reply;
	struct smc_lgr *lgr = link->lgr;

	if (reply && lgr->key.role == SMC_CLNT && lgr->flow.asked) {
		lgr->flow.asked--;
		smc_redundancy_answered(lgr);
		return;
	}
	if (reply || lgr->key.role == SMC_CLNT) {
		smc_lgr_violation(lgr);
		return;
	}
	if (lgr->first.state == SMC_FIRST_DONE && smc_lgr_may_add(lgr))
		smc_redundancy_asked(lgr);
	/*
	 * ADD LINK is also an answer, so decide about the request first. An
	 * offer that the client has not answered yet is the answer.
	 */
	if (lgr->flow.state == SMC_FLOW_ADD)
		return;
	lgr->flow.request = link->uid;
	smc_lgr_due(lgr, SMC_LGR_DUE_ANSWER);
}
