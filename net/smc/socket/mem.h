/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of all AF_SMC sockets, and its limits. */
#ifndef _SMC_SOCKET_MEM_H
#define _SMC_SOCKET_MEM_H

#include <linux/types.h>

struct net;
struct proto;
struct smc_sock;
struct sock;

/**
 * smc_mem_charge_rmb - charge the receive element of a connection
 * @smc:	socket, lock held; no element is charged yet
 * @size:	bytes
 *
 * Return: false: the limit is reached, and the connection must stay on TCP.
 */
bool smc_mem_charge_rmb(struct smc_sock *smc, u32 size);
/**
 * smc_mem_charge_window - charge the growth of a connection's receive window
 * @smc:	socket, lock held; smc_mem_charge_rmb() has charged
 * @size:	bytes; the connection reports them as freed at its end
 *
 * The bytes count for net.smc.mem_share until smc_mem_shrunk() or
 * smc_mem_uncharge_rmb(). Return: false: the limit is reached, and the window
 * must stay.
 */
bool smc_mem_charge_window(struct smc_sock *smc, u32 size);
/**
 * smc_mem_shrunk - the connection needs less than smc_mem_charge_window()
 * charged
 * @smc:	socket whose connection has not ended
 * @size:	bytes; the caller also reports them as freed
 *
 * Context: any.
 */
void smc_mem_shrunk(struct smc_sock *smc, u32 size);
/**
 * smc_mem_uncharge_rmb - undo smc_mem_charge_rmb(), if it has charged
 * @smc:	socket, lock held or last reference
 */
void smc_mem_uncharge_rmb(struct smc_sock *smc);
/**
 * smc_mem_is_short - would more received data exceed the limit of the host?
 * @size:	bytes
 *
 * Context: any. Return: true if smc_mem_charge() would fail for every socket.
 */
bool smc_mem_is_short(u32 size);
/**
 * smc_mem_share_is_used - would one more element exceed the share of a
 *	namespace (net.smc.mem_share)?
 * @net:	namespace
 * @size:	bytes of the element
 *
 * Context: any. Handshakes that ask at the same time may exceed the limit.
 */
bool smc_mem_share_is_used(const struct net *net, u32 size);
/**
 * smc_mem_charge - charge memory for received data
 * @smc:	socket, lock held
 * @size:	bytes; smc_conn_ops.freed() returns the charge
 *
 * Return: false: the limit is reached.
 */
bool smc_mem_charge(struct smc_sock *smc, u32 size);
/**
 * smc_mem_uncharge_freed - return the charge of memory that the connection
 * freed
 * @sk:		socket; its spinlock is held, or no other context uses it
 */
void smc_mem_uncharge_freed(struct sock *sk);

/**
 * smc_mem_force - charge for memory that is allocated already
 * @sk:		stream socket, of any family; lock held
 * @size:	bytes to add to sk_forward_alloc
 *
 * The charge may exceed the limits of the account and of the memory cgroup.
 * Context: process, may sleep.
 */
void smc_mem_force(struct sock *sk, int size);

/*
 * Make @prot use the account of AF_SMC. Call this before @prot is registered.
 */
void smc_mem_account(struct proto *prot);

#endif
