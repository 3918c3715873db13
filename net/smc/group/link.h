/* SPDX-License-Identifier: GPL-2.0 */
/* One link of a group. links.h has the functions for all links of a group. */
#ifndef _SMC_GROUP_LINK_H
#define _SMC_GROUP_LINK_H

#include <linux/types.h>
#include "lgr_events.h"
#include "link_fsm.h"

struct smc_dev_choice;
struct smc_ep_addr;
struct smc_frame_record;
struct smc_lgr;
struct smc_link;
struct smc_llc_in;
struct smc_llc_msg;
struct smc_llc_rtok_pair;

/**
 * enum smc_link_ref - why a reference on a link is held
 * @SMC_LINK_REF_GROUP:	its place in the group; the first one
 * @SMC_LINK_REF_CONTACT: Accept or Confirm of a contact names it
 * @SMC_LINK_REF_MEMBER: a connection sends over it
 * @SMC_LINK_REF_TARGET: a connection is about to send over it
 * @SMC_LINK_REF_GRAVE:	it is being closed
 * @SMC_LINK_REF_CALL:	a device executes a command for it, see device.c
 * @SMC_LINK_REF_SERVE:	a connection is about to call smc_link_serve()
 * @SMC_LINK_REF_ELEMENT: a connection is about to take an element whose key the
 *			peer knows on this link
 * @SMC_LINK_REF_VIEW:	a snapshot is being taken
 * @SMC_LINK_NR_REFS:	number of reasons
 */
enum smc_link_ref {
	SMC_LINK_REF_GROUP,
	SMC_LINK_REF_CONTACT,
	SMC_LINK_REF_MEMBER,
	SMC_LINK_REF_TARGET,
	SMC_LINK_REF_GRAVE,
	SMC_LINK_REF_CALL,
	SMC_LINK_REF_SERVE,
	SMC_LINK_REF_ELEMENT,
	SMC_LINK_REF_VIEW,
	SMC_LINK_NR_REFS,
};

/* How a link ends, see smc_link_give_up(). */
enum smc_link_fate {
	SMC_LINK_STAYS,
	SMC_LINK_FAILS,		/* the link does not work any more */
	/* the link still works, and this side deletes it */
	SMC_LINK_RETIRES,
	/* the peer deletes the link and waits for an answer */
	SMC_LINK_LEAVES,
};

/**
 * struct smc_link_user - callbacks of the floor above, set when the module
 * starts
 * @cdc:	a CDC message has arrived on @link for a connection of @lgr.
 *		Softirq. @buf has 44 bytes and is valid only during the call.
 * @record:	a record of a frame has arrived. Softirq. Return: 0; -ENOMEM:
 *		see smc_unpack_records().
 */
struct smc_link_user {
	void (*cdc)(struct smc_lgr *lgr, const struct smc_link *link,
		    const u8 *buf);
	int (*record)(struct smc_lgr *lgr, const struct smc_link *link,
		      const struct smc_frame_record *rec);
};

void smc_link_init_user(const struct smc_link_user *user);
struct smc_link *smc_link_open(struct smc_lgr *lgr,
			       const struct smc_dev_choice *choice);
int smc_link_bind(struct smc_link *link);
int smc_link_start(struct smc_link *link);
int smc_link_send(struct smc_link *link, const struct smc_llc_msg *m);
int smc_link_send_list(struct smc_link *link, const struct smc_llc_msg *m,
		       const struct smc_llc_rtok_pair *pair);
int smc_link_send_last(struct smc_link *link, const struct smc_llc_msg *m);
void smc_link_serve(struct smc_link *link);
void smc_link_agree(struct smc_link *link);
void smc_link_watch(struct smc_link *link);
void smc_link_probe(struct smc_link *link);
void smc_link_probe_now(struct smc_link *link);
unsigned long smc_link_wait_end(int err);
bool smc_link_wait_on(const struct smc_link *link, enum smc_lgr_deadline d,
		      unsigned long end);
void smc_link_mute(struct smc_link *link);
void smc_link_test(struct smc_link *link, const struct smc_llc_in *in);
bool smc_link_step(struct smc_link *link, enum smc_link_event ev);
void smc_link_give_up(struct smc_link *link, enum smc_link_fate fate, int err,
		      u32 reason);
struct smc_link *smc_link_get(struct smc_link *link, enum smc_link_ref why);
void smc_link_put(struct smc_link *link, enum smc_link_ref why);

struct smc_link *smc_link_next(struct smc_lgr *lgr, int *slot);
bool smc_link_port_gone(const struct smc_link *link);
bool smc_link_has_other(const struct smc_link *link);
bool smc_link_owns(const struct smc_lgr *lgr, u8 slot, u32 uid);

/* Visits all links. The loop may miss links that are added or removed while it
 * runs.
 */
#define smc_link_for_each(lgr, i, link)					\
	for ((i) = 0; ((link) = smc_link_next(lgr, &(i))); (i)++)

#endif
