// SPDX-License-Identifier: GPL-2.0
/*
 * In-host transport between two endpoints of this kernel. Before a bundle is
 * posted, the poster copies the bytes of its writes into the peer's pages, and
 * holds no lock of an endpoint. Then the slot itself moves: first into the
 * peer's inbox, whose tasklet delivers the message, and then back into the
 * sender's outbox, whose tasklet completes the slot. So the number of slots
 * limits the messages in flight, and a completion means that the peer has
 * received the message.
 *
 * One tasklet per endpoint serialises all its callbacks. The tasklet is
 * scheduled with softirqs off, so it runs as soon as the poster has dropped its
 * locks.
 *
 * @peer is the endpoint to which an endpoint sends, @from is the endpoint that
 * sends to it. @peer and @from are the same endpoint after the two sides have
 * accepted each other. Each pointer holds a reference.
 *
 * A writer finds peer and region in an RCU read section, and copies in it.
 * While it copies, it also has a reference on the region. So a region that is
 * freed waits for its own writers only, and an endpoint that is shut waits for
 * all.
 *
 * Locks: bind_lock nests inside ctl. in_lock and out_lock nest inside
 * post_lock; they are taken one at a time, and no lock nests inside them.
 */
#include <linux/completion.h>
#include <linux/highmem.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include "../base/limits.h"
#include "../base/memcg.h"
#include "../base/trace.h"
#include "../base/xa.h"
#include "ep.h"
#include "loop.h"

enum {
	/* 4096 bytes, the largest MTU that a message can name */
	LOOP_MTU_CODE		= 5,
	LOOP_MAX_MR_PAGES	= 1024,
	LOOP_KEY_TRIES		= 16,	/* limit of attempts to find a free random key */
};

struct loop_ep {
	struct smc_ep ep;
	/* written under bind_lock and in_lock; writers read it under RCU */
	struct loop_ep __rcu *peer;
	struct loop_ep *from;		/* protected by bind_lock */
	struct tasklet_struct tasklet;
	struct rcu_head rcu;		/* frees the object */

	bool mr_open;			/* READ_ONCE by place_bundle() */
	struct xarray mrs;		/* maps a key to its struct loop_mr */

	spinlock_t in_lock;		/* protects inbox, in_open and peer */
	bool in_open;
	struct list_head inbox;		/* slots of the peer, oldest first */

	spinlock_t out_lock;		/* protects outbox */
	struct list_head outbox;	/* own slots that the peer has returned */
};

/*
 * @live counts the owner, from the registration on, and the writers that copy;
 * 0: nobody may begin to write. @quiet completes when it becomes 0 again.
 */
struct loop_mr {
	struct smc_mr mr;
	struct page **pages;
	refcount_t live;
	struct completion quiet;
	struct rcu_head rcu;
};

/* maps a number to its struct loop_ep */
static DEFINE_XARRAY(endpoints);
static DEFINE_MUTEX(bind_lock);		/* protects the binding of endpoints */

static struct loop_ep *loop_of(const struct smc_ep *ep)
{
	return container_of(ep, struct loop_ep, ep);
}

/* ---- memory ---- */

static void copy_piece(struct loop_mr *m, u64 to, const struct smc_ep_piece *p)
{
	u32 from = p->off;
	u32 left = p->len;
	u32 n;

	while (left) {
		n = min3(left, (u32)(PAGE_SIZE - offset_in_page(from)),
			 (u32)(PAGE_SIZE - offset_in_page(to)));
		memcpy_page(m->pages[to >> PAGE_SHIFT], offset_in_page(to),
			    p->page + (from >> PAGE_SHIFT),
			    offset_in_page(from), n);
		to += n;
		from += n;
		left -= n;
	}
}

static void mr_release(struct loop_mr *m)
{
	if (refcount_dec_and_test(&m->live))
		complete(&m->quiet);
}

/*
 * Makes the checks that a NIC makes: the key, its state, and the whole range.
 * Return: region with a reference of the caller, or NULL.
 */
static struct loop_mr *find_target(struct loop_ep *peer,
				   const struct smc_ep_write *w)
{
	struct loop_mr *m = xa_load(&peer->mrs, w->rkey);

	if (!m || w->raddr < m->mr.addr || w->len > m->mr.len ||
	    w->raddr - m->mr.addr > m->mr.len - w->len ||
	    !refcount_inc_not_zero(&m->live))
		return NULL;
	return m;
}

