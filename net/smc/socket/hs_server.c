// SPDX-License-Identifier: GPL-2.0
/*
 * Server side of the handshake: Proposal, Accept, Confirm, and on first contact
 * the link confirmation (RFC 7609, 3.5.1.2 to 3.5.1.5, 3.5.2).
 */
#include <linux/net.h>
#include "../base/mib.h"
#include "../base/trace.h"
#include "../conn/conn.h"
#include "../conn/life.h"
#include "hs.h"
#include "mem.h"
#include "ulp.h"

/* Returns the decline code for a Proposal without version 1 of SMC-R
 * (R-L-02).
 */
static u32 no_v1_reason(const struct smc_clc_proposal *p)
{
	return p->typev1 == SMC_CLC_OFFER_D ? SMC_DECL_MODEUNSUPP :
					      SMC_DECL_VERSMISMAT;
}

/*
 * Chooses a device for version 1 and a peer on another host. Return: 0 or the
 * Decline code.
 */
static u32 select_v1(struct smc_hs *hs)
{
	if (!hs->prop.has_v1)
		return no_v1_reason(&hs->prop);
	/* check this in every handshake, not only in first contact */
	if (!smc_hs_net_common(smc_hs_tcp(hs), &hs->prop))
		return SMC_DECL_DIFFPREFIX;
	return hs->contact.choice.port ? 0 : SMC_DECL_NOSMCRDEV;
}

/*
 * Tries version 2 first. If the client offered version 2 and both versions
 * fail, the Decline carries the reason of version 2.
 */
static u32 select_version(struct smc_hs *hs)
{
	bool v2 = hs->prop.typev2 == SMC_CLC_OFFER_R ||
		  hs->prop.typev2 == SMC_CLC_OFFER_BOTH;
	u32 code2 = smc_hs_v2_select(hs), code1;

	if (!code2)
		return 0;
	code1 = select_v1(hs);
	return code1 && v2 ? code2 : code1;
}

/*
 * Makes all checks that need no resources, and chooses the device (R-C.1-02).
 */
static u8 examine_proposal(struct smc_hs *hs)
{
	const struct smc_clc_proposal *p = &hs->prop;
	struct smc_contact *c = &hs->contact;
	struct sock *tcp = smc_hs_tcp(hs);
	u32 code;

	hs->clc_version = min_t(u8, p->version, SMC_CLC_V2);
	if (hs->refuse)
		return smc_hs_refuse(hs, hs->refuse);
	if (smc_hs_net_ipsec(tcp))
		return smc_hs_refuse(hs, SMC_DECL_IPSEC);
	if (smc_hs_net_signed(tcp))
		return smc_hs_refuse(hs, SMC_DECL_OPTUNSUPP);
	memcpy(c->peer_id, p->peer_id, sizeof(c->peer_id));
	smc_hs_net_source(tcp, c->source);
	/*
	 * in-host connections use version 1, which has everything that they
	 * need
	 */
	c->in_host = p->has_v1 && !memcmp(p->peer_id, smc_dev_peer_id(),
					  sizeof(p->peer_id));
	if (c->in_host) {
		smc_hs_v2_in_host(hs);
		return SMC_HS_EV_NEXT;
	}
	if (smc_dev_choose(tcp, &c->choice))
		memset(&c->choice, 0, sizeof(c->choice));
	code = select_version(hs);
	return code ? smc_hs_refuse(hs, code) : SMC_HS_EV_NEXT;
}

/* Finds or creates the group. The driver calls this function again after the
 * contact had to wait.
 */
static u8 server_join(struct smc_hs *hs)
{
	struct smc_contact *c = &hs->contact;
	bool v2 = c->terms.version == SMC_CLC_V2;
	int err;

	if (!smc_hs_has_memory(hs))
		return smc_hs_refuse(hs, SMC_DECL_MEM);
	err = smc_contact_server(c, v2 ? hs->prop.v2.gid : hs->prop.gid,
				 hs->prop.mac);
	if (err == -EINPROGRESS)
		return SMC_HS_EV_WAIT;
	return err ? smc_hs_refuse(hs, c->decline) : SMC_HS_EV_NEXT;
}

/*
 * Sends the Accept. The element that it names is ready (R-3.5.2.4-03). In
 * subsequent contact a Decline is not possible after the Accept (R-C.3-03).
 */
static u8 send_accept(struct smc_hs *hs)
{
	struct smc_clc_accept a = {};
	u8 buf[SMC_CLC_FIRST_V2_LEN];
	u8 ev = smc_hs_attach(hs);
	int err;

	if (ev != SMC_HS_EV_NEXT)
		return ev;
	smc_contact_describe(&hs->contact, &a);
	a.first_contact = hs->contact.first;
	smc_hs_v2_fill(hs, &a);
	a.token = smc_conn_token(hs->conn);
	err = smc_hs_send(hs, buf,
			  smc_clc_encode_accept(buf, sizeof(buf),
						SMC_CLC_ACCEPT, &a));
	return err ? smc_hs_break(hs, err) : SMC_HS_EV_NEXT;
}

