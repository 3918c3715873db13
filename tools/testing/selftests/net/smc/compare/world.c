// SPDX-License-Identifier: GPL-2.0
#include "world.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../peer/socket_list.h"

/* A request to the agent, and its answer. */
struct request {
	uint32_t ask;
	uint32_t world;
	uint16_t port;
	int32_t family;		/* of the server's sockets */
	struct op op;
	char addr[16];
};

struct answer {
	struct result result;
	struct slot_view views[NR_SLOTS];
	int32_t ended;
	char mode[16];
};

/* Limit of the wait for an event that usually occurs. */
enum { SOFT_MS = 100 };

unsigned int slow = 1;

uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* ---- the agent ---- */

static bool transfer(int fd, void *data, size_t len, bool out)
{
	char *at = data;
	ssize_t n;

	while (len) {
		n = out ? send(fd, at, len, MSG_NOSIGNAL) : recv(fd, at, len, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= n;
	}
	return true;
}

static void mode_of(int fd, char mode[16])
{
	struct listed_socket *list = NULL;
	struct stat st;
	size_t i, nr = 0;

	snprintf(mode, 16, "?");
	if (fd < 0 || fstat(fd, &st) || socket_list(&list, &nr))
		return;
	for (i = 0; i < nr; i++)
		if (list[i].inode == st.st_ino)
			snprintf(mode, 16, "%s", listed_mode(&list[i]));
	free(list);
}

static void answer_one(struct exec *x, const struct request *req,
		       struct answer *ans)
{
	memset(ans, 0, sizeof(*ans));
	switch (req->ask) {
	case ASK_BEGIN:
		exec_begin(x);
		break;
	case ASK_OP:
		exec_op(x, &req->op, &ans->result);
		break;
	case ASK_RESET:
		ans->ended = exec_reset(x);
		x->port = req->port;
		x->family[1] = req->family;
		memcpy(x->addr, req->addr, sizeof(x->addr));
		break;
	case ASK_MODE:
		mode_of(x->slots[req->op.slot].fd, ans->mode);
		return;
	default:
		break;
	}
	exec_view(x, ans->views);
}

static void serve_one(int fd)
{
	static struct exec execs[NR_WORLDS];
	struct request req;
	struct answer ans;
	int i;

	for (i = 0; i < NR_WORLDS; i++)
		exec_start(&execs[i], AF_INET, AF_INET, "127.0.0.1");
	while (transfer(fd, &req, sizeof(req), false) && req.world < NR_WORLDS) {
		answer_one(&execs[req.world], &req, &ans);
		if (!transfer(fd, &ans, sizeof(ans), true))
			break;
	}
	for (i = 0; i < NR_WORLDS; i++) {
		exec_reset(&execs[i]);
		close(execs[i].epoll);
	}
}

static struct addrinfo *resolve(const char *host, const char *port)
{
	struct addrinfo hints = {
		.ai_family = AF_INET,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = host ? 0 : AI_PASSIVE,
	};
	struct addrinfo *found;

	return getaddrinfo(host, port, &hints, &found) ? NULL : found;
}

static int listen_on(const char *port)
{
	struct addrinfo *a = resolve(NULL, port);
	int fd = -1, one = 1;

	if (!a)
		return -1;
	fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, 4)) {
		perror("listen");
		close(fd);
		fd = -1;
	}
	freeaddrinfo(a);
	return fd;
}

