/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The AF_SMC sockets of this namespace, as NETLINK_SOCK_DIAG lists them. This
 * code is independent of the tools, and needs only the C library.
 */
#ifndef SMC_PEER_SOCKET_LIST_H
#define SMC_PEER_SOCKET_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct listed_socket {
	uint64_t inode;
	uint8_t state;
	uint8_t mode;		/* SMC_DIAG_MODE_* */
	bool in_host;
	bool in_group;		/* the connection has a link group */
	uint32_t reason;	/* reason for TCP, from SMC_DIAG_FALLBACK */
	/* diagnosis code of the peer's Decline message */
	uint32_t diagnosis;
};

/* Stores all sockets in an array that the caller frees. Returns 0 or a negative
 * errno.
 */
int socket_list(struct listed_socket **list, size_t *nr);

/* "SMCR", "in-host", "TCP", "SMCD"; "-" for an unconnected socket */
const char *listed_mode(const struct listed_socket *s);

#endif