/*
 * The Confirm must carry the peer ID of the Proposal. Deployed peers omit the
 * ID in a Proposal that offers only version 2.
 */
static bool is_proposer(const struct smc_hs *hs)
{
	static const u8 none[SMC_PEER_ID_LEN];

	if (!hs->prop.has_v1 && !memcmp(hs->prop.peer_id, none, sizeof(none)))
		return true;
	return !memcmp(hs->peer.peer_id, hs->prop.peer_id, sizeof(none));
}

/*
 * If the client does not repeat the answer, the connection does not use frames
 * (F-31), and only the element stays charged. Return: false if memory is short.
 */
static bool keep_dialect(struct smc_hs *hs)
{
	struct smc_contact *c = &hs->contact;

	if (!c->first || !(c->terms.answer.caps & SMC_EXT_FRAMES) ||
	    (c->terms.ext.caps & SMC_EXT_FRAMES))
		return true;
	smc_mem_uncharge_rmb(hs->smc);
	if (!smc_mem_charge_rmb(hs->smc, c->rmbe.size))
		return false;
	smc_life_without_frames(hs->conn, c);
	return true;
}

/* Acts on the Confirm (R-3.5.1.4-01, R-3.5.2.3-01, -02). */
static u8 bind_peer(struct smc_hs *hs)
{
	struct smc_contact *c = &hs->contact;
	const struct smc_clc_accept *a = &hs->peer;
	u32 code = 0;
	int err;

	err = smc_hs_v2_confirmed(hs, &code);
	if (err == -EPROTO || !is_proposer(hs)) {
		trace_smc_violation("confirm", hs->smc, 0);
		return SMC_HS_EV_MALFORMED;
	}
	if (err)
		return smc_hs_refuse(hs, code);
	/* R-C.6-03, R-A.2.4-03 */
	if (c->first && !smc_clc_mtu_valid(a->mtu_code))
		return smc_hs_refuse(hs, SMC_DECL_CNFERR);
	if (!keep_dialect(hs))
		return smc_hs_refuse(hs, SMC_DECL_MEM);
	/* R-3.5.2.3-02, R-L-09: before the group stores the peer's key */
	if (!smc_contact_names_link(c, a))
		return smc_hs_break(hs, -EPROTO);
	err = smc_life_set_peer(hs->conn, a);
	/* R-C.1-05: the link is gone, and its keys are gone with it */
	if (err == -ENOLINK)
		return smc_hs_break(hs, -ECONNRESET);
	if (err)
		return SMC_HS_EV_MALFORMED;
	err = smc_contact_confirmed(c, a);
	if (!err)
		return smc_hs_if_alive(hs, SMC_HS_EV_NEXT);
	if (err == -EINPROGRESS)
		return SMC_HS_EV_WAIT;
	/* R-C.1-05: in subsequent contact the server can only end TCP */
	if (c->first && smc_contact_can_decline(c))
		return smc_hs_refuse(hs, c->decline);
	return smc_hs_break(hs, err);
}

static u8 server_act(struct smc_hs *hs, u8 action)
{
	switch (action) {
	case SMC_HS_DO_EXAMINE:
		return examine_proposal(hs);
	case SMC_HS_DO_JOIN:
		return server_join(hs);
	case SMC_HS_DO_ACCEPT:
		return send_accept(hs);
	case SMC_HS_DO_BIND:
		return bind_peer(hs);
	}
	WARN_ON_ONCE(1);
	return smc_hs_break(hs, -EPROTO);
}

static const struct smc_hs_role server = {
	.fsm = &smc_hs_server_fsm,
	.done = SMC_HSS_DONE,
	.act = server_act,
};

int smc_hs_serve(struct smc_sock *smc, struct smc_listener *listener,
		 bool over_cap)
{
	struct smc_hs *hs;

	sock_owned_by_me(&smc->sk);
	hs = smc_hs_alloc(smc, &server, listener);
	if (!hs)
		return -ENOMEM;
	/* the SYN arrived before the number of handshakes reached the limit */
	if (!smc_hs_count(hs) || over_cap) {
		smc_mib_inc(hs->contact.net, SMC_MIB_HS_CAPPED);
		hs->refuse = SMC_DECL_MEM;
	}
	smc_ulp_show(smc->clcsock->sk, SMC_ULP_CONNECT);
	smc_sock_set_mode(smc, SMC_MODE_CONNECTING);
	smc_hs_start(hs);
	smc_hs_begin(hs, SMC_CLC_WAIT_MS);
	return 0;
}
