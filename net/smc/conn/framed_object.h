/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of a connection that belong to the dialect of frames (framed.c). Only
 * the framed*.c files use it.
 */
#ifndef _SMC_CONN_FRAMED_OBJECT_H
#define _SMC_CONN_FRAMED_OBJECT_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "../group/rmbe.h"
#include "frames.h"
#include "frames_window.h"

struct smc_chunk;

/**
 * struct smc_framed_mem - memory of received bytes; conn->lock
 * @spare:	empty chunks, for data that are about to be taken
 * @ring:	extent for bytes in the element that are about to be taken; NULL:
 *		none
 * @room:	free bytes of the last extent, if it is a chunk
 * @held:	bytes of memory of all chunks
 * @cap:	limit of the window in bytes
 * @charged:	bytes charged to the owner for the window, beyond those that the
 *		handshake has charged
 */
struct smc_framed_mem {
	struct list_head spare;
	struct smc_chunk *ring;
	u32 room;
	u32 held;
	u32 cap;
	u32 charged;
};

/**
 * struct smc_framed_element - own element, which Accept or Confirm named;
 * conn->lock
 * @rmbe:	the element; its rmb is NULL before attach and after its return
 * @offered:	the peer may write to the element. True from an offer until
 *		smc_frames_in_release() returns the element
 * @used:	it was offered at least once, so it may hold bytes of the peer
 */
struct smc_framed_element {
	struct smc_rmbe rmbe;
	bool offered;
	bool used;
};

/**
 * struct smc_framed - data of the dialect of frames for a connection; conn->lock
 * @f:		both directions
 * @window:	the window of the peer's direction
 * @mem:	memory of received bytes
 * @element:	own element
 * @token:	alert token of the peer's connection; 0: not known yet
 * @peer_size:	size of the element that the peer has named, for views; 0: not
 *		known yet
 * @unsure:	a record has failed on the link over which the connection still
 *		sends, and the record must be sent again
 * @alone:	the peer has not answered for so long that the connection no
 *		longer waits for it
 * @linger:	sets @alone
 */
struct smc_framed {
	struct smc_frames f;
	struct smc_frames_window window;
	struct smc_framed_mem mem;
	struct smc_framed_element element;
	u32 token;
	u32 peer_size;
	bool unsure;
	bool alone;
	struct delayed_work linger;
};

#endif
