// SPDX-License-Identifier: GPL-2.0
/* The receiver of a direction with frames, and both directions together
 * (frames.rst).
 */
#include <kunit/test.h>

#include "tests.h"
#include "fsm_walk.h"
#include "../conn/frames_answer_fsm.c"
#include "../conn/frames_element.c"
#include "../conn/frames_in.c"
#include "../conn/frames.c"

static void answer_complete(struct kunit *test)
{
	smc_test_table_valid(test, &smc_frames_answer_fsm);
}

static int take_data(struct smc_frames_in *in, u32 link, u64 prod, u16 len,
		     u32 heard, struct smc_frames_got *got)
{
	struct smc_frame_record rec = {
		.prod = prod, .len = len, .heard = heard,
	};

	return smc_frames_in_take(in, link, &rec, got);
}

static int take_move(struct smc_frames_in *in, u32 link, u32 number, u64 from)
{
	struct smc_frame_record rec = {
		.parts = SMC_FRAME_MOVE, .move = number, .prod = from,
		.heard = in->elements.echo,
	};
	struct smc_frames_got got;

	return smc_frames_in_take(in, link, &rec, &got);
}

static struct smc_frames_element elements[10];	/* the index is the rkey */

static bool offer_size(struct smc_frames_in *in, u32 rkey, u32 size)
{
	struct smc_frames_element *el = size ? &elements[rkey] : NULL;

	if (el)
		el->offer = (struct smc_frame_offer){ 0, rkey, 0, size };
	return smc_frames_in_offer(in, el);
}

/* Returns the key of the element with the new bytes, or 0. */
static u32 got_rkey(const struct smc_frames_got *got)
{
	return got->element ? got->element->offer.rkey : 0;
}

static struct smc_frame_record fill_in(struct smc_frames_in *in)
{
	struct smc_frame_record rec = {};

	smc_frames_in_fill(in, &rec);
	return rec;
}

/* Returns the key of an element that was released, or 0. */
static u32 came_back(struct smc_frames_in *in)
{
	const struct smc_frames_element *el = smc_frames_in_release(in);

	return el ? el->offer.rkey : 0;
}

/* F-03, F-09, F-19: data in order and inside the window. */
static void in_data(struct kunit *test)
{
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 100);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 60, 60, 0, &got), 0);
	/* F-03 */
	KUNIT_EXPECT_EQ(test, got.data, 60);
	KUNIT_EXPECT_EQ(test, got.written, 0);
	/* F-19: bytes of an earlier record */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 80, 21, 0, &got), -EPROTO);
	/* F-19: the position goes back */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 59, 0, 0, &got), -EPROTO);
	/* F-19: beyond the window */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 101, 41, 0, &got), -EPROTO);
	/* F-19: a gap without an element */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 80, 10, 0, &got), -EPROTO);
	KUNIT_EXPECT_EQ(test, in.prod, 60ULL);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 100, 40, 0, &got), 0);
	smc_frames_in_read(&in, 100, 180);
	/* F-09: a read does not reduce a limit that was granted */
	smc_frames_in_read(&in, 100, 150);
	KUNIT_EXPECT_EQ(test, in.edge, 180ULL);
}

/*
 * F-09: a record follows when half of the window is free, or after each read if
 * the peer waits.
 */
static void in_window_updates(struct kunit *test)
{
	struct smc_frame_record rec = { .prod = 80, .len = 80 };
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 100);
	KUNIT_EXPECT_EQ(test, smc_frames_in_take(&in, 1, &rec, &got), 0);
	KUNIT_EXPECT_FALSE(test, smc_frames_in_due(&in));
	smc_frames_in_read(&in, 40, 140);
	/* F-09 */
	KUNIT_EXPECT_FALSE(test, smc_frames_in_due(&in));
	smc_frames_in_read(&in, 50, 150);
	/* F-09 */
	KUNIT_EXPECT_TRUE(test, smc_frames_in_due(&in));
	rec = fill_in(&in);
	/* F-03, F-09 */
	KUNIT_EXPECT_EQ(test, rec.cons, 50ULL);
	KUNIT_EXPECT_EQ(test, rec.window, 100);
	KUNIT_EXPECT_FALSE(test, smc_frames_in_due(&in));
	rec = (struct smc_frame_record){ .prod = 80, .flags = SMC_FRAME_B };
	KUNIT_EXPECT_EQ(test, smc_frames_in_take(&in, 1, &rec, &got), 0);
	smc_frames_in_read(&in, 51, 151);
	/* F-09 */
	KUNIT_EXPECT_TRUE(test, smc_frames_in_due(&in));
}

