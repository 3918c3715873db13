// SPDX-License-Identifier: GPL-2.0
/* The sender of a direction in the dialect of frames. See frames_out.h. */
#include "frames_out.h"

/* Drives the state machine. Returns the action, or -1 for a violation. */
static int out_step(struct smc_frames_out *out, u8 event)
{
	const struct smc_fsm_cell *cell;

	cell = smc_fsm_step(&smc_frames_ask_fsm, &out->state, event);
	return cell->kind == SMC_FSM_VIOLATION ? -1 : cell->action;
}

/**
 * smc_frames_out_init() - start a direction at position 0
 * @out: output: the sender
 * @window: bytes that the peer allows before it has sent a record
 *
 * Context: any.
 */
void smc_frames_out_init(struct smc_frames_out *out, u32 window)
{
	*out = (struct smc_frames_out){ .edge = window };
}

/**
 * smc_frames_out_writable() - how many bytes may be written to the element now?
 * @out: sender
 * @avail: bytes that the window and the application allow
 *
 * Context: any. Return: number of bytes from @out->sent on, at most @avail.
 */
u64 smc_frames_out_writable(const struct smc_frames_out *out, u64 avail)
{
	u64 used = out->sent - out->cons, n = out->offer.size;

	/* F-16: the peer must have read a byte before it is overwritten */
	n = n > used ? n - used : 0;
	return n > avail ? avail : n;
}

/*
 * Chooses which bytes go into the element and which into the frame. If all
 * bytes fit into the frame, they go there. Otherwise, if the element has more
 * room than the frame, the element takes as many bytes as it has room for, and
 * the frame takes the remaining bytes if it has room for all of them.
 */
static void out_split(const struct smc_frames_out *out, u64 avail,
		      const struct smc_frames_room *room,
		      struct smc_frame_record *rec, struct smc_frames_write *w)
{
	u64 n = smc_frames_out_writable(out, avail);

	if (n > room->write)
		n = room->write;
	if (avail > room->data && n > room->data) {
		w->pos = out->sent;
		w->len = (u32)n;
		w->offer = out->offer;
		avail -= n;
		if (avail > room->data)
			avail = 0;
	} else if (avail > room->data) {
		avail = room->data;
	}
	rec->len = (u16)avail;
	rec->prod = out->sent + w->len + avail;
}

/*
 * Would a larger element help? That is so if many bytes are queued, and there
 * is no element, or the window allows more bytes than the element has room for.
 */
static bool out_wants_element(const struct smc_frames_out *out, u64 prep,
			      u64 limit)
{
	u64 more = limit - out->sent;

	if (prep < out->sent + SMC_FRAMES_MANY)
		return false;
	return !out->offer.size || smc_frames_out_writable(out, more) < more;
}

/**
 * smc_frames_out_fill() - take bytes for the next record
 * @out: sender
 * @prep: position behind the last byte queued
 * @room: limits
 * @rec: record; the function sets flags, @prod, @len, @heard, @move, @urgent,
 *	and adds the parts of smc_frames_out_parts()
 * @w: output: bytes that the caller writes to the peer's element
 *
 * The caller posts the WRITEs of @w, and then the record with the data on the
 * same link. If one of them fails, the link fails. Then smc_frames_out_done()
 * or smc_frames_out_failed() follows for this record.
 * Context: any.
 */
void smc_frames_out_fill(struct smc_frames_out *out, u64 prep,
			 const struct smc_frames_room *room,
			 struct smc_frame_record *rec,
			 struct smc_frames_write *w)
{
	u64 limit = smc_frames_out_limit(out, prep);

	*w = (struct smc_frames_write){};
	rec->parts |= smc_frames_out_parts(out);
	rec->heard = out->offer.number;
	rec->move = rec->parts & SMC_FRAME_MOVE ? out->move : 0;
	rec->urgent = rec->parts & SMC_FRAME_URGENT ? out->urgent : 0;
	if (out->state == SMC_ASK_ASKS) {
		/* F-20 */
		rec->prod = out->fin;
		rec->len = 0;
	} else {
		out_split(out, limit - out->sent, room, rec, w);
		out->sent = rec->prod;
	}
	out->said |= smc_frames_out_flags_due(out, prep);
	out->said &= out->want;		/* forget an earlier B */
	if (out->sent < prep && out->sent == limit)
		out->said |= SMC_FRAME_B;
	rec->flags |= out->said;
	if (out_wants_element(out, prep, limit))
		rec->flags |= SMC_FRAME_W;
	out->owes = false;
	out->flying++;
}

