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
#include "frames.h"
#include "frames_window.h"

/**
 * struct smc_framed_mem - memory of received bytes; conn->lock
 * @spare:	empty chunks, for data that are about to be taken
 * @room:	free bytes of the last chunk
 * @cap:	limit of the window in bytes, constant after attach
 * @charged:	bytes charged to the owner for the window, beyond those that the
 *		handshake has charged
 */
struct smc_framed_mem {
	struct list_head spare;
	u32 room;
	u32 cap;
	u32 charged;
};

/**
 * struct smc_framed - data of the dialect of frames for a connection; conn->lock
 * @f:		both directions
 * @window:	what the peer may send
 * @mem:	memory of received bytes
 * @token:	alert token of the peer's connection; 0: not known yet
 * @unsure:	a record has failed on the link that the connection still sends
 *		over, and must be said again
 * @alone:	the peer has answered nothing for so long that it must have left
 * @linger:	sets @alone
 */
struct smc_framed {
	struct smc_frames f;
	struct smc_frames_window window;
	struct smc_framed_mem mem;
	u32 token;
	bool unsure;
	bool alone;
	struct delayed_work linger;
};

#endif