/* F-34: the lower window holds when the sender has echoed its offer. */
static void in_narrow(struct kunit *test)
{
	struct smc_frames_got got;
	struct smc_frame_record rec;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 60, 60, 0, &got), 0);
	smc_frames_in_read(&in, 60, 1060);
	KUNIT_EXPECT_TRUE(test, smc_frames_in_narrow(&in, 100));
	KUNIT_EXPECT_TRUE(test, smc_frames_in_due(&in));
	/* F-13: the next offer waits */
	KUNIT_EXPECT_FALSE(test, smc_frames_in_narrow(&in, 50));
	rec = fill_in(&in);
	KUNIT_EXPECT_EQ(test, rec.parts, SMC_FRAME_OFFER);
	KUNIT_EXPECT_EQ(test, rec.offer.size, 0);
	KUNIT_EXPECT_EQ(test, rec.window, 100);
	KUNIT_EXPECT_FALSE(test, smc_frames_in_due(&in));
	/* F-34: these bytes were sent before the offer arrived */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 960, 900, 0, &got), 0);
	smc_frames_in_read(&in, 300, 300);
	/* F-34: the reader has passed the lower limit */
	KUNIT_EXPECT_EQ(test, fill_in(&in).window, 0);
	KUNIT_EXPECT_FALSE(test, smc_frames_in_due(&in));
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 960, 0, 1, &got), 0);
	/* F-34: after the echo nothing may follow */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 961, 1, 1, &got), -EPROTO);
	smc_frames_in_read(&in, 960, 1060);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 1060, 100, 1, &got), 0);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 1061, 1, 1, &got), -EPROTO);
}

/* F-34: records of a link that the sender has left are older. */
static void in_newest_link(struct kunit *test)
{
	struct smc_frame_record rec = {};
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 100);
	KUNIT_EXPECT_TRUE(test, smc_frames_in_is_newest(&in, 1, &rec));
	KUNIT_EXPECT_FALSE(test, smc_frames_in_is_newest(&in, 2, &rec));
	rec = (struct smc_frame_record){
		.parts = SMC_FRAME_MOVE, .move = 1, .prod = 10,
	};
	KUNIT_EXPECT_TRUE(test, smc_frames_in_is_newest(&in, 2, &rec));
	/* the bytes up to 10 are still under way on link 1 */
	KUNIT_EXPECT_EQ(test, take_move(&in, 2, 1, 10), 0);
	KUNIT_EXPECT_EQ(test, in.state, SMC_ANSWER_WAITS);
	rec = (struct smc_frame_record){};
	KUNIT_EXPECT_FALSE(test, smc_frames_in_is_newest(&in, 1, &rec));
	KUNIT_EXPECT_TRUE(test, smc_frames_in_is_newest(&in, 2, &rec));
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 10, 10, 0, &got), 0);
	KUNIT_EXPECT_TRUE(test, smc_frames_in_is_newest(&in, 2, &rec));
	/* the repetition of a move does not lead back */
	rec = (struct smc_frame_record){ .parts = SMC_FRAME_MOVE, .move = 1 };
	KUNIT_EXPECT_FALSE(test, smc_frames_in_is_newest(&in, 1, &rec));
}

/* F-10: the end of the stream. */
static void in_end(struct kunit *test)
{
	struct smc_frame_record rec = { .prod = 30, .len = 30,
					.flags = SMC_FRAME_D };
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 100);
	KUNIT_EXPECT_EQ(test, smc_frames_in_take(&in, 1, &rec, &got), 0);
	/* F-10 */
	KUNIT_EXPECT_EQ(test, in.end, 30ULL);
	/* F-19: bytes behind the end */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 31, 1, 0, &got), -EPROTO);
	rec.len = 0;
	/* F-10: later records repeat the flag */
	KUNIT_EXPECT_EQ(test, smc_frames_in_take(&in, 1, &rec, &got), 0);
}

