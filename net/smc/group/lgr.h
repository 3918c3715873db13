/* SPDX-License-Identifier: GPL-2.0 */
/* A link group: its references, its state, its users, and the inputs of its
 * worker.
 */
#ifndef _SMC_GROUP_LGR_H
#define _SMC_GROUP_LGR_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/types.h>
#include "lgr_events.h"
#include "lgr_fsm.h"

struct smc_lgr;
struct work_struct;
struct workqueue_struct;

/**
 * enum smc_lgr_ref - why a reference on a group is held
 * @SMC_LGR_REF_CONTACT: by a contact; the first one is that of the contact that
 *		makes the group
 * @SMC_LGR_REF_TABLE:	by the table of groups; put when the group is dead
 * @SMC_LGR_REF_MEMBER:	by a connection, from join to leave
 * @SMC_LGR_REF_REAP:	by a connection that has left but still holds resources
 *		of the group
 * @SMC_LGR_REF_WORK:	the worker is queued
 * @SMC_LGR_REF_LAST_WORD: the last message was posted and has not completed
 * @SMC_LGR_REF_GRAVE:	a link is being closed
 * @SMC_LGR_REF_CALL:	a device executes a command for the group, see device.c
 * @SMC_LGR_REF_VIEW:	a snapshot is being taken
 * @SMC_LGR_NR_REFS:	number of reasons
 */
enum smc_lgr_ref {
	SMC_LGR_REF_CONTACT,
	SMC_LGR_REF_TABLE,
	SMC_LGR_REF_MEMBER,
	SMC_LGR_REF_REAP,
	SMC_LGR_REF_WORK,
	SMC_LGR_REF_LAST_WORD,
	SMC_LGR_REF_GRAVE,
	SMC_LGR_REF_CALL,
	SMC_LGR_REF_VIEW,
	SMC_LGR_NR_REFS,
};

struct smc_lgr *smc_lgr_get(struct smc_lgr *lgr, enum smc_lgr_ref why);
void smc_lgr_put(struct smc_lgr *lgr, enum smc_lgr_ref why);
void smc_lgr_freed(struct smc_lgr *lgr);
void smc_lgr_wait_all_freed(void);

bool smc_lgr_step(struct smc_lgr *lgr, enum smc_lgr_event ev);
bool smc_lgr_usable(const struct smc_lgr *lgr);
bool smc_lgr_may_add(const struct smc_lgr *lgr);
bool smc_lgr_peer_ends_conns(const struct smc_lgr *lgr);
u8 smc_lgr_eye_len(const struct smc_lgr *lgr);

void smc_lgr_event(struct smc_lgr *lgr, enum smc_lgr_event_bit ev);
void smc_lgr_due(struct smc_lgr *lgr, enum smc_lgr_due what);
void smc_lgr_queue_work(struct smc_lgr *lgr, struct work_struct *work);

/** smc_lgr_out_of_sync - a Decline with flag S: end the group (C.4) */
void smc_lgr_out_of_sync(struct smc_lgr *lgr);

/** smc_lgr_violation - the peer has broken the protocol: count and trace the
 * violation, and end the group with DELETE LINK reason 0x00040000. Context:
 * any.
 */
void smc_lgr_violation(struct smc_lgr *lgr);

void smc_lgr_deadline_locked(struct smc_lgr *lgr, enum smc_lgr_deadline d,
			     unsigned int ms);
void smc_lgr_set_deadline(struct smc_lgr *lgr, enum smc_lgr_deadline d,
			  unsigned int ms);
void smc_lgr_clear_deadline(struct smc_lgr *lgr, enum smc_lgr_deadline d);
bool smc_lgr_expired(struct smc_lgr *lgr, enum smc_lgr_deadline d);
void smc_lgr_rearm(struct smc_lgr *lgr);

void smc_lgr_user_get(struct smc_lgr *lgr);
void smc_lgr_user_put(struct smc_lgr *lgr);

/*
 * A number in views has 32 bits, of which the last 8 are for the link. So the
 * numbers wrap after 16 million groups. 0 means no group.
 */
#define SMC_LGR_ID_BITS		24
#define SMC_LGR_ID_SHIFT	(32 - SMC_LGR_ID_BITS)

/** smc_lgr_next_id - get the number of a new group. @last: the last number */
static inline u32 smc_lgr_next_id(atomic_t *last)
{
	u32 id;

	do {
		id = atomic_inc_return(last) & GENMASK(SMC_LGR_ID_BITS - 1, 0);
	} while (!id);
	return id;
}

void smc_lgr_init(struct smc_lgr *lgr, struct workqueue_struct *wq);

#endif
