/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A handshake holds a struct smc_contact: its place in a link group, from the
 * moment when the group is looked up until the connection takes over
 * (smc_conn_attach()) or the handshake fails (smc_contact_drop()).
 */
#ifndef _SMC_GROUP_CONTACT_H
#define _SMC_GROUP_CONTACT_H

#include <linux/list.h>
#include <linux/types.h>
#include "../transport/dev.h"
#include "buf.h"
#include "role.h"
#include "terms.h"

struct net;
struct smc_clc_accept;
struct smc_lgr;
struct smc_link;

/* What happened to a contact that is waiting; passed to ->notify(). */
enum smc_contact_event {
	SMC_CONTACT_READY,	/* call the function that said -EINPROGRESS again */
	SMC_CONTACT_UP,		/* first contact done, the connection may start */
	SMC_CONTACT_FAILED,	/* see contact->decline and contact->err */
};

/**
 * struct smc_contact - a handshake's place in a link group
 *
 * In, set by the owner before the first call:
 * @role:	own role
 * @net:	namespace, for counters
 * @in_host:	the peer has our own peer ID: use the in-host transport
 * @choice:	RDMA port for the connection's route (unused in-host)
 * @peer_id:	the peer's ID
 * @rmb_size:	wanted element size in bytes (smc_rmb_round() is applied)
 * @terms:	version to use; first contact: the terms of the new group
 * @path:	version 2: to the peer's RoCE address
 * @notify:	event; any context, locks may be held: only queue work. Never
 *		called after smc_contact_drop() or smc_contact_done() returned.
 *
 * Out:
 * @lgr:	the group, one reference held
 * @joined:	a connection became a member through it
 * @link:	the link that Accept or Confirm names, one reference held
 * @first:	this handshake creates the group (first contact, F flag)
 * @rmbe:	own element, owned by the contact until a connection takes it
 * @told:	what Accept or Confirm says of that element, stays
 * @decline:	enum smc_decline code to send when a call failed or FAILED came; 0
 *		with FAILED: too late for a Decline, reset the TCP connection (C.2)
 * @err:	negative errno of the failure
 */
struct smc_contact {
	enum smc_role role;
	struct net *net;
	bool in_host;
	struct smc_dev_choice choice;
	u8 peer_id[8];
	u32 rmb_size;
	struct smc_lgr_terms terms;
	struct smc_dev_path path;
	void (*notify)(struct smc_contact *c, enum smc_contact_event ev);

	struct smc_lgr *lgr;
	bool joined;
	struct smc_link *link;
	bool first;
	struct smc_rmbe rmbe;
	struct {
		u32 rkey;
		u64 addr;
		u8 idx;
		u32 size;
	} told;
	u32 decline;
	int err;
	/* private to the group floor, lgr->lock */
	struct list_head wait;
};

/**
 * smc_contact_server - server: find or create the group for a Proposal
 * @c:		contact
 * @peer_gid:	GID in the Proposal, @peer_mac: MAC in the Proposal
 *
 * Context: may sleep for memory, never for the peer. Return: 0: c->lgr,
 * c->first and c->rmbe are set, the Accept can be sent; -EINPROGRESS: another
 * first contact to this peer runs or an RMB is being added, ->notify(READY) or
 * ->notify(FAILED) follows (R-3.5.2.1-05); other errno: decline with
 * c->decline.
 */
int smc_contact_server(struct smc_contact *c, const u8 *peer_gid,
		       const u8 *peer_mac);
/**
 * smc_contact_client - client: act on an Accept (R-3.5.1.3-01, R-3.5.2.2-01)
 *
 * First contact: creates group and endpoint and binds it to the server's;
 * otherwise finds the group and takes an element. Same returns as
 * smc_contact_server(); c->decline is SMC_DECL_SYNCERR when the named link is
 * unknown (C.4). A second call after READY continues.
 */
int smc_contact_client(struct smc_contact *c, const struct smc_clc_accept *a);
/**
 * smc_contact_describe - fill the link and RMB fields of Accept or Confirm
 *
 * Peer ID, GID, MAC, QPN, rkey, index, size code, MTU, address, PSN, F. The
 * alert token is the connection's.
 */
void smc_contact_describe(const struct smc_contact *c, struct smc_clc_accept *a);
/**
 * smc_contact_confirmed - the Confirm was sent (client) or received (server)
 * @peer:	server: the decoded Confirm; client: NULL
 *
 * Not first contact: checks the Confirm (R-3.5.2.3-01, -02) and returns 0: the
 * connection may start. First contact: starts link confirmation and returns
 * -EINPROGRESS, then ->notify(UP) or ->notify(FAILED). Other errno: failure.
 * Context: may sleep for memory, never for the peer.
 */
int smc_contact_confirmed(struct smc_contact *c, const struct smc_clc_accept *peer);
/**
 * smc_contact_out_of_sync - the peer declined with the S flag (R-C.4-03)
 * @c: contact
 *
 * The group ends, unless it is first contact's own or the link that was named has
 * gone meanwhile. Any context.
 */
void smc_contact_out_of_sync(struct smc_contact *c);
/**
 * smc_contact_can_decline - true while a Decline may still replace the link
 * confirmation of this first contact (C.2, C.3)
 */
bool smc_contact_can_decline(const struct smc_contact *c);
/**
 * smc_contact_done - the handshake succeeded; the contact is forgotten. The
 * connection holds group and element from smc_conn_attach() on.
 */
void smc_contact_done(struct smc_contact *c);
/**
 * smc_contact_drop - the handshake failed or ended in TCP
 *
 * Releases element (if no connection took it) and group; a group that this
 * contact was creating is ended and those who wait for it try again. Context:
 * may sleep. Idempotent; a zeroed contact is fine.
 */
void smc_contact_drop(struct smc_contact *c);

#endif
