/* SPDX-License-Identifier: GPL-2.0 */
/* Receiving: for the owner of a connection, and inside. */
#ifndef _SMC_CONN_RX_H
#define _SMC_CONN_RX_H

#include <linux/types.h>

struct msghdr;
struct smc_conn;
struct work_struct;

/* ---- for the owner; who reads holds the socket lock ---- */

/** smc_rx_avail - readable bytes; an urgent byte that is next and will be
 * skipped is none
 */
u32 smc_rx_avail(const struct smc_conn *conn);
/**
 * smc_rx_tell - the caller waits for more without reading what is there: let the
 * peer know of all the room that there is
 */
void smc_rx_tell(struct smc_conn *conn);
/**
 * smc_rx_read - copy readable bytes to @msg
 * @offset:	skip that many readable bytes first (peek passes)
 * @flags:	MSG_PEEK: do not consume; MSG_TRUNC: consume without copying
 *
 * Consuming moves the consumer cursor and sends a window update when 4.5.1
 * asks for one. Reading ends in front of the urgent byte; when that is next it
 * is skipped, or with SO_OOBINLINE read. Return: bytes, 0 when none are
 * readable (nothing is after an abort), -EFAULT.
 */
ssize_t smc_rx_read(struct smc_conn *conn, struct msghdr *msg, size_t len,
		    u32 offset, int flags);
/** smc_rx_eof - nothing follows what is readable now */
bool smc_rx_eof(const struct smc_conn *conn);

/**
 * smc_rx_urgent - recv(MSG_OOB)
 *
 * Return: 1 or 0 as @len (msg_flags tell), 0 (none will come), -EINVAL (there
 * is none), -EAGAIN (it is on its way), -ENOTCONN, -EFAULT.
 */
ssize_t smc_rx_urgent(struct smc_conn *conn, struct msghdr *msg, size_t len,
		      int flags);
/** smc_rx_urgent_there - smc_rx_urgent() would get a byte (EPOLLPRI) */
bool smc_rx_urgent_there(struct smc_conn *conn);
/** smc_rx_at_mark - is the byte behind @offset readable ones the urgent one? */
bool smc_rx_at_mark(struct smc_conn *conn, u32 offset);
/** smc_rx_inq - bytes up to the urgent byte, if there is one ahead (SIOCINQ) */
u32 smc_rx_inq(struct smc_conn *conn);

/* ---- inside of the floor; conn->lock is held ---- */

/* rx.c */
void smc_rx_passed(struct smc_conn *conn, u64 pos);

/* urgent.c */
bool smc_urg_in_line(const struct smc_conn *conn);
void smc_urg_heard(struct smc_conn *conn, u8 flags, u64 prod);
void smc_urg_keep(struct smc_conn *conn);
void smc_urg_forget(struct smc_conn *conn);
void smc_urg_uncharge(struct smc_conn *conn);
/* not held here */
void smc_urg_keep_work(struct work_struct *work);

void smc_rx_gap_timer(struct work_struct *work);

#endif
