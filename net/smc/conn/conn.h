/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections: two byte streams over one element each, their cursors and the
 * close machine of RFC 7609 4.8. Knows no socket calls and never sleeps for
 * the peer; blocking is the socket floor's job.
 *
 * Locking: conn->lock (spinlock, BH) protects all protocol state; the socket
 * lock of the owner serialises senders against senders and readers against
 * readers. Order: socket lock > conn->lock > endpoint and link locks.
 */
#ifndef _SMC_CONN_H
#define _SMC_CONN_H

#include <linux/types.h>

struct msghdr;
struct net;
struct smc_clc_accept;
struct smc_conn;
struct smc_contact;
struct smc_lgr;
struct smc_lgr_info;
struct smc_link_info;
struct sock;

/**
 * struct smc_conn_ops - callbacks to the owner (floor socket)
 *
 * All are called without conn->lock, in softirq or process context, also from
 * within the functions below; they may take the owner's spinlocks and
 * bh_lock_sock (whoever calls a function below must not hold that) but must not
 * sleep, except where noted.
 * @readable:	new bytes, end of stream or an error can be read
 * @writable:	queue space appeared after smc_tx_queue() said -EAGAIN, or
 *		grew while less than half was free
 * @charge:	charge the owner's socket for @bytes of memory; false: it, or all,
 *		have too much. Process context, may sleep.
 * @freed:	@bytes of memory that was charged to the owner's socket were
 *		released; the owner returns the charge (sk_mem_uncharge())
 * @urgent:	the peer has sent an urgent byte, which may be still on its way
 * @changed:	close state changed (peer done, aborted, closed): look at
 *		smc_conn_state() and smc_conn_error(); wake everybody
 * @closed:	the connection reached CLOSED and left its group: nothing more
 *		is called. Process context, may sleep. Exactly once for every
 *		connection that was started or attached.
 */
struct smc_conn_ops {
	void (*readable)(void *owner);
	void (*writable)(void *owner);
	bool (*charge)(void *owner, u32 bytes);
	void (*freed)(void *owner, u32 bytes);
	void (*urgent)(void *owner);
	void (*changed)(void *owner);
	void (*closed)(void *owner);
};

/* Close machine, names of RFC 7609 figure 22. */
enum smc_conn_state {
	SMC_CONN_INIT,			/* attached, handshake not finished */
	SMC_CONN_ACTIVE,
	SMC_CONN_PEERCLOSEWAIT1,
	SMC_CONN_PEERCLOSEWAIT2,
	SMC_CONN_APPCLOSEWAIT1,
	SMC_CONN_APPCLOSEWAIT2,
	SMC_CONN_APPFINCLOSEWAIT,
	SMC_CONN_PEERFINCLOSEWAIT,
	SMC_CONN_PEERABORTWAIT,
	SMC_CONN_PROCESSABORT,
	SMC_CONN_CLOSED,
	SMC_CONN_NR_STATES,
};

/**
 * smc_conn_alloc - a connection object, one reference for the caller
 * @sndbuf:	limit of queued, undelivered bytes
 * Context: may sleep. Return: connection or NULL.
 */
struct smc_conn *smc_conn_alloc(struct net *net, const struct smc_conn_ops *ops,
				struct sock *owner, u32 sndbuf);
struct smc_conn *smc_conn_get(struct smc_conn *conn);
void smc_conn_put(struct smc_conn *conn);

/**
 * smc_conn_attach - join the contact's group, take over its element
 *
 * Afterwards the connection has an alert token (random, unguessable, never 0),
 * is found by it and keeps what arrives (R-3.5.2.4-04). Holds a reference on
 * itself and on @owner (sock_hold) until closed(). Context: may sleep.
 * Return: 0, -ENOLINK, -ENOMEM, -EDQUOT (net.smc.max_conns).
 */
int smc_conn_attach(struct smc_conn *conn, struct smc_contact *c);
u32 smc_conn_token(const struct smc_conn *conn);
/**
 * smc_conn_set_peer - take what Accept or Confirm says of the peer's element
 * Return: 0, -EPROTO (index 0, size or range out of bounds), -ENOLINK (the link
 * that was named has gone, and the element has no key on another)
 */
