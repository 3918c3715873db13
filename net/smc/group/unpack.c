// SPDX-License-Identifier: GPL-2.0
/* Records of received frames. See unpack.h. */
#include <linux/errno.h>
#include "unpack.h"

/**
 * smc_unpack_open() - check a received frame, and apply its credit count
 * @u: state of the link; zero before the first frame
 * @c: credits of the link, their lock held; the function counts the arrival
 * @buf: the received frame
 * @n: number of received bytes
 * @in: output: the frame, for smc_unpack_records()
 *
 * A frame that was kept is opened again; its count is not applied a second
 * time. Context: any.
 *
 * Return: 0; -EBADMSG: the frame cannot be read (F-04); -EPROTO: the count in
 * its header is wrong, or the peer had no credit for the frame (F-06). After
 * the latter two the link must fail, and no record had an effect.
 */
int smc_unpack_open(struct smc_unpack *u, struct smc_credit *c, const u8 *buf,
		    size_t n, struct smc_frame_in *in)
{
	struct smc_frame_hdr hdr;

	if (smc_frame_open(in, buf, n, &hdr))
		return -EBADMSG;
	if (u->next)
		return 0;
	if (smc_credit_heard(c, hdr.taken) || smc_credit_arrived(c))
		return -EPROTO;
	c->peer_waits = hdr.waited;
	u->next = 1;
	return 0;
}

/**
 * smc_unpack_records() - pass the records of a frame to their connections
 * @u: state of the link
 * @in: frame that smc_unpack_open() has opened
 * @take: called for each record: finds its connection, and copies the data.
 *	Returns -ENOMEM: there is no memory for the data, and the record had no
 *	effect; 0: the record was handled, even if it broke a rule or its token
 *	is unknown.
 * @ctx: argument of @take
 *
 * If a connection has no memory, later records and later messages must wait,
 * because a connection takes its records in order. So the caller keeps the
 * frame and its receive, and opens the same frame again before it handles
 * another message. Until then the peer gets no new credits. Context: as @take,
 * without the lock of the credits.
 *
 * Return: 0: done, and the receive can be posted again; -ENOMEM: see above.
 */
int smc_unpack_records(struct smc_unpack *u, struct smc_frame_in *in,
		       int (*take)(void *ctx,
				   const struct smc_frame_record *rec),
		       void *ctx)
{
	struct smc_frame_record rec;
	u16 i;

	for (i = 1; smc_frame_next(in, &rec); i++) {
		if (i < u->next)
			continue;
		if (take(ctx, &rec) == -ENOMEM)
			return -ENOMEM;
		u->next++;
	}
	u->next = 0;
	return 0;
}
