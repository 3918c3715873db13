/* SPDX-License-Identifier: GPL-2.0 */
/* The worker of a group. */
#ifndef _SMC_GROUP_WORKER_H
#define _SMC_GROUP_WORKER_H

struct work_struct;

void smc_worker_run(struct work_struct *work);

#endif
