// SPDX-License-Identifier: GPL-2.0
/* The receiver of a direction in the dialect of frames. See frames_in.h. */
#include <linux/errno.h>
#include "frames_in.h"

/**
 * smc_frames_in_init() - start a direction at position 0
 * @in: output: the receiver
 * @link: number of the link over which the sender begins
 * @window: bytes that the sender may send before it has received a record
 *
 * Context: any.
 */
void smc_frames_in_init(struct smc_frames_in *in, u32 link, u32 window)
{
	*in = (struct smc_frames_in){
		.edge = window,
		.bound = window,
		.end = SMC_FRAMES_NO_END,
		.told_edge = window,
		.link = link,
	};
}

/* From now on only records of the new link are taken (F-22). */
static void in_answer(struct smc_frames_in *in)
{
	bool late = !in->drained && in->link != in->move.link;

	smc_frames_element_withdraw(&in->elements, late ? in->link : 0);
	in->link = in->move.link;
	in->drained = in->move.drained;
	in->arrived = in->prod;
	in->owes = true;
}

/* Drives the state machine. Return: 0, or -ENODATA: bytes are lost. */
static int in_step(struct smc_frames_in *in, u8 event)
{
	const struct smc_fsm_cell *cell;

	cell = smc_fsm_step(&smc_frames_answer_fsm, &in->state, event);
	switch ((enum smc_frames_answer_action)cell->action) {
	case SMC_ANSWER_DO_ANSWER:
		in_answer(in);
		break;
	case SMC_ANSWER_DO_LOST:
		return -ENODATA;
	case SMC_ANSWER_DO_NOTE:
		if (in->drained)
			return in_step(in, SMC_ANSWER_EV_DRAINED);
		break;
	case SMC_ANSWER_DO_NOTHING:
		break;
	}
	return 0;
}

/**
 * smc_frames_in_fill() - fill in the fields of a record that describe this
 * direction
 * @in: receiver
 * @rec: record; the function sets @cons, @window, @offer, @answer, @arrived,
 *	and adds the parts of smc_frames_in_parts(). The caller replaces
 *	@rec->offer.rkey by the key of the RMB on the link.
 *
 * Each record has the complete state, so a lost record is not repeated.
 * Context: any.
 */
void smc_frames_in_fill(struct smc_frames_in *in, struct smc_frame_record *rec)
{
	rec->parts |= smc_frames_in_parts(in);
	rec->cons = in->cons;
	rec->window = smc_frames_in_window(in);
	if (rec->parts & SMC_FRAME_OFFER)
		rec->offer = in->elements.newest;
	if (rec->parts & SMC_FRAME_ANSWER) {
		rec->answer = in->move.number;
		rec->arrived = in->arrived;
	}
	in->told_cons = in->cons;
	in->told_edge = in->edge;
	in->owes = false;
}

static int in_take_move(struct smc_frames_in *in, u32 link,
			const struct smc_frame_record *rec)
{
	if (rec->move <= in->move.number)
		return 0;	/* a repeated move, or an old one */
	if (rec->prod > in->bound)
		return -EPROTO;
	in->move = (struct smc_frames_move){
		.number = rec->move,
		.link = link,
		.from = rec->prod,
	};
	return in_step(in, rec->prod > in->prod ? SMC_ANSWER_EV_MOVE_AHEAD :
						  SMC_ANSWER_EV_MOVE);
}

/* Finds out where the new bytes are. Bytes between the old position and the
 * data of the record are in the element that the record names (F-15).
 */
static int in_take_bytes(struct smc_frames_in *in,
			 const struct smc_frame_record *rec,
			 struct smc_frames_got *got)
{
	u64 start = rec->prod - rec->len;
	struct smc_frames_element *el;

	if (start < in->prod || rec->prod > in->bound || rec->prod > in->end)
		return -EPROTO;
	if (start > in->prod) {
		el = smc_frames_element_of(&in->elements, rec->heard);
		if (!el || start - in->cons > el->offer.size)
			return -EPROTO;
		el->end = start;
		got->from = in->prod;
		got->written = (u32)(start - in->prod);
		got->element = el;
	}
	got->data = rec->len;
	in->prod = rec->prod;
	return 0;
}

/*
 * Notes which offer the sender has received. If it is the newest one, the
 * sender knows the newest window, too (F-34).
 */
static int in_take_echo(struct smc_frames_in *in, u32 heard)
{
	int err = smc_frames_element_echo(&in->elements, heard);

	if (!err && !smc_frames_element_due(&in->elements))
		in->bound = in->edge > in->prod ? in->edge : in->prod;
	return err;
}

/* Takes a record that arrived in order. */
static int in_take_turn(struct smc_frames_in *in,
			const struct smc_frame_record *rec,
			struct smc_frames_got *got)
{
	int err = in_take_echo(in, rec->heard);

