// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a program in two worlds: over TCP, and over AF_SMC. The worlds execute
 * the ops of the program in step.
 *
 * Each op runs in the world of TCP first. The next op waits until everything
 * that was sent has arrived there: bytes and ends of streams are counted, so no
 * time is guessed. Then the op runs in the other world, and the program waits
 * until that world shows the same, or until a time limit. So the speed of the
 * worlds does not matter.
 */
#include "compare.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum {
	FIRST_PORT = 10000,
	LAST_PORT = 29000,
	TCP_MS = 2000,
	/*
	 * time limit for a difference to disappear if it looks like a known one
	 */
	SOFT_MS = 100,
	EVENTS = POLLIN | POLLOUT | POLLPRI | POLLRDHUP | POLLHUP | POLLERR,
};

static bool same_result(const struct result *a, const struct result *b)
{
	return a->ret == b->ret && a->err == b->err && a->sum == b->sum &&
	       a->sigpipe == b->sigpipe && a->flags == b->flags;
}

/* Returns the name of the member that differs, or NULL. */
static const char *view_differs(const struct slot_view *a,
				const struct slot_view *b)
{
	if (a->open != b->open)
		return "open";
	if (a->mask != b->mask)
		return "poll";
	if (a->inq != b->inq)
		return "SIOCINQ";
	if (a->mark != b->mark)
		return "SIOCATMARK";
	if (a->blocked != b->blocked)
		return "blocked call";
	if (a->blocked == BLOCKED_OVER && !same_result(&a->over, &b->over))
		return "result of the blocked call";
	return NULL;
}

/* Has the second world missed an edge of a new event, or a signal? */
static const char *news_differ(const struct slot_view *before,
			       const struct slot_view *a,
			       const struct slot_view *b)
{
	uint32_t gained = a->mask & ~before->mask & EVENTS;

	if (!before->open)
		return NULL;
	if (gained & a->edges & ~b->edges)
		return "edge of epoll";
	if (a->signals & ~b->signals)
		return "signal";
	return NULL;
}

/*
 * Compares the views of both worlds. Returns false if they differ. While bytes
 * wait because a queue is full, the views are not compared: the windows have
 * different sizes, and timers of TCP move more bytes. Edges that occur during
 * this time may be reported at any later op.
 */
static bool views_same(const struct pair *pair, struct difference *d)
{
	const struct slot_view *tcp = pair->worlds[0].views;
	const struct slot_view *own = pair->worlds[1].views;
	bool drains = d->program->ops[d->at].kind == OP_DRAIN;
	int i;

	d->what = NULL;
	if (world_loose(&pair->worlds[0]))
		return true;
	for (i = 0; i < NR_SLOTS; i++) {
		d->what = view_differs(&tcp[i], &own[i]);
		if (!d->what && !drains)
			d->what = news_differ(&d->before[i], &tcp[i], &own[i]);
		d->slot = i;
		if (d->what)
			return false;
	}
	return true;
}

/* May the op fail only because a connection is not in the accept queue yet? */
static bool may_come(const struct op *op, const struct result *tcp,
		     const struct result *own)
{
	return op->kind == OP_ACCEPT && !op->blocks && !tcp->ret &&
	       own->ret < 0 && own->err == EAGAIN;
}

static void remember(const struct pair *pair, struct difference *d)
{
	int i;

	d->what = d->in_result ? "result" : d->what;
	for (i = 0; i < NR_WORLDS; i++)
		memcpy(d->after[i], pair->worlds[i].views, sizeof(d->after[i]));
	d->known = known_difference(d);
}

/* Returns the slot whose socket the op closes, or -1. */
static int closes(const struct op *op, const struct slot_view *views)
{
	switch (op->kind) {
	case OP_CLOSE:
		return op->slot;
	case OP_SOCKET:	/* the slot may have a socket already */
		return views[op->slot].open ? op->slot : -1;
	case OP_ACCEPT:
		return views[op->arg[0]].open ? op->arg[0] : -1;
	default:
		return -1;
	}
}

static bool has_unread(const struct slot_view *v)
{
	return v->inq > 0 || v->mark > 0 || (v->mask & POLLPRI);
}

static bool close_resets(const struct program *p, unsigned int at,
			 const struct slot_view *views)
{
	int slot = closes(&p->ops[at], views);
	unsigned int i;

	if (slot < 0)
		return false;
	/* an urgent byte counts */
	if (has_unread(&views[slot]))
		return true;
	for (i = 0; i < at; i++)
		if (p->ops[i].kind == OP_SET && p->ops[i].slot == slot &&
		    !strcmp(options[p->ops[i].arg[0]].name, "SO_LINGER"))
			return true;
	return false;
}

/* May the op reset a connection? */
static bool resets(const struct pair *pair, const struct program *p,
		   unsigned int at, const struct slot_view *views)
{
	const struct op *op = &p->ops[at];
	int i;

	if (op->kind == OP_CONNECT)
		return op->arg[0] == TARGET_UNSPEC;
	if (op_sends(op) && world_peer_closed(&pair->worlds[0], op->slot))
		return true;
	/* the end of a call that holds a closed socket is its real close */
	for (i = 0; i < NR_SLOTS; i++)
		if (!views[i].open && views[i].blocked == BLOCKED_YES)
			return true;
	return close_resets(p, at, views);
}

