// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of a link with frames (frames.rst): what it sends and when, and how
 * records reach the connections.
 */
#include <kunit/test.h>

#include "tests.h"
#include "../group/coalesce.c"
#include "../group/pack.c"
#include "../group/unpack.c"

enum {
	SIZE	= 4096,
	VERSION	= 2,
	FULL	= SIZE - 8 - SIZE / 16,	/* bytes that fill a frame */
	US	= 1000,
};

/* ---- frames in flight ---- */

/* Posts and completes one frame after the other; each takes @ns. */
static void coalesce_run(struct smc_coalesce *p, u64 ns, unsigned int frames)
{
	u64 now = 1;

	while (frames--) {
		smc_coalesce_posted(p, now);
		now += ns;
		smc_coalesce_done(p, now);
	}
}

/*
 * If no frame is in flight, a frame leaves at once. A full frame always leaves
 * at once.
 */
static void coalesce_at_once(struct kunit *test)
{
	struct smc_coalesce p = {};

	KUNIT_EXPECT_TRUE(test, smc_coalesce_may_send(&p, false));
	smc_coalesce_posted(&p, 1);
	KUNIT_EXPECT_FALSE(test, smc_coalesce_may_send(&p, false));
	KUNIT_EXPECT_TRUE(test, smc_coalesce_may_send(&p, true));
	smc_coalesce_done(&p, 2);
	KUNIT_EXPECT_TRUE(test, smc_coalesce_may_send(&p, false));
}

static void coalesce_follows_the_device(struct kunit *test)
{
	struct smc_coalesce p = {};

	KUNIT_EXPECT_EQ(test, smc_coalesce_frames(&p), 1);
	coalesce_run(&p, 8 * US, 1);
	/* the first sample counts */
	KUNIT_EXPECT_EQ(test, smc_coalesce_frames(&p), SMC_COALESCE_FRAMES_MAX);
	coalesce_run(&p, 40 * US, 100);
	KUNIT_EXPECT_EQ(test, smc_coalesce_frames(&p), 2);
	coalesce_run(&p, 90 * US, 100);
	KUNIT_EXPECT_EQ(test, smc_coalesce_frames(&p), 1);
	/*
	 * a long pause of the CPU changes the mean only a little and for a
	 * short time
	 */
	coalesce_run(&p, 10000000000ULL, 1);
	KUNIT_EXPECT_EQ(test, smc_coalesce_frames(&p), 1);
	coalesce_run(&p, 5 * US, 100);
	KUNIT_EXPECT_EQ(test, smc_coalesce_frames(&p), SMC_COALESCE_FRAMES_MAX);
	/* a clock that does not advance */
	coalesce_run(&p, 0, 100);
	KUNIT_EXPECT_EQ(test, smc_coalesce_frames(&p), SMC_COALESCE_FRAMES_MAX);
}

/* A sample is the time of one frame, however many frames are in front of it. */
static void coalesce_samples_its_frame(struct kunit *test)
{
	struct smc_coalesce p = {};

	smc_coalesce_posted(&p, 0);
	smc_coalesce_posted(&p, 10 * US);
	smc_coalesce_posted(&p, 20 * US);
	smc_coalesce_done(&p, 50 * US);
	KUNIT_EXPECT_EQ(test, p.mean_ns, 50 * US);
	/* two are in flight, and the next one is sampled */
	smc_coalesce_posted(&p, 60 * US);
	smc_coalesce_done(&p, 70 * US);
	smc_coalesce_done(&p, 80 * US);
	KUNIT_EXPECT_EQ(test, p.mean_ns, 50 * US);
	smc_coalesce_done(&p, 102 * US);
	KUNIT_EXPECT_EQ(test, p.mean_ns, 49 * US);
	KUNIT_EXPECT_EQ(test, p.flying, 0);
}

