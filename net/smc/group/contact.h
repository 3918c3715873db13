/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A handshake holds a struct smc_contact: its place in a link group, from the
 * moment when the group is looked up until the connection takes over
 * (smc_life_attach()) or the handshake fails (smc_contact_drop()).
 */
#ifndef _SMC_GROUP_CONTACT_H
#define _SMC_GROUP_CONTACT_H

#include <linux/types.h>
#include "contact_types.h"

struct smc_clc_accept;

/**
 * smc_contact_server - server: find or create the group for a Proposal
 * @c:		contact
 * @peer_gid:	GID in the Proposal
 * @peer_mac:	MAC in the Proposal
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
 * @c:	contact
 * @a:	Accept
 *
 * First contact: creates group and endpoint and binds it to the server's;
 * otherwise finds the group and takes an element. Same returns as
 * smc_contact_server(); c->decline is SMC_DECL_SYNCERR when the named link is
 * unknown (C.4). A second call after READY continues.
 */
int smc_contact_client(struct smc_contact *c, const struct smc_clc_accept *a);
/**
 * smc_contact_describe - fill the link and RMB fields of Accept or Confirm
 * @c:	contact
 * @a:	the fields are written here
 *
 * Peer ID, GID, MAC, QPN, rkey, index, size code, MTU, address, PSN, F. The
 * alert token is the connection's.
 */
void smc_contact_describe(const struct smc_contact *c, struct smc_clc_accept *a);
/**
 * smc_contact_confirmed - the Confirm was sent (client) or received (server)
 * @c:	contact
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
 * @c:	contact
 */
bool smc_contact_can_decline(const struct smc_contact *c);
/**
 * smc_contact_done - the handshake succeeded; the contact is forgotten. The
 * connection holds group and element from smc_life_attach() on.
 * @c:	contact
 */
void smc_contact_done(struct smc_contact *c);
/**
 * smc_contact_drop - the handshake failed or ended in TCP
 * @c:	contact
 *
 * Releases element (if no connection took it) and group; a group that this
 * contact was creating is ended and those who wait for it try again. Context:
 * may sleep. Idempotent; a zeroed contact is fine.
 */
void smc_contact_drop(struct smc_contact *c);

#endif
