// SPDX-License-Identifier: GPL-2.0
/*
 * Version 2 in the handshake: the client's offer, the server's choice, and
 * checks of the peer's answer. The decline codes are the codes of deployed
 * peers.
 */
#include <linux/random.h>
#include <linux/utsname.h>
#include "../base/mib.h"
#include "../base/pernet.h"
#include "../base/ueid.h"
#include "hs.h"

/* Writes the host name in the format of the messages. */
static void put_host(u8 host[SMC_CLC_HOST_LEN])
{
	const char *name = init_utsname()->nodename;

	memset(host, ' ', SMC_CLC_HOST_LEN);
	memcpy(host, name, strnlen(name, SMC_CLC_HOST_LEN));
}

/* ---- the extension of frames.rst ---- */

static void ext_own(struct net *net, struct smc_ext *own)
{
	smc_ext_own(READ_ONCE(smc_tunables(net)->extension), SMC_EXT_READY,
		    own);
}

/*
 * Can version 2 use the chosen port and its GID?
 * @caps: own capabilities (client), or the common ones (server)
 */
static bool has_gid(const struct smc_dev_choice *choice, u8 caps)
{
	return choice->port && choice->of_v2.usable &&
	       smc_ext_fits_gid(caps, choice->of_v2.gid);
}

/*
 * Client: reads the answer in the Accept. A wrong answer is counted, and then
 * treated as no answer (F-30). After a wait the handshake may call this
 * function again.
 */
static void ext_accepted(struct smc_hs *hs)
{
	const struct smc_ext *offer = &hs->prop.v2.ext;
	struct smc_lgr_terms *t = &hs->contact.terms;
	struct smc_ext *answer = &hs->peer.first.ext;

	if (smc_ext_agreed(offer, answer)) {
		t->answer = *answer;
		smc_ext_settle(answer, answer->frame_log, offer->frame_log,
			       &t->ext);
		return;
	}
	if (answer->version)
		smc_mib_inc(hs->contact.net, SMC_MIB_EXT_MISMATCH);
	*answer = (struct smc_ext){};
}

/* Server: reads the Confirm, which must repeat the answer (F-31). */
static void ext_confirmed(struct smc_hs *hs)
{
	const struct smc_ext *confirm = &hs->peer.first.ext;
	struct smc_lgr_terms *t = &hs->contact.terms;

	if (smc_ext_confirmed(&t->answer, confirm))
		smc_ext_settle(&t->answer, hs->prop.v2.ext.frame_log,
			       t->answer.frame_log, &t->ext);
	else if (confirm->version)
		smc_mib_inc(hs->contact.net, SMC_MIB_EXT_MISMATCH);
}

/*
 * In-host connections use version 1, and both ends are this module. So nothing
 * is agreed on: the server decides, and an Accept without an element tells the
 * client.
 */
static void ext_in_host(struct smc_lgr_terms *t)
{
	const u8 caps = SMC_EXT_FRAMES | SMC_EXT_ELASTIC;

	t->answer = (struct smc_ext){
		.version = SMC_EXT_VERSION,
		.caps = caps,
	};
	t->ext = (struct smc_ext_terms){
		.version = SMC_EXT_VERSION,
		.caps = caps,
	};
}

/**
 * smc_hs_v2_in_host() - server: may bytes within this host move by reference?
 * @hs:		handshake with the Proposal of a client on this host
 *
 * If so, sets contact->terms.
 */
void smc_hs_v2_in_host(struct smc_hs *hs)
{
	struct smc_contact *c = &hs->contact;
	struct smc_ext own;

	ext_own(c->net, &own);
	if (own.caps & SMC_EXT_FRAMES)
		ext_in_host(&c->terms);
}

/* ---- version 2 ---- */

/**
 * smc_hs_v2_offer - add version 2 to the Proposal if this host can use it
 * @hs:		client's handshake; hs->prop has version 1
 */
