// SPDX-License-Identifier: GPL-2.0
/*
 * smcr top takes samples, and shows what has changed between two of them. The
 * module counts no bytes of links. So the bytes of a link are those of its
 * connections, which the list of sockets shows as cursors.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "genl.h"
#include "names.h"
#include "smcr.h"
#include "top.h"

enum {
	DEFAULT_SECONDS	= 2,
	MAX_ROUNDS	= 1000000,
};

/* The values of the kernel at one moment. */
struct sample {
	struct timespec at;
	struct stats stats;
	struct smc_socket *sock;	/* sorted by cookie */
	size_t n_socks;
	struct top_path *path;
	size_t n_paths;
	bool no_memory;
};

struct top {
	const struct options *o;
	double interval;
	unsigned int rounds;	/* 0: until a signal */
	bool screen;
	sigset_t waiting;	/* the mask while the tool waits */
};

static atomic_bool stopped;

/* ---- taking a sample ---- */

static struct in6_addr gid_of(const char *text)
{
	struct in6_addr gid = {};

	inet_pton(AF_INET6, text, &gid);
	return gid;
}

static bool same_path(const struct top_path *a, const struct top_path *b)
{
	return !strcmp(a->device, b->device) && a->port == b->port &&
	       !memcmp(&a->gid, &b->gid, sizeof(a->gid)) &&
	       !memcmp(&a->peer, &b->peer, sizeof(a->peer));
}

static struct top_path *find_path(struct top_path *path, size_t n,
				  const struct top_path *wanted)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (same_path(&path[i], wanted))
			return &path[i];
	}
	return NULL;
}

static void take_link(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	struct sample *s = arg;
	struct top_path *p, new = {};
	struct smc_attrs k;

	(void)cmd;
	if (!smc_attr_nest(top, SMC_A_LINK_SMCR, &k))
		return;
	snprintf(new.device, sizeof(new.device), "%s",
		 smc_attr_text(&k, SMC_A_LINK_IB_DEV));
	new.port = smc_attr_number(&k, SMC_A_LINK_IB_PORT);
	new.ifindex = smc_attr_number(&k, SMC_A_LINK_NET_DEV);
	new.gid = gid_of(smc_attr_text(&k, SMC_A_LINK_GID));
	new.peer = gid_of(smc_attr_text(&k, SMC_A_LINK_PEER_GID));
	p = find_path(s->path, s->n_paths, &new);
	if (!p) {
		p = reallocarray(s->path, s->n_paths + 1, sizeof(*p));
		if (!p) {
			s->no_memory = true;
			return;
		}
		s->path = p;
		p = &s->path[s->n_paths++];
		*p = new;
	}
	p->links++;
	p->connections += smc_attr_number(&k, SMC_A_LINK_CONN_CNT);
}

static int by_cookie(const void *a, const void *b)
{
	const struct smc_socket *x = a, *y = b;

	return (x->cookie > y->cookie) - (x->cookie < y->cookie);
}

static void sample_free(struct sample *s)
{
	free(s->sock);
	free(s->path);
	memset(s, 0, sizeof(*s));
}

/* Returns an exit status, after a message if that is not 0. */
static int sample_take(struct sample *s)
{
	int err;

	memset(s, 0, sizeof(*s));
	err = stats_ask(&s->stats) ?:
	      smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_LINK_SMCR, take_link,
			    s);
	if (!err && s->no_memory)
		err = -ENOMEM;
	if (err)
		return smc_genl_fail("smcr", err);
	err = smc_sockdiag_list(SMC_DIAG_EXT(SMC_DIAG_CONNINFO) |
				SMC_DIAG_EXT(SMC_DIAG_LGRINFO), &s->sock,
				&s->n_socks);
	if (err) {
		fprintf(stderr, "smcr: cannot list SMC sockets: %s\n",
			err == -ENOENT ? "load the module smc_diag" :
					 strerror(-err));
		return EXIT_FAILURE;
	}
	if (s->n_socks)
		qsort(s->sock, s->n_socks, sizeof(*s->sock), by_cookie);
	clock_gettime(CLOCK_MONOTONIC, &s->at);
	return EXIT_SUCCESS;
}

/* ---- comparing two samples ---- */

/* The counters of a reloaded module begin at zero, and so does a socket that
 * connects again.
 */
static unsigned long long grown(unsigned long long now,
				unsigned long long then)
{
	return now < then ? now : now - then;
}

/* The wrap count of a cursor has 16 bits. */
static uint64_t moved(const struct smc_diag_cursor *now,
		      const struct smc_diag_cursor *then, uint32_t size)
{
	uint64_t span = (uint64_t)size << 16;
	uint64_t to = (uint64_t)now->wrap * size + now->count;
	uint64_t from = (uint64_t)then->wrap * size + then->count;

	return size ? (to + span - from) % span : 0;
}

static const struct smc_socket *then_of(const struct sample *then,
					const struct smc_socket *now)
{
	if (!then->n_socks)
		return NULL;
	return bsearch(now, then->sock, then->n_socks, sizeof(*now), by_cookie);
}

