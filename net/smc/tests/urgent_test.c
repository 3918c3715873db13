// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of urgent bytes: where the sender stops, which flags it sends, and how
 * the receiver interprets these flags. ladder_test.c has the ladders of 4.7.5
 * and 4.7.6.
 */
#include <kunit/test.h>

#include "tests.h"
#include "../wire/cdc.h"
#include "../wire/urgent.c"

#define P SMC_CDC_P
#define U SMC_CDC_U

/* R-4.7.5-02, R-4.7.5-05, R-A.4-09: flag U is in the message that ends with the
 * urgent byte.
 */
static void sender_stops(struct kunit *test)
{
	struct smc_urg_tx u = {};

	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 700), 700ULL);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_flags(&u, 700), 0);
	KUNIT_EXPECT_FALSE(test, smc_urg_tx_due(&u));
	smc_urg_tx_mark(&u, 100, 500);
	KUNIT_EXPECT_TRUE(test, smc_urg_tx_due(&u));
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 400), 400ULL);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 700), 500ULL);
	/* R-A.4-15 */
	KUNIT_EXPECT_EQ(test, smc_urg_tx_flags(&u, 499), P);
	/* R-4.7.5-02, R-A.4-09, -15 */
	KUNIT_EXPECT_EQ(test, smc_urg_tx_flags(&u, 500), P | U);
	smc_urg_tx_said(&u);
	KUNIT_EXPECT_FALSE(test, smc_urg_tx_due(&u));
	smc_urg_tx_passed(&u, 499);
	/* R-4.7.5-05 */
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 700), 500ULL);
	smc_urg_tx_passed(&u, 500);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 700), 700ULL);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_flags(&u, 500), 0);
}

/*
 * Checks that a newer urgent byte replaces an unsent one. If the older byte was
 * sent, the newer byte waits until the peer has passed the older one.
 */
static void sender_marks_again(struct kunit *test)
{
	struct smc_urg_tx u = {};

	smc_urg_tx_mark(&u, 100, 500);
	smc_urg_tx_said(&u);
	smc_urg_tx_mark(&u, 499, 600);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 900), 600ULL);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_flags(&u, 500), P);
	KUNIT_EXPECT_FALSE(test, smc_urg_tx_due(&u));
	smc_urg_tx_mark(&u, 600, 800);
	smc_urg_tx_mark(&u, 600, 850);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 900), 600ULL);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_flags(&u, 600), P | U);
	smc_urg_tx_passed(&u, 600);
	/* the announcement is sent even if the window is closed */
	KUNIT_EXPECT_TRUE(test, smc_urg_tx_due(&u));
	KUNIT_EXPECT_EQ(test, smc_urg_tx_flags(&u, 600), P);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 900), 850ULL);
	smc_urg_tx_passed(&u, 850);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_flags(&u, 850), 0);
	KUNIT_EXPECT_FALSE(test, smc_urg_tx_due(&u));
}

/*
 * Records in frames do not stop at an urgent byte, so a peer may pass two at
 * once. Then there is nothing left to announce. F-26
 */
static void sender_is_overtaken(struct kunit *test)
{
	struct smc_urg_tx u = {};

	smc_urg_tx_mark(&u, 0, 10);
	smc_urg_tx_said(&u);
	smc_urg_tx_mark(&u, 10, 20);
	smc_urg_tx_passed(&u, 20);
	KUNIT_EXPECT_EQ(test, u.end, 0ULL);
	KUNIT_EXPECT_FALSE(test, smc_urg_tx_due(&u));
}

/*
 * After a change of links the stream continues before an urgent byte that was
 * sent over the old link. A newer one then replaces both.
 */
static void sender_goes_back(struct kunit *test)
{
	struct smc_urg_tx u = {};

	smc_urg_tx_mark(&u, 0, 10);
	smc_urg_tx_mark(&u, 10, 20);
	smc_urg_tx_mark(&u, 5, 30);
	KUNIT_EXPECT_EQ(test, u.end, 30ULL);
	KUNIT_EXPECT_EQ(test, u.next, 0ULL);
}

/* Checks that the sender does not stop for an urgent byte that was removed from
 * the queue.
 */
static void sender_is_cut(struct kunit *test)
{
	struct smc_urg_tx u = {};

	smc_urg_tx_mark(&u, 0, 10);
	smc_urg_tx_cut(&u, 9);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 50), 50ULL);
	smc_urg_tx_mark(&u, 20, 30);
	smc_urg_tx_mark(&u, 30, 40);
	smc_urg_tx_cut(&u, 30);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 50), 30ULL);
	smc_urg_tx_passed(&u, 30);
	KUNIT_EXPECT_EQ(test, smc_urg_tx_limit(&u, 50), 50ULL);
}

