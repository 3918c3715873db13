/* SPDX-License-Identifier: GPL-2.0 */
/* Queue of members and messages that wait for send slots of a link. */
#ifndef _SMC_GROUP_SLOTS_H
#define _SMC_GROUP_SLOTS_H

#include <linux/bitops.h>
#include "link_types.h"

void smc_slots_reached(struct smc_link *link, u8 reach);
void smc_slots_init(struct smc_link *link);
void smc_slots_wait(struct smc_lgr_member *m);
void smc_slots_leave(struct smc_lgr_member *m);
void smc_slots_unwait(struct smc_lgr_member *m);
void smc_slots_flush(struct smc_link *link);
bool smc_slots_llc_add(struct smc_link *link, const struct smc_llc_buf *msg);
u32 smc_slots_llc_last(struct smc_link *link);
bool smc_slots_llc_arrived(struct smc_link *link, u32 number);
void smc_slots_drop(struct smc_link *link);
void smc_slots_room(void *ctx);

void smc_slots_release(struct smc_link *link, bool held);

/**
 * smc_slots_hold - stop others from serving the queue for a moment
 * @link: link
 *
 * During this time several members can queue records, which then leave in one
 * frame. smc_slots_release() serves everything that was queued. Context: BH off
 * until then. Return: argument of smc_slots_release().
 */
static inline bool smc_slots_hold(struct smc_link *link)
{
	return !test_and_set_bit(0, &link->queue.serving);
}

#endif
