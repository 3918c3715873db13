// SPDX-License-Identifier: GPL-2.0
/*
 * In-host connections of the dialect of frames. Their records do not travel in
 * frames of a link. The sender puts them into the mailbox of the peer's
 * connection, together with references to the pages that hold the bytes, and
 * the same context takes them out again under the lock of that connection. So
 * two connections share locks with each other only, nothing is ever in flight,
 * and a byte is copied as often as with TCP.
 *
 * A page may change while the peer holds it, if it is a page of a file that
 * sendfile() has lent. That is so with TCP, too.
 *
 * A letter needs no memory: a record has the complete state, so it replaces the
 * record before it, and only the bytes of both are kept. But the echo of an
 * offer separates the bytes that were sent under the old window from the later
 * ones (F-34). A mailbox has at most two such parts, because an offer waits for
 * the echo of the offer before it.
 *
 * Lock: the lock of a mailbox is taken under the conn->lock of either end, and
 * no lock is taken under it.
 */
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "../base/mib.h"
#include "../group/member.h"
#include "framed_mail.h"
#include "object.h"
#include "token.h"
#include "txq.h"

enum {
	MAIL_LETTERS	= 2,
};

/**
 * struct smc_mailbox - what the peer's connection has sent to a connection
 * @rcu:	frees the mailbox together with the connection
 * @lock:	protects the members after it
 * @open:	the connection is a member of its group, and takes letters
 * @met:	a letter has arrived, so the sender was checked
 * @from:	token of the peer's connection; 0: not known yet
 * @n:		number of letters
 * @letter:	the letters, the oldest first
 */
struct smc_mailbox {
	struct rcu_head rcu;
	spinlock_t lock;	/* see above */
	bool open;
	bool met;
	u32 from;
	u32 n;
	struct smc_letter letter[MAIL_LETTERS];
};

/* ---- life ---- */

/**
 * smc_framed_mail_new() - allocate a mailbox, which is closed
 *
 * Context: process, may sleep. Return: mailbox or NULL.
 */
struct smc_mailbox *smc_framed_mail_new(void)
{
	struct smc_mailbox *box = kzalloc(sizeof(*box), GFP_KERNEL_ACCOUNT);

	if (box)
		spin_lock_init(&box->lock);
	return box;
}

/**
 * smc_framed_mail_free() - free a mailbox after a grace period
 * @box:	mailbox, closed or never opened; or NULL
 *
 * Context: any.
 */
void smc_framed_mail_free(struct smc_mailbox *box)
{
	kfree_rcu(box, rcu);
}

/**
 * smc_framed_mail_open() - let the mailbox take letters
 * @conn:	connection, its lock held, which is a member of its group
 */
void smc_framed_mail_open(struct smc_conn *conn)
{
	spin_lock_bh(&conn->mail->lock);
	conn->mail->open = true;
	spin_unlock_bh(&conn->mail->lock);
}

/**
 * smc_framed_mail_close() - refuse further letters, and drop those that wait
 * @conn:	connection that is about to leave its group
 *
 * Context: process.
 */
void smc_framed_mail_close(struct smc_conn *conn)
{
	struct smc_mailbox *box = conn->mail;
	struct smc_letter letter;

	spin_lock_bh(&box->lock);
	box->open = false;
	spin_unlock_bh(&box->lock);
	while (smc_framed_mail_take(conn, &letter))
		smc_framed_mail_discard(&letter.pieces);
}

/**
 * smc_framed_mail_expect() - Accept or Confirm has named the peer's connection
 * @conn:	connection
 * @token:	token of the peer's connection
 *
 * Context: process. Return: false if another connection has sent letters.
 */
bool smc_framed_mail_expect(struct smc_conn *conn, u32 token)
{
	struct smc_mailbox *box = conn->mail;
	bool same;

	spin_lock_bh(&box->lock);
	same = !box->from || box->from == token;
	if (same)
		box->from = token;
	spin_unlock_bh(&box->lock);
	return same;
}

/* ---- sending ---- */

/*
 * Bytes of memory that stay allocated because of @len bytes of a segment. A
 * lent page counts alone, as with TCP, although it keeps its whole folio.
 */
static u32 mail_memory(const struct smc_seg *seg, u32 off, u32 len)
{
	if (seg->kind == SMC_SEG_COPIED)
		return page_size(seg->page);
	return PAGE_ALIGN(offset_in_page(off) + len);
}

/**
 * smc_framed_mail_lend() - refer to bytes of a segment
 * @seg:	segment of the send queue
 * @off:	offset of the first byte in its page
 * @len:	number of bytes, at most SMC_FRAMED_PIECE_MAX; they do not
 *		change
 *
 * Context: any. Return: chunk with a reference to the page, or NULL.
 */
struct smc_chunk *smc_framed_mail_lend(const struct smc_seg *seg, u32 off,
				       u32 len)
{
	struct smc_chunk *chunk;

	chunk = kzalloc(sizeof(*chunk), GFP_ATOMIC | __GFP_NOWARN);
	if (!chunk)
		return NULL;
	get_page(seg->page);
	chunk->bytes.kind = SMC_EXTENT_PAGE;
	chunk->bytes.page = seg->page;
	chunk->bytes.skip = off;
	chunk->len = len;
	chunk->held = sizeof(*chunk) + mail_memory(seg, off, len);
	return chunk;
}

