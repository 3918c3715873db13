// SPDX-License-Identifier: GPL-2.0
/*
 * Server side of the handshake: Proposal, Accept, Confirm, and on first contact
 * the link confirmation (RFC 7609, 3.5.1.2 to 3.5.1.5, 3.5.2).
 */
#include <linux/net.h>
#include "../base/mib.h"
#include "../base/trace.h"
#include "../conn/conn.h"
#include "hs.h"
#include "listen.h"

/* What a Proposal without version 1 SMC-R lacks (R-L-02). */
static u32 no_v1_reason(const struct smc_clc_proposal *p)
{
	return p->typev1 == SMC_CLC_OFFER_D ? SMC_DECL_MODEUNSUPP :
					      SMC_DECL_VERSMISMAT;
}

/* Checks that need no resource; the device is chosen with them (R-C.1-02). */
static u8 examine(struct smc_hs *hs)
{
	const struct smc_clc_proposal *p = &hs->prop;
	struct smc_contact *c = &hs->contact;
	struct sock *tcp = smc_hs_tcp(hs);

	if (hs->refuse)
		return smc_hs_refuse(hs, hs->refuse);
	if (!p->has_v1)
		return smc_hs_refuse(hs, no_v1_reason(p));
	if (smc_hs_net_ipsec(tcp))
		return smc_hs_refuse(hs, SMC_DECL_IPSEC);
	memcpy(c->peer_id, p->peer_id, sizeof(c->peer_id));
	c->in_host = !memcmp(p->peer_id, smc_dev_peer_id(), sizeof(p->peer_id));
	if (c->in_host)
		return SMC_HS_EV_NEXT;
	/* in every handshake, not only in first contact */
	if (!smc_hs_net_common(tcp, p))
		return smc_hs_refuse(hs, SMC_DECL_DIFFPREFIX);
	if (smc_dev_choose(tcp, &c->choice)) {
		memset(&c->choice, 0, sizeof(c->choice));
		return smc_hs_refuse(hs, SMC_DECL_NOSMCRDEV);
	}
	return SMC_HS_EV_NEXT;
}

/* A place in a group, new or not; again when the contact had to wait. */
static u8 join(struct smc_hs *hs)
{
	struct smc_contact *c = &hs->contact;
	int err;

	err = smc_contact_server(c, hs->prop.gid, hs->prop.mac);
	if (err == -EINPROGRESS)
		return SMC_HS_EV_WAIT;
	return err ? smc_hs_refuse(hs, c->decline) : SMC_HS_EV_NEXT;
}

/*
 * Accept. The element is ready before it is named (R-3.5.2.4-03). On subsequent
 * contact this is the point of no return (R-C.3-03).
 */
static u8 accept(struct smc_hs *hs)
{
	struct smc_clc_accept a = { .version = SMC_CLC_V1 };
	u8 buf[SMC_CLC_ACCEPT_LEN];
	u8 ev = smc_hs_attach(hs);
	int err;

	if (ev != SMC_HS_EV_NEXT)
		return ev;
	smc_contact_describe(&hs->contact, &a);
	a.first_contact = hs->contact.first;
	a.token = smc_conn_token(hs->conn);
	err = smc_hs_send(hs, buf,
			  smc_clc_encode_accept(buf, sizeof(buf),
						SMC_CLC_ACCEPT, &a));
	return err ? smc_hs_break(hs, err) : SMC_HS_EV_NEXT;
}

/* Act on the Confirm (R-3.5.1.4-01, R-3.5.2.3-01, -02). */
static u8 bind_peer(struct smc_hs *hs)
{
	struct smc_contact *c = &hs->contact;
	const struct smc_clc_accept *a = &hs->peer;
	int err;

	/* who proposed must confirm */
	if (memcmp(a->peer_id, c->peer_id, sizeof(a->peer_id))) {
		trace_smc_violation("confirm peer id", hs->smc, 0);
		return SMC_HS_EV_MALFORMED;
	}
	/* R-C.6-03, R-A.2.4-03 */
	if (c->first && !smc_clc_mtu_valid(a->mtu_code))
		return smc_hs_refuse(hs, SMC_DECL_CNFERR);
	if (smc_conn_set_peer(hs->conn, a))
		return SMC_HS_EV_MALFORMED;
	err = smc_contact_confirmed(c, a);
	if (!err)
		return smc_hs_if_alive(hs, SMC_HS_EV_NEXT);
	if (err == -EINPROGRESS)
		return SMC_HS_EV_WAIT;
	/* R-C.1-05: on subsequent contact only TCP can be broken */
	if (c->first && smc_contact_can_decline(c))
		return smc_hs_refuse(hs, c->decline);
	return smc_hs_break(hs, err);
}

static u8 act(struct smc_hs *hs, u8 action)
{
	switch (action) {
	case SMC_HS_DO_EXAMINE:
		return examine(hs);
	case SMC_HS_DO_JOIN:
		return join(hs);
	case SMC_HS_DO_ACCEPT:
		return accept(hs);
	case SMC_HS_DO_BIND:
		return bind_peer(hs);
	}
	WARN_ON_ONCE(1);
	return smc_hs_break(hs, -EPROTO);
}

static const struct smc_hs_role server = {
	.fsm = &smc_hs_server_fsm,
	.done = SMC_HSS_DONE,
	.act = act,
};

int smc_hs_serve(struct smc_sock *smc, struct smc_listener *listener,
		 bool over_cap)
{
	struct smc_hs *hs;

	sock_owned_by_me(&smc->sk);
	hs = smc_hs_alloc(smc, &server, listener);
	if (!hs)
		return -ENOMEM;
	/* the SYN came before the cap was reached */
	if (!smc_hs_count(hs) || over_cap) {
		smc_mib_inc(hs->contact.net, SMC_MIB_HS_CAPPED);
		hs->refuse = SMC_DECL_MEM;
	}
	smc_sock_set_mode(smc, SMC_MODE_CONNECTING);
	smc_hs_start(hs);
	smc_hs_begin(hs, SMC_CLC_WAIT_MS);
	return 0;
}
