// SPDX-License-Identifier: GPL-2.0
/* Links: the builder of frames, delivery in order, completions, failures. */
#include "model.h"

/* Some pipes are slow, so that other events overtake what is in them. */
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

/* Writes to the peer's element go out before the frame; a write that wraps is
 * two of them.
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

/* Adds the record of a connection to the frame. */
static void add_record(struct world *w, unsigned int h, int c,
		       struct smc_frame_out *f, struct op *op, struct pipe *p,
		       u32 link)
{
	struct end *e = &w->end[h][c];
	struct smc_frames_room room = {};
	struct smc_frame_record rec;
	struct smc_frames_write wr;
	int left = smc_frame_room(f, smc_frames_parts(&e->f));
	u64 fin = e->f.out.fin, i;
	u8 *data;

	if (left < 0)
		return;
	room.data = w->quiet ? 60 : model_rnd(w, model_chance(w, 40) ? 60 : 6);
	if (room.data > (u32)left)
		room.data = (u32)left;
	room.write = w->quiet ? 200 : model_rnd(w, ELEMENT_MAX + 1);
	smc_frames_fill(&e->f, e->prep, &room, &rec, &wr);
	if (rec.parts & SMC_FRAME_OFFER && rec.offer.size)
		rec.offer.rkey = model_key(link, rec.offer.rkey);
	rec.token = w->end[!h][c].token;
	data = smc_frame_add(f, &rec);
	if (!data || (wr.len && wr.pos < fin) ||
	    (rec.len && rec.prod - rec.len < fin)) {
		model_wrong(w, WRONG_FREED, "host %u connection %d", h, c);
		return;
	}
	for (i = 0; i < rec.len; i++)
		data[i] = model_byte(h, c, rec.prod - rec.len + i);
	post_writes(w, h, c, p, &wr);
	op->settles[op->n_settles++] = (struct settles){
		.conn = c, .move = e->f.out.move, .prod = rec.prod,
	};
}

static bool may_send(const struct world *w, const struct port *port,
		     enum smc_credit_use use)
{
	return w->fault == FAULT_CREDIT ||
	       smc_credit_may_send(&port->credit, use);
}

static bool room_for_ops(const struct pipe *p)
{
	unsigned int oldest = p->done < p->taken ? p->done : p->taken;

	return p->posted - oldest + 2 * CONNS + 1 < OPS;
}

/* The link's server makes one frame of the connections that have something to
 * say, and posts it with its WRITEs.
 */
void model_build(struct world *w, unsigned int h, unsigned int l)
{
	struct port *port = &w->link[l].port[h];
	u8 buf[FRAME_MAX];
	struct smc_frame_out f;
	struct op op = {};
	int c, i, first = (int)model_rnd(w, CONNS);
	u8 records = 0;

	if (port->state != PORT_UP || !room_for_ops(&port->out))
		return;
	smc_frame_begin(&f, buf, sizeof(buf));
	for (i = 0; i < CONNS && may_send(w, port, SMC_CREDIT_FRAME); i++) {
		c = (first + i) % CONNS;
		if (w->end[h][c].gone || w->end[h][c].link != l ||
		    !smc_frames_due(&w->end[h][c].f, w->end[h][c].prep))
			continue;
		add_record(w, h, c, &f, &op, &port->out, w->link[l].number);
		records++;
	}
	if (!records && !(smc_credit_raise_due(&port->credit) &&
			  may_send(w, port, SMC_CREDIT_RAISE)))
		return;
	op.kind = OP_SEND;
	op.len = (u32)smc_frame_end(&f, smc_credit_tell(&port->credit));
	memcpy(op.bytes, buf, op.len);
	smc_credit_sent(&port->credit);
	*post(&port->out, OP_SEND) = op;
}

/* A message of the group takes a receive, too. */
void model_llc(struct world *w, unsigned int h, unsigned int l)
{
	struct port *port = &w->link[l].port[h];

	if (port->state != PORT_UP || !room_for_ops(&port->out) ||
	    !may_send(w, port, SMC_CREDIT_LLC))
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

/* The sender's adapter learns what has arrived. */
void model_ack(struct world *w, unsigned int from, unsigned int l)
{
	struct port *port = &w->link[l].port[from];

	if (port->state == PORT_UP && port->out.acked < port->out.placed)
		port->out.acked += 1 + model_rnd(w, port->out.placed -
						    port->out.acked);
}

static void take_frame(struct world *w, unsigned int h, unsigned int l,
		       const struct op *op)
{
	struct smc_frame_record rec;
	struct smc_frame_hdr hdr;
	struct smc_frame_in in;

	if (smc_frame_open(&in, op->bytes, op->len, &hdr)) {
		model_wrong(w, WRONG_FRAME, "host %u", h);
		return;
	}
	if (smc_credit_heard(&w->link[l].port[h].credit, hdr.taken))
		model_wrong(w, WRONG_CREDIT, "host %u", h);
	while (smc_frame_next(&in, &rec))
		model_take_record(w, h, w->link[l].number, &rec);
}

/* The host handles the next received message. */
bool model_take(struct world *w, unsigned int h, unsigned int l)
{
	struct pipe *p = &w->link[l].port[!h].out;
	struct op op;

	if (p->taken == p->placed)
		return false;
	op = p->op[p->taken++ % OPS];
	if (op.kind == OP_WRITE)
		return true;
	smc_credit_arrived(&w->link[l].port[h].credit);
	p->kept++;
	if (op.kind == OP_SEND)
		take_frame(w, h, l, &op);
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
	for (i = 0; i < op->n_settles; i++) {
		struct settles *s = &op->settles[i];
		struct smc_frames_out *out = &w->end[h][s->conn].f.out;
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

/* A host finds that a link has failed. Some of what it has posted may still be
 * under way, and its adapter hears of nothing any more.
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

/* The endpoint of a failed link is closed: first nothing arrives any more, then
 * all that has arrived is handled.
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
