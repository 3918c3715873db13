// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the six data flow ladders of RFC 7609 4.7.1 to 4.7.6, step by step. The
 * offsets and wraps are those of the text, corrected as in Y-09. The tests run
 * in the RFC's mode, with a 4-byte eye catcher at the start of the element, and
 * in base 0 mode, as deployed. The codec encodes and decodes each CDC message.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "tests.h"
#include "../wire/cdc.h"
#include "../wire/stream.h"
#include "../wire/urgent.h"

enum { ELEMENT_LEN = 10000, TOKEN = 0x5ac0ffee };

enum op {
	OP_WRITE,	/* one RDMA write covers the offsets from a to b */
	/* a CDC message: cursor and wrap of the producer and of the consumer,
	 * flags
	 */
	OP_CDC,
	/* the receiver reads a bytes, and no CDC message is due */
	OP_SILENT,
	/* the receiver reads a bytes, and a CDC message is due */
	OP_DUE,
	/* the receiver reads a bytes, and a CDC message is due for the urgent
	 * byte
	 */
	OP_URGENT,
	OP_FULL,	/* the window is full */
	/* the sender queues a bytes, of which the last one is urgent */
	OP_OOB,
	OP_STOPPED,	/* the sender must stop, although the window is open */
	/* urgent flags of the last CDC message, and the mark at offset a */
	OP_NEWS,
};

enum who { A, B };

struct step {
	enum op op;
	enum who who;
	u32 a;
	u32 b;
	u32 cons;
	u32 cons_wrap;
	u8 flags;
};

#define WROTE(who, first, last)	{ OP_WRITE, who, first, last, 0, 0, 0 }
#define CDC(who, prod, pwrap, cons, cwrap, flags) \
	{ OP_CDC, who, prod, pwrap, cons, cwrap, flags }
#define SILENT(who, n)		{ OP_SILENT, who, n, 0, 0, 0, 0 }
#define DUE(who, n)		{ OP_DUE, who, n, 0, 0, 0, 0 }
#define URGENT(who, n)		{ OP_URGENT, who, n, 0, 0, 0, 0 }
#define FULL(who)		{ OP_FULL, who, 0, 0, 0, 0, 0 }
#define OOB(who, n)		{ OP_OOB, who, n, 0, 0, 0, 0 }
#define STOPPED(who)		{ OP_STOPPED, who, 0, 0, 0, 0, 0 }
#define NEWS(who, bits, mark)	{ OP_NEWS, who, mark, 0, 0, 0, bits }
#define NO_MARK			0xffffffff

/*
 * One direction of data. The comment of each field names the side that writes
 * it.
 */
struct flow {
	u64 produced;	/* sender: position behind the last byte written */
	/* receiver: @produced as the sender last announced it */
	u64 seen;
	u64 consumed;	/* receiver: position behind the last byte read */
	/* receiver: @consumed as the receiver last announced it */
	u64 told;
	/* sender: @consumed as the receiver last announced it */
	u64 granted;
	u8 flags;	/* receiver: producer flags of the last CDC */
	struct smc_urg_tx urg_tx;
	struct smc_urg_rx urg_rx;
	u8 news;	/* receiver: urgent news of the last CDC */
};

struct pair {
	struct kunit *test;
	struct flow from[2];	/* indexed by the sender */
	u32 base;
	u32 size;
	u16 seq;
	size_t at;		/* number of the step, for error messages */
};

static void expect(const struct pair *p, u64 have, u64 want, const char *what)
{
	KUNIT_EXPECT_EQ_MSG(p->test, have, want, "base %u step %zu: %s",
			    p->base, p->at, what);
}

#define EXPECT(p, have, want)	expect(p, (u64)(have), (u64)(want), #have)

