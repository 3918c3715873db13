/* SPDX-License-Identifier: GPL-2.0 */
/* RFC dialect: a sender that stops at its urgent byte, see rfc_urgent.c. */
#ifndef _SMC_CONN_RFC_URGENT_H
#define _SMC_CONN_RFC_URGENT_H

struct smc_conn;

void smc_rfc_urgent_prepare(struct smc_conn *conn);
void smc_rfc_urgent_keep(struct smc_conn *conn);
void smc_rfc_urgent_passed(struct smc_conn *conn);
void smc_rfc_urgent_uncharge(struct smc_conn *conn);
void smc_rfc_urgent_free(struct smc_conn *conn);

#endif
