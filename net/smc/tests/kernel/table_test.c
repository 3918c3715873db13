// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the table of groups when there are many: how many groups a lookup, a
 * handshake, a whole dump and an eviction visit, and in which order groups are
 * found.
 */
#include <kunit/test.h>
#include <linux/jhash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include <net/netns/generic.h>

/* The namespace of the test; it is not a real one. */
static void *namespace;

static void *own_generic(const struct net *net, unsigned int id)
{
	return namespace;
}

#define net_generic	own_generic

#include "../../group/idle.c"

/* A search by number calls this macro for each group that it visits. */
static unsigned long visits;

#undef rb_entry
#define rb_entry(ptr, type, member)					\
	(visits++, container_of(ptr, type, member))

/* A handshake calls this macro for each group or link that it checks. */
static unsigned long looks;

#undef hlist_entry_safe
#define hlist_entry_safe(ptr, type, member)				\
({									\
	typeof(ptr) found = (ptr);					\
									\
	looks += !!found;						\
	found ? hlist_entry(found, type, member) : NULL;		\
})

#define smc_port_vectors	own_port_vectors

#include "../../base/deadline.h"
#include "../../group/by_peer.c"
#include "../../group/table.c"
#include "../../group/vacant.c"

/* ---- functions that the table calls ---- */

static u32 vectors;

u32 own_port_vectors(const struct smc_port *port)
{
	return vectors;
}

static struct smc_lgr *evicted;

struct smc_lgr *smc_lgr_get(struct smc_lgr *lgr, enum smc_lgr_ref why)
{
	return lgr;
}

void smc_lgr_event(struct smc_lgr *lgr, enum smc_lgr_event_bit ev)
{
	if (ev == SMC_LGR_EVB_EVICT)
		evicted = lgr;
}

void smc_lgr_user_get(struct smc_lgr *lgr)
{
	lgr->users++;
}

bool smc_links_on_path(struct smc_lgr *lgr, const struct smc_dev_choice *own,
		       const u8 *peer_gid)
{
	return false;
}

struct smc_link *smc_link_get(struct smc_link *link, enum smc_link_ref why)
{
	return link;
}

bool smc_rmbe_full(const struct smc_lgr *lgr, u32 size)
{
	return false;
}

/* ---- groups ---- */

enum {
	FEW	= 64,
	MANY	= 1024,
	MAX	= 8,		/* idle groups */
};

static struct smc_idle idle;
static struct idle_net here = { .idle = &idle };
static struct net net;		/* only the cookie is read */

static int init(struct kunit *test)
{
	int role;

	smc_by_peer_init();
	smc_vacant_init();
	namespace = &here;
	idle.by_id = RB_ROOT;
	idle.n = 0;
	spin_lock_init(&idle.lock);
	for (role = 0; role < SMC_IDLE_ROLES; role++)
		INIT_LIST_HEAD(&idle.order[role]);
	evicted = NULL;
	vectors = 1;
	return 0;
}

/* Publishes @n groups with numbers from 1 on. In groups with an odd number we
 * are the server.
 */
static struct smc_lgr *publish(struct kunit *test, int n)
{
	struct smc_lgr *lgr = kvcalloc(n, sizeof(*lgr), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, lgr);
	for (i = 0; i < n; i++) {
		/* a group may be published after a group with a
		 * higher number
		 */
		struct smc_lgr *one = &lgr[i ^ 1];

		one->id = (i ^ 1) + 1;
		one->key.role = one->id % 2 ? SMC_SERV : SMC_CLNT;
		one->key.peer_id[7] = i;
		spin_lock_init(&one->lock);
		one->idle.of_net = &idle;
		one->idle.max = MAX;
		INIT_LIST_HEAD(&one->idle.entry);
		spin_lock_init(&one->lock);
		INIT_LIST_HEAD(&one->entry.all);
		RB_CLEAR_NODE(&one->entry.id);
		smc_table_add_client(one);
	}
	return lgr;
}

