/* SPDX-License-Identifier: GPL-2.0 */
/* State of the exchanges of keys of a group. */
#ifndef _SMC_GROUP_RKEY_TYPES_H
#define _SMC_GROUP_RKEY_TYPES_H

#include <linux/types.h>

/**
 * struct smc_lgr_rkey_peer - the peer's last CONFIRM RKEY; worker
 * @carrier:	user ID of the link on which the message arrived
 * @id:		ID of the RMB in the message, 0: the answer was negative
 * @left:	number of keys that continuations still have to name
 * @named:	bit per slot of a link whose key was named
 */
struct smc_lgr_rkey_peer {
	u32 carrier;
	u32 id;
	u8 left;
	u8 named;
};

/**
 * struct smc_lgr_rkey - exchanges of keys; worker
 * @state:	enum smc_rkey_state of our own exchange
 * @carrier:	user ID of the link that carries our own exchange
 * @rkey:	key of the RMB in our own exchange, on that link
 * @wait_end:	time after which this side does not wait any longer for the
 *		answer, jiffies
 * @late:	how often a device gave no key in time, since the last exchange
 *		began
 * @peer:	exchange of the peer
 */
struct smc_lgr_rkey {
	u8 state;
	u32 carrier;
	u32 rkey;
	unsigned long wait_end;
	u8 late;
	struct smc_lgr_rkey_peer peer;
};

#endif
