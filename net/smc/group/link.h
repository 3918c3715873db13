/* SPDX-License-Identifier: GPL-2.0 */
/* One link of a group, see link.c. */
#ifndef _SMC_GROUP_LINK_H
#define _SMC_GROUP_LINK_H

#include <linux/interrupt.h>
#include <linux/kfifo.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include "../transport/transport.h"
#include "../wire/llc_v2.h"

struct smc_lgr;
struct smc_lgr_member;
struct smc_lgr_user;

struct smc_llc_buf {
	u8 b[SMC_LLC_LEN];
};

/**
 * struct smc_link - one link of a group
 * @lgr:	its group, which owns it
 * @ep:		endpoint, from opening until the group is freed; release in
 *		smc_link_open(), READ_ONCE by views
 * @bound:	the endpoint knows its peer; acquire in smc_lgr_find_client(),
 *		release in smc_link_bind()
 * @started:	sending is possible; creator, then worker; READ_ONCE by
 *		smc_lgr_end()
 * @delivered:	the peer has got an LLC message of ours; written in softirq,
 *		READ_ONCE by smc_first_decline() (partner llc_sent())
 * @num:	link number (R-2.2.4-01)
 * @uid:	link user ID (R-2.2.4-04), @peer_uid the peer's
 * @peer:	peer's address as in Accept, Confirm
 * @last_rx:	jiffies of the last message; written in softirq, READ_ONCE by
 *		the prober (partner link_message())
 * @wait_lock:	protects @waiters and @running, and @ctrl_out together with
 *		the order in which it is posted
 * @waiters:	members with work and no slot, served first come first served
 * @running:	member whose ->run() is being called
 * @serving:	bit 0: somebody serves @waiters, bit 1: look (again)
 * @tasklet:	serves when the one who queued a member may not
 * @ctrl_out:	LLC messages that found no slot, wait_lock
 * @probe_data:	user data of the TEST LINK under way, worker only
 * @probe_seq:	makes @probe_data change
 */
struct smc_link {
	struct smc_lgr *lgr;
	struct smc_ep *ep;
	bool bound;
	bool started;
	bool delivered;
	u8 num;
	u32 uid;
	u32 peer_uid;
	struct smc_ep_addr peer;
	unsigned long last_rx;
	spinlock_t wait_lock;	/* see above */
	struct list_head waiters;
	struct smc_lgr_member *running;
	unsigned long serving;
	struct tasklet_struct tasklet;
	DECLARE_KFIFO(ctrl_out, struct smc_llc_buf, 16);
	u8 probe_data[16];
	u32 probe_seq;
};

void smc_link_init(struct smc_link *link, struct smc_lgr *lgr);
int smc_link_open(struct smc_link *link);
int smc_link_bind(struct smc_link *link, const struct smc_ep_addr *peer);
int smc_link_start(struct smc_link *link);
int smc_link_send(struct smc_link *link, const u8 *msg);
int smc_link_send_last(struct smc_link *link, const u8 *msg);
void smc_link_probe(struct smc_link *link);
void smc_link_probe_reply(struct smc_link *link, const u8 *msg);
void smc_link_unwait(struct smc_lgr_member *m);
void smc_link_close(struct smc_link *link);
void smc_link_destroy(struct smc_link *link);
extern const struct smc_lgr_user *smc_group_user;

#endif
