// SPDX-License-Identifier: GPL-2.0
/* The ends of connections: applications, received bytes, elements. */
#include <stdio.h>

#include "model.h"

/* The byte at a position of the stream that a host sends. */
u8 model_byte(unsigned int host, int conn, u64 pos)
{
	return (u8)(1 + (pos * 7 + pos / 251 + (u64)conn * 83 + host * 41) %
			251);
}

void model_ends_start(struct world *w)
{
	unsigned int h, i;
	int c;

	for (h = 0; h < HOSTS; h++) {
		for (i = 0; i < ELEMENTS; i++) {
			w->element[h][i].owner = -1;
			w->element[h][i].size = 64u << model_rnd(w, 3);
		}
		for (c = 0; c < CONNS; c++) {
			struct end *e = &w->end[h][c];

			e->token = 0x1000 * (h + 1) + (u32)c;
			e->total = model_rnd(w, STREAM_MAX);
			e->link = (unsigned int)c % LINKS;
			e->window.size = WINDOW_START;
			smc_frames_out_init(&e->f.out, WINDOW_START);
			smc_frames_in_init(&e->f.in, w->link[e->link].number,
					   WINDOW_START);
		}
	}
}

/*
 * The application writes some bytes, sometimes as many as the window has room
 * for. After its last byte it shuts down its direction (D), and when it has
 * read all bytes of the peer it closes (C).
 */
void model_app_send(struct world *w, unsigned int h, int c)
{
	struct end *e = &w->end[h][c];
	u64 n = 1 + model_rnd(w, model_chance(w, 40) ? 120 : 12);

	if (e->aborting)
		return;
	if (e->f.out.edge > e->prep && model_chance(w, 20))
		n = e->f.out.edge - e->prep;
	e->prep = w->quiet || e->prep + n > e->total ? e->total : e->prep + n;
	if (e->prep == e->total)
		e->f.out.want |= SMC_FRAME_D;
}

static u8 *received_byte(struct world *w, unsigned int h, struct end *e, u64 pos)
{
	s8 i = e->where[pos];

	if (i < 0)
		return &e->inline_mem[pos];
	return &w->element[h][i].mem[pos % w->element[h][i].size];
}

/*
 * Grants a window after a read. The window is usually that of the module, if
 * memory can be charged, and sometimes any other, as another implementation may
 * choose it.
 */
static void grant(struct world *w, struct end *e, u64 pos)
{
	u32 need = model_chance(w, 10) ? model_rnd(w, 2 * WINDOW_MAX) : 0;
	u32 size = smc_frames_window_want(&e->window, &e->f.in, pos, need,
					  WINDOW_MAX);

	if (!w->quiet && model_chance(w, 30))
		smc_frames_in_read(&e->f.in, pos, pos + 1 + model_rnd(w, 160));
	else if (w->quiet || model_chance(w, 80))
		smc_frames_window_set(&e->window, &e->f.in, pos, size);
	else
		smc_frames_window_set(&e->window, &e->f.in, pos, e->window.size);
}

/* The application reads, and raises the window. */
void model_app_read(struct world *w, unsigned int h, int c)
{
	struct end *e = &w->end[h][c];
	struct smc_frames_in *in = &e->f.in;
	u64 pos = in->cons, n = 1 + model_rnd(w, 80);

	if (e->aborting)
		return;
	for (; pos < in->prod && (w->quiet || n); pos++, n--) {
		u8 have = *received_byte(w, h, e, pos);
		u8 want = model_byte(!h, c, pos);

		w->bytes++;
		if (have != want) {
			model_wrong(w, WRONG_BYTE,
				    "host %u connection %d position %llu: %u, want %u",
				    h, c, (unsigned long long)pos, have, want);
			return;
		}
	}
	grant(w, e, pos);
	if (in->end == pos) {
		if (pos != w->end[!h][c].total)
			model_wrong(w, WRONG_END, "host %u connection %d: %llu",
				    h, c, (unsigned long long)pos);
		if (e->prep == e->total)
			e->f.out.want |= SMC_FRAME_C;
	}
	model_release(w, h, c);
}

void model_app_abort(struct world *w, unsigned int h, int c)
{
	struct end *e = &w->end[h][c];

	if (e->gone || e->aborting)
		return;
	model_note(w, "host %u connection %d aborts", h, c);
	e->aborting = true;
	e->f.out.want |= SMC_FRAME_A;
	smc_frames_in_drop(&e->f.in);
	model_release(w, h, c);
}

/* The receiver withdraws the element, and lowers the window. */
static void model_narrow(struct world *w, struct end *e)
{
	struct smc_frames_in *in = &e->f.in;

	if (e->window.size <= WINDOW_START ||
	    !smc_frames_window_narrow(&e->window, in, WINDOW_START))
		return;
	w->narrowed++;
	if (w->fault == FAULT_NARROW)
		in->bound = in->edge;
}

/* The receiver offers an element, or none. The element is wiped before. */
void model_offer(struct world *w, unsigned int h, int c)
{
	struct end *e = &w->end[h][c];
	unsigned int i = model_rnd(w, ELEMENTS);
	struct element *el = &w->element[h][i];
	struct smc_frames_element *offered = NULL;

	if (e->gone || e->aborting)
		return;
	if (model_chance(w, 20)) {
		model_narrow(w, e);
		return;
	}
	if (el->owner < 0 && model_chance(w, 85) && !e->f.in.heard) {
		offered = &el->offered;
		offered->offer.rkey = i + 1;
		offered->offer.offset = i * ELEMENT_MAX;
		offered->offer.size = el->size;
	}
	if (!smc_frames_in_offer(&e->f.in, offered))
		return;
	model_note(w, "host %u connection %d offers %u: element %d", h, c,
		   e->f.in.elements.newest.number,
		   offered ? (int)i : -1);
	if (!offered)
		return;
	el->owner = c;
	memset(el->mem, 0, sizeof(el->mem));
	if (w->fault == FAULT_ECHO)
		model_release(w, h, c);
}