static void withdraw(struct kunit *test, struct smc_lgr *lgr, int n)
{
	while (n--)
		smc_table_remove(&lgr[n]);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_ROOT(&idle.by_id));
	KUNIT_EXPECT_TRUE(test, list_empty(&groups));
	kvfree(lgr);
}

/* Dumps all groups, which must come in order. Return: visits per group. */
static unsigned long dump(struct kunit *test, int n)
{
	struct smc_lgr *lgr = publish(test, n), *found;
	u32 id = 0;
	int i = 0;

	visits = 0;
	while ((found = smc_table_next(id, &net))) {
		KUNIT_EXPECT_PTR_EQ(test, found, &lgr[i]);
		id = found->id;
		i++;
	}
	KUNIT_EXPECT_EQ(test, i, n);
	withdraw(test, lgr, n);
	return visits / n;
}

static void dump_is_flat(struct kunit *test)
{
	unsigned long few = dump(test, FEW), many = dump(test, MANY);

	kunit_info(test, "visits for each group: %lu of %d, %lu of %d", few,
		   FEW, many, MANY);
	/* the depth of a red-black tree is at most twice the logarithm */
	KUNIT_EXPECT_LE(test, few, 2UL * (ilog2(FEW) + 1));
	KUNIT_EXPECT_LE(test, many, 2UL * (ilog2(MANY) + 1));
}

static void by_number(struct kunit *test)
{
	struct smc_lgr *lgr = publish(test, FEW);
	enum smc_lgr_event_bit ev = SMC_LGR_EVB_EVICT;

	KUNIT_EXPECT_TRUE(test, smc_table_event_id(&net, 17, ev));
	KUNIT_EXPECT_PTR_EQ(test, evicted, &lgr[16]);
	KUNIT_EXPECT_FALSE(test, smc_table_event_id(&net, 0, ev));
	KUNIT_EXPECT_FALSE(test, smc_table_event_id(&net, FEW + 1, ev));
	lgr[4].key.in_host = true;
	KUNIT_EXPECT_FALSE(test, smc_table_event_id(&net, 5, ev));
	smc_table_remove(&lgr[16]);
	KUNIT_EXPECT_FALSE(test, smc_table_event_id(&net, 17, ev));
	KUNIT_EXPECT_PTR_EQ(test, smc_table_next(16, &net), &lgr[17]);
	withdraw(test, lgr, FEW);
}

static void rest(struct smc_lgr *lgr)
{
	smc_idle_begin(&idle, &lgr->idle.entry, lgr->key.role);
}

/* Checks that the server's group that has been idle for longest ends first, and
 * the client's groups end last.
 */
static void oldest_first(struct kunit *test)
{
	struct smc_lgr *lgr = publish(test, MANY);
	int i;

	visits = 0;
	for (i = 0; i < MANY; i++) {
		rest(&lgr[i]);
		smc_table_make_room(&lgr[i]);
	}
	KUNIT_EXPECT_EQ(test, idle.n, MAX);
	KUNIT_EXPECT_EQ(test, visits, 0);
	/* a group that was used again is not the oldest any more */
	smc_idle_end(&idle, &lgr[MANY - 2].idle.entry);
	rest(&lgr[MANY - 2]);
	for (i = 0; i < MANY; i++)
		smc_idle_end(&idle, &lgr[i].idle.entry);
	KUNIT_EXPECT_EQ(test, idle.n, 0);
	withdraw(test, lgr, MANY);
}

