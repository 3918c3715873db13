/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The object of a link group, with what each room keeps in it.
 *
 * A group is worked by one work item (lgr->work): LLC messages and events are
 * queued to it, so the state machines of a group need no lock against
 * themselves. lgr->lock protects what handshakes, connections and views look
 * at. Order: groups_lock > lgr->lock > link->wait_lock > endpoint locks.
 */
#ifndef _SMC_GROUP_LGR_TYPES_H
#define _SMC_GROUP_LGR_TYPES_H

#include <linux/kfifo.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include "../base/limits.h"
#include "../transport/dev.h"
#include "../wire/llc_msg.h"
#include "lgr_events.h"
#include "lgr_terms.h"
#include "role.h"
#include "rtok.h"

struct page;
struct smc_contact;
struct smc_idle;
struct smc_port;
struct smc_rmb;

#define SMC_FLOW_TRIED_MAX	8

/**
 * struct smc_llc_buf - an LLC message that waits
 * @uid:	by which link it came (link->uid)
 * @len:	bytes in @page
 * @page:	all of it, where it is longer than @b (version 2), or NULL
 * @b:		its first 44 bytes
 */
struct smc_llc_buf {
	u32 uid;
	u16 len;
	struct page *page;
	u8 b[SMC_LLC_LEN];
};

/**
 * struct smc_llc_in - an LLC message that has arrived
 * @m:		content
 * @buf:	the message itself, for the list that @m has of it
 * @len:	bytes in @buf
 */
struct smc_llc_in {
	struct smc_llc_msg m;
	const u8 *buf;
	u16 len;
};

/* What is to be done about a link that is missing, when nothing else runs. */
enum smc_flow_wish {
	SMC_FLOW_WISH_NOTHING,
	SMC_FLOW_WISH_LINK,	/* server: add it */
	SMC_FLOW_WISH_NOTICE,	/* client: tell the server that a port has come */
};

/**
 * struct smc_flow - the exchange that changes the links of a group; worker
 * @state:	enum smc_flow_state
 * @wish:	enum smc_flow_wish
 * @carrier:	user ID of the link that carries the exchange
 * @link:	user ID of the link that is added or deleted
 * @past:	number of the link of the last exchange that ended; late messages
 *		about it are no violation
 * @late:	number of a link that was accepted too late
 * @late_on:	user ID of the link that said so
 * @deleted:	numbers of the links that were deleted last, newest first; answers to
 *		that may come any time
 * @left:	own keys that were not sent, the peer's count before
 * @peer_left:	see @left
 * @rounds:	continuations so far
 * @request:	server: user ID of the link that a REQUEST ADD LINK came on
 * @asked:	client: as many REQUEST ADD LINK may still be answered (version 2)
 * @wishes:	server: as many of the client's were followed, see flow.c
 * @not_before:	and the next one is followed then
 * @retry_ms:	last wait for another attempt
 * @avoid:	port of the link that failed last: others come first
 * @tried:	ports that were offered in vain since @want was set
 * @n_tried:	entries of @tried
 */
struct smc_flow {
	u8 state;
	u8 wish;
	u32 carrier;
	u32 link;
	u8 past;
	u8 late;
	u32 late_on;
	u8 deleted[SMC_LINK_SLOTS];
	unsigned int left;
	unsigned int peer_left;
	unsigned int rounds;
	u32 request;
	u8 asked;
	u8 wishes;
	unsigned long not_before;
	unsigned int retry_ms;
	const struct smc_port *avoid;
	const struct smc_port *tried[SMC_FLOW_TRIED_MAX];
	unsigned int n_tried;
};

#define SMC_RMB_CLASSES	(SMC_RMBE_CODE_SENT_MAX + 1)

/**
 * struct smc_rmbs - RMBs of one group; lgr->lock
 * @list:	all RMBs
 * @n:		entries of @list, at most SMC_RMBS_PER_LGR_MAX
 * @free:	free elements by size code
 * @total:	elements by size code, what the next growth doubles
 * @wanted:	bit per size code: an order of elements, by a handshake that
 *		waits or by one that took the last
 * @busy:	RMB whose keys are being announced or revoked: one at a time;
 *		written by the worker only
 * @telling:	bit per slot whose key of @busy the request names; worker
 */
struct smc_rmbs {
	struct list_head list;
	unsigned int n;
	unsigned int free[SMC_RMB_CLASSES];
	unsigned int total[SMC_RMB_CLASSES];
	unsigned long wanted;
	struct smc_rmb *busy;
	u8 telling;
};

