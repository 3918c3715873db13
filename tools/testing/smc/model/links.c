// SPDX-License-Identifier: GPL-2.0
/* Links: the builder of frames, delivery in order, completions, failures. */
#include <errno.h>

#include "model.h"

/* Some pipes are slow, so that other events overtake their contents. */
static void pipe_start(struct world *w, struct pipe *p)
{
	*p = (struct pipe){
		.receives = SMC_CREDIT_INITIAL,
		.speed = model_chance(w, 50) ? 100 : 5 + model_rnd(w, 40),
	};
}

static void link_start(struct world *w, unsigned int l)
{
	unsigned int h;

	w->link[l].number = ++w->next_link;
	for (h = 0; h < HOSTS; h++) {
		struct port *port = &w->link[l].port[h];

		port->state = PORT_UP;
		smc_credit_init(&port->credit);
		port->coalesce = (struct smc_coalesce){};
		port->unpack = (struct smc_unpack){};
		pipe_start(w, &port->out);
	}
}

void model_links_start(struct world *w)
{
	unsigned int l;

	for (l = 0; l < LINKS; l++)
		link_start(w, l);
}

static struct op *post(struct pipe *p, enum op_kind kind)
{
	struct op *op = &p->op[p->posted++ % OPS];

	op->kind = (u8)kind;
	op->len = 0;
	op->n_settles = 0;
	return op;
}

/* Posts the WRITEs to the peer's element before the frame; two WRITEs if they
 * wrap.
 */
static void post_writes(struct world *w, unsigned int h, int c, struct pipe *p,
			const struct smc_frames_write *wr)
{
	u64 pos = wr->pos, end = pos + wr->len;

	while (pos < end) {
		struct op *op = post(p, OP_WRITE);

		op->element = (u8)(wr->offer.rkey - 1);
		op->conn = (s8)c;
		op->offset = (u32)(pos % wr->offer.size);
		for (; pos < end && op->offset + op->len < wr->offer.size; pos++)
			op->bytes[op->len++] = model_byte(h, c, pos);
	}
	w->written += wr->len;
}

/* Returns the time, which advances in small and large steps. */
static u64 time_now(struct world *w)
{
	w->now += model_rnd(w, model_chance(w, 20) ? 200000 : 10000);
	return w->now;
}

static u64 bytes_left(const struct end *e)
{
	return e->prep > e->f.out.sent ? e->prep - e->f.out.sent : 0;
}

static bool sends_on(const struct end *e, unsigned int l)
{
	return !e->gone && e->link == l && smc_frames_due(&e->f, e->prep);
}

/* Number of connections that wait for the link, and bytes of their records. */
static u32 link_due(const struct world *w, unsigned int h, unsigned int l,
		    u32 *conns)
{
	u32 due = 0;
	int c;

	*conns = 0;
	for (c = 0; c < CONNS; c++) {
		const struct end *e = &w->end[h][c];

		if (!sends_on(e, l))
			continue;
		due += SMC_FRAME_LONG_LEN + (u32)bytes_left(e);
		++*conns;
	}
	return due;
}

/* Adds the record of a connection to the frame. Return: false if the frame has
 * no room.
 */
static bool add_record(struct world *w, unsigned int h, int c,
		       struct smc_pack *pack, struct pipe *p, u32 link,
		       u32 others)
{
	struct end *e = &w->end[h][c];
	struct smc_frames_room room = {
		.short_heads = pack->version >= SMC_EXT_SHORT_VERSION,
	};
	struct smc_frame_record rec;
	struct smc_frames_write wr;
	int left = smc_pack_room(pack, smc_frames_parts(&e->f, e->prep,
							room.short_heads),
				 bytes_left(e), others);
	u64 fin = e->f.out.fin, i;
	u8 *data;

	if (left < 0)
		return false;
	room.data = w->quiet ? 60 : model_rnd(w, model_chance(w, 40) ? 60 : 6);
	if (room.data > (u32)left)
		room.data = (u32)left;
	room.write = w->quiet ? 200 : model_rnd(w, ELEMENT_MAX + 1);
	smc_frames_fill(&e->f, e->prep, &room, &rec, &wr);
	if (rec.parts & SMC_FRAME_OFFER && rec.offer.size)
		rec.offer.rkey = model_key(link, rec.offer.rkey);
	rec.token = w->end[!h][c].token;
	data = smc_pack_add(pack, &rec, e, e->f.out.move);
	if (!data || (wr.len && wr.pos < fin) ||
	    (rec.len && rec.prod - rec.len < fin)) {
		model_wrong(w, WRONG_FREED, "host %u connection %d", h, c);
		return true;
	}
	for (i = 0; i < rec.len; i++)
		data[i] = model_byte(h, c, rec.prod - rec.len + i);
	post_writes(w, h, c, p, &wr);
	return true;
}