/* Sends a frame: it waits with @from records, and leaves with @to records. */
static void coalesce_hold(struct kunit *test, struct smc_coalesce *p, u32 from, u32 to)
{
	KUNIT_EXPECT_TRUE(test, smc_coalesce_holds(p));
	smc_coalesce_held(p, from);
	smc_coalesce_held(p, to);	/* the frame waits already */
	smc_coalesce_leaves(p, to);
}

/* Returns the number of frames that leave before one may wait. */
static unsigned int coalesce_skipped(struct smc_coalesce *p)
{
	unsigned int n;

	for (n = 0; n < 100 && !smc_coalesce_holds(p); n++)
		smc_coalesce_leaves(p, 1);
	return n;
}

static void coalesce_learns(struct kunit *test)
{
	struct smc_coalesce p = { .mean_ns = SMC_COALESCE_NS };
	static const u8 want[] = { 1, 3, 7, 15, 31, 31 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		coalesce_hold(test, &p, 2, 2);
		KUNIT_EXPECT_EQ(test, coalesce_skipped(&p), want[i]);
	}
	coalesce_hold(test, &p, 2, 3);
	KUNIT_EXPECT_EQ(test, coalesce_skipped(&p), 0);
	coalesce_hold(test, &p, 1, 1);
	KUNIT_EXPECT_EQ(test, coalesce_skipped(&p), 1);
}

/* ---- pack ---- */

static struct smc_frame_record pack_record(u32 token, u16 len)
{
	return (struct smc_frame_record){
		.token = token, .len = len, .prod = 100000 + token,
	};
}

static u8 *pack_one(struct smc_pack *p, u32 token, u64 want, u32 others)
{
	int room = smc_pack_room(p, 0, want, others);
	struct smc_frame_record rec;

	if (room < 0)
		return NULL;
	rec = pack_record(token, (u16)room);
	return smc_pack_add(p, &rec, p, token);
}

static u8 *pack_buf(struct kunit *test)
{
	u8 *buf = kunit_kmalloc(test, SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	return buf;
}

static struct smc_pack *pack_new(struct kunit *test, struct smc_credit *c)
{
	struct smc_pack *p = kunit_kmalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	smc_credit_init(c);
	smc_pack_begin(p, pack_buf(test), SIZE, VERSION, c);
	return p;
}

/* A single connection may fill the frame; several connections share it. */
static void pack_is_fair(struct kunit *test)
{
	struct smc_credit c;
	struct smc_pack *p = pack_new(test, &c);

	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 1 << 20, 0), SIZE - 8 - 32);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 100, 0), 100);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 1 << 20, 1), SIZE / 2);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 1 << 20, 1000),
			SMC_PACK_SHARE_MIN);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, SMC_FRAME_MOVE, 1ULL << 40, 0),
			SIZE - 8 - 36);
}

/* Data are split to fill a frame, but not for a few bytes. */
static void pack_no_crumbs(struct kunit *test)
{
	struct smc_credit c;
	struct smc_pack *p = pack_new(test, &c);
	u32 left = SIZE - 8 - 2 * 32 - (SMC_PACK_PIECE_MIN - 1);

	KUNIT_EXPECT_TRUE(test, pack_one(p, 1, left, 0));
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, SMC_PACK_PIECE_MIN - 1, 0),
			SMC_PACK_PIECE_MIN - 1);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, SMC_PACK_PIECE_MIN, 0),
			-ENOSPC);
	smc_pack_begin(p, pack_buf(test), SIZE, VERSION, &c);
	KUNIT_EXPECT_TRUE(test, pack_one(p, 1, left - 1, 0));
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, SMC_PACK_SHARE_MIN + 1, 0),
			SMC_PACK_PIECE_MIN);
	/* a frame without records takes what fits, however small it is */
	smc_pack_begin(p, pack_buf(test), 8 + 32 + 10, VERSION, &c);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 1000, 0), 10);
	smc_pack_begin(p, pack_buf(test), 8 + 31, VERSION, &c);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 0, 0), -ENOSPC);
}

