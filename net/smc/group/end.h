/* SPDX-License-Identifier: GPL-2.0 */
/* How a group ends. */
#ifndef _SMC_GROUP_END_H
#define _SMC_GROUP_END_H

#include <linux/types.h>

struct smc_llc_delete_link;
struct smc_lgr;
struct smc_link;
struct workqueue_struct;

/* How a group ends. */
enum smc_end_how {
	/*
	 * at once: the peer has already ended the group, or no message can
	 * reach it
	 */
	SMC_LGR_END_NOW,
	SMC_LGR_END_TELL,	/* send DELETE LINK first, see smc_end_group() */
	/* like SMC_LGR_END_TELL, but the group ends only if it still has no
	 * user
	 */
	SMC_LGR_END_IDLE,
	SMC_LGR_END_SENT,	/* the last message was posted: wait until it has left */
};

void smc_end_init(struct smc_lgr *lgr, struct workqueue_struct *wq);
void smc_end_close(struct smc_lgr *lgr);
void smc_end_group(struct smc_lgr *lgr, int err, u32 reason,
		   enum smc_end_how how);
void smc_end_with_reply(struct smc_link *link,
			const struct smc_llc_delete_link *m);
void smc_end_silently(struct smc_lgr *lgr);
void smc_end_sent(struct smc_lgr *lgr);
void smc_end_word_lost(struct smc_lgr *lgr);
void smc_end_answered(struct smc_lgr *lgr);
void smc_end_timeout(struct smc_lgr *lgr);

#endif
