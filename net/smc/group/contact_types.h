/* SPDX-License-Identifier: GPL-2.0 */
/* A handshake's place in a link group; see contact.h. */
#ifndef _SMC_GROUP_CONTACT_TYPES_H
#define _SMC_GROUP_CONTACT_TYPES_H

#include <linux/list.h>
#include <linux/types.h>
#include "../transport/dev.h"
#include "lgr_terms.h"
#include "rmbe.h"
#include "role.h"

struct net;
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
 * @rmb_size:	wanted element size in bytes (smc_rmbe_round() is applied)
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
	/* private: the group floor's, lgr->lock */
	u8 code;
	struct list_head wait;
};

#endif