/* F-12 to F-17: the sender changes from one element to the next. */
static void in_offers(struct kunit *test)
{
	struct smc_frame_record rec;
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_TRUE(test, offer_size(&in, 7, 64));
	/* F-13: the next offer must wait for the echo of this one */
	KUNIT_EXPECT_FALSE(test, offer_size(&in, 8, 64));
	rec = fill_in(&in);
	/* F-12, F-13 */
	KUNIT_EXPECT_EQ(test, rec.parts, SMC_FRAME_OFFER);
	KUNIT_EXPECT_EQ(test, rec.offer.number, 1);
	/* F-13: until the echo each record carries the offer */
	KUNIT_EXPECT_EQ(test, fill_in(&in).parts, SMC_FRAME_OFFER);
	/* F-15 */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 50, 10, 1, &got), 0);
	KUNIT_EXPECT_EQ(test, got.written, 40);
	KUNIT_EXPECT_EQ(test, got_rkey(&got), 7);
	KUNIT_EXPECT_EQ(test, got.data, 10);
	/* F-13 */
	KUNIT_EXPECT_EQ(test, fill_in(&in).parts, 0);
	KUNIT_EXPECT_TRUE(test, offer_size(&in, 8, 128));
	/* F-15: the sender has not received the offer of the second element */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 60, 0, 1, &got), 0);
	KUNIT_EXPECT_EQ(test, got_rkey(&got), 7);
	/* F-16: the sender must not overwrite unread bytes */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 65, 0, 1, &got), -EPROTO);
	smc_frames_in_read(&in, 60, 1000);
	/* F-17: the sender may still write to the first element */
	KUNIT_EXPECT_EQ(test, came_back(&in), 0);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 100, 0, 2, &got), 0);
	/* F-15 */
	KUNIT_EXPECT_EQ(test, got_rkey(&got), 8);
	/* F-17 */
	KUNIT_EXPECT_EQ(test, came_back(&in), 7);
	KUNIT_EXPECT_EQ(test, came_back(&in), 0);
	/* F-19: the echoed number is lower than before, or no offer has it */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 100, 0, 1, &got), -EPROTO);
	/* F-19 */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 100, 0, 3, &got), -EPROTO);
	/* F-12: an offer without an element */
	KUNIT_EXPECT_TRUE(test, offer_size(&in, 0, 0));
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 110, 10, 3, &got), 0);
	/* F-17: an element with unread bytes is not released */
	KUNIT_EXPECT_EQ(test, came_back(&in), 0);
	smc_frames_in_read(&in, 100, 1000);
	/* F-17 */
	KUNIT_EXPECT_EQ(test, came_back(&in), 8);
}

/*
 * F-17: C ends all offers, and so does the end of the link after the reader has
 * gone.
 */
static void in_offers_end(struct kunit *test)
{
	struct smc_frame_record rec = { .flags = SMC_FRAME_D | SMC_FRAME_C };
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_TRUE(test, offer_size(&in, 7, 64));
	KUNIT_EXPECT_EQ(test, smc_frames_in_take(&in, 1, &rec, &got), 0);
	/* F-17 */
	KUNIT_EXPECT_EQ(test, came_back(&in), 7);
	KUNIT_EXPECT_FALSE(test, offer_size(&in, 7, 64));

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_TRUE(test, offer_size(&in, 7, 64));
	smc_frames_in_drop(&in);
	/* F-17 */
	KUNIT_EXPECT_EQ(test, came_back(&in), 0);
	KUNIT_EXPECT_EQ(test, smc_frames_in_closed(&in, 1), 0);
	/* F-17 */
	KUNIT_EXPECT_EQ(test, came_back(&in), 7);
}

/* F-18, F-22: a change of links withdraws elements, which stay until the old
 * endpoint is closed.
 */