/**
 * smc_framed_mail_discard() - free chunks that nobody will read
 * @pieces:	list of chunks that are not in a receive queue; empty afterwards
 *
 * Context: any.
 */
void smc_framed_mail_discard(struct list_head *pieces)
{
	struct smc_chunk *chunk, *tmp;

	list_for_each_entry_safe(chunk, tmp, pieces, bytes.list) {
		list_del(&chunk->bytes.list);
		put_page(chunk->bytes.page);
		kfree(chunk);
	}
}

/* Returns the letter to which a record belongs. */
static struct smc_letter *mail_letter(struct smc_mailbox *box, u32 heard)
{
	struct smc_letter *last = &box->letter[box->n ? box->n - 1 : 0];

	if (box->n && last->rec.heard == heard)
		return last;
	if (WARN_ON_ONCE(box->n == MAIL_LETTERS))
		return last;
	last = &box->letter[box->n++];
	last->bytes = 0;
	INIT_LIST_HEAD(&last->pieces);
	return last;
}

/*
 * May this connection send letters to the peer? It must be the one that Accept
 * or Confirm has named, or the first one, and its link must end at the peer's.
 */
static bool mail_admits(const struct smc_conn *peer,
			const struct smc_conn *conn)
{
	const struct smc_mailbox *box = peer->mail;

	lockdep_assert_held(&box->lock);
	return box->open && (!box->from || box->from == conn->token) &&
	       (box->met || smc_member_faces(&peer->member, &conn->member));
}

static bool mail_put(struct smc_conn *peer, const struct smc_conn *conn,
		     const struct smc_frame_record *rec,
		     struct list_head *pieces)
{
	struct smc_mailbox *box = peer->mail;
	struct smc_letter *letter;
	bool admitted;

	spin_lock_bh(&box->lock);
	admitted = mail_admits(peer, conn);
	if (admitted) {
		box->from = conn->token;
		box->met = true;
		letter = mail_letter(box, rec->heard);
		letter->rec = *rec;
		letter->bytes += rec->len;
		list_splice_tail_init(pieces, &letter->pieces);
	}
	spin_unlock_bh(&box->lock);
	return admitted;
}

/**
 * smc_framed_mail_post() - put a record into the mailbox of the peer
 * @conn:	connection, its lock held, which is a member of its group
 * @rec:	record for the peer
 * @pieces:	list of chunks with its bytes; empty afterwards
 *
 * A peer that has left, or is another's, gets nothing, as with an unknown token
 * in a frame. Otherwise smc_conn_unlock() lets the peer take the letter.
 */
void smc_framed_mail_post(struct smc_conn *conn,
			  const struct smc_frame_record *rec,
			  struct list_head *pieces)
{
	struct smc_conn *peer;
	bool taken;

	lockdep_assert_held(&conn->lock);
	rcu_read_lock();	/* the read section keeps @peer, see object.h */
	peer = smc_token_find(rec->token);
	taken = peer && peer != conn && peer->mail &&
		mail_put(peer, conn, rec, pieces);
	rcu_read_unlock();
	if (taken) {
		conn->news.peer = rec->token;
		return;
	}
	smc_mib_inc(NULL, SMC_MIB_RECORD_NOTOKEN);
	smc_framed_mail_discard(pieces);
}

/* ---- receiving ---- */

static void letter_move(struct smc_letter *to, struct smc_letter *from)
{
	to->rec = from->rec;
	to->bytes = from->bytes;
	INIT_LIST_HEAD(&to->pieces);
	list_splice_init(&from->pieces, &to->pieces);
}

/**
 * smc_framed_mail_take() - take the oldest letter out of the mailbox
 * @conn:	connection; its lock is held, unless the mailbox is closed
 * @letter:	output
 *
 * Context: BH safe. Return: false if the mailbox is empty.
 */
bool smc_framed_mail_take(struct smc_conn *conn, struct smc_letter *letter)
{
	struct smc_mailbox *box = conn->mail;
	bool any;

	spin_lock_bh(&box->lock);
	any = box->n;
	if (any) {
		letter_move(letter, &box->letter[0]);
		if (--box->n)
			letter_move(&box->letter[0], &box->letter[1]);
	}
	spin_unlock_bh(&box->lock);
	return any;
}

/**
 * smc_framed_mail_split() - take as many bytes of a letter as a record can have
 * @letter:	letter that was taken
 * @pieces:	empty list; output: chunks with the bytes
 *
 * Context: any. Return: number of bytes.
 */
u32 smc_framed_mail_split(struct smc_letter *letter, struct list_head *pieces)
{
	struct smc_chunk *chunk, *tmp;
	u32 len = 0;

	list_for_each_entry_safe(chunk, tmp, &letter->pieces, bytes.list) {
		if (len + chunk->len > U16_MAX)
			break;
		len += chunk->len;
		list_move_tail(&chunk->bytes.list, pieces);
	}
	letter->bytes -= len;
	return len;
}