static void who_is_next(struct kunit *test)
{
	struct smc_lgr *lgr = publish(test, FEW);
	int i;

	for (i = 0; i < MAX; i++)
		rest(&lgr[i]);
	KUNIT_EXPECT_FALSE(test, smc_idle_crowded(&idle, MAX));
	smc_table_make_room(&lgr[0]);
	KUNIT_EXPECT_NULL(test, evicted);
	/* the server's oldest group was used again, so its idle time starts
	 * anew
	 */
	smc_idle_end(&idle, &lgr[0].idle.entry);
	rest(&lgr[0]);
	rest(&lgr[MAX + 1]);
	smc_table_make_room(&lgr[0]);
	KUNIT_EXPECT_PTR_EQ(test, evicted, &lgr[2]);
	/* the group was told once, and does not count any more */
	evicted = NULL;
	smc_table_make_room(&lgr[0]);
	KUNIT_EXPECT_NULL(test, evicted);
	smc_idle_end(&idle, &lgr[2].idle.entry);
	KUNIT_EXPECT_EQ(test, idle.n, MAX);
	/* the server has no group left */
	for (i = 0; i < FEW; i += 2)
		smc_idle_end(&idle, &lgr[i].idle.entry);
	lgr[1].idle.max = 0;
	smc_table_make_room(&lgr[1]);
	KUNIT_EXPECT_PTR_EQ(test, evicted, &lgr[MAX + 1]);
	KUNIT_EXPECT_EQ(test, idle.n, 0);
	withdraw(test, lgr, FEW);
}

/* Checks that a new address tells each group of its namespace once, and the
 * groups one after the other.
 */
static void new_address(struct kunit *test)
{
	struct smc_lgr *lgr = publish(test, FEW);
	u32 now = smc_deadline_in(0);
	unsigned int i, told = 0;

	for (i = 0; i < FEW; i++)
		lgr[i].key.net_cookie = 1 + i % 2;
	lgr[2].key.in_host = true;
	smc_table_ports(1);
	for (i = 0; i < FEW; i++) {
		u32 at = lgr[i].mail.deadline[SMC_LGR_DL_PORTS];

		told += !!at;
		KUNIT_EXPECT_EQ(test, !!at, i != 2 && !(i % 2));
		lgr[i].mail.deadline[SMC_LGR_DL_PORTS] = at ? now : 0;
	}
	KUNIT_EXPECT_EQ(test, told, FEW / 2 - 1);
	/* a port that starts tells the groups of all namespaces; a group that
	 * was told already does not wait longer
	 */
	smc_table_ports(0);
	KUNIT_EXPECT_EQ(test, lgr[0].mail.deadline[SMC_LGR_DL_PORTS], now);
	KUNIT_EXPECT_NE(test, lgr[1].mail.deadline[SMC_LGR_DL_PORTS], 0);
	KUNIT_EXPECT_EQ(test, lgr[2].mail.deadline[SMC_LGR_DL_PORTS], 0);
	smc_table_ports(3);
	withdraw(test, lgr, FEW);
}

static bool beside;	/* of the last lookup */

static bool found(struct smc_lgr *wanted, struct smc_contact *c)
{
	return smc_table_find_server(c, wanted->key.peer_gid, &beside) &&
	       c->lgr == wanted;
}

/* Checks that a connection by another gateway needs another group, because a
 * link keeps its gateway.
 */
static void changed_gateway(struct kunit *test)
{
	struct smc_contact *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct smc_lgr *lgr = publish(test, 2);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->role = SMC_SERV;
	c->net = (struct net *)&net;
	memcpy(c->peer_id, lgr[0].key.peer_id, sizeof(c->peer_id));
	KUNIT_EXPECT_TRUE(test, found(&lgr[0], c));
	c->path.known = true;
	KUNIT_EXPECT_TRUE(test, found(&lgr[0], c));
	c->path.gateway = true;
	c->path.mac[0] = 2;
	KUNIT_EXPECT_FALSE(test, found(&lgr[0], c));
	lgr[0].key.path = c->path;
	KUNIT_EXPECT_TRUE(test, found(&lgr[0], c));
	c->path.mac[5] = 1;
	KUNIT_EXPECT_FALSE(test, found(&lgr[0], c));
	withdraw(test, lgr, 2);
}

/*
 * Checks that a client leaves a group whose gateway is not that of the route,
 * but only if the route is the one between the ends of the group's first link.
 */
