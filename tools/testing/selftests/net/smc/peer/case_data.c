// SPDX-License-Identifier: GPL-2.0
/* Tests that all data arrives once and in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	BULK_BYTES = 1024 * MIB,
	BULK_CHUNK = 64 * KIB,
	MIXED_BYTES = 64 * MIB,
	MIXED_MAX = 100000,
	ODD_BYTES = 16 * MIB,
	MAX_MESSAGE = 70000,
	/* more than a group holds; neither 3 nor 7 divides this number */
	MANY = 302,
	MANY_MESSAGE = 3000,
	ROUND_TRIPS = 1000,
	CHURN = 800,
	CHURN_PARALLEL = 8,
	REQUEST = 200,
	RESPONSE = 1000,
};

struct transfer {
	int fd;
	struct stream s;
	uint64_t bytes;
	size_t chunk;		/* 0: a different one each time */
};

static int transmit(void *arg)
{
	struct transfer *t = arg;
	uint64_t rnd = 1, left, n;

	if (t->chunk) {
		send_stream(t->fd, &t->s, t->bytes, t->chunk);
	} else {
		for (left = t->bytes; left; left -= n) {
			n = min_of(left, 1 + random_below(&rnd, MIXED_MAX));
			send_stream(t->fd, &t->s, n, n);
		}
	}
	return shutdown(t->fd, SHUT_WR);
}

/* Sends data in both directions at the same time until both ends have
 * finished.
 */
static void exchange(int fd, uint64_t bytes, size_t chunk)
{
	struct transfer out = { .fd = fd, .bytes = bytes, .chunk = chunk };
	struct stream in;
	struct task t;
	uint64_t rnd = 2, left, n;

	stream_init(&out.s, cfg.server);
	stream_init(&in, !cfg.server);
	task_start(&t, transmit, &out);
	if (chunk) {
		recv_stream(fd, &in, bytes, chunk);
	} else {
		for (left = bytes; left; left -= n) {
			n = min_of(left, 1 + random_below(&rnd, MIXED_MAX));
			recv_stream(fd, &in, n, n);
		}
	}
	expect_end(fd);
	/* one direction says nothing about the speed of the other one */
	RETURNS(0, task_end(&t));
	close(fd);
}

static void bulk(void)
{
	uint64_t bytes = cfg.bytes ? cfg.bytes : scaled(BULK_BYTES, MIB);
	uint64_t start = now_ms();

	exchange(meet(), bytes, BULK_CHUNK);
	note("%llu MB each way at once, %llu MB/s",
	     (unsigned long long)bytes >> 20,
	     (unsigned long long)(2 * bytes / 1000 / (now_ms() - start + 1)));
}

static void mixed(void)
{
	exchange(meet(), scaled(MIXED_BYTES, MIB), 0);
}

static void small_buffers(int fd)
{
	set_int(fd, SOL_SOCKET, SO_SNDBUF, 8 * KIB);
	set_int(fd, SOL_SOCKET, SO_RCVBUF, 8 * KIB);
}

/* The length of a chunk is a prime number, so chunks begin at every offset of
 * the ring.
 */
static void odd(void)
{
	exchange(meet_with(small_buffers), scaled(ODD_BYTES, MIB), 7919);
}

/* Tests all lengths next to a boundary, and a fixed sample of the other
 * lengths.
 */
static size_t next_size(size_t size)
{
	static const unsigned int marks[] = {
		1, 44, 512, 1448, 2 * KIB, 4 * KIB, 8 * KIB, 8948, 12 * KIB,
		16 * KIB, 17 * KIB, 32 * KIB, 48 * KIB, 64 * KIB, 65 * KIB,
		MAX_MESSAGE
	};
	static const unsigned int primes[] = {
		7, 17, 257, 1031, 4099, 8209, 16411, 32771, 65537, 69997
	};
	size_t next = size + 1 + size / 24;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		/* the length before the boundary, at the boundary, after the
		 * boundary
		 */
		if (marks[i] - 1 > size)
			next = min_of(next, marks[i] - 1);
		else if (marks[i] + 1 > size)
			next = size + 1;
	}
	for (i = 0; i < ARRAY_SIZE(primes); i++) {
		if (primes[i] > size)
			next = min_of(next, primes[i]);
	}
	return next;
}