static void break_elements(struct world *w, struct smc_frames_elements *e)
{
	unsigned int i;

	for (i = 0; i < SMC_FRAMES_ELEMENTS; i++) {
		struct smc_frames_element *el = e->slot[i];

		if (!el)
			continue;
		if (w->fault == FAULT_REUSE)
			el->link = 0;
		if (w->fault == FAULT_ECHO &&
		    el->offer.number < e->newest.number)
			el->withdrawn = true;
	}
}

/* Elements that nobody uses go back to the host. */
void model_release(struct world *w, unsigned int h, int c)
{
	struct smc_frames_in *in = &w->end[h][c].f.in;
	const struct smc_frames_element *unused;

	break_elements(w, &in->elements);
	while ((unused = smc_frames_in_release(in))) {
		unsigned int i = unused->offer.rkey - 1;
		struct element *el = &w->element[h][i];

		model_note(w, "host %u connection %d returns element %u", h, c,
			   i);
		if (el->owner != c)
			model_wrong(w, WRONG_LEAK, "element of another owner");
		el->owner = -1;
	}
}

/* The connection sends over another link from now on. */
void model_move(struct world *w, unsigned int h, int c, unsigned int to)
{
	struct end *e = &w->end[h][c];

	if (e->gone || e->link == to)
		return;
	e->link = to;
	w->moves++;
	smc_frames_out_moved(&e->f.out);
	model_note(w, "host %u connection %d moves to link %u, move %u", h, c,
		   w->link[to].number, e->f.out.move);
}

/*
 * A connection leaves its host when both sides have closed and all was
 * delivered. If the peer has already left, its answer to a move never arrives;
 * the module has a timer for this case.
 */
void model_leave(struct world *w, unsigned int h, int c)
{
	struct end *e = &w->end[h][c];
	const struct smc_frames_out *out = &e->f.out;
	bool both;

	if (e->aborting)
		both = e->f.in.heard & SMC_FRAME_A || w->end[!h][c].gone;
	else
		both = e->f.in.heard & out->want & SMC_FRAME_C;
	if (e->gone || !both || out->flying)
		return;
	if (e->aborting ? !(out->said & SMC_FRAME_A) && !w->end[!h][c].gone :
	    !smc_frames_out_settled(out, e->prep) && !w->end[!h][c].gone)
		return;
	model_note(w, "host %u connection %d has ended", h, c);
	e->gone = true;
	smc_frames_in_drop(&e->f.in);
	model_release(w, h, c);
}

/* Stores the bytes of a record. */
static void keep_bytes(struct world *w, struct end *e,
		       const struct smc_frames_got *got,
		       const struct smc_frame_record *rec)
{
	u64 pos = e->f.in.prod - rec->len, i;

	if (e->f.in.prod > STREAM_MAX) {
		model_wrong(w, WRONG_END, "more bytes than were sent");
		return;
	}
	for (i = 0; i < got->written; i++)
		e->where[got->from + i] = (s8)(got->element->offer.rkey - 1);
	for (i = 0; i < got->data; i++) {
		e->where[pos + i] = -1;
		e->inline_mem[pos + i] = rec->data[i];
	}
}

/* Breaks the chosen rule when a record arrives. */
static void break_before(struct world *w, struct smc_frames *f, u32 link,
			 const struct smc_frame_record *rec)
{
	if (w->fault == FAULT_OVERTAKEN && f->in.state != SMC_ANSWER_WAITS &&
	    !(rec->parts & SMC_FRAME_MOVE) && rec->prod >= f->in.prod + rec->len)
		f->in.link = link;
}

void model_take_record(struct world *w, unsigned int h, u32 link,
		       const struct smc_frame_record *said)
{
	int c = (int)(said->token & 0xfff), err;
	struct smc_frame_record copy = *said, *rec = &copy;
	struct end *e = &w->end[h][c];
	struct smc_frames_got got;
	u64 sent = e->f.out.sent;
	bool asks = e->f.out.state == SMC_ASK_ASKS;

	if (e->gone)
		return;
	if (rec->parts & SMC_FRAME_OFFER)
		rec->offer.rkey %= 1000;
	break_before(w, &e->f, link, rec);
	if (w->fault == FAULT_RAISE && rec->cons <= e->f.out.sent &&
	    rec->cons + rec->window > e->f.out.edge)
		e->f.out.edge = rec->cons + rec->window;
	err = smc_frames_take(&e->f, link, rec, &got);
	if (err) {
		model_wrong(w, WRONG_ABORT, "host %u connection %d: error %d", h,
			    c, err);
		return;
	}
	if (w->fault == FAULT_GAP && asks && e->f.out.state == SMC_ASK_SENDS)
		e->f.out.sent = sent;
	if (got.aborted) {
		if (!e->aborting)
			e->f.out.want |= SMC_FRAME_A;
		e->aborting = true;
		smc_frames_in_drop(&e->f.in);
	} else {
		keep_bytes(w, e, &got, rec);
	}
	model_release(w, h, c);
}

/* The endpoint of a link is closed at a host. */
void model_closed(struct world *w, unsigned int h, u32 link)
{
	int c;

	for (c = 0; c < CONNS; c++) {
		struct end *e = &w->end[h][c];

		if (smc_frames_in_closed(&e->f.in, link) && !e->gone &&
		    !e->aborting)
			model_wrong(w, WRONG_ABORT,
				    "host %u connection %d: bytes are lost", h,
				    c);
		model_release(w, h, c);
	}
}