static void in_elements_after_move(struct kunit *test)
{
	struct smc_frame_record rec;
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_TRUE(test, offer_size(&in, 7, 64));
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 30, 0, 1, &got), 0);
	KUNIT_EXPECT_EQ(test, take_move(&in, 2, 1, 30), 0);
	rec = fill_in(&in);
	/* F-22 */
	KUNIT_EXPECT_EQ(test, rec.parts, SMC_FRAME_ANSWER | SMC_FRAME_OFFER);
	KUNIT_EXPECT_EQ(test, rec.answer, 1);
	KUNIT_EXPECT_EQ(test, rec.arrived, 30ULL);
	/* F-18 */
	KUNIT_EXPECT_EQ(test, rec.offer.number, 2);
	KUNIT_EXPECT_EQ(test, rec.offer.size, 0);
	smc_frames_in_read(&in, 30, 1000);
	/* F-18: WRITEs of link 1 may still arrive */
	KUNIT_EXPECT_EQ(test, came_back(&in), 0);
	KUNIT_EXPECT_EQ(test, take_data(&in, 2, 40, 10, 2, &got), 0);
	/* F-18 */
	KUNIT_EXPECT_EQ(test, came_back(&in), 0);
	KUNIT_EXPECT_EQ(test, smc_frames_in_closed(&in, 2), 0);
	/* F-18: another endpoint */
	KUNIT_EXPECT_EQ(test, came_back(&in), 0);
	KUNIT_EXPECT_EQ(test, smc_frames_in_closed(&in, 1), 0);
	/* F-18 */
	KUNIT_EXPECT_EQ(test, came_back(&in), 7);
}

/* F-21, F-22: the receiver waits for bytes of the old link, answers, repeats
 * the answer, and takes nothing more of the old link.
 */
static void in_moves(struct kunit *test)
{
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 10, 10, 0, &got), 0);
	KUNIT_EXPECT_EQ(test, take_move(&in, 2, 1, 30), 0);
	/* F-21 */
	KUNIT_EXPECT_EQ(test, fill_in(&in).parts, 0);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 40, 30, 0, &got), 0);
	/* F-21: these bytes arrive over the old link */
	KUNIT_EXPECT_EQ(test, got.data, 30);
	KUNIT_EXPECT_TRUE(test, smc_frames_in_due(&in));
	/* F-22 */
	KUNIT_EXPECT_EQ(test, fill_in(&in).arrived, 40ULL);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 50, 10, 0, &got), 0);
	/* F-22: the receiver has answered, so it ignores the old link */
	KUNIT_EXPECT_EQ(test, got.data, 0);
	KUNIT_EXPECT_EQ(test, in.prod, 40ULL);
	/* F-20: the sender repeats the part move until it gets the answer */
	KUNIT_EXPECT_EQ(test, take_move(&in, 2, 1, 30), 0);
	/* F-22 */
	KUNIT_EXPECT_EQ(test, fill_in(&in).parts, SMC_FRAME_ANSWER);
	KUNIT_EXPECT_EQ(test, take_data(&in, 2, 45, 5, 0, &got), 0);
	KUNIT_EXPECT_EQ(test, got.data, 5);
	/* F-22 */
	KUNIT_EXPECT_EQ(test, fill_in(&in).parts, 0);
	/* F-25: an old change that the network has delayed */
	KUNIT_EXPECT_EQ(test, take_move(&in, 1, 1, 45), 0);
	KUNIT_EXPECT_EQ(test, in.link, 2);
	/* F-19 */
	KUNIT_EXPECT_EQ(test, take_move(&in, 3, 2, 1001), -EPROTO);
}

/* F-21: bytes that can no longer arrive are lost. */
static void in_loses(struct kunit *test)
{
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_EQ(test, take_move(&in, 2, 1, 30), 0);
	/* F-21 */
	KUNIT_EXPECT_EQ(test, smc_frames_in_closed(&in, 1), -ENODATA);

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_EQ(test, smc_frames_in_closed(&in, 1), 0);
	/* F-21: the sender has not moved yet */
	KUNIT_EXPECT_EQ(test, take_move(&in, 2, 1, 30), -ENODATA);

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_EQ(test, smc_frames_in_closed(&in, 1), 0);
	KUNIT_EXPECT_EQ(test, take_move(&in, 2, 1, 0), 0);
	/* F-21 */
	KUNIT_EXPECT_EQ(test, take_data(&in, 2, 30, 30, 0, &got), 0);

	/* the new link is closed while bytes of the old one are missing */
	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_EQ(test, take_move(&in, 2, 1, 30), 0);
	KUNIT_EXPECT_EQ(test, smc_frames_in_closed(&in, 2), 0);
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 30, 30, 0, &got), 0);
	KUNIT_EXPECT_TRUE(test, in.drained);
	/* F-21 */
	KUNIT_EXPECT_EQ(test, take_move(&in, 3, 2, 31), -ENODATA);
}

