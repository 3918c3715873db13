// SPDX-License-Identifier: GPL-2.0
/* Prints smcr top on a terminal, as plain text, or as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "names.h"
#include "smcr.h"
#include "top.h"

enum {
	COLUMNS		= 80,
	LINES		= 24,
	PLAIN_ROWS	= 20,	/* of each table, without a terminal */
	MIN_ROWS	= 2,	/* of links and of fallbacks */
	FIXED_LINES	= 12,	/* headings, blank lines, line of the cursor */
	NUMBER_COLUMNS	= 28,	/* of the columns beside two addresses */
	PATH_COLUMNS	= 62,	/* of the columns beside the peer of a link */
	NARROW		= 25,	/* an address at 80 columns */
	NARROW_PEER	= 16,
	ADDR_BYTES	= INET6_ADDRSTRLEN + 10,
	RATE_BYTES	= 16,
};

struct layout {
	unsigned int columns;	/* of the terminal */
	size_t flows;
	size_t paths;
	size_t events;
	int addr;		/* width of an address of a connection */
	int peer;		/* width of an address of a link */
};

/* ---- words ---- */

/* An IPv4 address in its IPv6 form is shown as an IPv4 address. */
static const char *ip_text(const uint8_t *addr, bool ipv6, char *buf,
			   size_t size)
{
	const struct in6_addr *in6 = (const void *)addr;

	if (ipv6 && IN6_IS_ADDR_V4MAPPED(in6))
		return inet_ntop(AF_INET, addr + 12, buf, size);
	return inet_ntop(ipv6 ? AF_INET6 : AF_INET, addr, buf, size);
}

static void addr_text(const struct smc_sockaddr *a, char *buf, size_t size)
{
	char ip[INET6_ADDRSTRLEN];

	ip_text(a->addr, a->ipv6, ip, sizeof(ip));
	snprintf(buf, size, strchr(ip, ':') ? "[%s]:%u" : "%s:%u", ip,
		 a->port);
}

/* Cuts off the beginning of a text that is too long: two addresses differ at
 * their ends.
 */
static void print_cut(FILE *f, const char *text, int width)
{
	int len = strlen(text);

	if (len <= width)
		fprintf(f, "%-*s ", width, text);
	else
		fprintf(f, "~%s ", text + len - width + 1);
}

/* Formats the amount per second in at most six characters. */
static const char *rate(double amount, double secs, char *buf)
{
	static const char units[] = " kMGTPE";
	const char *u = units;
	double v = secs > 0 ? amount / secs : 0;

	while (v >= 999.5 && u[1]) {
		v /= 1000;
		u++;
	}
	if (*u == ' ')
		snprintf(buf, RATE_BYTES, "%.0f", v);
	else
		snprintf(buf, RATE_BYTES, v < 99.95 ? "%.1f%c" : "%.0f%c", v,
			 *u);
	return buf;
}

static const char *device_of(unsigned int ifindex, char *buf)
{
	if (!ifindex || !if_indextoname(ifindex, buf))
		return "-";
	return buf;
}

static void clock_text(time_t when, char *buf, size_t size)
{
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(buf, size, "%T", &tm))
		snprintf(buf, size, "?");
}

/* ---- text ---- */

static void put_head(FILE *f, const struct top_round *r, double interval)
{
	char clock[16], a[RATE_BYTES], b[RATE_BYTES];
	double secs = r->seconds > 0 ? r->seconds : 1;

	clock_text(r->when, clock, sizeof(clock));
	fprintf(f, "smcr top  %s, every %g s\n", clock, interval);
	fprintf(f, "%-12s %9u SMC-R %13u in-host %9u TCP\n", "Connections",
		r->smcr, r->in_host, r->tcp);
	fprintf(f, "%-12s %9.1f SMC   %13.1f TCP     %9.1f failed\n",
		"New/s", r->new_smc / secs, r->new_tcp / secs,
		r->failed / secs);
	fprintf(f, "%-12s %9s sent  %13s received", "Bytes/s",
		rate(r->sent, secs, a), rate(r->received, secs, b));
	fprintf(f, " %8s queued\n", rate(r->queued, 1, a));
}

