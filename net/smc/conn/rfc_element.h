/* SPDX-License-Identifier: GPL-2.0 */
/* RFC dialect: which connection writes to which element of a peer. See
 * rfc_element.c.
 */
#ifndef _SMC_CONN_RFC_ELEMENT_H
#define _SMC_CONN_RFC_ELEMENT_H

struct smc_conn;

int smc_rfc_element_init(void);
void smc_rfc_element_exit(void);
int smc_rfc_element_claim(struct smc_conn *conn);
void smc_rfc_element_drop(struct smc_conn *conn);

#endif