static void route_of_another_link(struct kunit *test)
{
	struct smc_contact *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct smc_lgr *lgr = kvzalloc(sizeof(*lgr), GFP_KERNEL);
	static const u8 first[16] = { 1 }, second[16] = { 2 };

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_NOT_NULL(test, lgr);
	memcpy(lgr->key.peer_gid, first, sizeof(first));
	KUNIT_EXPECT_FALSE(test, smc_table_route_moved(lgr, c, first));
	c->path.gateway = true;
	KUNIT_EXPECT_FALSE(test, smc_table_route_moved(lgr, c, first));
	c->path.known = true;
	KUNIT_EXPECT_TRUE(test, smc_table_route_moved(lgr, c, first));
	/* the Accept names a link to the server's other adapter */
	KUNIT_EXPECT_FALSE(test, smc_table_route_moved(lgr, c, second));
	/* the connection is on the client's other adapter */
	c->choice.gid[0] = 2;
	KUNIT_EXPECT_FALSE(test, smc_table_route_moved(lgr, c, first));
	kvfree(lgr);
}

/* F-32: checks that a group serves only connections with the same answer. */
static void other_extension(struct kunit *test)
{
	struct smc_lgr *lgr = publish(test, 2);
	struct smc_contact *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->role = SMC_SERV;
	c->net = (struct net *)&net;
	memcpy(c->peer_id, lgr[0].key.peer_id, sizeof(c->peer_id));
	c->terms.answer.nonce = 7;
	KUNIT_EXPECT_TRUE(test, found(&lgr[0], c));
	c->terms.answer.version = 1;
	/* F-32 */
	KUNIT_EXPECT_FALSE(test, found(&lgr[0], c));
	lgr[0].terms.answer.version = 1;
	KUNIT_EXPECT_TRUE(test, found(&lgr[0], c));
	lgr[0].terms.answer.caps = SMC_EXT_WIDE;
	/* F-32 */
	KUNIT_EXPECT_FALSE(test, found(&lgr[0], c));
	withdraw(test, lgr, 2);
}

/* ---- handshakes ---- */

enum {
	CONNS	= 16,		/* connections of a group */
	EACH	= 2,		/* limit of checks per handshake */
};

/* Prepares a group with the only peer; this host has the role @role. */
static void prepare(struct smc_lgr *lgr, u32 id, enum smc_role role)
{
	lgr->id = id;
	lgr->key.role = role;
	lgr->terms.max_conns = CONNS;
	lgr->idle.of_net = &idle;
	spin_lock_init(&lgr->lock);
	INIT_LIST_HEAD(&lgr->entry.all);
	RB_CLEAR_NODE(&lgr->entry.id);
}

/*
 * Adds a connection with this answer. Return: its group, which is new if all
 * others are full.
 */
static struct smc_lgr *arrive_with(struct kunit *test, struct smc_lgr *lgr,
				   int *n, u8 caps)
{
	static const u8 gid[16];
	struct smc_contact c = {
		.role = SMC_SERV,
		.net = &net,
		.terms.answer.caps = caps,
	};

	if (smc_table_find_server(&c, gid, &beside))
		return c.lgr;
	prepare(&lgr[*n], *n + 1, SMC_SERV);
	lgr[*n].terms.answer.caps = caps;
	lgr[*n].users = 1;
	KUNIT_ASSERT_TRUE(test, smc_table_add_server(&lgr[*n], &c, gid));
	return &lgr[(*n)++];
}

static struct smc_lgr *arrive(struct kunit *test, struct smc_lgr *lgr, int *n)
{
	return arrive_with(test, lgr, n, 0);
}

/* Ends a connection, as smc_lgr_user_put() does. */
static void depart(struct smc_lgr *lgr)
{
	spin_lock_bh(&lgr->lock);
	lgr->users--;
	smc_vacant_check(lgr);
	spin_unlock_bh(&lgr->lock);
}

