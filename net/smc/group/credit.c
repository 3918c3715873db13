// SPDX-License-Identifier: GPL-2.0
/* Credits of a link that carries frames. See credit.h. */
#include <linux/errno.h>
#include "credit.h"

/**
 * smc_credit_init() - start the credits of a link
 * @c: output: credits; SMC_CREDIT_INITIAL receives are posted on each side
 *
 * Context: any.
 */
void smc_credit_init(struct smc_credit *c)
{
	*c = (struct smc_credit){
		.allowed = SMC_CREDIT_INITIAL,
		.taken = SMC_CREDIT_INITIAL,
		.told = SMC_CREDIT_INITIAL,
		.low = ~0U,
	};
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
bool smc_credit_may_send(const struct smc_credit *c, enum smc_credit_use use)
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
u32 smc_credit_tell(struct smc_credit *c)
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
bool smc_credit_waited(struct smc_credit *c)
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
 * Return: 0, or -EPROTO: the count is lower than before or impossibly high, and
 * the link must fail.
 */
int smc_credit_heard(struct smc_credit *c, u32 taken)
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
 * Return: 0, or -EPROTO: the peer had no credit for it, and the link must fail.
 */
int smc_credit_arrived(struct smc_credit *c)
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
bool smc_credit_raise_due(const struct smc_credit *c)
{
	u32 raise = c->taken - c->told, left = c->told - c->arrived;

	return raise >= 2 && (left <= raise || left <= SMC_CREDIT_RESERVE);
}

/**
 * smc_credit_new_depth() - begin with another number of receives
 * @c: credits of the link
 * @depth: the number
 *
 * Context: any. Return: @depth, or the bound that it exceeds.
 */
u32 smc_credit_new_depth(struct smc_credit *c, u32 depth)
{
	c->since = c->arrived;
	c->low = ~0U;
	if (depth < SMC_CREDIT_INITIAL)
		return SMC_CREDIT_INITIAL;
	return depth > SMC_CREDIT_RECEIVES ? SMC_CREDIT_RECEIVES : depth;
}

/**
 * smc_credit_depth() - how many receives should be posted?
 * @c: credits of the link; a frame has just arrived
 * @depth: the current number, at first SMC_CREDIT_INITIAL
 *
 * If the peer has waited for credits (F-01), the number doubles, to at most
 * SMC_CREDIT_RECEIVES. Frames that arrive just after a change were sent before
 * the peer heard of it, and do not double it again. The number is halved if 16
 * times @depth SENDs have arrived, and half of the receives were enough for
 * them. Context: any.
 *
 * Return: the new number.
 */
u32 smc_credit_depth(struct smc_credit *c, u32 depth)
{
	u32 left = c->told - c->arrived, seen = c->arrived - c->since;

	if (c->peer_waits)
		left = 0;
	if (c->low > left)
		c->low = left;
	if (c->peer_waits && seen > depth / 2)
		return smc_credit_new_depth(c, 2 * depth);
	if (seen < 16 * depth)
		return depth;
	return smc_credit_new_depth(c, c->low > depth / 2 + SMC_CREDIT_RESERVE ?
				    depth / 2 : depth);
}
