// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that a message, or the end of a link, does not reach the data of the
 * other dialect. Both dialects keep their data at the same place. Also tests
 * which memory of received bytes stays.
 */
#include <kunit/test.h>
#include <linux/slab.h>
#include <linux/string.h>

/* The module smc itself defines the tracepoints. */
#define _SMC_BASE_TRACE_H
static inline void trace_smc_violation(const char *what, const void *obj,
				       u64 value)
{
}

/* Another suite of this module has a function with this name. */
#define smc_timer_set own_timer_set

#include "../../group/lgr_types.h"
#include "../../conn/framed_charge.c"
#include "../../conn/framed_rx.c"
#include "../../conn/rfc_rx.c"
#include "dialects.h"

/* ---- functions that these files call ---- */

struct smc_conn *smc_test_named;
unsigned int smc_test_aborts;

struct smc_conn *smc_token_find(u32 token)
{
	return smc_test_named;
}

void smc_conn_unlock(struct smc_conn *conn)
	__releases(&conn->lock)
{
	spin_unlock_bh(&conn->lock);
}

void smc_conn_try_leave(struct smc_conn *conn)
{
}

void smc_close_abort(struct smc_conn *conn, int err)
{
	smc_test_aborts++;
}

void smc_close_heard(struct smc_conn *conn, u8 fresh)
{
}

void smc_close_settled(struct smc_conn *conn)
{
}

u32 smc_info_link_uid(const struct smc_link *link)
{
	return 1;
}

void smc_measure_heard(struct smc_conn *conn, u64 bytes)
{
}

void smc_stat_buf(struct net *net, enum smc_stat_dir dir,
		  enum smc_stat_buf buf)
{
}

bool smc_urgent_heard(struct smc_conn *conn, u8 flags, u64 prod)
{
	return false;
}

void smc_member_unread(struct smc_lgr_member *m)
{
}

void smc_member_seen(struct smc_lgr_member *m)
{
}

int smc_member_offered_rmb(struct smc_lgr_member *m, const struct smc_link *link,
			   u32 rkey, u32 *id)
{
	return -ENOENT;
}

u32 smc_framed_element_limit(const struct smc_conn *conn)
{
	return conn->framed.mem.cap;
}

u32 smc_framed_element_wanted(const struct smc_conn *conn)
{
	return 0;
}

void smc_framed_element_offer(struct smc_conn *conn, u32 size)
{
}

void smc_framed_element_written(const struct smc_link *link,
				const struct smc_frames_got *got)
{
}

const struct smc_rmbe *
smc_framed_element_rmbe(const struct smc_frames_element *el)
{
	return NULL;
}

void smc_framed_element_release(struct smc_conn *conn)
{
}

static unsigned int looks;

void own_timer_set(struct smc_conn *conn, enum smc_conn_timer which,
		   unsigned long delay)
{
	looks++;
	conn->timers.at[which] = 1;
}

u32 smc_framed_element_size(const struct smc_conn *conn)
{
	return 0;
}

void smc_framed_tx_kick(struct smc_conn *conn)
{
}

void smc_framed_tx_heard(struct smc_conn *conn)
{
}

bool smc_framed_tx_fill(struct smc_lgr_member *m, struct smc_link *link,
			struct smc_pack *pack, struct smc_writes *writes,
			u32 others)
{
	return true;
}

void smc_rfc_tx_run(struct smc_lgr_member *m)
{
}

void smc_rfc_tx_kick(struct smc_conn *conn)
{
}

bool smc_rfc_eye_intact(const struct smc_conn *conn)
{
	return true;
}

void smc_rfc_failover_settle(struct smc_conn *conn)
{
}

void smc_rfc_urgent_keep(struct smc_conn *conn)
{
}

void smc_rfc_urgent_passed(struct smc_conn *conn)
{
}

/* ---- a connection ---- */

enum {
	PATTERN	= 0x5a,
};

static const struct smc_lgr_member_ops rfc_ops = {
	.run = smc_rfc_tx_run,
};

static const struct smc_lgr_member_ops framed_ops = {
	.fill = smc_framed_tx_fill,
	.closed = smc_framed_rx_closed,
};

struct world {
	struct smc_lgr lgr;
	struct smc_conn conn;
};

static struct world *open_world(struct kunit *test,
				const struct smc_lgr_member_ops *ops, u8 place)
{
	struct world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct smc_conn *conn;

	KUNIT_ASSERT_NOT_NULL(test, w);
	conn = &w->conn;
	spin_lock_init(&w->lgr.lock);
	spin_lock_init(&conn->lock);
	INIT_LIST_HEAD(&conn->news.noticed);
	conn->member.ops = ops;
	conn->member.lgr = &w->lgr;
	conn->life.place = place;
	smc_test_named = conn;
	return w;
}