/*
 * Fills @most groups. Then one connection of each group ends and another one
 * begins. Return: number of looks per ten handshakes.
 */
static unsigned long serve(struct kunit *test, int most)
{
	struct smc_lgr *lgr = kvcalloc(most + 1, sizeof(*lgr), GFP_KERNEL);
	int i, n = 0;

	KUNIT_ASSERT_NOT_NULL(test, lgr);
	looks = 0;
	for (i = 0; i < most * CONNS; i++)
		arrive(test, lgr, &n);
	KUNIT_EXPECT_EQ(test, n, most);
	for (i = 0; i < most; i++)
		KUNIT_EXPECT_EQ(test, lgr[i].users, CONNS);
	for (i = 0; i < most; i++) {
		/* 7 has no divisor in common with the numbers of groups */
		struct smc_lgr *one = &lgr[i * 7 % most];

		depart(one);
		KUNIT_EXPECT_PTR_EQ(test, arrive(test, lgr, &n), one);
	}
	KUNIT_EXPECT_EQ(test, n, most);
	i = 10 * looks / (most * (CONNS + 1));
	withdraw(test, lgr, most);
	return i;
}

static void many_full_groups(struct kunit *test)
{
	unsigned long few = serve(test, FEW), many = serve(test, MANY);

	kunit_info(test, "looks of ten handshakes: %lu, %lu", few, many);
	KUNIT_EXPECT_LE(test, few, 10 * EACH);
	KUNIT_EXPECT_LE(test, many, 10 * EACH);
}

/* Checks that a group that ends takes no connection, even after a connection
 * has left it.
 */
static void no_place_at_the_end(struct kunit *test)
{
	struct smc_lgr *lgr = kvcalloc(3, sizeof(*lgr), GFP_KERNEL);
	int n = 0;

	KUNIT_ASSERT_NOT_NULL(test, lgr);
	arrive(test, lgr, &n);
	lgr[0].state = SMC_LGR_ENDING;
	KUNIT_EXPECT_PTR_EQ(test, arrive(test, lgr, &n), &lgr[1]);
	smc_table_remove(&lgr[0]);
	depart(&lgr[0]);
	KUNIT_EXPECT_TRUE(test, hlist_unhashed(&lgr[0].entry.vacant));
	/* a namespace does not see the groups of another one */
	net.net_cookie++;
	KUNIT_EXPECT_PTR_EQ(test, arrive(test, lgr, &n), &lgr[2]);
	net.net_cookie--;
	withdraw(test, lgr, 3);
}

/* ---- wide groups ---- */

static struct smc_lgr *arrive_wide(struct kunit *test, struct smc_lgr *lgr,
				   int *n)
{
	return arrive_with(test, lgr, n, SMC_EXT_WIDE);
}

/* Forms the group of a contact whose Confirm has these capabilities. */
static void form(struct smc_lgr *lgr, u8 caps)
{
	spin_lock_bh(&lgr->lock);
	lgr->state = SMC_LGR_ACTIVE;
	lgr->terms.ext.caps = caps;
	smc_vacant_check(lgr);
	spin_unlock_bh(&lgr->lock);
}

/* Opens 255 connections, which must all be in one new group. */
static void crowd(struct kunit *test, struct smc_lgr *lgr, int *n)
{
	struct smc_lgr *one = &lgr[*n];
	int i;

	/* F-36 */
	KUNIT_ASSERT_PTR_EQ(test, arrive_wide(test, lgr, n), one);
	form(one, SMC_EXT_WIDE);
	for (i = 1; i < SMC_LGR_CONNS_MAX; i++)
		KUNIT_ASSERT_PTR_EQ(test, arrive_wide(test, lgr, n), one);
}

/*
 * F-36: checks that the server has a group for each completion vector before a
 * group gets more than 255 connections, and then fills the groups evenly.
 */