/* A message of ordinary size travels in one record, however many wait. */
static void pack_keeps_messages_whole(struct kunit *test)
{
	struct smc_credit c;
	struct smc_pack *p = pack_new(test, &c);

	while (p->n < 5 && pack_one(p, p->n, 1000, 63))
		;
	KUNIT_EXPECT_EQ(test, p->n, 3);
	KUNIT_EXPECT_EQ(test, p->f.w.pos, 8 + 3 * (32 + 1000));
	/* the rest of the frame is for others */
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, SMC_PACK_SHARE_MIN, 63),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 900, 63), 900);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 1 << 20, 63), SIZE - 8 -
			3 * (32 + 1000) - 32);
}

/*
 * The records that were packed are the records that arrive, and those that the
 * completion reports.
 */
static void pack_and_unpack_agree(struct kunit *test)
{
	struct smc_credit c;
	struct smc_pack *p = pack_new(test, &c);
	struct smc_frame_record rec, bad = pack_record(9, 0);
	struct smc_frame_hdr hdr;
	struct smc_frame_in in;
	u32 token;
	size_t n;
	u8 *data;

	/*
	 * the count includes receives that were posted while the frame was
	 * filled
	 */
	smc_credit_posted(&c, 3);
	for (token = 0; (data = pack_one(p, token, 16, 100)); token++)
		memset(data, (int)token, 16);
	/* F-03: 48 bytes each, and not more than SMC_PACK_RECORDS */
	KUNIT_EXPECT_EQ(test, p->n, SMC_PACK_RECORDS);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 0, 0), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, !smc_pack_add(p, &bad, p, 0));
	n = smc_pack_end(p, &c);
	/* F-06 */
	KUNIT_EXPECT_EQ(test, c.sent, 1);
	KUNIT_EXPECT_EQ(test, c.told, 7);
	/* F-02 */
	KUNIT_EXPECT_EQ(test, n, 8 + 48 * SMC_PACK_RECORDS);
	KUNIT_EXPECT_EQ(test, smc_frame_open(&in, p->f.w.p, n, &hdr), 0);
	KUNIT_EXPECT_EQ(test, hdr.taken, 7);
	for (token = 0; smc_frame_next(&in, &rec); token++) {
		KUNIT_EXPECT_EQ(test, rec.token, token);
		KUNIT_EXPECT_EQ(test, rec.len, 16);
		KUNIT_EXPECT_EQ(test, rec.data[15], token);
		KUNIT_EXPECT_EQ(test, p->entry[token].move, token);
		KUNIT_EXPECT_EQ(test, p->entry[token].prod, rec.prod);
	}
	KUNIT_EXPECT_EQ(test, token, SMC_PACK_RECORDS);
}

/* A record that is not sane is refused, and the frame does not change. */
static void pack_refuses(struct kunit *test)
{
	struct smc_credit c;
	struct smc_pack *p = pack_new(test, &c);
	struct smc_frame_record rec = pack_record(1, 0);

	rec.flags = 1;
	KUNIT_EXPECT_TRUE(test, !smc_pack_add(p, &rec, p, 0));
	KUNIT_EXPECT_EQ(test, p->n, 0);
	KUNIT_EXPECT_EQ(test, smc_pack_room(p, 0, 1 << 20, 0), SIZE - 8 - 32);
	/*
	 * F-06: no connection has a record to send, and the credit is returned
	 */
	KUNIT_EXPECT_EQ(test, c.sent, 1);
	KUNIT_EXPECT_TRUE(test, smc_pack_cancel(p, &c));
	KUNIT_EXPECT_EQ(test, c.sent, 0);
	smc_pack_begin(p, pack_buf(test), SIZE, VERSION, &c);
	KUNIT_EXPECT_TRUE(test, pack_one(p, 1, 10, 0));
	KUNIT_EXPECT_FALSE(test, smc_pack_cancel(p, &c));
	KUNIT_EXPECT_EQ(test, c.sent, 1);
}

