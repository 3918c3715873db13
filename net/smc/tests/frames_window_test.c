// SPDX-License-Identifier: GPL-2.0
/* The window that a receiver of frames chooses (frames.rst). */
#include <kunit/test.h>

#include "tests.h"
#include "../conn/frames_window.c"

enum {
	KIB	= 1024,
	CAP	= 100 * KIB,
};

/* Takes a record with the bytes up to @prod and with @flags. */
static void window_bring(struct kunit *test, struct smc_frames_in *in, u64 prod,
			 u8 flags)
{
	struct smc_frame_record rec = {
		.prod = prod, .len = (u16)(prod - in->prod), .flags = flags,
		.heard = in->elements.echo,
	};
	struct smc_frames_got got;

	KUNIT_EXPECT_EQ(test, smc_frames_in_take(in, 1, &rec, &got), 0);
}

/* Takes a record that echoes the newest offer. */
static void window_echo(struct kunit *test, struct smc_frames_in *in)
{
	struct smc_frame_record rec = {
		.prod = in->prod, .heard = in->elements.newest.number,
	};
	struct smc_frames_got got;

	KUNIT_EXPECT_EQ(test, smc_frames_in_take(in, 1, &rec, &got), 0);
}

struct window_case {
	struct smc_frames_window w;
	struct smc_frames_in in;
};

static void window_start(struct window_case *c)
{
	*c = (struct window_case){ .w.size = SMC_FRAMES_WINDOW_MIN };
	smc_frames_in_init(&c->in, 1, c->w.size);
}

/* The reader reads all. Return: the window. */
static u32 window_read(struct window_case *c, u32 cap)
{
	u32 size = smc_frames_window_want(&c->w, &c->in, c->in.prod, 0, cap);

	smc_frames_window_set(&c->w, &c->in, c->in.prod, size);
	return size;
}

/* The sender always has more, and the reader reads every piece at once. */
static void window_doubles(struct kunit *test)
{
	struct window_case c;
	unsigned int pieces = 0;
	u32 size, old;

	window_start(&c);
	for (old = c.w.size; old < CAP && pieces < 1000; old = size) {
		window_bring(test, &c.in, c.in.prod + 1024, SMC_FRAME_B);
		size = window_read(&c, CAP);
		/* F-09: the peer gets the new window at once */
		KUNIT_EXPECT_TRUE(test, smc_frames_in_due(&c.in));
		KUNIT_EXPECT_LE(test, size, 2 * old);
		KUNIT_EXPECT_EQ(test, c.in.edge, c.in.prod + size);
		pieces++;
	}
	KUNIT_EXPECT_EQ(test, old, CAP);
	/* one window of bytes for each step: 8, 16, 32 and 64 KiB */
	KUNIT_EXPECT_EQ(test, pieces, 8 + 16 + 32 + 64);
	/* the limit holds */
	window_bring(test, &c.in, c.in.prod + 60000, SMC_FRAME_B);
	window_bring(test, &c.in, c.in.edge, SMC_FRAME_B);
	KUNIT_EXPECT_EQ(test, window_read(&c, CAP), CAP);
}

/* The window stays as it is if the sender does not wait for it. */
static void window_stays(struct kunit *test)
{
	const u32 size = SMC_FRAMES_WINDOW_MIN;
	struct window_case c;

	window_start(&c);
	window_bring(test, &c.in, size, 0);
	/* the sender has no more */
	KUNIT_EXPECT_EQ(test, window_read(&c, CAP), size);
	window_start(&c);
	window_bring(test, &c.in, size, SMC_FRAME_B);
	/* the reader is slow */
	KUNIT_EXPECT_EQ(test, smc_frames_window_want(&c.w, &c.in, size - 1, 0,
						     CAP), size);
	window_start(&c);
	window_bring(test, &c.in, size, SMC_FRAME_B);
	KUNIT_EXPECT_EQ(test, window_read(&c, CAP), 2 * size);
	/* without another record the window does not grow again */
	KUNIT_EXPECT_EQ(test, window_read(&c, CAP), 2 * size);
}

/* A reader that waits for more than the window gets it, up to the limit. */
static void window_follows_need(struct kunit *test)
{
	const u32 size = SMC_FRAMES_WINDOW_MIN;
	struct window_case c;

	window_start(&c);
	KUNIT_EXPECT_EQ(test, smc_frames_window_want(&c.w, &c.in, 0, 100, CAP),
			size);
	KUNIT_EXPECT_EQ(test, smc_frames_window_want(&c.w, &c.in, 0, size + 1,
						     CAP), size + 1);
	KUNIT_EXPECT_EQ(test, smc_frames_window_want(&c.w, &c.in, 0, 2 * CAP,
						     CAP), CAP);
	/* a lower limit does not reduce the window */
	KUNIT_EXPECT_EQ(test, smc_frames_window_want(&c.w, &c.in, 0, 0, 100),
			size);
	window_bring(test, &c.in, size, SMC_FRAME_B);
	KUNIT_EXPECT_EQ(test, window_read(&c, 100), size);
}

/* F-34: a lower window is charged in full until the sender has received it. */
static void window_narrow(struct kunit *test)
{
	const u32 size = SMC_FRAMES_WINDOW_MIN;
	struct window_case c;

	window_start(&c);
	smc_frames_window_set(&c.w, &c.in, 0, CAP);
	KUNIT_EXPECT_EQ(test, smc_frames_window_needs(&c.w, &c.in), CAP);
	KUNIT_EXPECT_TRUE(test, smc_frames_window_narrow(&c.w, &c.in, size));
	KUNIT_EXPECT_EQ(test, c.w.size, size);
	KUNIT_EXPECT_EQ(test, smc_frames_window_needs(&c.w, &c.in), CAP);
	/* the sender used the higher window before it received the lower one */
	window_bring(test, &c.in, 2 * size, 0);
	KUNIT_EXPECT_EQ(test, window_read(&c, CAP), size);
	KUNIT_EXPECT_EQ(test, smc_frames_window_needs(&c.w, &c.in),
			CAP - 2 * size);
	window_echo(test, &c.in);
	KUNIT_EXPECT_EQ(test, smc_frames_window_needs(&c.w, &c.in), size);
	/* the window grows again */
	window_bring(test, &c.in, c.in.edge, SMC_FRAME_B);
	KUNIT_EXPECT_EQ(test, window_read(&c, CAP), 2 * size);
	KUNIT_EXPECT_EQ(test, smc_frames_window_needs(&c.w, &c.in), 2 * size);
}

/* A chunk of 512 bytes or more has a head of at most 56 bytes. */
static void window_cost(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, smc_frames_window_cost(0), SMC_FRAMES_SLACK);
	KUNIT_EXPECT_EQ(test, smc_frames_window_cost(8192),
			8192 + 1024 + SMC_FRAMES_SLACK);
	KUNIT_EXPECT_LT(test, smc_frames_window_cost(1U << 31), ~0U);
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(window_doubles),
	KUNIT_CASE(window_stays),
	KUNIT_CASE(window_follows_need),
	KUNIT_CASE(window_narrow),
	KUNIT_CASE(window_cost),
	{}
};

struct kunit_suite smc_frames_window_suite = {
	.name = "smc_frames_window",
	.test_cases = window_cases,
};
