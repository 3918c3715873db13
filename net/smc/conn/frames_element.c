// SPDX-License-Identifier: GPL-2.0
/* Elements that a receiver has offered. See frames_element.h. */
#include <linux/errno.h>
#include "frames_element.h"

static struct smc_frames_element **
element_free_slot(struct smc_frames_elements *e)
{
	unsigned int i;

	for (i = 0; i < SMC_FRAMES_ELEMENTS; i++)
		if (!e->slot[i])
			return &e->slot[i];
	return NULL;
}

/**
 * smc_frames_element_offer() - make the next offer
 * @e: elements of the direction
 * @el: the element. The caller has set size and offset of its offer, and rkey
 *	if it needs a name of the RMB. NULL: the offer has no element.
 *
 * A new offer waits until the sender has echoed the previous one (F-13), so at
 * most two elements are in use. Context: any.
 *
 * Return: false if the caller has to wait. Otherwise the caller keeps the
 * element until smc_frames_element_release() returns it.
 */
bool smc_frames_element_offer(struct smc_frames_elements *e,
			      struct smc_frames_element *el)
{
	struct smc_frames_element **slot = element_free_slot(e);
	u32 number = e->newest.number + 1;

	if (smc_frames_element_due(e) || (el && !slot))
		return false;
	e->newest = el ? el->offer : (struct smc_frame_offer){};
	e->newest.number = number;
	if (el) {
		*el = (struct smc_frames_element){ .offer = e->newest };
		*slot = el;
	}
	return true;
}

/**
 * smc_frames_element_of() - find the element of an offer
 * @e: elements of the direction
 * @number: number of the offer
 *
 * Context: any. Return: the element, or NULL if the sender must not write.
 */
struct smc_frames_element *
smc_frames_element_of(const struct smc_frames_elements *e, u32 number)
{
	unsigned int i;

	for (i = 0; number && i < SMC_FRAMES_ELEMENTS; i++) {
		struct smc_frames_element *el = e->slot[i];

		if (el && el->offer.number == number && !el->withdrawn)
			return el;
	}
	return NULL;
}

/**
 * smc_frames_element_withdraw() - end all offers after a change of links
 * @e: elements of the direction
 * @link: link over which the sender may have written; 0 if its endpoint here is
 *	closed, or if the sender continues on it
 *
 * After the answer, which carries the newest offer, the sender no longer writes
 * to the withdrawn elements. WRITEs that are still in the network land in them
 * until the endpoint of the link is closed (F-18). Context: any.
 */
void smc_frames_element_withdraw(struct smc_frames_elements *e, u32 link)
{
	unsigned int i;

	for (i = 0; i < SMC_FRAMES_ELEMENTS; i++) {
		struct smc_frames_element *el = e->slot[i];

		if (!el || el->withdrawn)
			continue;
		el->withdrawn = true;
		el->link = link;
	}
	if (e->newest.size)
		e->newest = (struct smc_frame_offer){
			.number = e->newest.number + 1,
		};
}

/**
 * smc_frames_element_closed() - note that the endpoint of a link is closed
 * @e: elements of the direction
 * @link: the link, over which no WRITE arrives any more
 *
 * Context: any.
 */
void smc_frames_element_closed(struct smc_frames_elements *e, u32 link)
{
	unsigned int i;

	for (i = 0; i < SMC_FRAMES_ELEMENTS; i++)
		if (e->slot[i] && e->slot[i]->link == link)
			e->slot[i]->link = 0;
}

/**
 * smc_frames_element_release() - get back an element that nobody uses
 * @e: elements of the direction
 * @cons: position up to which bytes were read
 * @ended: the sender has ended all offers by C or A, or cannot send any more
 *
 * Whenever bytes were read, a record has arrived or an endpoint was closed, the
 * caller repeats the call until it returns NULL. Context: any.
 *
 * Return: an element that is no longer in use, or NULL. The function clears
 * only the number of its offer.
 */
struct smc_frames_element *
smc_frames_element_release(struct smc_frames_elements *e, u64 cons, bool ended)
{
	unsigned int i;

	for (i = 0; i < SMC_FRAMES_ELEMENTS; i++) {
		struct smc_frames_element *el = e->slot[i];

		if (!el || el->end > cons || el->link)
			continue;
		if (!ended && !el->withdrawn && e->echo <= el->offer.number)
			continue;
		el->offer.number = 0;
		e->slot[i] = NULL;
		return el;
	}
	return NULL;
}
