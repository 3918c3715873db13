/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In-host connections of the dialect of frames: the mailbox of a connection,
 * and the received bytes that both it and frames bring. See framed_mail.c.
 */
#ifndef _SMC_CONN_FRAMED_MAIL_H
#define _SMC_CONN_FRAMED_MAIL_H

#include <linux/list.h>
#include <linux/types.h>
#include "../wire/frame.h"
#include "rxq.h"

struct smc_conn;
struct smc_seg;

enum {
	/*
	 * Limit of bytes in one chunk of a letter. A record has 65535 at most.
	 */
	SMC_FRAMED_PIECE_MAX	= 32768,
};

/**
 * struct smc_chunk - received bytes
 * @bytes:	their place: the buffer @data, the sender's page, or the element
 * @held:	bytes of memory that the chunk holds, with this object
 * @len:	SMC_EXTENT_PAGE: number of bytes, as long as the chunk is in a
 *		letter
 * @size:	SMC_EXTENT_BUF: size of @data
 * @data:	the bytes
 */
struct smc_chunk {
	struct smc_extent bytes;
	u32 held;
	union {
		u32 len;
		u32 size;
	};
	u8 data[];
};

/**
 * struct smc_letter - records of the peer that wait to be taken
 * @rec:	the newest record, which says all that the earlier ones said;
 *		its len and data are not used
 * @bytes:	number of bytes of @pieces, which end at @rec.prod
 * @pieces:	list of struct smc_chunk with the bytes, in order
 */
struct smc_letter {
	struct smc_frame_record rec;
	u32 bytes;
	struct list_head pieces;
};

struct smc_mailbox;

/* ---- life ---- */

struct smc_mailbox *smc_framed_mail_new(void);
void smc_framed_mail_free(struct smc_mailbox *box);
void smc_framed_mail_open(struct smc_conn *conn);
void smc_framed_mail_close(struct smc_conn *conn);
bool smc_framed_mail_expect(struct smc_conn *conn, u32 token);

/* ---- sending ---- */

struct smc_chunk *smc_framed_mail_lend(const struct smc_seg *seg, u32 off,
				       u32 len);
void smc_framed_mail_discard(struct list_head *pieces);
void smc_framed_mail_post(struct smc_conn *conn,
			  const struct smc_frame_record *rec,
			  struct list_head *pieces);

/* ---- receiving ---- */

bool smc_framed_mail_take(struct smc_conn *conn, struct smc_letter *letter);
u32 smc_framed_mail_split(struct smc_letter *letter, struct list_head *pieces);

#endif
