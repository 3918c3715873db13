/* SPDX-License-Identifier: GPL-2.0 */
/* The in-host transport. smc_ep_open_loop() opens its endpoints. */
#ifndef _SMC_TRANSPORT_LOOP_H
#define _SMC_TRANSPORT_LOOP_H

/* Cleans up when the module ends, after every endpoint was closed. */
void smc_loop_exit(void);

#endif
