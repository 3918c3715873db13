/* SPDX-License-Identifier: GPL-2.0 */
/* Busy polling of an endpoint's receive queue, see roce_busy.c. */
#ifndef _SMC_TRANSPORT_ROCE_BUSY_H
#define _SMC_TRANSPORT_ROCE_BUSY_H

struct smc_roce;

/**
 * smc_roce_busy_start - let tasks poll the receive queue of an endpoint
 * @r:		endpoint that is opening; its receive CQ exists
 *
 * Sets ep.napi. Without memory it stays 0, and tasks sleep. Context: may sleep.
 */
void smc_roce_busy_start(struct smc_roce *r);
/**
 * smc_roce_busy_stop - wait until no task polls the receive queue, and none
 * will
 * @r:		endpoint
 *
 * Context: may sleep.
 */
void smc_roce_busy_stop(struct smc_roce *r);

/** smc_roce_busy_init - called before the first endpoint; 0 or -ENOMEM */
int smc_roce_busy_init(void);
/** smc_roce_busy_exit - called after the last endpoint; sleeps */
void smc_roce_busy_exit(void);

#endif