/* Sends CDC messages with the flags C and A of the peer. */
static void tell_last_word(struct world *w)
{
	struct smc_cdc cdc = { .token = 1, .conn_flags = SMC_CDC_C };
	u8 buf[SMC_CDC_LEN];

	smc_cdc_encode(buf, &cdc);
	smc_rfc_rx_cdc(&w->lgr, NULL, buf);
	cdc.conn_flags |= SMC_CDC_A;
	smc_cdc_encode(buf, &cdc);
	smc_rfc_rx_cdc(&w->lgr, NULL, buf);
}

/* A CDC message changes nothing in a connection of frames, in any place. */
static void cdc_spares_frames(struct kunit *test)
{
	struct world *w;
	u8 place;

	for (place = SMC_PLACE_OUT; place <= SMC_PLACE_DONE; place++) {
		w = open_world(test, &framed_ops, place);
		memset(&w->conn.framed, PATTERN, sizeof(w->conn.framed));
		tell_last_word(w);
		KUNIT_EXPECT_NULL(test, memchr_inv(&w->conn.framed, PATTERN,
						   sizeof(w->conn.framed)));
	}
}

/* A connection that leaves takes the same message as the peer's last word. */
static void cdc_is_heard(struct kunit *test)
{
	struct world *w = open_world(test, &rfc_ops, SMC_PLACE_LEAVING);

	tell_last_word(w);
	KUNIT_EXPECT_EQ(test, w->conn.rfc.rx.late, SMC_CDC_C | SMC_CDC_A);
}

/*
 * The end of a link is reported for a connection that was one of frames when
 * the link ended, and is one of RFC 7609 now.
 */
static void closed_link_spares_rfc(struct kunit *test)
{
	struct world *w = open_world(test, &rfc_ops, SMC_PLACE_IN);

	memset(&w->conn.rfc, PATTERN, sizeof(w->conn.rfc));
	smc_framed_rx_closed(&w->conn.member,
			     w->conn.framed.f.in.link);
	KUNIT_EXPECT_NULL(test, memchr_inv(&w->conn.rfc, PATTERN,
					   sizeof(w->conn.rfc)));
}

/*
 * Without memory for copies, the first window still takes the bytes that a peer
 * on this host sends from the ends of two of its largest pages.
 */
static void first_window_keeps_pages(struct kunit *test)
{
	struct world *w = open_world(test, &framed_ops, SMC_PLACE_IN);
	struct smc_conn *conn = &w->conn;
	struct smc_chunk chunk = {
		.held = sizeof(chunk) +
			max_t(u32, SMC_FRAMED_PIECE_MAX, PAGE_SIZE),
	};
	int n;

	conn->mail = (struct smc_mailbox *)conn;
	conn->framed.window.size = SMC_FRAMES_WINDOW_MIN;
	spin_lock_bh(&conn->lock);
	for (n = 0; n < 10 && rx_tolerates(conn, &chunk); n++)
		conn->framed.mem.held += chunk.held;
	spin_unlock_bh(&conn->lock);
	KUNIT_EXPECT_GE(test, n, 2);
	KUNIT_EXPECT_LT(test, n, 4);
}

/* ---- memory for received bytes ---- */

static struct smc_conn *open_receiver(struct kunit *test)
{
	struct world *w = open_world(test, &framed_ops, SMC_PLACE_IN);
	struct smc_conn *conn = &w->conn;

	INIT_LIST_HEAD(&conn->rx.extents);
	smc_framed_rx_prepare(conn, 1, 0);
	looks = 0;
	return conn;
}

static u8 letter;

/* Receives bytes in a record, other ones each time. */
static void receive(struct kunit *test, struct smc_conn *conn, u16 len)
{
	static u8 data[4096];
	struct smc_frame_record rec = {
		.prod = conn->rx.prod + len,
		.len = len,
		.data = data,
	};

	int err;

	memset(data, ++letter, len);
	spin_lock_bh(&conn->lock);
	err = rx_reserve(conn, &rec);
	if (!err)
		rx_append(conn, rec.data, rec.len);
	conn->rx.prod += len;
	spin_unlock_bh(&conn->lock);
	KUNIT_ASSERT_EQ(test, err, 0);
}

/* Does the last chunk end with the @len bytes of the newest record? */
static bool newest(struct smc_conn *conn, u32 len)
{
	struct smc_chunk *chunk = rx_chunk(conn->rx.extents.prev);
	u32 end = conn->rx.prod - chunk->bytes.start;

	return end >= len &&
	       !memchr_inv(chunk->bytes.buf + end - len, letter, len);
}