/* To stop the agent, a client sends one byte and closes the connection. */
int agent_serve(const char *port, bool background)
{
	int lfd = listen_on(port), fd, one = 1;
	char first;

	if (lfd < 0)
		return EXIT_FAILURE;
	if (background && daemon(0, 0))
		return EXIT_FAILURE;
	for (;;) {
		fd = accept4(lfd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		if (!transfer(fd, &first, 1, false) || first != 'c') {
			if (first == 'x')
				return EXIT_SUCCESS;
		} else {
			serve_one(fd);
		}
		close(fd);
	}
}

static int call_agent(const char *host, const char *port, char first)
{
	struct addrinfo *a = resolve(host, port);
	int fd, one = 1;

	if (!a)
		return -1;
	fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, 0);
	if (connect(fd, a->ai_addr, a->ai_addrlen) ||
	    !transfer(fd, &first, 1, true)) {
		close(fd);
		fd = -1;
	} else {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	freeaddrinfo(a);
	return fd;
}

int agent_call(const char *host, const char *port)
{
	return call_agent(host, port, 'c');
}

int agent_stop(const char *host, const char *port)
{
	int fd = call_agent(host, port, 'x');
	char byte;

	if (fd < 0)
		return EXIT_FAILURE;
	transfer(fd, &byte, 1, false);
	close(fd);
	return EXIT_SUCCESS;
}

/* ---- both hosts ---- */

static void ask(struct world *w, enum ask_kind what, const struct op *op,
		struct answer *ans)
{
	struct request req = {
		.ask = what,
		.world = w->number,
		.port = w->exec.port,
		.family = w->exec.family[1],
	};

	if (op)
		req.op = *op;
	memcpy(req.addr, w->exec.addr, sizeof(req.addr));
	if (transfer(w->ctl, &req, sizeof(req), true) &&
	    transfer(w->ctl, ans, sizeof(*ans), false))
		return;
	fprintf(stderr, "smc_compare: the agent has gone\n");
	exit(EXIT_FAILURE);
}

static bool is_remote(const struct world *w, int slot)
{
	return w->ctl >= 0 && slot_of_server(slot);
}

static void take_views(struct world *w, const struct slot_view *views)
{
	int i;

	for (i = SLOT_L; i < NR_SLOTS; i++)
		w->views[i] = views[i];
}

void world_look(struct world *w)
{
	struct answer ans;

	exec_view(&w->exec, w->views);
	if (w->ctl < 0)
		return;
	ask(w, ASK_VIEW, NULL, &ans);
	take_views(w, ans.views);
}

void world_start(struct world *w, int number, int client, int server,
		 const char *addr, int ctl)
{
	memset(w, 0, sizeof(*w));
	exec_start(&w->exec, client, server, addr);
	w->number = number;
	w->ctl = ctl;
}

bool world_reset(struct world *w, uint16_t port)
{
	struct answer ans = { .ended = 1 };
	bool ended = exec_reset(&w->exec);

	w->exec.port = port;
	if (w->ctl >= 0)
		ask(w, ASK_RESET, NULL, &ans);
	memset(w->views, 0, sizeof(w->views));
	w->nr_conns = 0;
	return ended && ans.ended;
}

void world_mode(struct world *w, int slot, char mode[16])
{
	struct op op = { .slot = slot };
	struct answer ans;

	if (!is_remote(w, slot)) {
		mode_of(w->exec.slots[slot].fd, mode);
		return;
	}
	ask(w, ASK_MODE, &op, &ans);
	memcpy(mode, ans.mode, 16);
}

/* ---- what must arrive ---- */

/* Returns the connection of the slot, and stores which end the slot is. */
static struct conn *conn_of(struct world *w, int slot, int *end)
{
	unsigned int i;

	for (i = 0; i < w->nr_conns; i++)
		for (*end = 0; *end < 2; ++*end)
			if (w->conns[i].end[*end] == slot)
				return &w->conns[i];
	return NULL;
}

bool world_peer_closed(const struct world *w, int slot)
{
	const struct conn *conn;
	unsigned int i;
	int end;

	for (i = 0; i < w->nr_conns; i++) {
		conn = &w->conns[i];
		for (end = 0; end < 2; end++)
			if (conn->end[end] == slot)
				return conn->end[1 - end] == NO_END &&
				       conn->fin[1 - end];
	}
	return false;
}

static void end_left(struct world *w, int slot)
{
	struct conn *conn;
	int end;

	conn = conn_of(w, slot, &end);
	if (!conn)
		return;
	conn->end[end] = NO_END;
	if (w->views[slot].blocked == BLOCKED_YES)
		return;	/* the call holds the file */
	conn->fin[end] = true;
	conn->connecting = false;
}

static void add_conn(struct world *w, int slot)
{
	struct conn *conn;
	int end;

	/* a second call reports the outcome of the first */
	conn = conn_of(w, slot, &end);
	if (conn && !end && conn->port == w->views[slot].port)
		return;
	end_left(w, slot);
	if (w->nr_conns == MAX_CONNS)
		return;
	conn = &w->conns[w->nr_conns++];
	*conn = (struct conn){
		.port = w->views[slot].port,
		.connecting = true,
		.end = { slot, NO_END },
	};
}

static void join_conn(struct world *w, int slot)
{
	unsigned int i = w->nr_conns;

	end_left(w, slot);
	while (i--)
		if (w->views[slot].peer &&
		    w->conns[i].port == w->views[slot].peer) {
			w->conns[i].end[1] = slot;
			return;
		}
}

static void count(struct world *w, const struct op *op, const struct result *r)
{
	struct conn *conn;
	int end;

	conn = conn_of(w, op->slot, &end);
	if (!conn)
		return;
	conn->got[end] += r->moved;
	switch (op->kind) {
	case OP_SEND:
	case OP_SPLICE_IN:
	case OP_FORK:
		conn->sent[end] += r->ret > 0 ? r->ret : 0;
		break;
	case OP_FILL:
		conn->got[end] -= r->moved;
		conn->sent[end] += r->moved;
		conn->loose = true;
		break;
	case OP_SHUTDOWN:
		conn->fin[end] |= !r->ret && op->arg[0] != SHUT_RD;
		break;
	default:
		break;
	}
}

/* A blocked writer ends only when the peer has taken all its bytes. */
static void expect(struct world *w, const struct op *op)
{
	struct conn *conn;
	int end;

	conn = conn_of(w, op->slot, &end);
	if (!conn)
		return;
	conn->sent[end] += op->arg[0];
	conn->loose = true;
}

/* Updates the expected state after an op. The views are those after the op. */
static void follow(struct world *w, const struct op *op, const struct result *r)
{
	switch (op->kind) {
	case OP_SOCKET:
	case OP_CLOSE:
		end_left(w, op->slot);
		break;
	case OP_CONNECT:
		if (op->arg[0] == TARGET_UNSPEC && !r->ret)
			end_left(w, op->slot);
		else if (op->arg[0] <= TARGET_CLOSED &&
			 (!r->ret || r->err == EINPROGRESS))
			add_conn(w, op->slot);
		break;
	case OP_ACCEPT:
		if (!r->ret)
			join_conn(w, op->arg[0]);
		break;
	default:
		count(w, op, r);
		break;
	}
}

static bool bytes_missing(const struct world *w, const struct op *op)
{
	struct world *mine = (struct world *)w;
	const struct conn *conn;
	int end;

	conn = conn_of(mine, op->slot, &end);
	return conn && conn->got[end] < conn->sent[!end];
}

static void one_op(struct world *w, const struct op *op, struct result *r)
{
	struct answer ans;
	unsigned int i;

	/* after the previous op the worlds had time for this */
	for (i = 0; i < w->nr_conns; i++)
		w->conns[i].connecting = false;
	exec_begin(&w->exec);
	if (w->ctl >= 0)
		ask(w, ASK_BEGIN, NULL, &ans);
	if (is_remote(w, op->slot)) {
		ask(w, ASK_OP, op, &ans);
		*r = ans.result;
		exec_view(&w->exec, w->views);
		take_views(w, ans.views);
	} else {
		exec_op(&w->exec, op, r);
		world_look(w);
	}
	if (!op->blocks)
		follow(w, op, r);
	else if (op->kind == OP_SEND)
		expect(w, op);
}

/* From here on, there is room for bytes that are sent. */
static void drained(struct world *w, const struct op *op)
{
	struct conn *conn;
	int end;

	conn = conn_of(w, op->slot, &end);
	if (conn && conn->got[!end] >= conn->sent[end])
		conn->loose = false;
}

void world_op(struct world *w, const struct op *op, struct result *r)
{
	uint64_t until = now_ms() + 10000 * slow;

	one_op(w, op, r);
	if (op->kind != OP_DRAIN)
		return;
	while (!r->ret && bytes_missing(w, op)) {
		if (now_ms() > until) {
			r->ret = -1;
			r->err = ETIMEDOUT;
			return;
		}
		sched_yield();
		one_op(w, op, r);
	}
	drained(w, op);
}

static bool end_settled(const struct world *w, const struct conn *conn, int end)
{
	const struct slot_view *v;

	if (conn->end[end] == NO_END)
		return true;
	v = &w->views[conn->end[end]];
	if (!v->open)
		return true;
	if (!end && conn->connecting && !v->mask)
		return false;
	if (conn->loose)
		return true;
	if (conn->fin[!end] && !(v->mask & (POLLRDHUP | POLLHUP)))
		return false;
	return (v->mask & (POLLERR | POLLHUP)) ||
	       v->received >= conn->sent[!end];
}

bool world_settled(const struct world *w)
{
	unsigned int i;

	for (i = 0; i < NR_SLOTS; i++)
		if (w->views[i].blocked == BLOCKED_RUNS)
			return false;
	for (i = 0; i < w->nr_conns; i++)
		if (!end_settled(w, &w->conns[i], 0) ||
		    !end_settled(w, &w->conns[i], 1))
			return false;
	return true;
}

bool world_loose(const struct world *w)
{
	unsigned int i;

	for (i = 0; i < w->nr_conns; i++)
		if (w->conns[i].loose)
			return true;
	return false;
}

/*
 * Waits for a limited time until a listener shows that a connection waits,
 * because it need not show it.
 */
static bool listener_settled(const struct world *w)
{
	const struct slot_view *l = &w->views[SLOT_L];
	unsigned int i;

	if (!l->open || l->inq >= 0 || (l->mask & POLLIN))
		return true;
	for (i = 0; i < w->nr_conns; i++)
		if (w->conns[i].end[1] == NO_END && !w->conns[i].fin[1] &&
		    w->conns[i].end[0] != NO_END &&
		    !(w->views[w->conns[i].end[0]].mask & (POLLERR | POLLHUP)))
			return false;
	return true;
}

bool world_settle(struct world *w, unsigned int ms)
{
	uint64_t begun = now_ms();

	for (;;) {
		uint64_t took = now_ms() - begun;

		if (world_settled(w) &&
		    (w->ctl < 0 || listener_settled(w) || took > SOFT_MS * slow))
			return true;
		if (took > ms)
			return false;
		sched_yield();
		world_look(w);
	}
}
