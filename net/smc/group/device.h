/* SPDX-License-Identifier: GPL-2.0 */
/* Commands of devices for links that are added, see device.c. */
#ifndef _SMC_GROUP_DEVICE_H
#define _SMC_GROUP_DEVICE_H

struct smc_dev_choice;
struct smc_lgr;
struct smc_link;
struct smc_mem;
struct smc_mr;

unsigned int smc_device_open_wait(const struct smc_lgr *lgr);
struct smc_link *smc_device_open(struct smc_lgr *lgr,
				 const struct smc_dev_choice *choice);
int smc_device_bind(struct smc_link *link);
int smc_device_start(struct smc_link *link);
struct smc_mr *smc_device_map(struct smc_link *link, struct smc_mem *mem);
int smc_device_await(struct smc_link *link, struct smc_mr *mr);

#endif
