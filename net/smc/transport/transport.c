// SPDX-License-Identifier: GPL-2.0
/*
 * Start and end of the transport floor. smc_transport_init() does not register
 * for devices; the floor above does that later.
 */
#include "ep.h"
#include "loop.h"
#include "pnet.h"
#include "roce_busy.h"
#include "roce_ep.h"
#include "transport.h"

int smc_transport_init(void)
{
	int err;

	err = smc_ep_workers_init();
	if (err)
		return err;
	err = smc_roce_busy_init();
	if (err)
		goto err_workers;
	err = smc_pnet_init();
	if (!err)
		return 0;
	smc_roce_busy_exit();
err_workers:
	smc_ep_workers_exit();
	return err;
}

void smc_transport_exit(void)
{
	smc_pnet_exit();
	smc_loop_exit();
	smc_roce_ep_exit();
	smc_roce_busy_exit();
	smc_ep_workers_exit();
}
