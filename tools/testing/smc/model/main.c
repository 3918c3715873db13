// SPDX-License-Identifier: GPL-2.0
/*
 * Runs schedules of the model and prints KTAP.
 *
 *	model SCHEDULES [SEED]		schedules without a fault, then
 *	schedules
 *					with each fault until the model finds it
 *	model --trace SEED [FAULT] one schedule, with all its events
 *
 * A schedule is a function of its seed. SEED is the first one, 1 if missing.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../selftests/net/smc/ktap.h"
#include "model.h"

/*
 * The errors that the model must report for each fault. It may report others,
 * too.
 */
static const struct {
	const char *name;
	enum model_wrong wrong;
} faults[FAULTS] = {
	[FAULT_NONE]		= { "no fault", WRONG_KINDS },
	[FAULT_REUSE]		= { "an element is given away while a late write is under way",
				    WRONG_BYTE },
	[FAULT_GAP]		= { "bytes are lost behind a gap", WRONG_BYTE },
	[FAULT_ECHO]		= { "the echo of an offer is not awaited", WRONG_FOREIGN },
	[FAULT_OLD_DONE]	= { "a completion of an earlier link counts", WRONG_ABORT },
	[FAULT_OVERTAKEN]	= { "an overtaken record is taken", WRONG_ABORT },
	[FAULT_CREDIT]		= { "SENDs are posted without a credit", WRONG_RNR },
	[FAULT_AGAIN]		= { "a kept frame is taken from its start", WRONG_ABORT },
	[FAULT_RAISE]		= { "a late record raises a window that was lowered",
				    WRONG_ABORT },
	[FAULT_NARROW]		= { "a lower window does not wait for its echo",
				    WRONG_ABORT },
};

static const char *const wrong_names[WRONG_KINDS] = {
	[WRONG_BYTE]	= "wrong byte",
	[WRONG_END]	= "wrong end of the stream",
	[WRONG_ABORT]	= "abort without a reason",
	[WRONG_FOREIGN]	= "write to a foreign element",
	[WRONG_FREED]	= "bytes or a frame that are not there",
	[WRONG_RNR]	= "no receive for a SEND",
	[WRONG_CREDIT]	= "credits go back",
	[WRONG_FRAME]	= "a frame that cannot be read",
	[WRONG_STUCK]	= "connections do not end",
	[WRONG_LEAK]	= "elements do not come back",
	[WRONG_REST]	= "links at rest owe something",
};

enum {
	STEPS		= 3000,	/* random ones */
	/* until the links are at rest; one of 30000 schedules needs over 40 */
	ROUNDS		= 200,
	ROUNDS_END	= 400,	/* until all connections must have ended */
	FAULT_MAX	= 1000000, /* schedules in which a fault must be found */
};

/* xorshift64 */
u32 model_rnd(struct world *w, u32 below)
{
	w->rnd ^= w->rnd << 13;
	w->rnd ^= w->rnd >> 7;
	w->rnd ^= w->rnd << 17;
	return (u32)((w->rnd >> 24) % below);
}

bool model_chance(struct world *w, u32 percent)
{
	return model_rnd(w, 100) < percent;
}

