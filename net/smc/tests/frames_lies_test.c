// SPDX-License-Identifier: GPL-2.0
/*
 * A peer that puts wrong values into any field of its records (frames.rst, F-05
 * and F-19). Whichever records this side accepts, it stores no more bytes than
 * it has granted, takes no byte twice, and never treats a byte as acknowledged
 * that it has not sent.
 */
#include <kunit/test.h>

#include "tests.h"
#include "../conn/frames.h"

enum {
	LIES_ROUNDS	= 2000,
	LIES_RECORDS	= 60,
	LIES_WINDOW	= 500,
	LIES_SIZE	= 256,	/* of an element */
};

struct lies_case {
	u64 rnd;
	struct smc_frames f;
	struct smc_frames_element element[SMC_FRAMES_ELEMENTS];
	unsigned int taken;
	unsigned int refused;
};

static u32 lies_rnd(struct lies_case *c, u32 below)
{
	c->rnd ^= c->rnd << 13;
	c->rnd ^= c->rnd >> 7;
	c->rnd ^= c->rnd << 17;
	return (u32)(c->rnd >> 32) % below;
}

/* Returns a value near @v in most cases, otherwise any value. */
static u64 lies_near(struct lies_case *c, u64 v)
{
	switch (lies_rnd(c, 60)) {
	case 0:
		return lies_rnd(c, 1000);
	case 1:
		return v - lies_rnd(c, 5);
	case 2:
		return v + lies_rnd(c, 5);
	case 3:
		return c->rnd;
	case 4:
		return SMC_FRAME_POS_MAX - lies_rnd(c, 3);
	default:
		return v;
	}
}

/*
 * Makes a record that a correct peer could send, and changes some fields to
 * wrong values.
 */
static void lies_tell(struct lies_case *c, struct smc_frame_record *rec)
{
	const struct smc_frames_out *out = &c->f.out;
	const struct smc_frames_in *in = &c->f.in;
	u32 len = lies_rnd(c, 100), behind = 0;

	/* the record claims that some bytes are in the element */
	if (in->elements.newest.size && !lies_rnd(c, 2))
		behind = lies_rnd(c, 60);
	*rec = (struct smc_frame_record){ .token = 1 };
	rec->len = (u16)lies_near(c, len);
	rec->prod = lies_near(c, in->prod + behind + rec->len);
	rec->cons = lies_near(c, out->cons + (out->sent - out->cons) / 2);
	rec->window = (u32)lies_near(c, 1000);
	rec->heard = (u32)lies_near(c, in->elements.newest.number);
	if (!lies_rnd(c, 20))
		rec->flags = (u8)(lies_rnd(c, 32) << 3);
	if (!lies_rnd(c, 6))
		rec->parts = (u8)(lies_rnd(c, 32) << 3);
	rec->offer.number = (u32)lies_near(c, out->offer.number + 1);
	rec->offer.rkey = 1;
	rec->offer.size = (u32)lies_near(c, LIES_SIZE);
	rec->move = (u32)lies_near(c, in->move.number + 1);
	rec->answer = (u32)lies_near(c, out->move);
	rec->arrived = lies_near(c, out->sent);
	rec->urgent = lies_near(c, in->prod + 10);
	if (rec->parts & SMC_FRAME_MOVE && lies_rnd(c, 4)) {
		rec->len = 0;
		rec->prod = in->prod;
		rec->flags &= (u8)~(SMC_FRAME_D | SMC_FRAME_C);
	}
}

static void lies_start(struct lies_case *c)
{
	smc_frames_out_init(&c->f.out, LIES_WINDOW);
	smc_frames_in_init(&c->f.in, 1, LIES_WINDOW);
	memset(c->element, 0, sizeof(c->element));
}

/* Offers a free element. If it cannot, it takes one back. */
static void lies_offer(struct lies_case *c)
{
	struct smc_frames_element *el = c->element;

	while (el < c->element + SMC_FRAMES_ELEMENTS && el->offer.number)
		el++;
	if (el < c->element + SMC_FRAMES_ELEMENTS) {
		el->offer.rkey = 1;
		el->offer.size = LIES_SIZE;
		if (smc_frames_in_offer(&c->f.in, el))
			return;
	}
	smc_frames_in_release(&c->f.in);
}