/**
 * smc_frames_out_done() - note that a record has completed
 * @out: sender
 * @move: @out->move when the record was posted
 * @prod: producer position of the record
 *
 * A completion on an earlier link does not prove delivery: the peer drops the
 * record if it has already answered (F-23). Context: any.
 */
void smc_frames_out_done(struct smc_frames_out *out, u32 move, u64 prod)
{
	out->flying--;
	if (move == out->move && prod > out->fin)
		out->fin = prod;
}

/**
 * smc_frames_out_failed() - note that a posted record has not completed
 * @out: sender
 *
 * The link has failed. smc_frames_out_moved() was called before, or follows.
 * Context: any.
 */
void smc_frames_out_failed(struct smc_frames_out *out)
{
	out->flying--;
}

/**
 * smc_frames_out_moved() - note that records go over another link from now on
 * @out: sender
 *
 * Context: any.
 */
void smc_frames_out_moved(struct smc_frames_out *out)
{
	if (out_step(out, SMC_ASK_EV_MOVED) != SMC_ASK_DO_ASK)
		return;
	out->move++;
	out->said = 0;
	out->owes = true;
}

static int out_hear_answer(struct smc_frames_out *out,
			   const struct smc_frame_record *rec)
{
	u8 event = rec->answer == out->move ? SMC_ASK_EV_ANSWER :
		   rec->answer < out->move ? SMC_ASK_EV_OLD_ANSWER :
					     SMC_ASK_EV_WRONG_ANSWER;
	int action = out_step(out, event);

	if (action < 0)
		return -EPROTO;
	if (action != SMC_ASK_DO_CONTINUE)
		return 0;
	if (rec->arrived < out->fin || rec->arrived < out->cons ||
	    rec->arrived > out->sent)
		return -EPROTO;
	out->sent = rec->arrived;
	out->fin = rec->arrived;
	return 0;
}

/*
 * Takes offer and window. A new offer brings its own window, which may be lower
 * (F-34). Without a new offer the window only grows. A record of an earlier
 * link may be older than the newest offer, so its window does not count.
 */
static void out_hear_offer(struct smc_frames_out *out,
			   const struct smc_frame_record *rec, bool newest)
{
	u64 edge = rec->cons + rec->window;

	if (rec->parts & SMC_FRAME_OFFER &&
	    rec->offer.number > out->offer.number) {
		out->offer = rec->offer;
		out->edge = edge;
		out->owes = true;	/* F-14 */
	} else if (newest && edge > out->edge) {
		out->edge = edge;
	}
}

/**
 * smc_frames_out_hear() - apply the fields of a record that describe this
 * direction
 * @out: sender
 * @rec: record of the peer, sane; the caller has replaced @rec->offer.rkey by
 *	its name of the RMB
 * @newest: the record is from the link that the peer changed to last, see
 *	smc_frames_in_is_newest()
 *
 * Takes records of all links (F-24). Context: any.
 *
 * Return: 0, or -EPROTO: the connection must be aborted.
 */
int smc_frames_out_hear(struct smc_frames_out *out,
			const struct smc_frame_record *rec, bool newest)
{
	if (rec->cons > out->sent)
		return -EPROTO;
	if (rec->cons > out->cons)
		out->cons = rec->cons;
	out_hear_offer(out, rec, newest);
	if (!(rec->parts & SMC_FRAME_ANSWER))
		return 0;
	out->owes = true;		/* F-22 */
	return out_hear_answer(out, rec);
}

/**
 * smc_frames_out_settled() - is everything delivered, and was every flag sent?
 * @out: sender
 * @prep: position behind the last byte queued
 *
 * Context: any.
 */
bool smc_frames_out_settled(const struct smc_frames_out *out, u64 prep)
{
	return out->state == SMC_ASK_SENDS && !out->flying && !out->owes &&
	       out->fin == prep && !(out->want & (u8)~out->said);
}
