/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Elements that the receiver of a direction has offered (frames.rst, F-12 to
 * F-19): in which element a byte arrives, and when nobody writes to an element
 * any more. The code only calculates, under the caller's locks.
 */
#ifndef _SMC_CONN_FRAMES_ELEMENT_H
#define _SMC_CONN_FRAMES_ELEMENT_H

#include <linux/errno.h>
#include <linux/types.h>
#include "../wire/frame.h"

enum {
	/* Two in use, and two that a change of links has withdrawn. */
	SMC_FRAMES_ELEMENTS	= 4,
};

/**
 * struct smc_frames_element - an element of a direction
 * @offer:	the offer; @offer.number is 0 while the element is in no slot
 * @end:	position behind the last byte that arrived in the element, or 0
 * @link:	late WRITEs of this link may still change the element; 0: none
 * @withdrawn:	a change of links has ended the offer, and the sender receives
 *		the answer before it writes again
 */
struct smc_frames_element {
	struct smc_frame_offer offer;
	u64 end;
	u32 link;
	bool withdrawn;
};

/**
 * struct smc_frames_elements - elements of a direction
 * @newest:	the newest offer, with an element or without
 * @echo:	number of the newest offer that the sender has echoed
 * @slot:	elements to which the sender may still write, or that hold
 *		unread bytes; NULL: free. The caller allocates them.
 */
struct smc_frames_elements {
	struct smc_frame_offer newest;
	u32 echo;
	struct smc_frames_element *slot[SMC_FRAMES_ELEMENTS];
};

bool smc_frames_element_offer(struct smc_frames_elements *e,
			      struct smc_frames_element *el);
struct smc_frames_element *
smc_frames_element_of(const struct smc_frames_elements *e, u32 number);
void smc_frames_element_withdraw(struct smc_frames_elements *e, u32 link);
void smc_frames_element_closed(struct smc_frames_elements *e, u32 link);
struct smc_frames_element *
smc_frames_element_release(struct smc_frames_elements *e, u64 cons, bool ended);

/** smc_frames_element_due() - must the next record carry the offer (F-13)? */
static inline bool smc_frames_element_due(const struct smc_frames_elements *e)
{
	return e->newest.number > e->echo;
}

/**
 * smc_frames_element_echo() - note which offer the sender has received
 * @e: elements of the direction
 * @heard: number of a record that arrived in order
 *
 * Context: any.
 *
 * Return: 0, or -EPROTO: this offer does not exist, or the sender has echoed a
 * newer one before.
 */
static inline int smc_frames_element_echo(struct smc_frames_elements *e,
					  u32 heard)
{
	if (heard < e->echo || heard > e->newest.number)
		return -EPROTO;
	e->echo = heard;
	return 0;
}

#endif
