/* SPDX-License-Identifier: GPL-2.0 */
/* The in-host transport; endpoints are opened by smc_ep_open_loop(). */
#ifndef _SMC_TRANSPORT_LOOP_H
#define _SMC_TRANSPORT_LOOP_H

/* End of the module; every endpoint is closed. */
void smc_loop_exit(void);

#endif
