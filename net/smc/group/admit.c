// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of first contacts that run at the same time.
 *
 * A Proposal with a new peer ID costs a queue pair and an RMB, and nothing
 * proves that its sender speaks RDMA. So the server counts first contacts by
 * the address that the Proposal came from, and by listener, namespace and port
 * of the adapter. A contact gets its place before anything is allocated, and
 * the group keeps the place until the link is confirmed or closed.
 *
 * A contact that finds no place waits in the line of its source. Sources take
 * turns, so a source that floods the server does not delay the others.
 *
 * A client has the same limits, and counts by the address that it connects to:
 * a server that names a new group in each Accept costs the client a queue pair
 * for each connection. Clients and servers do not take each other's places.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include "../base/limits.h"
#include "../base/mib.h"
#include "../base/tunables.h"
#include "admit.h"
#include "contact_types.h"

/* The objects for which first contacts are counted. */
enum admit_by {
	ADMIT_BY_SOURCE,
	ADMIT_BY_LISTENER,
	ADMIT_BY_NET,
	ADMIT_BY_PORT,
	ADMIT_NR_BY,
};

/*
 * Number of sources that admit_next() looks at when a first contact has ended.
 * If none of them has a contact that finds a place, another first contact still
 * runs, and its end calls admit_next() again.
 */
#define ADMIT_TURNS	32

/* Has no padding, because it is hashed and compared as bytes. */
struct admit_key {
	u64 of;		/* namespace, or address of the object */
	u32 by;		/* enum admit_by */
	u32 role;	/* enum smc_role */
	u8 source[16];
};

/**
 * struct admit_count - first contacts of one source, listener, ...; admit_lock
 * @node:	entry in admit_counts
 * @key:	object that the count belongs to; constant
 * @running:	first contacts that run
 * @users:	first contacts that run, and contacts that wait
 * @line:	source: struct smc_admit that wait, in order
 * @turn:	source: entry in admit_turns while @line is not empty
 */
struct admit_count {
	struct hlist_node node;
	struct admit_key key;
	unsigned int running;
	unsigned int users;
	struct list_head line;
	struct list_head turn;
};

/**
 * struct smc_admit - the place of one first contact; admit_lock
 * @c:		contact that waits, or NULL
 * @line:	entry in the line of its source
 * @count:	the counts that the first contact belongs to
 * @max:	limit of each count; constant
 */
struct smc_admit {
	struct smc_contact *c;
	struct list_head line;
	struct admit_count *count[ADMIT_NR_BY];
	unsigned int max[ADMIT_NR_BY];
};

/*
 * Seed of the hash, set once when the module starts. Peers choose their source
 * addresses. If they knew the seed, they could choose addresses with the same
 * hash.
 */
static u32 admit_secret;

static DEFINE_HASHTABLE(admit_counts, 8);
static LIST_HEAD(admit_turns);		/* sources whose line is not empty */
static DEFINE_SPINLOCK(admit_lock);	/* BH; protects all above */

/* ---- counts ---- */

static void admit_key(struct admit_key *key, const struct smc_contact *c,
		      enum admit_by by)
{
	memset(key, 0, sizeof(*key));
	key->by = by;
	key->role = c->role;
	switch (by) {
	case ADMIT_BY_SOURCE:
		key->of = c->net->net_cookie;
		memcpy(key->source, c->source, sizeof(key->source));
		break;
	case ADMIT_BY_LISTENER:
		key->of = (unsigned long)c->listener;
		break;
	case ADMIT_BY_NET:
		key->of = c->net->net_cookie;
		break;
	case ADMIT_BY_PORT:
		key->of = (unsigned long)c->choice.port;
		break;
	case ADMIT_NR_BY:
		break;
	}
}

static u32 admit_hash(const struct admit_key *key)
{
	return jhash(key, sizeof(*key), admit_secret);
}

static struct admit_count *admit_find(const struct admit_key *key)
{
	struct admit_count *count;

