// SPDX-License-Identifier: GPL-2.0
/*
 * RFC dialect: elements of peers that connections write to. A peer may offer an
 * element again when it has given up the connection that used it and could not
 * tell us (RFC 7609 4.4.2). That connection has to end before the next one
 * begins.
 */
#include <linux/sched.h>	/* rhashtable.h needs it, and does not say so */
#include <linux/rhashtable.h>
#include "../base/trace.h"
#include "../wire/cdc.h"
#include "close.h"
#include "conn.h"
#include "object.h"
#include "rfc_element.h"
#include "rfc_tx.h"

/* Handshakes that name one element all at once are not worth more. */
#define CLAIM_TRIES	16

static struct rhashtable elements;

static const struct rhashtable_params element_params = {
	.key_len = sizeof_field(struct smc_conn, rfc.claim.key),
	.key_offset = offsetof(struct smc_conn, rfc.claim.key),
	.head_offset = offsetof(struct smc_conn, rfc.claim.node),
	.automatic_shrinking = true,
};

/*
 * Ends a connection whose element is used by another one (R-4.4.2-04). After
 * own C or A it writes nothing any more, so it may end as it is.
 */
static void element_displace(struct smc_conn *old)
{
	smc_conn_lock(old);
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
 * smc_rfc_element_claim() - the connection is to use the element that its peer
 * named
 * @conn:	connection, rfc.peer.rmb and rfc.peer.off are set
 *
 * Another connection that uses the element is aborted (R-3.5.2.2-04,
 * R-3.5.2.3-01). Context: process, may sleep, no lock of a connection held.
 * Return: 0, -EBUSY (others claim it all the time), -ENOMEM.
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
		rcu_read_lock();	/* keeps @old, see object.h */
		old = rhashtable_lookup_get_insert_fast(&elements, &claim->node,
							element_params);
		if (!IS_ERR_OR_NULL(old)) {
			element_displace(old);
			smc_rfc_element_drop(old);
		}
		rcu_read_unlock();
		if (!IS_ERR_OR_NULL(old))
			continue;
		/* the group may have ended, and leave have run before this */
		if (!old && element_left(conn))
			smc_rfc_element_drop(conn);
		return PTR_ERR_OR_ZERO(old);
	}
	return -EBUSY;
}

/**
 * smc_rfc_element_drop() - the connection does not write to its element any
 * more
 * @conn:	connection, perhaps one that never claimed an element
 *
 * Context: process.
 */
void smc_rfc_element_drop(struct smc_conn *conn)
{
	rhashtable_remove_fast(&elements, &conn->rfc.claim.node,
			       element_params);
}

/**
 * smc_rfc_element_init() - start of the module
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int smc_rfc_element_init(void)
{
	return rhashtable_init(&elements, &element_params);
}

/** smc_rfc_element_exit() - end of the module. Context: process, sleeps. */
void smc_rfc_element_exit(void)
{
	rhashtable_destroy(&elements);
}
