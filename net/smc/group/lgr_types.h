/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The struct of a link group. The struct has one part for each source file that
 * uses the group.
 *
 * One work item (lgr->mail.work) runs all state machines of a group, so the
 * machines need no lock against each other. lgr->lock protects the members that
 * handshakes, connections and views read. Order of locks: groups_lock >
 * lgr->lock > link->queue.lock > endpoint locks.
 */
#ifndef _SMC_GROUP_LGR_TYPES_H
#define _SMC_GROUP_LGR_TYPES_H

#include <linux/kfifo.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu_counter.h>
#include <linux/rbtree.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include "../base/limits.h"
#include "../transport/dev.h"
#include "lgr_events.h"
#include "lgr_terms.h"
#include "llc_buf.h"
#include "rkey_types.h"
#include "role.h"
#include "rtok.h"

struct mem_cgroup;
struct smc_admit;
struct smc_contact;
struct smc_idle;
struct smc_port;
struct smc_rmb;

#define SMC_FLOW_TRIED_MAX	8

/* What to do about a missing link when no exchange runs. */
enum smc_flow_want {
	SMC_FLOW_WANT_NOTHING,
	SMC_FLOW_WANT_LINK,	/* server: offer a link */
	SMC_FLOW_WANT_NOTICE,	/* client: ask the server for a link */
	SMC_FLOW_WANT_ANSWER,	/* client: the server has been asked */
};

/**
 * struct smc_flow - the exchange that changes the links of a group; worker
 * @state:	enum smc_flow_state
 * @want:	enum smc_flow_want
 * @carrier:	user ID of the link that carries the exchange
 * @link:	user ID of the link that is added or deleted
 * @wait_end:	time after which this side does not wait any longer for the
 *		answer, jiffies
 * @past:	number of the link that the last exchange added or deleted; a
 *		late message about that link is not a violation
 * @late:	number of a link that the client accepted too late
 * @late_on:	user ID of the link that carried this acceptance
 * @deleted:	numbers of the links that were deleted last, newest first; kept
 *		because answers may arrive late
 * @left:	number of own keys that this side still has to send
 * @peer_left:	number of keys that the peer still has to send
 * @rounds:	number of continuations so far
 * @keys_end:	limit of the time of continuations (jiffies)
 * @request:	server: user ID of the link on which a REQUEST ADD LINK arrived
 *		that has no answer yet; 0: none
 * @asked:	client: number of messages REQUEST ADD LINK that the server has
 *		not refused (version 2). The server may have offered a link
 *		instead
 * @opens:	number of links that were opened since @opens_since
 * @opens_since: seconds, see device_count_open()
 * @retry_ms:	delay before the last attempt, in milliseconds
 * @no_path_ms:	server: delay after the last attempt that found no path, in
 *		milliseconds; 0: no such attempt yet
 * @avoid:	port of the link that failed last; the server prefers other
 *		ports
 * @again:	port that has a link. Server: it was offered for one more, and
 *		is offered again only if the client may have another port by
 *		now. Client: set when it refuses an offer or gives up a new link
 *		because memory or a device has failed, or because it has opened
 *		too many links lately. Its next request may then name any port
 * @tried:	ports that were offered in vain since @want was set
 * @n_tried:	entries of @tried
 */
struct smc_flow {
	u8 state;
	u8 want;
	u32 carrier;
	u32 link;
	unsigned long wait_end;
	u8 past;
	u8 late;
	u32 late_on;
	u8 deleted[SMC_LINK_SLOTS];
	unsigned int left;
	unsigned int peer_left;
	unsigned int rounds;
	unsigned long keys_end;
	u32 request;
	u8 asked;
	u8 opens;
	u32 opens_since;
	unsigned int retry_ms;
	unsigned int no_path_ms;
	const struct smc_port *avoid;
	const struct smc_port *again;
	const struct smc_port *tried[SMC_FLOW_TRIED_MAX];
	unsigned int n_tried;
};

#define SMC_RMB_CLASSES	(SMC_RMBE_CODE_SENT_MAX + 1)