	lockdep_assert_held(&admit_lock);
	hash_for_each_possible(admit_counts, count, node, admit_hash(key))
		if (!memcmp(&count->key, key, sizeof(*key)))
			return count;
	return NULL;
}

/* Uses the existing count, or @fresh if there is none. Return: @fresh for the
 * caller to free, or NULL if it is used.
 */
static struct admit_count *admit_use(struct smc_admit *a, enum admit_by by,
				     struct admit_count *fresh)
{
	struct admit_count *known = admit_find(&fresh->key);

	lockdep_assert_held(&admit_lock);
	if (!known)
		hash_add(admit_counts, &fresh->node, admit_hash(&fresh->key));
	a->count[by] = known ?: fresh;
	a->count[by]->users++;
	return known ? fresh : NULL;
}

static void admit_free(struct smc_admit *a)
{
	enum admit_by by;

	lockdep_assert_held(&admit_lock);
	for (by = 0; by < ADMIT_NR_BY; by++) {
		if (--a->count[by]->users)
			continue;
		hash_del(&a->count[by]->node);
		kfree(a->count[by]);
	}
	kfree(a);
}

static bool admit_fits(const struct smc_admit *a)
{
	enum admit_by by;

	lockdep_assert_held(&admit_lock);
	for (by = 0; by < ADMIT_NR_BY; by++)
		if (a->count[by]->running >= a->max[by])
			return false;
	return true;
}

static void admit_run(struct smc_admit *a)
{
	enum admit_by by;

	lockdep_assert_held(&admit_lock);
	for (by = 0; by < ADMIT_NR_BY; by++)
		a->count[by]->running++;
}

static void admit_stop(struct smc_admit *a)
{
	enum admit_by by;

	lockdep_assert_held(&admit_lock);
	for (by = 0; by < ADMIT_NR_BY; by++)
		a->count[by]->running--;
}

/* ---- lines ---- */

static void admit_wait(struct smc_admit *a, struct smc_contact *c)
{
	struct admit_count *source = a->count[ADMIT_BY_SOURCE];

	lockdep_assert_held(&admit_lock);
	if (list_empty(&source->line))
		list_add_tail(&source->turn, &admit_turns);
	list_add_tail(&a->line, &source->line);
	a->c = c;
}

static void admit_unwait(struct smc_admit *a)
{
	struct admit_count *source = a->count[ADMIT_BY_SOURCE];

	lockdep_assert_held(&admit_lock);
	list_del_init(&a->line);
	a->c = NULL;
	if (list_empty(&source->line))
		list_del_init(&source->turn);
}

/* Gives free places to contacts that wait. */
static void admit_next(void)
{
	struct admit_count *source;
	struct smc_contact *c;
	struct smc_admit *a;
	int i;

	lockdep_assert_held(&admit_lock);
	for (i = 0; i < ADMIT_TURNS && !list_empty(&admit_turns); i++) {
		source = list_first_entry(&admit_turns, struct admit_count,
					  turn);
		list_move_tail(&source->turn, &admit_turns);
		a = list_first_entry(&source->line, struct smc_admit, line);
		if (!admit_fits(a))
			continue;
		c = a->c;
		admit_unwait(a);
		admit_run(a);
		c->notify(c, SMC_CONTACT_READY);
	}
}

/* ---- contacts ---- */

/** smc_admit_init - called before the first contact */
void smc_admit_init(void)
{
	admit_secret = get_random_u32();
}

static void admit_limits(struct smc_admit *a, const struct smc_contact *c)
{
	struct smc_tunables *t = smc_tunables(c->net);

	a->max[ADMIT_BY_SOURCE] = READ_ONCE(t->first_max_source);
	a->max[ADMIT_BY_LISTENER] = c->role == SMC_SERV ?
				    READ_ONCE(t->first_max_listener) : UINT_MAX;
	a->max[ADMIT_BY_NET] = READ_ONCE(t->first_max_net);
	a->max[ADMIT_BY_PORT] = SMC_FIRST_MAX_PORT;
}

static void admit_discard(struct admit_count **counts)
{
	enum admit_by by;

	for (by = 0; by < ADMIT_NR_BY; by++)
		kfree(counts[by]);
}

