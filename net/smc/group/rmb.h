/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RMBs of a group: allocation, memory, keys, and release. rmbe.h has their
 * elements.
 */
#ifndef _SMC_GROUP_RMB_H
#define _SMC_GROUP_RMB_H

#include <linux/types.h>

struct smc_lgr;
struct smc_link;
struct smc_rmb;
struct smc_rmbs;

void smc_rmb_init(struct smc_rmbs *r);
void smc_rmb_free_all(struct smc_lgr *lgr);
struct smc_rmb *smc_rmb_alloc(struct smc_lgr *lgr, u8 code,
			      unsigned int n_elems);
bool smc_rmb_may_pass(int err);
bool smc_rmb_retire_link(struct smc_link *link, int err);
int smc_rmb_map(struct smc_rmb *rmb, struct smc_link *link);
void smc_rmb_written(struct smc_lgr *lgr, const struct smc_rmb *rmb, u64 off,
		     u32 len);
int smc_rmb_register(struct smc_lgr *lgr, struct smc_rmb *rmb, u8 slot);
void smc_rmb_tell(struct smc_lgr *lgr, struct smc_rmb *rmb, u8 slots);
void smc_rmb_forget_slot(struct smc_lgr *lgr, u8 slot);
void smc_rmb_drop_link(struct smc_lgr *lgr, struct smc_link *link);
void smc_rmb_insert(struct smc_lgr *lgr, struct smc_rmb *rmb);
u32 smc_rmb_elem_size(const struct smc_rmb *rmb);
int smc_rmb_open(struct smc_lgr *lgr, struct smc_link *link);
int smc_rmb_take_wanted(struct smc_lgr *lgr);
void smc_rmb_grow(struct smc_lgr *lgr, u8 code);
void smc_rmb_grown(struct smc_lgr *lgr, u8 code, int err);
void smc_rmb_announced(struct smc_lgr *lgr, struct smc_rmb *rmb, bool ok);
bool smc_rmb_untold(struct smc_lgr *lgr, const struct smc_rmb *rmb);
unsigned int smc_rmb_idle_max(const struct smc_lgr *lgr);
void smc_rmb_alone(struct smc_lgr *lgr);
struct smc_rmb *smc_rmb_find_unused(struct smc_lgr *lgr);
void smc_rmb_revoked(struct smc_lgr *lgr, struct smc_rmb *rmb);

#endif
