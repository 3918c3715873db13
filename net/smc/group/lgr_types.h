/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The object of a link group, with what each room keeps in it.
 *
 * A group is worked by one work item (lgr->work): LLC messages and events are
 * queued to it, so the state machines of a group need no lock against
 * themselves. lgr->lock protects what handshakes, connections and views look
 * at. Order: groups_lock > lgr->lock > link->queue.lock > endpoint locks.
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
 * struct smc_lgr_key - what a handshake must have in common; constant
 * @net_cookie: namespace of its connections
 * @role:	own role
 * @in_host:	the peer is this host
 * @choice:	port of the first link, port reference held
 * @peer_id:	the peer's ID
 * @peer_gid:	the GID that the first link leads to
 */
struct smc_lgr_key {
	u64 net_cookie;
	enum smc_role role;
	bool in_host;
	struct smc_dev_choice choice;
	u8 peer_id[8];
	u8 peer_gid[16];
};

/**
 * struct smc_lgr_first - first contact
 * @state:	enum smc_first_state; worker and (before it starts) creator;
 *		READ_ONCE elsewhere
 * @waits:	how often the client has waited for its CONFIRM LINK to arrive or
 *		has got one again, or the server has said it again; worker
 * @err:	negative errno when it failed; worker
 * @decline:	enum smc_decline for the Decline when it failed, 0: none may be
 *		sent; worker
 */
struct smc_lgr_first {
	u8 state;
	u8 waits;
	int err;
	u32 decline;
};

/**
 * struct smc_lgr_end - the end of the group; worker
 * @state:	enum smc_end_state
 * @peer_ends:	the peer has said that the group ends, be it here or not
 * @err:	negative errno for members; written under lgr->lock
 * @reason:	enum smc_llc_del_reason
 * @uid:	user ID of the link that carries the last message
 */
struct smc_lgr_end {
	u8 state;
	bool peer_ends;
	int err;
	u32 reason;
	u32 uid;
};

/**
 * struct smc_lgr_rkey - own exchange of keys; worker
 * @state:	enum smc_rkey_state
 * @carrier:	user ID of the link that it travels on
 * @rkey:	the RMB's on that link
 */
struct smc_lgr_rkey {
	u8 state;
	u32 carrier;
	u32 rkey;
};

/**
 * struct smc_lgr_idle - the group has no user
 * @of_net:	idle groups of the namespace, counted by smc_lgr_step(); constant
 * @max:	as many may be; constant
 * @linger_ms:	so long the group is kept; constant
 * @since:	jiffies, when it became idle last; written under lgr->lock,
 *		READ_ONCE by table_evict()
 * @evicted:	told to end since then; written under groups_lock, or before it
 *		is idle
 */
struct smc_lgr_idle {
	struct smc_idle *of_net;
	int max;
	unsigned int linger_ms;
	unsigned long since;
	bool evicted;
};

/**
 * struct smc_lgr_members - connections of the group; lgr->lock
 * @list:	struct smc_lgr_member
 * @n:		those that have not left
 * @n_joined:	contacts that are counted as users beside their member
 * @epoch:	counts the moves of all members from a link to another
 * @down_mutex:	held around each ->down() and ->move(), so that a member does not
 *		leave meanwhile; order: down_mutex > lgr->lock
 * @down_task:	who calls ->down() now; READ_ONCE by smc_member_leave()
 */
struct smc_lgr_members {
	struct list_head list;
	unsigned int n;
	unsigned int n_joined;
	u32 epoch;
	struct mutex down_mutex;	/* see above */
	struct task_struct *down_task;
};

/**
 * struct smc_lgr_mail - what the worker is told
 * @work:	the worker, smc_worker_run()
 * @events:	bits of enum smc_lgr_event_bit; atomic
 * @agenda:	bits of enum smc_lgr_due; worker
 * @violated:	the peer broke the protocol; set once, by whoever finds it
 * @deadline:	jiffies or 0, see enum smc_lgr_deadline; lgr->lock
 * @timer:	runs for the next deadline
 * @lock:	protects @llc_in against several links' receive paths
 * @llc_in:	messages that have arrived
 */
struct smc_lgr_mail {
	struct work_struct work;
	unsigned long events;
	unsigned long agenda;
	bool violated;
	unsigned long deadline[SMC_LGR_DL_NR];
	struct timer_list timer;
	spinlock_t lock;	/* see above */
	DECLARE_KFIFO(llc_in, struct smc_llc_buf, SMC_LLC_BACKLOG_MSGS);
};

/**
 * struct smc_lgr_numbers - how many links, and their numbers
 * @max_links:	symmetric links that the two agreed on, before that our own limit
 * @last_num:	last link number given
 */
struct smc_lgr_numbers {
	u8 max_links;
	u8 last_num;
};

/**
 * struct smc_lgr_free - the end of the object, without a reference
 * @work:	end of its parts, see smc_lgr_put()
 * @rcu:	end of its memory
 */
struct smc_lgr_free {
	struct work_struct work;
	struct rcu_head rcu;
};

/**
 * struct smc_lgr - link group
 * @ref:	contacts, members, the table and the worker while queued
 * @node:	groups table, groups_lock
 * @free:	end of the object
 * @id:		for views; never reused while the module is loaded
 * @key:	what fits a handshake; constant
 * @terms:	agreed on in first contact; the version is part of what fits, the
 *		peer's name and system are under @lock
 * @testlink_secs: idle time before TEST LINK, 0: never; constant
 * @numbers:	of links; worker, and before it creator
 * @first:	first contact; worker
 * @end:	the end; worker
 * @flow:	exchange that changes the links; worker
 * @rkey:	own exchange of keys; worker
 * @rtoks:	the peer's RMBs; a lock of their own
 * @lock:	protects @links, @owner, @state, @users, @members, @creator,
 *		@waiters, @rmbs and the deadlines
 * @links:	written by worker and creator, see links.c
 * @owner:	user ID of the link that has this place, or had it last
 * @state:	enum smc_lgr_state
 * @users:	contacts and members; 0 starts the linger time
 * @members:	connections
 * @creator:	handshake of the first contact or NULL
 * @waiters:	contacts to be told READY or FAILED
 * @rmbs:	own RMBs
 * @idle:	how long without a user
 * @setup:	held by the creator while it builds link and first RMB, and by the
 *		worker while it ends them; order: setup > lock
 * @mail:	what the worker is told
 */
struct smc_lgr {
	struct kref ref;
	struct hlist_node node;
	struct smc_lgr_free free;
	u32 id;
	struct smc_lgr_key key;
	struct smc_lgr_terms terms;
	int testlink_secs;
	struct smc_lgr_numbers numbers;

	struct smc_lgr_first first;
	struct smc_lgr_end end;
	struct smc_flow flow;
	struct smc_lgr_rkey rkey;
	struct smc_rtoks rtoks;

	spinlock_t lock;	/* see above */
	struct smc_link *links[SMC_LINK_SLOTS];
	u32 owner[SMC_LINK_SLOTS];
	u8 state;
	unsigned int users;
	struct smc_lgr_members members;
	struct smc_contact *creator;
	struct list_head waiters;
	struct smc_rmbs rmbs;
	struct smc_lgr_idle idle;

	struct mutex setup;	/* see above */
	struct smc_lgr_mail mail;
};

#endif
