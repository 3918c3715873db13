/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receiver of a direction in the dialect of frames.rst: which bytes of a
 * record are new and where they are, what a change of links means, and which
 * elements the sender may use. The code only calculates: the caller owns the
 * bytes and the elements, and holds its locks.
 */
#ifndef _SMC_CONN_FRAMES_IN_H
#define _SMC_CONN_FRAMES_IN_H

#include <linux/types.h>
#include "frames_answer_fsm.h"
#include "frames_element.h"

/**
 * struct smc_frames_move - the sender's newest change of links
 * @number:	its number, or 0
 * @link:	link on which the part move arrived; the sender continues on it
 * @from:	position up to which the sender knows its bytes to be delivered
 * @drained:	the endpoint of @link is closed, its records were taken
 */
struct smc_frames_move {
	u32 number;
	u32 link;
	u64 from;
	bool drained;
};

/**
 * struct smc_frames_in - receiver of a direction
 * @prod:	position behind the last byte taken
 * @cons:	position up to which the owner has read
 * @edge:	the next record allows the sender to send up to this position
 * @bound:	the sender may already be allowed to send up to this position
 * @end:	the stream ends here, or %SMC_FRAMES_NO_END
 * @told_cons:	@cons in the newest record
 * @told_edge:	@edge in the newest record
 * @link:	records of this link are taken; links have numbers from 1 on,
 *		and no number is used twice
 * @drained:	the endpoint of @link is closed, its records were taken
 * @state:	enum smc_frames_answer_state, written by in_step() only
 * @heard:	SMC_FRAME_B, W of the newest record, and D, C, A of all records
 * @owes:	a record must be sent
 * @dropped:	the owner reads no more
 * @arrived:	@prod when the newest answer was made
 * @move:	the sender's newest change of links
 * @elements:	elements for the bytes of the direction
 */
struct smc_frames_in {
	u64 prod;
	u64 cons;
	u64 edge;
	u64 bound;
	u64 end;
	u64 told_cons;
	u64 told_edge;
	u32 link;
	bool drained;
	u8 state;
	u8 heard;
	bool owes;
	bool dropped;
	u64 arrived;
	struct smc_frames_move move;
	struct smc_frames_elements elements;
};

#define SMC_FRAMES_NO_END	(~0ULL)

/**
 * struct smc_frames_got - new bytes of a record, in the order of the stream
 * @from:	position of the first byte in the element
 * @written:	number of bytes in the element; position p is at p modulo its
 *		size
 * @element:	the element, if @written is not 0; valid until
 *		smc_frames_in_release() returns it
 * @data:	number of bytes in the record, which follow
 * @aborted:	the peer has aborted the connection
 */
struct smc_frames_got {
	u64 from;
	u32 written;
	const struct smc_frames_element *element;
	u16 data;
	bool aborted;
};

/* Does the peer wait for a larger window or an element? */
static inline bool smc_frames_in_wants(const struct smc_frames_in *in)
{
	return in->heard & (SMC_FRAME_B | SMC_FRAME_W);
}

/**
 * smc_frames_in_window_due() - must a record tell the sender the new window
 * (F-09)?
 * @in: receiver
 *
 * A sender that waits for the window gets a record after each read. Otherwise a
 * record follows after half of the window, or of the element, has become free.
 * Context: any.
 */
static inline bool smc_frames_in_window_due(const struct smc_frames_in *in)
{
	u64 raised = in->edge - in->told_edge, read = in->cons - in->told_cons;
	u64 open = in->edge > in->cons ? in->edge - in->cons : 0;

	if (in->dropped || in->end != SMC_FRAMES_NO_END)
		return false;
	if (in->heard & SMC_FRAME_B)
		return raised || read;
	return (raised && raised >= open / 2) ||
	       (read && in->elements.newest.size &&
		read >= in->elements.newest.size / 2);
}

/**
 * smc_frames_in_due() - must a record be sent?
 * @in: receiver
 *
 * Context: any.
 */
static inline bool smc_frames_in_due(const struct smc_frames_in *in)
{
	return in->owes || smc_frames_in_window_due(in);
}

/**
 * smc_frames_in_parts() - get the parts that the next record has
 * @in: receiver
 *
 * Context: any. Return: SMC_FRAME_OFFER and ANSWER, or 0.
 */
static inline u8 smc_frames_in_parts(const struct smc_frames_in *in)
{
	u8 parts = 0;

	if (smc_frames_element_due(&in->elements))
		parts |= SMC_FRAME_OFFER;
	if (in->state == SMC_ANSWER_REPEATS)
		parts |= SMC_FRAME_ANSWER;
	return parts;
}

/* Returns how many bytes beyond those read the next record allows. */
static inline u32 smc_frames_in_window(const struct smc_frames_in *in)
{
	return in->edge > in->cons ? (u32)(in->edge - in->cons) : 0;
}

/**
 * smc_frames_in_is_newest() - is a record from the link that the sender changed
 * to last?
 * @in: receiver
 * @link: number of the link over which the record arrived
 * @rec: the record, before smc_frames_in_take()
 *
 * The sender makes records for one link at a time. So records of other links
 * are older than all records of this link. Context: any.
 */
static inline bool
smc_frames_in_is_newest(const struct smc_frames_in *in, u32 link,
			const struct smc_frame_record *rec)
{
	if (rec->parts & SMC_FRAME_MOVE && rec->move > in->move.number)
		return true;
	return link == (in->move.number ? in->move.link : in->link);
}

/**
 * smc_frames_in_read() - note that the owner has read bytes, or has raised the
 * window
 * @in: receiver
 * @cons: position up to which the owner has read
 * @edge: the sender may send up to this position, for which the owner has
 *	charged memory; a lower value than before has no effect
 *
 * Context: any.
 */
static inline void smc_frames_in_read(struct smc_frames_in *in, u64 cons,
				      u64 edge)
{
	in->cons = cons;
	if (edge > in->edge)
		in->edge = edge;
	if (edge > in->bound)
		in->bound = edge;
}

void smc_frames_in_init(struct smc_frames_in *in, u32 link, u32 window);
void smc_frames_in_fill(struct smc_frames_in *in, struct smc_frame_record *rec);
int smc_frames_in_take(struct smc_frames_in *in, u32 link,
		       const struct smc_frame_record *rec,
		       struct smc_frames_got *got);
void smc_frames_in_drop(struct smc_frames_in *in);
bool smc_frames_in_offer(struct smc_frames_in *in,
			 struct smc_frames_element *el);
bool smc_frames_in_narrow(struct smc_frames_in *in, u32 window);
int smc_frames_in_closed(struct smc_frames_in *in, u32 link);
struct smc_frames_element *smc_frames_in_release(struct smc_frames_in *in);

#endif
