// SPDX-License-Identifier: GPL-2.0
/*
 * Alert tokens: what a CDC message names its connection by. Random, so that a
 * peer cannot guess the token of another host's connection (D10); the receive
 * path checks the link group on top.
 */
#include <linux/random.h>
#include <linux/sched.h>	/* rhashtable.h needs it, and does not say so */
#include <linux/rhashtable.h>
#include "conn_priv.h"

/* Collisions in 2^32 are rare; so many in a row mean that the table is full. */
#define TOKEN_TRIES	16

static struct rhashtable tokens;

static const struct rhashtable_params token_params = {
	.key_len = sizeof_field(struct smc_conn, token),
	.key_offset = offsetof(struct smc_conn, token),
	.head_offset = offsetof(struct smc_conn, node),
	.automatic_shrinking = true,
};

/**
 * smc_token_add - give @conn a token and make it known by it
 * @conn:	connection, complete but for the token
 *
 * Context: may sleep. Return: 0, -ENOMEM, -EEXIST (table full).
 */
int smc_token_add(struct smc_conn *conn)
{
	int err = -EEXIST;
	int i;

	for (i = 0; i < TOKEN_TRIES && err == -EEXIST; i++) {
		do
			conn->token = get_random_u32();
		while (!conn->token);
		err = rhashtable_lookup_insert_fast(&tokens, &conn->node,
						    token_params);
	}
	return err;
}

/** smc_token_del - @conn is not found any more; it may be in use for an RCU
 * grace period still
 */
void smc_token_del(struct smc_conn *conn)
{
	rhashtable_remove_fast(&tokens, &conn->node, token_params);
}

/** smc_token_find - connection or NULL; caller is in an RCU read section */
struct smc_conn *smc_token_find(u32 token)
{
	return rhashtable_lookup(&tokens, &token, token_params);
}

int smc_token_init(void)
{
	return rhashtable_init(&tokens, &token_params);
}

void smc_token_exit(void)
{
	rhashtable_destroy(&tokens);
}
