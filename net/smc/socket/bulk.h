/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Peers and ports whose connections move bulk data. A connection that uses the
 * messages of the RFC keeps its receive element for its whole life, and cannot
 * change its size. Most connections need no more than net.smc.rmem_start. If a
 * connection has proved to need more, the next connections of the same peer and
 * the same port of the server get net.smc.rmem.
 */
#ifndef _SMC_SOCKET_BULK_H
#define _SMC_SOCKET_BULK_H

#include <linux/types.h>

struct smc_sock;

/**
 * smc_bulk_elem_size - bytes of the element of a new connection
 * @smc:	socket with a connected hidden TCP socket
 *
 * A program that sets SO_RCVBUF gets what it asks for. Context: process.
 */
u32 smc_bulk_elem_size(const struct smc_sock *smc);
/**
 * smc_bulk_note - remember the peer if the connection moves bulk data
 * @smc:	socket in mode SMC, lock held; one call for each read
 *
 * Context: process.
 */
void smc_bulk_note(struct smc_sock *smc);

int smc_bulk_init(void);
void smc_bulk_exit(void);

#endif
