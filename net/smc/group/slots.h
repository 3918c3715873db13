/* SPDX-License-Identifier: GPL-2.0 */
/* Queue of members and messages that wait for send slots of a link. */
#ifndef _SMC_GROUP_SLOTS_H
#define _SMC_GROUP_SLOTS_H

struct smc_lgr_member;
struct smc_link;
struct smc_llc_buf;

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

bool smc_slots_hold(struct smc_link *link);
void smc_slots_release(struct smc_link *link, bool held);

#endif