static int admit_alloc(const struct smc_contact *c, struct admit_count **counts)
{
	enum admit_by by;

	for (by = 0; by < ADMIT_NR_BY; by++) {
		counts[by] = kzalloc(sizeof(*counts[by]), GFP_KERNEL_ACCOUNT);
		if (!counts[by])
			return -ENOMEM;
		admit_key(&counts[by]->key, c, by);
		INIT_LIST_HEAD(&counts[by]->line);
		INIT_LIST_HEAD(&counts[by]->turn);
	}
	return 0;
}

static struct smc_admit *admit_new(const struct smc_contact *c,
				   struct admit_count **counts)
{
	struct smc_admit *a;

	if (admit_alloc(c, counts))
		return NULL;
	a = kzalloc(sizeof(*a), GFP_KERNEL_ACCOUNT);
	if (!a)
		return NULL;
	INIT_LIST_HEAD(&a->line);
	admit_limits(a, c);
	return a;
}

/**
 * smc_admit_ask - request a place for a first contact
 * @c: contact
 * @may_wait: false: do not wait if there is no place
 *
 * Context: may sleep for memory. Return: 0: c->admit has a place. -EINPROGRESS:
 * ->notify(READY) follows, and then the caller asks again. -EBUSY: there is no
 * place. -ENOMEM.
 */
int smc_admit_ask(struct smc_contact *c, bool may_wait)
{
	struct admit_count *spare[ADMIT_NR_BY] = {};
	struct smc_admit *a = c->admit;
	bool fresh = !a, waits;
	enum admit_by by;

	if (fresh) {
		a = admit_new(c, spare);
		if (!a) {
			admit_discard(spare);
			return -ENOMEM;
		}
	}
	spin_lock_bh(&admit_lock);
	if (fresh) {
		for (by = 0; by < ADMIT_NR_BY; by++)
			spare[by] = admit_use(a, by, spare[by]);
		if (list_empty(&a->count[ADMIT_BY_SOURCE]->line) &&
		    admit_fits(a)) {
			admit_run(a);
		} else if (may_wait) {
			admit_wait(a, c);
		} else {
			admit_free(a);
			a = NULL;
		}
		c->admit = a;
	}
	waits = a && a->c;
	spin_unlock_bh(&admit_lock);
	admit_discard(spare);
	if (fresh && waits)
		smc_mib_inc(c->net, SMC_MIB_FIRST_WAITED);
	if (!a)
		return -EBUSY;
	return waits ? -EINPROGRESS : 0;
}

/**
 * smc_admit_expired - the contact has waited too long and is declined
 * @c: contact; smc_admit_leave() follows
 *
 * Counts it if it still waits for a place. Context: any but irq.
 */
void smc_admit_expired(struct smc_contact *c)
{
	struct smc_admit *a = c->admit;
	bool waits;

	if (!a)
		return;
	spin_lock_bh(&admit_lock);
	waits = a->c;
	spin_unlock_bh(&admit_lock);
	if (waits)
		smc_mib_inc(c->net, SMC_MIB_FIRST_CAPPED);
}

/**
 * smc_admit_leave - the contact needs no place any more, or stops waiting
 * @c: contact; the function does nothing if the contact has not requested a
 *	place, or if a group has taken the place
 *
 * ->notify() is not called after this has returned. Context: any but irq.
 */
void smc_admit_leave(struct smc_contact *c)
{
	struct smc_admit *a = c->admit;

	c->admit = NULL;
	smc_admit_end(a);
}

/**
 * smc_admit_end - a first contact has ended, so give its place to others
 * @a: place, which is freed; or NULL
 *
 * Context: any but irq.
 */
void smc_admit_end(struct smc_admit *a)
{
	if (!a)
		return;
	spin_lock_bh(&admit_lock);
	if (a->c)
		admit_unwait(a);
	else
		admit_stop(a);
	admit_free(a);
	/* a contact that waited behind this one may fit now, too */
	admit_next();
	spin_unlock_bh(&admit_lock);
}
