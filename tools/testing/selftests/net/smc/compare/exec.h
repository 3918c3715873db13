/* SPDX-License-Identifier: GPL-2.0 */
/* The sockets of a world, or those that live on one host. */
#ifndef SMC_COMPARE_EXEC_H
#define SMC_COMPARE_EXEC_H

#include <pthread.h>

#include "op.h"

/* The result of a call. */
struct result {
	int32_t ret;
	int32_t err;		/* errno, 0 after success */
	int32_t sigpipe;	/* signals SIGPIPE during the call */
	int32_t flags;		/* of recvmsg(), or properties of an address */
	uint32_t sum;		/* hash of what the call has returned */
	int32_t moved;		/* bytes; not compared */
};

enum blocked {
	BLOCKED_NONE,
	BLOCKED_YES,	/* the call sleeps */
	BLOCKED_RUNS,	/* the call neither sleeps nor is over */
	BLOCKED_OVER,
};

enum signal_seen {
	SIGNAL_IO = 1,
	SIGNAL_URG = 2,
};

/* What the socket of a slot shows at one moment. */
struct slot_view {
	int32_t open;
	uint32_t mask;		/* of poll() */
	int32_t inq;		/* SIOCINQ, or a negative errno */
	int32_t mark;		/* SIOCATMARK, or a negative errno */
	int32_t blocked;	/* enum blocked, of the slot's thread */
	struct result over;	/* result of the thread */
	/* The following members are not compared directly. */
	uint32_t edges;		/* epoll has reported this since the last op */
	uint32_t signals;	/* signals since the last op */
	uint64_t received;	/* bytes, as TCP_INFO counts */
	uint16_t port;		/* own port, and that of the peer */
	uint16_t peer;
};

struct slot {
	int fd;			/* -1: empty */
	uint32_t edges;
	uint32_t signals;
	uint32_t sent;		/* position in the pattern */
	bool waits;		/* the descriptor is without O_NONBLOCK */
	uint16_t port;
	uint16_t peer;
	/* a call that may block, in a thread of its own */
	struct {
		pthread_t thread;
		struct op op;
		struct result result;
		int32_t tid;	/* 0 until the thread runs */
		bool over;
		bool used;
	} call;
	struct exec *exec;
};

/*
 * The slots of one world. client and server are families: AF_SMC or AF_INET.
 */
struct exec {
	struct slot slots[NR_SLOTS];
	int family[2];		/* of the client's slots, of the server's */
	int epoll;
	uint16_t port;		/* of the listener */
	char addr[16];		/* of the server */
};

enum { NR_WORLDS = 2 };

bool slot_of_server(int slot);
/* Prepares signals. Call it once, before exec_start(). */
void exec_init(void);
void exec_start(struct exec *x, int client, int server, const char *addr);
/*
 * An op of this world begins, here or on the other host: events and signals
 * from now on are counted for this op.
 */
void exec_begin(struct exec *x);
/* Runs one op. Returns when the call is over, or has started in a thread. */
void exec_op(struct exec *x, const struct op *op, struct result *r);
void exec_view(struct exec *x, struct slot_view *views);
/* Ends blocked calls, and closes all sockets. Returns false if a call does not
 * end.
 */
bool exec_reset(struct exec *x);

#endif
