// SPDX-License-Identifier: GPL-2.0
/*
 * The intended differences between AF_SMC and TCP. socket.rst explains each;
 * compare.sh checks that it does.
 */
#include "compare.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct known {
	const char *name;	/* the heading in socket.rst */
	bool (*is)(const struct difference *d);
	unsigned int met;
};

static const struct op *last_op(const struct difference *d)
{
	return &d->program->ops[d->at];
}

static bool is_option(const struct op *op, const char *name)
{
	return (op->kind == OP_GET || op->kind == OP_SET) &&
	       !strcmp(options[op->arg[0]].name, name);
}

static bool reads(const struct op *op)
{
	return op->kind == OP_RECV || op->kind == OP_SPLICE_OUT;
}

/*
 * Do the worlds differ only in the result of poll(), and only by @bits, which
 * only @world shows?
 */
static bool only_in(const struct difference *d, int world, uint32_t bits)
{
	uint32_t has = d->after[world][d->slot].mask;
	uint32_t lacks = d->after[1 - world][d->slot].mask;

	return !d->in_result && !strcmp(d->what, "poll") && has == (lacks | bits) &&
	       !(lacks & bits);
}

/* Has a sleeping read got the reset, and in TCP the end of the stream? */
static bool sleeper_got_reset(const struct difference *d)
{
	const struct slot_view *tcp = &d->after[0][d->slot];
	const struct slot_view *own = &d->after[1][d->slot];

	return !d->in_result && tcp->blocked == BLOCKED_OVER &&
	       own->blocked == BLOCKED_OVER && !tcp->over.ret &&
	       own->over.err == ECONNRESET;
}

/*
 * Bytes that this end had not read are gone after the reset. So is the urgent
 * byte.
 */
static bool data_before_reset(const struct difference *d)
{
	const uint32_t over = POLLHUP | POLLRDHUP;
	const struct slot_view *before = &d->before[d->slot];
	const struct slot_view *tcp = &d->after[0][d->slot];
	const struct slot_view *own = &d->after[1][d->slot];

	if (!d->reset)
		return false;
	if (d->in_result)
		return reads(last_op(d)) && d->results[0].ret > 0 &&
		       (d->results[1].err == ECONNRESET ||
			(d->results[1].err == ENOTCONN &&
			 last_op(d)->arg[1] & MSG_OOB));
	if (own->inq || (tcp->mask & own->mask & over) != over)
		return false;
	if (!strcmp(d->what, "SIOCINQ"))
		return tcp->inq > 0 && before->inq == tcp->inq;
	if (!strcmp(d->what, "SIOCATMARK"))
		return tcp->mark == 1 || before->mark == 1;
	return only_in(d, 0, POLLPRI);
}

/* The call has reset the connection, and both ends show the reset. */
static bool unread_at_shutdown(const struct difference *d)
{
	const struct op *op = last_op(d);
	const struct slot_view *before = &d->before[op->slot];

	return !d->in_result && op->kind == OP_SHUTDOWN &&
	       op->arg[0] == SHUT_RDWR &&
	       (before->inq > 0 || before->mark > 0 ||
		(before->mask & POLLPRI)) &&
	       !(d->after[0][d->slot].mask & POLLERR) &&
	       (d->after[1][d->slot].mask & POLLERR || sleeper_got_reset(d));
}

/*
 * AF_SMC refuses any other ULP. TCP does not know the names that the programs
 * set.
 */
static bool ulp(const struct difference *d)
{
	return d->in_result && last_op(d)->kind == OP_SET &&
	       is_option(last_op(d), "TCP_ULP") &&
	       d->results[0].err == ENOENT && d->results[1].err == EOPNOTSUPP;
}

/* Has the slot shut both directions, by one call or by two? */
static bool has_shut_both(const struct difference *d, int slot)
{
	unsigned int i, shut = 0;

	for (i = 0; i < d->at; i++) {
		const struct op *op = &d->program->ops[i];

		if (op->kind == OP_SHUTDOWN && op->slot == slot &&
		    op->arg[0] <= SHUT_RDWR)
			shut |= op->arg[0] + 1;
	}
	return shut == 3;
}

/*
 * An end that has shut both directions does not learn that the peer still
 * sends. If it left bytes unread at that, the peer does not learn that nobody
 * reads.
 */
static bool send_after_shutdown(const struct difference *d)
{
	const struct op *op = last_op(d);
	bool urgent = op->kind == OP_SEND && op->arg[1] & MSG_OOB;
	bool left = false;
	int i;

	if (!op_sends(op))
		return false;
	for (i = 0; i < NR_SLOTS; i++)
		left |= i != op->slot && d->left[i] && has_shut_both(d, i);
	if (op->slot == d->slot)
		return left && only_in(d, 0, POLLERR | POLLHUP);
	return has_shut_both(d, d->slot) &&
	       (only_in(d, 0, POLLERR) ||
		(urgent && only_in(d, 0, POLLERR | POLLPRI)));
}

/* Has a socket begun to listen before op number @end? */
static bool listens(const struct difference *d, unsigned int end)
{
	unsigned int i;

	for (i = 0; i < end; i++)
		if (d->program->ops[i].kind == OP_LISTEN)
			return true;
	return false;
}