/* F-07 and F-08: what a link sends next. */
static void pack_next(struct kunit *test)
{
	struct smc_coalesce coalesce = {};
	struct smc_credit c;

	smc_credit_init(&c);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 0, SIZE, false),
			SMC_PACK_NOTHING);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 40, SIZE, false),
			SMC_PACK_FRAME);
	smc_coalesce_posted(&coalesce, 0);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 40, SIZE, false),
			SMC_PACK_NOTHING);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, FULL - 1, SIZE, false),
			SMC_PACK_NOTHING);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, FULL, SIZE, false),
			SMC_PACK_FRAME);
	/* F-08: the count is due, and the frame with the records carries it */
	c.arrived += 4;
	smc_credit_posted(&c, 4);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 40, SIZE, false),
			SMC_PACK_FRAME);
	/* F-08 */
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 0, SIZE, false),
			SMC_PACK_RAISE);
	/* F-07: the last two credits are not for records */
	c.sent = c.allowed - SMC_CREDIT_RESERVE;
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, SIZE, SIZE, false),
			SMC_PACK_RAISE);
	smc_credit_tell(&c);
	/* F-07 */
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, SIZE, SIZE, false),
			SMC_PACK_NOTHING);
	c.arrived += 4;
	smc_credit_posted(&c, 4);
	c.sent = c.allowed;
	/* F-07: without a credit no frame leaves */
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, SIZE, SIZE, false),
			SMC_PACK_NOTHING);
}

/*
 * While the application reads, a frame that is not full waits if the device is
 * slow and no frame is in flight. Nothing waits for a device that is fast, or
 * whose speed is not known.
 */
static void pack_holds(struct kunit *test)
{
	struct smc_coalesce coalesce = {};
	struct smc_credit c;

	smc_credit_init(&c);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 40, SIZE, true),
			SMC_PACK_FRAME);
	coalesce_run(&coalesce, 10 * US, 1);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 40, SIZE, true),
			SMC_PACK_FRAME);
	coalesce_run(&coalesce, 300 * US, 100);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 40, SIZE, true),
			SMC_PACK_HOLD);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 40, SIZE, false),
			SMC_PACK_FRAME);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 0, SIZE, true),
			SMC_PACK_NOTHING);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, SIZE, SIZE, true),
			SMC_PACK_FRAME);
	/* its completion asks again */
	smc_coalesce_posted(&coalesce, 0);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 40, SIZE, true),
			SMC_PACK_NOTHING);
	smc_coalesce_done(&coalesce, 300 * US);
	/* F-08: a count that is due does not wait */
	c.arrived += 4;
	smc_credit_posted(&c, 4);
	KUNIT_EXPECT_EQ(test, smc_pack_next(&c, &coalesce, 40, SIZE, true),
			SMC_PACK_FRAME);
}

/* ---- unpack ---- */

struct unpack_case {
	struct smc_unpack u;
	struct smc_credit c;
	u8 *buf;
	size_t n;
	u32 got;		/* tokens in order: 1, 2, ... */
	unsigned int calls;
	u32 no_memory;		/* for this token */
	bool disorder;
};

static int unpack_take(void *ctx, const struct smc_frame_record *rec)
{
	struct unpack_case *c = ctx;

	c->calls++;
	if (rec->token == c->no_memory)
		return -ENOMEM;
	c->disorder |= rec->token != c->got + 1;
	c->got = rec->token;
	/* a record that breaks a rule affects only its connection */
	return rec->token == 2 ? -EPROTO : 0;
}

static int unpack_again(struct unpack_case *c)
{
	struct smc_frame_in in;

	return smc_unpack_open(&c->u, &c->c, c->buf, c->n, &in) ?:
	       smc_unpack_records(&c->u, &in, unpack_take, c);
}

/* A frame of @records records. */
static void unpack_start(struct kunit *test, struct unpack_case *c, u32 records)
{
	struct smc_credit peer;
	struct smc_pack *p = pack_new(test, &peer);
	u32 token;

	*c = (struct unpack_case){ .buf = p->f.w.p };
	smc_credit_init(&c->c);
	smc_credit_posted(&peer, 5);
	for (token = 1; token <= records; token++)
		KUNIT_EXPECT_TRUE(test, pack_one(p, token, 30, 0));
	c->n = smc_pack_end(p, &peer);
}

