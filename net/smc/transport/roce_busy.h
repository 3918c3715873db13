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
 * smc_roce_busy_quiesce - let tasks run the receive queue no more
 * @r:		endpoint
 *
 * A task that has begun to run the queue may do so until the next grace period
 * of RCU. Context: any.
 */
void smc_roce_busy_quiesce(struct smc_roce *r);
/**
 * smc_roce_busy_free - wait until no task polls
 * @r:		endpoint, quiesced
 *
 * A task may poll for long, so the end of a link does not wait for this.
 * Context: may sleep.
 */
void smc_roce_busy_free(struct smc_roce *r);

/** smc_roce_busy_init - called before the first endpoint; 0 or -ENOMEM */
int smc_roce_busy_init(void);
/** smc_roce_busy_exit - called after the last endpoint; sleeps */
void smc_roce_busy_exit(void);

#endif
