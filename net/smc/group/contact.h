/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A struct smc_contact represents a handshake in a link group. The handshake
 * has the contact from the lookup of the group until the connection takes over
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
 * c->first and c->rmbe are set, and the Accept can be sent. -EINPROGRESS:
 * another first contact to this peer runs, or too many to other peers, or the
 * group adds an RMB;
 * ->notify(READY) or ->notify(FAILED) follows (R-3.5.2.1-05). Other errno:
 * decline with c->decline.
 */
int smc_contact_server(struct smc_contact *c, const u8 *peer_gid,
		       const u8 *peer_mac);
/**
 * smc_contact_client - client: act on an Accept (R-3.5.1.3-01, R-3.5.2.2-01)
 * @c:	contact
 * @a:	Accept
 *
 * In first contact the function creates a group and an endpoint, and binds the
 * endpoint to the server's endpoint. In a later contact the function finds the
 * group and takes an element. The return values are those of
 * smc_contact_server(). c->decline is SMC_DECL_SYNCERR if the Accept names an
 * unknown link (C.4). After READY the caller calls it again to continue.
 */
int smc_contact_client(struct smc_contact *c, const struct smc_clc_accept *a);
/**
 * smc_contact_describe - fill the link and RMB fields of Accept or Confirm
 * @c:	contact
 * @a:	message; its fields are written
 *
 * The function writes the peer ID, GID, MAC, QPN, rkey, index, size code, MTU,
 * address, PSN and the F flag. The connection supplies the alert token.
 */
void smc_contact_describe(const struct smc_contact *c, struct smc_clc_accept *a);
/**
 * smc_contact_names_link - does the Confirm name the link of the Accept?
 * @c:	contact of a server
 * @confirm: the decoded Confirm
 *
 * Context: any. Return: true, also in first contact, in which the Confirm gives
 * the address of the peer.
 */
bool smc_contact_names_link(const struct smc_contact *c,
			    const struct smc_clc_accept *confirm);
/**
 * smc_contact_confirmed - the Confirm was sent (client) or received (server)
 * @c:	contact
 * @peer:	server: the decoded Confirm; client: NULL
 *
 * In an existing group the function returns 0, and the connection may start. In
 * first contact it starts link confirmation and returns -EINPROGRESS;
 * ->notify(UP) or ->notify(FAILED) follows. Other errno: failure. Context: may
 * sleep for memory, never for the peer.
 */
int smc_contact_confirmed(struct smc_contact *c, const struct smc_clc_accept *peer);
/**
 * smc_contact_frames - will the connection use frames?
 * @c:	contact with a group
 *
 * In first contact the server knows this only from the Confirm. Until then the
 * function returns what the server's own answer says (F-31).
 * Context: any.
 */
bool smc_contact_frames(const struct smc_contact *c);
/**
 * smc_contact_elastic - will the connection start without an element?
 * @c:	contact with a group
 *
 * The same as smc_contact_frames() for the capability ELASTIC. Between hosts,
 * Accept and Confirm of first contact name an element even so, because the
 * group needs it if the Confirm turns the extension off. Context: any.
 */
bool smc_contact_elastic(const struct smc_contact *c);
/**
 * smc_contact_by_reference - do the bytes of this in-host connection move by
 * reference?
 * @c:	contact with a group
 *
 * Then no end has an element. Context: any.
 */
bool smc_contact_by_reference(const struct smc_contact *c);
/**
 * smc_contact_out_of_sync - the peer declined with the S flag (R-C.4-03)
 * @c: contact
 *
 * Ends the group, unless this contact creates the group, or the link that our
 * message named is down by now. Any context.
 */
void smc_contact_out_of_sync(struct smc_contact *c);
/**
 * smc_contact_can_decline - may a Decline still replace link confirmation?
 * (C.2, C.3)
 * @c:	contact
 */
bool smc_contact_can_decline(const struct smc_contact *c);
/**
 * smc_contact_expired - the caller has waited too long, and declines
 * @c:	contact that waits; smc_contact_drop() follows
 *
 * Counts the reason if it is a limit of first contacts. Context: any but irq.
 */
void smc_contact_expired(struct smc_contact *c);
/**
 * smc_contact_done - the handshake succeeded; the contact ends. The connection
 * has held the group and the element since smc_life_attach().
 * @c:	contact
 */
void smc_contact_done(struct smc_contact *c);
/**
 * smc_contact_drop - the handshake failed or ended in TCP
 * @c:	contact
 *
 * Releases the group, and the element if no connection took it. If this contact
 * was creating the group, the group ends, and contacts that wait for it look
 * for another group.
 * Context: may sleep. A second call, or a call with a zeroed contact, does
 * nothing.
 */
void smc_contact_drop(struct smc_contact *c);

#endif