static bool room_for_ops(const struct pipe *p)
{
	unsigned int oldest = p->done < p->taken ? p->done : p->taken;

	return p->posted - oldest + 2 * CONNS + 1 < OPS;
}

/* Fills the frame with records, first come, first served. */
static void fill_frame(struct world *w, unsigned int h, unsigned int l,
		       struct smc_pack *pack, u32 conns)
{
	struct link *link = &w->link[l];
	int i, first = (int)model_rnd(w, CONNS);

	for (i = 0; i < CONNS; i++) {
		int c = (first + i) % CONNS;

		if (!sends_on(&w->end[h][c], l))
			continue;
		if (!add_record(w, h, c, pack, &link->port[h].out, link->number,
				--conns))
			break;
	}
	w->packed += pack->n > 1;
}

/* The link's server makes one frame with the records of the connections that
 * wait, and posts it with its WRITEs.
 */
void model_build(struct world *w, unsigned int h, unsigned int l)
{
	struct port *port = &w->link[l].port[h];
	u8 buf[FRAME_MAX];
	struct smc_pack pack;
	struct op op = {};
	enum smc_pack_do next;
	u32 due, conns;

	if (port->state != PORT_UP || !room_for_ops(&port->out))
		return;
	due = link_due(w, h, l, &conns);
	next = smc_pack_next(&port->credit, &port->coalesce, due, sizeof(buf),
			     false);
	if (w->fault == FAULT_CREDIT && due)
		next = SMC_PACK_FRAME;
	if (next == SMC_PACK_NOTHING)
		return;
	smc_pack_begin(&pack, buf, sizeof(buf), w->version, &port->credit);
	if (next == SMC_PACK_FRAME)
		fill_frame(w, h, l, &pack, conns);
	op.kind = OP_SEND;
	op.len = (u32)smc_pack_end(&pack, &port->credit);
	memcpy(op.bytes, buf, op.len);
	op.n_settles = pack.n;
	memcpy(op.settles, pack.entry, pack.n * sizeof(pack.entry[0]));
	smc_coalesce_posted(&port->coalesce, time_now(w));
	*post(&port->out, OP_SEND) = op;
}

/* A message of the group takes a receive, too. */
void model_llc(struct world *w, unsigned int h, unsigned int l)
{
	struct port *port = &w->link[l].port[h];

	if (port->state != PORT_UP || !room_for_ops(&port->out) ||
	    !smc_credit_may_send(&port->credit, SMC_CREDIT_LLC))
		return;
	smc_credit_sent(&port->credit);
	post(&port->out, OP_LLC);
}

/* The next WRITE or SEND arrives at the peer's adapter. */
bool model_place(struct world *w, unsigned int from, unsigned int l)
{
	struct pipe *p = &w->link[l].port[from].out;
	enum port_state there = w->link[l].port[!from].state;
	const struct op *op = &p->op[p->placed % OPS];
	struct element *el = &w->element[!from][op->element];
	unsigned int end = w->link[l].port[from].state == PORT_UP ? p->posted :
								    p->limit;

	if (!w->quiet && !model_chance(w, p->speed))
		return false;
	if (p->placed >= end || there == PORT_CLOSING || there == PORT_CLOSED)
		return false;
	p->placed++;
	if (op->kind == OP_WRITE) {
		if (el->owner != op->conn)
			model_wrong(w, WRONG_FOREIGN,
				    "host %u: connection %d writes to element %u of %d",
				    !from, op->conn, op->element, el->owner);
		memcpy(el->mem + op->offset, op->bytes, op->len);
		return true;
	}
	if (!p->receives) {
		model_wrong(w, WRONG_RNR, "host %u link %u", !from,
			    w->link[l].number);
		return true;
	}
	p->receives--;
	return true;
}

/* The sender's adapter gets the acknowledgements. */
void model_ack(struct world *w, unsigned int from, unsigned int l)
{
	struct port *port = &w->link[l].port[from];

	if (port->state == PORT_UP && port->out.acked < port->out.placed)
		port->out.acked += 1 + model_rnd(w, port->out.placed -
						    port->out.acked);
}

/* The host and the link that take a frame. */
struct place {
	struct world *w;
	unsigned int h;
	u32 link;
};

static int take_record(void *ctx, const struct smc_frame_record *rec)
{
	const struct place *at = ctx;

	if (!at->w->quiet && model_chance(at->w, 10))
		return -ENOMEM;
	model_take_record(at->w, at->h, at->link, rec);
	return 0;
}

