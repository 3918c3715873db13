/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that the benchmark programs share: counts, latency samples, the socket
 * list check and the text channel between client and server.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define BENCH_PORT	7000	/* control; data ports follow */
#define COUNT_NAME	48
#define COUNT_MAX	400

/* A named set of monotonic counts that were read at one moment. */
struct counts {
	unsigned int n;
	struct {
		char name[COUNT_NAME];
		long long val;
	} c[COUNT_MAX];
};

enum counts_what {
	COUNTS_RUN	= 1,	/* context switches, packets, CPU, module */
	COUNTS_MEMORY	= 2,	/* kernel memory, slabs, RDMA resources */
};

/* Latency samples in nanoseconds. The array grows as needed. */
struct samples {
	uint32_t *ns;
	size_t n;
	size_t room;
};

enum diag_end {
	DIAG_LOCAL_PORT,	/* the server's end of each connection */
	DIAG_PEER_PORT,		/* the client's ends */
};

/* The number of sockets with the wanted port, for each mode. */
struct diag_tally {
	unsigned int rdma;	/* established, SMC-R */
	unsigned int inhost;	/* established, in-host */
	unsigned int tcp;	/* fallen back to TCP */
	unsigned int other;	/* the connection begins or ends */
};

/* The text channel carries one request line, then one reply line. */
struct ctl {
	int fd;
	char line[16384];
};

/* util.c */
__noreturn __printf(1, 2) void die(const char *fmt, ...);
uint64_t now_ns(void);
void *zalloc(size_t n);
void set_watchdog(unsigned int seconds, const char *what);
long long parse_size(const char *s);
void samples_add(struct samples *s, uint64_t ns);
double samples_us(struct samples *s, double quantile);
int connect_tcp(const char *host, int port, unsigned int tries_10ms);
__printf(2, 3) void ctl_ask(struct ctl *c, const char *fmt, ...);

/* counts.c */
void counts_take(struct counts *c, enum counts_what what, const char *mib);
void counts_add(struct counts *c, const char *prefix, const char *name,
		long long val);
void counts_subtract(struct counts *after, const struct counts *before);
long long counts_get(const struct counts *c, const char *name);
size_t counts_format(const struct counts *c, const char *prefix, char *buf,
		     size_t len);
void counts_parse(struct counts *c, char *line);

/* diag.c */
int diag_count(int port, enum diag_end end, struct diag_tally *t);

#endif