/* This side reads, sends, offers and moves as a correct host does. */
static void lies_own_step(struct lies_case *c)
{
	const struct smc_frames_room room = { .data = 50, .write = 50 };
	struct smc_frames_in *in = &c->f.in;
	struct smc_frame_record rec;
	struct smc_frames_write w;

	switch (lies_rnd(c, 6)) {
	case 0:
		smc_frames_in_read(in, in->prod, in->prod + LIES_WINDOW);
		break;
	case 1:
		if (!lies_rnd(c, 4))
			smc_frames_in_narrow(in, LIES_WINDOW / 2);
		else
			lies_offer(c);
		break;
	case 2:
		if (!lies_rnd(c, 4))
			smc_frames_out_moved(&c->f.out);
		break;
	default:
		smc_frames_fill(&c->f, c->f.out.sent + lies_rnd(c, 80), &room,
				&rec, &w);
		break;
	}
}

/* Takes a record. Return: false if the connection ends. */
static bool lies_take(struct kunit *test, struct lies_case *c)
{
	const struct smc_frames_out *out = &c->f.out;
	const struct smc_frames_in *in = &c->f.in;
	const u64 prod = in->prod, edge = in->edge, cons = out->cons;
	const u64 bound = in->bound;
	const u32 offered = out->offer.number;
	const u64 sent = out->sent, granted = out->edge, fin = out->fin;
	struct smc_frame_record rec;
	struct smc_frames_got got;
	int err;

	lies_tell(c, &rec);
	err = smc_frames_take(&c->f, 1 + lies_rnd(c, 2), &rec, &got);
	/* F-19: a record cannot change the limit that this side has granted */
	KUNIT_EXPECT_EQ(test, in->edge, edge);
	KUNIT_EXPECT_TRUE(test, in->prod <= bound && in->bound <= bound);
	KUNIT_EXPECT_TRUE(test, in->bound >= in->edge || in->edge < in->prod);
	/*
	 * F-09, F-34: only a new offer reduces the limit that the peer grants
	 */
	if (out->offer.number == offered)
		KUNIT_EXPECT_TRUE(test, out->edge >= granted);
	if (err) {
		c->refused++;
		/*
		 * F-19: a record that is refused does not change the sending
		 * side
		 */
		KUNIT_EXPECT_EQ(test, out->sent, sent);
		KUNIT_EXPECT_EQ(test, out->fin, fin);
		KUNIT_EXPECT_EQ(test, out->cons, cons);
		KUNIT_EXPECT_EQ(test, out->edge, granted);
		return false;
	}
	c->taken++;
	/* F-19: the peer's consumer position never decreases */
	KUNIT_EXPECT_TRUE(test, out->cons >= cons);
	KUNIT_EXPECT_TRUE(test, out->cons <= out->sent);
	KUNIT_EXPECT_TRUE(test, out->fin <= out->sent);
	KUNIT_EXPECT_TRUE(test, out->sent <= sent);
	/* each new byte is in the record or in the element, once */
	KUNIT_EXPECT_EQ(test, in->prod - prod, (u64)got.written + got.data);
	KUNIT_EXPECT_TRUE(test, got.data <= rec.len);
	KUNIT_EXPECT_TRUE(test, !got.written || got.from == prod);
	KUNIT_EXPECT_TRUE(test, got.written <= LIES_SIZE);
	return !got.aborted;
}

/* F-05, F-19 */
static void lies_gain_nothing(struct kunit *test)
{
	struct lies_case *c = kunit_kmalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned int round, i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->rnd = 0x9e3779b97f4a7c15ULL;
	c->taken = 0;
	c->refused = 0;
	for (round = 0; round < LIES_ROUNDS; round++) {
		lies_start(c);
		for (i = 0; i < LIES_RECORDS; i++) {
			lies_own_step(c);
			if (!lies_take(test, c))
				break;
		}
	}
	/*
	 * the test is useless unless some records are accepted and some are
	 * refused
	 */
	KUNIT_EXPECT_LT(test, LIES_ROUNDS, c->taken);
	KUNIT_EXPECT_LT(test, LIES_ROUNDS / 2, c->refused);
}

static struct kunit_case lies_cases[] = {
	KUNIT_CASE(lies_gain_nothing),
	{}
};

struct kunit_suite smc_frames_lies_suite = {
	.name = "smc_frames_lies",
	.test_cases = lies_cases,
};
