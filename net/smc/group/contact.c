// SPDX-License-Identifier: GPL-2.0
/*
 * A contact represents a handshake in a link group.
 *
 * lgr->lock protects c->wait, lgr->waiters, lgr->creator and the calls of
 * ->notify(). So no call of ->notify() follows after smc_contact_drop() or
 * smc_contact_done() has returned.
 */
#include "../base/limits.h"
#include "../base/mib.h"
#include "../wire/clc.h"
#include "../wire/decline.h"
#include "admit.h"
#include "by_peer.h"
#include "contact.h"
#include "first_contact.h"
#include "first_contact_fsm.h"
#include "groups.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "link_types.h"
#include "links.h"
#include "rmbe.h"
#include "table.h"
#include "vacant.h"
#include "waiters.h"

/* Limit of lookups in the loop. A lookup never finds a group that is ending. */
#define LOOKUPS_MAX	16

/* ---- leaving a group ---- */

static void contact_forget(struct smc_contact *c)
{
	struct smc_lgr *lgr = c->lgr;
	bool created, promised;

	spin_lock_bh(&lgr->lock);
	promised = smc_waiters_leave(lgr, c);
	if (c->joined)
		lgr->members.n_joined--;
	c->joined = false;
	created = lgr->creator == c;
	if (created)
		lgr->creator = NULL;
	spin_unlock_bh(&lgr->lock);
	if (created)
		smc_vacant_refused(c);
	/* only this contact can finish the first contact that it began */
	if (created)
		smc_lgr_event(lgr, SMC_LGR_EVB_FIRST_DROPPED);
	/* offer the element to another contact too, because this contact may
	 * look in another group
	 */
	if (promised)
		smc_waiters_offer(lgr, c->code);
}

static void contact_release(struct smc_contact *c)
{
	struct smc_lgr *lgr = c->lgr;

	if (!lgr)
		return;
	contact_forget(c);
	if (c->link)
		smc_link_put(c->link, SMC_LINK_REF_CONTACT);
	c->link = NULL;
	c->lgr = NULL;
	c->first = false;
	smc_lgr_user_put(lgr);
	smc_lgr_put(lgr, SMC_LGR_REF_CONTACT);
}

void smc_contact_expired(struct smc_contact *c)
{
	smc_admit_expired(c);
}

void smc_contact_drop(struct smc_contact *c)
{
	if (c->lgr && c->rmbe.rmb)
		smc_rmbe_put(c->lgr, &c->rmbe, 0, !c->first, 0);
	contact_release(c);
	smc_admit_leave(c);
}

void smc_contact_done(struct smc_contact *c)
{
	WARN_ON_ONCE(c->rmbe.rmb);	/* the connection owns the element now */
	contact_release(c);
}

/* ---- server ---- */

static int contact_fail(struct smc_contact *c, int err, u32 decline)
{
	smc_contact_drop(c);
	c->err = err;
	c->decline = decline;
	return err;
}

/*
 * The connection may take the element before the handshake encodes its message,
 * so the keys are copied here.
 */
static void contact_got_element(struct smc_contact *c)
{
	c->told.rkey = c->rmbe.rkey;
	c->told.addr = c->rmbe.addr;
	c->told.idx = c->rmbe.idx;
	c->told.size = c->rmbe.size;
}

/* With ELASTIC a connection starts without an element, so Accept and Confirm
 * name none (F-12).
 */
static void contact_got_none(struct smc_contact *c)
{
	memset(&c->told, 0, sizeof(c->told));
	c->told.idx = 1;
	c->told.size = SMC_RMBE_MIN_BYTES;
}

/*
 * Return: 0; -EAGAIN: the group is ending; -ENOLINK: the link is down.
 */
static int contact_join_elastic(struct smc_contact *c)
{
	struct smc_lgr *lgr = c->lgr;
	int err = 0;

	spin_lock_bh(&lgr->lock);
	if (!smc_lgr_usable(lgr))
		err = -EAGAIN;
	else if (!smc_link_owns(lgr, c->link->slot, c->link->uid))
		err = -ENOLINK;
	spin_unlock_bh(&lgr->lock);
	contact_got_none(c);
	return err;
}

static u32 contact_element(const struct smc_contact *c)
{
	return smc_contact_size(c, smc_contact_frames(c));
}

/*
 * Queues the contact until the group has formed, or until the group has a free
 * element. A contact that waits for an element also orders one under the same
 * lock, because the worker takes the orders first and then wakes the contacts.
 */
static bool contact_wait_on(struct smc_contact *c, bool forming)
{
	struct smc_lgr *lgr = c->lgr;
	bool waits;

	spin_lock_bh(&lgr->lock);
	c->code = smc_rmbe_size_code(smc_rmbe_round(contact_element(c)));
	waits = forming ? lgr->state == SMC_LGR_FORMING : smc_lgr_usable(lgr);
	if (waits)
		list_add_tail(&c->wait, &lgr->waiters);
	if (waits && !forming)
		smc_rmbe_want(lgr, contact_element(c));
	spin_unlock_bh(&lgr->lock);
	return waits;
}