/* Return: false if the frame must be kept. */
static bool take_frame(struct world *w, unsigned int h, unsigned int l,
		       const struct op *op)
{
	struct port *port = &w->link[l].port[h];
	struct place at = { .w = w, .h = h, .link = w->link[l].number };
	struct smc_frame_in in;
	int err;

	err = smc_unpack_open(&port->unpack, &port->credit, op->bytes, op->len,
			      &in);
	if (!err)
		err = smc_unpack_records(&port->unpack, &in, take_record, &at);
	if (err == -EBADMSG)
		model_wrong(w, WRONG_FRAME, "host %u", h);
	if (err == -EPROTO)
		model_wrong(w, WRONG_CREDIT, "host %u", h);
	if (err == -ENOMEM) {
		w->kept++;
		if (w->fault == FAULT_AGAIN)
			port->unpack.next = 1;
	}
	return err != -ENOMEM;
}

/* The host handles the next received message. */
bool model_take(struct world *w, unsigned int h, unsigned int l)
{
	struct pipe *p = &w->link[l].port[!h].out;
	struct op op;

	if (p->taken == p->placed)
		return false;
	op = p->op[p->taken % OPS];
	if (op.kind == OP_SEND && !take_frame(w, h, l, &op))
		return false;
	p->taken++;
	if (op.kind == OP_WRITE)
		return true;
	if (op.kind == OP_LLC &&
	    smc_credit_arrived(&w->link[l].port[h].credit))
		model_wrong(w, WRONG_CREDIT, "host %u", h);
	p->kept++;
	return true;
}

/* Receives are posted again, at once or later. */
void model_repost(struct world *w, unsigned int h, unsigned int l)
{
	struct pipe *p = &w->link[l].port[!h].out;

	smc_credit_posted(&w->link[l].port[h].credit, p->kept);
	p->receives += p->kept;
	p->kept = 0;
}

/* The sender handles its next completion. */
bool model_done(struct world *w, unsigned int h, unsigned int l)
{
	struct port *port = &w->link[l].port[h];
	struct pipe *p = &port->out;
	bool good = p->done < p->acked;
	unsigned int i;
	struct op *op;

	if (p->done == p->posted || (!good && port->state == PORT_UP))
		return false;
	op = &p->op[p->done++ % OPS];
	if (op->kind == OP_SEND)
		smc_coalesce_done(&port->coalesce, time_now(w));
	for (i = 0; i < op->n_settles; i++) {
		const struct smc_pack_entry *s = &op->settles[i];
		struct smc_frames_out *out = &((struct end *)s->who)->f.out;
		u32 move = w->fault == FAULT_OLD_DONE ? out->move : s->move;

		if (good)
			smc_frames_out_done(out, move, s->prod);
		else
			smc_frames_out_failed(out);
	}
	return true;
}

/* One link always works at both hosts: without one the group would end. */
bool model_may_fail(const struct world *w, unsigned int l)
{
	const struct link *other = &w->link[!l];

	return other->port[0].state == PORT_UP && other->port[1].state == PORT_UP;
}

/* A host detects that a link has failed. Some of its posted operations may
 * still arrive, but its adapter gets no acknowledgements any more.
 */
void model_fail(struct world *w, unsigned int h, unsigned int l)
{
	struct port *port = &w->link[l].port[h];
	struct pipe *p = &port->out;
	int c;

	if (port->state != PORT_UP)
		return;
	model_note(w, "link %u fails at host %u", w->link[l].number, h);
	port->state = PORT_FAILED;
	p->limit = p->placed + model_rnd(w, p->posted - p->placed + 1);
	if (model_chance(w, 50))
		p->speed = 4;
	for (c = 0; c < CONNS; c++)
		if (w->end[h][c].link == l)
			model_move(w, h, c, !l);
}

/* The endpoint of a failed link is closed: first it stops receiving, then all
 * messages that have arrived are handled.
 */
void model_close(struct world *w, unsigned int h, unsigned int l)
{
	struct port *port = &w->link[l].port[h];
	struct pipe *in = &w->link[l].port[!h].out;

	if (port->state == PORT_FAILED)
		port->state = PORT_CLOSING;
	if (port->state != PORT_CLOSING || in->taken != in->placed)
		return;
	port->state = PORT_CLOSED;
	model_note(w, "link %u is closed at host %u", w->link[l].number, h);
	model_closed(w, h, w->link[l].number);
}

/* A link that has ended at both hosts is replaced. */
void model_new_link(struct world *w, unsigned int l)
{
	struct port *port = w->link[l].port;

	if (port[0].state == PORT_CLOSED && port[1].state == PORT_CLOSED &&
	    port[0].out.done == port[0].out.posted &&
	    port[1].out.done == port[1].out.posted)
		link_start(w, l);
}