static struct top_flow flow_of(const struct sample *then,
			       const struct smc_socket *s)
{
	static const struct smc_diag_cursor start;
	const struct smc_socket *old = then_of(then, s);
	const struct smc_diag_conninfo *c = &s->conn;
	const struct smc_diag_conninfo *o = old ? &old->conn : NULL;
	struct top_flow flow = { .s = s };

	/* The kernel leaves them out if the socket's lock is not free soon. */
	flow.known = s->has_conn &&
		     !(old && smc_state_connected(old->state) && !old->has_conn);
	if (!flow.known)
		return flow;
	if (s->has_flow) {
		flow.sent = grown(s->flow.sent, old ? old->flow.sent : 0);
		flow.received = grown(s->flow.received,
				      old ? old->flow.received : 0);
		return flow;
	}
	/*
	 * Two cursors can be compared only if the size of the element is the
	 * same.
	 */
	if (!o || o->peer_rmbe_size == c->peer_rmbe_size || !o->peer_rmbe_size)
		flow.sent = moved(&c->tx_prod, o ? &o->tx_prod : &start,
				  c->peer_rmbe_size);
	if (!o || o->rmbe_size == c->rmbe_size || !o->rmbe_size)
		flow.received = moved(&c->rx_prod, o ? &o->rx_prod : &start,
				      c->rmbe_size);
	return flow;
}

static void add_to_path(struct top_round *r, const struct top_flow *flow)
{
	const struct smc_diag_lgrinfo *l = &flow->s->lgr;
	struct top_path *p, wanted = { .port = l->ibport };

	if (!flow->s->has_lgr)
		return;
	snprintf(wanted.device, sizeof(wanted.device), "%.*s",
		 (int)sizeof(wanted.device) - 1, (const char *)l->ibname);
	wanted.gid = gid_of((const char *)l->gid);
	wanted.peer = gid_of((const char *)l->peer_gid);
	p = find_path(r->path, r->n_paths, &wanted);
	if (!p)
		return;		/* the group is newer than its dump */
	p->sent += flow->sent;
	p->received += flow->received;
}

static void count_mode(struct top_round *r, const struct smc_socket *s)
{
	const char *mode = smc_mode_name(s);

	if (!strcmp(mode, "SMCR"))
		r->smcr++;
	else if (!strcmp(mode, "in-host"))
		r->in_host++;
	else
		r->tcp++;
}

