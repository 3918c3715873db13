/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that AF_SMC sockets hold, and the limit of all of it. */
#ifndef _SMC_SOCKET_MEM_H
#define _SMC_SOCKET_MEM_H

#include <linux/types.h>

struct proto;
struct smc_sock;
struct sock;

/**
 * smc_mem_charge_rmb - account for the receive element of a connection
 * @smc:	socket, lock held; nothing is charged
 * @size:	bytes
 *
 * Return: false if there are too many: the connection has to stay on TCP.
 */
bool smc_mem_charge_rmb(struct smc_sock *smc, u32 size);
/**
 * smc_mem_uncharge_rmb - undo smc_mem_charge_rmb(), if it was done
 * @smc:	socket, lock held or last reference
 */
void smc_mem_uncharge_rmb(struct smc_sock *smc);
/**
 * smc_mem_charge - account for memory that holds what was received
 * @smc:	socket, lock held
 * @size:	bytes; returned by smc_conn_ops.freed()
 *
 * Return: false if there is too much.
 */
bool smc_mem_charge(struct smc_sock *smc, u32 size);
/**
 * smc_mem_uncharge_freed - return the charge of what the connection freed
 * @sk:		socket, its spinlock held, or nobody else has it
 */
void smc_mem_uncharge_freed(struct sock *sk);

/*
 * Pages for all AF_SMC sockets, as tcp_mem: [1] for receive elements, [2] with
 * what is queued for sending. Read without a lock, written by sysctl.
 */
extern long smc_mem_limits[3];

void smc_mem_limits_init(void);
/* @prot is charged to the account of AF_SMC; before it is registered. */
void smc_mem_account(struct proto *prot);

#endif
