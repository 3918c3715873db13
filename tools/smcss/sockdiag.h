/* SPDX-License-Identifier: GPL-2.0 */
/* The sockets of family AF_SMC, as the kernel lists them. */
#ifndef SMC_TOOLS_SOCKDIAG_H
#define SMC_TOOLS_SOCKDIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/smc_diag.h>

#ifndef AF_SMC
#define AF_SMC 43
#endif

struct smc_sockaddr {
	bool ipv6;
	uint8_t addr[16];	/* network byte order; 4 bytes for IPv4 */
	uint16_t port;		/* host byte order */
};

/* One socket. Values that the kernel did not send are zero. */
struct smc_socket {
	uint8_t family;
	uint8_t state;		/* see smc_state_name() */
	uint8_t mode;		/* SMC_DIAG_MODE_* */
	uint8_t shutdown;
	uint32_t uid;
	uint32_t ifindex;
	uint64_t inode;
	uint64_t cookie;
	struct smc_sockaddr local;
	struct smc_sockaddr peer;
	char transport[16];
	bool has_conn;
	bool has_lgr;
	bool has_flow;		/* only our kernel module reports it */
	struct smc_diag_fallback fallback;
	struct smc_diag_conninfo conn;
	struct smc_diag_flow flow;
	struct smc_diag_lgrinfo lgr;
};

/**
 * smc_sockdiag_list - all SMC sockets of the network namespace
 * @ext: SMC_DIAG_EXT() bits
 * @list: an array that the caller frees; NULL if there are no sockets
 * @nr: its length
 *
 * Return: 0 or a negative errno; -ENOENT when the kernel has no such list.
 */
int smc_sockdiag_list(unsigned int ext, struct smc_socket **list, size_t *nr);

#endif
