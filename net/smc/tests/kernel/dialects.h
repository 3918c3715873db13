/* SPDX-License-Identifier: GPL-2.0 */
/* What dialects_test.c offers to other tests of connections. */
#ifndef _SMC_TESTS_DIALECTS_H
#define _SMC_TESTS_DIALECTS_H

struct smc_conn;

/* the only connection in the table of tokens */
extern struct smc_conn *smc_test_named;
/* number of calls of smc_close_abort() */
extern unsigned int smc_test_aborts;

#endif