/*
 * Server: chooses the link for the next connection. Client: the Accept has
 * named the link.
 */
static bool contact_take_link(struct smc_contact *c)
{
	struct smc_lgr *lgr = c->lgr;

	spin_lock_bh(&lgr->lock);
	if (!c->link) {
		c->link = smc_links_pick(lgr, NULL);
		if (c->link)
			smc_link_get(c->link, SMC_LINK_REF_CONTACT);
	}
	spin_unlock_bh(&lgr->lock);
	return c->link;
}

/*
 * Takes an element of an existing group. Return: 0, -EINPROGRESS (->notify()
 * follows), -EAGAIN (the group has changed: look for a group again), -ENOLINK
 * (the link is down), or the errno for the Decline.
 */
static int contact_join_existing(struct smc_contact *c)
{
	struct smc_lgr *lgr = c->lgr;
	int err;

	if (READ_ONCE(lgr->state) == SMC_LGR_FORMING)
		return contact_wait_on(c, true) ? -EINPROGRESS : -EAGAIN;
	/* the last link has failed, and the group is about to end */
	if (!contact_take_link(c))
		return contact_wait_on(c, false) ? -EINPROGRESS : -EAGAIN;
	if (smc_contact_elastic(c))
		return contact_join_elastic(c);
	err = smc_rmbe_get(lgr, c->link, contact_element(c), &c->rmbe);
	if (!err)
		contact_got_element(c);
	if (err != -EAGAIN)
		return err;
	if (!contact_wait_on(c, false))
		return -EAGAIN;
	smc_lgr_event(lgr, SMC_LGR_EVB_RMB);
	return -EINPROGRESS;
}

/*
 * With ELASTIC the connection starts without an element, and the group lends
 * this one to the first connection that needs one. If the Confirm turns the
 * extension off (F-31), the connection keeps this smaller element.
 */
static u32 contact_first_size(const struct smc_contact *c)
{
	if (c->terms.answer.caps & SMC_EXT_ELASTIC)
		return min_t(u32, contact_element(c), SMC_RMBE_OFFERED_BYTES);
	return contact_element(c);
}

/*
 * Creates the first endpoint and the first RMB of a new group. The worker may
 * end the group at the same time, for example when the device leaves. The mutex
 * lgr->setup prevents that.
 */
static int contact_build(struct smc_contact *c, const struct smc_ep_addr *peer)
{
	struct smc_lgr *lgr = c->lgr;
	struct smc_link *link;
	int err;

	lockdep_assert_held(&lgr->setup);
	if (READ_ONCE(lgr->state) != SMC_LGR_FORMING) {
		c->decline = SMC_DECL_NOACTLINK;
		return -ENOLINK;
	}
	link = smc_link_open(lgr, &lgr->key.choice);
	if (IS_ERR(link)) {
		err = PTR_ERR(link);
		c->decline = err == -ENOMEM ? SMC_DECL_MEM : SMC_DECL_NOSMCRDEV;
		return err;
	}
	memcpy(link->peer.gid, lgr->key.peer_gid, sizeof(link->peer.gid));
	/* cannot fail, because the group has no other link */
	smc_links_add(lgr, link);
	/* the worker may have searched the links before smc_links_add() */
	smp_mb();
	if (READ_ONCE(link->broken))	/* partner: link_down() */
		smc_lgr_event(lgr, SMC_LGR_EVB_LINK_DOWN);
	if (smc_link_port_gone(link))
		smc_lgr_event(lgr, SMC_LGR_EVB_PORT_LEAVING);
	c->link = smc_link_get(link, SMC_LINK_REF_CONTACT);
	c->decline = SMC_DECL_MEM;
	err = 0;
	if (!smc_contact_by_reference(c))
		err = smc_rmbe_first(lgr, link, contact_first_size(c),
				     &c->rmbe);
	if (err || !peer)
		return err;
	c->decline = SMC_DECL_ERR_RDYLNK;
	/* before the bind, because CONFIRM LINK may arrive right after it */
	smc_first_contact_client(lgr);
	return smc_links_bind(link, peer, smc_link_bind);
}

static int contact_create(struct smc_contact *c, const struct smc_ep_addr *peer)
{
	struct smc_lgr *lgr = c->lgr;
	int err;

	mutex_lock(&lgr->setup);
	err = contact_build(c, peer);
	mutex_unlock(&lgr->setup);
	if (err)
		return contact_fail(c, err, c->decline);
	if (c->rmbe.rmb)
		contact_got_element(c);
	else
		contact_got_none(c);
	c->first = true;
	smc_mib_inc(c->net, SMC_MIB_FIRST_CONTACT);
	return 0;
}

