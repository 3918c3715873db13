// SPDX-License-Identifier: GPL-2.0
/*
 * RFC dialect: the peer sends nothing behind an urgent byte until our consumer
 * position has passed the byte (RFC 7609 4.7.5). A TCP sender would continue,
 * so an application that does not read must not stop the peer. Therefore this
 * file copies unread bytes up to the urgent byte out of the element, and the
 * peer is told that they were consumed. The application then reads from the
 * copy first.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/sock.h>
#include "conn.h"
#include "object.h"
#include "rfc_tx.h"
#include "rfc_urgent.h"
#include "rxq.h"

/*
 * A new urgent byte may arrive during the allocation. This limit bounds the
 * number of retries.
 */
#define KEEP_TRIES	4

/* Notes that @buf now has the @n bytes before the element's start. */
static void kept_set(struct smc_conn *conn, u8 *buf, u32 charge, u32 n)
{
	struct smc_rfc_kept *kept = &conn->rfc.kept;

	smc_rfc_urgent_free(conn);
	kept->bytes.kind = SMC_EXTENT_BUF;
	kept->bytes.buf = buf;
	kept->bytes.start = conn->rx.cons;
	kept->charge = charge;
	list_add(&kept->bytes.list, &conn->rx.extents);
	conn->rfc.rx.bytes.start = conn->rx.cons + n;
	conn->rfc.tx.update = true;		/* R-4.7.5-04 */
}

static void kept_put(struct smc_conn *conn)
{
	sock_put(conn->owner);
	smc_conn_put(conn, SMC_CONN_REF_URGENT);
}

/* Takes over the caller's references on the owner and on the connection. */
static void kept_queue(struct smc_conn *conn)
{
	if (!queue_work(smc_conn_wq, &conn->rfc.kept.work))
		kept_put(conn);
}

static void kept_again(struct smc_on_unlock *on_unlock)
{
	kept_queue(container_of(on_unlock, struct smc_conn, rfc.kept.on_unlock));
}

/*
 * Returns how many bytes must be copied so that the peer continues. Returns 0
 * if no bytes have to be copied, or if they exceed the size of an element. In
 * the second case the peer waits until the application has read some bytes.
 */
static u32 kept_wanted(const struct smc_conn *conn)
{
	u64 mark = smc_urg_rx_mark(&conn->rx.urg);

	lockdep_assert_held(&conn->lock);
	/* a reader calls this function again when it has finished */
	if (mark == SMC_URG_NO_MARK || mark < smc_rfc_tx_freed(conn) ||
	    !smc_object_open(conn) || conn->life.place != SMC_PLACE_IN ||
	    conn->rx.busy || mark - conn->rx.cons >= conn->rx.size)
		return 0;
	return mark + 1 - conn->rx.cons;
}

/**
 * smc_rfc_urgent_keep() - let the peer continue behind its urgent byte
 * @conn:	connection, its lock held
 *
 * The function copies a single byte at once. If there are more bytes, it leaves
 * them to a work item, which can wait for memory.
 */
void smc_rfc_urgent_keep(struct smc_conn *conn)
{
	u32 n = kept_wanted(conn);

	if (n == 1) {
		/* the application has read all bytes before the urgent byte */
		conn->rfc.kept.one = conn->rx.oob;
		kept_set(conn, &conn->rfc.kept.one, 0, 1);
	} else if (n) {
		smc_conn_get(conn, SMC_CONN_REF_URGENT);
		/* the work may outlive the reference of the connection */
		sock_hold(conn->owner);
		kept_queue(conn);
	}
}

/* Return: true if the bytes were copied; false if @need bytes of memory are
 * missing.
 */
static bool kept_try(struct smc_conn *conn, u8 **buf, u32 have, u32 *need)
{
	bool done;

	spin_lock_bh(&conn->lock);
	*need = kept_wanted(conn);
	done = *need <= have;
	if (done && *need) {
		smc_rxq_to_mem(conn, *buf, conn->rx.cons, *need);
		kept_set(conn, *buf, have, *need);
		*buf = NULL;
		smc_rfc_tx_kick(conn);
	}
	smc_conn_unlock(conn);
	return done;
}

static void kept_free_buf(struct smc_conn *conn, u8 *buf, u32 len)
{
	kvfree(buf);
	if (buf)
		conn->ops->freed(conn->owner, len);
}

/* Allocates memory and charges it to the owner. Return: memory or ERR_PTR(). */
static u8 *kept_alloc_buf(struct smc_conn *conn, u32 len)
{
	u8 *buf = kvmalloc(len, GFP_KERNEL);
	int err;

	if (!buf)
		return ERR_PTR(-ENOMEM);
	err = conn->ops->charge(conn->owner, len, &conn->rfc.kept.on_unlock);
	if (!err)
		return buf;
	kvfree(buf);
	return ERR_PTR(err);
}

static void kept_work(struct work_struct *work)
{
	struct smc_conn *conn = container_of(work, struct smc_conn,
					     rfc.kept.work);
	int tries = KEEP_TRIES;
	u8 *buf = NULL;
	u32 have = 0;
	u32 need;

	while (!kept_try(conn, &buf, have, &need) && tries--) {
		kept_free_buf(conn, buf, have);
		buf = kept_alloc_buf(conn, need);
		if (PTR_ERR(buf) == -EINPROGRESS)
			return;	/* kept_again() takes over our references */
		if (IS_ERR(buf)) {
			/* the peer waits until the application has read some
			 * bytes
			 */
			buf = NULL;
			break;
		}
		have = need;
	}
	kept_free_buf(conn, buf, have);
	kept_put(conn);
}

/**
 * smc_rfc_urgent_passed() - rx.cons has moved: release the copy if it was read
 * @conn:	connection, its lock held
 *
 * The function does nothing while a reader copies from the copy. The reader
 * calls this function again at its end.
 */
void smc_rfc_urgent_passed(struct smc_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	if (unlikely(conn->rfc.kept.bytes.buf) && !conn->rx.busy &&
	    conn->rx.cons >= conn->rfc.rx.bytes.start)
		smc_rfc_urgent_free(conn);
}

/**
 * smc_rfc_urgent_free() - release the copy, if there is one
 * @conn:	connection, its lock held; or a connection without a reference,
 *		which was never a member of a group, or has left it
 *
 * Context: any.
 */
void smc_rfc_urgent_free(struct smc_conn *conn)
{
	struct smc_rfc_kept *kept = &conn->rfc.kept;

	if (!kept->bytes.buf)
		return;
	conn->news.freed += kept->charge;
	kept->charge = 0;
	list_del(&kept->bytes.list);
	if (kept->bytes.buf != &kept->one)
		kvfree(kept->bytes.buf);
	kept->bytes.buf = NULL;
}

/**
 * smc_rfc_urgent_prepare() - initialise the copy, for struct smc_dialect.attach
 * @conn:	connection, its lock held
 */
void smc_rfc_urgent_prepare(struct smc_conn *conn)
{
	INIT_WORK(&conn->rfc.kept.work, kept_work);
	smc_on_unlock_init(&conn->rfc.kept.on_unlock, kept_again);
}
