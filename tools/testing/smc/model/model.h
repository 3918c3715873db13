/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Model of two hosts that speak the extension of frames.rst over two links. The
 * rules are those of the module: the model is built from the same source. The
 * model adds the environment: applications, queues of WRITEs and SENDs that are
 * delivered in order per link, completions, links that fail, elements.
 *
 * A schedule is a sequence of random steps from a seed. All bytes that an
 * application reads are checked. enum model_fault selects a rule that the model
 * breaks on purpose, to show that the model detects this.
 */
#ifndef SMC_MODEL_H
#define SMC_MODEL_H

#include <linux/kernel.h>
#include <linux/types.h>
#include <string.h>

#include "../../../../net/smc/conn/frames.h"
#include "../../../../net/smc/conn/frames_answer_fsm.h"
#include "../../../../net/smc/conn/frames_ask_fsm.h"
#include "../../../../net/smc/conn/frames_window.h"
#include "../../../../net/smc/group/pack.h"
#include "../../../../net/smc/group/unpack.h"
#include "../../../../net/smc/wire/ext.h"
#include "../../../../net/smc/wire/frame.h"

enum {
	HOSTS		= 2,
	CONNS		= 3,
	LINKS		= 2,
	ELEMENTS	= 4,	/* of a host; few, so that they are reused soon */
	ELEMENT_MAX	= 256,
	STREAM_MAX	= 1000,
	WINDOW_START	= 48,
	WINDOW_MAX	= 512,
	FRAME_MAX	= 256,
	OPS		= 64,	/* of a link and direction that are not done */
	RECORDS		= CONNS,
};

/* Rules that can be broken on purpose. */
enum model_fault {
	FAULT_NONE,
	/* an element is given away while late WRITEs can still arrive */
	FAULT_REUSE,
	/* the sender continues behind bytes that were lost */
	FAULT_GAP,
	/* the next offer does not wait for the echo */
	FAULT_ECHO,
	/* a completion of an earlier link counts as delivery */
	FAULT_OLD_DONE,
	/* a record of the old link is taken after the answer */
	FAULT_OVERTAKEN,
	/* SENDs are posted without a credit */
	FAULT_CREDIT,
	/*
	 * a frame that was kept for lack of memory is taken again from its
	 * first record
	 */
	FAULT_AGAIN,
	/* a record of an earlier link raises a window that was lowered */
	FAULT_RAISE,
	/* a lower window holds before the sender has received it */
	FAULT_NARROW,
	FAULTS,
};

/* Errors that the model detects; bits of struct world.wrong */
enum model_wrong {
	WRONG_BYTE,		/* an application read another byte than was sent */
	WRONG_END,		/* the stream ends too early or too late */
	WRONG_ABORT,		/* a connection was aborted without a reason */
	WRONG_FOREIGN,		/* a WRITE hit an element of somebody else */
	WRONG_FREED,		/* the sender needs bytes that it has freed */
	WRONG_RNR,		/* a SEND found no receive */
	WRONG_CREDIT,		/* credits went back */
	WRONG_FRAME,		/* a frame cannot be read */
	WRONG_STUCK,		/* connections do not end */
	WRONG_LEAK,		/* elements are not released */
	WRONG_REST,		/* a connection waits for traffic without a reason */
	WRONG_KINDS,
};

struct element {
	struct smc_frames_element offered; /* its offer by @owner */
	u8 mem[ELEMENT_MAX];
	u32 size;
	int owner;		/* connection, or -1 */
};

/* One end of a connection. */
struct end {
	struct smc_frames f;
	unsigned int link;	/* slot of the link over which it sends */
	u32 token;
	u64 total;		/* bytes of the stream that it sends */
	u64 prep;
	struct smc_frames_window window; /* that it grants */
	u8 inline_mem[STREAM_MAX];
	s8 where[STREAM_MAX];	/* element of a received byte, or -1: inline */
	bool aborting;		/* has sent or received A */
	bool gone;
};

enum op_kind { OP_WRITE, OP_SEND, OP_LLC };