static int place_write(struct loop_ep *peer, const struct smc_ep_write *w,
		       const struct smc_ep_piece *piece)
{
	struct loop_mr *m;
	u64 to;
	u32 i;

	if (!w->len)
		return 0;
	m = find_target(peer, w);
	if (!m) {
		trace_smc_violation("in-host write", &peer->ep, w->rkey);
		return -EACCES;
	}
	to = w->raddr - m->mr.addr;
	for (i = 0; i < w->n_pieces; i++) {
		copy_piece(m, to, &piece[i]);
		to += piece[i].len;
	}
	mr_release(m);
	return 0;
}

static int place_bundle(struct loop_ep *peer, const struct smc_ep_bundle *b)
{
	int err = 0;
	u32 i;

	/* partner: shut_in() */
	if (!peer || !READ_ONCE(peer->mr_open))
		return -ECONNRESET;
	for (i = 0; !err && i < b->n_writes; i++)
		err = place_write(peer, &b->write[i],
				  &b->piece[b->write[i].first_piece]);
	return err;
}

/*
 * Copies the bytes of the bundle. Like the WRITEs of a NIC they may arrive long
 * before the message that tells of them. loop_post() reports an error, because
 * only there it is in the order of the messages.
 */
static int loop_place(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	if (!b->n_writes)
		return 0;
	rcu_read_lock();
	b->err = place_bundle(rcu_dereference(loop_of(ep)->peer), b);
	rcu_read_unlock();
	return 0;
}

/* Stores @entry in @xa at a free index, which is a random number of @n bits and
 * not zero.
 */
static int insert_random(struct xarray *xa, void *entry, unsigned int bits,
			 u32 *key)
{
	int tries = LOOP_KEY_TRIES;
	int err;

	do {
		*key = get_random_u32() >> (32 - bits);
		err = *key ? xa_insert(xa, *key, entry, GFP_KERNEL) : -EBUSY;
	} while (err == -EBUSY && --tries);
	return err;
}

static struct smc_mr *mr_alloc(struct smc_ep *ep, const struct smc_mem *mem)
{
	struct loop_ep *l = loop_of(ep);
	struct loop_mr *m = kzalloc(sizeof(*m), GFP_KERNEL);
	int err = -ENOMEM;

	if (!m)
		return ERR_PTR(-ENOMEM);
	m->pages = kvmalloc_array(mem->n_pages, sizeof(*m->pages), GFP_KERNEL);
	if (!m->pages)
		goto free;
	memcpy(m->pages, mem->pages, mem->n_pages * sizeof(*m->pages));
	init_completion(&m->quiet);
	m->mr.len = mem->len;
	/* any number that is not a kernel address and does not overflow */
	m->mr.addr = (get_random_u64() & GENMASK_ULL(46, 0) & PAGE_MASK) |
		     PAGE_SIZE;
	err = insert_random(&l->mrs, m, 32, &m->mr.rkey);
	if (err)
		goto free_pages;
	return &m->mr;
free_pages:
	kvfree(m->pages);
free:
	kfree(m);
	return ERR_PTR(err);
}

static int mr_register(struct smc_mr *mr)
{
	struct loop_mr *m = container_of(mr, struct loop_mr, mr);

	refcount_set(&m->live, 1);
	return 0;
}

static bool mr_free(struct smc_mr *mr)
{
	struct loop_mr *m = container_of(mr, struct loop_mr, mr);
	struct loop_ep *l = loop_of(mr->ep);

	xa_erase(&l->mrs, mr->rkey);
	if (refcount_read(&m->live)) {
		mr_release(m);
		wait_for_completion(&m->quiet);
	}
	kvfree(m->pages);
	/* a writer may have found the region and not taken a reference */
	kfree_rcu(m, rcu);
	return true;
}

/* ---- messages ---- */

/* Puts the slots of @slots, which were returned, into the outbox of @l, and
 * empties @slots.
 */
static void to_outbox(struct loop_ep *l, struct list_head *slots)
{
	spin_lock_bh(&l->out_lock);
	list_splice_tail_init(slots, &l->outbox);
	tasklet_schedule(&l->tasklet);
	spin_unlock_bh(&l->out_lock);
}

static int to_inbox(struct loop_ep *peer, struct loop_ep *l,
		    struct smc_ep_bundle *b)
{
	int err = 0;

