// SPDX-License-Identifier: GPL-2.0
/*
 * RTokens of the peer (RFC 7609 2.1, 3.5.5.2). Each RMB of the peer has one key
 * and one address per link. A connection stores the ID of an RMB. The
 * connection looks up key and address when it starts to send over a link.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "../base/memcg.h"
#include "rtok.h"

int smc_rtok_init(struct smc_rtoks *t)
{
	spin_lock_init(&t->lock);
	t->tab = kvcalloc(SMC_RMBS_PER_LGR_MAX, sizeof(*t->tab),
			  SMC_GFP_PAID);
	return t->tab ? 0 : -ENOMEM;
}

void smc_rtok_destroy(struct smc_rtoks *t)
{
	kvfree(t->tab);
}

static struct smc_rtok *rtok_by_key(struct smc_rtoks *t, u8 slot, u32 rkey)
{
	unsigned int i;

	lockdep_assert_held(&t->lock);
	for (i = 0; i < t->n; i++)
		if (t->tab[i].known & BIT(slot) &&
		    t->tab[i].key[slot].rkey == rkey)
			return &t->tab[i];
	return NULL;
}

static struct smc_rtok *rtok_by_id(struct smc_rtoks *t, u32 id)
{
	unsigned int i;

	lockdep_assert_held(&t->lock);
	for (i = 0; i < t->n; i++)
		if (t->tab[i].id == id)
			return &t->tab[i];
	return NULL;
}

static void rtok_set(struct smc_rtok *e, u8 slot, u32 rkey, u64 addr)
{
	e->known |= BIT(slot);
	e->key[slot].rkey = rkey;
	e->key[slot].addr = addr;
}

/**
 * smc_rtok_learn - store a key that the peer named by CLC or CONFIRM RKEY
 * @t: table
 * @slot: slot of the link for which the key is valid
 * @rkey: key
 * @addr: address of the RMB on that link
 * @id: output: ID of the entry
 *
 * The peer may name a key several times (R-A.3.5-08). Context: BH safe. Return:
 * 0, -ENOSPC (more than 255 RMBs, R-A.3.5-09).
 */
int smc_rtok_learn(struct smc_rtoks *t, u8 slot, u32 rkey, u64 addr, u32 *id)
{
	struct smc_rtok *e;
	int err = 0;

	spin_lock_bh(&t->lock);
	e = rtok_by_key(t, slot, rkey);
	if (!e && t->n < SMC_RMBS_PER_LGR_MAX) {
		e = &t->tab[t->n++];
		*e = (struct smc_rtok) { .id = ++t->last_id };
	}
	if (e) {
		rtok_set(e, slot, rkey, addr);
		*id = e->id;
	} else {
		err = -ENOSPC;
	}
	spin_unlock_bh(&t->lock);
	return err;
}

/**
 * smc_rtok_set - store the key of a known RMB on another link
 * @t: table
 * @id: entry
 * @slot: slot of the link
 * @rkey: key on this link
 * @addr: address on this link
 *
 * Return: 0, -ENOENT (the peer has deleted the RMB).
 */
int smc_rtok_set(struct smc_rtoks *t, u32 id, u8 slot, u32 rkey, u64 addr)
{
	struct smc_rtok *e;

	spin_lock_bh(&t->lock);
	e = rtok_by_id(t, id);
	if (e)
		rtok_set(e, slot, rkey, addr);
	spin_unlock_bh(&t->lock);
	return e ? 0 : -ENOENT;
}

/** smc_rtok_find - find the RMB with this key on this link; 0 or -ENOENT */
int smc_rtok_find(struct smc_rtoks *t, u8 slot, u32 rkey, u32 *id)
{
	struct smc_rtok *e;

	spin_lock_bh(&t->lock);
	e = rtok_by_key(t, slot, rkey);
	if (e)
		*id = e->id;
	spin_unlock_bh(&t->lock);
	return e ? 0 : -ENOENT;
}

/**
 * smc_rtok_delete() - forget an RMB that the peer deleted, on all links
 * (R-3.5.5.2.2-05)
 * @t:		keys of the peer
 * @slot:	link that carried the message
 * @rkey:	key of the RMB on this link
 *
 * Return: false if this key is not known.
 */
bool smc_rtok_delete(struct smc_rtoks *t, u8 slot, u32 rkey)
{
	struct smc_rtok *e;

	spin_lock_bh(&t->lock);
	e = rtok_by_key(t, slot, rkey);
	if (e)
		*e = t->tab[--t->n];
	spin_unlock_bh(&t->lock);
	return e;
}

/** smc_rtok_forget - forget the keys of the link that used @slot */
void smc_rtok_forget(struct smc_rtoks *t, u8 slot)
{
	unsigned int i = 0;

	spin_lock_bh(&t->lock);
	while (i < t->n) {
		t->tab[i].known &= ~BIT(slot);
		/* no key is left, so no DELETE RKEY can name this RMB */
		if (t->tab[i].known)
			i++;
		else
			t->tab[i] = t->tab[--t->n];
	}
	spin_unlock_bh(&t->lock);
}

/** smc_rtok_get - get key and address of an RMB on a link, if known */
bool smc_rtok_get(struct smc_rtoks *t, u32 id, u8 slot, u32 *rkey, u64 *addr)
{
	struct smc_rtok *e;
	bool known;

	spin_lock_bh(&t->lock);
	e = rtok_by_id(t, id);
	known = e && e->known & BIT(slot);
	if (known) {
		*rkey = e->key[slot].rkey;
		*addr = e->key[slot].addr;
	}
	spin_unlock_bh(&t->lock);
	return known;
}
