/* SPDX-License-Identifier: GPL-2.0 */
/*
 * smc_compare: the same calls on TCP and on AF_SMC.
 *
 * An op is one call of the socket interface on a slot, which holds a socket. A
 * world is a set of slots whose sockets belong together. A program is a list of
 * ops, and every program has a text: "connect c l; send c 10".
 */
#ifndef SMC_COMPARE_OP_H
#define SMC_COMPARE_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Slots c and d are on the client's host, and l, s and t on the server's. */
enum slot_name {
	SLOT_C,
	SLOT_D,
	SLOT_L,
	SLOT_S,
	SLOT_T,
	NR_SLOTS
};

enum op_kind {
	OP_SOCKET,
	OP_BIND,
	OP_LISTEN,
	OP_CONNECT,	/* arg: enum target */
	OP_ACCEPT,	/* arg: slot of the new socket */
	OP_CLOSE,
	OP_SHUTDOWN,	/* arg: SHUT_RD... */
	OP_SEND,	/* arg: bytes, flags */
	OP_RECV,	/* arg: bytes, flags */
	OP_GET,		/* arg: index of option */
	OP_SET,		/* arg: index of option; new value */
	OP_IOCTL,	/* arg: enum request */
	OP_NAME,	/* arg: 0: own name, 1: name of the peer */
	OP_SPLICE_IN,	/* arg: bytes; from a pipe to the socket */
	OP_SPLICE_OUT,	/* arg: bytes; from the socket to a pipe */
	OP_DUP,		/* duplicates the descriptor, and closes the copy */
	OP_FORK,	/* a child process sends one byte and exits */
	OP_SIGNALS,	/* O_ASYNC and F_SETOWN */
	OP_FILL,	/* sends until no more bytes fit */
	OP_DRAIN,	/* receives until all bytes have arrived */
	OP_OUTQ,	/* waits until the peer has got all bytes */
	OP_END,		/* waits until the slot's blocked call is over */
	NR_OPS
};

enum target {
	TARGET_L,	/* port of the world's listener */
	TARGET_CLOSED,	/* a port on which nobody listens */
	TARGET_UNSPEC,	/* AF_UNSPEC: disconnects */
	TARGET_SHORT,	/* an address that is too short */
	TARGET_UNIX,	/* an address of another family */
	TARGET_FAULT,	/* a bad pointer */
};

/* Bits of send and receive flags that are not MSG_*: */
#define FLAG_FAULT	0x40000000	/* the buffer is a bad pointer */

/* Special values of OP_SET: */
#define VALUE_SHORT	(-1000)		/* optlen is 1 */
#define VALUE_FAULT	(-1001)		/* optval is a bad pointer */

struct op {
	uint8_t kind;
	uint8_t slot;
	uint8_t blocks;		/* runs without O_NONBLOCK in a thread */
	int32_t arg[2];
};

enum { MAX_OPS = 48, MAX_TEXT = 4096 };

struct program {
	unsigned int nr;
	struct op ops[MAX_OPS];
};

struct option_type {
	const char *name;
	int level;
	int opt;
	int len;	/* bytes of the value, sizeof(int) or more */
	bool opaque;	/* the value differs between runs: compare errno only */
	int values[4];	/* what a random program sets; the first 0 ends it */
};

extern const struct option_type options[];
extern const unsigned int nr_options;
extern const char slot_letters[NR_SLOTS + 1];

/* Does the op send bytes? */
bool op_sends(const struct op *op);
/* Returns the number of characters. */
int op_print(const struct op *op, char *text, size_t size);
void program_print(const struct program *p, char *text, size_t size);
/* Returns NULL, or the statement that is wrong. */
const char *program_parse(struct program *p, const char *text);
/* Appends one op. Returns false if the program is full. */
bool program_add(struct program *p, const struct op *op);

#endif
