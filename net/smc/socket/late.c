// SPDX-License-Identifier: GPL-2.0
/*
 * Removes a Decline of the peer from the stream of TCP, if this side has
 * declined at the same time.
 *
 * If no link comes up, both sides may notice that at the same time, and both
 * decline. Each then uses TCP, and the peer's Decline is the first message in
 * the stream that the application reads. So after our Decline this code
 * compares the first bytes from the peer with a Decline: the eye catchers, the
 * length, the type, and the ID of this peer. The bytes of an application differ
 * from it.
 */
#include <net/tcp.h>
#include "../base/mib.h"
#include "../wire/clc.h"
#include "late.h"
#include "sock.h"

void smc_late_expect(struct smc_sock *smc, const u8 *peer_id)
{
	sock_owned_by_me(&smc->sk);
	memcpy(smc->mirror.peer_id, peer_id, sizeof(smc->mirror.peer_id));
	/* partners: smc_late_take(), smc_late_check() */
	WRITE_ONCE(smc->mirror.late, true);
}

void smc_late_forget(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;

	lock_sock(tcp);
	WRITE_ONCE(smc->mirror.late, false);
	release_sock(tcp);
}

/* Copies the first bytes that are unread. Return: number of bytes. */
static size_t late_look(const struct sock *tcp, u8 *buf, size_t size)
{
	u32 begin = tcp_sk(tcp)->copied_seq;
	struct sk_buff *skb;
	size_t n = 0;
	u32 at, some;

	skb_queue_walk(&tcp->sk_receive_queue, skb) {
		at = begin + n - TCP_SKB_CB(skb)->seq;
		if (at >= skb->len)
			continue;
		some = min_t(u32, skb->len - at, size - n);
		if (skb_copy_bits(skb, at, buf + n, some))
			break;
		n += some;
		if (n == size)
			break;
	}
	return n;
}

/* Actor of tcp_read_sock(): drops @desc->count bytes. */
static int late_drop(read_descriptor_t *desc, struct sk_buff *skb,
		     unsigned int at, size_t len)
{
	size_t some = min(len, desc->count);

	desc->count -= some;
	return some;
}

static bool late_is_peer(const struct smc_sock *smc, const u8 *id)
{
	/* deployed peers may not have an ID */
	return !memcmp(id, smc->mirror.peer_id, SMC_PEER_ID_LEN) ||
	       !memchr_inv(id, 0, SMC_PEER_ID_LEN) ||
	       !memchr_inv(smc->mirror.peer_id, 0, SMC_PEER_ID_LEN);
}

void smc_late_take(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;
	struct smc_clc_decline_msg declined;
	u8 buf[SMC_CLC_DECLINE_V2_LEN];
	read_descriptor_t desc = {};
	struct smc_clc_hdr h;
	size_t n;

	if (!READ_ONCE(smc->mirror.late))
		return;
	n = late_look(tcp, buf, sizeof(buf));
	if (!n)
		return;
	WRITE_ONCE(smc->mirror.late, false);
	/* TCP does not split so short a message */
	if (smc_clc_peek(buf, n, &h) || h.type != SMC_CLC_DECLINE ||
	    h.len > n || smc_clc_decode_decline(buf, h.len, &declined) ||
	    !late_is_peer(smc, declined.peer_id))
		return;
	desc.count = h.len;
	tcp_read_sock(tcp, &desc, late_drop);
	smc_mib_inc(sock_net(tcp), SMC_MIB_DECLINE_RCVD);
}

void smc_late_check(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;

	if (!READ_ONCE(smc->mirror.late))
		return;
	lock_sock(tcp);
	smc_late_take(smc);
	release_sock(tcp);
}
