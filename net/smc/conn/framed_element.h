/* SPDX-License-Identifier: GPL-2.0 */
/* Dialect of frames: the elements that a connection offers to its peer. */
#ifndef _SMC_CONN_FRAMED_ELEMENT_H
#define _SMC_CONN_FRAMED_ELEMENT_H

#include <linux/types.h>
#include "object.h"

struct smc_contact;
struct smc_frame_record;
struct smc_frames_element;
struct smc_frames_got;
struct smc_link;
struct smc_rmbe;

bool smc_framed_element_prepare(struct smc_conn *conn,
				const struct smc_contact *c);
void smc_framed_element_attach(struct smc_conn *conn, struct smc_contact *c);
void smc_framed_element_detach(struct smc_conn *conn, struct smc_contact *c);
u32 smc_framed_element_limit(const struct smc_conn *conn);
u32 smc_framed_element_wanted(const struct smc_conn *conn);
void smc_framed_element_offer(struct smc_conn *conn, u32 size);
void smc_framed_element_tell(struct smc_conn *conn,
			     struct smc_frame_record *rec);
const struct smc_rmbe *
smc_framed_element_rmbe(const struct smc_frames_element *el);
void smc_framed_element_written(const struct smc_link *link,
				const struct smc_frames_got *got);
void smc_framed_element_release(struct smc_conn *conn);
void smc_framed_element_run(struct smc_conn *conn);
bool smc_framed_element_spare(const struct smc_conn *conn);
void smc_framed_element_narrow(struct smc_conn *conn);
void smc_framed_element_start(struct smc_conn *conn);
u32 smc_framed_element_size(const struct smc_conn *conn);
void smc_framed_element_back(struct smc_conn *conn);
void smc_framed_element_free(struct smc_conn *conn);

/**
 * smc_framed_element_check() - take back elements to which nobody writes
 * @conn:	connection, its lock held
 *
 * Callers call this function whenever bytes were read, a record has arrived, or
 * an endpoint was closed. Most connections have no element.
 */
static inline void smc_framed_element_check(struct smc_conn *conn)
{
	if (unlikely(conn->framed.element.n))
		smc_framed_element_release(conn);
}

#endif
