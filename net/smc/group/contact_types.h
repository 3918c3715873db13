/* SPDX-License-Identifier: GPL-2.0 */
/* The contact of a handshake in a link group. See contact.h. */
#ifndef _SMC_GROUP_CONTACT_TYPES_H
#define _SMC_GROUP_CONTACT_TYPES_H

#include <linux/list.h>
#include <linux/types.h>
#include "../transport/dev.h"
#include "lgr_terms.h"
#include "rmbe.h"
#include "role.h"

struct mem_cgroup;
struct net;
struct smc_admit;
struct smc_lgr;
struct smc_link;

/* Events that ->notify() reports to a waiting contact. */
enum smc_contact_event {
	/* the caller must repeat the call that returned -EINPROGRESS */
	SMC_CONTACT_READY,
	SMC_CONTACT_UP,		/* first contact is over, the connection may start */
	/* the handshake failed: see contact->decline and contact->err */
	SMC_CONTACT_FAILED,
};

/**
 * struct smc_contact - a handshake in a link group
 *
 * Input, which the owner sets before the first call:
 * @role:	own role
 * @net:	namespace, for counters
 * @in_host:	the peer has our own peer ID, so use the in-host transport
 * @choice:	RDMA port for the connection's route (unused in-host)
 * @peer_id:	the peer's ID
 * @source:	address of the peer in IPv6 form, reduced to the prefix that one
 *		host has
 * @listener:	server: identifies the listening socket; never dereferenced
 * @payer:	memory cgroup that is charged for the queue pairs of the group,
 *		if this handshake creates it; NULL: no charge. The owner keeps
 *		it alive.
 * @rmb_size:	limit of unread bytes that the socket wants
 * @element_size: wanted size of an element in bytes, at most @rmb_size, if the
 *		group has no frames; smc_rmbe_round() rounds both
 * @terms:	version to use; in first contact also the terms of the new group
 * @path:	version 2: path to the peer's RoCE address
 * @notify:	callback for events. The caller may be in any context and hold
 *		locks, so the callback may only queue work. No callback runs
 *		after smc_contact_drop() or smc_contact_done() has returned.
 *
 * Output:
 * @admit:	its place among the first contacts that run, or its place in the
 *		line; the group that it creates takes it
 * @lgr:	the group, one reference held
 * @joined:	a connection has become a member through this contact
 * @link:	the link that Accept or Confirm names, one reference held
 * @first:	this handshake creates the group (first contact, F flag)
 * @rmbe:	own element; the contact owns it until a connection takes it
 * @told:	copy of the element's keys for Accept or Confirm; it stays valid
 *		after the connection has taken the element
 * @decline:	enum smc_decline: code of the Decline to send after a failed
 *		call or event FAILED. If the code is 0 with event FAILED, it is
 *		too late for a Decline, and the handshake resets the TCP
 *		connection (C.2)
 * @err:	negative errno of the failure
 */
struct smc_contact {
	enum smc_role role;
	struct net *net;
	bool in_host;
	struct smc_dev_choice choice;
	u8 peer_id[8];
	u8 source[16];
	const void *listener;
	struct mem_cgroup *payer;
	u32 rmb_size;
	u32 element_size;
	struct smc_lgr_terms terms;
	struct smc_dev_path path;
	void (*notify)(struct smc_contact *c, enum smc_contact_event ev);

	struct smc_admit *admit;
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
	/* private: used by the files of group/, under lgr->lock */
	u8 code;
	bool promised;
	struct list_head wait;
};

/**
 * smc_contact_size - size of an element for the connection
 * @c:		contact
 * @frames:	the connection uses frames
 *
 * Context: any. Return: bytes, which smc_rmbe_round() rounds. With frames an
 * element is as large as the window may become.
 */
static inline u32 smc_contact_size(const struct smc_contact *c, bool frames)
{
	return frames ? c->rmb_size : c->element_size;
}

#endif
