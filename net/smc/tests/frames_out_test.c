// SPDX-License-Identifier: GPL-2.0
/* The sender of a direction with frames (frames.rst). */
#include <kunit/test.h>

#include "tests.h"
#include "fsm_walk.h"
#include "../conn/frames_ask_fsm.c"
#include "../conn/frames_out.c"

static void ask_complete(struct kunit *test)
{
	smc_test_table_valid(test, &smc_frames_ask_fsm);
}

struct out_filled {
	struct smc_frame_record rec;
	struct smc_frames_write w;
};

static struct out_filled fill_out(struct smc_frames_out *out, u64 prep,
				  u32 data, u32 write)
{
	struct smc_frames_room room = { .data = data, .write = write };
	struct out_filled got = {};

	smc_frames_out_fill(out, prep, &room, &got.rec, &got.w);
	return got;
}

/*
 * Gives @out a record of the peer that carries only the consumed position @cons
 * and the window. Returns the result of smc_frames_out_hear().
 */
static int hear_out(struct smc_frames_out *out, u64 cons, u32 window)
{
	struct smc_frame_record rec = { .cons = cons, .window = window };

	return smc_frames_out_hear(out, &rec, true);
}

static int hear_offer(struct smc_frames_out *out, u64 cons, u32 number,
		      u32 size)
{
	struct smc_frame_record rec = {
		.cons = cons, .window = 100000, .parts = SMC_FRAME_OFFER,
		.offer = { number, size ? 1 : 0, 0, size },
	};

	return smc_frames_out_hear(out, &rec, true);
}

static int hear_answer(struct smc_frames_out *out, u32 move, u64 arrived)
{
	struct smc_frame_record rec = {
		.parts = SMC_FRAME_ANSWER, .answer = move, .arrived = arrived,
	};

	return smc_frames_out_hear(out, &rec, true);
}

/* F-34: a new offer brings its own window. */
static void out_lower_window(struct kunit *test)
{
	struct smc_frame_record rec = {
		.parts = SMC_FRAME_OFFER, .offer = { .number = 1 },
		.cons = 30, .window = 20,
	};
	struct smc_frames_out out;

	smc_frames_out_init(&out, 100);
	fill_out(&out, 40, 1000, 0);
	KUNIT_EXPECT_EQ(test, smc_frames_out_hear(&out, &rec, true), 0);
	KUNIT_EXPECT_EQ(test, out.edge, 50ULL);
	KUNIT_EXPECT_EQ(test, fill_out(&out, 200, 1000, 0).rec.prod, 50ULL);
	/* an older record */
	KUNIT_EXPECT_EQ(test, hear_out(&out, 30, 20), 0);
	rec = (struct smc_frame_record){ .cons = 20, .window = 500 };
	KUNIT_EXPECT_EQ(test, smc_frames_out_hear(&out, &rec, false), 0);
	KUNIT_EXPECT_EQ(test, out.edge, 50ULL);
	KUNIT_EXPECT_EQ(test, out.cons, 30ULL);
	/* the newest offer again: its window grows as usual */
	rec = (struct smc_frame_record){
		.parts = SMC_FRAME_OFFER, .offer = { .number = 1 },
		.cons = 50, .window = 10,
	};
	KUNIT_EXPECT_EQ(test, smc_frames_out_hear(&out, &rec, true), 0);
	KUNIT_EXPECT_EQ(test, out.edge, 60ULL);
	rec.window = 5;
	KUNIT_EXPECT_EQ(test, smc_frames_out_hear(&out, &rec, true), 0);
	KUNIT_EXPECT_EQ(test, out.edge, 60ULL);
	/* a window below what was sent stops the sender */
	rec = (struct smc_frame_record){
		.parts = SMC_FRAME_OFFER, .offer = { .number = 2 }, .cons = 50,
	};
	fill_out(&out, 200, 1000, 0);
	KUNIT_EXPECT_EQ(test, smc_frames_out_hear(&out, &rec, true), 0);
	KUNIT_EXPECT_EQ(test, out.edge, 50ULL);
	KUNIT_EXPECT_EQ(test, fill_out(&out, 200, 1000, 0).rec.prod, 60ULL);
}