static void put_flows(FILE *f, const struct top_round *r,
		      const struct layout *l)
{
	char local[ADDR_BYTES], peer[ADDR_BYTES], a[RATE_BYTES], b[RATE_BYTES];
	size_t i;

	fprintf(f, "\n%-*s %-*s %-7s %8s %8s\n", l->addr, "Local Address",
		l->addr, "Peer Address", "Mode", "Send/s", "Recv/s");
	for (i = 0; i < r->n_flows && i < l->flows; i++) {
		const struct top_flow *flow = &r->flow[i];

		addr_text(&flow->s->local, local, sizeof(local));
		addr_text(&flow->s->peer, peer, sizeof(peer));
		print_cut(f, local, l->addr);
		print_cut(f, peer, l->addr);
		fprintf(f, "%-7s", smc_mode_name(flow->s));
		if (flow->known)
			fprintf(f, " %8s %8s\n",
				rate(flow->sent, r->seconds, a),
				rate(flow->received, r->seconds, b));
		else
			fprintf(f, " %8s %8s\n", "-", "-");
	}
	if (r->n_flows > l->flows)
		fprintf(f, "(%zu more)\n", r->n_flows - l->flows);
}

static void put_paths(FILE *f, const struct top_round *r,
		      const struct layout *l)
{
	char peer[INET6_ADDRSTRLEN], name[IF_NAMESIZE];
	char a[RATE_BYTES], b[RATE_BYTES];
	size_t i;

	fprintf(f, "\n%-13s %4s %-10s %-*s %5s %6s %8s %8s\n", "IB-Dev",
		"Port", "Net-Dev", l->peer, "Peer", "Links", "#Conns",
		"Send/s", "Recv/s");
	for (i = 0; i < r->n_paths && i < l->paths; i++) {
		const struct top_path *p = &r->path[i];

		ip_text(p->peer.s6_addr, true, peer, sizeof(peer));
		print_cut(f, p->device, 13);
		fprintf(f, "%4u ", p->port);
		print_cut(f, device_of(p->ifindex, name), 10);
		print_cut(f, peer, l->peer);
		fprintf(f, "%5u %6u %8s %8s\n", p->links, p->connections,
			rate(p->sent, r->seconds, a),
			rate(p->received, r->seconds, b));
	}
	if (r->n_paths > l->paths)
		fprintf(f, "(%zu more)\n", r->n_paths - l->paths);
}

static void put_events(FILE *f, const struct top_event *e, size_t n)
{
	char clock[16], last[ADDR_BYTES];
	size_t i;

	fputs("\nFallbacks to TCP\n", f);
	for (i = 0; i < n; i++, e++) {
		clock_text(e->when, clock, sizeof(clock));
		fprintf(f, "%s %s %4llu x %s", clock,
			e->server ? "server" : "client", e->n, e->phrase);
		if (e->has_last) {
			addr_text(&e->last, last, sizeof(last));
			fprintf(f, ", %s", last);
		}
		fputc('\n', f);
	}
}

static void at_least(int *width, const char *text)
{
	int len = strlen(text);

	if (len > *width)
		*width = len;
}

/* Makes the columns of addresses as wide as the longest address. */
static void fit(struct layout *l, const struct top_round *r)
{
	char text[ADDR_BYTES];
	size_t i;

	l->addr = NARROW;
	for (i = 0; i < r->n_flows && i < l->flows; i++) {
		addr_text(&r->flow[i].s->local, text, sizeof(text));
		at_least(&l->addr, text);
		addr_text(&r->flow[i].s->peer, text, sizeof(text));
		at_least(&l->addr, text);
	}
	l->peer = NARROW_PEER;
	for (i = 0; i < r->n_paths && i < l->paths; i++) {
		ip_text(r->path[i].peer.s6_addr, true, text, sizeof(text));
		at_least(&l->peer, text);
	}
}

static void limit(int *width, int least, int room)
{
	int most = room > least ? room : least;

	if (*width > most)
		*width = most;
}

void top_print_text(const struct top_round *r, double interval)
{
	struct layout l = { .flows = PLAIN_ROWS, .paths = PLAIN_ROWS };

	fit(&l, r);
	put_head(stdout, r, interval);
	put_flows(stdout, r, &l);
	put_paths(stdout, r, &l);
	if (r->n_events)
		put_events(stdout, r->event, r->n_events);
	putchar('\n');
}

/* ---- the terminal ---- */

/* Events of this round and of earlier ones, the newest first. */
static struct top_event history[TOP_EVENTS];
static size_t n_history;

static void remember(const struct top_round *r)
{
	size_t n = r->n_events < TOP_EVENTS ? r->n_events : TOP_EVENTS;
	size_t keep = n_history < TOP_EVENTS - n ? n_history : TOP_EVENTS - n;

	memmove(&history[n], history, keep * sizeof(history[0]));
	memcpy(history, r->event, n * sizeof(history[0]));
	n_history = keep + n;
}

static size_t at_most(size_t n, size_t max)
{
	return n < max ? n : max;
}