int smc_conn_set_peer(struct smc_conn *conn, const struct smc_clc_accept *peer);
/** smc_conn_start - INIT -> ACTIVE: deliver what came, allow sending */
void smc_conn_start(struct smc_conn *conn);
/**
 * smc_conn_detach - the handshake failed after attach: leave the group without
 * a word to the peer; closed() is called before it returns. Context: may sleep.
 */
void smc_conn_detach(struct smc_conn *conn);

enum smc_conn_state smc_conn_state(const struct smc_conn *conn);
/** smc_conn_error - 0, or the errno the application must see (positive) */
int smc_conn_error(const struct smc_conn *conn);

/* ---- sending (caller holds the socket lock) ---- */

/** smc_tx_space - bytes that smc_tx_queue() would take now */
u32 smc_tx_space(const struct smc_conn *conn);
/**
 * smc_tx_queue - copy (or, with MSG_SPLICE_PAGES, take the pages of) up to
 * @len bytes into the send queue; charges @sk for the memory
 *
 * With MSG_OOB the last byte taken is urgent: nothing behind it is sent before
 * the peer has passed it (R-4.7.5-05).
 *
 * Return: bytes taken (>0), -EAGAIN (no space), -EPIPE (sending side done),
 * -ENOMEM/-ENOBUFS, -EFAULT (nothing was taken), or the connection's error.
 * Context: may sleep (page faults).
 */
ssize_t smc_tx_queue(struct smc_conn *conn, struct msghdr *msg, size_t len);
/**
 * smc_tx_push - write queued bytes to the peer as window and slots allow
 * @nodelay:	do not coalesce behind a message in flight (TCP_NODELAY)
 * @more:	hold back a partial burst (MSG_MORE, TCP_CORK)
 * Context: BH safe.
 */
void smc_tx_push(struct smc_conn *conn, bool nodelay, bool more);
/** smc_tx_unsent - bytes not written to the peer (SIOCOUTQNSD) */
u32 smc_tx_unsent(const struct smc_conn *conn);
/** smc_tx_queued - bytes queued and not known delivered (SIOCOUTQ) */
u32 smc_tx_queued(const struct smc_conn *conn);
void smc_tx_set_limit(struct smc_conn *conn, u32 sndbuf);

/**
 * smc_conn_keepalive - see after @idle jiffies without a message whether the
 * peer lives (R-4.5.3-01); 0: do not. BH safe.
 */
void smc_conn_keepalive(struct smc_conn *conn, unsigned long idle);

/* ---- closing (4.8) ---- */

/** smc_conn_shutdown - SHUT_WR: D after all queued data (R-4.8.1-14) */
int smc_conn_shutdown(struct smc_conn *conn);
/**
 * smc_conn_close - the application is gone or shut both ways
 *
 * Unread data: abort (R-4.8.1-11). Otherwise C after all queued data; the
 * connection lives on until the peer's C or a timer. Never blocks.
 */
void smc_conn_close(struct smc_conn *conn);
/**
 * smc_conn_abort - end now: A to the peer, data purged both ways (4.8.2)
 * @err:	positive errno for the local application
 * Context: BH safe.
 */
void smc_conn_abort(struct smc_conn *conn, int err);

/** struct smc_conn_info - snapshot for views, cursors as on the wire */
struct smc_conn_info {
	u32 token;
	u32 sndbuf_size;
	u32 rmbe_size;
	u32 peer_rmbe_size;
	u64 rx_prod, rx_cons, tx_prod, tx_cons, tx_prep, tx_sent, tx_fin;
	u8 rx_prod_flags, rx_conn_flags, tx_prod_flags, tx_conn_flags;
	enum smc_conn_state state;
};

void smc_conn_info(struct smc_conn *conn, struct smc_conn_info *info);
/** smc_conn_lgr_info - snapshot of the connection's group and of the link that
 * it sends on; -ENOLINK if none
 */
int smc_conn_lgr_info(struct smc_conn *conn, struct smc_lgr_info *info,
		      struct smc_link_info *link);

/**
 * smc_conn_cdc - a CDC message came in on @lgr; struct smc_link_user.cdc
 * @buf:	44 bytes, type and length checked
 * Context: softirq. Unknown tokens are counted and dropped (R-A.4-07).
 */
void smc_conn_cdc(struct smc_lgr *lgr, const u8 *buf);

int smc_conns_init(void);
void smc_conns_exit(void);

#endif
