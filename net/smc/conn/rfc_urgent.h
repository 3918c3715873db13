/* SPDX-License-Identifier: GPL-2.0 */
/* RFC dialect: keeps a sender from stopping at its urgent byte. See
 * rfc_urgent.c.
 */
#ifndef _SMC_CONN_RFC_URGENT_H
#define _SMC_CONN_RFC_URGENT_H

struct smc_conn;

void smc_rfc_urgent_prepare(struct smc_conn *conn);
void smc_rfc_urgent_keep(struct smc_conn *conn);
void smc_rfc_urgent_passed(struct smc_conn *conn);
void smc_rfc_urgent_free(struct smc_conn *conn);

#endif