/* F-09: the window limits what is sent, and its end never decreases. */
static void out_window(struct kunit *test)
{
	struct smc_frames_out out;
	struct out_filled got;

	smc_frames_out_init(&out, 100);
	KUNIT_EXPECT_FALSE(test, smc_frames_out_due(&out, 0));
	KUNIT_EXPECT_TRUE(test, smc_frames_out_due(&out, 150));
	got = fill_out(&out, 150, 1000, 0);
	/* F-03, F-09 */
	KUNIT_EXPECT_EQ(test, got.rec.len, 100);
	KUNIT_EXPECT_EQ(test, got.rec.prod, 100ULL);
	/* F-09: the writer is blocked */
	KUNIT_EXPECT_EQ(test, got.rec.flags, SMC_FRAME_B);
	KUNIT_EXPECT_FALSE(test, smc_frames_out_due(&out, 150));
	KUNIT_EXPECT_EQ(test, hear_out(&out, 40, 80), 0);
	/* F-09, F-24: an older record does not reduce the limit */
	KUNIT_EXPECT_EQ(test, hear_out(&out, 10, 20), 0);
	KUNIT_EXPECT_EQ(test, out.cons, 40ULL);
	got = fill_out(&out, 150, 1000, 0);
	/* F-09 */
	KUNIT_EXPECT_EQ(test, got.rec.prod, 120ULL);
	/* F-19: the peer cannot have read bytes that were not sent */
	KUNIT_EXPECT_EQ(test, hear_out(&out, 121, 0), -EPROTO);
}

/*
 * F-09: bytes that are queued behind a full window cause a record with B and
 * without data, once.
 */
static void out_blocked_later(struct kunit *test)
{
	struct smc_frames_out out;
	struct out_filled got;

	smc_frames_out_init(&out, 100);
	got = fill_out(&out, 100, 1000, 0);
	/* F-09 */
	KUNIT_EXPECT_EQ(test, got.rec.flags, 0);
	KUNIT_EXPECT_FALSE(test, smc_frames_out_due(&out, 100));
	/* F-09 */
	KUNIT_EXPECT_TRUE(test, smc_frames_out_due(&out, 101));
	got = fill_out(&out, 101, 1000, 0);
	/* F-09 */
	KUNIT_EXPECT_EQ(test, got.rec.flags, SMC_FRAME_B);
	KUNIT_EXPECT_EQ(test, got.rec.len, 0);
	KUNIT_EXPECT_FALSE(test, smc_frames_out_due(&out, 101));
	KUNIT_EXPECT_FALSE(test, smc_frames_out_due(&out, 200));
	/* F-09: B belongs to the newest record only */
	KUNIT_EXPECT_EQ(test, hear_out(&out, 50, 100), 0);
	got = fill_out(&out, 150, 1000, 0);
	/* F-09 */
	KUNIT_EXPECT_EQ(test, got.rec.flags, 0);
	KUNIT_EXPECT_EQ(test, got.rec.prod, 150ULL);
	KUNIT_EXPECT_TRUE(test, smc_frames_out_due(&out, 151));
	/* F-20: after a change of links nothing is due before the answer */
	smc_frames_out_moved(&out);
	fill_out(&out, 151, 1000, 0);
	KUNIT_EXPECT_FALSE(test, smc_frames_out_due(&out, 151));
	KUNIT_EXPECT_EQ(test, hear_answer(&out, 1, 150), 0);
	got = fill_out(&out, 151, 1000, 0);
	/* F-09 */
	KUNIT_EXPECT_EQ(test, got.rec.flags, SMC_FRAME_B);
	/* B is no flag that the owner asked for */
	out.owes = false;
	out.fin = 150;
	out.flying = 0;
	KUNIT_EXPECT_TRUE(test, smc_frames_out_settled(&out, 150));
}