/*
 * F-11, F-18: an abort is valid on any link, and later records have no effect.
 */
static void in_abort(struct kunit *test)
{
	struct smc_frame_record rec = { .flags = SMC_FRAME_A };
	struct smc_frames_got got;
	struct smc_frames_in in;

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_TRUE(test, offer_size(&in, 7, 64));
	KUNIT_EXPECT_EQ(test, smc_frames_in_take(&in, 2, &rec, &got), 0);
	/* F-11 */
	KUNIT_EXPECT_TRUE(test, got.aborted);
	/* F-18: WRITEs of link 1 may be in flight */
	KUNIT_EXPECT_EQ(test, came_back(&in), 0);
	/* F-11 */
	KUNIT_EXPECT_EQ(test, take_data(&in, 1, 90, 10, 1, &got), 0);
	KUNIT_EXPECT_EQ(test, got.data, 0);
	KUNIT_EXPECT_EQ(test, smc_frames_in_closed(&in, 1), 0);
	/* F-18 */
	KUNIT_EXPECT_EQ(test, came_back(&in), 7);

	smc_frames_in_init(&in, 1, 1000);
	KUNIT_EXPECT_TRUE(test, offer_size(&in, 7, 64));
	KUNIT_EXPECT_EQ(test, smc_frames_in_take(&in, 1, &rec, &got), 0);
	/* F-17: all WRITEs of the link have arrived */
	KUNIT_EXPECT_EQ(test, came_back(&in), 7);
}

/* Both directions in one record, from end to end. */
static void both_directions(struct kunit *test)
{
	struct smc_frames_room room = { .data = 50 };
	struct smc_frame_record rec;
	struct smc_frames a, b;
	struct smc_frames_write w;
	struct smc_frames_got got;

	smc_frames_out_init(&a.out, 100);
	smc_frames_in_init(&a.in, 1, 100);
	b = a;
	KUNIT_EXPECT_FALSE(test, smc_frames_due(&a, 0));
	KUNIT_EXPECT_TRUE(test, smc_frames_due(&a, 10));
	KUNIT_EXPECT_TRUE(test, offer_size(&a.in, 7, 64));
	/* F-13 */
	KUNIT_EXPECT_EQ(test, smc_frames_parts(&a, 10, false),
			SMC_FRAME_OFFER);
	smc_frames_fill(&a, 10, &room, &rec, &w);
	KUNIT_EXPECT_EQ(test, smc_frames_take(&b, 1, &rec, &got), 0);
	KUNIT_EXPECT_EQ(test, got.data, 10);
	/* F-14: the receiver answers at once */
	KUNIT_EXPECT_TRUE(test, smc_frames_due(&b, 0));
	smc_frames_fill(&b, 0, &room, &rec, &w);
	KUNIT_EXPECT_EQ(test, smc_frames_take(&a, 1, &rec, &got), 0);
	/* F-14 */
	KUNIT_EXPECT_EQ(test, smc_frames_parts(&a, 10, false), 0);
	KUNIT_EXPECT_FALSE(test, smc_frames_due(&a, 10));
	KUNIT_EXPECT_FALSE(test, smc_frames_due(&b, 0));
	rec.len = 1;
	/* F-05 */
	KUNIT_EXPECT_EQ(test, smc_frames_take(&a, 1, &rec, &got), -EPROTO);
}

/*
 * Has the next record of @f a short head? @prep: bytes queued. The record must
 * fit into a frame whose size follows from its parts and @len bytes of data.
 */
static bool makes_short(struct kunit *test, struct smc_frames *f, u64 prep,
			u32 len, u32 write)
{
	struct smc_frames_room room = {
		.data = len, .write = write, .short_heads = true,
	};
	u8 parts = smc_frames_parts(f, prep, true), buf[256];
	struct smc_frames copy = *f;
	struct smc_frame_record rec;
	struct smc_frames_write w;
	struct smc_frame_out out;

	smc_frame_begin(&out, buf, SMC_FRAME_HDR_LEN + len +
		       smc_frame_head_len(parts) + smc_frame_parts_len(parts));
	KUNIT_EXPECT_EQ(test, smc_frame_room(&out, parts), len);
	smc_frames_fill(&copy, prep, &room, &rec, &w);
	KUNIT_EXPECT_EQ(test, w.len, write);
	KUNIT_EXPECT_TRUE(test, !!smc_frame_add(&out, &rec));
	return rec.parts & SMC_FRAME_SHORT;
}