/**
 * struct smc_lgr - link group
 * @ref:	contacts, members, the table and the worker while queued
 * @node:	groups table, groups_lock
 * @id:		for views; never reused while the module is loaded
 * @net_cookie: namespace of its connections; part of the key
 * @idle:	idle groups of its namespace, counted by smc_lgr_step()
 * @idle_max:	as many may be
 * @terms:	agreed on in first contact; the version is part of the key, the peer's
 *		name and system are under @lock
 * @first:	state of first contact, worker and (before it starts) creator;
 *		READ_ONCE elsewhere
 * @first_waits: how often the client has waited for its CONFIRM LINK to arrive or
 *		has got one again, or the server has said it again; worker
 * @first_err:	negative errno of a failed first contact; worker
 * @first_decline: enum smc_decline for the Decline after a failed first
 *		contact, 0: none may be sent; worker
 * @end_state:	enum smc_end_state; worker
 * @peer_ends:	the peer has said that the group ends, be it here or not; worker
 * @end_reason:	enum smc_llc_del_reason of that; worker
 * @last_num:	last link number given; worker, and before it creator
 * @end_uid:	link that carries the last message of the group; worker
 * @max_links:	symmetric links that the two agreed on, before that our own limit;
 *		worker, and before it creator
 * @flow:	exchange that changes the links; worker
 * @rkey:	own exchange of keys; worker
 * @rtoks:	the peer's RMBs; a lock of their own
 * @lock:	protects the rest down to @rmbs
 * @links:	written by worker and creator, see links.c
 * @owner:	user ID of the link that has this place, or had it last
 * @users:	contacts and members; 0 starts the linger time
 * @idle_since:	jiffies, when it started last; READ_ONCE by table_evict()
 * @evicted:	told to end since then; written under groups_lock, or before it
 *		starts
 * @n_joined:	contacts that are counted in @users beside their member
 * @epoch:	counts the moves of all members from a link to another
 * @creator:	handshake of the first contact or NULL
 * @waiters:	contacts to be told READY or FAILED
 * @deadline:	jiffies or 0, see enum smc_lgr_deadline
 * @setup:	held by the creator while it builds link and first RMB, and by the
 *		worker while it ends them; order: setup > lock
 * @down_mutex:	held around each ->down(), so that a member does not leave
 *		meanwhile; order: down_mutex > lock
 * @down_task:	who calls ->down() now; READ_ONCE by smc_member_leave()
 * @agenda:	bits of enum smc_lgr_due; worker
 * @violated:	the peer broke the protocol; set once, by whoever finds it
 * @in_lock:	protects @llc_in against several links' receive paths
 */
struct smc_lgr {
	struct kref ref;
	struct hlist_node node;
	struct rcu_head rcu;
	u32 id;
	/* key: constant after creation */
	u64 net_cookie;
	enum smc_role role;
	bool in_host;
	struct smc_dev_choice choice;
	u8 peer_id[8];
	u8 peer_gid[16];
	int testlink_secs;
	unsigned int linger_ms;
	struct smc_idle *idle;
	int idle_max;
	struct smc_lgr_terms terms;

	u8 first;
	u8 first_waits;
	int first_err;
	u32 first_decline;
	u8 end_state;
	bool peer_ends;
	u32 end_reason;
	u8 last_num;
	u32 end_uid;
	u8 max_links;
	struct smc_flow flow;
	struct {
		u8 state;	/* enum smc_rkey_state */
		u32 carrier;	/* user ID of the link that it travels on */
		u32 rkey;	/* the RMB's on that link */
	} rkey;
	struct smc_rtoks rtoks;

	spinlock_t lock;	/* see above */
	struct smc_link *links[SMC_LINK_SLOTS];
	u32 owner[SMC_LINK_SLOTS];
	u8 state;
	int end_err;
	unsigned int users;
	unsigned long idle_since;
	bool evicted;
	unsigned int n_members;
	unsigned int n_joined;
	u32 epoch;
	struct list_head members;
	struct smc_contact *creator;
	struct list_head waiters;
	unsigned long deadline[SMC_LGR_DL_NR];
	struct smc_rmbs rmbs;

	struct mutex setup;		/* see above */
	struct mutex down_mutex;	/* see above */
	struct task_struct *down_task;

	struct work_struct work;
	struct work_struct free_work;
	unsigned long events;
	unsigned long agenda;
	bool violated;
	struct timer_list timer;
	spinlock_t in_lock;	/* see above */
	DECLARE_KFIFO(llc_in, struct smc_llc_buf, SMC_LLC_BACKLOG_MSGS);
};

#endif
