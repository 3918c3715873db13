/* SPDX-License-Identifier: GPL-2.0 */
/* RFC dialect: receiving. See rfc_rx.c. */
#ifndef _SMC_CONN_RFC_RX_H
#define _SMC_CONN_RFC_RX_H

#include <linux/types.h>
#include "dialect.h"

struct smc_lgr;
struct smc_link;

/* ---- for the group ---- */

void smc_rfc_rx_cdc(struct smc_lgr *lgr, const struct smc_link *link,
		    const u8 *buf);

/* ---- for other files of conn/ ---- */

void smc_rfc_rx_overdue(struct smc_conn *conn);
void smc_rfc_rx_reader(struct smc_conn *conn, enum smc_reader done);
u32 smc_rfc_rx_limit(struct smc_conn *conn, u32 bytes);

#endif