/* F-33: a sender with many bytes asks for an element until it has one. */
static void out_wants(struct kunit *test)
{
	const u64 many = 1000 + SMC_FRAMES_MANY;
	struct smc_frames_out out;
	struct out_filled got;

	smc_frames_out_init(&out, 100000);
	got = fill_out(&out, many - 1, 1000, 0);
	/* F-33 */
	KUNIT_EXPECT_EQ(test, got.rec.flags, 0);
	smc_frames_out_init(&out, 100000);
	got = fill_out(&out, many, 1000, 0);
	/* F-33 */
	KUNIT_EXPECT_EQ(test, got.rec.flags, SMC_FRAME_W);
	KUNIT_EXPECT_EQ(test, hear_offer(&out, 0, 1, 65536), 0);
	got = fill_out(&out, 2 * many, 1000, 4000);
	/* F-33 */
	KUNIT_EXPECT_EQ(test, got.rec.flags, 0);
	/* F-15, F-16 */
	KUNIT_EXPECT_EQ(test, smc_frames_out_writable(&out, 70000),
			65536ULL - out.sent);
	KUNIT_EXPECT_EQ(test, smc_frames_out_writable(&out, 10), 10ULL);
	got = fill_out(&out, 65536 + SMC_FRAMES_MANY - 1, 1000, 70000);
	KUNIT_EXPECT_EQ(test, out.sent, 65536ULL);
	/* F-33: few bytes are left */
	KUNIT_EXPECT_EQ(test, got.rec.flags, 0);
	KUNIT_EXPECT_EQ(test, hear_out(&out, 1000, 100000), 0);
	got = fill_out(&out, 100000, 2000, 2000);
	KUNIT_EXPECT_EQ(test, got.w.len, 0U);
	/* F-33: the element is full, but not the window */
	KUNIT_EXPECT_EQ(test, got.rec.flags, SMC_FRAME_W);
	KUNIT_EXPECT_EQ(test, hear_out(&out, 40000, 60000), 0);
	got = fill_out(&out, 200000, 1000, 0);
	/* F-33, F-09: the window is full, and the element is not */
	KUNIT_EXPECT_EQ(test, got.rec.flags, 0);
}

/* F-10, F-11: D and C are sent after all data, A at once and without data. */
static void out_flags(struct kunit *test)
{
	struct smc_frames_out out;
	struct out_filled got;

	smc_frames_out_init(&out, 100);
	out.want = SMC_FRAME_D;
	got = fill_out(&out, 60, 50, 0);
	/* F-10 */
	KUNIT_EXPECT_EQ(test, got.rec.flags & SMC_FRAME_D, 0);
	got = fill_out(&out, 60, 50, 0);
	/* F-10 */
	KUNIT_EXPECT_EQ(test, got.rec.flags, SMC_FRAME_D);
	KUNIT_EXPECT_EQ(test, got.rec.prod, 60ULL);
	KUNIT_EXPECT_FALSE(test, smc_frames_out_due(&out, 60));
	out.want |= SMC_FRAME_C;
	KUNIT_EXPECT_TRUE(test, smc_frames_out_due(&out, 60));
	got = fill_out(&out, 60, 50, 0);
	/* F-10: later records repeat the flags */
	KUNIT_EXPECT_EQ(test, got.rec.flags, SMC_FRAME_D | SMC_FRAME_C);
	KUNIT_EXPECT_FALSE(test, smc_frames_out_settled(&out, 60));
	smc_frames_out_done(&out, 0, 50);
	smc_frames_out_done(&out, 0, 60);
	smc_frames_out_done(&out, 0, 60);
	KUNIT_EXPECT_TRUE(test, smc_frames_out_settled(&out, 60));

	smc_frames_out_init(&out, 100);
	out.want = SMC_FRAME_A;
	got = fill_out(&out, 60, 50, 0);
	/* F-11 */
	KUNIT_EXPECT_EQ(test, got.rec.flags & SMC_FRAME_A, SMC_FRAME_A);
	KUNIT_EXPECT_EQ(test, got.rec.len, 0);
}

/* F-15, F-16: bytes go to the newest element that was offered, and overwrite no
 * unread bytes.
 */
