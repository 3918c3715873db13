/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The size of the element of a connection without frames. Such a connection
 * holds its element for its whole life, and most connections need little. So
 * the first connections with a peer and a port get net.smc.rmem_first bytes. If
 * the peer has often used most of an element, later connections with this peer
 * and port get net.smc.rmem bytes. SO_RCVBUF overrides both.
 */
#ifndef _SMC_SOCKET_BULK_H
#define _SMC_SOCKET_BULK_H

#include <linux/types.h>

struct smc_sock;

/**
 * smc_bulk_element - choose the size of an element
 * @smc:	socket whose TCP is connected
 * @server:	this host is the server
 *
 * Context: process, socket lock. Return: bytes.
 */
u32 smc_bulk_element(struct smc_sock *smc, bool server);

/**
 * smc_bulk_learn - note whether the connection needed a larger element
 * @smc:	socket in mode SMC that is being closed
 *
 * Context: process, socket lock.
 */
void smc_bulk_learn(const struct smc_sock *smc);

#endif
