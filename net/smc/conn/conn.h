/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections: two byte streams and the close machine of RFC 7609 4.8. This
 * floor does not handle socket calls, and never sleeps for the peer. The socket
 * floor does all blocking.
 *
 * Locking: conn->lock (spinlock, BH) protects all protocol state. The socket
 * lock of the owner serialises senders against senders and readers against
 * readers. Order: socket lock > conn->lock > endpoint and link locks.
 *
 * Source files, each with a header. A file uses only files above it in this
 * list:
 *
 *   close_fsm, txq, rxq	close table, send queue, receive queue
 *   measure	counts and times
 *   conn		lock, references and callbacks of the object (object.h)
 *   token, urgent, close	alert token, urgent byte, driver of the table
 *   rfc_*, rfc		the dialect of RFC 7609, behind dialect.h
 *   frames_*, frames	contents and meaning of the records in frames
 *   framed_*, framed	the dialect of frames, behind dialect.h; framed_mail
 *			carries the records of in-host connections
 *   alive, tx, rx, info, count	calls of the owner
 *   life		alloc, attach, start, leave, reap
 */
#ifndef _SMC_CONN_CONN_H
#define _SMC_CONN_CONN_H

#include <linux/types.h>
#include "close_fsm.h"
#include "place_fsm.h"

struct smc_conn;
struct smc_on_unlock;
struct workqueue_struct;

/**
 * struct smc_conn_ops - callbacks to the owner (floor socket)
 * @readable:	new bytes, end of stream or an error are readable
 * @writable:	the send queue has space again after smc_tx_queue() returned
 *		-EAGAIN, or has gained space while less than half was free
 * @charge:	charge the owner's socket for @bytes of memory. Process context,
 *		may sleep, but not for a lock that a user holds. Return: 0;
 *		-ENOBUFS: the socket or the system is over its limit;
 *		-EINPROGRESS: another context holds the lock, and @on_unlock
 *		runs when the lock is free; -EALREADY: an earlier call has
 *		already queued @on_unlock
 * @grow:	charge the owner's socket for @bytes of memory, at once. Under
 *		conn->lock; the caller holds the socket lock. Must not sleep.
 *		Return: 0; -ENOBUFS.
 * @freed:	the connection has released @bytes of memory that were charged
 *		to the owner's socket; the owner returns the charge
 *		(sk_mem_uncharge())
 * @shrunk:	the same for memory that ->grow() had charged
 * @urgent:	the peer has announced an urgent byte, which may not have
 *		arrived yet
 * @changed:	the close state has changed; the owner calls smc_conn_state()
 *		and smc_conn_error(), and wakes all waiters
 * @closed:	the connection reached CLOSED and left its group. No callback
 *		follows, except @charge and @freed of a work item that has its
 *		own references (SMC_CONN_REF_URGENT). Process context, may
 *		sleep, but not for a lock that a user holds. Called exactly once
 *		for every connection that was attached.
 *
 * This floor calls them without conn->lock, in softirq or process context. Any
 * function of this floor may call them. The callbacks may take the owner's
 * spinlocks and bh_lock_sock(), so a caller of this floor must not hold these
 * locks. A callback must not sleep, unless its description says that it may.
 */
struct smc_conn_ops {
	void (*readable)(void *owner);
	void (*writable)(void *owner);
	int (*charge)(void *owner, u32 bytes, struct smc_on_unlock *on_unlock);
	int (*grow)(void *owner, u32 bytes);
	void (*freed)(void *owner, u32 bytes);
	void (*shrunk)(void *owner, u32 bytes);
	void (*urgent)(void *owner);
	void (*changed)(void *owner);
	void (*closed)(void *owner);
};

/**
 * enum smc_conn_ref - why a reference on a connection is held
 * @SMC_CONN_REF_OWNER:	the first reference, held by the handshake and later by
 *			the socket
 * @SMC_CONN_REF_GROUP:	held from attach to reap, for the table of tokens and
 *		for the group
 * @SMC_CONN_REF_FLIGHT: held while bundles are posted and not completed
 * @SMC_CONN_REF_URGENT: held by queued work that copies the bytes before an
 *			 urgent byte
 * @SMC_CONN_REF_SHED: held while the connection of a closed socket is being
 *			aborted
 * @SMC_CONN_REF_TCP:	held by a callback of the TCP socket that aborts the
 *			connection
 * @SMC_CONN_NR_REFS:	number of reasons
 */
enum smc_conn_ref {
	SMC_CONN_REF_OWNER,
	SMC_CONN_REF_GROUP,
	SMC_CONN_REF_FLIGHT,
	SMC_CONN_REF_URGENT,
	SMC_CONN_REF_SHED,
	SMC_CONN_REF_TCP,
	SMC_CONN_NR_REFS,
};

/* ---- for the owner ---- */

struct smc_conn *smc_conn_get(struct smc_conn *conn, enum smc_conn_ref why);
void smc_conn_put(struct smc_conn *conn, enum smc_conn_ref why);
u32 smc_conn_token(const struct smc_conn *conn);
enum smc_conn_state smc_conn_state(const struct smc_conn *conn);
int smc_conn_error(const struct smc_conn *conn);
bool smc_conn_over(const struct smc_conn *conn);
bool smc_conn_gone(const struct smc_conn *conn);
unsigned int smc_conn_napi(const struct smc_conn *conn);

/* ---- for other files of conn/ ---- */

extern struct workqueue_struct *smc_conn_wq;

struct smc_conn *smc_conn_alloc(void);
/* Releases conn->lock. The caller has taken it with spin_lock_bh(). */
void smc_conn_unlock(struct smc_conn *conn) __releases(conn);
void smc_conn_place_step(struct smc_conn *conn, enum smc_conn_place_event ev);
void smc_conn_try_leave(struct smc_conn *conn);
void smc_conn_reader_gone(struct smc_conn *conn);
void smc_conn_landed(struct smc_conn *conn);
int smc_conn_init(void);
void smc_conn_exit(void);

#endif
