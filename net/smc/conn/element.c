// SPDX-License-Identifier: GPL-2.0
/*
 * Elements of peers that connections write to. A peer that offers one again
 * has given up the connection it was for, and could not tell us (RFC 7609
 * 4.4.2): that one has to go before the next one begins.
 */
#include <linux/sched.h>	/* rhashtable.h needs it, and does not say so */
#include <linux/rhashtable.h>
#include "../base/trace.h"
#include "conn_priv.h"

/* Handshakes that name one element all at once are not worth more. */
#define CLAIM_TRIES	16

static struct rhashtable elements;

static const struct rhashtable_params element_params = {
	.key_len = sizeof_field(struct smc_conn, element.key),
	.key_offset = offsetof(struct smc_conn, element.key),
	.head_offset = offsetof(struct smc_conn, element.node),
	.automatic_shrinking = true,
};

/* R-4.4.2-04. After own C or A nothing is written any more: it may end well. */
static void displace(struct smc_conn *old)
{
	smc_conn_lock(old);
	if (!(old->tx.said & (SMC_CDC_C | SMC_CDC_A))) {
		trace_smc_violation("element in use", old, old->token);
		smc_close_abort(old, ECONNRESET);
		smc_tx_kick(old);
		smc_conn_try_leave(old);
	}
	smc_conn_unlock(old);
}

/**
 * smc_element_claim - @conn is to use the element that its peer named
 * @conn:	connection, peer.rmb and peer.off are set
 *
 * Who used it until now is aborted (R-3.5.2.2-04, R-3.5.2.3-01). Context: may
 * sleep. Return: 0, -EBUSY (others claim it all the time), -ENOMEM.
 */
int smc_element_claim(struct smc_conn *conn)
{
	struct smc_conn *old;
	int i;

	conn->element.key.lgr = conn->member.lgr;
	conn->element.key.off = conn->peer.off;
	conn->element.key.rmb = conn->peer.rmb;
	for (i = 0; i < CLAIM_TRIES; i++) {
		rcu_read_lock();	/* keeps @old, see conn_priv.h */
		old = rhashtable_lookup_get_insert_fast(&elements,
							&conn->element.node,
							element_params);
		if (!IS_ERR_OR_NULL(old)) {
			displace(old);
			smc_element_drop(old);
		}
		rcu_read_unlock();
		if (IS_ERR_OR_NULL(old))
			return PTR_ERR_OR_ZERO(old);
	}
	return -EBUSY;
}

/** smc_element_drop - @conn does not write to its element any more, or never
 * did
 */
void smc_element_drop(struct smc_conn *conn)
{
	rhashtable_remove_fast(&elements, &conn->element.node, element_params);
}

int smc_element_init(void)
{
	return rhashtable_init(&elements, &element_params);
}

void smc_element_exit(void)
{
	rhashtable_destroy(&elements);
}