static void read_all(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	conn->rx.cons = conn->rx.prod;
	rx_trim(conn);
	spin_unlock_bh(&conn->lock);
}

/* Return: bytes of memory that the connection still has. */
static u32 shrunk(struct smc_conn *conn)
{
	spin_lock_bh(&conn->lock);
	smc_framed_rx_shrink(conn);
	spin_unlock_bh(&conn->lock);
	return conn->framed.mem.held;
}

static struct smc_chunk *only_chunk(struct kunit *test, struct smc_conn *conn)
{
	KUNIT_ASSERT_TRUE(test, list_is_singular(&conn->rx.extents));
	return rx_chunk(conn->rx.extents.next);
}

/*
 * When the application has read all bytes of a small chunk, the chunk is used
 * for the next bytes.
 */
static void a_chunk_is_used_again(struct kunit *test)
{
	struct smc_conn *conn = open_receiver(test);
	struct smc_chunk *chunk;

	receive(test, conn, 200);
	chunk = only_chunk(test, conn);
	read_all(conn);
	KUNIT_EXPECT_EQ(test, looks, 1);
	receive(test, conn, chunk->size);
	KUNIT_EXPECT_PTR_EQ(test, only_chunk(test, conn), chunk);
	KUNIT_EXPECT_EQ(test, chunk->bytes.start, 200);
	KUNIT_EXPECT_TRUE(test, newest(conn, chunk->size));
	KUNIT_EXPECT_EQ(test, conn->framed.mem.held, RX_CHUNK_MIN);
	/* a record that is larger does not begin there */
	read_all(conn);
	receive(test, conn, 1000);
	KUNIT_EXPECT_EQ(test, conn->framed.mem.held, RX_CHUNK_MIN + 2048);
	KUNIT_EXPECT_EQ(test, rx_chunk(conn->rx.extents.prev)->bytes.start,
			200 + chunk->size);
	KUNIT_EXPECT_TRUE(test, newest(conn, 1000));
	read_all(conn);
	KUNIT_EXPECT_PTR_NE(test, only_chunk(test, conn), chunk);
	KUNIT_EXPECT_EQ(test, conn->framed.mem.held, 2048);
	smc_framed_rx_free(conn);
}

/*
 * An in-host connection keeps no chunk, because its charge must cover the pages
 * of the peer.
 */
static void in_host_no_chunk_stays(struct kunit *test)
{
	struct smc_conn *conn = open_receiver(test);
	struct smc_chunk page = {
		.len = 100,
		.held = sizeof(page) + PAGE_SIZE,
	};
	bool lent;

	conn->mail = (struct smc_mailbox *)conn;
	receive(test, conn, 100);
	read_all(conn);
	KUNIT_EXPECT_EQ(test, conn->framed.mem.held, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->rx.extents));
	spin_lock_bh(&conn->lock);
	lent = smc_framed_charge_covers(conn, &page);
	spin_unlock_bh(&conn->lock);
	KUNIT_EXPECT_TRUE(test, lent || PAGE_SIZE > 4096);
}

/*
 * A large chunk is freed when it is read. A small one is freed when the
 * connection is idle.
 */
static void a_chunk_does_not_stay(struct kunit *test)
{
	struct smc_conn *conn = open_receiver(test);

	receive(test, conn, 3000);
	read_all(conn);
	KUNIT_EXPECT_EQ(test, conn->framed.mem.held, 0);
	receive(test, conn, 100);
	KUNIT_EXPECT_EQ(test, shrunk(conn), RX_CHUNK_MIN);	/* not read */
	read_all(conn);
	conn->rx.busy = true;
	KUNIT_EXPECT_EQ(test, shrunk(conn), RX_CHUNK_MIN);
	conn->rx.busy = false;
	KUNIT_EXPECT_EQ(test, shrunk(conn), 0);
	KUNIT_EXPECT_EQ(test, conn->framed.mem.room, 0);
	receive(test, conn, 100);
	KUNIT_EXPECT_EQ(test, only_chunk(test, conn)->bytes.start, 3100);
	smc_framed_rx_free(conn);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(cdc_spares_frames),
	KUNIT_CASE(cdc_is_heard),
	KUNIT_CASE(closed_link_spares_rfc),
	KUNIT_CASE(first_window_keeps_pages),
	KUNIT_CASE(a_chunk_is_used_again),
	KUNIT_CASE(in_host_no_chunk_stays),
	KUNIT_CASE(a_chunk_does_not_stay),
	{}
};

static struct kunit_suite smc_dialects_suite = {
	.name = "smc-dialects",
	.test_cases = cases,
};

kunit_test_suite(smc_dialects_suite);