void smc_hs_v2_offer(struct smc_hs *hs)
{
	const struct smc_tunables *limits = smc_tunables(hs->contact.net);
	const struct smc_dev_choice *choice = &hs->contact.choice;
	struct smc_clc_proposal *p = &hs->prop;
	struct smc_eids eids;
	struct smc_ext ext;

	ext_own(hs->contact.net, &ext);
	if (!has_gid(choice, ext.caps))
		return;
	smc_ueid_snapshot(&smc_pernet(hs->contact.net)->ueids, &eids);
	if (!eids.n)
		return;
	BUILD_BUG_ON((int)SMC_EIDS_MAX > (int)SMC_CLC_EIDS_MAX);
	p->version = SMC_CLC_V2;
	p->typev2 = SMC_CLC_OFFER_R;
	p->has_v2 = true;
	p->v2.release = SMC_CLC_RELEASE_MAX;
	p->v2.n_eids = eids.n;
	memcpy(p->v2.eid, eids.eid, sizeof(eids.eid));
	memcpy(p->v2.gid, choice->of_v2.gid, sizeof(p->v2.gid));
	p->v2.max_conns = READ_ONCE(limits->lgr_conns);
	p->v2.max_links = READ_ONCE(limits->lgr_links);
	smc_ext_limit(&ext, p->v2.max_conns);
	p->v2.ext = ext;
	if (ext.version)
		p->v2.ext.nonce = get_random_u16();
}

static const u8 *common_eid(const struct smc_clc_offer_v2 *o,
			    const struct smc_eids *own)
{
	u8 i;

	for (i = 0; i < o->n_eids; i++)
		if (smc_eids_has(own, o->eid[i]))
			return o->eid[i];
	return NULL;
}

/*
 * Derives the terms of a new group from the Proposal. Return: 0 or enum
 * smc_decline.
 */
static u32 agree_on_limits(const struct smc_clc_offer_v2 *o,
			   const struct smc_tunables *limits,
			   struct smc_lgr_terms *t)
{
	t->release = min_t(u8, o->release, SMC_CLC_RELEASE_MAX);
	t->max_conns = SMC_CLC_CONNS_MAX;
	if (!t->release)
		return 0;
	if (o->max_conns < SMC_CLC_CONNS_MIN)
		return SMC_DECL_MAXCONNS;
	if (!o->max_links)
		return SMC_DECL_MAXLINKS;
	t->max_conns = min_t(u8, o->max_conns, READ_ONCE(limits->lgr_conns));
	t->max_links = min_t(u8, o->max_links, READ_ONCE(limits->lgr_links));
	return 0;
}

/**
 * smc_hs_v2_select - server: can this connection use version 2?
 * @hs:		handshake with the Proposal and the chosen port
 *
 * Return: 0 if the connection can use version 2; then contact->terms and ->path
 * are set. Otherwise enum smc_decline, and neither member is changed.
 */
u32 smc_hs_v2_select(struct smc_hs *hs)
{
	const struct smc_clc_proposal *p = &hs->prop;
	struct smc_lgr_terms t = { .version = SMC_CLC_V2 };
	struct smc_contact *c = &hs->contact;
	struct smc_dev_choice choice;
	struct smc_dev_path path;
	struct smc_eids own;
	struct smc_ext ext;
	const u8 *eid;
	u32 code;

	if (!p->has_v2)
		return p->typev2 == SMC_CLC_OFFER_R ||
		       p->typev2 == SMC_CLC_OFFER_BOTH ? SMC_DECL_NOV2EXT :
							 SMC_DECL_VERSMISMAT;
	smc_ueid_snapshot(&smc_pernet(c->net)->ueids, &own);
	eid = common_eid(&p->v2, &own);
	if (!eid)
		return SMC_DECL_NOUEID;
	memcpy(t.eid, eid, sizeof(t.eid));
	code = agree_on_limits(&p->v2, smc_tunables(c->net), &t);
	if (code)
		return code;
	ext_own(c->net, &ext);
	smc_ext_limit(&ext, t.release ? t.max_conns : 0);
	smc_ext_answer(&ext, &p->v2.ext, &t.answer);
	if (!has_gid(&c->choice, t.answer.caps))
		return SMC_DECL_NOSMCRDEV;
	choice = c->choice;	/* version 1 may follow, so keep its GID */
	smc_dev_choice_use_v2(&choice);
	if (smc_dev_route(c->net, &choice, p->v2.gid, &path))
		return SMC_DECL_NOROUTE;
	c->choice = choice;
	t.direct = !path.gateway;
	c->terms = t;
	c->path = path;
	return 0;
}

/**
 * smc_hs_v2_fill - add the fields of version 2 to our Accept or Confirm
 * @hs:		handshake whose contact has a group
 * @a:		message with all other fields set
 */
void smc_hs_v2_fill(const struct smc_hs *hs, struct smc_clc_accept *a)
{
	const struct smc_contact *c = &hs->contact;

	if (c->terms.version == SMC_CLC_V1)
		return;
	memcpy(a->eid, c->terms.eid, sizeof(a->eid));
	a->first_contact = c->first;	/* set the F flag also in the Confirm */
	if (!c->first)
		return;
	a->first.direct = !c->path.gateway;
	a->first.os = SMC_CLC_OS_LINUX;
	a->first.release = c->terms.release;
	put_host(a->first.host);
	a->first.max_conns = c->terms.max_conns;
	a->first.max_links = c->terms.max_links;
	a->first.ext = c->terms.answer;
	a->first.n_gids = 1;
	memcpy(a->first.gid[0], a->gid, sizeof(a->gid));
}