static bool is_short(struct kunit *test, struct smc_frames *f, u64 prep)
{
	return makes_short(test, f, prep, 20, 0);
}

/* F-38: a record whose values fit in a short head has a short head. */
static void short_heads(struct kunit *test)
{
	const u64 far = SMC_FRAME_SHORT_POS;
	struct smc_frames a;

	smc_frames_out_init(&a.out, 100);
	smc_frames_in_init(&a.in, 1, 100);
	/* F-38 */
	KUNIT_EXPECT_TRUE(test, is_short(test, &a, 10));
	KUNIT_EXPECT_EQ(test, smc_frames_parts(&a, 10, false), 0);
	/* F-38: the window */
	smc_frames_in_read(&a.in, 0, SMC_FRAME_SHORT_WINDOW);
	KUNIT_EXPECT_TRUE(test, is_short(test, &a, 10));
	smc_frames_in_read(&a.in, 0, SMC_FRAME_SHORT_WINDOW + 1);
	KUNIT_EXPECT_FALSE(test, is_short(test, &a, 10));
	/* F-38: the position up to which the owner has read */
	smc_frames_in_read(&a.in, far, far);
	KUNIT_EXPECT_TRUE(test, is_short(test, &a, 10));
	smc_frames_in_read(&a.in, far + 1, far + 1);
	KUNIT_EXPECT_FALSE(test, is_short(test, &a, 10));
	smc_frames_in_init(&a.in, 1, 100);
	/* F-38: the newest offer of the peer */
	a.out.offer.number = SMC_FRAME_SHORT_HEARD;
	KUNIT_EXPECT_TRUE(test, is_short(test, &a, 10));
	a.out.offer.number++;
	KUNIT_EXPECT_FALSE(test, is_short(test, &a, 10));
}

/* F-38: the position behind the bytes of the record must fit, too. */
static void short_heads_end(struct kunit *test)
{
	const u64 far = SMC_FRAME_SHORT_POS;
	struct smc_frames a;

	smc_frames_out_init(&a.out, 100);
	smc_frames_in_init(&a.in, 1, 100);
	a.out.sent = far - 10;
	a.out.fin = far - 10;
	a.out.cons = far - 10;
	a.out.edge = far + 1000;
	KUNIT_EXPECT_TRUE(test, is_short(test, &a, far));
	KUNIT_EXPECT_FALSE(test, is_short(test, &a, far + 1));
	/* a record that takes fewer bytes than are queued */
	KUNIT_EXPECT_TRUE(test, makes_short(test, &a, far + 1, 5, 0));
	/* bytes that go to the element come first */
	a.out.offer = (struct smc_frame_offer){ .number = 1, .size = 64 };
	KUNIT_EXPECT_TRUE(test, makes_short(test, &a, far + 54, 5, 10));
	KUNIT_EXPECT_FALSE(test, makes_short(test, &a, far + 54, 5, 11));
	KUNIT_EXPECT_FALSE(test, makes_short(test, &a, far + 54, 5, 64));
	/* the part move has the position of delivered bytes */
	a.out.sent = far + 1;
	smc_frames_out_moved(&a.out);
	KUNIT_EXPECT_TRUE(test, is_short(test, &a, far + 1));
	a.out.fin = far + 1;
	KUNIT_EXPECT_FALSE(test, is_short(test, &a, far + 1));
}

static struct kunit_case frames_in_cases[] = {
	KUNIT_CASE(answer_complete),
	KUNIT_CASE(in_data),
	KUNIT_CASE(in_window_updates),
	KUNIT_CASE(in_narrow),
	KUNIT_CASE(in_newest_link),
	KUNIT_CASE(in_end),
	KUNIT_CASE(in_offers),
	KUNIT_CASE(in_offers_end),
	KUNIT_CASE(in_elements_after_move),
	KUNIT_CASE(in_moves),
	KUNIT_CASE(in_loses),
	KUNIT_CASE(in_abort),
	KUNIT_CASE(both_directions),
	KUNIT_CASE(short_heads),
	KUNIT_CASE(short_heads_end),
	{}
};

struct kunit_suite smc_frames_in_suite = {
	.name = "smc_frames_in",
	.test_cases = frames_in_cases,
};
