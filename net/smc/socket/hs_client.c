// SPDX-License-Identifier: GPL-2.0
/*
 * Client side of the handshake: connect, Proposal, Accept, Confirm, and on
 * first contact the link confirmation (RFC 7609, 3.5.1.2 to 3.5.1.5, 3.5.2).
 */
#include <linux/net.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include "../base/compat.h"
#include "../base/mib.h"
#include "../base/pernet.h"
#include "../base/tunables.h"
#include "../conn/conn.h"
#include "../conn/life.h"
#include "dead_path.h"
#include "echo.h"
#include "hs.h"
#include "hs_ctrl.h"
#include "ulp.h"

/* A TCP socket can connect to itself. Then it would read its own Proposal. */
static bool is_own_peer(const struct sock *tcp)
{
	const struct inet_sock *inet = inet_sk(tcp);

	if (inet->inet_sport != inet->inet_dport)
		return false;
#if IS_ENABLED(CONFIG_IPV6)
	if (tcp->sk_family == AF_INET6)
		return ipv6_addr_equal(&tcp->sk_v6_rcv_saddr,
				       &tcp->sk_v6_daddr);
#endif
	return inet->inet_saddr == inet->inet_daddr;
}

/*
 * May TCP have been connected by SYNs that crossed? Then both ends have called
 * connect(), and neither is the server. TCP of a client is connected by the
 * first segment that it gets; SYNs that cross need two. What arrives later does
 * not count: the server may decline or leave before it has seen the Proposal
 * (R-C.1-01). A stray segment before costs only SMC.
 */
static bool is_crossed(const struct smc_hs *hs)
{
	/* partner: smc_hs_kick() */
	return READ_ONCE(hs->past.segs) > 1;
}

static u8 client_connected(const struct smc_hs *hs)
{
	struct sock *tcp = smc_hs_tcp(hs);

	/*
	 * if SYNs cross, TCP does not clear the bit of a peer without the
	 * option
	 */
	if (!smc_ulp_peer_smc(tcp) || !tcp_sk(tcp)->rx_opt.smc_ok ||
	    is_own_peer(tcp))
		return SMC_HS_EV_TCP_PLAIN;
	return is_crossed(hs) ? SMC_HS_EV_TCP_CROSSED : SMC_HS_EV_TCP_UP;
}

/*
 * Checks the progress of the TCP connect. A second connect() call on the TCP
 * socket updates struct socket, or returns the error.
 */
static u8 client_connect(struct smc_hs *hs)
{
	struct socket *clc = hs->smc->clcsock;
	int err;

	err = READ_ONCE(clc->ops)->connect(clc, NULL, 0, O_NONBLOCK);
	if (err == -EALREADY || err == -EINPROGRESS)
		return SMC_HS_EV_NR;
	if (err && err != -EISCONN) {
		hs->err = err;
		return SMC_HS_EV_TCP_GONE;
	}
	return client_connected(hs);
}

/*
 * Without a server there is no SMC. A Decline is a valid first message of
 * either role, and a valid answer to the Proposal of a peer that has not
 * noticed.
 */
static u8 client_yield(struct smc_hs *hs)
{
	int err;

	hs->reason = SMC_DECL_CROSSED;
	err = smc_hs_send_decline(hs, hs->reason);
	return err ? smc_hs_break(hs, err) : SMC_HS_EV_NEXT;
}

/*
 * Sends the Proposal, even without an RDMA device: the server may be on this
 * host, and the client knows this only from the Accept. This step takes no RDMA
 * resources (R-3.5.1.2-04).
 */