/* A series of messages. Each has the number of bytes that are readable after
 * it.
 */
struct heard {
	u8 flags;
	u64 prod;
	u64 cons;	/* position of the reader when the message arrives */
	u8 news;
	u64 mark;	/* mark after the message */
	bool in_line;
};

#define NONE	SMC_URG_NO_MARK
#define SIGNAL	SMC_URG_SIGNAL
#define BYTE	SMC_URG_BYTE
#define SKIP	SMC_URG_SKIP

static void hear(struct kunit *test, const struct heard *h, size_t n)
{
	struct smc_urg_rx u = {};
	size_t i;

	for (i = 0; i < n; i++, h++) {
		smc_urg_rx_passed(&u, h->cons);
		/* R-4.6.2-04, R-4.7.5-03, R-4.7.6-02 */
		KUNIT_EXPECT_EQ_MSG(test, smc_urg_rx_hear(&u, h->flags, h->prod,
							  h->cons, h->in_line),
				    h->news, "message %zu", i);
		KUNIT_EXPECT_EQ_MSG(test, smc_urg_rx_mark(&u), h->mark,
				    "message %zu", i);
	}
}

/* R-4.7.5-03, R-4.7.6-02: the receiver reports each urgent byte once, whether
 * or not P comes first.
 */
static void receiver_hears(struct kunit *test)
{
	static const struct heard list[] = {
		{ 0, 100, 0, 0, NONE },
		{ P | U, 200, 0, SIGNAL | BYTE, 199 },
		{ P | U, 200, 0, 0, 199 },
		{ P | U, 200, 200, 0, NONE },
		{ 0, 300, 200, 0, NONE },
		{ P, 300, 200, SIGNAL, NONE },
		{ P, 400, 250, 0, NONE },
		{ P | U, 500, 250, BYTE, 499 },
		{ 0, 600, 250, 0, 499 },
	};

	hear(test, list, ARRAY_SIZE(list));
}

/*
 * Checks that the newer of two urgent bytes is the urgent byte. The older one
 * must become ordinary data, unless it is the next byte to be read.
 */
static void receiver_hears_again(struct kunit *test)
{
	static const struct heard list[] = {
		{ P | U, 200, 0, SIGNAL | BYTE, 199 },
		{ P | U, 300, 100, SIGNAL | BYTE, 299 },
		{ P | U, 400, 299, SIGNAL | BYTE | SKIP, 399 },
		{ P | U, 500, 399, SIGNAL | BYTE, 499, true },
		{ P, 500, 499, SIGNAL | SKIP, NONE },
		{ P | U, 600, 500, BYTE, 599 },
		{ P | U, 601, 599, SIGNAL | BYTE, 600, true },
		{ P, 601, 600, SIGNAL, NONE, true },
	};

	hear(test, list, ARRAY_SIZE(list));
}

/* R-4.6.2-04: the receiver knows an urgent byte, and the peer repeats earlier
 * messages over another link.
 */
static void receiver_hears_replay(struct kunit *test)
{
	static const struct heard list[] = {
		{ P | U, 200, 0, SIGNAL | BYTE, 199 },
		{ P, 100, 0, 0, 199 },
		{ P, 199, 50, 0, 199 },
		{ P | U, 200, 50, 0, 199 },
		{ P, 150, 200, 0, NONE },
		{ P | U, 200, 200, 0, NONE },
		{ P, 200, 200, SIGNAL, NONE },
	};

	hear(test, list, ARRAY_SIZE(list));
}

/* Gives the receiver a message with urgent flags but without data, in which no
 * byte can be urgent.
 */
static void receiver_is_lied_to(struct kunit *test)
{
	static const struct heard list[] = {
		{ P | U, 0, 0, 0, NONE },
		{ U, 0, 0, 0, NONE },
		{ U, 100, 100, 0, NONE },
		{ U, 100, 99, SIGNAL | BYTE, 99 },
		{ U, 100, 99, 0, 99 },
		{ U, 100, 100, 0, NONE },
	};

	hear(test, list, ARRAY_SIZE(list));
}