/**
 * struct smc_rmbs - RMBs of one group; lgr->lock
 * @list:	all RMBs
 * @n:		entries of @list, at most SMC_RMBS_PER_LGR_MAX
 * @free:	free elements by size code
 * @promised:	free elements by size code for which a contact was notified but
 *		has not looked yet
 * @total:	elements by size code; the next growth adds as many again
 * @wanted:	bit per size code: elements are ordered, by a handshake that
 *		waits or by one that took the last free element
 * @quarantine:	quarantined elements whose peer is silent, by token
 * @heard:	quarantined elements whose peer has sent its last message
 * @busy:	the RMB whose keys are being announced or revoked, or NULL; only
 *		the worker writes it
 * @telling:	bit per slot: the request under way names the key of @busy on
 *		the link in this slot; worker
 */
struct smc_rmbs {
	struct list_head list;
	unsigned int n;
	unsigned int free[SMC_RMB_CLASSES];
	unsigned int promised[SMC_RMB_CLASSES];
	unsigned int total[SMC_RMB_CLASSES];
	unsigned long wanted;
	struct rb_root quarantine;
	struct list_head heard;
	struct smc_rmb *busy;
	u8 telling;
};

/**
 * struct smc_lgr_key - properties that a handshake and a group must share;
 * constant
 * @net_cookie: namespace of the group's connections
 * @role:	own role
 * @in_host:	the peer is this host
 * @choice:	port of the first link, port reference held
 * @peer_id:	the peer's ID
 * @peer_gid:	GID of the peer's end of the first link
 * @path:	version 2: path of the first link to that GID
 */
struct smc_lgr_key {
	u64 net_cookie;
	enum smc_role role;
	bool in_host;
	struct smc_dev_choice choice;
	u8 peer_id[8];
	u8 peer_gid[16];
	struct smc_dev_path path;
};

/**
 * struct smc_lgr_first - first contact
 * @state:	enum smc_first_state; worker and (before it starts) creator;
 *		READ_ONCE elsewhere
 * @waits:	client: number of waits for the arrival of its CONFIRM LINK, or
 *		number of repetitions that it has received; server: number of
 *		repetitions that it has sent; worker
 * @err:	negative errno after a failure; worker
 * @decline:	enum smc_decline after a failure; 0: no Decline may be sent;
 *		worker
 * @admit:	place among the first contacts that run, until the link
 *		is confirmed or closed; the code that takes it by xchg() ends it
 * @payer:	memory cgroup that pays for all links, or NULL; holds a
 *		reference; constant
 */
struct smc_lgr_first {
	struct smc_admit *admit;
	struct mem_cgroup *payer;
	u8 state;
	u8 waits;
	int err;
	u32 decline;
};

/**
 * struct smc_lgr_end - the end of the group; worker, then @work
 * @state:	enum smc_end_state
 * @peer_ends:	the peer has sent DELETE LINK for the group or an answer to ours
 * @err:	negative errno for members; written under lgr->lock
 * @reason:	enum smc_llc_del_reason
 * @uid:	user ID of the link that carries the last message
 * @graves:	links that were buried and have not stopped yet; atomic
 * @unclosed:	links that were buried and whose endpoints are not closed;
 *		atomic
 * @wq:		runs @work; constant
 * @work:	second half of the end, which waits for devices; queued once
 */
struct smc_lgr_end {
	u8 state;
	bool peer_ends;
	int err;
	u32 reason;
	u32 uid;
	atomic_t graves;
	atomic_t unclosed;
	struct workqueue_struct *wq;
	struct work_struct work;
};

/**
 * struct smc_lgr_idle - the group has no user
 * @of_net:	groups of the namespace; constant
 * @max:	limit of idle groups; constant
 * @linger_ms:	how long an idle group is kept; constant
 * @mem_share:	percent of the memory for received data that RMBs of the
 *		namespace may take; constant
 * @entry:	in @of_net->order while the group is idle and not told to end;
 *		@of_net->lock
 */
struct smc_lgr_idle {
	struct smc_idle *of_net;
	int max;
	unsigned int linger_ms;
	unsigned int mem_share;
	struct list_head entry;
};

/**
 * struct smc_lgr_members - connections of the group; lgr->lock
 * @list:	struct smc_lgr_member
 * @n:		entries of @list
 * @n_joined:	number of contacts whose connection is already a member; contact
 *		and member both count as users
 * @queued:	bytes in the send queues of all members; has its own lock
 * @epoch:	counts calls of smc_member_move_all()
 * @down_mutex:	held around each ->down() and ->move(), so that no member leaves
 *		during the call; order: down_mutex > lgr->lock
 * @down_task:	task that is calling ->down(); READ_ONCE by smc_member_leave()
 */
