/* SPDX-License-Identifier: GPL-2.0 */
/* Life of a connection in its group. See life.c. */
#ifndef _SMC_CONN_LIFE_H
#define _SMC_CONN_LIFE_H

#include <linux/types.h>

struct net;
struct smc_clc_accept;
struct smc_conn;
struct smc_conn_ops;
struct smc_contact;
struct sock;

struct smc_conn *smc_life_alloc(struct net *net, const struct smc_conn_ops *ops,
				struct sock *owner, u32 sndbuf);
int smc_life_attach(struct smc_conn *conn, struct smc_contact *c);
void smc_life_without_frames(struct smc_conn *conn, struct smc_contact *c);
int smc_life_set_peer(struct smc_conn *conn, const struct smc_clc_accept *peer);
void smc_life_start(struct smc_conn *conn);
void smc_life_detach(struct smc_conn *conn);

int smc_life_init(void);
void smc_life_exit(void);

#endif
