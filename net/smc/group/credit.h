/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits of a link that carries frames: how many SENDs each side accepts
 * (frames.rst, F-06 to F-08). The code only calculates, under the caller's
 * locks.
 */
#ifndef _SMC_GROUP_CREDIT_H
#define _SMC_GROUP_CREDIT_H

#include <linux/errno.h>
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

/**
 * smc_credit_may_send() - is there a credit for a SEND?
 * @c: credits of the link
 * @use: what the SEND is for
 *
 * The last credit is kept for a frame that raises the peer's count. Otherwise
 * both sides could wait for credits for ever. With this credit, a side that has
 * posted new receives can always announce them. Context: any.
 */
static inline bool smc_credit_may_send(const struct smc_credit *c,
				       enum smc_credit_use use)
{
	u32 left = c->allowed - c->sent;

	switch (use) {
	case SMC_CREDIT_FRAME:
		return left > SMC_CREDIT_RESERVE;
	case SMC_CREDIT_LLC:
		return left > 1;
	case SMC_CREDIT_RAISE:
		return left > 0 && c->taken != c->told;
	}
	return false;
}

/**
 * smc_credit_tell() - get the credit count for the header of a frame
 * @c: credits of the link; the frame is posted
 *
 * Context: any. Return: how many SENDs, in total since the link was created,
 * the peer may post on this link; modulo 2^32.
 */
static inline u32 smc_credit_tell(struct smc_credit *c)
{
	c->told = c->taken;
	return c->told;
}

/**
 * smc_credit_waited() - has a frame waited for a credit since the last frame?
 * @c: credits of the link; a frame is being finished, and tells the peer
 *
 * Context: any.
 */
static inline bool smc_credit_waited(struct smc_credit *c)
{
	bool waited = c->waits;

	c->waits = 0;
	return waited;
}

/**
 * smc_credit_heard() - apply the credit count of a received frame
 * @c: credits of the link
 * @taken: how many SENDs, in total since the link was created, this side may
 *	post on this link; modulo 2^32
 *
 * Context: any.
 *
 * Return: 0; -EPROTO if the count is lower than before or impossibly high. Then
 * the caller lets the link fail.
 */
static inline int smc_credit_heard(struct smc_credit *c, u32 taken)
{
	if (taken - c->allowed > SMC_CREDIT_AHEAD_MAX)
		return -EPROTO;
	c->allowed = taken;
	return 0;
}

/**
 * smc_credit_arrived() - note that a SEND has arrived
 * @c: credits of the link
 *
 * A receive is posted before the peer hears of it, so a SEND without a credit
 * can arrive. Context: any.
 *
 * Return: 0; -EPROTO if the peer had no credit for it. Then the caller lets the
 * link fail.
 */
static inline int smc_credit_arrived(struct smc_credit *c)
{
	if (c->arrived == c->told)
		return -EPROTO;
	c->arrived++;
	return 0;
}

/**
 * smc_credit_raise_due() - must a frame without records raise the peer's count?
 * @c: credits of the link
 *
 * That is so if the peer may have used half of its credits, or all credits that
 * frames may use. This frame itself uses a receive of the peer. The peer raises
 * our count for such frames only after two of them have arrived (F-08).
 * Context: any.
 */
static inline bool smc_credit_raise_due(const struct smc_credit *c)
{
	u32 raise = c->taken - c->told, left = c->told - c->arrived;

	return raise >= 2 && (left <= raise || left <= SMC_CREDIT_RESERVE);
}

#endif
