/* SPDX-License-Identifier: GPL-2.0 */
/*
 * smc_advise: estimates what the TCP connections of this host would gain by
 * SMC-R.
 */
#ifndef SMC_ADVISE_H
#define SMC_ADVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	SERVICE_PEERS	= 256,	/* limit of distinct peers that are counted */
};

/* The path that SMC could use to the peer of a connection. */
enum reach {
	REACH_NONE,	/* no RDMA device on the interface */
	REACH_RDMA,	/* the interface has an RDMA device */
	REACH_HOST,	/* the peer is on this host */
	REACHES,
};

struct address {
	bool ipv6;
	uint8_t bytes[16];	/* network byte order; 4 bytes for IPv4 */
	uint16_t port;
};

/* A connection as the kernel shows it at one moment. */
struct sample {
	uint64_t cookie;
	struct address local;
	struct address peer;
	bool listens;
	unsigned long long sent;		/* bytes since the connection began */
	unsigned long long received;
	uint32_t segments_out;	/* with data */
	uint32_t segments_in;
};

struct peer {
	struct address address;		/* without the port */
	enum reach reach;
	bool smc;			/* it has SMC connections now */
};

/* All connections of one port of a server. */
struct service {
	bool server;		/* this host is the server of the port */
	uint16_t port;
	unsigned long long conns;		/* seen */
	unsigned long long ended;
	unsigned long long open;		/* at the end */
	unsigned long long peak;		/* most connections per poll */
	unsigned long long reach[REACHES];	/* connections */
	double life_s;		/* sum over all connections, of the time seen */
	unsigned long long sent;
	unsigned long long received;
	unsigned long long turns;		/* sum of smaller counts */
	unsigned int peers;
	unsigned int smc_peers;
	unsigned int reached_peers;
	struct peer peer[SERVICE_PEERS];
	unsigned long long now;		/* open connections in this poll */
};

struct services {
	struct service *list;
	size_t nr;
	double seconds;		/* watched */
	unsigned long long rmem;		/* bytes of an element */
	bool ends;		/* the kernel reports ends of connections */
	unsigned long long smc_conns;	/* connections that use SMC already */
};

/* services.c */

/*
 * services_get - the entry of a service, a new one if needed; NULL: no memory
 */
struct service *services_get(struct services *all, bool server, uint16_t port);
/* services_peer - counts the peer of a connection */
void services_peer(struct service *s, const struct address *peer,
		   enum reach reach);
/* services_smc - an SMC-R connection to this host exists */
void services_smc(struct services *all, const struct address *peer);

enum effect {
	EFFECT_NONE,		/* cannot be SMC */
	EFFECT_SHORT,		/* slower: connections are short */
	EFFECT_IDLE,		/* costs memory and has no advantage */
	EFFECT_LATENCY,		/* answers arrive earlier */
	EFFECT_BULK,		/* more bytes per second, less processor time */
	EFFECTS,
};

enum effect service_effect(const struct service *s);
/* service_memory - bytes that its receive elements would take */
unsigned long long service_memory(const struct services *all, const struct service *s);

/* watch.c */

/**
 * watch - looks at TCP connections for some time
 * @all: gets the services
 * @seconds: how long; a signal ends it earlier
 *
 * Return: 0 or a negative errno.
 */
int watch(struct services *all, double seconds);

/* saved.c: reports in files. Return: 0 or a negative errno. For a line that is
 * not part of a report, the function returns -EINVAL and stores the number of
 * the line in @line.
 */
int saved_write(const struct services *all, const char *path);
int saved_read(struct services *all, const char *path, unsigned int *line);

/* report.c */
void report_text(const struct services *all);
void report_json(const struct services *all);

#endif
