// SPDX-License-Identifier: GPL-2.0
/*
 * Readers inside the kernel.
 *
 * Such a reader replaces sk_data_ready of the socket, and reads with
 * read_sock(). Examples are strparser and drivers of storage over the network.
 * They expect the conventions of TCP: sk_data_ready runs while the lock of the
 * socket is held, read_sock() does not sleep in it, and the bytes arrive in
 * skbs.
 *
 * The connection tells about new bytes without a lock. So this file takes the
 * lock for such a callback. strparser then finds an owned socket and reads from
 * its own worker; others read at once. Sockets with the default callback, which
 * only wakes the wait queue, do not need the lock.
 *
 * In mode TCP the callback runs in a worker, which also takes the lock of TCP
 * before, because read_sock() of TCP needs it.
 */
#include <linux/bvec.h>
#include <linux/skbuff.h>
#include <linux/uio.h>
#include <net/sock.h>
#include "../base/stats.h"
#include "../conn/conn.h"
#include "../conn/count.h"
#include "../conn/rx.h"
#include "options.h"
#include "reader.h"
#include "sock.h"
#include "tcp_cb.h"
#include "work.h"

/* Limit of bytes per skb. More bytes need further skbs. */
#define READER_BYTES	32768

/* ---- sk_data_ready ---- */

/* Time until a reader that has found no memory is called again. */
#define READER_AGAIN	(HZ / 20)

static void reader_call(void (*callback)(struct sock *sk), struct sock *sk)
{
	callback(sk);
}

/* Calls the callbacks of a reader. The caller owns the lock of the socket. */
static void tell_reader(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;

	smc_work_begin(smc, SMC_SF_TELL);
	sk_stop_timer(sk, &sk->sk_timer);
	if (sock_flag(sk, SOCK_DEAD))
		return;
	set_bit(SMC_SF_TOLD, &smc->flags);
	if (test_and_clear_bit(SMC_SF_READER_FAILED, &smc->flags)) {
		reader_call(READ_ONCE(sk->sk_error_report), sk);
		reader_call(READ_ONCE(sk->sk_state_change), sk);
	}
	reader_call(READ_ONCE(sk->sk_data_ready), sk);
	clear_bit(SMC_SF_TOLD, &smc->flags);
}

void smc_reader_tell(struct smc_sock *smc)
{
	struct sock *tcp = NULL;

	sock_owned_by_me(&smc->sk);
	/* a closed socket keeps its mode, but not its clcsock */
	if (smc->mode == SMC_MODE_TCP && !sock_flag(&smc->sk, SOCK_DEAD)) {
		tcp = smc->clcsock->sk;
		smc_options_push(smc);
		lock_sock(tcp);
	}
	tell_reader(smc);
	if (tcp)
		release_sock(tcp);
}

/*
 * Runs when the time READER_AGAIN has passed. It drops the reference that
 * sk_reset_timer() has taken for the timer.
 */
static void reader_again(struct timer_list *timer)
{
	struct sock *sk = container_of(timer, struct sock, sk_timer);

	smc_work_queue(smc_sk(sk), SMC_SF_TELL);
	sock_put(sk);
}

void smc_reader_ready(struct smc_sock *smc)
{
	struct sock *sk = &smc->sk;

	if (likely(smc_tcp_ready_is_default(sk))) {
		smc_tcp_default_ready(sk);
	} else if (smc_work_lock(smc, SMC_SF_TELL)) {
		/*
		 * A connection that connect(AF_UNSPEC) has left still tells
		 * about its end. The lock of TCP is not held, so the worker
		 * does it.
		 */
		if (smc->mode == SMC_MODE_SMC)
			tell_reader(smc);
		else
			smc_work_queue(smc, SMC_SF_TELL);
		release_sock(sk);
	}
}

void smc_reader_ready_owned(struct smc_sock *smc)
{
	sock_owned_by_me(&smc->sk);
	tell_reader(smc);
}

void smc_reader_ready_tcp(struct smc_sock *smc)
{
	/*
	 * The callback may call read_sock(), which takes the lock of TCP. The
	 * caller holds that lock.
	 */
	if (unlikely(!smc_tcp_ready_is_default(&smc->sk)))
		smc_work_queue(smc, SMC_SF_TELL);
}

void smc_reader_failed_tcp(struct smc_sock *smc)
{
	if (likely(smc_tcp_ready_is_default(&smc->sk)))
		return;
	set_bit(SMC_SF_READER_FAILED, &smc->flags);
	smc_work_queue(smc, SMC_SF_TELL);
}

/* ---- read_sock() ---- */

/*
 * The skb that holds the copy, and the actor that takes its bytes. @over: the
 * actor has taken nothing at its last call, so it is not called again.
 */
struct feed {
	struct sk_buff *skb;
	read_descriptor_t *desc;
	sk_read_actor_t actor;
	bool over;
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

		if (used <= 0) {
			feed->over = true;
			return done ?: used;
		}
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
	bool told = test_bit(SMC_SF_TOLD, &smc->flags);
	struct bio_vec vecs[MAX_SKB_FRAGS];
	struct msghdr msg = {};
	int used;

	if (!len)
		return 0;
	feed->skb = alloc_copy(len, vecs, told ? GFP_ATOMIC : GFP_KERNEL);
	if (!feed->skb) {
		/* a callback that cannot wait for memory is called again */
		if (told)
			sk_reset_timer(&smc->sk, &smc->sk.sk_timer,
				       jiffies + READER_AGAIN);
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
	} while (desc->count && !feed.over);
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
	/* the worker that calls sk_data_ready holds the lock of TCP */
	if (test_bit(SMC_SF_TOLD, &smc->flags))
		return ops->read_sock(tcp, desc, actor);
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

/* ---- a new socket ---- */

void smc_reader_prepare(struct smc_sock *smc)
{
	timer_setup(&smc->sk.sk_timer, reader_again, 0);
}