struct op {
	u8 kind;
	u8 element;		/* OP_WRITE */
	s8 conn;		/* OP_WRITE */
	u32 offset;
	u32 len;
	u8 bytes[FRAME_MAX];
	struct smc_pack_entry settles[RECORDS];
	unsigned int n_settles;
};

/*
 * The operations that one host has posted to the other over a link, in order.
 * The counts only grow; done <= acked <= placed <= posted, and taken <= placed.
 */
struct pipe {
	struct op op[OPS];
	unsigned int posted;
	unsigned int placed;	/* at the receiver: in memory, or received */
	unsigned int taken;	/* handled by the receiver */
	unsigned int acked;	/* known to be placed by the sender's adapter */
	unsigned int done;	/* completions handled by the sender */
	unsigned int limit;	/* after a failure: these may still be placed */
	unsigned int receives;	/* posted by the receiver */
	unsigned int kept;	/* receives that wait to be posted again */
	u32 speed;		/* percent of the steps in which a WRITE or SEND
				 * of this pipe arrives
				 */
};

enum port_state { PORT_UP, PORT_FAILED, PORT_CLOSING, PORT_CLOSED };

/* The endpoint of a link at one host. */
struct port {
	enum port_state state;
	struct smc_credit credit;
	struct smc_coalesce coalesce;
	struct smc_unpack unpack;
	struct pipe out;
};

struct link {
	u32 number;
	struct port port[HOSTS];
};

struct world {
	u64 rnd;
	u64 now;		/* ns */
	u32 next_link;
	enum model_fault fault;
	u32 wrong;		/* bits of enum model_wrong */
	bool quiet;		/* no more failures: all connections must end */
	bool trace;
	u8 version;		/* of the extension */
	u64 packed;		/* frames with several records, for the summary */
	u64 kept;		/* frames that waited for memory, for the summary */
	u64 moves;		/* changes of links, for the summary */
	u64 bytes;		/* bytes read, for the summary */
	u64 written;		/* bytes written to elements, for the summary */
	u64 narrowed;		/* windows that were lowered, for the summary */
	struct link link[LINKS];
	struct element element[HOSTS][ELEMENTS];
	struct end end[HOSTS][CONNS];
};

u32 model_rnd(struct world *w, u32 below);
bool model_chance(struct world *w, u32 percent);
void model_wrong(struct world *w, enum model_wrong what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void model_note(const struct world *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ends.c: the two ends of connections */
u8 model_byte(unsigned int host, int conn, u64 pos);
void model_ends_start(struct world *w);
void model_app_send(struct world *w, unsigned int h, int c);
void model_app_read(struct world *w, unsigned int h, int c);
void model_app_abort(struct world *w, unsigned int h, int c);
void model_offer(struct world *w, unsigned int h, int c);
void model_release(struct world *w, unsigned int h, int c);
void model_move(struct world *w, unsigned int h, int c, unsigned int to);
void model_leave(struct world *w, unsigned int h, int c);
void model_take_record(struct world *w, unsigned int h, u32 link,
		       const struct smc_frame_record *said);
void model_closed(struct world *w, unsigned int h, u32 link);

/* links.c: frames, pipes and failures */
void model_links_start(struct world *w);
void model_build(struct world *w, unsigned int h, unsigned int l);
void model_llc(struct world *w, unsigned int h, unsigned int l);
bool model_place(struct world *w, unsigned int from, unsigned int l);
void model_ack(struct world *w, unsigned int from, unsigned int l);
bool model_take(struct world *w, unsigned int h, unsigned int l);
bool model_done(struct world *w, unsigned int h, unsigned int l);
void model_repost(struct world *w, unsigned int h, unsigned int l);
bool model_may_fail(const struct world *w, unsigned int l);
void model_fail(struct world *w, unsigned int h, unsigned int l);
void model_close(struct world *w, unsigned int h, unsigned int l);
void model_new_link(struct world *w, unsigned int l);

/* Key of an element's RMB on a link, and back. */
static inline u32 model_key(u32 link, u32 rmb)
{
	return link * 1000 + rmb;
}

#endif
