// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of in-host connections without elements: what a mailbox takes, in which
 * order the peer takes it, and what happens to the pages of the bytes. The file
 * dialects_test.c contains the receiving side, and the table of tokens.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../../conn/framed_mail.c"
#include "../../conn/rxq.c"
#include "../../conn/conn.h"
#include "../../conn/framed_rx.h"
#include "../../group/lgr_types.h"
#include "dialects.h"

/* ---- functions that these files call ---- */

static bool faces;

bool smc_member_faces(const struct smc_lgr_member *m,
		      const struct smc_lgr_member *peer)
{
	return faces;
}

static u32 heard;

void smc_member_heard(struct smc_lgr_member *m)
{
	heard++;
}

/* ---- two connections ---- */

enum {
	TOKEN_A		= 0xa1,
	TOKEN_B		= 0xb2,
	WINDOW		= 256 * 1024,
	/*
	 * bytes of a page of the send queue; at least one page of the machine
	 */
	QUEUE_BYTES	= 32 * 1024,
	ORDER		= PAGE_SHIFT < 15 ? 15 - PAGE_SHIFT : 0,
	PAGE_BYTES	= PAGE_SIZE << ORDER,
	PIECE		= QUEUE_BYTES - 64,
};

struct ends {
	struct smc_lgr lgr;
	struct smc_conn a;	/* sends */
	struct smc_conn b;	/* receives, the only one in the table */
	u64 sent;
	u32 heard;
};

static int never_charge(void *owner, u32 bytes)
{
	return -ENOBUFS;
}

static const struct smc_conn_ops ops = {
	.grow = never_charge,
};

static void open_conn(struct kunit *test, struct ends *e, struct smc_conn *conn,
		      u32 token)
{
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->rx.extents);
	INIT_LIST_HEAD(&conn->tx.segs);
	INIT_LIST_HEAD(&conn->tx.parked);
	INIT_LIST_HEAD(&conn->news.noticed);
	conn->ops = &ops;
	conn->token = token;
	conn->member.lgr = &e->lgr;
	conn->close.state = SMC_CONN_ACTIVE;
	conn->mail = smc_framed_mail_new();
	KUNIT_ASSERT_NOT_NULL(test, conn->mail);
	spin_lock_bh(&conn->lock);
	smc_framed_rx_prepare(conn, 1, WINDOW);
	smc_framed_mail_open(conn);
	spin_unlock_bh(&conn->lock);
	conn->life.place = SMC_PLACE_IN;
}

static void widen(struct smc_conn *conn, u32 window)
{
	struct smc_framed *fr = &conn->framed;

	smc_frames_window_set(&fr->window, &fr->f.in, conn->rx.cons, window);
}

static int init(struct kunit *test)
{
	struct ends *e = kunit_kzalloc(test, sizeof(*e), GFP_KERNEL);

	if (!e)
		return -ENOMEM;
	test->priv = e;
	spin_lock_init(&e->lgr.lock);
	open_conn(test, e, &e->a, TOKEN_A);
	open_conn(test, e, &e->b, TOKEN_B);
	smc_test_named = &e->b;
	smc_test_aborts = 0;
	faces = true;
	return 0;
}

static void fini(struct kunit *test)
{
	struct ends *e = test->priv;
	struct smc_conn *both[] = { &e->a, &e->b };
	int i;

	smc_test_named = NULL;
	for (i = 0; i < 2; i++) {
		smc_framed_mail_close(both[i]);
		smc_framed_rx_free(both[i]);
		KUNIT_EXPECT_EQ(test, both[i]->framed.mem.held, 0);
		smc_framed_mail_free(both[i]->mail);
	}
}

/* ---- helpers ---- */

static u8 pattern(u64 pos)
{
	return pos * 11 + (pos >> 8) + 3;
}

static struct smc_seg new_seg(struct kunit *test, unsigned int order)
{
	struct smc_seg seg = { .kind = SMC_SEG_COPIED, .off = 64 };

