// SPDX-License-Identifier: GPL-2.0
/*
 * Reports in files: one line for the whole observation, and one line for each
 * service.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"

#define HEAD_OUT "smc_advise 1 seconds %.1f rmem %llu ends %d smc %llu\n"
#define HEAD_IN "smc_advise 1 seconds %lf rmem %llu ends %d smc %llu %n"
#define SERVICE_OUT "service %s %u conns %llu ended %llu" \
	" open %llu peak %llu none %llu rdma %llu" \
	" host %llu life %.3f sent %llu received %llu" \
	" turns %llu peers %u reached %u smc %u\n"
#define SERVICE_IN "service %6s %u conns %llu ended %llu" \
	" open %llu peak %llu none %llu rdma %llu" \
	" host %llu life %lf sent %llu received %llu" \
	" turns %llu peers %u reached %u smc %u %n"

int saved_write(const struct services *all, const char *path)
{
	FILE *file = fopen(path, "w");
	size_t i;
	int bad;

	if (!file)
		return -errno;
	fprintf(file, HEAD_OUT, all->seconds, all->rmem, all->ends,
		all->smc_conns);
	for (i = 0; i < all->nr; i++) {
		const struct service *s = &all->list[i];

		fprintf(file, SERVICE_OUT, s->server ? "server" : "client",
			s->port, s->conns, s->ended, s->open, s->peak,
			s->reach[REACH_NONE], s->reach[REACH_RDMA],
			s->reach[REACH_HOST], s->life_s, s->sent, s->received,
			s->turns, s->peers, s->reached_peers, s->smc_peers);
	}
	bad = ferror(file);
	if (fclose(file) || bad)
		return errno ? -errno : -EIO;
	return 0;
}

static bool read_head(struct services *all, const char *line)
{
	int ends = 0, end = 0;

	if (sscanf(line, HEAD_IN, &all->seconds, &all->rmem, &ends,
		   &all->smc_conns, &end) != 4 || !end || line[end])
		return false;
	all->ends = ends;
	return all->seconds >= 0;
}

static int read_service(struct services *all, const char *line)
{
	unsigned int port, peers, reached, smc;
	struct service in = {}, *s;
	char role[8];
	int end = 0;

	if (sscanf(line, SERVICE_IN, role, &port, &in.conns, &in.ended, &in.open,
		   &in.peak, &in.reach[REACH_NONE], &in.reach[REACH_RDMA],
		   &in.reach[REACH_HOST], &in.life_s, &in.sent, &in.received,
		   &in.turns, &peers, &reached, &smc, &end) != 16 ||
	    !end || line[end] || port > 65535 || !(in.life_s >= 0) ||
	    (strcmp(role, "server") && strcmp(role, "client")))
		return -EINVAL;
	s = services_get(all, !strcmp(role, "server"), port);
	if (!s)
		return -ENOMEM;
	in.server = s->server;
	in.port = port;
	in.peers = peers;
	in.reached_peers = reached;
	in.smc_peers = smc;
	*s = in;
	return 0;
}

int saved_read(struct services *all, const char *path, unsigned int *line)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char *text = NULL;
	size_t size = 0;
	int err = 0;

	*line = 0;
	if (!file)
		return -errno;
	errno = 0;
	while (!err && getline(&text, &size, file) > 0) {
		if (++*line == 1)
			err = read_head(all, text) ? 0 : -EINVAL;
		else
			err = read_service(all, text);
	}
	if (!err && ferror(file))
		err = errno ? -errno : -EIO;
	if (!err && !*line)
		err = -EINVAL;
	free(text);
	if (file != stdin)
		fclose(file);
	return err;
}