static u8 send_proposal(struct smc_hs *hs)
{
	struct smc_dev_choice *choice = &hs->contact.choice;
	struct smc_clc_proposal *p = &hs->prop;
	struct sock *tcp = smc_hs_tcp(hs);
	int err;

	if (!smc_hs_count(hs)) {
		smc_mib_inc(hs->contact.net, SMC_MIB_HS_CAPPED);
		return smc_hs_refuse(hs, SMC_DECL_MEM);
	}
	if (smc_hs_net_ipsec(tcp))
		return smc_hs_refuse(hs, SMC_DECL_IPSEC);
	if (smc_hs_net_signed(tcp))
		return smc_hs_refuse(hs, SMC_DECL_OPTUNSUPP);
	if (smc_dev_choose(tcp, choice))
		memset(choice, 0, sizeof(*choice));
	p->version = SMC_CLC_V1;
	p->typev1 = SMC_CLC_OFFER_R;
	p->typev2 = SMC_CLC_OFFER_NONE;
	p->has_v1 = true;
	memcpy(p->peer_id, smc_dev_peer_id(), sizeof(p->peer_id));
	memcpy(p->gid, choice->gid, sizeof(p->gid));
	memcpy(p->mac, choice->mac, sizeof(p->mac));
	smc_hs_net_describe(tcp, p);
	smc_hs_v2_offer(hs);
	/* no message has arrived yet, so the buffer is free */
	err = smc_hs_send(hs, hs->rx.buf,
			  smc_clc_encode_proposal(hs->rx.buf,
						  sizeof(hs->rx.buf), p));
	hs->past.proposed = !err;
	return err ? smc_hs_break(hs, err) : SMC_HS_EV_NEXT;
}

/*
 * Acts on the Accept (R-3.5.1.3-01, R-3.5.2.2-01). The driver calls this
 * function again after the contact had to wait.
 */
static u8 client_join(struct smc_hs *hs)
{
	const struct smc_clc_accept *a = &hs->peer;
	struct smc_contact *c = &hs->contact;
	u32 code;
	int err;

	hs->clc_version = a->version;
	memcpy(c->peer_id, a->peer_id, sizeof(c->peer_id));
	smc_hs_net_source(smc_hs_tcp(hs), c->source);
	c->in_host = !memcmp(a->peer_id, smc_dev_peer_id(), sizeof(a->peer_id));
	if (!c->in_host && !c->choice.port)
		return smc_hs_refuse(hs, SMC_DECL_NOSMCRDEV);
	/* R-C.6-03; the MTU matters only in first contact (Y-16) */
	if (a->first_contact && !smc_clc_mtu_valid(a->mtu_code))
		return smc_hs_refuse(hs, SMC_DECL_CNFERR);
	code = smc_hs_v2_accepted(hs);
	if (code)
		return smc_hs_refuse(hs, code);
	if (!smc_hs_has_memory(hs))
		return smc_hs_refuse(hs, SMC_DECL_MEM);
	err = smc_contact_client(c, a);
	if (err == -EINPROGRESS)
		return SMC_HS_EV_WAIT;
	return err ? smc_hs_refuse(hs, c->decline) : SMC_HS_EV_NEXT;
}

static int send_confirm_msg(struct smc_hs *hs)
{
	struct smc_clc_accept a = {};
	u8 buf[SMC_CLC_CONFIRM_V2_LEN + SMC_GID_LEN];

	smc_contact_describe(&hs->contact, &a);
	a.first_contact = false;	/* in version 1 a Confirm has no F */
	smc_hs_v2_fill(hs, &a);
	a.token = smc_conn_token(hs->conn);
	return smc_hs_send(hs, buf,
			   smc_clc_encode_accept(buf, sizeof(buf),
						 SMC_CLC_CONFIRM, &a));
}

/*
 * Sends the Confirm. In subsequent contact a Decline is not possible after the
 * Confirm (R-C.3-04). In first contact it is possible until the link is
 * confirmed (C.2).
 */
