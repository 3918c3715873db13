/* SPDX-License-Identifier: GPL-2.0 */
/* What "smcr top" has measured in one interval, and how it is shown. */
#ifndef SMCR_TOP_H
#define SMCR_TOP_H

#include <arpa/inet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "sockdiag.h"
#include "stats.h"

enum {
	TOP_DEVICE_BYTES = 64,
	TOP_PHRASE_BYTES = 128,
	TOP_EVENTS	 = 32,	/* fallbacks that the screen remembers */
};

/* The bytes that a connection has moved. */
struct top_flow {
	const struct smc_socket *s;
	bool known;		/* otherwise @sent and @received are 0 */
	uint64_t sent;
	uint64_t received;
};

/*
 * The links between a port of this host and a peer. Groups to the same peer
 * share the port, so they share the row.
 */
struct top_path {
	char device[TOP_DEVICE_BYTES];
	unsigned int port;
	unsigned int ifindex;
	struct in6_addr gid;
	struct in6_addr peer;
	unsigned int links;
	unsigned int connections;
	uint64_t sent;
	uint64_t received;
};

/* @n connections stayed on TCP. @last is one of them, if the list has it. */
struct top_event {
	time_t when;
	bool server;
	unsigned int code;
	unsigned long long n;
	char phrase[TOP_PHRASE_BYTES];
	bool has_last;
	struct smc_sockaddr last;
};

/* The list of connections that the host has now is in &top_flow.s. */
struct top_round {
	time_t when;
	double seconds;		/* of the interval */
	unsigned int smcr;	/* connections now, by mode */
	unsigned int in_host;
	unsigned int tcp;
	unsigned long long queued;	/* bytes in send queues now */
	/* changes during the interval */
	unsigned long long new_smc;
	unsigned long long new_tcp;
	unsigned long long failed;
	unsigned long long sent;
	unsigned long long received;
	struct top_flow *flow;	/* the busiest first */
	size_t n_flows;
	struct top_path *path;	/* the busiest first */
	size_t n_paths;
	struct top_event *event;
	size_t n_events;
};

/* Shows a round as text, or on the terminal; @interval: in seconds. */
void top_print_text(const struct top_round *r, double interval);
void top_print_screen(const struct top_round *r, double interval);
void top_print_json(const struct top_round *r);

#endif
