// SPDX-License-Identifier: GPL-2.0
/*
 * CLC messages on the hidden TCP socket. No function of this file sleeps.
 * Reading stops at the end of the expected message, because application data
 * may follow a Decline in the same segment (R-3.2-03).
 */
#include <linux/net.h>
#include <linux/uio.h>
#include <net/tcp.h>
#include "../base/mib.h"
#include "../base/trace.h"
#include "../transport/dev.h"
#include "hs.h"

/*
 * Reads until the buffer has @want bytes. Return: 1 if the buffer has them; 0
 * if bytes are missing; -1 if TCP has ended, with the event in @ev.
 */
static int fill_buffer(struct smc_hs *hs, u16 want, u8 *ev)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT };
	struct kvec vec;
	int n;

	while (hs->rx.len < want) {
		vec.iov_base = hs->rx.buf + hs->rx.len;
		vec.iov_len = want - hs->rx.len;
		n = kernel_recvmsg(hs->smc->clcsock, &msg, &vec, 1, vec.iov_len,
				   MSG_DONTWAIT);
		if (n == -EAGAIN)
			return 0;
		if (n <= 0) {
			hs->err = n ?: -ECONNRESET;
			*ev = n ? SMC_HS_EV_TCP_GONE : SMC_HS_EV_TCP_FIN;
			return -1;
		}
		hs->rx.len += n;
	}
	return 1;
}

static u8 decode_message(struct smc_hs *hs, const struct smc_clc_hdr *h)
{
	const u8 *buf = hs->rx.buf;

	switch (h->type) {
	case SMC_CLC_PROPOSAL:
		if (smc_clc_decode_proposal(buf, h->len, &hs->prop))
			break;
		return SMC_HS_EV_PROPOSAL;
	case SMC_CLC_ACCEPT:
		if (smc_clc_decode_accept(buf, h->len, h->type, &hs->peer))
			break;
		return SMC_HS_EV_ACCEPT;
	case SMC_CLC_CONFIRM:
		if (smc_clc_decode_accept(buf, h->len, h->type, &hs->peer))
			break;
		return SMC_HS_EV_CONFIRM;
	case SMC_CLC_DECLINE:
		if (smc_clc_decode_decline(buf, h->len, &hs->declined))
			break;
		return SMC_HS_EV_DECLINE;
	}
	return SMC_HS_EV_MALFORMED;
}

/**
 * smc_hs_pull - read from TCP, at most to the end of one message
 * @hs:		handshake, lock held
 *
 * Return: the event of a complete message or of the end of TCP; SMC_HS_EV_NR if
 * no more bytes have arrived.
 */
u8 smc_hs_pull(struct smc_hs *hs)
{
	u8 ev = SMC_HS_EV_NR;
	struct smc_clc_hdr h;

	if (fill_buffer(hs, SMC_CLC_HDR_LEN, &ev) <= 0)
		return ev;
	if (smc_clc_peek(hs->rx.buf, SMC_CLC_HDR_LEN, &h) ||
	    h.len > sizeof(hs->rx.buf) || h.len < SMC_CLC_HDR_LEN)
		return SMC_HS_EV_MALFORMED;
	if (fill_buffer(hs, h.len, &ev) <= 0)
		return ev;
	hs->rx.len = 0;
	ev = decode_message(hs, &h);
	if (ev == SMC_HS_EV_MALFORMED)
		trace_smc_violation("clc", hs->smc, h.type);
	return ev;
}

/**
 * smc_hs_send - send one CLC message, whole or not at all
 * @hs:		handshake, lock held
 * @buf:	message
 * @len:	length of the message, or the negative errno of the encoder
 *
 * The send queue is empty at this stage. So TCP refuses the message only for
 * lack of memory, and a wait would not help. The application may have set
 * TCP_CORK or may use Nagle's algorithm; neither may delay the message. And it
 * may have asked for the times at which its bytes are sent, but these bytes are
 * not its own.
 * Return: 0 or a negative errno.
 */
int smc_hs_send(struct smc_hs *hs, const u8 *buf, int len)
{
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	struct kvec vec = { .iov_base = (void *)buf, .iov_len = len };
	struct sock *tcp = hs->smc->clcsock->sk;
	u32 stamps;
	u8 nonagle;
	int n;

	if (len < 0)
		return len;
	lock_sock(tcp);
	nonagle = tcp_sk(tcp)->nonagle;
	tcp_sk(tcp)->nonagle = TCP_NAGLE_OFF | TCP_NAGLE_PUSH;
	stamps = READ_ONCE(tcp->sk_tsflags);
	WRITE_ONCE(tcp->sk_tsflags, stamps & ~SOF_TIMESTAMPING_TX_RECORD_MASK);
	iov_iter_kvec(&msg.msg_iter, ITER_SOURCE, &vec, 1, len);
	n = tcp_sendmsg_locked(tcp, &msg, len);
	WRITE_ONCE(tcp->sk_tsflags, stamps);
	/* the application's bytes are counted from 0 */
	if (n > 0 && (stamps & SOF_TIMESTAMPING_OPT_ID))
		atomic_add(n, &tcp->sk_tskey);
	tcp_sk(tcp)->nonagle = nonagle;
	release_sock(tcp);
	if (n == len)
		return 0;
	return n < 0 && n != -EAGAIN ? n : -ENOBUFS;
}

/**
 * smc_hs_send_decline - send a Decline, which has the S flag if @code is
 * SMC_DECL_SYNCERR (C.4)
 * @hs:		handshake, lock held
 * @code:	enum smc_decline
 *
 * Return: 0 or a negative errno.
 */
int smc_hs_send_decline(struct smc_hs *hs, u32 code)
{
	struct smc_clc_decline_msg d = {
		.version = hs->clc_version,
		.sync_err = code == SMC_DECL_SYNCERR,
		.diagnosis = code,
	};
	u8 buf[SMC_CLC_DECLINE_V2_LEN];
	int err;

	memcpy(d.peer_id, smc_dev_peer_id(), sizeof(d.peer_id));
	err = smc_hs_send(hs, buf,
			  smc_clc_encode_decline(buf, sizeof(buf), &d));
	if (!err)
		smc_mib_inc(sock_net(&hs->smc->sk), SMC_MIB_DECLINE_SENT);
	return err;
}
