/* SPDX-License-Identifier: GPL-2.0 */
/* Receives of a RoCE endpoint whose messages are large. */
#ifndef _SMC_TRANSPORT_ROCE_FRAMES_H
#define _SMC_TRANSPORT_ROCE_FRAMES_H

#include <linux/types.h>

struct smc_roce;

int smc_roce_frames_alloc(struct smc_roce *r);
int smc_roce_frames_post(struct smc_roce *r);
void smc_roce_frames_stop(struct smc_roce *r);
void smc_roce_frames_free(struct smc_roce *r);

#endif