	seg.page = alloc_pages(GFP_KERNEL | __GFP_COMP, order);
	KUNIT_ASSERT_NOT_NULL(test, seg.page);
	return seg;
}

/* Adds @len bytes at @off of the segment to @pieces, and fills them. */
static void lend(struct kunit *test, struct ends *e, const struct smc_seg *seg,
		 u32 off, u32 len, struct list_head *pieces)
{
	struct smc_chunk *chunk;
	u8 *to = page_address(seg->page);
	u32 i;

	for (i = 0; i < len; i++)
		to[off + i] = pattern(e->sent + i);
	chunk = smc_framed_mail_lend(seg, off, len);
	KUNIT_ASSERT_NOT_NULL(test, chunk);
	list_add_tail(&chunk->bytes.list, pieces);
	e->sent += len;
}

static void post(struct ends *e, u8 flags, u32 len, struct list_head *pieces)
{
	struct smc_frame_record rec = {
		.token = TOKEN_B,
		.flags = flags,
		.len = len,
		.prod = e->sent,
		.window = SMC_FRAMES_WINDOW_MIN,
		.heard = e->heard,
	};

	spin_lock_bh(&e->a.lock);
	smc_framed_mail_post(&e->a, &rec, pieces);
	spin_unlock_bh(&e->a.lock);
}

/* Sends @len bytes in a page of their own. */
static void send(struct kunit *test, struct ends *e, unsigned int order,
		 u32 len)
{
	struct smc_seg seg = new_seg(test, order);
	LIST_HEAD(pieces);

	lend(test, e, &seg, seg.off, len, &pieces);
	post(e, 0, len, &pieces);
	put_page(seg.page);
}

static void deliver(struct ends *e)
{
	e->a.news.peer = 0;
	smc_framed_rx_deliver(TOKEN_B);
}

static void expect_bytes(struct kunit *test, struct ends *e, u64 from, u64 to)
{
	u8 byte;

	KUNIT_ASSERT_EQ(test, e->b.rx.prod, to);
	spin_lock_bh(&e->b.lock);
	for (; from < to; from++) {
		smc_rxq_to_mem(&e->b, &byte, from, 1);
		if (byte != pattern(from))
			break;
	}
	spin_unlock_bh(&e->b.lock);
	KUNIT_EXPECT_EQ(test, from, to);
}

static void read_to(struct ends *e, u64 pos)
{
	spin_lock_bh(&e->b.lock);
	smc_rxq_passed(&e->b, pos);
	smc_framed_rx_reader(&e->b, SMC_READER_CONSUMED);
	spin_unlock_bh(&e->b.lock);
}

/* ---- cases ---- */

/* Full pages are not copied, and are free when the reader has passed them. */
static void full_pages_are_lent(struct kunit *test)
{
	struct ends *e = test->priv;
	struct smc_seg seg = new_seg(test, ORDER);
	LIST_HEAD(pieces);

	widen(&e->b, WINDOW);
	lend(test, e, &seg, seg.off, PIECE, &pieces);
	post(e, 0, PIECE, &pieces);
	KUNIT_EXPECT_TRUE(test, list_empty(&pieces));
	KUNIT_EXPECT_EQ(test, e->a.news.peer, TOKEN_B);
	KUNIT_EXPECT_EQ(test, e->b.rx.prod, 0);
	deliver(e);
	expect_bytes(test, e, 0, PIECE);
	/* the sender's reference, and the reader's */
	KUNIT_EXPECT_EQ(test, page_count(seg.page), 2);
	KUNIT_EXPECT_GE(test, e->b.framed.mem.held, PAGE_BYTES);
	read_to(e, PIECE - 1);
	KUNIT_EXPECT_EQ(test, page_count(seg.page), 2);
	expect_bytes(test, e, PIECE - 1, PIECE);
	read_to(e, PIECE);
	KUNIT_EXPECT_EQ(test, page_count(seg.page), 1);
	KUNIT_EXPECT_EQ(test, e->b.framed.mem.held, 0);
	put_page(seg.page);
}

