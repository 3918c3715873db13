/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits of a link that carries frames: how many SENDs each side accepts
 * (frames.rst, F-06 to F-08). The code only calculates, under the caller's
 * locks.
 */
#ifndef _SMC_GROUP_CREDIT_H
#define _SMC_GROUP_CREDIT_H

#include <linux/types.h>

enum {
	/* SENDs that each side accepts before its first announcement (F-06) */
	SMC_CREDIT_INITIAL	= 4,
	/* Credits that frames with records do not use (F-07) */
	SMC_CREDIT_RESERVE	= 2,
	/*
	 * Limit of receives that a link posts; an endpoint has room for as
	 * many.
	 */
	SMC_CREDIT_RECEIVES	= 126,
	/* Limit of receives that a peer may announce at once. */
	SMC_CREDIT_AHEAD_MAX	= 65536,
};

/* What a SEND is for decides which credits it may use (F-07). */
enum smc_credit_use {
	SMC_CREDIT_FRAME,	/* a frame with records: all but SMC_CREDIT_RESERVE */
	SMC_CREDIT_LLC,		/* an LLC message: all but the last */
	SMC_CREDIT_RAISE,	/* a frame that raises the peer's count: all */
};

/**
 * struct smc_credit - credits of both sides; counts are modulo 2^32
 * @sent:	SENDs posted
 * @allowed:	SENDs that the peer has announced to accept
 * @arrived:	SENDs received
 * @taken:	SENDs that this side accepts: @arrived plus the posted receives
 * @told:	@taken in the newest frame
 * @since:	@arrived when smc_credit_depth() began to watch @low
 * @low:	fewest credits that the peer had left since then
 * @waits:	1: a frame has waited for a credit since the newest frame
 * @peer_waits:	1: the newest received frame says so of the peer
 */
struct smc_credit {
	u32 sent;
	u32 allowed;
	u32 arrived;
	u32 taken;
	u32 told;
	u32 since;
	u32 low;
	u8 waits;
	u8 peer_waits;
};

void smc_credit_init(struct smc_credit *c);
bool smc_credit_may_send(const struct smc_credit *c, enum smc_credit_use use);
u32 smc_credit_tell(struct smc_credit *c);
bool smc_credit_waited(struct smc_credit *c);
int smc_credit_heard(struct smc_credit *c, u32 taken);
int smc_credit_arrived(struct smc_credit *c);
bool smc_credit_raise_due(const struct smc_credit *c);
u32 smc_credit_depth(struct smc_credit *c, u32 depth);
u32 smc_credit_new_depth(struct smc_credit *c, u32 depth);

/** smc_credit_sent() - note that a SEND was posted */
static inline void smc_credit_sent(struct smc_credit *c)
{
	c->sent++;
}

/** smc_credit_posted() - note that @n receives were posted, new or again */
static inline void smc_credit_posted(struct smc_credit *c, u32 n)
{
	c->taken += n;
}

#endif
