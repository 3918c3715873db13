/* SPDX-License-Identifier: GPL-2.0 */
/* TCP ULP "smc": option 254 on the hidden TCP sockets. */
#ifndef _SMC_SOCKET_ULP_H
#define _SMC_SOCKET_ULP_H

#include <linux/types.h>

struct sock;

/* States of the connection. All diagnosis codes are larger than these
 * numbers.
 */
enum smc_ulp_state {
	SMC_ULP_CONNECT = 1,	/* handshake */
	SMC_ULP_RDMA,
	SMC_ULP_IN_HOST,
	SMC_ULP_STATES
};

/*
 * Attributes inside INET_DIAG_ULP_INFO, beside the attributes of the kernel.
 * The numbers are far from those of the kernel, so that later kernels do not
 * use the same numbers.
 */
enum {
	SMC_ULP_INFO_MODE	= 43,	/* u32, enum smc_sock_mode */
	SMC_ULP_INFO_REASON	= 44,	/* u32, Decline diagnosis or 0 */
};

/**
 * smc_ulp_show - set what "ss -ti" shows for a TCP socket
 * @tcp:	hidden TCP socket, not locked; the function attaches the ULP if
 *		the socket has none
 * @what:	enum smc_ulp_state, or the reason for plain TCP (enum
 *		smc_decline)
 *
 * A socket that has become plain TCP does not show the option again. Context:
 * may sleep.
 */
void smc_ulp_show(struct sock *tcp, u32 what);
/**
 * smc_ulp_attach - attach the ULP to a hidden TCP socket
 * @tcp:	hidden TCP socket, not locked
 * @offer:	true: a client shows option 254 on the SYN, a listener answers
 *	the option
 *
 * A second call on the same socket only changes @offer. Context: may sleep.
 * Return: 0, -EEXIST (another ULP is there).
 */
int smc_ulp_attach(struct sock *tcp, bool offer);
/** smc_ulp_detach - detach the ULP from an unlocked TCP socket; idempotent */
void smc_ulp_detach(struct sock *tcp);
/**
 * smc_ulp_attached - is the ULP of this module attached?
 * @tcp:	hidden TCP socket
 *
 * Context: any. The answer may change at once if the caller does not hold the
 * lock of the AF_SMC socket.
 */
bool smc_ulp_attached(const struct sock *tcp);
/** smc_ulp_peer_smc - did the connected peer show the option, too? */
bool smc_ulp_peer_smc(const struct sock *tcp);
/**
 * smc_ulp_smc_waits - does a connection with the option wait in TCP's accept
 * queue?
 * @tcp:	hidden listener
 *
 * Looks at the first ACCEPT_SCAN connections only: TCP cannot add one while the
 * lock is held. An overloaded listener does not show the option, so most
 * connections with it are among the first.
 */
bool smc_ulp_smc_waits(struct sock *tcp);
/** smc_ulp_by_cookie - did a SYN cookie, without options, open the child? */
bool smc_ulp_by_cookie(const struct sock *tcp);
/**
 * smc_ulp_set_cap - set the function that decides about each SYN with the
 * option
 * @tcp:	hidden TCP socket that does not listen yet
 * @over_cap:	called in softirq for each such SYN; returns true if the SYN-ACK
 *		must not show the option. A later call of smc_ulp_set_cap()
 *		cannot change @over_cap.
 */
void smc_ulp_set_cap(struct sock *tcp, bool (*over_cap)(const struct sock *tcp));

int smc_ulp_init(void);
void smc_ulp_exit(void);

#endif
