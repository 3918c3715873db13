/* SPDX-License-Identifier: GPL-2.0 */
/* Modes of an AF_SMC socket, and socket states of stock tools. */
#ifndef _SMC_SOCKET_MODE_H
#define _SMC_SOCKET_MODE_H

/* Mode of a socket. Only smc_sock_set_mode() changes the mode. */
enum smc_sock_mode {
	SMC_MODE_NEW,		/* the socket is created, perhaps bound */
	SMC_MODE_LISTEN,
	SMC_MODE_CONNECTING,	/* a handshake owns the hidden TCP socket */
	SMC_MODE_SMC,		/* data moves by RDMA or in-host */
	/* the socket has fallen back: calls go to TCP */
	SMC_MODE_TCP,
	/* the handshake failed, or the socket is released */
	SMC_MODE_CLOSED,
	SMC_MODE_NR,
};

/* Values of sk_state that stock tools know. */
enum smc_sk_state {
	SMC_SK_ACTIVE		= 1,
	SMC_SK_INIT		= 2,
	SMC_SK_CLOSED		= 7,
	SMC_SK_LISTEN		= 10,
	SMC_SK_PEERCLOSEWAIT1	= 20,
	SMC_SK_PEERCLOSEWAIT2	= 21,
	SMC_SK_APPCLOSEWAIT1	= 22,
	SMC_SK_APPCLOSEWAIT2	= 23,
	SMC_SK_APPFINCLOSEWAIT	= 24,
	SMC_SK_PEERFINCLOSEWAIT	= 25,
	SMC_SK_PEERABORTWAIT	= 26,
	SMC_SK_PROCESSABORT	= 27,
};

#endif
