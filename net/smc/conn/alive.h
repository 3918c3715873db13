/* SPDX-License-Identifier: GPL-2.0 */
/* Keepalive of a connection, see alive.c. */
#ifndef _SMC_CONN_ALIVE_H
#define _SMC_CONN_ALIVE_H

#include <linux/workqueue.h>

/**
 * struct smc_alive - when to ask whether the peer lives; conn->lock
 * @timer:	runs while @idle is set
 * @last:	jiffies of the last message, in either direction
 * @idle:	jiffies without one after which to ask; 0: never
 */
struct smc_alive {
	struct delayed_work timer;
	unsigned long last;
	unsigned long idle;
};

void smc_alive_timer(struct work_struct *work);

#endif