static void do_write(struct pair *p, const struct step *s)
{
	struct flow *f = &p->from[s->who];
	u32 len = s->b - s->a + 1;

	EXPECT(p, smc_stream_offset(f->produced, p->size) + p->base, s->a);
	EXPECT(p, smc_stream_contig(f->produced, p->size, len), len);
	EXPECT(p, smc_stream_window(p->size, f->produced, f->granted) >= len,
	       true);
	EXPECT(p, smc_urg_tx_limit(&f->urg_tx, f->produced + len),
	       f->produced + len);
	f->produced += len;
}

/* The other side handles the message as a connection does. */
static void take_cdc(struct pair *p, enum who from, const u8 *buf)
{
	struct flow *in = &p->from[from], *out = &p->from[!from];
	struct smc_cdc c;

	EXPECT(p, smc_cdc_decode(buf, SMC_CDC_LEN, &c), 0);
	EXPECT(p, c.token, TOKEN);
	EXPECT(p, c.seq, p->seq);
	EXPECT(p, smc_stream_expand(in->seen, p->size, c.prod_wrap,
				    c.prod - p->base,
				    smc_stream_window(p->size, in->seen,
						      in->consumed),
				    &in->seen), 0);
	EXPECT(p, smc_stream_expand(out->granted, p->size, c.cons_wrap,
				    c.cons - p->base,
				    out->produced - out->granted,
				    &out->granted), 0);
	EXPECT(p, in->seen, in->produced);
	EXPECT(p, out->granted, out->consumed);
	in->flags = c.prod_flags;
	in->news = smc_urg_rx_hear(&in->urg_rx, c.prod_flags, in->seen,
				   in->consumed, false);
	smc_urg_tx_passed(&out->urg_tx, out->granted);
}

static void do_cdc(struct pair *p, const struct step *s)
{
	struct smc_cdc c = { .seq = ++p->seq, .token = TOKEN,
			     .prod_flags = s->flags };
	struct flow *out = &p->from[s->who], *in = &p->from[!s->who];
	u8 buf[SMC_CDC_LEN];

	smc_stream_to_wire(out->produced, p->size, &c.prod_wrap, &c.prod);
	smc_stream_to_wire(in->consumed, p->size, &c.cons_wrap, &c.cons);
	c.prod += p->base;
	c.cons += p->base;
	in->told = in->consumed;
	EXPECT(p, c.prod, s->a);
	EXPECT(p, c.prod_wrap, s->b);
	EXPECT(p, c.cons, s->cons);
	EXPECT(p, c.cons_wrap, s->cons_wrap);
	EXPECT(p, smc_urg_tx_flags(&out->urg_tx, out->produced),
	       s->flags & (SMC_CDC_P | SMC_CDC_U));
	smc_urg_tx_said(&out->urg_tx);
	smc_cdc_encode(buf, &c);
	take_cdc(p, s->who, buf);
}

static void do_read(struct pair *p, const struct step *s)
{
	struct flow *f = &p->from[!s->who];
	bool due;

	EXPECT(p, f->seen - f->consumed >= s->a, true);
	f->consumed += s->a;
	smc_urg_rx_passed(&f->urg_rx, f->consumed);
	/* The urgent byte needs its own CDC message, however large the window
	 * is.
	 */
	due = smc_stream_update_due(p->size, f->seen, f->told, f->consumed,
				    f->flags & SMC_CDC_B,
				    f->flags & (SMC_CDC_R | SMC_CDC_P));
	/* R-4.5.1-01 */
	EXPECT(p, due, s->op != OP_SILENT);
}

static void do_news(struct pair *p, const struct step *s)
{
	const struct flow *f = &p->from[!s->who];
	u64 mark = smc_urg_rx_mark(&f->urg_rx);

	EXPECT(p, f->news, s->flags);
	if (s->a == NO_MARK)
		EXPECT(p, mark, SMC_URG_NO_MARK);
	else
		EXPECT(p, smc_stream_offset(mark, p->size) + p->base, s->a);
}

