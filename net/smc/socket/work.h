/* SPDX-License-Identifier: GPL-2.0 */
/* Tasks that a worker runs under the lock of a socket. See work.c. */
#ifndef _SMC_SOCKET_WORK_H
#define _SMC_SOCKET_WORK_H

#include "sock.h"

/**
 * struct smc_work_ops - tasks; each calls smc_work_begin() first
 * @tell:	task of SMC_SF_TELL
 * @follow:	task of SMC_SF_FOLLOW. Return: the TCP socket to release, or
 *		NULL
 *
 * Context: process, the caller owns the lock of the socket.
 */
struct smc_work_ops {
	void (*tell)(struct smc_sock *smc);
	struct socket *(*follow)(struct smc_sock *smc);
};

/**
 * smc_work_queue - let the worker run a task
 * @smc:	socket; the caller keeps it alive
 * @task:	SMC_SF_TELL or SMC_SF_FOLLOW
 *
 * Context: any.
 */
void smc_work_queue(struct smc_sock *smc, enum smc_sock_flag task);
/**
 * smc_work_lock - take the lock to run a task, or let the worker run it later
 * @smc:	socket; the caller keeps it alive
 * @task:	SMC_SF_TELL or SMC_SF_FOLLOW
 *
 * Context: any but hard interrupts; does not sleep. Return: true: the caller
 * runs the task, and release_sock() must follow. false: another context holds
 * the lock, and the worker runs the task after it.
 */
bool smc_work_lock(struct smc_sock *smc, enum smc_sock_flag task);
/**
 * smc_work_begin - a task begins; it runs again if it is asked for from now on
 * @smc:	socket, lock held
 * @task:	SMC_SF_TELL or SMC_SF_FOLLOW
 */
void smc_work_begin(struct smc_sock *smc, enum smc_sock_flag task);
/** smc_work_prepare - initialise the work item of a new socket */
void smc_work_prepare(struct smc_sock *smc);
int smc_work_init(const struct smc_work_ops *ops);
void smc_work_exit(void);

#endif
