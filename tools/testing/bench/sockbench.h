/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sockbench's own protocol. A connection starts with a hello, which is the
 * first part of its first request (or of its first bulk phase).
 */
#ifndef SOCKBENCH_H
#define SOCKBENCH_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "bench.h"

#define AF_SMC_NUM	43
#define HELLO_MAGIC	0x42656e63
#define STAMP_EVERY	65536	/* bulk: distance between two stamps */
#define SOURCE_SIZE	(4u << 20)	/* bulk without a copy: a multiple of it */

enum hello_kind {
	KIND_RR,	/* requests of req bytes, responses of resp bytes */
	/* number of all bytes with the hello; in the answer: number of received
	 * bytes
	 */
	KIND_BULK,
};

struct hello {
	uint64_t seq;	/* number of the request; the response repeats it */
	uint32_t magic;
	uint32_t kind;
	/* bulk: 0, or the stream repeats the bytes of a source of this size */
	uint32_t req;
	uint32_t resp;
	uint64_t total;
};

/* The families and the offsets of their ports from the control port. */
enum family { FAM_TCP, FAM_SMC, FAM_SMC6, FAM_TCP6, FAM_COUNT };

static inline bool family_is_smc(enum family f)
{
	return f == FAM_SMC || f == FAM_SMC6;
}

static inline int family_port(int base, enum family f)
{
	return base + 1 + f;
}

/* How bulk sends: from a buffer that the kernel copies, from a file, or from a
 * buffer with MSG_ZEROCOPY.
 */
enum source { SOURCE_BUFFER, SOURCE_FILE, SOURCE_ZEROCOPY };

enum mode {
	MODE_BULK, MODE_RR, MODE_SHORT, MODE_IDLE, MODE_CONNECT, MODE_FAN,
};

struct opts {
	const char *host;
	const char *mib;	/* file of the module's counters */
	enum mode mode;
	enum family family;
	enum source source;	/* bulk */
	bool inhost;		/* expect the in-host mode and not SMC-R */
	/* server: end when the control connection ends */
	bool once;
	int port;		/* control port */
	unsigned int conns;
	unsigned int busy;	/* rr, idle: connections that exchange; 0: all */
	unsigned int req;
	unsigned int resp;
	unsigned int write_size;
	unsigned int read_size;
	unsigned int sndbuf;
	unsigned int rcvbuf;
	unsigned int count;	/* connect: how many */
	double secs;
	double warm;
	long long bytes;	/* bulk: instead of secs */
};

/* family.c */
int family_socket(const struct opts *o, enum family f);
socklen_t family_addr(enum family f, const char *host, int port,
		      struct sockaddr_storage *ss);

/* server.c */
void serve(const struct opts *o);

/* measure.c: code before and after a measured phase */
struct measure {
	const struct opts *o;
	struct ctl ctl;
	struct counts cli;
	struct counts srv;
	uint64_t start;
	double secs;
	/* number of our connections without the measured connections */
	unsigned int others;
	/* short: number of samples in which a measured connection was open */
	unsigned int seen;
};

void measure_open(struct measure *m, const struct opts *o);
void measure_begin(struct measure *m);
void measure_end(struct measure *m);
void measure_modes(struct measure *m, unsigned int conns);
void measure_sample(struct measure *m);
void measure_floor(struct measure *m, unsigned long long ops);
void measure_print(struct measure *m, unsigned long long ops);

/* nocopy.c: the source of a bulk stream that is sent without a copy */
struct nocopy {
	enum source source;
	char *mem;	/* SOURCE_SIZE bytes, with their stamps */
	int file;	/* the same bytes */
	/* MSG_ZEROCOPY: sends, the notices that have arrived, and those that
	 * say that the kernel has copied
	 */
	unsigned long long sends;
	unsigned long long notices;
	unsigned long long copied;
};

void nocopy_open(struct nocopy *nc, enum source from, int fd);
void nocopy_restart(struct nocopy *nc);
ssize_t nocopy_send(struct nocopy *nc, int fd, uint64_t pos, size_t len);
void nocopy_settle(struct nocopy *nc, int fd);

/* bulk.c */
int stream_open(const struct opts *o);
void stream_stamp(char *chunk, size_t len, uint64_t pos);
void run_bulk(const struct opts *o);

/* fan.c, client.c */
void run_fan(const struct opts *o);
void run_rr(const struct opts *o);
void run_short(const struct opts *o);
void run_idle(const struct opts *o);
void run_connect(const struct opts *o);

#endif
