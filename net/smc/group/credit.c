// SPDX-License-Identifier: GPL-2.0
/* Credits of a link that carries frames. See credit.h. */
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