/* @found: result of smc_groups_for_server(): 1, or an error */
static int contact_new_group(struct smc_contact *c, int found)
{
	if (found > 0)
		return contact_create(c, NULL);
	smc_vacant_refused(c);	/* contact_forget() has no group to tell it */
	return contact_fail(c, found, SMC_DECL_MEM);
}

int smc_contact_server(struct smc_contact *c, const u8 *peer_gid,
		       const u8 *peer_mac)
{
	bool beside;
	int err, tries;

	for (tries = 0; tries < LOOKUPS_MAX; tries++) {
		contact_release(c);
		INIT_LIST_HEAD(&c->wait);
		err = smc_groups_for_server(c, peer_gid, &beside);
		if (err == -EINPROGRESS)
			return err;
		if (err) {
			err = contact_new_group(c, err);
			if (!err || !beside)
				return err;
			continue;	/* F-36: a wide group has a place */
		}
		err = contact_join_existing(c);
		if (!err)
			smc_mib_inc(c->net, SMC_MIB_REUSE);
		if (!err || err == -EINPROGRESS)
			return err;
		/*
		 * The group has filled up since the lookup: try the next one.
		 * If the link is down, the group may have another one.
		 */
		if (err != -EAGAIN && err != -ENOSPC && err != -ENOLINK)
			break;
	}
	return contact_fail(c, err, SMC_DECL_MEM);
}

/* ---- client ---- */

static void peer_addr(struct smc_ep_addr *addr, const struct smc_contact *c,
		      const struct smc_clc_accept *a)
{
	memset(addr, 0, sizeof(*addr));
	memcpy(addr->gid, a->gid, sizeof(addr->gid));
	memcpy(addr->mac, a->mac, sizeof(addr->mac));
	addr->qpn = a->qpn;
	addr->psn = a->psn;
	addr->mtu = a->mtu_code;
	addr->gateway = c->path.gateway;
	memcpy(addr->hop, c->path.mac, sizeof(addr->hop));
}

static int contact_create_client(struct smc_contact *c, const struct smc_ep_addr *peer)
{
	int err = smc_groups_for_client(c, peer->gid);

	if (err == -EINPROGRESS)
		return err;
	if (err)
		return contact_fail(c, err, SMC_DECL_MEM);
	return contact_create(c, peer);
}

/*
 * The route uses a gateway that is not the gateway of the group. The server
 * chooses the group and does not know the client's route. So this connection
 * stays on TCP, which uses the new gateway. If the group has no other
 * connection, it ends, and the next connection makes a group that uses the new
 * gateway. If the group has other connections, they continue as long as the old
 * gateway works.
 */
static int contact_leave_gateway(struct smc_contact *c)
{
	struct smc_lgr *lgr = smc_lgr_get(c->lgr, SMC_LGR_REF_CONTACT);
	int err = contact_fail(c, -ENOLINK, SMC_DECL_NOACTLINK);

	/* only after the contact has left, because it is a user of the group */
	smc_lgr_event(lgr, SMC_LGR_EVB_EVICT);
	smc_lgr_put(lgr, SMC_LGR_REF_CONTACT);
	return err;
}

int smc_contact_client(struct smc_contact *c, const struct smc_clc_accept *a)
{
	/* true if an earlier call found the group and waited for an element */
	bool known = c->link;
	struct smc_ep_addr peer;
	int err, tries;

	peer_addr(&peer, c, a);
	for (tries = 0; tries < LOOKUPS_MAX; tries++) {
		contact_release(c);
		INIT_LIST_HEAD(&c->wait);
		/* R-3.5.1.3-02: the F flag demands a new group even if a group
		 * exists
		 */
		if (a->first_contact)
			return contact_create_client(c, &peer);
		/*
		 * R-C.4-01. If the link has failed since the Accept, the server
		 * also knows that. The server's group still works and need not
		 * end.
		 */
		if (!smc_by_peer_find(c, &peer))
			return contact_fail(c, -ENOLINK, known ? SMC_DECL_NOACTLINK :
							 SMC_DECL_SYNCERR);
		if (smc_table_route_moved(c->lgr, c, peer.gid))
			return contact_leave_gateway(c);
		known = true;
		err = contact_join_existing(c);
		if (!err)
			smc_mib_inc(c->net, SMC_MIB_REUSE);
		if (!err || err == -EINPROGRESS)
			return err;
		if (err != -EAGAIN)
			break;
	}
	/* the link keeps its place in the group until its device is quiet */
	return contact_fail(c, err, err == -ENOLINK ? SMC_DECL_NOACTLINK :
						      SMC_DECL_MEM);
}

/* ---- both ---- */

