// SPDX-License-Identifier: GPL-2.0
/*
 * Handshakes that wait for the end of first contact or for an element of a
 * group. After a notification a handshake tries again.
 */
#include "lgr_types.h"
#include "contact_types.h"
#include "waiters.h"

/* contacts that are told before the lock of the group is released */
#define WAITERS_BATCH	64

static void waiter_tell(struct smc_contact *c, enum smc_contact_event ev, u32 decline,
			int err)
{
	list_del_init(&c->wait);
	c->decline = decline;
	c->err = err;
	c->notify(c, ev);
}

/**
 * smc_waiters_wake_all - make all waiting contacts try again
 * @lgr: group
 *
 * Thousands may wait for a wide group to form, so the lock is released between
 * them. A contact that waits again meanwhile is not told twice.
 */
void smc_waiters_wake_all(struct smc_lgr *lgr)
{
	LIST_HEAD(woken);
	int n;

	spin_lock_bh(&lgr->lock);
	list_splice_init(&lgr->waiters, &woken);
	/* smc_waiters_leave() may take contacts off this list, too */
	while (!list_empty(&woken)) {
		for (n = 0; n < WAITERS_BATCH && !list_empty(&woken); n++)
			waiter_tell(list_first_entry(&woken, struct smc_contact,
						     wait),
				    SMC_CONTACT_READY, 0, 0);
		spin_unlock_bh(&lgr->lock);
		spin_lock_bh(&lgr->lock);
	}
	spin_unlock_bh(&lgr->lock);
}

static bool waiter_wants(const struct smc_contact *c, u8 code)
{
	return c->code == code;
}

/**
 * smc_waiters_offer - offer the free elements of a size code to contacts that
 *	wait for them, in order
 * @lgr: group
 * @code: size code
 *
 * An element is offered to one contact at a time: until
 * smc_waiters_leave() it counts as promised.
 * Return: true if contacts are left without an offer.
 */
bool smc_waiters_offer(struct smc_lgr *lgr, u8 code)
{
	struct smc_rmbs *r = &lgr->rmbs;
	struct smc_contact *c, *next;
	bool left = false;

	spin_lock_bh(&lgr->lock);
	list_for_each_entry_safe(c, next, &lgr->waiters, wait) {
		if (!waiter_wants(c, code))
			continue;
		left = r->promised[code] >= r->free[code];
		if (left)
			break;
		c->promised = true;
		r->promised[code]++;
		waiter_tell(c, SMC_CONTACT_READY, 0, 0);
	}
	spin_unlock_bh(&lgr->lock);
	return left;
}

/**
 * smc_waiters_leave - a contact looks for an element, or leaves the group
 * @lgr: group, its lock held
 * @c: contact
 *
 * Return: true if an element was promised to it. If the contact does not take
 * it, the caller must offer it to others.
 */
bool smc_waiters_leave(struct smc_lgr *lgr, struct smc_contact *c)
{
	bool promised = c->promised;

	lockdep_assert_held(&lgr->lock);
	list_del_init(&c->wait);
	c->promised = false;
	if (promised)
		lgr->rmbs.promised[c->code]--;
	return promised;
}

/**
 * smc_waiters_count - count the contacts that wait for this size code
 * @lgr: group, its lock held
 * @code: size code
 * @most: largest number of interest
 *
 * Return: number of contacts, but not more than @most.
 */
unsigned int smc_waiters_count(struct smc_lgr *lgr, u8 code, unsigned int most)
{
	struct smc_contact *c;
	unsigned int n = 0;

	lockdep_assert_held(&lgr->lock);
	list_for_each_entry(c, &lgr->waiters, wait)
		if (waiter_wants(c, code) && ++n >= most)
			break;
	return n;
}

/** smc_waiters_fail - fail all contacts that wait for this size code */
void smc_waiters_fail(struct smc_lgr *lgr, u8 code, int err)
{
	struct smc_contact *c, *next;

	spin_lock_bh(&lgr->lock);
	list_for_each_entry_safe(c, next, &lgr->waiters, wait)
		if (waiter_wants(c, code))
			waiter_tell(c, SMC_CONTACT_FAILED, SMC_DECL_MEM, err);
	spin_unlock_bh(&lgr->lock);
}

/** smc_waiters_tell_creator - report the end of first contact, once */
void smc_waiters_tell_creator(struct smc_lgr *lgr, enum smc_contact_event ev,
			      u32 decline, int err)
{
	struct smc_contact *c = lgr->creator;

	lockdep_assert_held(&lgr->lock);
	if (!c)
		return;
	lgr->creator = NULL;
	waiter_tell(c, ev, decline, err);
}
