// SPDX-License-Identifier: GPL-2.0
#include "search.h"

#include <string.h>
#include <sys/socket.h>

#include <linux/sockios.h>
#include <sys/ioctl.h>

struct dice {
	uint64_t state;
};

static uint64_t next(struct dice *d)
{
	/* splitmix64: adjacent seeds give very different programs */
	uint64_t z = d->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static unsigned int below(struct dice *d, unsigned int n)
{
	return next(d) % n;
}

static bool chance(struct dice *d, unsigned int percent)
{
	return below(d, 100) < percent;
}

static void add(struct program *p, enum op_kind kind, int slot, int a, int b)
{
	struct op op = { .kind = kind, .slot = slot, .arg = { a, b } };

	program_add(p, &op);
}

/*
 * The sockets that a program has opened, as far as that is known before it
 * runs.
 */
struct guess {
	bool open[NR_SLOTS];
	bool called[NR_SLOTS];	/* a call may be blocked */
};

static void connection(struct program *p, struct guess *g, int from, int to)
{
	add(p, OP_SOCKET, from, 0, 0);
	add(p, OP_CONNECT, from, TARGET_L, 0);
	g->open[from] = true;
	if (to < 0)
		return;
	add(p, OP_ACCEPT, SLOT_L, to, 0);
	g->open[to] = true;
}

static void begin(struct program *p, struct guess *g, struct dice *d)
{
	add(p, OP_SOCKET, SLOT_L, 0, 0);
	add(p, OP_BIND, SLOT_L, 0, 0);
	g->open[SLOT_L] = true;
	if (chance(d, 3))
		return;
	add(p, OP_LISTEN, SLOT_L, 8, 0);
	if (chance(d, 93))
		connection(p, g, SLOT_C, chance(d, 93) ? SLOT_S : -1);
	if (chance(d, 10))
		connection(p, g, SLOT_D, chance(d, 70) ? SLOT_T : -1);
}

static int some_bytes(struct dice *d)
{
	static const int sizes[] = { 0, 1, 1, 2, 3, 7, 10, 10, 50, 100, 1000, 5000 };

	return sizes[below(d, ARRAY_SIZE(sizes))];
}

static int send_flags(struct dice *d)
{
	static const int flags[] = { MSG_OOB, MSG_OOB, MSG_NOSIGNAL, MSG_EOR,
				     MSG_DONTROUTE, FLAG_FAULT,
				     MSG_TRUNC };
	int f = 0;

	while (chance(d, 25))
		f |= flags[below(d, ARRAY_SIZE(flags))];
	return f;
}

static int recv_flags(struct dice *d)
{
	static const int flags[] = { MSG_PEEK, MSG_PEEK, MSG_TRUNC, MSG_WAITALL,
				     MSG_OOB, MSG_OOB, FLAG_FAULT,
				     MSG_ERRQUEUE };
	int f = 0;

	while (chance(d, 33))
		f |= flags[below(d, ARRAY_SIZE(flags))];
	return f;
}

static int some_value(struct dice *d, int option)
{
	const int *values = options[option].values;
	unsigned int i = below(d, 5);

	if (chance(d, 3))
		return VALUE_SHORT;
	if (chance(d, 3))
		return VALUE_FAULT;
	return i < 4 ? values[i] : 0;
}

static int some_option(struct dice *d)
{
	/* the first dozen options change the results of other calls */
	return below(d, chance(d, 50) ? 16 : nr_options);
}

static int some_request(struct dice *d)
{
	static const int requests[] = { SIOCATMARK, SIOCINQ, SIOCGPGRP, 0x5fff };

	return requests[below(d, ARRAY_SIZE(requests))];
}

static int some_target(struct dice *d)
{
	static const int targets[] = { TARGET_L, TARGET_L, TARGET_UNSPEC,
				       TARGET_UNSPEC, TARGET_CLOSED,
				       TARGET_SHORT, TARGET_UNIX, TARGET_FAULT };

	return targets[below(d, ARRAY_SIZE(targets))];
}

/* Ops and how often they are chosen, in percent. */
static const struct {
	uint8_t kind;
	uint8_t weight;
} weights[] = {
	{ OP_SEND, 27 }, { OP_RECV, 27 }, { OP_SHUTDOWN, 8 }, { OP_CLOSE, 5 },
	{ OP_GET, 5 }, { OP_SET, 8 }, { OP_IOCTL, 3 }, { OP_NAME, 3 },
	{ OP_CONNECT, 3 }, { OP_SPLICE_IN, 3 }, { OP_SPLICE_OUT, 3 },
	{ OP_LISTEN, 1 }, { OP_BIND, 1 }, { OP_ACCEPT, 1 }, { OP_DUP, 1 },
	{ OP_SIGNALS, 1 },
};

static enum op_kind some_kind(struct dice *d)
{
	unsigned int i = 0, n = below(d, 100);

	while (n >= weights[i].weight && i + 1 < ARRAY_SIZE(weights))
		n -= weights[i++].weight;
	return weights[i].kind;
}

static int some_slot(struct dice *d, const struct guess *g)
{
	static const uint8_t slots[] = { SLOT_C, SLOT_C, SLOT_C, SLOT_C, SLOT_S,
					 SLOT_S, SLOT_S, SLOT_S, SLOT_L,
					 SLOT_D, SLOT_T };
	int i, slot = SLOT_L;

	for (i = 0; i < 4; i++) {
		slot = slots[below(d, ARRAY_SIZE(slots))];
		if (g->open[slot])
			break;
	}
	return slot;
}

static bool may_block(enum op_kind kind)
{
	return kind == OP_RECV || kind == OP_ACCEPT || kind == OP_SPLICE_OUT;
}

static void some_op(struct program *p, struct guess *g, struct dice *d)
{
	int slot = some_slot(d, g);
	struct op op = { .kind = some_kind(d), .slot = slot };

	if (!g->open[slot]) {
		op.kind = OP_SOCKET;
		g->open[slot] = true;
	}
	switch (op.kind) {
	case OP_SEND:
		op.arg[0] = some_bytes(d);
		op.arg[1] = send_flags(d);
		break;
	case OP_RECV:
		op.arg[0] = some_bytes(d);
		op.arg[1] = recv_flags(d);
		break;
	case OP_SPLICE_IN:
	case OP_SPLICE_OUT:
		op.arg[0] = some_bytes(d) + 1;
		break;
	case OP_SHUTDOWN:
		op.arg[0] = chance(d, 2) ? 7 : (int)below(d, 3);
		break;
	case OP_CLOSE:
		g->open[slot] = false;
		break;
	case OP_GET:
		op.arg[0] = some_option(d);
		break;
	case OP_SET:
		do
			op.arg[0] = some_option(d);
		while (options[op.arg[0]].opaque);
		op.arg[1] = some_value(d, op.arg[0]);
		break;
	case OP_IOCTL:
		op.arg[0] = some_request(d);
		break;
	case OP_NAME:
		op.arg[0] = below(d, 2);
		break;
	case OP_CONNECT:
		op.arg[0] = some_target(d);
		break;
	case OP_LISTEN:
		op.arg[0] = 8;
		break;
	case OP_ACCEPT:
		op.slot = SLOT_L;
		op.arg[0] = chance(d, 50) ? SLOT_S : SLOT_T;
		break;
	default:
		break;
	}
	if (may_block(op.kind) && !g->called[op.slot] && chance(d, 8)) {
		op.blocks = 1;
		g->called[op.slot] = true;
	}
	program_add(p, &op);
}

void random_program(uint64_t seed, struct program *p)
{
	struct dice d = { seed };
	struct guess g = { 0 };
	unsigned int n;

	p->nr = 0;
	begin(p, &g, &d);
	for (n = 4 + below(&d, 16); n; n--)
		some_op(p, &g, &d);
}

/* ---- shrinking ---- */

static bool still(struct pair *pair, const struct program *p,
		  struct difference *d)
{
	struct difference now;

	if (compare(pair, p, &now) != VERDICT_DIFFERENT)
		return false;
	*d = now;
	return true;
}

static void without(const struct program *p, unsigned int at, unsigned int n,
		    struct program *less)
{
	*less = *p;
	less->nr -= n;
	memmove(&less->ops[at], &less->ops[at + n],
		(less->nr - at) * sizeof(less->ops[0]));
}

static bool drop_ops(struct pair *pair, struct program *p, struct difference *d)
{
	struct program less;
	bool dropped = false;
	unsigned int i, n;

	for (n = p->nr / 2; n; n /= 2) {
		for (i = p->nr; i-- > 0;) {
			if (i + n > p->nr)
				continue;
			without(p, i, n, &less);
			if (less.nr && still(pair, &less, d)) {
				*p = less;
				dropped = true;
			}
		}
	}
	return dropped;
}

static bool simplify_args(struct pair *pair, struct program *p,
			  struct difference *d)
{
	bool changed = false;
	struct program less;
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		struct op *op = &less.ops[i];

		less = *p;
		if (op->kind == OP_SEND || op->kind == OP_RECV) {
			if (op->arg[1]) {
				op->arg[1] = 0;
				if (still(pair, &less, d)) {
					*p = less;
					changed = true;
				}
				less = *p;
			}
			if (op->arg[0] <= 1)
				continue;
			op->arg[0] = 1;
			if (still(pair, &less, d)) {
				*p = less;
				changed = true;
			}
		}
	}
	return changed;
}

void shrink(struct pair *pair, struct program *p, struct difference *d)
{
	unsigned int limit_ms = pair->limit_ms;

	/* a wrong guess here only makes the result longer */
	pair->limit_ms = limit_ms / 10 + 1;
	p->nr = d->at + 1;
	while (drop_ops(pair, p, d) || simplify_args(pair, p, d))
		;
	pair->limit_ms = limit_ms;
	compare(pair, p, d);
	d->program = p;
}
