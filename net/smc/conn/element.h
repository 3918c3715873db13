/* SPDX-License-Identifier: GPL-2.0 */
/* Which elements of peers are in use, see element.c. */
#ifndef _SMC_CONN_ELEMENT_H
#define _SMC_CONN_ELEMENT_H

#include <linux/rhashtable-types.h>
#include <linux/types.h>

struct smc_conn;
struct smc_lgr;

/**
 * struct smc_element - element that a connection writes to
 * @node:	in the table, from smc_conn_start() until the connection leaves
 *		its group; @key is constant meanwhile
 * @key:	@rmb of the peer in group @lgr, and where in it
 */
struct smc_element {
	struct rhash_head node;
	struct {
		struct smc_lgr *lgr;
		u64 off;
		u64 rmb;
	} key;
};

int smc_element_init(void);
void smc_element_exit(void);
int smc_element_claim(struct smc_conn *conn);
void smc_element_drop(struct smc_conn *conn);

#endif