static void do_step(struct pair *p, const struct step *s)
{
	struct flow *f = &p->from[s->who];

	switch (s->op) {
	case OP_WRITE:
		return do_write(p, s);
	case OP_CDC:
		return do_cdc(p, s);
	case OP_FULL:
		EXPECT(p, smc_stream_window(p->size, f->produced, f->granted),
		       0);
		return;
	case OP_OOB:
		return smc_urg_tx_mark(&f->urg_tx, f->produced,
				       f->produced + s->a);
	case OP_STOPPED:
		EXPECT(p, smc_urg_tx_limit(&f->urg_tx, f->produced + 1),
		       f->produced);
		return;
	case OP_NEWS:
		return do_news(p, s);
	default:
		return do_read(p, s);
	}
}

/*
 * Runs a ladder whose data goes from A to B. Before the start, A has written up
 * to position @prod, and B has read up to @cons and announced this position.
 */
static void run(struct kunit *test, u32 base, u64 prod, u64 cons, u8 flags,
		const struct step *steps, size_t n)
{
	struct pair p = { .test = test, .base = base,
			  .size = ELEMENT_LEN - base };
	struct flow *f = &p.from[A];

	f->produced = prod;
	f->seen = prod;
	f->consumed = cons;
	f->told = cons;
	f->granted = cons;
	f->flags = flags;
	for (p.at = 0; p.at < n; p.at++)
		do_step(&p, &steps[p.at]);
}

/* R-4.7.1-01..04 */
static void send_window_open(struct kunit *test)
{
	static const struct step base4[] = {
		WROTE(A, 4, 1003),
		CDC(A, 1004, 0, 4, 0, 0),
		SILENT(B, 1000),
	};
	static const struct step base0[] = {
		WROTE(A, 0, 999),
		CDC(A, 1000, 0, 0, 0, 0),
		SILENT(B, 1000),
	};

	/* R-4.7.1-01..04 */
	run(test, 4, 0, 0, 0, base4, ARRAY_SIZE(base4));
	run(test, 0, 0, 0, 0, base0, ARRAY_SIZE(base0));
}

/* R-4.7.2-01..04 */
static void request_response(struct kunit *test)
{
	static const struct step base4[] = {
		WROTE(A, 4, 1003),
		CDC(A, 1004, 0, 4, 0, 0),
		SILENT(B, 1000),
		WROTE(B, 4, 503),
		CDC(B, 504, 0, 1004, 0, 0),
	};
	static const struct step base0[] = {
		WROTE(A, 0, 999),
		CDC(A, 1000, 0, 0, 0, 0),
		SILENT(B, 1000),
		WROTE(B, 0, 499),
		CDC(B, 500, 0, 1000, 0, 0),
	};

	/* R-4.7.2-01..04 */
	run(test, 4, 0, 0, 0, base4, ARRAY_SIZE(base4));
	run(test, 0, 0, 0, 0, base0, ARRAY_SIZE(base0));
}

/* R-4.7.3-01..06 */
static void window_constrained(struct kunit *test)
{
	static const struct step base4[] = {
		WROTE(A, 4, 3003),
		CDC(A, 3004, 0, 4, 0, 0),
		SILENT(B, 3000),
		WROTE(A, 3004, 7003),
		CDC(A, 7004, 0, 4, 0, 0),
		DUE(B, 4000),
		CDC(B, 4, 0, 7004, 0, 0),
	};
	static const struct step base0[] = {
		WROTE(A, 0, 2999),
		CDC(A, 3000, 0, 0, 0, 0),
		SILENT(B, 3000),
		WROTE(A, 3000, 6999),
		CDC(A, 7000, 0, 0, 0, 0),
		DUE(B, 4000),
		CDC(B, 0, 0, 7000, 0, 0),
	};

	/* R-4.7.3-01..06 */
	run(test, 4, 0, 0, 0, base4, ARRAY_SIZE(base4));
	run(test, 0, 0, 0, 0, base0, ARRAY_SIZE(base0));
}

