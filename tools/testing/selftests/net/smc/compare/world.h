/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world: its sockets on one or two hosts, their current views, and the views
 * that they must have when all sent bytes have arrived.
 */
#ifndef SMC_COMPARE_WORLD_H
#define SMC_COMPARE_WORLD_H

#include "exec.h"

enum { MAX_CONNS = 16 };

/* A connection; index 0 is the end that connects, 1 the end that accepts. */
struct conn {
	uint16_t port;		/* of the end that connects */
	bool connecting;
	bool loose;		/* a queue is full, bytes wait */
	int end[2];		/* slot, or NO_END */
	uint64_t sent[2];
	uint64_t got[2];
	bool fin[2];		/* the end has closed, or sends no more */
};

enum { NO_END = -1 };

struct world {
	struct exec exec;
	int number;		/* 0: TCP, 1: under test */
	int ctl;		/* agent of the server's host, or -1 */
	struct slot_view views[NR_SLOTS];
	struct conn conns[MAX_CONNS];
	unsigned int nr_conns;
};

enum ask_kind {
	ASK_BEGIN,
	ASK_OP,
	ASK_VIEW,
	ASK_RESET,
	ASK_MODE,
};

uint64_t now_ms(void);
/* Factor for all time limits. */
extern unsigned int slow;

void world_start(struct world *w, int number, int client, int server,
		 const char *addr, int ctl);
/* Each program has new sockets, and a new port. */
bool world_reset(struct world *w, uint16_t port);
void world_op(struct world *w, const struct op *op, struct result *r);
void world_look(struct world *w);
/* Has everything that was sent arrived? */
bool world_settled(const struct world *w);
/* Has the other end of the slot's connection closed? */
bool world_peer_closed(const struct world *w, int slot);
/* Do bytes wait because a queue is full? */
bool world_loose(const struct world *w);
/* Waits until everything that was sent has arrived, at most @ms. */
bool world_settle(struct world *w, unsigned int ms);
/* Prints the mode of the slot's connection into @mode. */
void world_mode(struct world *w, int slot, char mode[16]);

/* Runs the agent. Returns only after a failure. */
int agent_serve(const char *port, bool background);
int agent_stop(const char *host, const char *port);
/* Returns the control connection, or -1. */
int agent_call(const char *host, const char *port);

#endif