/* Parts of a page that arrive one after the other hold the page once. */
static void parts_of_a_page(struct kunit *test)
{
	struct ends *e = test->priv;
	struct smc_seg seg = new_seg(test, ORDER);
	LIST_HEAD(pieces);
	u32 held, i;

	widen(&e->b, WINDOW);
	for (i = 0; i < 8; i++) {
		lend(test, e, &seg, seg.off + i * 1000, 1000, &pieces);
		post(e, 0, 1000, &pieces);
		deliver(e);
		if (!i)
			held = e->b.framed.mem.held;
	}
	KUNIT_EXPECT_EQ(test, e->b.framed.mem.held, held);
	KUNIT_EXPECT_EQ(test, page_count(seg.page), 2);
	put_page(seg.page);
	expect_bytes(test, e, 0, e->sent);
}

/*
 * Pages with few bytes never take more memory than the reader is charged for,
 * however many fill the window.
 */
static void memory_is_limited(struct kunit *test)
{
	struct ends *e = test->priv;
	/* F-09: the first window and its cost */
	u32 most = smc_frames_window_cost(SMC_FRAMES_WINDOW_MIN);
	u32 i;

	for (i = 0; i < SMC_FRAMES_WINDOW_MIN; i++) {
		send(test, e, 0, 1);
		deliver(e);
		KUNIT_ASSERT_LE(test, e->b.framed.mem.held, most);
	}
	expect_bytes(test, e, 0, SMC_FRAMES_WINDOW_MIN);
	KUNIT_EXPECT_EQ(test, smc_test_aborts, 0);
}

/*
 * A single small message is not copied, either, if the first window pays for
 * its page.
 */
static void a_message_is_lent(struct kunit *test)
{
	struct ends *e = test->priv;
	struct smc_seg seg = new_seg(test, 0);
	LIST_HEAD(pieces);

	heard = 0;
	widen(&e->b, max_t(u32, SMC_FRAMES_WINDOW_MIN, PAGE_SIZE));
	lend(test, e, &seg, seg.off, 200, &pieces);
	post(e, 0, 200, &pieces);
	deliver(e);
	KUNIT_EXPECT_EQ(test, heard, 1);	/* the link works */
	KUNIT_EXPECT_EQ(test, page_count(seg.page), 2);
	expect_bytes(test, e, 0, 200);
	read_to(e, 200);
	KUNIT_EXPECT_EQ(test, page_count(seg.page), 1);
	put_page(seg.page);
}

/* A letter may have more bytes than a record; the stream ends behind all. */
static void long_letter(struct kunit *test)
{
	struct ends *e = test->priv;
	LIST_HEAD(none);
	u32 i;

	widen(&e->b, WINDOW);
	for (i = 0; i < 6; i++)
		send(test, e, ORDER, PIECE);
	post(e, SMC_FRAME_D, 0, &none);
	deliver(e);
	expect_bytes(test, e, 0, 6 * PIECE);
	KUNIT_EXPECT_EQ(test, e->b.framed.f.in.end, 6 * PIECE);
	KUNIT_EXPECT_EQ(test, smc_test_aborts, 0);
}

/*
 * Bytes that were sent before the sender had heard of a lower window are no
 * violation, although the echo waits in the same mailbox. F-34
 */
static void echo_behind_bytes(struct kunit *test)
{
	struct ends *e = test->priv;
	struct smc_framed *fr = &e->b.framed;
	LIST_HEAD(none);

	widen(&e->b, WINDOW);
	send(test, e, ORDER, PIECE);
	KUNIT_ASSERT_TRUE(test, smc_frames_window_narrow(&fr->window,
							 &fr->f.in,
							 SMC_FRAMES_WINDOW_MIN));
	send(test, e, ORDER, PIECE);
	e->heard = 1;
	post(e, 0, 0, &none);
	deliver(e);
	KUNIT_EXPECT_EQ(test, smc_test_aborts, 0);
	expect_bytes(test, e, 0, 2 * PIECE);
	KUNIT_EXPECT_EQ(test, fr->f.in.elements.echo, 1);
}

