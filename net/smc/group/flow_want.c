// SPDX-License-Identifier: GPL-2.0
/*
 * When a link is missing: who wants one, when that is tried, and when again
 * (RFC 7609 3.5.5.1.2, C.8). The exchange itself is in flow.c. All in the group's
 * worker.
 */
#include "../base/mib.h"
#include "lgr_priv.h"

/*
 * A link that did not come up is tried again after this time (C.8), each time
 * the double up to the limit. Where there is no path at all nothing changes
 * without a port that comes, here or there, and that is tried at once.
 */
#define RETRY_MS	4000
#define RETRY_MAX_MS	64000
#define NO_PATH_RETRY_MS 600000

/*
 * A client may ask for a link, refuse what it is offered and ask again: each
 * time costs a queue pair. So many wishes are followed at once, the next ones
 * after times as above. That many are forgiven when there was none for long.
 */
#define WISHES_FREE	4
#define WISHES_FORGET_MS (2 * RETRY_MAX_MS)

static unsigned int next_retry(const struct smc_lgr *lgr)
{
	unsigned int last = lgr->flow.retry_ms;

	if (last == NO_PATH_RETRY_MS)
		last = 0;
	return clamp(2 * last, RETRY_MS, RETRY_MAX_MS);
}

/* R-C.8-02 */
static void try_after(struct smc_lgr *lgr, unsigned int ms)
{
	lgr->flow.want = false;
	lgr->flow.retry_ms = ms;
	smc_lgr_set_deadline(lgr, SMC_LGR_DL_ADD_RETRY, ms);
}

/** smc_flow_try_later - the link did not come up; worker */
void smc_flow_try_later(struct smc_lgr *lgr)
{
	try_after(lgr, next_retry(lgr));
}

/** smc_flow_no_path - there is no port to try; worker */
void smc_flow_no_path(struct smc_lgr *lgr)
{
	try_after(lgr, NO_PATH_RETRY_MS);
}

/** smc_flow_may_try - no time is set after which it is tried again; worker */
bool smc_flow_may_try(const struct smc_lgr *lgr)
{
	return !READ_ONCE(lgr->deadline[SMC_LGR_DL_ADD_RETRY]) ||
	       lgr->flow.retry_ms == NO_PATH_RETRY_MS;
}

/**
 * smc_flow_want - a link may be missing, and can perhaps be had now; worker
 * @lgr: group
 */
void smc_flow_want(struct smc_lgr *lgr)
{
	lgr->flow.want = true;
	lgr->flow.n_tried = 0;
	smc_flow_next(lgr);
}

/* ---- server: the client's wishes ---- */

static void put_off(struct smc_lgr *lgr)
{
	unsigned long set = READ_ONCE(lgr->deadline[SMC_LGR_DL_ADD_RETRY]);
	unsigned long t = lgr->flow.not_before;
	long left = t - jiffies;

	smc_mib_inc(NULL, SMC_MIB_WISH_PUT_OFF);
	if (!set || time_before(t, set))
		smc_lgr_set_deadline(lgr, SMC_LGR_DL_ADD_RETRY,
				     jiffies_to_msecs(max(left, 0L)));
}

/* Return: this one is followed. */
static bool patient(struct smc_lgr *lgr)
{
	struct smc_flow *f = &lgr->flow;
	unsigned int over;

	if (f->wishes && time_before(jiffies, f->not_before))
		return false;
	if (time_after(jiffies, f->not_before +
				msecs_to_jiffies(WISHES_FORGET_MS)))
		f->wishes = 0;
	f->not_before = jiffies;
	if (f->wishes < U8_MAX)
		f->wishes++;
	if (f->wishes >= WISHES_FREE) {
		over = min(f->wishes - WISHES_FREE, 4);
		f->not_before += msecs_to_jiffies(RETRY_MS << over);
	}
	return true;
}

/** smc_flow_asked - server: the client would like a link; worker */
void smc_flow_asked(struct smc_lgr *lgr)
{
	/* R-3.5.5.1.2-02, -04, R-3.5.5.3.1-02 */
	if (!smc_links_missing(lgr))
		return;
	if (patient(lgr))
		smc_flow_want(lgr);
	else
		put_off(lgr);
}

/* ---- a port has come ---- */

/**
 * smc_flow_tell_of_port - client: the server is to be told; worker
 * @lgr: group
 *
 * Not while links change, when deployed peers drop it. In version 2 it is a
 * request, which is made again until it is answered.
 */
void smc_flow_tell_of_port(struct smc_lgr *lgr)
{
	if (!lgr->flow.notice || !smc_links_missing(lgr))
		return;
	lgr->flow.notice = false;
	if (smc_add_notice(lgr) && smc_add_is_v2(lgr))
		smc_flow_try_later(lgr);
}

/** smc_flow_ports - a port or an address has come; worker */
void smc_flow_ports(struct smc_lgr *lgr)
{
	/* heard again when the group can be used: smc_lgr_formed() */
	lgr->flow.port_came = READ_ONCE(lgr->state) == SMC_LGR_FORMING;
	if (!smc_lgr_usable(lgr) || !smc_lgr_may_add(lgr) ||
	    !smc_links_missing(lgr))
		return;
	if (lgr->role == SMC_SERV) {
		smc_flow_want(lgr);
	} else {
		lgr->flow.notice = true;
		smc_flow_next(lgr);
	}
}
