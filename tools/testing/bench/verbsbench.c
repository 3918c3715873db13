// SPDX-License-Identifier: GPL-2.0
/*
 * verbsbench: parses the options, exchanges parameters over TCP, and runs the
 * server's control thread.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vb.h"

static const char usage[] =
"verbsbench server [--port P] [--dev D]\n"
"verbsbench bulk|rr --host A [--port P] [--dev D] [--secs T] [--warm T]\n"
"	[--conns N] [--req R] [--resp S] [--depth N] [--msg SIZE] [--cdc 0|1]\n"
"	[--inline-cdc 0|1] [--inline-data 0|1] [--signal-every N] [--chain N]\n"
"	[--batch N] [--solicited 0|1] [--split-cq 0|1] [--again 0|1]\n"
"	[--calls 0|1] [--records 0|1]\n";

/* Options with a number, their variables and bounds. */
#define NUM(name, field, min, max) \
	{ name, offsetof(struct vb_opts, field), min, max }
static const struct number {
	const char *name;
	size_t offset;
	long long min;
	long long max;
} numbers[] = {
	NUM("port", port, 1, 65000),
	NUM("conns", conns, 1, 1024),
	NUM("req", req, 8, 1 << 20),
	NUM("resp", resp, 8, 1 << 20),
	NUM("depth", depth, 1, 1024),
	NUM("msg", msg, 8, 1 << 20),
	NUM("cdc", cdc, 0, 1),
	NUM("inline-cdc", inline_cdc, 0, 1),
	NUM("inline-data", inline_data, 0, 1),
	NUM("signal-every", signal_every, 1, 16),
	NUM("chain", chain, 1, CHAIN_MAX),
	NUM("batch", batch, 1, BATCH_MAX),
	NUM("solicited", solicited, 0, 1),
	NUM("split-cq", split_cq, 0, 1),
	NUM("again", again, 0, 1),
	NUM("calls", calls, 0, 1),
	NUM("records", records, 0, 1),
};

#define NUMBERS	ARRAY_SIZE(numbers)

enum { OPT_HOST = 256, OPT_DEV, OPT_SECS, OPT_WARM, OPT_NUMBER };

static void set_number(struct vb_opts *o, unsigned int i, const char *arg)
{
	long long v = parse_size(arg);

	if (v < numbers[i].min || v > numbers[i].max)
		die("--%s %s is not within %lld..%lld", numbers[i].name, arg,
		    numbers[i].min, numbers[i].max);
	*(unsigned int *)((char *)o + numbers[i].offset) = v;
}

static void parse(struct vb_opts *o, int argc, char **argv)
{
	struct option longopts[NUMBERS + 5] = {
		{ "host", required_argument, NULL, OPT_HOST },
		{ "dev", required_argument, NULL, OPT_DEV },
		{ "secs", required_argument, NULL, OPT_SECS },
		{ "warm", required_argument, NULL, OPT_WARM },
	};
	unsigned int i;
	int c;

	for (i = 0; i < NUMBERS; i++)
		longopts[4 + i] = (struct option){ numbers[i].name,
			required_argument, NULL, OPT_NUMBER + i };
	while ((c = getopt_long(argc, argv, "", longopts, NULL)) != -1) {
		if (c == OPT_HOST) {
			o->host = optarg;
		} else if (c == OPT_DEV) {
			o->dev = optarg;
		} else if (c == OPT_SECS) {
			o->secs = atof(optarg);
		} else if (c == OPT_WARM) {
			o->warm = atof(optarg);
		} else if (c >= OPT_NUMBER) {
			set_number(o, c - OPT_NUMBER, optarg);
		} else {
			fputs(usage, stderr);
			exit(2);
		}
	}
}

/* Formats all numbers except the port as text. Both directions have the same
 * format.
 */
static void format_opts(const struct vb_opts *o, char *buf, size_t len)
{
	size_t pos, i;

	pos = snprintf(buf, len, "%s", o->bulk ? "bulk" : "rr");
	for (i = 1; i < NUMBERS; i++)
		pos += snprintf(buf + pos, len - pos, " %u",
				*(unsigned int *)((char *)o +
						  numbers[i].offset));
}

static void parse_opts(struct vb_opts *o, char *line)
{
	char *word, *save;
	unsigned int i;

	word = strtok_r(line, "\n ", &save);
	o->bulk = word && !strcmp(word, "bulk");
	for (i = 1; i < NUMBERS; i++) {
		word = strtok_r(NULL, "\n ", &save);
		if (!word)
			die("the client sent too few options");
		set_number(o, i, word);
	}
}

