// SPDX-License-Identifier: GPL-2.0
/* Both directions of a connection in the dialect of frames. See frames.h. */
#include <linux/errno.h>
#include "frames.h"

/**
 * smc_frames_take() - apply a record of the peer
 * @f: connection
 * @link: number of the link over which the record arrived
 * @rec: the record; the caller has replaced @rec->offer.rkey by its name of the
 *	RMB
 * @got: output: new bytes, and whether the peer has aborted
 *
 * Context: any.
 *
 * Return: 0; -EPROTO: the record breaks a rule; -ENODATA: bytes are lost. In
 * the two error cases the caller aborts the connection, and @f->out is
 * unchanged.
 */
int smc_frames_take(struct smc_frames *f, u32 link,
		    const struct smc_frame_record *rec,
		    struct smc_frames_got *got)
{
	const bool newest = smc_frames_in_is_newest(&f->in, link, rec);
	const struct smc_frames_out before = f->out;
	int err;

	*got = (struct smc_frames_got){};
	if (!smc_frame_sane(rec))
		return -EPROTO;
	err = smc_frames_out_hear(&f->out, rec, newest);
	if (!err)
		err = smc_frames_in_take(&f->in, link, rec, got);
	if (err)
		f->out = before;
	return err;
}