void model_note(const struct world *w, const char *fmt, ...)
{
	va_list ap;

	if (!w->trace)
		return;
	va_start(ap, fmt);
	printf("# ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

void model_wrong(struct world *w, enum model_wrong what, const char *fmt, ...)
{
	va_list ap;

	w->wrong |= 1u << what;
	if (!w->trace && w->fault != FAULT_NONE)
		return;
	va_start(ap, fmt);
	printf("# %s: ", wrong_names[what]);
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
}

/* A WRITE to a foreign element must also damage the bytes of a connection. */
static bool has_failed(const struct world *w)
{
	return w->wrong & ~(1u << WRONG_FOREIGN);
}

static void step_app(struct world *w, unsigned int h, int c)
{
	switch (model_rnd(w, 10)) {
	case 0:
	case 1:
		model_app_send(w, h, c);
		break;
	case 2:
	case 3:
		model_app_read(w, h, c);
		break;
	case 4:
	case 5:
	case 6:
		model_offer(w, h, c);
		break;
	case 7:
		model_leave(w, h, c);
		break;
	default:
		if (!model_rnd(w, 2000))
			model_app_abort(w, h, c);
		break;
	}
}

static void step_failure(struct world *w, unsigned int h, unsigned int l)
{
	const struct link *link = &w->link[l];
	bool ends = link->port[!h].state != PORT_UP;

	switch (model_rnd(w, 4)) {
	case 0:
		if (model_may_fail(w, l) && (ends || model_chance(w, 8)))
			model_fail(w, h, l);
		break;
	case 1:
		if (link->port[h].state != PORT_UP && model_chance(w, 30))
			model_close(w, h, l);
		break;
	case 2:
		model_new_link(w, l);
		break;
	default:	/* move to the other link without a failure */
		if (model_chance(w, 4) && w->link[!l].port[h].state == PORT_UP)
			model_move(w, h, (int)model_rnd(w, CONNS), !l);
		break;
	}
}

static void step_random(struct world *w)
{
	unsigned int h = model_rnd(w, HOSTS), l = model_rnd(w, LINKS);

	switch (model_rnd(w, 12)) {
	case 0:
	case 1:
	case 2:
		step_app(w, h, (int)model_rnd(w, CONNS));
		break;
	case 3:
		model_build(w, h, l);
		break;
	case 4:
	case 5:
		model_place(w, h, l);
		break;
	case 6:
	case 7:
		model_take(w, h, l);
		break;
	case 8:
		model_ack(w, h, l);
		break;
	case 9:
		model_done(w, h, l);
		break;
	case 10:
		if (model_chance(w, 90))
			model_repost(w, h, l);
		else
			model_llc(w, h, l);
		break;
	default:
		step_failure(w, h, l);
		break;
	}
}

/* Runs each kind of link step once, in order, except new failures. Links that
 * have failed at one host also fail at the other host, and end.
 */
static void step_links(struct world *w)
{
	unsigned int h, l;

	for (h = 0; h < HOSTS; h++) {
		for (l = 0; l < LINKS; l++) {
			if (w->link[l].port[!h].state != PORT_UP)
				model_fail(w, h, l);
			model_build(w, h, l);
			while (model_place(w, h, l))
				;
			model_ack(w, h, l);
			while (model_take(w, !h, l) && !has_failed(w))
				;
			model_repost(w, !h, l);
			while (model_done(w, h, l))
				;
			if (w->link[l].port[h].state != PORT_UP)
				model_close(w, h, l);
		}
	}
}

static void step_apps(struct world *w)
{
	unsigned int h;
	int c;

	for (h = 0; h < HOSTS; h++) {
		for (c = 0; c < CONNS; c++) {
			model_app_send(w, h, c);
			model_app_read(w, h, c);
			model_leave(w, h, c);
		}
	}
}

/*
 * While applications do nothing, the links come to rest. Then no answer and no
 * offer may be missing, and a sender may wait only if the reader has bytes to
 * read and knows that the sender waits.
 */
static void check_rest(struct world *w)
{
	unsigned int h, i;
	int c;

	for (i = 0; i < ROUNDS && !has_failed(w); i++)
		step_links(w);
	for (h = 0; h < HOSTS && !has_failed(w); h++) {
		for (c = 0; c < CONNS; c++) {
			const struct end *e = &w->end[h][c];
			const struct smc_frames_out *out = &e->f.out;
			const struct smc_frames_in *in = &e->f.in;
			const struct smc_frames_in *to = &w->end[!h][c].f.in;

			if (e->gone || e->aborting || w->end[!h][c].gone ||
			    w->end[!h][c].aborting)
				continue;
			if (smc_frames_due(&e->f, e->prep) || out->flying ||
			    out->state != SMC_ASK_SENDS ||
			    in->state != SMC_ANSWER_TAKES ||
			    in->elements.echo != in->elements.newest.number)
				model_wrong(w, WRONG_REST,
					    "host %u connection %d: states %u %u",
					    h, c, out->state, in->state);
			if (out->sent < e->prep &&
			    (to->cons == to->prod ||
			     !(to->heard & SMC_FRAME_B)))
				model_wrong(w, WRONG_REST,
					    "host %u connection %d waits", h, c);
		}
	}
}

static bool all_gone(const struct world *w)
{
	unsigned int h;
	int c;

	for (h = 0; h < HOSTS; h++)
		for (c = 0; c < CONNS; c++)
			if (!w->end[h][c].gone)
				return false;
	return true;
}

/* At the end both links end, and all elements are back. */
static void check_elements(struct world *w)
{
	unsigned int h, l, i;
	int c;

	for (h = 0; h < HOSTS; h++) {
		for (l = 0; l < LINKS; l++)
			model_closed(w, h, w->link[l].number);
		for (c = 0; c < CONNS; c++)
			model_release(w, h, c);
		for (i = 0; i < ELEMENTS; i++)
			if (w->element[h][i].owner >= 0)
				model_wrong(w, WRONG_LEAK, "host %u element %u",
					    h, i);
	}
}

static void run_schedule(struct world *w, u64 seed, enum model_fault fault,
			 bool trace)
{
	unsigned int i, steps;

	memset(w, 0, sizeof(*w));
	w->rnd = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	w->fault = fault;
	w->trace = trace;
	w->version = SMC_EXT_SHORT_VERSION - seed % 2;	/* F-38 */
	for (i = 0; i < 8; i++)
		model_rnd(w, 2);
	model_links_start(w);
	model_ends_start(w);
	/* most streams end before STEPS; check_rest() needs some that run */
	steps = model_chance(w, 75) ? STEPS : model_rnd(w, STEPS);
	for (i = 0; i < steps && !has_failed(w); i++)
		step_random(w);
	w->quiet = true;
	if (!has_failed(w))
		check_rest(w);
	for (i = 0; i < ROUNDS_END && !has_failed(w) && !all_gone(w); i++) {
		step_links(w);
		step_apps(w);
	}
	if (has_failed(w))
		return;
	if (!all_gone(w))
		model_wrong(w, WRONG_STUCK, "after %u rounds", i);
	else
		check_elements(w);
}

static void run_good(struct ktap *k, u64 schedules, u64 seed)
{
	u64 i, moves = 0, bytes = 0, written = 0, packed = 0, kept = 0;
	u64 narrowed = 0;
	static struct world w;

	for (i = 0; i < schedules; i++) {
		run_schedule(&w, seed + i, FAULT_NONE, false);
		moves += w.moves;
		bytes += w.bytes;
		written += w.written;
		packed += w.packed;
		kept += w.kept;
		narrowed += w.narrowed;
		if (w.wrong)
			break;
	}
	if (w.wrong)
		printf("# model --trace %llu\n", (unsigned long long)(seed + i));
	printf("# covered: model, %llu schedules, %llu bytes, %llu in elements, %llu moves\n",
	       (unsigned long long)i, (unsigned long long)bytes,
	       (unsigned long long)written, (unsigned long long)moves);
	printf("# covered: model, %llu frames with several records, %llu kept for memory\n",
	       (unsigned long long)packed, (unsigned long long)kept);
	printf("# covered: model, %llu windows lowered\n",
	       (unsigned long long)narrowed);
	/* the schedules must have contained enough moves and bytes */
	ktap_result(k, !w.wrong && moves > i && bytes > 100 * i &&
		    written > 10 * i && packed > i && kept > i &&
		    2 * narrowed > i,
		    "all bytes arrive", NULL);
}

/* The model must find a broken rule. */
static void run_fault(struct ktap *k, enum model_fault fault, u64 seed)
{
	static struct world w;
	u64 i;

	for (i = 0; i < FAULT_MAX; i++) {
		run_schedule(&w, seed + i, fault, false);
		if (w.wrong & 1u << faults[fault].wrong)
			break;
	}
	if (i < FAULT_MAX)
		printf("# %s in schedule %llu\n",
		       wrong_names[faults[fault].wrong],
		       (unsigned long long)(seed + i));
	ktap_result(k, i < FAULT_MAX, faults[fault].name, NULL);
}

static int trace_one(u64 seed, u64 fault)
{
	static struct world w;
	unsigned int i;

	if (fault >= FAULTS)
		return 2;
	run_schedule(&w, seed, (enum model_fault)fault, true);
	for (i = 0; i < WRONG_KINDS; i++)
		if (w.wrong & 1u << i)
			printf("# %s\n", wrong_names[i]);
	return w.wrong ? 1 : 0;
}

static u64 number(const char *s)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(s, &end, 10);
	if (errno || *end || end == s) {
		fprintf(stderr, "model: %s is not a number\n", s);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	struct ktap k = {};
	u64 schedules, seed;
	int fault;

	if (argc >= 3 && argc <= 4 && !strcmp(argv[1], "--trace"))
		return trace_one(number(argv[2]),
				 argc == 4 ? number(argv[3]) : 0);
	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: %s SCHEDULES [SEED]\n", argv[0]);
		return 2;
	}
	schedules = number(argv[1]);
	seed = argc == 3 ? number(argv[2]) : 1;
	ktap_start(&k, NULL, FAULTS);
	run_good(&k, schedules, seed);
	for (fault = FAULT_NONE + 1; fault < FAULTS; fault++)
		run_fault(&k, (enum model_fault)fault, seed);
	return ktap_finish(&k);
}
