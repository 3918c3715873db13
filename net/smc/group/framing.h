/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames on a link: building frames and handling received ones. See framing.c.
 */
#ifndef _SMC_GROUP_FRAMING_H
#define _SMC_GROUP_FRAMING_H

#include <linux/types.h>
#include "link_types.h"

struct smc_framing;
struct smc_ep_slot;
struct smc_ext_terms;
struct smc_frame_record;
struct smc_lgr_member;

struct smc_framing *smc_framing_new(void);
void smc_framing_free(struct smc_framing *c);
void smc_framing_agree(struct smc_link *link, const struct smc_ext_terms *terms);

/** smc_framing_on - does the link use frames? Context: any */
static inline bool smc_framing_on(const struct smc_link *link)
{
	/* partner: smc_framing_agree() */
	return READ_ONCE(link->queue.frame_size);
}

/* ---- sending ---- */

bool smc_framing_queue(struct smc_lgr_member *m, u32 due, u8 how);
void smc_framing_unqueue(struct smc_link *link, struct smc_lgr_member *m);
bool smc_framing_serve(struct smc_link *link, unsigned int *budget,
		       void (*done)(struct smc_ep_slot *slot, int err));
bool smc_framing_must_serve(const struct smc_link *link);
void smc_framing_done(struct smc_ep_slot *slot, int err);
struct smc_link *smc_framing_link(const struct smc_ep_slot *slot);
void smc_framing_drop(struct smc_link *link);

/* ---- LLC messages of the link ---- */

bool smc_framing_take_credit(struct smc_link *link);
void smc_framing_return_credit(struct smc_link *link);
int smc_framing_llc_arrived(struct smc_link *link);

/* ---- receiving ---- */

int smc_framing_take(struct smc_link *link, const u8 *buf, u32 len,
		     int (*take)(void *ctx, const struct smc_frame_record *rec));
u32 smc_framing_posted(struct smc_link *link, u32 n);

#endif
