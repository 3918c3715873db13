/* SPDX-License-Identifier: GPL-2.0 */
/* SOL_SOCKET options that the TCP socket needs, too. */
#ifndef _SMC_SOCKET_OPTIONS_H
#define _SMC_SOCKET_OPTIONS_H

#include <linux/types.h>

struct smc_sock;

/**
 * struct smc_options - SOL_SOCKET options that this module has given to TCP
 * @flags:	bits of enum sock_flags
 * @rcvtimeo:	SO_RCVTIMEO, jiffies
 * @sndtimeo:	SO_SNDTIMEO, jiffies
 * @lingertime:	SO_LINGER, jiffies
 * @sndbuf:	SO_SNDBUF, 0: not set by the application
 * @rcvbuf:	SO_RCVBUF, 0: not set by the application
 * @rcvlowat:	SO_RCVLOWAT
 * @priority:	SO_PRIORITY
 * @mark:	SO_MARK
 * @bound_dev_if: SO_BINDTODEVICE
 * @tsflags:	flags of SO_TIMESTAMPING
 * @bind_phc:	clock of SO_TIMESTAMPING
 * @busy_poll:	SO_BUSY_POLL
 * @reuse:	SO_REUSEADDR
 * @reuseport:	SO_REUSEPORT, which the core allows only for the families of IP
 */
struct smc_options {
	unsigned long flags;
	long rcvtimeo;
	long sndtimeo;
	unsigned long lingertime;
	int sndbuf;
	int rcvbuf;
	int rcvlowat;
	u32 priority;
	u32 mark;
	int bound_dev_if;
	u32 tsflags;
	int bind_phc;
	unsigned int busy_poll;
	u8 reuse;
	bool reuseport;
};

/** smc_options_begin - take the values of a new, unused socket */
void smc_options_begin(struct smc_sock *smc);
/**
 * smc_options_push - give TCP the SOL_SOCKET options of the application
 * @smc:	socket, with or without its lock; TCP's lock is not held
 *
 * This function is for kernels whose core does not pass these options to us.
 * Call this function before each call that TCP serves. The function passes only
 * values that have changed since the last time, because TCP may have chosen
 * values itself, such as the device of a link-local address.
 * Context: process.
 */
void smc_options_push(struct smc_sock *smc);

#endif