void smc_contact_describe(const struct smc_contact *c, struct smc_clc_accept *a)
{
	const struct smc_ep_addr *own = &c->link->self;

	memcpy(a->peer_id, smc_dev_peer_id(), sizeof(a->peer_id));
	memcpy(a->gid, own->gid, sizeof(a->gid));
	memcpy(a->mac, own->mac, sizeof(a->mac));
	a->version = c->terms.version;
	a->first_contact = c->first && c->role == SMC_SERV;
	a->qpn = own->qpn;
	a->psn = own->psn;
	a->mtu_code = own->mtu;
	a->rmbe_idx = c->told.idx;
	a->bsize_code = smc_rmbe_size_code(c->told.size);
	a->rkey = c->told.rkey;
	a->rmb_addr = c->told.addr;
}

bool smc_contact_names_link(const struct smc_contact *c,
			    const struct smc_clc_accept *confirm)
{
	struct smc_ep_addr peer;

	if (c->first)
		return true;
	peer_addr(&peer, c, confirm);
	return smc_ep_peer_same(c->link->ep, &peer);
}

static int contact_confirmed_server(struct smc_contact *c,
				    const struct smc_clc_accept *confirm)
{
	struct smc_lgr *lgr = c->lgr;
	struct smc_ep_addr peer;
	int err;

	if (!c->first)
		return 0;
	peer_addr(&peer, c, confirm);
	spin_lock_bh(&lgr->lock);
	lgr->terms.peer_os = confirm->first.os;
	memcpy(lgr->terms.peer_host, confirm->first.host,
	       sizeof(lgr->terms.peer_host));
	lgr->terms.ext = c->terms.ext;	/* F-31 */
	spin_unlock_bh(&lgr->lock);
	mutex_lock(&lgr->setup);
	err = READ_ONCE(lgr->state) == SMC_LGR_FORMING ? 0 : -ENOLINK;
	if (!err)
		smc_link_agree(c->link);
	if (!err)
		err = smc_links_bind(c->link, &peer, smc_link_bind);
	if (!err)
		err = smc_first_contact_server(c->link);
	mutex_unlock(&lgr->setup);
	if (err) {	/* R-C.7-05 */
		c->err = err;
		c->decline = SMC_DECL_ERR_RDYLNK;
		return err;
	}
	return -EINPROGRESS;
}

int smc_contact_confirmed(struct smc_contact *c,
			  const struct smc_clc_accept *peer)
{
	struct smc_lgr *lgr = c->lgr;

	if (c->role == SMC_SERV)
		return contact_confirmed_server(c, peer);
	if (!c->first)
		return 0;
	/*
	 * R-3.5.1.3-04. The worker may have sent UP or FAILED before the
	 * Confirm left, or the deadline may already belong to a later step of
	 * first contact.
	 */
	spin_lock_bh(&lgr->lock);
	if (lgr->state == SMC_LGR_FORMING && !lgr->mail.deadline[SMC_LGR_DL_FIRST])
		smc_lgr_deadline_locked(lgr, SMC_LGR_DL_FIRST,
					SMC_LLC_FIRST_WAIT_MS);
	spin_unlock_bh(&lgr->lock);
	return -EINPROGRESS;
}

static u8 contact_caps(const struct smc_contact *c)
{
	if (!c->first)
		return c->lgr->terms.ext.caps;
	/* before the Confirm the server knows only its own answer */
	if (c->role == SMC_SERV && !c->terms.ext.version)
		return c->terms.answer.caps;
	return c->terms.ext.caps;
}

bool smc_contact_frames(const struct smc_contact *c)
{
	return contact_caps(c) & SMC_EXT_FRAMES;
}

bool smc_contact_elastic(const struct smc_contact *c)
{
	return contact_caps(c) & SMC_EXT_ELASTIC;
}

bool smc_contact_by_reference(const struct smc_contact *c)
{
	return c->in_host && smc_contact_elastic(c);
}

void smc_contact_out_of_sync(struct smc_contact *c)
{
	/* if this contact creates the group, the group ends with the contact */
	if (!c->lgr || c->first)
		return;
	/*
	 * Both ends of an in-host link end together. And any TCP client can
	 * send this peer ID in a Proposal, and then the flag.
	 */
	if (c->in_host)
		return;
	/*
	 * No message has named a link yet, or the peer may not know a link that
	 * is down; partner: smc_link_step()
	 */
	if (!c->link || READ_ONCE(c->link->state) != SMC_LINK_ACTIVE)
		return;
	smc_lgr_out_of_sync(c->lgr);
}

bool smc_contact_can_decline(const struct smc_contact *c)
{
	u8 first;

	if (!c->lgr || !c->first)
		return false;
	first = READ_ONCE(c->lgr->first.state);
	return first != SMC_FIRST_DONE && first != SMC_FIRST_FAILED;
}
