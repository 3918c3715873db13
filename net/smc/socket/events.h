/* SPDX-License-Identifier: GPL-2.0 */
/* Callbacks from a connection to its socket. */
#ifndef _SMC_SOCKET_EVENTS_H
#define _SMC_SOCKET_EVENTS_H

struct smc_conn_ops;

/* Callbacks of connections. The argument @owner of each callback is the struct
 * sock.
 */
extern const struct smc_conn_ops smc_events_conn_ops;

#endif
