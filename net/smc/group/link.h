/* SPDX-License-Identifier: GPL-2.0 */
/* One link of a group, see link.c; the links of a group, see links.c. */
#ifndef _SMC_GROUP_LINK_H
#define _SMC_GROUP_LINK_H

#include <linux/interrupt.h>
#include <linux/kfifo.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "../base/limits.h"
#include "../transport/dev.h"
#include "../transport/transport.h"
#include "../wire/llc_v2.h"
#include "link_fsm.h"

struct smc_lgr;
struct smc_lgr_member;
struct smc_lgr_user;

/**
 * struct smc_llc_buf - an LLC message that waits
 * @uid:	by which link it came (link->uid)
 * @len:	bytes in @page
 * @page:	all of it, where it is longer than @b (version 2), or NULL
 * @b:		as in version 1 when it came, ready to be sent when it goes
 */
struct smc_llc_buf {
	u32 uid;
	u16 len;
	struct page *page;
	u8 b[SMC_LLC_LEN];
};

/**
 * struct smc_link - one link of a group
 * @ref:	its place in the group, members whose sends it carries, contacts
 * @lgr:	its group; whoever has a reference here has one there
 * @slot:	index in lgr->links; what keys of regions are filed under
 * @state:	enum smc_link_state, smc_link_step(); READ_ONCE elsewhere
 * @choice:	own port and GID, port reference held; constant
 * @ep:		endpoint; constant, closed when the link is down
 * @self:	own address, constant
 * @peer:	peer's address; constant once @bound. Its GID is set before, as
 *		far as it is known.
 * @bound:	the endpoint knows its peer; acquire in smc_links_by_peer(),
 *		release in smc_link_bind()
 * @started:	sending is possible; creator, then worker; READ_ONCE by
 *		smc_lgr_end()
 * @delivered:	the peer has got an LLC message of ours; written in softirq,
 *		READ_ONCE by smc_first_decline() (partner llc_sent())
 * @num:	link number (R-2.2.4-01)
 * @uid:	link user ID (R-2.2.4-04), @peer_uid the peer's
 * @since:	jiffies when it became active; worker
 * @reason:	why it is down, enum smc_llc_del_reason; worker
 * @asymmetric:	shares an adapter with an older link; worker, valid after
 *		smc_links_classify()
 * @silent:	the peer knows that it is down; worker
 * @broken:	negative errno of the endpoint's failure; written by link_down(),
 *		READ_ONCE by the worker
 * @conns:	members whose sends it carries
 * @last_rx:	jiffies of the last message; written in softirq, READ_ONCE by
 *		the prober (partner link_message())
 * @asked:	probe now; set by smc_lgr_keepalive(), taken by smc_link_probe()
 * @wait_lock:	protects @waiters and @running, and @ctrl_out together with
 *		the order in which it is posted
 * @waiters:	members with work and no slot, served first come first served
 * @running:	member whose ->run() is being called
 * @serving:	bit 0: somebody serves @waiters, bit 1: look (again)
 * @tasklet:	serves when the one who queued a member may not
 * @ctrl_out:	LLC messages that found no slot, wait_lock
 * @probe_data:	user data of the TEST LINK under way, worker only
 * @probe_seq:	makes @probe_data change
 * @free_work:	end of the object: the last reference may go in softirq
 */
struct smc_link {
	struct kref ref;
	struct smc_lgr *lgr;
	u8 slot;
	u8 state;
	struct smc_dev_choice choice;
	struct smc_ep *ep;
	struct smc_ep_addr self;
	struct smc_ep_addr peer;
	bool bound;
	bool started;
	bool delivered;
	u8 num;
	u32 uid;
	u32 peer_uid;
	unsigned long since;
	u32 reason;
	bool asymmetric;
	bool silent;
	int broken;
	atomic_t conns;
	unsigned long last_rx;
	bool asked;
	spinlock_t wait_lock;	/* see above */
	struct list_head waiters;
	struct smc_lgr_member *running;
	unsigned long serving;
	struct tasklet_struct tasklet;
	DECLARE_KFIFO(ctrl_out, struct smc_llc_buf, 16);
	u8 probe_data[16];
	u32 probe_seq;
	struct work_struct free_work;
};