static u32 check_first(const struct smc_clc_first *f,
		       const struct smc_clc_offer_v2 *o)
{
	if (f->release > SMC_CLC_RELEASE_MAX)
		return SMC_DECL_RELEASE;
	if (!f->release)
		return 0;
	if (f->max_conns < SMC_CLC_CONNS_MIN || f->max_conns > o->max_conns)
		return SMC_DECL_MAXCONNS;
	if (!f->max_links || f->max_links > o->max_links)
		return SMC_DECL_MAXLINKS;
	return 0;
}

/**
 * smc_hs_v2_accepted - client: does the server's Accept fit our Proposal?
 * @hs:		handshake with the Accept; contact->in_host is set
 *
 * Return: 0 if the Accept fits. Then contact->terms is set, and ->path; in
 * later contacts ->path.known tells whether ->path is set. Otherwise the code
 * for the Decline.
 */
u32 smc_hs_v2_accepted(struct smc_hs *hs)
{
	const struct smc_clc_accept *a = &hs->peer;
	struct smc_contact *c = &hs->contact;
	u32 code;
	int err;
	u8 i;

	c->terms.version = a->version;
	if (a->version == SMC_CLC_V1) {
		if (c->in_host && !a->rkey && !a->rmb_addr)
			ext_in_host(&c->terms);
		return 0;
	}
	if (!hs->prop.has_v2 || c->in_host)
		return SMC_DECL_MODEUNSUPP;
	for (i = 0; i < hs->prop.v2.n_eids; i++)
		if (!memcmp(hs->prop.v2.eid[i], a->eid, sizeof(a->eid)))
			break;
	if (i == hs->prop.v2.n_eids)
		return SMC_DECL_NOUEID;
	memcpy(c->terms.eid, a->eid, sizeof(a->eid));
	smc_dev_choice_use_v2(&c->choice);
	err = smc_dev_route(c->net, &c->choice, a->gid, &c->path);
	if (!a->first_contact)	/* the group has a path already */
		return 0;
	code = check_first(&a->first, &hs->prop.v2);
	if (code)
		return code;
	if (err)
		return SMC_DECL_NOROUTE;
	if (!a->first.direct && !c->path.gateway)
		return SMC_DECL_INDIRECT;
	c->terms.release = a->first.release;
	c->terms.max_conns = a->first.release ? a->first.max_conns :
						SMC_CLC_CONNS_MAX;
	c->terms.max_links = a->first.max_links;
	c->terms.direct = !c->path.gateway;
	c->terms.peer_os = a->first.os;
	memcpy(c->terms.peer_host, a->first.host, sizeof(a->first.host));
	ext_accepted(hs);
	return 0;
}

/**
 * smc_hs_v2_confirmed - server: does the Confirm fit our Accept?
 * @hs:		handshake with the Confirm
 * @code:	output: the code for the Decline
 *
 * In first contact the function sets contact->terms.ext (F-31). Return: 0,
 * -EPROTO (the Confirm does not answer our Accept), -EINVAL (see @code).
 */
int smc_hs_v2_confirmed(struct smc_hs *hs, u32 *code)
{
	const struct smc_lgr_terms *t = &hs->contact.terms;
	const struct smc_clc_accept *a = &hs->peer;

	if (a->version != t->version)
		return -EPROTO;
	if (a->version == SMC_CLC_V1)
		return 0;
	if (a->first_contact != hs->contact.first ||
	    memcmp(a->eid, t->eid, sizeof(t->eid)))
		return -EPROTO;
	if (!a->first_contact)
		return 0;
	*code = 0;
	/* the lookup of group and path used the address of the Proposal */
	if (memcmp(a->gid, hs->prop.v2.gid, sizeof(a->gid)))
		*code = SMC_DECL_CNFERR;
	else if (a->first.release != t->release)
		*code = SMC_DECL_RELEASE;
	else if (t->release && a->first.max_conns != t->max_conns)
		*code = SMC_DECL_MAXCONNS;
	else if (t->release && a->first.max_links != t->max_links)
		*code = SMC_DECL_MAXLINKS;
	if (*code)
		return -EINVAL;
	ext_confirmed(hs);
	return 0;
}
