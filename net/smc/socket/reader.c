// SPDX-License-Identifier: GPL-2.0
/*
 * Readers inside the kernel.
 *
 * Such a reader replaces sk_data_ready of the socket, and reads with
 * read_sock(). Examples are strparser and drivers of storage over the network.
 * They expect the conventions of TCP: sk_data_ready runs while the lock of the
 * socket is held, and the bytes arrive in skbs.
 *
 * The connection tells about new bytes without a lock. So this file takes the
 * lock for such a callback. strparser then finds an owned socket and reads from
 * its own worker; others read at once. Sockets with the default callback, which
 * only wakes the wait queue, do not need the lock.
 */
#include <linux/bvec.h>
#include <linux/skbuff.h>
#include <linux/uio.h>
#include <net/sock.h>
#include "../base/stats.h"
#include "../conn/conn.h"
#include "../conn/count.h"
#include "../conn/rx.h"
#include "lock.h"
#include "options.h"
#include "reader.h"
#include "sock.h"
#include "tcp_cb.h"

/* Limit of bytes per skb. More bytes need further skbs. */
#define READER_BYTES	32768

static struct workqueue_struct *reader_wq;

/* ---- sk_data_ready ---- */

/*
 * Calls sk_data_ready, or lets @reader.later do that if another context holds the
 * lock. @gfp: how read_sock() may allocate memory.
 */
static void tell_locked(struct smc_sock *smc, gfp_t gfp)
{
	void (*ready)(struct sock *sk);
	struct sock *sk = &smc->sk;

	if (smc_lock_try(smc, &smc->reader.later))
		return;
	ready = READ_ONCE(sk->sk_data_ready);
	smc->reader.gfp = gfp;
	if (!sock_flag(sk, SOCK_DEAD))
		ready(sk);
	smc->reader.gfp = GFP_KERNEL;
	release_sock(sk);
}

static void reader_worker(struct work_struct *work)
{
	struct smc_sock *smc = container_of(work, struct smc_sock, reader.work);

	tell_locked(smc, GFP_KERNEL);
	sock_put(&smc->sk);
}

static void queue_reader(struct smc_sock *smc)
{
	sock_hold(&smc->sk);
	if (!queue_work(reader_wq, &smc->reader.work))
		sock_put(&smc->sk);
}

/* The owner of the lock calls this function and holds a reference. */
static void reader_lock_free(struct smc_later *later)
{
	queue_reader(container_of(later, struct smc_sock, reader.later));
}

void smc_reader_ready(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;

	if (likely(smc_tcp_ready_is_default(sk)))
		smc_tcp_default_ready(sk);
	else
		tell_locked(smc, GFP_ATOMIC);
}

void smc_reader_ready_tcp(struct smc_sock *smc)
{
	/*
	 * The callback may call read_sock(), which takes the lock of TCP. The
	 * caller holds that lock.
	 */
	if (unlikely(!smc_tcp_ready_is_default(&smc->sk)))
		queue_reader(smc);
}

/* ---- read_sock() ---- */

/* The skb that holds the copy, and the actor that takes its bytes. */
struct feed {
	struct sk_buff *skb;
	read_descriptor_t *desc;
	sk_read_actor_t actor;
};

/* Allocates an skb with pages for @len bytes, and fills in @vecs. */
static struct sk_buff *alloc_copy(u32 len, struct bio_vec *vecs, gfp_t gfp)
{
	struct sk_buff *skb;
	int i, err;

	skb = alloc_skb_with_frags(0, len, PAGE_ALLOC_COSTLY_ORDER, &err,
				   gfp | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb->len = len;
	skb->data_len = len;
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		vecs[i] = (struct bio_vec){
			.bv_page = skb_frag_page(frag),
			.bv_offset = skb_frag_off(frag),
			.bv_len = skb_frag_size(frag),
		};
	}
	return skb;
}

/*
 * Passes @len bytes to the actor. As in TCP, an actor that takes only a part is
 * called again for the rest. Return: number of bytes taken, or an errno.
 */