static struct layout layout_of(const struct top_round *r)
{
	struct layout l = { .columns = COLUMNS };
	struct winsize w = {};
	size_t lines = LINES, rows;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col && w.ws_row) {
		l.columns = w.ws_col;
		lines = w.ws_row;
	}
	rows = lines > FIXED_LINES + 3 * MIN_ROWS ? lines - FIXED_LINES :
						     3 * MIN_ROWS;
	l.paths = at_most(r->n_paths, rows / 4 > MIN_ROWS ? rows / 4 :
							    MIN_ROWS);
	l.events = at_most(n_history, rows / 4 > MIN_ROWS ? rows / 4 :
							    MIN_ROWS);
	l.flows = rows - l.paths - l.events;
	fit(&l, r);
	limit(&l.addr, NARROW, ((int)l.columns - NUMBER_COLUMNS) / 2);
	limit(&l.peer, NARROW_PEER, (int)l.columns - PATH_COLUMNS);
	return l;
}

/*
 * Draws the new screen over the old one. No line is longer than the screen is
 * wide.
 */
static void draw(const char *text, unsigned int columns)
{
	fputs("\033[H", stdout);
	while (*text) {
		size_t len = strcspn(text, "\n");

		printf("%.*s\033[K\n", (int)at_most(len, columns), text);
		text += len + (text[len] == '\n');
	}
	fputs("\033[J", stdout);
}

void top_print_screen(const struct top_round *r, double interval)
{
	char *text = NULL;
	struct layout l;
	size_t size;
	FILE *f;

	remember(r);
	l = layout_of(r);
	f = open_memstream(&text, &size);
	if (!f)
		return;
	put_head(f, r, interval);
	put_flows(f, r, &l);
	put_paths(f, r, &l);
	put_events(f, history, l.events);
	if (!fclose(f))
		draw(text, l.columns);
	free(text);
}

/* ---- JSON ---- */

static void json_addr(const char *name, const struct smc_sockaddr *a)
{
	char text[ADDR_BYTES];

	addr_text(a, text, sizeof(text));
	json_text(name, text);
}

static void json_flows(const struct top_round *r)
{
	size_t i;

	fputs(", \"connections\": [", stdout);
	for (i = 0; i < r->n_flows; i++) {
		const struct top_flow *flow = &r->flow[i];

		fputs(i ? ", {" : "{", stdout);
		json_addr("local", &flow->s->local);
		fputs(", ", stdout);
		json_addr("peer", &flow->s->peer);
		fputs(", ", stdout);
		json_text("mode", smc_mode_name(flow->s));
		if (flow->known)
			printf(", \"sent\": %llu, \"received\": %llu",
			       (unsigned long long)flow->sent,
			       (unsigned long long)flow->received);
		putchar('}');
	}
	putchar(']');
}

static void json_paths(const struct top_round *r)
{
	char peer[INET6_ADDRSTRLEN], name[IF_NAMESIZE];
	size_t i;

	fputs(", \"links\": [", stdout);
	for (i = 0; i < r->n_paths; i++) {
		const struct top_path *p = &r->path[i];

		fputs(i ? ", {" : "{", stdout);
		json_text("device", p->device);
		printf(", \"port\": %u, ", p->port);
		json_text("interface", device_of(p->ifindex, name));
		fputs(", ", stdout);
		json_text("peer", ip_text(p->peer.s6_addr, true, peer,
					  sizeof(peer)));
		printf(", \"links\": %u, \"connections\": %u, \"sent\": %llu, \"received\": %llu}",
		       p->links, p->connections, (unsigned long long)p->sent,
		       (unsigned long long)p->received);
	}
	putchar(']');
}

static void json_events(const struct top_round *r)
{
	size_t i;

	fputs(", \"fallbacks\": [", stdout);
	for (i = 0; i < r->n_events; i++) {
		const struct top_event *e = &r->event[i];

		printf("%s{\"role\": \"%s\", \"count\": %llu, \"code\": \"0x%08x\", ",
		       i ? ", " : "", e->server ? "server" : "client", e->n,
		       e->code);
		json_text("text", e->phrase);
		if (e->has_last) {
			fputs(", ", stdout);
			json_addr("last_peer", &e->last);
		}
		putchar('}');
	}
	putchar(']');
}

/* One line for each round. The amounts are those of the interval. */
void top_print_json(const struct top_round *r)
{
	printf("{\"time\": %lld, \"seconds\": %.3f, ", (long long)r->when,
	       r->seconds);
	printf("\"smcr\": %u, \"in_host\": %u, \"tcp\": %u, \"queued\": %llu, ",
	       r->smcr, r->in_host, r->tcp, r->queued);
	printf("\"new_smc\": %llu, \"new_tcp\": %llu, \"failed\": %llu, ",
	       r->new_smc, r->new_tcp, r->failed);
	printf("\"sent\": %llu, \"received\": %llu", r->sent, r->received);
	json_flows(r);
	json_paths(r);
	json_events(r);
	puts("}");
}
