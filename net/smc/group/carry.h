/* SPDX-License-Identifier: GPL-2.0 */
/* Frames on a link: building frames and handling received ones. See carry.c. */
#ifndef _SMC_GROUP_CARRY_H
#define _SMC_GROUP_CARRY_H

#include <linux/types.h>

struct smc_carry;
struct smc_ep_slot;
struct smc_frame_record;
struct smc_lgr_member;
struct smc_link;

struct smc_carry *smc_carry_new(u32 size);
void smc_carry_free(struct smc_carry *c);
void smc_carry_agree(struct smc_link *link, u32 size);
bool smc_carry_on(const struct smc_link *link);

/* ---- sending ---- */

void smc_carry_queue(struct smc_lgr_member *m, u32 due, bool first);
void smc_carry_unqueue(struct smc_link *link, struct smc_lgr_member *m);
bool smc_carry_serve(struct smc_link *link, unsigned int *budget,
		     void (*done)(struct smc_ep_slot *slot, int err));
void smc_carry_done(struct smc_ep_slot *slot, int err);
struct smc_link *smc_carry_link(const struct smc_ep_slot *slot);
void smc_carry_drop(struct smc_link *link);
bool smc_carry_stuck(struct smc_link *link);

/* ---- LLC messages of the link ---- */

bool smc_carry_take_credit(struct smc_link *link);
void smc_carry_return_credit(struct smc_link *link);
int smc_carry_llc_arrived(struct smc_link *link);

/* ---- receiving ---- */

int smc_carry_take(struct smc_link *link, const u8 *buf, u32 len,
		   int (*take)(void *ctx, const struct smc_frame_record *rec));
u32 smc_carry_posted(struct smc_link *link, u32 n);

#endif