	spin_lock_bh(&peer->in_lock);
	if (!peer->in_open) {
		err = -ECONNRESET;
	} else if (rcu_access_pointer(peer->peer) != l) {
		err = -ECONNREFUSED;	/* the peer did not accept this endpoint */
	} else {
		list_add_tail(&b->xfer, &peer->inbox);
		tasklet_schedule(&peer->tasklet);
	}
	spin_unlock_bh(&peer->in_lock);
	return err;
}

/* The peer of an endpoint that is READY, of a caller who prevents its end. */
static struct loop_ep *peer_of(const struct loop_ep *l)
{
	return rcu_dereference_raw(l->peer);
}

static int loop_post(struct smc_ep *ep, struct smc_ep_bundle *b)
{
	struct loop_ep *l = loop_of(ep);
	/* @peer is valid: the state is READY, and post_lock prevents a close */
	struct loop_ep *peer = peer_of(l);

	if (b->err == -EACCES)
		/*
		 * As with a NIC, earlier messages arrive before both ends fail.
		 * So the failed slot moves through the inbox behind these
		 * messages.
		 */
		smc_ep_fail(ep, b->err);
	else if (b->err)
		return b->err;
	return to_inbox(peer, l, b);
}

static void loop_message(struct loop_ep *l, const struct smc_ep_slot *slot)
{
	if (slot->page)
		smc_ep_message(&l->ep, page_address(slot->page), slot->len);
	else
		smc_ep_message(&l->ep, slot->msg, SMC_EP_MSG_LEN);
}

static void loop_deliver(struct loop_ep *l)
{
	struct smc_ep_bundle *b;
	LIST_HEAD(slots);

	spin_lock_bh(&l->in_lock);
	list_splice_init(&l->inbox, &slots);
	spin_unlock_bh(&l->in_lock);
	if (list_empty(&slots))
		return;
	list_for_each_entry(b, &slots, xfer) {
		if (b->err)
			smc_ep_fail(&l->ep, b->err);
		else
			loop_message(l, &b->pub);
	}
	/* only our peer gets into the inbox; loop_quiesce() clears it later */
	to_outbox(peer_of(l), &slots);
}

static void complete_sent(struct loop_ep *l)
{
	struct smc_ep_bundle *b;
	struct smc_ep_bundle *next;
	LIST_HEAD(slots);

	spin_lock_bh(&l->out_lock);
	list_splice_init(&l->outbox, &slots);
	spin_unlock_bh(&l->out_lock);
	/* a completed slot may be in use again at once */
	list_for_each_entry_safe(b, next, &slots, xfer)
		smc_ep_complete(&l->ep, b, b->err);
}

static void loop_run(struct tasklet_struct *t)
{
	struct loop_ep *l = from_tasklet(l, t, tasklet);

	loop_deliver(l);
	complete_sent(l);
}

/* ---- life ---- */

static bool can_bind(const struct loop_ep *l, const struct loop_ep *peer)
{
	lockdep_assert_held(&bind_lock);
	/* if the number belongs to a new endpoint, its PSN is different */
	return peer && peer != l && peer->ep.self.psn == l->ep.peer.psn &&
	       (!peer->from || peer->from == l);
}

static int loop_accept(struct smc_ep *ep)
{
	struct loop_ep *l = loop_of(ep);
	struct loop_ep *peer;
	int err = -ECONNREFUSED;

	mutex_lock(&bind_lock);
	/* loop_quiesce() first takes the endpoint out of the table, under the
	 * lock
	 */
	peer = xa_load(&endpoints, ep->peer.qpn);
	if (can_bind(l, peer)) {
		smc_ep_get(&peer->ep, SMC_EP_REF_PEER);
		spin_lock_bh(&l->in_lock);
		rcu_assign_pointer(l->peer, peer);
		spin_unlock_bh(&l->in_lock);
		smc_ep_get(&l->ep, SMC_EP_REF_PEER);
		peer->from = l;
		err = 0;
	}
	mutex_unlock(&bind_lock);
	return err;
}

static int loop_start(struct smc_ep *ep)
{
	return 0;
}

/* Stops all messages and writes to this endpoint, and returns the slots that
 * are left.
 */
