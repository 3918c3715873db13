/* SPDX-License-Identifier: GPL-2.0 */
/* Limits of first contacts that run at the same time. */
#ifndef _SMC_GROUP_ADMIT_H
#define _SMC_GROUP_ADMIT_H

struct smc_admit;
struct smc_contact;

void smc_admit_init(void);
int smc_admit_ask(struct smc_contact *c, bool may_wait);
void smc_admit_expired(struct smc_contact *c);
void smc_admit_leave(struct smc_contact *c);
void smc_admit_end(struct smc_admit *a);

#endif