/* link.c */
struct smc_link *smc_link_open(struct smc_lgr *lgr,
			       const struct smc_dev_choice *choice);
int smc_link_bind(struct smc_link *link, const struct smc_ep_addr *peer);
int smc_link_start(struct smc_link *link);
int smc_link_send(struct smc_link *link, const u8 *msg);
int smc_link_send_long(struct smc_link *link, struct page *page, u16 len);
int smc_link_send_last(struct smc_link *link, const u8 *msg);
void smc_link_watch(struct smc_link *link);
void smc_link_probe(struct smc_link *link);
void smc_link_probe_now(struct smc_link *link);
void smc_link_probe_reply(struct smc_link *link, const u8 *msg);
bool smc_link_step(struct smc_link *link, enum smc_link_event ev);
void smc_link_close(struct smc_link *link);
struct smc_link *smc_link_get(struct smc_link *link);
void smc_link_put(struct smc_link *link);
extern const struct smc_lgr_user *smc_group_user;

/* wait.c */
void smc_link_wait_init(struct smc_link *link);
void smc_link_unwait(struct smc_lgr_member *m);
void smc_link_flush_ctrl(struct smc_link *link);
void smc_link_drop_ctrl(struct smc_link *link);
void smc_link_room(void *ctx);

/* links.c */
int smc_links_add(struct smc_lgr *lgr, struct smc_link *link);
bool smc_links_owns(const struct smc_lgr *lgr, u8 slot, u32 uid);
void smc_links_close(struct smc_lgr *lgr);
void smc_links_remove(struct smc_lgr *lgr, struct smc_link *link);
struct smc_link *smc_links_first(struct smc_lgr *lgr);
struct smc_link *smc_links_pick(struct smc_lgr *lgr, const struct smc_link *not);
struct smc_link *smc_links_carrier(struct smc_lgr *lgr,
				   const struct smc_link *not);
struct smc_link *smc_links_by_uid(struct smc_lgr *lgr, u32 uid);
struct smc_link *smc_links_by_num(struct smc_lgr *lgr, u8 num);
struct smc_link *smc_links_by_peer(struct smc_lgr *lgr,
				   const struct smc_ep_addr *peer);
struct smc_link *smc_links_next(struct smc_lgr *lgr, int *slot);
bool smc_links_on_path(struct smc_lgr *lgr, const struct smc_dev_choice *own,
		       const u8 *peer_gid);
unsigned int smc_links_active(struct smc_lgr *lgr);

/* All links; those that are added or removed meanwhile may be left out. */
#define smc_links_for_each(lgr, i, link)				\
	for ((i) = 0; ((link) = smc_links_next(lgr, &(i))); (i)++)

/* kinds.c */
void smc_links_classify(struct smc_lgr *lgr);
bool smc_links_missing(struct smc_lgr *lgr);
struct smc_link *smc_links_needless(struct smc_lgr *lgr);
bool smc_links_unfit(struct smc_lgr *lgr, const struct smc_link *link);
bool smc_links_on_port(struct smc_lgr *lgr, const struct smc_port *port,
		       bool asymmetric);
bool smc_links_to_adapter(struct smc_lgr *lgr, const struct smc_ep_addr *peer);

/* failover.c */
void smc_links_failed(struct smc_lgr *lgr, struct smc_link *link, int err,
		      u32 reason);
void smc_links_retire(struct smc_lgr *lgr, struct smc_link *link, int err,
		      u32 reason);
void smc_links_move(struct smc_lgr *lgr, struct smc_link *from,
		    struct smc_link *to, int n);
void smc_links_check(struct smc_lgr *lgr);
void smc_links_leave_port(struct smc_lgr *lgr);

#endif