static void shut_in(struct loop_ep *l)
{
	struct smc_ep_bundle *b;
	LIST_HEAD(slots);

	WRITE_ONCE(l->mr_open, false);	/* partner: place_bundle() */
	/* until then a writer may copy */
	synchronize_rcu();
	spin_lock_bh(&l->in_lock);
	l->in_open = false;
	spin_unlock_bh(&l->in_lock);
	/* a scheduled tasklet runs once more and does not schedule
	 * itself again
	 */
	tasklet_kill(&l->tasklet);

	spin_lock_bh(&l->in_lock);
	list_splice_init(&l->inbox, &slots);
	spin_unlock_bh(&l->in_lock);
	if (list_empty(&slots))
		return;
	list_for_each_entry(b, &slots, xfer)
		b->err = -ECONNRESET;
	to_outbox(peer_of(l), &slots);
}

static void loop_unbind(struct loop_ep *l)
{
	struct loop_ep *peer;
	struct loop_ep *from;

	mutex_lock(&bind_lock);
	peer = peer_of(l);
	from = l->from;
	if (peer && peer->from == l)
		peer->from = NULL;
	else
		peer = NULL;
	l->from = NULL;
	mutex_unlock(&bind_lock);

	/* the peer has processed all slots of this endpoint */
	if (from) {
		smc_ep_fail(&from->ep, -ECONNRESET);
		smc_ep_put(&from->ep, SMC_EP_REF_PEER);
	}
	if (peer)
		/* drop the reference that peer->from held */
		smc_ep_put(&l->ep, SMC_EP_REF_PEER);
}

static void loop_quiesce(struct smc_ep *ep)
{
	struct loop_ep *l = loop_of(ep);
	struct loop_ep *peer;

	mutex_lock(&bind_lock);
	xa_erase(&endpoints, ep->self.qpn);
	mutex_unlock(&bind_lock);
	/*
	 * The peer's tasklet delivers our messages, or its end returns them.
	 * Neither waits for this endpoint.
	 */
	wait_event(ep->idle, !READ_ONCE(ep->n_posted));
	shut_in(l);
	loop_unbind(l);

	spin_lock_bh(&l->in_lock);
	peer = peer_of(l);
	RCU_INIT_POINTER(l->peer, NULL);
	spin_unlock_bh(&l->in_lock);
	if (peer)
		smc_ep_put(&peer->ep, SMC_EP_REF_PEER);
}

static void loop_release(struct smc_ep *ep)
{
	struct loop_ep *l = loop_of(ep);

	xa_destroy(&l->mrs);
	smc_ep_cleanup(ep);
	kfree_rcu(l, rcu);	/* reader: loop_place() */
}

static const struct smc_ep_ops loop_ops = {
	.name		= "in-host",
	.bundle_size	= sizeof(struct smc_ep_bundle),
	.accept		= loop_accept,
	.start		= loop_start,
	.quiesce	= loop_quiesce,
	.release	= loop_release,
	.map		= loop_place,
	.post		= loop_post,
	.mr_alloc	= mr_alloc,
	.mr_register	= mr_register,
	.mr_free	= mr_free,
};

struct smc_ep *smc_ep_open_loop(const struct smc_ep_user *user, void *ctx)
{
	struct loop_ep *l = kzalloc(sizeof(*l), SMC_GFP_PAID);
	int err;

	if (!l)
		return ERR_PTR(-ENOMEM);
	tasklet_setup(&l->tasklet, loop_run);
	spin_lock_init(&l->in_lock);
	spin_lock_init(&l->out_lock);
	xa_init(&l->mrs);
	INIT_LIST_HEAD(&l->inbox);
	INIT_LIST_HEAD(&l->outbox);
	l->mr_open = true;
	l->in_open = true;
	err = smc_ep_init(&l->ep, &loop_ops, SMC_EP_SLOTS, user, ctx);
	if (err)
		goto cleanup;
	l->ep.max.pieces = SMC_EP_MAX_PIECES;
	l->ep.max.write = SMC_EP_MAX_PIECES * PAGE_SIZE;
	l->ep.max.mr_pages = LOOP_MAX_MR_PAGES;
	l->ep.max.mr_batch = U32_MAX;
	l->ep.self.psn = get_random_u32() & SMC_PSN_MAX;
	l->ep.self.mtu = LOOP_MTU_CODE;
	/* after this other endpoints can find the endpoint */
	err = insert_random(&endpoints, l, 24, &l->ep.self.qpn);
	if (err)
		goto cleanup;
	return smc_ep_opened(&l->ep);
cleanup:
	smc_ep_cleanup(&l->ep);
	kfree(l);
	return ERR_PTR(err);
}

void smc_loop_exit(void)
{
	smc_xa_exit(&endpoints);
}