static void wide_groups(struct kunit *test)
{
	struct smc_lgr *lgr = kvcalloc(4, sizeof(*lgr), GFP_KERNEL);
	int i, n = 0;

	KUNIT_ASSERT_NOT_NULL(test, lgr);
	vectors = 3;
	for (i = 0; i < 3; i++)
		crowd(test, lgr, &n);
	for (i = 0; i < 300; i++)
		arrive_wide(test, lgr, &n);
	KUNIT_EXPECT_EQ(test, n, 3);
	for (i = 0; i < 3; i++)
		/* F-36 */
		KUNIT_EXPECT_EQ(test, lgr[i].users, SMC_LGR_CONNS_MAX + 100);
	/* a group that has become smaller comes first */
	for (i = 0; i < 101; i++)
		depart(&lgr[1]);
	KUNIT_EXPECT_PTR_EQ(test, arrive_wide(test, lgr, &n), &lgr[1]);
	/* a full group does not count */
	vectors = 1;
	for (i = 0; i < 3; i++)
		lgr[i].users = SMC_LGR_CONNS_WIDE - 1;
	for (i = 0; i < 3; i++)
		arrive_wide(test, lgr, &n);
	for (i = 0; i < 3; i++)
		/* F-36 */
		KUNIT_EXPECT_EQ(test, lgr[i].users, SMC_LGR_CONNS_WIDE);
	/* R-3.5.3-01 */
	KUNIT_EXPECT_PTR_EQ(test, arrive_wide(test, lgr, &n), &lgr[3]);
	withdraw(test, lgr, 4);
}

/*
 * F-36: checks that only one group forms beside others, and that no contact
 * waits for it.
 */
static void one_forms_at_a_time(struct kunit *test)
{
	struct smc_lgr *lgr = kvcalloc(3, sizeof(*lgr), GFP_KERNEL);
	int n = 0;

	KUNIT_ASSERT_NOT_NULL(test, lgr);
	vectors = 3;
	crowd(test, lgr, &n);
	/* F-36 */
	KUNIT_EXPECT_PTR_EQ(test, arrive_wide(test, lgr, &n), &lgr[1]);
	KUNIT_EXPECT_PTR_EQ(test, arrive_wide(test, lgr, &n), &lgr[0]);
	form(&lgr[1], SMC_EXT_WIDE);
	KUNIT_EXPECT_PTR_EQ(test, arrive_wide(test, lgr, &n), &lgr[1]);
	withdraw(test, lgr, 2);
}

/*
 * F-36: checks a burst of contacts that all wait for the first groups. If the
 * Confirm turns WIDE off, the group has no place for most of them.
 */
static void burst_before_confirm(struct kunit *test)
{
	struct smc_lgr *lgr = kvcalloc(3, sizeof(*lgr), GFP_KERNEL);
	int i, n = 0;

	KUNIT_ASSERT_NOT_NULL(test, lgr);
	vectors = 2;
	for (i = 0; i < 4 * SMC_LGR_CONNS_MAX; i++)
		arrive_wide(test, lgr, &n);
	KUNIT_EXPECT_EQ(test, n, 2);
	for (i = 0; i < 2; i++) {
		/* F-36 */
		KUNIT_EXPECT_EQ(test, lgr[i].users, 2 * SMC_LGR_CONNS_MAX);
		form(&lgr[i], 0);
	}
	/* F-31 */
	KUNIT_EXPECT_PTR_EQ(test, arrive_wide(test, lgr, &n), &lgr[2]);
	withdraw(test, lgr, 3);
}

/*
 * F-36: checks that the server uses a wide group for some seconds if the group
 * beside it could not be made.
 */