/* R-4.7.4-01..09, R-4.7-03 */
static void full_window(struct kunit *test)
{
	static const struct step base4[] = {
		WROTE(A, 1004, 9999),
		WROTE(A, 4, 1003),
		FULL(A),
		CDC(A, 1004, 2, 4, 0, SMC_CDC_B),
		DUE(B, 9996),
		CDC(B, 4, 0, 1004, 2, 0),
		WROTE(A, 1004, 9999),
		WROTE(A, 4, 1003),
		FULL(A),
		CDC(A, 1004, 3, 4, 0, SMC_CDC_B),
		DUE(B, 9996),
		CDC(B, 4, 0, 1004, 3, 0),
		WROTE(A, 1004, 1011),
		CDC(A, 1012, 3, 4, 0, 0),
		SILENT(B, 8),
	};
	static const struct step base0[] = {
		WROTE(A, 1000, 9999),
		WROTE(A, 0, 999),
		FULL(A),
		CDC(A, 1000, 2, 0, 0, SMC_CDC_B),
		DUE(B, 10000),
		CDC(B, 0, 0, 1000, 2, 0),
		WROTE(A, 1000, 9999),
		WROTE(A, 0, 999),
		FULL(A),
		CDC(A, 1000, 3, 0, 0, SMC_CDC_B),
		DUE(B, 10000),
		CDC(B, 0, 0, 1000, 3, 0),
		WROTE(A, 1000, 1007),
		CDC(A, 1008, 3, 0, 0, 0),
		SILENT(B, 8),
	};

	/* R-4.7.4-01..09 */
	run(test, 4, 9996 + 1000, 9996 + 1000, 0, base4, ARRAY_SIZE(base4));
	run(test, 0, 11000, 11000, 0, base0, ARRAY_SIZE(base0));
}

/*
 * Runs the ladder of full_window(), but the reader takes one byte at a time and
 * the writer is blocked: R-4.5.1-07.
 */
static void full_window_drip(struct kunit *test)
{
	static const struct step steps[] = {
		WROTE(A, 0, 9999),
		CDC(A, 0, 1, 0, 0, SMC_CDC_B),
		DUE(B, 1),
		CDC(B, 0, 0, 1, 0, 0),
		DUE(B, 1),
		CDC(B, 0, 0, 2, 0, 0),
		WROTE(A, 0, 1),
		FULL(A),
		CDC(A, 2, 1, 0, 0, 0),
		SILENT(B, 1),
		DUE(B, 999),
		CDC(B, 0, 0, 1002, 0, 0),
	};

	/* R-4.5.1-07 */
	run(test, 0, 0, 0, 0, steps, ARRAY_SIZE(steps));
}

/* R-4.7.5-01..07 */
static void urgent_window_open(struct kunit *test)
{
	static const struct step base4[] = {
		OOB(A, 500),
		WROTE(A, 1000, 1499),
		CDC(A, 1500, 1, 4, 0, SMC_CDC_P | SMC_CDC_U),
		NEWS(B, SMC_URG_SIGNAL | SMC_URG_BYTE, 1499),
		STOPPED(A),
		URGENT(B, 500),
		CDC(B, 4, 0, 1500, 1, 0),
		WROTE(A, 1500, 2499),
		CDC(A, 2500, 1, 4, 0, 0),
		NEWS(B, 0, NO_MARK),
		SILENT(B, 1000),
	};
	static const struct step base0[] = {
		OOB(A, 500),
		WROTE(A, 1000, 1499),
		CDC(A, 1500, 1, 0, 0, SMC_CDC_P | SMC_CDC_U),
		NEWS(B, SMC_URG_SIGNAL | SMC_URG_BYTE, 1499),
		STOPPED(A),
		URGENT(B, 500),
		CDC(B, 0, 0, 1500, 1, 0),
		WROTE(A, 1500, 2499),
		CDC(A, 2500, 1, 0, 0, 0),
		NEWS(B, 0, NO_MARK),
		SILENT(B, 1000),
	};

	/* R-4.7.5-01..07 */
	run(test, 4, 9996 + 996, 9996 + 996, 0, base4, ARRAY_SIZE(base4));
	run(test, 0, 11000, 11000, 0, base0, ARRAY_SIZE(base0));
}