	if (err || rec->parts & SMC_FRAME_MOVE)
		return err;
	/* in TAKES the table ignores the event, which each record causes */
	if (in->state != SMC_ANSWER_TAKES)
		err = in_step(in, SMC_ANSWER_EV_CONTINUED);
	err = err ?: in_take_bytes(in, rec, got);
	if (err)
		return err;
	in->heard &= SMC_FRAME_D | SMC_FRAME_C | SMC_FRAME_A;
	in->heard |= rec->flags;
	if (rec->flags & (SMC_FRAME_D | SMC_FRAME_C)) {
		if (in->end != SMC_FRAMES_NO_END && in->end != rec->prod)
			return -EPROTO;
		in->end = rec->prod;
	}
	if (in->state == SMC_ANSWER_WAITS && in->prod >= in->move.from)
		return in_step(in, SMC_ANSWER_EV_ARRIVED);
	return 0;
}

/**
 * smc_frames_in_take() - apply the fields of a record that describe this
 * direction
 * @in: receiver
 * @link: number of the link over which the record arrived
 * @rec: record of the peer, sane
 * @got: output: new bytes
 *
 * smc_frames_take() has checked the record. Context: any.
 *
 * Return: 0; -EPROTO: the record breaks a rule; -ENODATA: bytes are lost. In
 * the latter cases the connection must be aborted.
 */
int smc_frames_in_take(struct smc_frames_in *in, u32 link,
		       const struct smc_frame_record *rec,
		       struct smc_frames_got *got)
{
	int err;

	*got = (struct smc_frames_got){};
	if (in->heard & SMC_FRAME_A)
		return 0;	/* records after an abort are ignored */
	if (rec->flags & SMC_FRAME_A) {		/* F-11: on any link */
		if (link != in->link && !in->drained)
			smc_frames_element_withdraw(&in->elements, in->link);
		in->heard |= SMC_FRAME_A;
		got->aborted = true;
		return 0;
	}
	if (rec->parts & SMC_FRAME_MOVE) {
		err = in_take_move(in, link, rec);
		if (err)
			return err;
	}
	/* F-22: a late record of the old link */
	if (link != in->link)
		return 0;
	return in_take_turn(in, rec, got);
}

/**
 * smc_frames_in_drop() - note that the owner has stopped reading
 * @in: receiver
 *
 * Context: any.
 */
void smc_frames_in_drop(struct smc_frames_in *in)
{
	in->dropped = true;
}

/**
 * smc_frames_in_offer() - offer an element for the bytes of this direction
 * @in: receiver
 * @el: the element, or NULL; see smc_frames_element_offer()
 *
 * Context: any. Return: false if the caller has to wait.
 */
bool smc_frames_in_offer(struct smc_frames_in *in,
			 struct smc_frames_element *el)
{
	if (in->heard & (SMC_FRAME_C | SMC_FRAME_A) || in->dropped ||
	    !smc_frames_element_offer(&in->elements, el))
		return false;
	in->owes = true;
	return true;
}

/**
 * smc_frames_in_narrow() - withdraw the element, and lower the window
 * @in: receiver
 * @window: bytes that the sender may send beyond what was read
 *
 * F-34: the offer without an element carries the lower window. Until the sender
 * has echoed the offer, it may use the higher window. So the owner keeps the
 * memory for the bytes up to @in->bound. Context: any.
 *
 * Return: false if the caller has to wait, see smc_frames_in_offer().
 */
bool smc_frames_in_narrow(struct smc_frames_in *in, u32 window)
{
	u64 edge = in->cons + window;

	if (!smc_frames_in_offer(in, NULL))
		return false;
	if (edge < in->prod)
		edge = in->prod;
	if (edge < in->edge)
		in->edge = edge;
	if (in->told_edge > in->edge)
		in->told_edge = in->edge;
	return true;
}

/**
 * smc_frames_in_closed() - note that the endpoint of a link is closed here
 * @in: receiver
 * @link: number of the link. No WRITE arrives over it any more, and all its
 *	messages were taken.
 *
 * Context: any.
 *
 * Return: 0, or -ENODATA: bytes are lost, and the connection must be aborted.
 */
int smc_frames_in_closed(struct smc_frames_in *in, u32 link)
{
	smc_frames_element_closed(&in->elements, link);
	if (link == in->move.link)
		in->move.drained = true;
	if (link != in->link)
		return 0;
	in->drained = true;
	return in_step(in, SMC_ANSWER_EV_DRAINED);
}

/**
 * smc_frames_in_release() - get back an element that nobody uses
 * @in: receiver
 *
 * See smc_frames_element_release(). Context: any.
 *
 * Return: an element that is no longer in use, or NULL.
 */
struct smc_frames_element *smc_frames_in_release(struct smc_frames_in *in)
{
	bool ended = in->heard & (SMC_FRAME_C | SMC_FRAME_A) ||
		     (in->dropped && in->drained);

	return smc_frames_element_release(&in->elements,
					  in->dropped ? SMC_FRAMES_NO_END :
							in->cons, ended);
}
