/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections: two byte streams and the close machine of RFC 7609 4.8. This
 * floor knows no socket calls and never sleeps for the peer. The socket floor
 * does all blocking.
 *
 * Locking: conn->lock (spinlock, BH) protects all protocol state. The socket
 * lock of the owner serialises senders against senders and readers against
 * readers. Order: socket lock > conn->lock > endpoint and link locks.
 *
 * Source files, each with a header. A file uses only files above it in this
 * list:
 *
 *   close_fsm, txq, rxq	close table, send queue, receive queue
 *   conn		lock, references and callbacks of the object (object.h)
 *   token, urgent, close	alert token, urgent byte, driver of the table
 *   rfc_*, rfc		the dialect of RFC 7609, behind dialect.h
 *   tx, rx, alive, info, count	calls of the owner
 *   life		alloc, attach, start, leave, reap
 */
#ifndef _SMC_CONN_CONN_H
#define _SMC_CONN_CONN_H

#include <linux/types.h>
#include "close_fsm.h"

struct smc_conn;
struct smc_later;
struct workqueue_struct;

/**
 * struct smc_conn_ops - callbacks to the owner (floor socket)
 * @readable:	new bytes, end of stream or an error are readable
 * @writable:	the send queue has space again after smc_tx_queue() returned
 *		-EAGAIN, or has gained space while less than half was free
 * @charge:	charge the owner's socket for @bytes of memory. Process context,
 *		may sleep, but not for a lock that a user holds. Return: 0;
 *		-ENOBUFS: the socket or the system is over its limit;
 *		-EINPROGRESS: the lock is taken, @later runs when it is free;
 *		-EALREADY: an earlier call has left @later at the lock
 * @freed:	@bytes of memory that was charged to the owner's socket were
 *		released; the owner returns the charge (sk_mem_uncharge())
 * @urgent:	the peer has announced an urgent byte, which may not have
 *		arrived yet
 * @changed:	the close state changed (peer done, aborted, closed): look at
 *		smc_conn_state() and smc_conn_error(), and wake everybody
 * @closed:	the connection reached CLOSED and left its group. No callback
 *		follows. Process context, may sleep, but not for a lock that a
 *		user holds. Exactly once for every connection that was attached.
 *
 * All are called without conn->lock, in softirq or process context, also from
 * within the functions of this floor. They may take the owner's spinlocks and
 * bh_lock_sock(), so a caller of this floor must not hold that lock. They must
 * not sleep, except where noted.
 */
struct smc_conn_ops {
	void (*readable)(void *owner);
	void (*writable)(void *owner);
	int (*charge)(void *owner, u32 bytes, struct smc_later *later);
	void (*freed)(void *owner, u32 bytes);
	void (*urgent)(void *owner);
	void (*changed)(void *owner);
	void (*closed)(void *owner);
};

/**
 * enum smc_conn_ref - why a reference on a connection is held
 * @SMC_CONN_REF_OWNER:	the first reference: of the handshake, later of the
 *			socket
 * @SMC_CONN_REF_GROUP:	from attach to reap, for the table of tokens and the
 *		group
 * @SMC_CONN_REF_FLIGHT: bundles were posted and have not completed
 * @SMC_CONN_REF_URGENT: work is queued that copies the bytes before an urgent
 *			 byte
 * @SMC_CONN_REF_SHED: the connection of a closed socket is aborted
 * @SMC_CONN_REF_TCP:	a callback of the TCP socket aborts the connection
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
bool smc_conn_gone(const struct smc_conn *conn);

/* ---- inside of the floor ---- */

extern struct workqueue_struct *smc_conn_wq;

void smc_conn_ref_init(struct smc_conn *conn);
void smc_conn_lock(struct smc_conn *conn);
void smc_conn_unlock(struct smc_conn *conn);
void smc_conn_try_leave(struct smc_conn *conn);
void smc_conn_reader_gone(struct smc_conn *conn);
int smc_conn_init(void);
void smc_conn_exit(void);

#endif
