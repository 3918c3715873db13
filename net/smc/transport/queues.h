/* SPDX-License-Identifier: GPL-2.0 */
/* The workqueues of each RDMA device. */
#ifndef _SMC_TRANSPORT_QUEUES_H
#define _SMC_TRANSPORT_QUEUES_H

struct smc_port;
struct smc_queues;
struct workqueue_struct;

struct smc_queues *smc_queues_take(void);
void smc_queues_give_back(struct smc_queues *q);
struct workqueue_struct *smc_queues_work(const struct smc_port *port);
struct workqueue_struct *smc_queues_stops(const struct smc_port *port);
struct workqueue_struct *smc_queues_frees(const struct smc_port *port);
int smc_queues_init(void);
void smc_queues_exit(void);

#endif
