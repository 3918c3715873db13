// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the size of the receive element of a connection without frames: it is
 * net.smc.rmem_start until traffic of the same peer and port has proved to be
 * bulk. Both ends of the connections are in one process.
 */
#include <stdio.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	START = 64 * KIB,
	MOST = 256 * KIB,
	OWN = 128 * KIB,
	PIECE = 32 * KIB,
	BULK = 4 * MIB,		/* more than enough to prove bulk */
	REQUEST = 16 * KIB,
	REQUESTS = 2 * MIB / REQUEST,
};

struct world {
	struct setting extension, rmem, start;
	uint16_t port;
	int lfd;
};

static char buf[PIECE];

static void set_size(const struct setting *s, int bytes)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", bytes);
	setting_change(s, text);
}

static void world_begin(struct world *w)
{
	setting_keep(&w->extension, "/proc/sys/net/smc/extension");
	setting_keep(&w->rmem, "/proc/sys/net/smc/rmem");
	setting_keep(&w->start, "/proc/sys/net/smc/rmem_start");
	set_size(&w->extension, 0);
	set_size(&w->rmem, MOST);
	set_size(&w->start, START);
	w->lfd = new_listener(1, &w->port);
}

static void world_end(struct world *w)
{
	close(w->lfd);
	setting_restore(&w->start);
	setting_restore(&w->rmem);
	setting_restore(&w->extension);
}

/* The kernel reports twice the size. */
static int element(int fd)
{
	return get_int(fd, SOL_SOCKET, SO_RCVBUF) / 2;
}

static void pair(const struct world *w, int *client, int *child)
{
	*client = connect_to(w->port);
	*child = accept_from(w->lfd);
}

static void end_pair(int client, int child)
{
	close(client);
	close(child);
}

static void elements_are(const struct world *w, int client_size, int child_size)
{
	int client, child;

	pair(w, &client, &child);
	RETURNS(client_size, element(client));
	RETURNS(child_size, element(child));
	end_pair(client, child);
}

/* The writer always waits for room, and the reader takes all. */
static void stream(int from, int to)
{
	uint64_t sent = 0, got = 0;
	ssize_t n;

	while (got < BULK) {
		while (sent < BULK) {
			n = send(from, buf, PIECE, MSG_DONTWAIT);
			if (n < 0) {
				CHECK(errno == EAGAIN, "send: %s",
				      strerrorname(errno));
				break;
			}
			sent += n;
		}
		n = OK(recv(to, buf, PIECE, 0));
		CHECK(n, "the stream ended after %ju bytes", got);
		got += n;
	}
	CHECK(got == sent, "%ju bytes of %ju", got, sent);
}

/* The end that has received bulk data gets larger elements, for this port. */
static void learned(void)
{
	struct world w, other;
	int client, child;

	world_begin(&w);
	pair(&w, &client, &child);
	RETURNS(START, element(client));
	RETURNS(START, element(child));
	stream(client, child);
	elements_are(&w, START, MOST);
	stream(child, client);
	elements_are(&w, MOST, MOST);
	other = w;
	other.lfd = new_listener(1, &other.port);
	elements_are(&other, START, START);
	close(other.lfd);
	end_pair(client, child);
	world_end(&w);
}

/* Requests and answers are no bulk data, however many there are. */
static void requests(void)
{
	struct world w;
	int client, child, i;

	world_begin(&w);
	pair(&w, &client, &child);
	for (i = 0; i < REQUESTS; i++) {
		send_all(client, buf, REQUEST);
		recv_all(child, buf, REQUEST);
		send_all(child, buf, 1);
		recv_all(client, buf, 1);
	}
	elements_are(&w, START, START);
	end_pair(client, child);
	world_end(&w);
}

/* A program and an administrator decide for themselves. */
static void asked(void)
{
	struct world w;
	int client, child, fd;

	world_begin(&w);
	fd = new_socket(0);
	set_int(fd, SOL_SOCKET, SO_RCVBUF, OWN);
	OK(connect_fd(fd, w.port));
	child = accept_from(w.lfd);
	RETURNS(OWN, element(fd));
	RETURNS(START, element(child));
	end_pair(fd, child);
	set_size(&w.start, MOST);
	elements_are(&w, MOST, MOST);
	set_size(&w.start, START);
	set_size(&w.rmem, START / 2);
	pair(&w, &client, &child);
	RETURNS(START / 2, element(client));
	end_pair(client, child);
	world_end(&w);
}

static const struct peer_case bulk_cases[] = {
	{ "bulk_learned", learned, .smc_only = true },
	{ "bulk_requests", requests, .smc_only = true },
	{ "bulk_asked", asked, .smc_only = true },
};

const struct case_group group_bulk = {
	"bulk", bulk_cases, ARRAY_SIZE(bulk_cases), .by_name_only = true
};
