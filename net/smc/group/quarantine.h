/* SPDX-License-Identifier: GPL-2.0 */
/* Quarantined elements, for which the peer may still send its last message. */
#ifndef _SMC_GROUP_QUARANTINE_H
#define _SMC_GROUP_QUARANTINE_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include "rmbe.h"

struct smc_lgr;
struct smc_rmb;

/**
 * struct smc_quarantine - a quarantined element
 * @node:	entry in lgr->rmbs.quarantine while the peer is silent;
 *		lgr->lock
 * @list:	entry in lgr->rmbs.heard after that; lgr->lock
 * @token:	alert token of the connection that had the element; constant
 * @e:		the element; constant
 */
struct smc_quarantine {
	struct rb_node node;
	struct list_head list;
	u32 token;
	struct smc_rmbe e;
};

struct smc_quarantine *smc_quarantine_new(const struct smc_rmbe *e, u32 token);
void smc_quarantine_add(struct smc_lgr *lgr, struct smc_quarantine *q);
struct smc_quarantine *smc_quarantine_next(struct smc_lgr *lgr);
void smc_quarantine_forget(struct smc_lgr *lgr, const struct smc_rmb *rmb);

/**
 * smc_quarantine_heard - the peer has sent C or A for a connection that is gone
 * @lgr:	group that received it
 * @token:	alert token of the connection
 *
 * Neither side uses the element any more, so its quarantine ends (R-4.4.2-01).
 * Context: softirq. Return: false if no element waits for this message.
 */
bool smc_quarantine_heard(struct smc_lgr *lgr, u32 token);

#endif