struct smc_lgr_members {
	struct list_head list;
	unsigned int n;
	unsigned int n_joined;
	struct percpu_counter queued;
	u32 epoch;
	struct mutex down_mutex;	/* see above */
	struct task_struct *down_task;
};

/**
 * struct smc_lgr_mail - inputs of the worker
 * @wq:		runs @work; of the first link's device, constant
 * @work:	the worker, smc_worker_run()
 * @events:	bits of enum smc_lgr_event_bit; atomic
 * @agenda:	bits of enum smc_lgr_due; worker
 * @waited_ms:	how long this run of the worker has waited for slow devices;
 *		worker
 * @violated:	the peer broke the protocol; set once, in any context
 * @deadline:	deadlines (base/deadline.h) of enum smc_lgr_deadline; lgr->lock
 * @timer:	expires at the next deadline
 * @lock:	protects @llc_in, because several links may receive at the same
 *		time
 * @llc_in:	messages that have arrived
 */
struct smc_lgr_mail {
	struct workqueue_struct *wq;
	struct work_struct work;
	unsigned long events;
	unsigned long agenda;
	unsigned int waited_ms;
	bool violated;
	u32 deadline[SMC_LGR_DL_NR];
	struct timer_list timer;
	spinlock_t lock;	/* see above */
	DECLARE_KFIFO(llc_in, struct smc_llc_buf, SMC_LLC_BACKLOG_MSGS);
};

/**
 * struct smc_lgr_numbers - limit of links, and the numbers of links
 * @max_links:	limit of symmetric links that both sides agreed on; before that
 *		our own limit
 * @last_num:	last link number that was assigned
 */
struct smc_lgr_numbers {
	u8 max_links;
	u8 last_num;
};

/**
 * struct smc_lgr_free - frees the group after the last reference was dropped
 * @work:	work item that frees the parts, see smc_lgr_put()
 * @rcu:	frees the memory
 */
struct smc_lgr_free {
	struct work_struct work;
	struct rcu_head rcu;
};

/**
 * struct smc_lgr_entry - the group in the table
 * @all:	entry in the list of all groups; groups_lock
 * @id:		entry in the tree of the namespace, by number; groups_lock
 * @vacant:	server: entry in the table by peer, while the group takes more
 *		connections, see vacant.c; lgr->lock
 */
struct smc_lgr_entry {
	struct list_head all;
	struct rb_node id;
	struct hlist_node vacant;
};

/**
 * struct smc_lgr - link group
 * @ref:	held for the reasons of enum smc_lgr_ref
 * @entry:	entries in the table of groups
 * @free:	freeing the object
 * @id:		number for views, see smc_lgr_next_id()
 * @key:	properties that a handshake must share; constant
 * @terms:	terms that both sides agreed on in first contact; a handshake
 *		must share the version and @terms.answer. @lock protects the
 *		peer's name and system, and @terms.ext
 * @testlink_secs: idle time in seconds before TEST LINK, 0: never; constant
 * @numbers:	limit and numbers of links; used by the creator, then by the
 *		worker
 * @first:	first contact; worker
 * @end:	the end; worker
 * @flow:	LLC flow that changes the links; worker
 * @rkey:	exchanges of keys; worker
 * @rtoks:	the peer's RMBs, which have a lock of their own
 * @lock:	protects @links, @owner, @state, @users, @members, @creator,
 *		@waiters, @rmbs and the deadlines
 * @links:	written by worker and creator, see links.c
 * @owner:	for each slot, the user ID of the link that uses it or was the
 *		last to use it
 * @state:	enum smc_lgr_state
 * @users:	number of contacts and members; 0 starts the linger time
 * @members:	connections
 * @creator:	handshake of the first contact or NULL
 * @waiters:	contacts that wait for READY or FAILED
 * @rmbs:	own RMBs
 * @idle:	data of a group without a user
 * @setup:	the creator holds this mutex while it creates the first link and
 *		the first RMB, and the end work holds it while it ends them;
 *		order: setup > lock
 * @mail:	inputs of the worker
 */
struct smc_lgr {
	struct kref ref;
	struct smc_lgr_entry entry;
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