static int use_copy(void *arg, u32 len)
{
	struct feed *feed = arg;
	u32 done = 0;

	if (len < feed->skb->len && pskb_trim(feed->skb, len))
		return -ENOMEM;
	while (done < len) {
		int used = feed->actor(feed->desc, feed->skb, done, len - done);

		if (used <= 0)
			return done ?: used;
		if (WARN_ON_ONCE(used > len - done))
			used = len - done;
		done += used;
	}
	return done;
}

/* Return: number of bytes taken, 0 if none is readable, or an errno. */
static int read_some(struct smc_sock *smc, struct feed *feed)
{
	u32 len = min_t(u32, smc_rx_avail(smc->conn), READER_BYTES);
	struct bio_vec vecs[MAX_SKB_FRAGS];
	struct msghdr msg = {};
	int used;

	if (!len)
		return 0;
	feed->skb = alloc_copy(len, vecs, smc->reader.gfp);
	if (!feed->skb) {
		/* a callback that cannot wait for memory is called again */
		if (!gfpflags_allow_blocking(smc->reader.gfp))
			queue_reader(smc);
		feed->desc->error = -ENOMEM;
		return -ENOMEM;
	}
	iov_iter_bvec(&msg.msg_iter, ITER_DEST, vecs,
		      skb_shinfo(feed->skb)->nr_frags, len);
	used = smc_rx_feed(smc->conn, &msg, len, use_copy, feed);
	consume_skb(feed->skb);
	return used;
}

static int read_smc(struct smc_sock *smc, read_descriptor_t *desc,
		    sk_read_actor_t actor)
{
	struct feed feed = { .desc = desc, .actor = actor };
	int copied = 0;
	int used;

	do {
		used = read_some(smc, &feed);
		if (used <= 0)
			break;
		copied += used;
	} while (desc->count);
	if (copied)
		smc_count_recv(smc->conn, copied, copied);
	return copied ?: used;
}

static int read_tcp(struct smc_sock *smc, read_descriptor_t *desc,
		    sk_read_actor_t actor)
{
	const struct proto_ops *ops = smc_sock_tcp(smc);
	struct sock *tcp = smc->clcsock->sk;
	int ret;

	if (!ops->read_sock)
		return -EOPNOTSUPP;
	smc_options_push(smc);
	lock_sock(tcp);
	ret = ops->read_sock(tcp, desc, actor);
	release_sock(tcp);
	return ret;
}

int smc_reader_read_sock(struct sock *sk, read_descriptor_t *desc,
			 sk_read_actor_t actor)
{
	struct smc_sock *smc = smc_sk(sk);

	sock_owned_by_me(sk);
	switch (smc->mode) {
	case SMC_MODE_SMC:
		return read_smc(smc, desc, actor);
	case SMC_MODE_TCP:
		return read_tcp(smc, desc, actor);
	default:
		return -ENOTCONN;
	}
}

int smc_reader_peek_len(struct socket *sock)
{
	struct smc_sock *smc = smc_sk(sock->sk);
	const struct proto_ops *ops;

	switch (smc_sock_mode(smc)) {
	case SMC_MODE_SMC:
		return smc_rx_avail(smc->conn);
	case SMC_MODE_TCP:
		ops = smc_sock_tcp(smc);
		return ops->peek_len ? ops->peek_len(smc->clcsock) : 0;
	default:
		return 0;
	}
}

/* ---- start and end ---- */

void smc_reader_prepare(struct smc_sock *smc)
{
	smc->reader.gfp = GFP_KERNEL;
	INIT_WORK(&smc->reader.work, reader_worker);
	smc_later_init(&smc->reader.later, reader_lock_free);
}

int smc_reader_init(void)
{
	reader_wq = alloc_workqueue("smc_reader", WQ_UNBOUND, 0);
	return reader_wq ? 0 : -ENOMEM;
}

void smc_reader_exit(void)
{
	destroy_workqueue(reader_wq);
}
