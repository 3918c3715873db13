/* SPDX-License-Identifier: GPL-2.0 */
/* What connections tell their socket. */
#ifndef _SMC_SOCKET_EVENTS_H
#define _SMC_SOCKET_EVENTS_H

struct smc_conn_ops;

/* Callbacks that connections get; their owner is the sock. */
extern const struct smc_conn_ops smc_events_conn_ops;

#endif