/* SIOCINQ returns the same as in Linux TCP. */
static void receiver_counts(struct kunit *test)
{
	struct smc_urg_rx u = { .end = 500, .state = SMC_URG_VALID };

	KUNIT_EXPECT_EQ(test, smc_urg_rx_inq(&u, 800, 100, false), 399ULL);
	KUNIT_EXPECT_EQ(test, smc_urg_rx_inq(&u, 800, 499, false), 0ULL);
	KUNIT_EXPECT_EQ(test, smc_urg_rx_inq(&u, 800, 100, true), 700ULL);
	KUNIT_EXPECT_EQ(test, smc_urg_rx_inq(&u, 800, 500, false), 300ULL);
	u.state = SMC_URG_READ;
	KUNIT_EXPECT_EQ(test, smc_urg_rx_inq(&u, 800, 100, false), 399ULL);
	u.state = SMC_URG_PENDING;
	KUNIT_EXPECT_EQ(test, smc_urg_rx_inq(&u, 800, 100, false), 700ULL);
	u.state = SMC_URG_NONE;
	KUNIT_EXPECT_EQ(test, smc_urg_rx_inq(&u, 800, 100, false), 700ULL);
}

/* ---- both sides, with random steps ---- */

struct world {
	struct smc_urg_tx tx;
	struct smc_urg_rx rx;
	/* sender: end of the queued bytes, end of the sent bytes */
	u64 prep;
	u64 sent;
	u64 cons;	/* receiver: position of the reader */
	u64 told;	/* sender: last announced value of @cons */
	/* position behind the newest urgent byte that the application
	 * has sent
	 */
	u64 newest;
	/* position behind the newest urgent byte that has arrived */
	u64 seen;
};

static u64 rnd(u64 *seed, u64 below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (*seed >> 8) % below;
}

static void send_some(struct kunit *test, struct world *w, u64 *seed)
{
	u64 limit = smc_urg_tx_limit(&w->tx, w->prep);
	u8 flags, news;

	KUNIT_EXPECT_TRUE(test, limit >= w->sent);
	w->sent += rnd(seed, limit - w->sent + 1);
	flags = smc_urg_tx_flags(&w->tx, w->sent);
	smc_urg_tx_said(&w->tx);
	news = smc_urg_rx_hear(&w->rx, flags, w->sent, w->cons, true);
	if (!(news & SMC_URG_BYTE))
		return;
	/* no urgent byte arrives twice, and no mark moves back */
	KUNIT_EXPECT_TRUE(test, w->sent > w->seen);
	KUNIT_EXPECT_EQ(test, smc_urg_rx_mark(&w->rx), w->sent - 1);
	w->seen = w->sent;
}

static void read_some(struct world *w, u64 *seed)
{
	w->cons += rnd(seed, w->sent - w->cons + 1);
	smc_urg_rx_passed(&w->rx, w->cons);
	if (rnd(seed, 2)) {
		w->told = w->cons;
		smc_urg_tx_passed(&w->tx, w->told);
	}
}

/* R-4.7.5-05: no byte overtakes the urgent byte, and the newest urgent byte
 * always arrives.
 */
static void both_sides(struct kunit *test)
{
	struct world w = {};
	u64 seed = 0x7609;
	int i;

	for (i = 0; i < 20000; i++) {
		switch (rnd(&seed, 4)) {
		case 0:
			w.prep += rnd(&seed, 100);
			break;
		case 1:
			w.prep += 1 + rnd(&seed, 100);
			w.newest = w.prep;
			smc_urg_tx_mark(&w.tx, w.sent, w.prep);
			break;
		case 2:
			send_some(test, &w, &seed);
			break;
		default:
			read_some(&w, &seed);
			break;
		}
	}
	for (i = 0; i < 1000 && w.sent < w.prep; i++) {
		send_some(test, &w, &seed);
		read_some(&w, &seed);
	}
	/* R-4.7.5-05 */
	KUNIT_EXPECT_EQ(test, w.sent, w.prep);
	KUNIT_EXPECT_EQ(test, w.seen, w.newest);
}

static struct kunit_case urgent_cases[] = {
	KUNIT_CASE(sender_stops),
	KUNIT_CASE(sender_marks_again),
	KUNIT_CASE(sender_is_overtaken),
	KUNIT_CASE(sender_goes_back),
	KUNIT_CASE(sender_is_cut),
	KUNIT_CASE(receiver_hears),
	KUNIT_CASE(receiver_hears_again),
	KUNIT_CASE(receiver_hears_replay),
	KUNIT_CASE(receiver_is_lied_to),
	KUNIT_CASE(receiver_counts),
	KUNIT_CASE(both_sides),
	{}
};

struct kunit_suite smc_urgent_suite = {
	.name = "smc_urgent",
	.test_cases = urgent_cases,
};
