/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A deadline is the low 32 bits of a time in jiffies. 0 means that it is not
 * set. Several deadlines can share one timer.
 */
#ifndef _SMC_BASE_DEADLINE_H
#define _SMC_BASE_DEADLINE_H

#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/types.h>

/**
 * smc_deadline_in - get a deadline
 * @delay: jiffies from now; a larger value than S32_MAX counts as S32_MAX
 *
 * Context: any. Return: the deadline. It is never 0, so it may be one tick
 * late.
 */
static inline u32 smc_deadline_in(unsigned long delay)
{
	return (u32)(jiffies + min_t(unsigned long, delay, S32_MAX)) ?: 1;
}

/**
 * smc_deadline_left - get the time that is left
 * @at: deadline that is set
 *
 * Context: any. Return: jiffies from now to the deadline; 0: it has passed.
 */
static inline u32 smc_deadline_left(u32 at)
{
	u32 now = jiffies;

	return time_after32(at, now) ? at - now : 0;
}

/**
 * smc_deadline_since - get the time that has passed
 * @then: low 32 bits of an earlier time in jiffies
 *
 * Context: any. Return: jiffies since @then.
 */
static inline u32 smc_deadline_since(u32 then)
{
	return (u32)jiffies - then;
}

/** smc_deadline_over - has this deadline passed? False if it is not set. */
static inline bool smc_deadline_over(u32 at)
{
	return at && !smc_deadline_left(at);
}

/**
 * smc_deadline_take - has this deadline passed? If so, clear it
 * @at: deadline; the caller has the lock that protects it
 *
 * Context: any. Return: true if it had passed.
 */
static inline bool smc_deadline_take(u32 *at)
{
	bool over = smc_deadline_over(*at);

	if (over)
		*at = 0;
	return over;
}

/**
 * smc_deadline_first - get the first of several deadlines
 * @at: deadlines
 * @n: number of deadlines
 *
 * Context: any. Return: jiffies from now to the first deadline; ULONG_MAX: none
 * is set.
 */
static inline unsigned long smc_deadline_first(const u32 *at, unsigned int n)
{
	unsigned long first = ULONG_MAX;

	while (n--)
		if (at[n])
			first = min_t(unsigned long, first,
				      smc_deadline_left(at[n]));
	return first;
}

#endif