/* Bytes for a connection that has left, or is another's, are freed. */
static void refused(struct kunit *test, struct ends *e)
{
	struct smc_seg seg = new_seg(test, 0);
	LIST_HEAD(pieces);

	lend(test, e, &seg, seg.off, 100, &pieces);
	e->a.news.peer = 0;
	post(e, 0, 100, &pieces);
	KUNIT_EXPECT_TRUE(test, list_empty(&pieces));
	KUNIT_EXPECT_EQ(test, e->a.news.peer, 0);
	KUNIT_EXPECT_EQ(test, page_count(seg.page), 1);
	deliver(e);
	KUNIT_EXPECT_EQ(test, e->b.rx.prod, 0);
	put_page(seg.page);
}

static void closed_mailbox(struct kunit *test)
{
	struct ends *e = test->priv;

	smc_framed_mail_close(&e->b);
	refused(test, e);
}

static void foreign_link(struct kunit *test)
{
	faces = false;
	refused(test, test->priv);
}

static void foreign_token(struct kunit *test)
{
	struct ends *e = test->priv;

	KUNIT_EXPECT_TRUE(test, smc_framed_mail_expect(&e->b, TOKEN_A + 1));
	refused(test, e);
}

static void no_mailbox(struct kunit *test)
{
	struct ends *e = test->priv;
	struct smc_mailbox *box = e->b.mail;

	e->b.mail = NULL;
	refused(test, e);
	e->b.mail = box;
}

/* Letters may arrive before the Confirm, but only those of its sender. */
static void letters_before_confirm(struct kunit *test)
{
	struct ends *e = test->priv;

	send(test, e, 0, 10);
	KUNIT_EXPECT_FALSE(test, smc_framed_mail_expect(&e->b, TOKEN_A + 1));
	KUNIT_EXPECT_TRUE(test, smc_framed_mail_expect(&e->b, TOKEN_A));
	deliver(e);
	expect_bytes(test, e, 0, 10);
}

/* The end drops letters that nobody took. */
static void close_drops_letters(struct kunit *test)
{
	struct ends *e = test->priv;
	struct smc_seg seg = new_seg(test, 0);
	LIST_HEAD(pieces);

	lend(test, e, &seg, seg.off, 100, &pieces);
	post(e, 0, 100, &pieces);
	KUNIT_EXPECT_EQ(test, page_count(seg.page), 2);
	smc_framed_mail_close(&e->b);
	KUNIT_EXPECT_EQ(test, page_count(seg.page), 1);
	put_page(seg.page);
}

/* A connection that has left its group takes no bytes. */
static void left_connection(struct kunit *test)
{
	struct ends *e = test->priv;

	send(test, e, 0, 100);
	e->b.life.place = SMC_PLACE_LEAVING;
	deliver(e);
	KUNIT_EXPECT_EQ(test, e->b.rx.prod, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&e->b.rx.extents));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(full_pages_are_lent),
	KUNIT_CASE(parts_of_a_page),
	KUNIT_CASE(memory_is_limited),
	KUNIT_CASE(a_message_is_lent),
	KUNIT_CASE(long_letter),
	KUNIT_CASE(echo_behind_bytes),
	KUNIT_CASE(closed_mailbox),
	KUNIT_CASE(foreign_link),
	KUNIT_CASE(foreign_token),
	KUNIT_CASE(no_mailbox),
	KUNIT_CASE(letters_before_confirm),
	KUNIT_CASE(close_drops_letters),
	KUNIT_CASE(left_connection),
	{}
};

static struct kunit_suite smc_mail_suite = {
	.name = "smc-mail",
	.init = init,
	.exit = fini,
	.test_cases = cases,
};

kunit_test_suite(smc_mail_suite);