static u8 client_confirm(struct smc_hs *hs)
{
	struct smc_contact *c = &hs->contact;
	u8 ev = smc_hs_attach(hs);
	int err;

	if (ev != SMC_HS_EV_NEXT)
		return ev;
	err = smc_life_set_peer(hs->conn, &hs->peer);
	if (err == -ENOLINK)
		return smc_hs_refuse(hs, SMC_DECL_NOACTLINK);
	/* an element with impossible values makes the message
	 * malformed (C.6)
	 */
	if (err)
		return SMC_HS_EV_MALFORMED;
	err = send_confirm_msg(hs);
	if (err)
		return smc_hs_break(hs, err);
	err = smc_contact_confirmed(c, NULL);
	if (!err)
		return smc_hs_if_alive(hs, SMC_HS_EV_NEXT);
	if (err == -EINPROGRESS)
		return SMC_HS_EV_WAIT;
	if (smc_contact_can_decline(c))
		return smc_hs_refuse(hs, c->decline);
	return smc_hs_break(hs, err);
}

static u8 client_act(struct smc_hs *hs, u8 action)
{
	switch (action) {
	case SMC_HS_DO_YIELD:
		return client_yield(hs);
	case SMC_HS_DO_PROPOSE:
		return send_proposal(hs);
	case SMC_HS_DO_JOIN:
		return client_join(hs);
	case SMC_HS_DO_CONFIRM:
		return client_confirm(hs);
	}
	WARN_ON_ONCE(1);
	return smc_hs_break(hs, -EPROTO);
}

static const struct smc_hs_role client = {
	.fsm = &smc_hs_client_fsm,
	.done = SMC_HSC_DONE,
	.act = client_act,
	.connect = client_connect,
};

/* Returns the reason for which the SYN must not show the TCP option, or 0 to
 * show it.
 */
static u32 reason_not_to_offer(struct smc_sock *smc,
			       const struct sockaddr *addr, int len,
			       const struct smc_history_key *peer)
{
	struct sock *tcp = smc->clcsock->sk;
	struct net *net = sock_net(&smc->sk);

	if (!smc_hs_ctrl_syn(net, tcp_sk(tcp), addr, len))
		return SMC_DECL_POLICY;
	if (smc_hs_net_ipsec(tcp))
		return SMC_DECL_IPSEC;
	if (smc_hs_net_signed(tcp))
		return SMC_DECL_OPTUNSUPP;
	if (smc_echo_known(net, peer))
		return SMC_DECL_ECHO;
	if (atomic_read(&smc_pernet(net)->hs_pending) >=
	    READ_ONCE(smc_tunables(net)->hs_max_net)) {
		smc_mib_inc(net, SMC_MIB_HS_CAPPED);
		return SMC_DECL_MEM;
	}
	/*
	 * checked last: false may make this connection the one that tries again
	 */
	return smc_dead_path_known(net, peer) ? SMC_DECL_DEADPATH : 0;
}

int smc_hs_connect(struct smc_sock *smc, struct sockaddr *addr, int len)
{
	struct smc_history_key peer;
	struct smc_hs *hs;
	u32 reason;
	int err;

	sock_owned_by_me(&smc->sk);
	/* before BPF programs of the cgroup change the address */
	smc_history_addr(&peer, (struct sockaddr *)addr, len);
	reason = reason_not_to_offer(smc, addr, len, &peer);
	err = smc_ulp_attach(smc->clcsock->sk, !reason);
	if (err)
		return err;
	hs = smc_hs_alloc(smc, &client, NULL);
	if (!hs)
		return -ENOMEM;
	hs->reason = reason;
	hs->past.peer = peer;
	smc_ulp_show(smc->clcsock->sk, SMC_ULP_CONNECT);
	smc_hs_start(hs);
	err = kernel_connect(smc->clcsock, (struct smc_compat_sockaddr *)addr,
			     len, O_NONBLOCK);
	if (err && err != -EINPROGRESS) {
		/* the socket has not changed, and the application may connect
		 * again
		 */
		smc_hs_undo(hs);
		return err;
	}
	smc_sock_set_mode(smc, SMC_MODE_CONNECTING);
	/* over loopback the TCP handshake is already complete */
	smc_hs_event(hs, client_connect(hs));
	smc_hs_release_if_over(hs);
	return 0;
}
