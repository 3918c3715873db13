/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules of /etc/smc.conf for this program. All functions may run in any thread
 * and in a signal handler. They keep nothing locked, and may change errno.
 */
#ifndef SMC_RUN_RULES_H
#define SMC_RUN_RULES_H

#include <stdbool.h>
#include <sys/socket.h>

/* Reads the file if nobody has yet. */
void rules_load(void);
/* Does no rule let this program use SMC? Then socket() makes TCP sockets. */
bool rules_never_smc(void);
/* If a rule says TCP for this call, the socket becomes a TCP socket. */
void rules_before_connect(int fd, const struct sockaddr *addr, socklen_t len);
void rules_before_listen(int fd);

#endif