static void sizes_client(void)
{
	struct stream out, in;
	unsigned int nr = 0;
	int fd = meet();
	size_t size;

	stream_init(&out, 0);
	stream_init(&in, 0);
	for (size = 1; size <= MAX_MESSAGE; size = next_size(size)) {
		send_stream(fd, &out, size, size);
		recv_stream(fd, &in, size, size);
		nr++;
	}
	note("%u sizes", nr);
	close(fd);
}

/* Sends back the received bytes from a copy, so that both directions carry the
 * same data.
 */
static void sizes_server(void)
{
	static char buf[MAX_MESSAGE];
	struct stream in;
	int fd = meet();
	size_t size;

	stream_init(&in, 0);
	for (size = 1; size <= MAX_MESSAGE; size = next_size(size)) {
		recv_all(fd, buf, size);
		stream_check(&in, buf, size);
		send_all(fd, buf, size);
	}
	expect_end(fd);
	close(fd);
}

static void one_message(int fd, unsigned int id, bool send)
{
	struct stream s;

	stream_init(&s, id);
	if (send)
		send_stream(fd, &s, MANY_MESSAGE, MANY_MESSAGE);
	else
		recv_stream(fd, &s, MANY_MESSAGE, MANY_MESSAGE);
}

static void many_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fds[MANY];
	unsigned int i;
	uint32_t id;

	for (i = 0; i < MANY; i++) {
		fds[i] = new_socket(0);
		OK(connect_fd(fds[i], port));
	}
	check_modes(fds, MANY);
	ctl_sync("CONNECTED");
	for (i = 0; i < MANY; i++) {
		id = htonl(i);
		send_all(fds[i], &id, sizeof(id));
		one_message(fds[i], i, true);
	}
	/* Connections may be accepted in any order. */
	for (i = 0; i < MANY; i++)
		one_message(fds[i * 7 % MANY], i * 7 % MANY, false);
	for (i = 0; i < MANY; i++)
		close(fds[i * 3 % MANY]);
	note("%u connections at once", MANY);
}

static void many_server(void)
{
	uint16_t port;
	/* A connection that finds the queue full is TCP, and the client may be
	 * faster than this loop.
	 */
	int lfd = new_listener(MANY, &port);
	uint32_t ids[MANY];
	int fds[MANY];
	unsigned int i;

	ctl_send_u64("PORT", port);
	for (i = 0; i < MANY; i++) {
		AWAIT(lfd, POLLIN);
		fds[i] = OK(accept(lfd, NULL, NULL));
	}
	check_modes(fds, MANY);
	ctl_sync("CONNECTED");
	/* The connections need not arrive in the order in which the client made
	 * them.
	 */
	for (i = 0; i < MANY; i++) {
		recv_all(fds[i], &ids[i], sizeof(ids[i]));
		ids[i] = ntohl(ids[i]);
		one_message(fds[i], ids[i], false);
	}
	for (i = 0; i < MANY; i++)
		one_message(fds[i], ids[i], true);
	for (i = 0; i < MANY; i++)
		expect_end(fds[i]);
}

/* Sends requests and answers of each length, as most applications do. */
static void ping_pong_client(void)
{
	unsigned int i, rounds = scaled(ROUND_TRIPS, 100);
	uint64_t start = now_ms();
	int fd = meet();
	struct stream out, in;
	size_t n;

	stream_init(&out, 0);
	stream_init(&in, 1);
	for (i = 0; i < rounds; i++) {
		n = 1 + i * 7 % MANY_MESSAGE;
		send_stream(fd, &out, n, n);
		recv_stream(fd, &in, n, n);
	}
	note("%u round trips, %llu us each", rounds,
	     (now_ms() - start) * 1000ULL / rounds);
	close(fd);
}