/* Notes what later differences may depend on. */
static void note_ends(struct difference *d)
{
	const struct op *op = &d->program->ops[d->at];
	int i;

	for (i = 0; i < NR_SLOTS; i++)
		d->ended[i] |= d->before[i].mask & POLLRDHUP;
	if (op->kind == OP_SHUTDOWN)
		d->left[op->slot] |= has_unread(&d->before[op->slot]);
}

static bool one_op(struct pair *pair, const struct op *op, struct difference *d)
{
	struct world *tcp = &pair->worlds[0], *own = &pair->worlds[1];
	uint64_t until, soft;

	world_op(tcp, op, &d->results[0]);
	world_settle(tcp, TCP_MS * slow);
	until = now_ms() + pair->limit_ms;
	for (;;) {
		world_op(own, op, &d->results[1]);
		if (!may_come(op, &d->results[0], &d->results[1]) ||
		    now_ms() > until)
			break;
		sched_yield();
	}
	soft = now_ms() + SOFT_MS * slow;
	d->in_result = !same_result(&d->results[0], &d->results[1]);
	d->what = "result";
	/* compare the sockets nevertheless */
	for (;;) {
		bool settled = world_settled(own);

		if (d->in_result ? settled : settled && views_same(pair, d))
			break;
		if (now_ms() > soft && settled) {
			/* a known difference remains */
			remember(pair, d);
			if (d->known)
				return false;
		}
		if (now_ms() > until) {
			if (!d->in_result && views_same(pair, d))
				break;
			d->in_result |= !d->what;
			remember(pair, d);
			return false;
		}
		sched_yield();
		world_look(own);
		world_look(tcp);
	}
	if (d->in_result)
		remember(pair, d);
	return !d->in_result;
}

static bool reset(struct pair *pair)
{
	bool ended = true;
	int i;

	for (i = 0; i < NR_WORLDS; i++) {
		if (++pair->port > LAST_PORT || pair->port < FIRST_PORT)
			pair->port = FIRST_PORT;
		ended &= world_reset(&pair->worlds[i], pair->port);
	}
	return ended;
}

enum verdict compare_and_stay(struct pair *pair, const struct program *p,
			      struct difference *d)
{
	enum verdict verdict = VERDICT_SAME;
	unsigned int i;

	pair->programs++;
	memset(d, 0, sizeof(*d));
	d->program = p;
	d->fallback = pair->fallback;
	if (!reset(pair))
		return VERDICT_STUCK;
	for (i = 0; i < p->nr && verdict == VERDICT_SAME; i++) {
		d->at = i;
		memcpy(d->before, pair->worlds[0].views, sizeof(d->before));
		d->reset |= resets(pair, p, i, d->before);
		note_ends(d);
		if (!one_op(pair, &p->ops[i], d))
			verdict = d->known ? VERDICT_KNOWN : VERDICT_DIFFERENT;
	}
	if (d->known)
		known_count(d->known);
	return verdict;
}

enum verdict compare(struct pair *pair, const struct program *p,
		     struct difference *d)
{
	enum verdict verdict = compare_and_stay(pair, p, d);

	return reset(pair) ? verdict : VERDICT_STUCK;
}

/* ---- the report ---- */

static const char *error_name(int err)
{
	const char *name = err ? strerrorname_np(err) : NULL;

	return name ?: "-";
}

static void print_result(const char *name, const struct result *r)
{
	printf("#   %s: returns %d, %s, SIGPIPE %d, flags %#x, sum %#x\n", name,
	       r->ret, error_name(r->err), r->sigpipe, r->flags, r->sum);
}

static void print_mask(uint32_t mask)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} bits[] = {
		{ "IN", POLLIN }, { "PRI", POLLPRI }, { "OUT", POLLOUT },
		{ "ERR", POLLERR }, { "HUP", POLLHUP }, { "NVAL", POLLNVAL },
		{ "RDHUP", POLLRDHUP },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bits); i++)
		if (mask & bits[i].bit)
			printf("%s ", bits[i].name);
	printf("(%#x)", mask);
}

static void print_view(const char *name, int slot, const struct slot_view *v)
{
	static const char *const blocked[] = {
		"", ", a call sleeps", ", a call runs", ", a call is over",
	};

	printf("#   %s: %c ", name, slot_letters[slot]);
	if (v->open) {
		print_mask(v->mask);
		printf(" inq %d mark %d edges %#x signals %u bytes %llu", v->inq,
		       v->mark, v->edges, v->signals,
		       (unsigned long long)v->received);
	} else {
		printf("closed");
	}
	printf("%s\n", blocked[v->blocked]);
	if (v->blocked == BLOCKED_OVER)
		print_result(name, &v->over);
}

void difference_print(const struct difference *d)
{
	char text[MAX_TEXT];
	int i;

	program_print(d->program, text, sizeof(text));
	printf("# program: %s\n", text);
	op_print(&d->program->ops[d->at], text, sizeof(text));
	printf("# op %u, \"%s\": the worlds differ in: %s\n", d->at + 1, text,
	       d->what);
	if (d->known)
		printf("# known difference: %s\n", d->known);
	print_result("TCP", &d->results[0]);
	print_result("SMC", &d->results[1]);
	for (i = 0; i < NR_SLOTS; i++) {
		if (!d->after[0][i].open && !d->after[1][i].open &&
		    !d->after[0][i].blocked && !d->after[1][i].blocked)
			continue;
		print_view("before", i, &d->before[i]);
		print_view("TCP", i, &d->after[0][i]);
		print_view("SMC", i, &d->after[1][i]);
	}
}
