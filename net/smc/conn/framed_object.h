/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The dialect's part of a connection with frames. Only the files framed*.c use
 * it. See framed.c.
 */
#ifndef _SMC_CONN_FRAMED_OBJECT_H
#define _SMC_CONN_FRAMED_OBJECT_H

#include <linux/list.h>
#include <linux/types.h>
#include "../group/rmbe.h"
#include "frames.h"
#include "frames_window.h"

struct smc_chunk;

/**
 * struct smc_framed_mem - memory of received bytes; conn->lock
 * @spare:	empty chunks, for data that are about to be taken
 * @ring:	extent for bytes in the element that are about to be taken;
 *		NULL: none
 * @room:	free bytes of the last extent, if it is a chunk that takes more
 * @held:	bytes of memory of all chunks
 * @cap:	limit of the window in bytes
 * @charged:	bytes charged to the owner for the window, beyond those that the
 *		handshake has charged for SMC_FRAMES_WINDOW_MIN
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
 * struct smc_framed_own - an own element; conn->lock
 * @node:	in @own of struct smc_framed_element
 * @el:		its offer, in a slot of smc_frames_in.elements from the offer
 *		until nobody uses the element
 * @rmbe:	its memory
 * @paid:	bytes charged to the owner for it
 * @used:	it was offered at least once, so it may hold bytes of the peer
 * @back:	with ELASTIC: it returns to the group
 */
struct smc_framed_own {
	struct hlist_node node;
	struct smc_frames_element el;
	struct smc_rmbe rmbe;
	u32 paid;
	bool used;
	bool back;
};

/**
 * struct smc_framed_element - own elements; conn->lock
 * @own:	the elements, at most %SMC_FRAMES_ELEMENTS; without ELASTIC only
 *		the one that Accept or Confirm named
 * @elastic:	ELASTIC holds
 * @n:		number of elements in @own
 * @returns:	number of elements with the mark back
 * @tries:	how often SMC_TIMER_ELEMENT has tried to take an element of size
 *		@wanted and has got none
 * @wanted:	size of the element that the connection is about to take, 0:
 *		none
 * @last:	size of the newest element, with which the next one begins;
 *		without ELASTIC the size of the only one
 * @paid:	bytes charged to the owner for elements and @wanted
 * @since:	position behind the last byte received at the newest offer
 */
struct smc_framed_element {
	struct hlist_head own;
	bool elastic;
	u8 n;
	u8 returns;
	u8 tries;
	u32 wanted;
	u32 last;
	u32 paid;
	u64 since;
};

/**
 * struct smc_framed - data of the dialect of frames for a connection;
 * conn->lock
 * @f:		both directions
 * @window:	the window of the peer's direction
 * @mem:	memory of received bytes
 * @element:	own elements
 * @token:	alert token of the peer's connection; 0: not known yet
 * @peer_size:	size of the element that the peer has named, for views; 0: not
 *		known yet
 * @named:	Accept and Confirm name elements
 * @unsure:	a record has failed on the link over which the connection still
 *		sends, and the record must be sent again
 * @alone:	the peer has not answered for so long that the connection no
 *		longer waits for it
 * @unread:	the link counts the connection in struct smc_hold.unread
 */
struct smc_framed {
	struct smc_frames f;
	struct smc_frames_window window;
	struct smc_framed_mem mem;
	struct smc_framed_element element;
	u32 token;
	u32 peer_size;
	bool named;
	bool unsure;
	bool alone;
	bool unread;
};

#endif