static void ping_pong_server(void)
{
	unsigned int i, rounds = scaled(ROUND_TRIPS, 100);
	int fd = meet();
	struct stream out, in;
	size_t n;

	stream_init(&out, 1);
	stream_init(&in, 0);
	for (i = 0; i < rounds; i++) {
		n = 1 + i * 7 % MANY_MESSAGE;
		recv_stream(fd, &in, n, n);
		send_stream(fd, &out, n, n);
	}
	expect_end(fd);
	close(fd);
}

struct churn {
	int lfd;
	uint16_t port;
	unsigned int count;
	unsigned int id;
};

static void churn_once(int fd, unsigned int id)
{
	char request[REQUEST], response[RESPONSE];

	memset(request, id, sizeof(request));
	send_all(fd, request, sizeof(request));
	recv_all(fd, response, sizeof(response));
	CHECK(response[0] == (char)id && !memcmp(response, response + 1, RESPONSE - 1),
	      "not the answer to this request");
}

static int churn_clients(void *arg)
{
	struct churn *c = arg;
	unsigned int i;
	int fd;

	for (i = 0; i < c->count; i++) {
		fd = new_socket(0);
		OK(connect_fd(fd, c->port));
		if (i % 100 == 0)
			check_mode(fd);
		churn_once(fd, i + c->id);
		close(fd);
	}
	return 0;
}

static int churn_servers(void *arg)
{
	struct churn *c = arg;
	char request[REQUEST], response[RESPONSE];
	unsigned int i;
	int fd;

	for (i = 0; i < c->count; i++) {
		fd = OK(accept(c->lfd, NULL, NULL));
		recv_all(fd, request, sizeof(request));
		memset(response, request[REQUEST - 1], sizeof(response));
		send_all(fd, response, sizeof(response));
		expect_end(fd);
		close(fd);
	}
	return 0;
}

/* Runs @fn in this number of processes; each process gets its share of the
 * work.
 */
static void churn(int (*fn)(void *arg), struct churn *c, unsigned int parallel)
{
	unsigned int total = scaled(CHURN, 5 * CHURN_PARALLEL);
	int pids[CHURN_PARALLEL];
	uint64_t start = now_ms();
	unsigned int i;

	c->count = total / parallel;
	for (i = 0; i < parallel; i++) {
		c->id = i * 31;
		pids[i] = child_start(fn, c);
	}
	for (i = 0; i < parallel; i++)
		RETURNS(0, child_wait(pids[i]));
	note("%u connections, %u at a time, %llu per second", c->count * parallel,
	     parallel, c->count * parallel * 1000ULL / (now_ms() - start + 1));
}

static void churn_client(unsigned int parallel)
{
	struct churn c = { .port = ctl_wait_u64("PORT") };

	churn(churn_clients, &c, parallel);
}

static void churn_server(unsigned int parallel)
{
	struct churn c;

	c.lfd = new_listener(128, &c.port);
	ctl_send_u64("PORT", c.port);
	churn(churn_servers, &c, parallel);
	close(c.lfd);
}

static void churn1_client(void)
{
	churn_client(1);
}

static void churn1_server(void)
{
	churn_server(1);
}

static void churn8_client(void)
{
	churn_client(CHURN_PARALLEL);
}

static void churn8_server(void)
{
	churn_server(CHURN_PARALLEL);
}

static const struct peer_case data_cases[] = {
	{ "bulk", bulk, bulk, .limit_s = 60 },
	{ "mixed_lengths", mixed, mixed, .limit_s = 40 },
	{ "odd_through_small_buffers", odd, odd, .limit_s = 40 },
	{ "sizes", sizes_client, sizes_server, .limit_s = 40 },
	{ "many", many_client, many_server, .limit_s = 40 },
	{ "ping_pong", ping_pong_client, ping_pong_server, .limit_s = 40 },
	{ "churn1", churn1_client, churn1_server, .limit_s = 40 },
	{ "churn8", churn8_client, churn8_server, .limit_s = 40 },
};

CASE_GROUP(group_data, data);
