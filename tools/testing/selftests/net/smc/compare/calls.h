/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls that need more than one line. Each function returns the result of
 * the call.
 */
#ifndef SMC_COMPARE_CALLS_H
#define SMC_COMPARE_CALLS_H

#include "exec.h"

int call_bind(struct exec *x, const struct op *op);
int call_connect(struct exec *x, const struct op *op);
int call_accept(int fd, struct result *r);
/* Reads the ports of a new connection. */
void call_names(struct slot *s);
int call_get(int fd, const struct op *op, struct result *r);
int call_set(int fd, const struct op *op);
int call_ioctl(int fd, const struct op *op, struct result *r);
int call_name(struct exec *x, const struct op *op, struct result *r);
int call_signals(int fd, int sig);
/* send, recv, splice, fork, fill, drain */
int call_data(struct slot *s, const struct op *op, struct result *r);
/* Stores what the socket shows, without changing the socket. */
void call_look(struct slot *s, struct slot_view *v);

#endif
