// SPDX-License-Identifier: GPL-2.0
/*
 * This file records which connection writes to which element of a peer. A peer
 * may offer an element again although an old connection on this host still uses
 * it. In this case the peer has given up the old connection and could not tell
 * us (RFC 7609 4.4.2). The old connection must end before the new one starts.
 */
#include <linux/sched.h>	/* rhashtable.h needs it but does not include it */
#include <linux/rhashtable.h>
#include "../base/trace.h"
#include "../wire/cdc.h"
#include "close.h"
#include "conn.h"
#include "object.h"
#include "rfc_element.h"
#include "rfc_tx.h"

/* Limit of retries if several handshakes claim the same element at once. */
#define CLAIM_TRIES	16

static struct rhashtable elements;

static const struct rhashtable_params element_params = {
	.key_len = sizeof_field(struct smc_conn, rfc.claim.key),
	.key_offset = offsetof(struct smc_conn, rfc.claim.key),
	.head_offset = offsetof(struct smc_conn, rfc.claim.node),
	.automatic_shrinking = true,
};

/*
 * Ends the old connection of an element that a new connection gets
 * (R-4.4.2-04). A connection that has sent C or A writes no more, so it may end
 * normally.
 */
static void element_displace(struct smc_conn *old)
{
	spin_lock_bh(&old->lock);
	if (!(old->close.said & (SMC_CDC_C | SMC_CDC_A))) {
		trace_smc_violation("element in use", old, old->token);
		smc_close_abort(old, ECONNRESET);
		smc_rfc_tx_kick(old);
		smc_conn_try_leave(old);
	}
	smc_conn_unlock(old);
}

static bool element_left(struct smc_conn *conn)
{
	bool left;

	spin_lock_bh(&conn->lock);
	left = conn->life.place != SMC_PLACE_IN;
	spin_unlock_bh(&conn->lock);
	return left;
}

/**
 * smc_rfc_element_claim() - claim the element that the peer named for the
 * connection
 * @conn:	connection, rfc.peer.rmb and rfc.peer.off are set
 *
 * Another connection that uses the element is aborted (R-3.5.2.2-04,
 * R-3.5.2.3-01). Context: process, may sleep, no lock of a connection held.
 * Return: 0, -EBUSY (other handshakes keep claiming it), -ENOMEM.
 */
int smc_rfc_element_claim(struct smc_conn *conn)
{
	struct smc_rfc_claim *claim = &conn->rfc.claim;
	struct smc_conn *old;
	int i;

	claim->key.lgr = conn->member.lgr;
	claim->key.off = conn->rfc.peer.off;
	claim->key.rmb = conn->rfc.peer.rmb;
	for (i = 0; i < CLAIM_TRIES; i++) {
		/* the read section keeps @old, see object.h */
		rcu_read_lock();
		old = rhashtable_lookup_get_insert_fast(&elements, &claim->node,
							element_params);
		if (!IS_ERR_OR_NULL(old)) {
			element_displace(old);
			smc_rfc_element_drop(old);
		}
		rcu_read_unlock();
		if (!IS_ERR_OR_NULL(old))
			continue;
		/* the group may have ended, and the step leave may have run
		 * already
		 */
		if (!old && element_left(conn))
			smc_rfc_element_drop(conn);
		return PTR_ERR_OR_ZERO(old);
	}
	return -EBUSY;
}

/**
 * smc_rfc_element_drop() - drop the claim to the peer's element
 * @conn:	connection, with or without a claim
 *
 * Context: process.
 */
void smc_rfc_element_drop(struct smc_conn *conn)
{
	rhashtable_remove_fast(&elements, &conn->rfc.claim.node,
			       element_params);
}

/**
 * smc_rfc_element_init() - initialise the table when the module starts
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int smc_rfc_element_init(void)
{
	return rhashtable_init(&elements, &element_params);
}

/** smc_rfc_element_exit() - free the table when the module ends; sleeps */
void smc_rfc_element_exit(void)
{
	rhashtable_destroy(&elements);
}
