/* SPDX-License-Identifier: GPL-2.0 */
/* RFC dialect: sending. See rfc_tx.c. */
#ifndef _SMC_CONN_RFC_TX_H
#define _SMC_CONN_RFC_TX_H

#include <linux/minmax.h>
#include "object.h"

void smc_rfc_tx_push(struct smc_conn *conn, bool may_wait);
void smc_rfc_tx_kick(struct smc_conn *conn);
void smc_rfc_tx_run(struct smc_lgr_member *m);
bool smc_rfc_tx_flying(const struct smc_conn *conn);
bool smc_rfc_tx_settled(const struct smc_conn *conn);

/**
 * smc_rfc_tx_freed() - position up to which the peer may overwrite the element
 * @conn:	connection, its lock held
 *
 * The peer gets this position as consumer cursor. The position is ahead of
 * rx.cons if unread bytes were copied out of the element (rfc_urgent.c).
 *
 * Return: position.
 */
static inline u64 smc_rfc_tx_freed(const struct smc_conn *conn)
{
	return max(conn->rx.cons, conn->rfc.rx.bytes.start);
}

#endif