static int busier(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int flow_order(const void *a, const void *b)
{
	const struct top_flow *x = a, *y = b;

	return busier(x->sent + x->received, y->sent + y->received) ?:
	       by_cookie(x->s, y->s);
}

static int path_order(const void *a, const void *b)
{
	const struct top_path *x = a, *y = b;

	return busier(x->sent + x->received, y->sent + y->received) ?:
	       busier(x->connections, y->connections) ?:
	       strcmp(x->device, y->device);
}

static bool add_flows(struct top_round *r, const struct sample *now,
		      const struct sample *then)
{
	size_t i;

	r->flow = calloc(now->n_socks + 1, sizeof(*r->flow));
	if (!r->flow)
		return false;
	for (i = 0; i < now->n_socks; i++) {
		const struct smc_socket *s = &now->sock[i];

		if (!smc_state_connected(s->state))
			continue;
		r->flow[r->n_flows] = flow_of(then, s);
		count_mode(r, s);
		add_to_path(r, &r->flow[r->n_flows++]);
	}
	qsort(r->flow, r->n_flows, sizeof(*r->flow), flow_order);
	if (r->n_paths)
		qsort(r->path, r->n_paths, sizeof(*r->path), path_order);
	return true;
}

/* ---- fallbacks ---- */

/* A new connection in the list that has fallen back for this reason. */
static const struct smc_socket *example(const struct sample *now,
					const struct sample *then,
					unsigned int code)
{
	const struct smc_socket *s = NULL;
	size_t i;

	for (i = 0; i < now->n_socks; i++) {
		const struct smc_socket *c = &now->sock[i];

		if (c->mode == SMC_DIAG_MODE_FALLBACK_TCP &&
		    smc_state_connected(c->state) &&
		    c->fallback.reason == code && !then_of(then, c))
			s = c;
	}
	return s;
}

static void add_event(struct top_round *r, const struct sample *now,
		      const struct sample *then, const struct reason *reason,
		      unsigned long long n)
{
	struct smc_diag_fallback f = { .reason = reason->code };
	struct top_event *e = &r->event[r->n_events++];
	const struct smc_socket *s = example(now, then, reason->code);

	*e = (struct top_event){ .when = r->when, .server = reason->server,
				 .code = reason->code, .n = n };
	if (s) {
		f = s->fallback;
		e->has_last = true;
		e->last = s->peer;
	}
	if (reason->code)
		smc_reason_phrase(&f, e->phrase, sizeof(e->phrase));
	else
		snprintf(e->phrase, sizeof(e->phrase),
			 "reasons that the kernel no longer counts");
}

static bool add_events(struct top_round *r, const struct sample *now,
		       const struct sample *then)
{
	const struct stats *s = &now->stats;
	unsigned long long n, rest[2];
	unsigned int i;

	r->event = calloc(s->n_reasons + 2, sizeof(*r->event));
	if (!r->event)
		return false;
	for (i = 0; i < 2; i++)
		rest[i] = grown(s->fallbacks[i], then->stats.fallbacks[i]);
	r->new_tcp = rest[0] + rest[1];
	for (i = 0; i < s->n_reasons; i++) {
		n = grown(s->reason[i].n,
			  stats_reason(&then->stats, &s->reason[i]));
		if (!n)
			continue;
		add_event(r, now, then, &s->reason[i], n);
		rest[s->reason[i].server] -= n < rest[s->reason[i].server] ?
					     n : rest[s->reason[i].server];
	}
	for (i = 0; i < 2; i++) {
		if (rest[i])
			add_event(r, now, then,
				  &(struct reason){ .server = i }, rest[i]);
	}
	return true;
}

/* ---- rounds ---- */

static bool compare(struct top_round *r, const struct sample *now,
		    const struct sample *then)
{
	const struct stats *a = &now->stats, *b = &then->stats;
	unsigned int i;

	r->when = time(NULL);
	r->seconds = now->at.tv_sec - then->at.tv_sec +
		     (now->at.tv_nsec - then->at.tv_nsec) / 1e9;
	r->queued = a->usage[0];
	r->new_smc = grown(stats_won(a), stats_won(b));
	for (i = 0; i < 2; i++)
		r->failed += grown(a->errors[i], b->errors[i]);
	r->sent = grown(STATS_COUNT(a, TX_BYTES), STATS_COUNT(b, TX_BYTES));
	r->received = grown(STATS_COUNT(a, RX_BYTES), STATS_COUNT(b, RX_BYTES));
	r->path = now->path;
	r->n_paths = now->n_paths;
	return add_flows(r, now, then) && add_events(r, now, then);
}

static int show_round(const struct top *t, const struct sample *now,
		      const struct sample *then)
{
	struct top_round r = {};
	int status = EXIT_SUCCESS;

	if (!compare(&r, now, then))
		status = smc_genl_fail("smcr", -ENOMEM);
	else if (t->o->json)
		top_print_json(&r);
	else if (t->screen)
		top_print_screen(&r, t->interval);
	else
		top_print_text(&r, t->interval);
	free(r.flow);
	free(r.event);
	if (status)
		return status;
	return flush_out();
}

static void stop(int number)
{
	(void)number;
	stopped = true;
}

/* Signals that end the tool arrive only while it waits. */
static void catch_signals(struct top *t)
{
	const struct sigaction act = { .sa_handler = stop };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &t->waiting);
	sigdelset(&t->waiting, SIGINT);
	sigdelset(&t->waiting, SIGTERM);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
}

/* Waits for the next round, or until a signal ends the tool. */
static bool wait_round(const struct top *t)
{
	struct timespec left = { .tv_sec = t->interval };
	struct timespec end, now;

	left.tv_nsec = (t->interval - left.tv_sec) * 1e9;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += left.tv_sec + (end.tv_nsec + left.tv_nsec) / 1000000000;
	end.tv_nsec = (end.tv_nsec + left.tv_nsec) % 1000000000;
	while (ppoll(NULL, 0, &left, &t->waiting) < 0 && !stopped) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		left.tv_sec = end.tv_sec - now.tv_sec;
		left.tv_nsec = end.tv_nsec - now.tv_nsec;
		if (left.tv_nsec < 0) {
			left.tv_sec--;
			left.tv_nsec += 1000000000;
		}
		if (left.tv_sec < 0)
			break;
	}
	return !stopped;
}

static int rounds(struct top *t)
{
	struct sample then, now = {};
	unsigned int n = 0;
	int status = sample_take(&then);

	/* The first screen does not wait for the first interval. */
	if (!status && t->screen)
		status = show_round(t, &then, &then);
	while (!status && (!t->rounds || n++ < t->rounds) && wait_round(t)) {
		status = sample_take(&now);
		if (!status)
			status = show_round(t, &now, &then);
		sample_free(&then);
		then = now;
		memset(&now, 0, sizeof(now));
	}
	sample_free(&then);
	return status;
}

static double seconds(const char *word)
{
	char *end;
	double v = strtod(word, &end);

	if (end == word || *end || !isfinite(v) || v < 0.05 || v > 86400)
		wrong_usage(word);
	return v;
}

int cmd_top(const struct options *o, int argc, char **argv)
{
	struct top t = { .o = o, .interval = DEFAULT_SECONDS };

	if (argc > 2)
		wrong_usage(argv[2]);
	if (argc > 0)
		t.interval = seconds(argv[0]);
	if (argc > 1)
		t.rounds = positive(argv[1], MAX_ROUNDS);
	t.screen = !o->json && isatty(STDOUT_FILENO);
	catch_signals(&t);
	return rounds(&t);
}