static void unpack_all(struct kunit *test)
{
	struct unpack_case c;

	unpack_start(test, &c, 3);
	KUNIT_EXPECT_EQ(test, unpack_again(&c), 0);
	KUNIT_EXPECT_EQ(test, c.got, 3);
	KUNIT_EXPECT_FALSE(test, c.disorder);
	/* F-06 */
	KUNIT_EXPECT_EQ(test, c.c.allowed, 9);
	KUNIT_EXPECT_EQ(test, c.c.arrived, 1);
	/* the next frame begins anew; F-08: it may have no record */
	unpack_start(test, &c, 0);
	KUNIT_EXPECT_EQ(test, unpack_again(&c), 0);
	KUNIT_EXPECT_EQ(test, c.calls, 0);
	/* F-06 */
	KUNIT_EXPECT_EQ(test, c.c.allowed, 9);
}

/* Without memory the frame is kept, and no record is taken twice. */
static void unpack_goes_on(struct kunit *test)
{
	struct unpack_case c;

	unpack_start(test, &c, 4);
	c.no_memory = 3;
	KUNIT_EXPECT_EQ(test, unpack_again(&c), -ENOMEM);
	KUNIT_EXPECT_EQ(test, c.got, 2);
	KUNIT_EXPECT_EQ(test, unpack_again(&c), -ENOMEM);
	KUNIT_EXPECT_EQ(test, c.calls, 4);
	c.no_memory = 0;
	KUNIT_EXPECT_EQ(test, unpack_again(&c), 0);
	KUNIT_EXPECT_EQ(test, c.got, 4);
	KUNIT_EXPECT_FALSE(test, c.disorder);
	/* F-06: its arrival counts once */
	KUNIT_EXPECT_EQ(test, c.c.arrived, 1);
	KUNIT_EXPECT_EQ(test, c.u.next, 0);
}

/* F-04, F-06: a frame that ends the link has no effect. */
static void unpack_lies(struct kunit *test)
{
	struct unpack_case c;

	unpack_start(test, &c, 2);
	c.n--;
	/* F-04 */
	KUNIT_EXPECT_EQ(test, unpack_again(&c), -EBADMSG);
	c.n++;
	c.buf[1]++;
	/* F-04: a record is missing, so the first two are not taken either */
	KUNIT_EXPECT_EQ(test, unpack_again(&c), -EBADMSG);
	c.buf[1]--;
	c.c.allowed = 22;
	/* F-06: the count is lower than before */
	KUNIT_EXPECT_EQ(test, unpack_again(&c), -EPROTO);
	c.c.allowed = 16;
	c.c.arrived = c.c.told;
	/* F-06: no credit for this frame */
	KUNIT_EXPECT_EQ(test, unpack_again(&c), -EPROTO);
	KUNIT_EXPECT_EQ(test, c.calls, 0);
	KUNIT_EXPECT_EQ(test, c.c.arrived, c.c.told);
}

static struct kunit_case pack_cases[] = {
	KUNIT_CASE(coalesce_at_once),
	KUNIT_CASE(coalesce_follows_the_device),
	KUNIT_CASE(coalesce_samples_its_frame),
	KUNIT_CASE(coalesce_learns),
	KUNIT_CASE(pack_is_fair),
	KUNIT_CASE(pack_no_crumbs),
	KUNIT_CASE(pack_keeps_messages_whole),
	KUNIT_CASE(pack_and_unpack_agree),
	KUNIT_CASE(pack_refuses),
	KUNIT_CASE(pack_next),
	KUNIT_CASE(pack_holds),
	KUNIT_CASE(unpack_all),
	KUNIT_CASE(unpack_goes_on),
	KUNIT_CASE(unpack_lies),
	{}
};

struct kunit_suite smc_pack_suite = {
	.name = "smc_pack",
	.test_cases = pack_cases,
};