/* R-4.7.6-01..08 */
static void urgent_window_closed(struct kunit *test)
{
	static const struct step base4[] = {
		FULL(A),
		OOB(A, 500),
		CDC(A, 1000, 2, 4, 0, SMC_CDC_B | SMC_CDC_P),
		NEWS(B, SMC_URG_SIGNAL, NO_MARK),
		DUE(B, 9996),
		CDC(B, 4, 0, 1000, 2, 0),
		WROTE(A, 1000, 1499),
		CDC(A, 1500, 2, 4, 0, SMC_CDC_P | SMC_CDC_U),
		NEWS(B, SMC_URG_BYTE, 1499),
		STOPPED(A),
		URGENT(B, 500),
		CDC(B, 4, 0, 1500, 2, 0),
		WROTE(A, 1500, 2499),
		CDC(A, 2500, 2, 4, 0, 0),
		SILENT(B, 1000),
	};
	static const struct step base0[] = {
		FULL(A),
		OOB(A, 500),
		CDC(A, 1000, 2, 0, 0, SMC_CDC_B | SMC_CDC_P),
		NEWS(B, SMC_URG_SIGNAL, NO_MARK),
		DUE(B, 10000),
		CDC(B, 0, 0, 1000, 2, 0),
		WROTE(A, 1000, 1499),
		CDC(A, 1500, 2, 0, 0, SMC_CDC_P | SMC_CDC_U),
		NEWS(B, SMC_URG_BYTE, 1499),
		STOPPED(A),
		URGENT(B, 500),
		CDC(B, 0, 0, 1500, 2, 0),
		WROTE(A, 1500, 2499),
		CDC(A, 2500, 2, 0, 0, 0),
		SILENT(B, 1000),
	};
	const u64 start4 = 9996 + 996, start0 = 11000;

	/* R-4.7.6-01..08 */
	run(test, 4, start4 + 9996, start4, SMC_CDC_B, base4,
	    ARRAY_SIZE(base4));
	run(test, 0, start0 + 10000, start0, SMC_CDC_B, base0,
	    ARRAY_SIZE(base0));
}

/* Scenario 4 with a wrap count that changes from 65535 to 0: R-4.7-03. */
static void full_window_turnover(struct kunit *test)
{
	static const struct step steps[] = {
		WROTE(A, 1000, 9999),
		WROTE(A, 0, 999),
		FULL(A),
		CDC(A, 1000, 0, 0, 0, SMC_CDC_B),
		DUE(B, 10000),
		CDC(B, 0, 0, 1000, 0, 0),
		WROTE(A, 1000, 9999),
		CDC(A, 0, 1, 0, 0, 0),
		DUE(B, 9000),
		CDC(B, 0, 0, 0, 1, 0),
	};
	const u64 start = 65535ULL * 10000 + 1000;

	/* R-4.7-03 */
	run(test, 0, start, start, 0, steps, ARRAY_SIZE(steps));
}

static struct kunit_case ladder_cases[] = {
	KUNIT_CASE(send_window_open),
	KUNIT_CASE(request_response),
	KUNIT_CASE(window_constrained),
	KUNIT_CASE(full_window),
	KUNIT_CASE(full_window_drip),
	KUNIT_CASE(urgent_window_open),
	KUNIT_CASE(urgent_window_closed),
	KUNIT_CASE(full_window_turnover),
	{}
};

struct kunit_suite smc_ladder_suite = {
	.name = "smc_ladder",
	.test_cases = ladder_cases,
};
