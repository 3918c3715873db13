// SPDX-License-Identifier: GPL-2.0
/*
 * Alert tokens: each CDC message names its connection by its token. Tokens are
 * random, so that a peer cannot guess the token of another host's connection.
 * The receive path also checks the link group.
 */
#include <linux/random.h>
#include <linux/sched.h>	/* rhashtable.h needs it but does not include it */
#include <linux/rhashtable.h>
#include "object.h"
#include "token.h"

/*
 * Random 32-bit tokens rarely collide. 16 collisions in a row mean that the
 * table is full.
 */
#define TOKEN_TRIES	16

static struct rhashtable tokens;

static const struct rhashtable_params token_params = {
	.key_len = sizeof_field(struct smc_conn, token),
	.key_offset = offsetof(struct smc_conn, token),
	.head_offset = offsetof(struct smc_conn, node),
	.automatic_shrinking = true,
};

/**
 * smc_token_add() - give a connection a token and put it into the table
 * @conn:	connection, complete except for the token
 *
 * Context: process, may sleep. Return: 0, -EEXIST (no free token was found), or
 * an errno of the table: -ENOMEM, -EBUSY, -E2BIG.
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

/**
 * smc_token_del() - take a connection out of the table
 * @conn:	connection
 *
 * A reader that has found the connection may use it until an RCU grace period
 * has passed.
 * Context: process.
 */
void smc_token_del(struct smc_conn *conn)
{
	rhashtable_remove_fast(&tokens, &conn->node, token_params);
}

/**
 * smc_token_find() - find a connection by its token
 * @token:	alert token
 *
 * Context: any, in an RCU read section; the connection exists until its end.
 * Return: connection or NULL.
 */
struct smc_conn *smc_token_find(u32 token)
{
	return rhashtable_lookup(&tokens, &token, token_params);
}

/**
 * smc_token_init() - initialise the table when the module starts
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int smc_token_init(void)
{
	return rhashtable_init(&tokens, &token_params);
}

/** smc_token_exit() - free the table when the module ends; sleeps */
void smc_token_exit(void)
{
	rhashtable_destroy(&tokens);
}