/* The client sends first, so no read of the client returns two messages. */
static void exchange(struct vb *v, int fd, bool client)
{
	struct vb_peer me, peer;

	vb_local(v, &me);
	if (client && send(fd, &me, sizeof(me), MSG_NOSIGNAL) != sizeof(me))
		die("sending parameters: %s", strerror(errno));
	if (recv(fd, &peer, sizeof(peer), MSG_WAITALL) != sizeof(peer))
		die("the peer sent no parameters");
	vb_connect(v, &peer);
	if (!client && send(fd, &me, sizeof(me), MSG_NOSIGNAL) != sizeof(me))
		die("sending parameters: %s", strerror(errno));
}

static void *control(void *arg)
{
	static struct counts before, now;
	unsigned long long last;
	static char line[16384];
	const char *wrong;
	struct vb *v = arg;
	char req[256];
	size_t len;
	ssize_t n;

	for (;;) {
		n = recv(v->ctl, req, sizeof(req) - 1, 0);
		if (n <= 0)
			exit(0);
		req[n] = 0;
		len = snprintf(line, sizeof(line), "ok");
		if (!strncmp(req, "begin", 5)) {
			vb_take_counts(v, &before);
		} else if (!strncmp(req, "end", 3)) {
			vb_take_counts(v, &now);
			counts_subtract(&now, &before);
			len = counts_format(&now, "", line, sizeof(line));
		} else if (sscanf(req, "check %llu", &last) == 1) {
			wrong = vb_check_bulk(v, last);
			if (wrong)
				len = snprintf(line, sizeof(line), "%s",
					       wrong);
		}
		line[len++] = '\n';
		if (send(v->ctl, line, len, MSG_NOSIGNAL) != (ssize_t)len)
			exit(1);
	}
}

static int take_client(int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int one = 1, fd, c;

	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&in, sizeof(in)) || listen(fd, 1))
		die("listen on port %d: %s", port, strerror(errno));
	c = accept(fd, NULL, NULL);
	if (c < 0)
		die("accept: %s", strerror(errno));
	close(fd);
	return c;
}

static void server(struct vb *v, struct vb_opts *o)
{
	char line[512];
	pthread_t t;
	ssize_t n;

	v->ctl = take_client(o->port);
	n = recv(v->ctl, line, sizeof(line) - 1, 0);
	if (n <= 0)
		die("the client left");
	line[n] = 0;
	parse_opts(o, line);
	vb_open(v, o);
	if (send(v->ctl, "ok\n", 3, MSG_NOSIGNAL) != 3)
		die("the client left");
	exchange(v, v->ctl, false);
	if (pthread_create(&t, NULL, control, v))
		die("pthread_create");
	if (o->bulk)
		vb_serve_bulk(v);
	else
		vb_serve_rr(v);
}

static void client(struct vb *v, const struct vb_opts *o)
{
	static struct vb_run r;
	char line[512];

	if (!o->host)
		die("--host is missing");
	set_watchdog(30 + 2 * (o->secs + o->warm), "verbsbench");
	r.ctl.fd = connect_tcp(o->host, o->port, 500);
	format_opts(o, line, sizeof(line));
	vb_open(v, o);
	ctl_ask(&r.ctl, "%s", line);
	exchange(v, r.ctl.fd, true);
	if (o->bulk)
		vb_client_bulk(v, &r);
	else
		vb_client_rr(v, &r);
}

int main(int argc, char **argv)
{
	struct vb_opts o = {
		.dev = "rxe0", .mib = "/proc/net/smc_mib",
		.port = BENCH_PORT + 100, .secs = 4, .warm = 1,
		.conns = 1, .req = 200, .resp = 1000,
		.depth = 16, .msg = 65536, .inline_cdc = 1,
		.inline_data = 1, .signal_every = 8, .chain = 64, .batch = 64,
		.split_cq = 1, .solicited = 1,
	};
	static struct vb v;

	parse(&o, argc, argv);
	if (optind + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (!strcmp(argv[optind], "server")) {
		server(&v, &o);
	} else if (!strcmp(argv[optind], "bulk") ||
		   !strcmp(argv[optind], "rr")) {
		o.bulk = argv[optind][0] == 'b';
		client(&v, &o);
	} else {
		fputs(usage, stderr);
		return 2;
	}
	return 0;
}
