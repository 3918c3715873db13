/* SPDX-License-Identifier: GPL-2.0 */
/* Handshakes that wait for a group. */
#ifndef _SMC_GROUP_WAITERS_H
#define _SMC_GROUP_WAITERS_H

#include <linux/types.h>
#include "contact_types.h"

struct smc_lgr;

void smc_waiters_wake_all(struct smc_lgr *lgr);
bool smc_waiters_offer(struct smc_lgr *lgr, u8 code);
bool smc_waiters_leave(struct smc_lgr *lgr, struct smc_contact *c);
unsigned int smc_waiters_count(struct smc_lgr *lgr, u8 code, unsigned int most);
void smc_waiters_fail(struct smc_lgr *lgr, u8 code, int err);
void smc_waiters_tell_creator(struct smc_lgr *lgr, enum smc_contact_event ev,
			      u32 decline, int err);

#endif