static void refused_beside(struct kunit *test)
{
	struct smc_contact *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct smc_lgr *lgr = kvcalloc(1, sizeof(*lgr), GFP_KERNEL);
	int n = 0;

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_NOT_NULL(test, lgr);
	c->role = SMC_SERV;
	c->net = (struct net *)&net;
	c->terms.answer.caps = SMC_EXT_WIDE;
	vectors = 2;
	crowd(test, lgr, &n);
	/* F-36 */
	KUNIT_EXPECT_FALSE(test, found(&lgr[0], c));
	KUNIT_EXPECT_TRUE(test, beside);
	smc_vacant_refused(c);
	KUNIT_EXPECT_TRUE(test, found(&lgr[0], c));
	KUNIT_EXPECT_FALSE(test, beside);
	vacant_of(c->peer_id, 0)->again = jiffies;
	KUNIT_EXPECT_FALSE(test, found(&lgr[0], c));
	/* a full group is no alternative */
	lgr[0].users = SMC_LGR_CONNS_WIDE;
	KUNIT_EXPECT_FALSE(test, found(&lgr[0], c));
	KUNIT_EXPECT_FALSE(test, beside);
	withdraw(test, lgr, 1);
}

/* Handles @n Accepts that each name a link. Return: number of looks per ten
 * Accepts.
 */
static unsigned long follow(struct kunit *test, int n)
{
	struct smc_lgr *lgr = kvcalloc(n, sizeof(*lgr), GFP_KERNEL);
	struct smc_link *link = kvcalloc(n, sizeof(*link), GFP_KERNEL);
	struct smc_contact c = { .role = SMC_CLNT, .net = &net };
	struct smc_ep_addr none = { .qpn = n };
	int i;

	KUNIT_ASSERT_NOT_NULL(test, lgr);
	KUNIT_ASSERT_NOT_NULL(test, link);
	for (i = 0; i < n; i++) {
		prepare(&lgr[i], i + 1, SMC_CLNT);
		smc_table_add_client(&lgr[i]);
		link[i].lgr = &lgr[i];
		link[i].peer.qpn = i;
		smc_by_peer_add(&link[i]);
	}
	looks = 0;
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_TRUE(test, smc_by_peer_find(&c, &link[i].peer));
		KUNIT_EXPECT_PTR_EQ(test, c.lgr, &lgr[i]);
		KUNIT_EXPECT_PTR_EQ(test, c.link, &link[i]);
	}
	i = 10 * looks / n;
	KUNIT_EXPECT_FALSE(test, smc_by_peer_find(&c, &none));
	lgr[0].state = SMC_LGR_ENDING;
	KUNIT_EXPECT_FALSE(test, smc_by_peer_find(&c, &link[0].peer));
	smc_by_peer_remove(&link[1]);
	smc_by_peer_remove(&link[1]);
	KUNIT_EXPECT_FALSE(test, smc_by_peer_find(&c, &link[1].peer));
	withdraw(test, lgr, n);
	while (n--)
		smc_by_peer_remove(&link[n]);
	kvfree(link);
	return i;
}

static void accept_names_the_link(struct kunit *test)
{
	unsigned long few = follow(test, FEW), many = follow(test, MANY);

	kunit_info(test, "looks of ten Accepts: %lu, %lu", few, many);
	KUNIT_EXPECT_LE(test, few, 10 * EACH);
	KUNIT_EXPECT_LE(test, many, 10 * EACH);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(dump_is_flat),
	KUNIT_CASE(by_number),
	KUNIT_CASE(oldest_first),
	KUNIT_CASE(new_address),
	KUNIT_CASE(changed_gateway),
	KUNIT_CASE(route_of_another_link),
	KUNIT_CASE(other_extension),
	KUNIT_CASE(who_is_next),
	KUNIT_CASE(many_full_groups),
	KUNIT_CASE(no_place_at_the_end),
	KUNIT_CASE(wide_groups),
	KUNIT_CASE(one_forms_at_a_time),
	KUNIT_CASE(burst_before_confirm),
	KUNIT_CASE(refused_beside),
	KUNIT_CASE(accept_names_the_link),
	{}
};

static struct kunit_suite smc_table_suite = {
	.name = "smc-table",
	.init = init,
	.test_cases = cases,
};

kunit_test_suite(smc_table_suite);
