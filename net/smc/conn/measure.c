// SPDX-License-Identifier: GPL-2.0
/*
 * Counts and times of a connection. The dialect reports each message. Some of
 * the messages are samples: the time from posting to completion estimates the
 * round trip, and the bytes that were delivered in this time estimate the rate.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include "conn.h"
#include "measure.h"
#include "object.h"

/* Number of messages with bytes between two samples. Reading the clock may be
 * slow, so not every message is a sample.
 */
#define MEASURE_EVERY	16

/**
 * smc_measure_posted() - count a message that was posted
 * @conn:	connection, its lock held; tx.sent includes the message
 * @bytes:	bytes of the stream that the message announces
 */
void smc_measure_posted(struct smc_conn *conn, u64 bytes)
{
	struct smc_conn_measure *m = &conn->measure;

	lockdep_assert_held(&conn->lock);
	m->msgs_out++;
	if (!bytes)
		return;
	m->sent_at = jiffies;
	if (m->data_out++ % MEASURE_EVERY || m->begin)
		return;
	m->begin = ktime_get_ns();
	m->from = conn->tx.fin;
	m->to = conn->tx.sent;
}

/* The usual weights of TCP: 1/8 for the mean, 1/4 for the deviation. */
static void measure_rtt(struct smc_conn_measure *m, u32 us)
{
	if (!m->rtt_us) {
		m->rtt_us = us;
		m->rttvar_us = us / 2;
		m->min_us = us;
		return;
	}
	m->rttvar_us += ((s32)abs((s32)(us - m->rtt_us)) -
			 (s32)m->rttvar_us) / 4;
	m->rtt_us = max_t(s32, m->rtt_us + ((s32)(us - m->rtt_us)) / 8, 1);
	m->min_us = min(m->min_us, us);
}

/**
 * smc_measure_delivered() - bytes are known to be delivered
 * @conn:	connection, its lock held; tx.fin has moved
 */
void smc_measure_delivered(struct smc_conn *conn)
{
	struct smc_conn_measure *m = &conn->measure;
	u64 ns;

	lockdep_assert_held(&conn->lock);
	if (likely(!m->begin) || conn->tx.fin < m->to)
		return;
	ns = max_t(u64, ktime_get_ns() - m->begin, NSEC_PER_USEC);
	m->begin = 0;
	measure_rtt(m, min_t(u64, div_u64(ns, NSEC_PER_USEC), S32_MAX));
	m->rate = div64_u64((conn->tx.fin - m->from) * NSEC_PER_SEC, ns);
}

/**
 * smc_measure_heard() - count a message that has arrived
 * @conn:	connection, its lock held
 * @bytes:	bytes of the stream that the message announces
 */
void smc_measure_heard(struct smc_conn *conn, u64 bytes)
{
	struct smc_conn_measure *m = &conn->measure;

	lockdep_assert_held(&conn->lock);
	m->msgs_in++;
	if (!bytes)
		return;
	m->data_in++;
	m->heard_at = jiffies;
	if (unlikely(conn->rx.stamping))
		m->stamp = ktime_get_real();
}

/**
 * smc_measure_stamp() - time of the last arrival of bytes
 * @conn:	connection
 * @on:		true: record the time of arrivals from now on
 *
 * Context: BH safe, no lock of the connection held. Return: time since 1970; 0:
 * not known.
 */
ktime_t smc_measure_stamp(struct smc_conn *conn, bool on)
{
	struct smc_conn_measure *m = &conn->measure;
	ktime_t stamp;

	spin_lock_bh(&conn->lock);
	conn->rx.stamping = on;
	if (!on)
		m->stamp = 0;
	stamp = m->stamp;
	smc_conn_unlock(conn);
	return stamp;
}