static void out_element(struct kunit *test)
{
	struct smc_frames_out out;
	struct out_filled got;

	smc_frames_out_init(&out, 100000);
	KUNIT_EXPECT_EQ(test, hear_offer(&out, 0, 1, 64), 0);
	/* F-14 */
	KUNIT_EXPECT_TRUE(test, smc_frames_out_due(&out, 0));
	got = fill_out(&out, 200, 10, 1000);
	/* F-15 */
	KUNIT_EXPECT_EQ(test, got.w.len, 64);
	KUNIT_EXPECT_EQ(test, got.w.pos, 0ULL);
	KUNIT_EXPECT_EQ(test, got.rec.len, 0);
	/* F-14, F-15 */
	KUNIT_EXPECT_EQ(test, got.rec.heard, 1);
	/* the element is full, so the frame carries as much as it can */
	got = fill_out(&out, 200, 10, 1000);
	/* F-16 */
	KUNIT_EXPECT_EQ(test, got.w.len, 0);
	KUNIT_EXPECT_EQ(test, got.rec.prod, 74ULL);
	KUNIT_EXPECT_EQ(test, hear_out(&out, 40, 100000), 0);
	got = fill_out(&out, 200, 10, 1000);
	/* F-16: 34 bytes are unread, and 10 of them are in a frame */
	KUNIT_EXPECT_EQ(test, got.w.len, 30);
	KUNIT_EXPECT_EQ(test, got.w.pos, 74ULL);
	/*
	 * if the rest fits, it travels in the frame, behind the written bytes
	 */
	KUNIT_EXPECT_EQ(test, hear_out(&out, 104, 100000), 0);
	got = fill_out(&out, 154, 10, 40);
	/* F-15 */
	KUNIT_EXPECT_EQ(test, got.w.len, 40);
	KUNIT_EXPECT_EQ(test, got.rec.len, 10);
	KUNIT_EXPECT_EQ(test, got.rec.prod, 154ULL);
	/* F-12: an older offer has no effect */
	KUNIT_EXPECT_EQ(test, hear_offer(&out, 104, 3, 0), 0);
	KUNIT_EXPECT_EQ(test, hear_offer(&out, 104, 2, 64), 0);
	got = fill_out(&out, 300, 10, 1000);
	/* F-12 */
	KUNIT_EXPECT_EQ(test, got.w.len, 0);
	KUNIT_EXPECT_EQ(test, got.rec.heard, 3);
}

/* F-20, F-22: after a change of links only the part move is sent, until the
 * answer tells where to continue.
 */
static void out_moves(struct kunit *test)
{
	struct smc_frames_out out;
	struct out_filled got;

	smc_frames_out_init(&out, 1000);
	out.want = SMC_FRAME_D;
	fill_out(&out, 100, 50, 0);
	fill_out(&out, 100, 50, 0);
	smc_frames_out_done(&out, 0, 50);
	smc_frames_out_moved(&out);
	KUNIT_EXPECT_TRUE(test, smc_frames_out_due(&out, 100));
	got = fill_out(&out, 100, 50, 1000);
	/* F-20 */
	KUNIT_EXPECT_EQ(test, got.rec.parts, SMC_FRAME_MOVE);
	KUNIT_EXPECT_EQ(test, got.rec.move, 1);
	KUNIT_EXPECT_EQ(test, got.rec.prod, 50ULL);
	KUNIT_EXPECT_EQ(test, got.rec.len, 0);
	KUNIT_EXPECT_EQ(test, got.rec.flags & SMC_FRAME_D, 0);
	/* F-20 */
	KUNIT_EXPECT_TRUE(test, smc_frame_sane(&got.rec));
	KUNIT_EXPECT_FALSE(test, smc_frames_out_due(&out, 200));
	KUNIT_EXPECT_FALSE(test, smc_frames_out_settled(&out, 100));
	/* F-22: the answer is between what is delivered and what was sent */
	KUNIT_EXPECT_EQ(test, hear_answer(&out, 1, 80), 0);
	got = fill_out(&out, 100, 50, 0);
	/* F-22 */
	KUNIT_EXPECT_EQ(test, got.rec.parts, 0);
	KUNIT_EXPECT_EQ(test, got.rec.len, 20);
	/* F-10: D was sent only over the old link */
	KUNIT_EXPECT_EQ(test, got.rec.flags, SMC_FRAME_D);
	/* F-22: a repeated answer */
	KUNIT_EXPECT_EQ(test, hear_answer(&out, 1, 80), 0);
	KUNIT_EXPECT_EQ(test, out.sent, 100ULL);
	/* F-22: the part move is answered */
	KUNIT_EXPECT_TRUE(test, smc_frames_out_due(&out, 100));
}