/* The hidden TCP socket has given up the address of a refused connect(). */
static bool name_after_refusal(const struct difference *d)
{
	const struct op *op = last_op(d);
	unsigned int i = d->at;

	if (!d->in_result || op->kind != OP_NAME || op->arg[0] ||
	    d->results[0].ret || d->results[1].ret || !d->results[0].sum ||
	    d->results[1].sum)
		return false;
	/* the last connect() before this op */
	while (i--) {
		const struct op *last = &d->program->ops[i];

		if (last->kind == OP_CONNECT && last->slot == op->slot &&
		    last->arg[0] != TARGET_FAULT)
			return last->arg[0] == TARGET_CLOSED ||
			       (last->arg[0] == TARGET_L && !listens(d, i));
	}
	return false;
}

/* The hidden TCP socket releases its port when its connection is over. */
static bool bind_after_end(const struct difference *d)
{
	const struct result *tcp = &d->results[0];

	return d->in_result && last_op(d)->kind == OP_BIND &&
	       (d->before[last_op(d)->slot].mask & POLLHUP) &&
	       (!tcp->ret || tcp->err == EADDRINUSE) &&
	       d->results[1].err == EINVAL;
}

/*
 * A reset after the end of the peer's stream is ECONNRESET. TCP returns EPIPE,
 * or no error if both streams have ended, and reads still return end of file.
 */
static bool reset_after_end(const struct difference *d)
{
	int slot = d->in_result ? last_op(d)->slot : d->slot;
	const struct result *tcp = &d->results[0], *own = &d->results[1];

	if (!d->reset || !d->ended[slot])
		return false;
	/* a read takes the error; the urgent byte is gone */
	if (!d->in_result)
		return only_in(d, 1, POLLERR) || sleeper_got_reset(d) ||
		       (!strcmp(d->what, "poll") &&
			(d->after[0][slot].mask ^ d->after[1][slot].mask) ==
				(POLLERR | POLLPRI) &&
			d->after[1][slot].mask & POLLERR &&
			d->after[0][slot].mask & POLLPRI);
	if (last_op(d)->kind == OP_GET && is_option(last_op(d), "SO_ERROR"))
		return own->sum == ECONNRESET &&
		       (tcp->sum == EPIPE || !tcp->sum);
	return own->err == ECONNRESET && (tcp->err == EPIPE || !tcp->ret);
}

/*
 * The call sleeps since before O_ASYNC. TCP signals what wakes it only then.
 */
static bool signal_for_sleeper(const struct difference *d)
{
	bool asleep = false, asked = false;
	unsigned int i;

	for (i = 0; i < d->at; i++) {
		const struct op *op = &d->program->ops[i];

		if (op->slot != d->slot)
			continue;
		asleep |= op->blocks;
		asked |= asleep && op->kind == OP_SIGNALS;
	}
	return asked && d->fallback && !d->in_result &&
	       !strcmp(d->what, "signal") &&
	       d->before[d->slot].blocked == BLOCKED_YES;
}

/*
 * A read that sleeps takes bytes as they arrive, and returns when it has
 * enough. With TCP the reader sleeps until at least SO_RCVLOWAT bytes have
 * arrived.
 */
static bool read_below_rcvlowat(const struct difference *d)
{
	const struct slot_view *tcp = &d->after[0][d->slot];
	const struct slot_view *own = &d->after[1][d->slot];
	bool is_set = false;
	unsigned int i;

	for (i = 0; i < d->at; i++)
		is_set |= is_option(&d->program->ops[i], "SO_RCVLOWAT");
	if (!is_set || d->in_result || tcp->blocked != BLOCKED_YES)
		return false;
	if (own->blocked == BLOCKED_YES)
		return !strcmp(d->what, "SIOCINQ") && tcp->inq > own->inq;
	return own->blocked == BLOCKED_OVER && own->over.ret > 0;
}

/*
 * A read passes the urgent byte and then cannot write to the buffer. TCP keeps
 * the byte for MSG_OOB until the next read.
 */
static bool urgent_after_fault(const struct difference *d)
{
	return last_op(d)->kind == OP_RECV && last_op(d)->slot == d->slot &&
	       last_op(d)->arg[1] & FLAG_FAULT && only_in(d, 0, POLLPRI);
}

static struct known list[] = {
	{ "Data before a reset", data_before_reset, 0 },
	{ "A reset after the end of the peer's stream", reset_after_end, 0 },
	{ "Unread bytes at shutdown(SHUT_RDWR)", unread_at_shutdown, 0 },
	{ "TCP_ULP", ulp, 0 },
	{ "A send after the peer has shut both directions",
	  send_after_shutdown, 0 },
	{ "getsockname() after a refused connect", name_after_refusal, 0 },
	{ "bind() after the end of a connection", bind_after_end, 0 },
	{ "O_ASYNC while a call sleeps", signal_for_sleeper, 0 },
	{ "A sleeping read with SO_RCVLOWAT",
	  read_below_rcvlowat, 0 },
	{ "The urgent byte after a read into a bad address",
	  urgent_after_fault, 0 },
};

const char *known_difference(const struct difference *d)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		if (list[i].is(d))
			return list[i].name;
	return NULL;
}

void known_count(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		list[i].met += list[i].name == name;
}

void known_report(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		if (list[i].met)
			printf("# known difference, met %u times: %s\n",
			       list[i].met, list[i].name);
}

void known_names(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		puts(list[i].name);
}
