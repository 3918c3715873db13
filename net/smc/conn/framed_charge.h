/* SPDX-License-Identifier: GPL-2.0 */
/* Dialect of frames: what the owner pays for received bytes. */
#ifndef _SMC_CONN_FRAMED_CHARGE_H
#define _SMC_CONN_FRAMED_CHARGE_H

#include <linux/types.h>
#include "object.h"

struct smc_chunk;

u32 smc_framed_charge_window(const struct smc_conn *conn);
bool smc_framed_charge_covers(const struct smc_conn *conn,
			      const struct smc_chunk *chunk);
bool smc_framed_charge_raise(struct smc_conn *conn, u32 window);
void smc_framed_charge_lower(struct smc_conn *conn);
void smc_framed_charge_return(struct smc_conn *conn);

/**
 * smc_framed_charge_settle() - return the rest of the charge, if the peer has
 * received a lower window
 * @conn:	connection, its lock held
 *
 * Pages with unread bytes stay charged. Most connections have the window of the
 * handshake.
 */
static inline void smc_framed_charge_settle(struct smc_conn *conn)
{
	if (unlikely(conn->framed.mem.charged))
		smc_framed_charge_lower(conn);
}

#endif
