/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that AF_SMC sockets hold, and the limit of all of it. */
#ifndef _SMC_SOCKET_MEM_H
#define _SMC_SOCKET_MEM_H

#include <linux/types.h>

struct smc_sock;

/**
 * smc_sock_charge_rmb - account for the receive element of a connection
 * @smc:	socket, lock held; nothing is charged
 * @size:	bytes
 *
 * Return: false if there are too many: the connection has to stay on TCP.
 */
bool smc_sock_charge_rmb(struct smc_sock *smc, u32 size);
/**
 * smc_sock_charge - account for memory that holds what was received; returned
 * by smc_conn_ops.freed(). Lock held. Return: false if there is too much.
 */
bool smc_sock_charge(struct smc_sock *smc, u32 size);
/** smc_sock_uncharge_rmb - undo it, if it was done; lock held or last reference */
void smc_sock_uncharge_rmb(struct smc_sock *smc);

/*
 * Pages for all AF_SMC sockets, as tcp_mem: [1] for receive elements, [2] with
 * what is queued for sending. Read without a lock, written by sysctl.
 */
extern long smc_memory_limits[3];

#endif
