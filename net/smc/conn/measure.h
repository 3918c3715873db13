/* SPDX-License-Identifier: GPL-2.0 */
/* Counts and times of a connection, for TCP_INFO and SO_TIMESTAMP. See
 * measure.c.
 */
#ifndef _SMC_CONN_MEASURE_H
#define _SMC_CONN_MEASURE_H

#include <linux/ktime.h>
#include <linux/types.h>

struct smc_conn;

/* ---- for the owner ---- */

ktime_t smc_measure_stamp(struct smc_conn *conn, bool on);

/* ---- for other files of conn/ ---- */

void smc_measure_posted(struct smc_conn *conn, u64 bytes);
void smc_measure_delivered(struct smc_conn *conn);
void smc_measure_heard(struct smc_conn *conn, u64 bytes);

#endif