/*
 * F-23: after a change of links, completions of the old link do not prove
 * delivery.
 */
static void out_old_completions(struct kunit *test)
{
	struct smc_frames_out out;

	smc_frames_out_init(&out, 1000);
	fill_out(&out, 50, 50, 0);
	smc_frames_out_moved(&out);
	fill_out(&out, 50, 50, 0);
	smc_frames_out_done(&out, 0, 50);
	/* F-23 */
	KUNIT_EXPECT_EQ(test, out.fin, 0ULL);
	KUNIT_EXPECT_EQ(test, hear_answer(&out, 1, 20), 0);
	/* F-23: the peer has dropped the rest */
	KUNIT_EXPECT_EQ(test, out.fin, 20ULL);
	KUNIT_EXPECT_EQ(test, fill_out(&out, 50, 50, 0).rec.len, 30);
	smc_frames_out_failed(&out);
	smc_frames_out_done(&out, 1, 50);
	KUNIT_EXPECT_EQ(test, out.fin, 50ULL);
	KUNIT_EXPECT_EQ(test, out.flying, 0);
}

static void out_wrong_answers(struct kunit *test)
{
	static const struct {
		const char *id;
		u32 move;
		u64 arrived;
		int err;
		u64 sent;
	} t[] = {
		{ "F-25: an answer to an earlier change", 1, 60, 0, 100 },
		{ "F-22: the lowest position", 2, 60, 0, 60 },
		{ "F-22: the highest position", 2, 100, 0, 100 },
		{ "F-19: bytes that the peer has read", 2, 59, -EPROTO, 100 },
		{ "F-19: bytes that were not sent", 2, 101, -EPROTO, 100 },
		{ "F-19: a change that never happened", 3, 60, -EPROTO, 100 },
	};
	struct smc_frames_out out;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		smc_frames_out_init(&out, 1000);
		fill_out(&out, 50, 50, 0);
		fill_out(&out, 100, 50, 0);
		smc_frames_out_done(&out, 0, 50);
		KUNIT_EXPECT_EQ(test, hear_out(&out, 60, 940), 0);
		smc_frames_out_moved(&out);
		smc_frames_out_moved(&out);
		/* rows of t */
		KUNIT_EXPECT_EQ_MSG(test,
				    hear_answer(&out, t[i].move, t[i].arrived),
				    t[i].err, "%s", t[i].id);
		/* rows of t */
		KUNIT_EXPECT_EQ_MSG(test, out.sent, t[i].sent, "%s", t[i].id);
	}
}

/*
 * F-26: the urgent byte is announced until it was read, and does not stop the
 * sender.
 */
static void out_urgent(struct kunit *test)
{
	struct smc_frames_out out;
	struct out_filled got;

	smc_frames_out_init(&out, 50);
	out.urgent = 80;
	got = fill_out(&out, 100, 60, 0);
	/* F-26: the byte is announced even if it is beyond the window */
	KUNIT_EXPECT_EQ(test, got.rec.parts, SMC_FRAME_URGENT);
	KUNIT_EXPECT_EQ(test, got.rec.urgent, 80ULL);
	KUNIT_EXPECT_EQ(test, hear_out(&out, 50, 50), 0);
	got = fill_out(&out, 100, 60, 0);
	/* F-26 */
	KUNIT_EXPECT_EQ(test, got.rec.prod, 100ULL);
	KUNIT_EXPECT_EQ(test, hear_out(&out, 80, 50), 0);
	/* F-26 */
	KUNIT_EXPECT_EQ(test, smc_frames_out_parts(&out), 0);
}

static struct kunit_case frames_out_cases[] = {
	KUNIT_CASE(ask_complete),
	KUNIT_CASE(out_lower_window),
	KUNIT_CASE(out_window),
	KUNIT_CASE(out_blocked_later),
	KUNIT_CASE(out_wants),
	KUNIT_CASE(out_flags),
	KUNIT_CASE(out_element),
	KUNIT_CASE(out_moves),
	KUNIT_CASE(out_old_completions),
	KUNIT_CASE(out_wrong_answers),
	KUNIT_CASE(out_urgent),
	{}
};

struct kunit_suite smc_frames_out_suite = {
	.name = "smc_frames_out",
	.test_cases = frames_out_cases,
};
