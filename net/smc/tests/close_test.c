// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the close machine (RFC 7609 4.8): the paths of figure 22, and all
 * orders of events that two sides can cause.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "tests.h"
#include "fsm_walk.h"
#include "../conn/close_fsm.c"

#define D SMC_CDC_D
#define C SMC_CDC_C
#define A SMC_CDC_A

static void table_complete(struct kunit *test)
{
	smc_test_table_valid(test, &smc_close_fsm);
}

/* ---- paths ---- */

#define TO(e, s) \
	{ SMC_CLOSE_EV_##e, SMC_CONN_##s, SMC_TEST_ANY_ACTION }

static const struct smc_test_walk walks[] = {
	{ "R-4.8.1-13, -16: active close, peer answers", 3, {
		TO(START, ACTIVE), TO(TX_C, PEERCLOSEWAIT1),
		TO(RX_C_LAST, CLOSED) } },
	{ "R-4.8.1-14, -17: shutdown, peer closes, close", 4, {
		TO(START, ACTIVE), TO(TX_D, PEERCLOSEWAIT1),
		TO(RX_C, APPFINCLOSEWAIT), TO(TX_C_LAST, CLOSED) } },
	{ "R-4.8.1-15, -17: shutdown both ways, peer closes first", 5, {
		TO(START, ACTIVE), TO(TX_D, PEERCLOSEWAIT1),
		TO(RX_D, PEERCLOSEWAIT2), TO(RX_C, APPFINCLOSEWAIT),
		TO(TX_C_LAST, CLOSED) } },
	{ "R-4.8.1-18, -16: shutdown, close, peer closes", 5, {
		TO(START, ACTIVE), TO(TX_D, PEERCLOSEWAIT1),
		TO(TX_C, PEERCLOSEWAIT1), TO(RX_D, PEERCLOSEWAIT2),
		TO(RX_C_LAST, CLOSED) } },
	{ "R-4.8.1-20, -24: passive close", 3, {
		TO(START, ACTIVE), TO(RX_C, APPCLOSEWAIT1),
		TO(TX_C_LAST, CLOSED) } },
	{ "R-4.8.1-20, -25, -27: peer shut down, close, peer closes", 4, {
		TO(START, ACTIVE), TO(RX_D, APPCLOSEWAIT1),
		TO(TX_C, PEERFINCLOSEWAIT), TO(RX_C_LAST, CLOSED) } },
	{ "R-4.8.1-23, -26, -24: both shut down, peer closes, close", 5, {
		TO(START, ACTIVE), TO(RX_D, APPCLOSEWAIT1),
		TO(TX_D, APPCLOSEWAIT2), TO(RX_C, APPCLOSEWAIT2),
		TO(TX_C_LAST, CLOSED) } },
	{ "R-4.8.1-28: D again and again", 5, {
		TO(START, ACTIVE), TO(RX_D, APPCLOSEWAIT1),
		TO(RX_D, APPCLOSEWAIT1), TO(TX_D, APPCLOSEWAIT2),
		TO(RX_D, APPCLOSEWAIT2) } },
	{ "R-4.8.1-21: peer closed before it got everything", 3, {
		TO(START, ACTIVE), TO(ABORT_FINAL, PROCESSABORT),
		TO(TX_A_DONE, CLOSED) } },
	{ "R-4.8.1-08: peer never answers", 3, {
		TO(START, ACTIVE), TO(TX_C, PEERCLOSEWAIT1),
		TO(TIMER, CLOSED) } },
	{ "R-4.8.1-07: half-closed for hours", 5, {
		TO(START, ACTIVE), TO(RX_D, APPCLOSEWAIT1),
		TO(TIMER, APPCLOSEWAIT1), TO(TX_D, APPCLOSEWAIT2),
		TO(TIMER, APPCLOSEWAIT2) } },
	{ "R-4.8.2-02, -03, -05: active abort", 5, {
		TO(START, ACTIVE), TO(ABORT, PEERABORTWAIT),
		TO(RX_D, PEERABORTWAIT), TO(RX_C, PEERABORTWAIT),
		TO(RX_A_LAST, CLOSED) } },
	{ "R-4.8.2-06: peer never answers the abort", 4, {
		TO(START, ACTIVE), TO(ABORT, PEERABORTWAIT),
		TO(TX_A_DONE, PEERABORTWAIT), TO(TIMER, CLOSED) } },
	{ "R-4.8.2-07, -08, -10: passive abort, then a TCP reset", 4, {
		TO(START, ACTIVE), TO(RX_A, PROCESSABORT),
		TO(ABORT, PROCESSABORT), TO(TX_A_DONE, CLOSED) } },
	{ "R-4.8.2-11: aborts cross before ours could be posted", 4, {
		TO(START, ACTIVE), TO(ABORT, PEERABORTWAIT),
		TO(RX_A, PROCESSABORT), TO(TX_A_DONE, CLOSED) } },
	{ "R-4.8.2-14: abort after own C", 4, {
		TO(START, ACTIVE), TO(TX_C, PEERCLOSEWAIT1),
		TO(ABORT_MUTE, CLOSED), TO(RX_C_LAST, CLOSED) } },
	{ "R-4.8.2-15: peer aborts after own C", 4, {
		TO(START, ACTIVE), TO(RX_D, APPCLOSEWAIT1),
		TO(TX_C, PEERFINCLOSEWAIT), TO(RX_A_LAST, CLOSED) } },
	{ "R-4.8.3-03: no link left", 3, {
		TO(START, ACTIVE), TO(GONE, CLOSED), TO(RX_A, CLOSED) } },
	{ "handshake fails, group ends before it starts", 2, {
		TO(GONE, CLOSED), TO(START, CLOSED) } },
};

static void figure_22(struct kunit *test)
{
	/* rows of walks */
	smc_test_walk_all(test, &smc_close_fsm, SMC_CONN_INIT, walks,
			  ARRAY_SIZE(walks));
}

/* ---- every order ---- */

/* State of one side, as in close.c. */
struct side {
	u8 state;
	u8 want;
	u8 said;
	u8 heard;
	u8 unsent;	/* queued bytes that wait for the window */
	u8 a_flying;	/* this side has posted A, and A has not completed */
};

enum {
	FLAGS_NR	= 8,
	SIDES_MAX	= SMC_CONN_NR_STATES * FLAGS_NR * FLAGS_NR * FLAGS_NR * 4,

	/* possible moves; from MOVE_PEER on, the peer sends one of the sets of
	 * flags
	 */
	MOVE_START	= 0,
	MOVE_SEND,
	MOVE_SHUT,
	MOVE_CLOSE,
	MOVE_ABORT,
	MOVE_DRAIN,
	MOVE_SPEAK,
	MOVE_DONE,
	MOVE_TIMER,
	MOVE_GONE,
	MOVE_PEER,
	MOVE_NR		= MOVE_PEER + 2 * FLAGS_NR,
};

static unsigned int number(const struct side *s)
{
	unsigned int n = s->state;

	n = n * FLAGS_NR + (s->want >> 5);
	n = n * FLAGS_NR + (s->said >> 5);
	n = n * FLAGS_NR + (s->heard >> 5);
	return n * 4 + s->unsent * 2 + s->a_flying;
}

static struct side numbered(unsigned int n)
{
	struct side s;

	s.a_flying = n & 1;
	s.unsent = n >> 1 & 1;
	n /= 4;
	s.heard = n % FLAGS_NR << 5;
	n /= FLAGS_NR;
	s.said = n % FLAGS_NR << 5;
	n /= FLAGS_NR;
	s.want = n % FLAGS_NR << 5;
	s.state = n / FLAGS_NR;
	return s;
}

static bool is_open(const struct side *s)
{
	return s->state != SMC_CONN_INIT && s->state < SMC_CONN_PEERABORTWAIT;
}

static void event(struct kunit *test, struct side *s, enum smc_close_event ev)
{
	const struct smc_fsm_cell *cell;
	u8 from = s->state;

	cell = smc_fsm_step(&smc_close_fsm, &s->state, ev);
	KUNIT_EXPECT_TRUE_MSG(test, cell->kind != SMC_FSM_VIOLATION,
			      "%s + %s, want %#x said %#x heard %#x",
			      smc_fsm_state_name(&smc_close_fsm, from),
			      smc_fsm_event_name(&smc_close_fsm, ev),
			      s->want, s->said, s->heard);
	if (cell->action == SMC_CLOSE_DO_PURGE)
		s->want |= A;
	if (cell->action == SMC_CLOSE_DO_PURGE ||
	    cell->action == SMC_CLOSE_DO_END)
		s->unsent = 0;
}

static void do_abort(struct kunit *test, struct side *s)
{
	if (s->state < SMC_CONN_PEERABORTWAIT)
		event(test, s, smc_close_ev_abort(s->said, s->heard));
}

static void do_hear(struct kunit *test, struct side *s, u8 fresh)
{
	if (fresh & A) {
		event(test, s, smc_close_ev_rx_a(s->said));
		return;
	}
	if (fresh & D)
		event(test, s, SMC_CLOSE_EV_RX_D);
	if (!(fresh & C))
		return;
	if (s->unsent)
		do_abort(test, s);
	else
		event(test, s, smc_close_ev_rx_c(s->said));
}

/* Handles a CDC message with @flags, with or without bytes. */
static void do_peer(struct kunit *test, struct side *s, u8 flags, bool bytes)
{
	u8 old = s->heard;

	s->heard |= flags;
	if (s->state < SMC_CONN_PEERABORTWAIT && bytes &&
	    !(old & (D | C)) && !(flags & A) &&
	    (s->want & C) && !(s->said & C))
		do_abort(test, s);
	if (s->state != SMC_CONN_INIT)
		do_hear(test, s, flags & ~old);
}

static void do_speak(struct kunit *test, struct side *s)
{
	u8 due = s->want & ~s->said;

	if (s->state == SMC_CONN_INIT || s->state == SMC_CONN_CLOSED ||
	    (s->said & (C | A)))
		return;
	if (due & A) {
		s->said |= A;
		s->a_flying = 1;
	} else if (due && is_open(s) && !s->unsent) {
		s->said |= due;
		event(test, s, due & C ? smc_close_ev_tx_c(s->heard) :
					 SMC_CLOSE_EV_TX_D);
	}
}

static void do_timer(struct kunit *test, struct side *s)
{
	if (!(s->want & (C | A)))
		return;		/* not running */
	if (!(s->said & (C | A)) && s->state < SMC_CONN_PEERABORTWAIT)
		do_abort(test, s);
	else
		event(test, s, SMC_CLOSE_EV_TIMER);
}

static void do_app(struct kunit *test, struct side *s, int move)
{
	bool may = is_open(s) && !s->want && !(s->heard & C);

	if (s->state >= SMC_CONN_PEERABORTWAIT)
		return;
	if (move == MOVE_SEND && may)
		s->unsent = 1;
	else if (move == MOVE_SHUT)
		s->want |= D;
	else if (move == MOVE_CLOSE)
		s->want |= C;
	else if (move == MOVE_ABORT)
		do_abort(test, s);
}

static struct side moved(struct kunit *test, struct side s, int move)
{
	switch (move) {
	case MOVE_START:
		if (s.state != SMC_CONN_INIT)
			break;
		event(test, &s, SMC_CLOSE_EV_START);
		do_hear(test, &s, s.heard);
		break;
	case MOVE_SEND:
	case MOVE_SHUT:
	case MOVE_CLOSE:
	case MOVE_ABORT:
		do_app(test, &s, move);
		break;
	case MOVE_DRAIN:
		s.unsent = 0;
		break;
	case MOVE_SPEAK:
		do_speak(test, &s);
		break;
	case MOVE_DONE:
		if (s.a_flying)
			event(test, &s, SMC_CLOSE_EV_TX_A_DONE);
		s.a_flying = 0;
		break;
	case MOVE_TIMER:
		do_timer(test, &s);
		break;
	case MOVE_GONE:
		event(test, &s, SMC_CLOSE_EV_GONE);
		break;
	default:
		do_peer(test, &s, (move - MOVE_PEER) / 2 << 5, move & 1);
		break;
	}
	return s;
}

/* Checks the invariants of every state. */
static void check_side(struct kunit *test, const struct side *before,
		       const struct side *s)
{
	bool grown = (before->said & ~s->said) == 0 &&
		     (before->heard & ~s->heard) == 0;

	/* no flag follows C or A */
	if (before->said & (C | A))
		KUNIT_EXPECT_EQ(test, before->said, s->said);
	KUNIT_EXPECT_TRUE(test, grown);
	if (before->state == SMC_CONN_CLOSED)
		KUNIT_EXPECT_EQ(test, s->state, SMC_CONN_CLOSED);
	/* this side sends D and C only after all its data */
	if (is_open(s) && s->unsent)
		KUNIT_EXPECT_FALSE(test, s->said);
	/* R-4.8.1-24, -27: both have finished */
	if (is_open(s))
		KUNIT_EXPECT_FALSE(test, (s->said & C) && (s->heard & C));
}

/* R-4.8.1-06: after the close of the application, the connection ends even if
 * the peer sends nothing.
 */
static void check_ends(struct kunit *test, struct side s)
{
	int i;

	if (!(s.want & (C | A)) || s.state == SMC_CONN_INIT)
		return;
	for (i = 0; i < 4 && s.state != SMC_CONN_CLOSED; i++) {
		do_speak(test, &s);
		do_timer(test, &s);
	}
	/* R-4.8.1-06 */
	KUNIT_EXPECT_EQ(test, s.state, SMC_CONN_CLOSED);
}

static void every_order(struct kunit *test)
{
	unsigned int *todo = kunit_kmalloc(test, SIDES_MAX * sizeof(*todo),
					   GFP_KERNEL);
	u8 *seen = kunit_kmalloc(test, SIDES_MAX, GFP_KERNEL);
	unsigned int n = 0, done = 0;
	u16 states = 0;
	int move;

	KUNIT_ASSERT_NOT_NULL(test, todo);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	memset(seen, 0, SIDES_MAX);
	seen[0] = 1;
	todo[n++] = 0;
	while (done < n) {
		struct side s = numbered(todo[done++]);

		states |= 1 << s.state;
		check_ends(test, s);
		for (move = 0; move < MOVE_NR; move++) {
			struct side t = moved(test, s, move);

			check_side(test, &s, &t);
			if (seen[number(&t)])
				continue;
			seen[number(&t)] = 1;
			todo[n++] = number(&t);
		}
	}
	/* every state was reached */
	KUNIT_EXPECT_EQ(test, states, (1 << SMC_CONN_NR_STATES) - 1);
}

static struct kunit_case close_cases[] = {
	KUNIT_CASE(table_complete),
	KUNIT_CASE(figure_22),
	KUNIT_CASE(every_order),
	{}
};

struct kunit_suite smc_close_suite = {
	.name = "smc_close",
	.test_cases = close_cases,
};
