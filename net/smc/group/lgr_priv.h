/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of the group floor.
 *
 * A group is worked by one work item (lgr->work): LLC messages and events are
 * queued to it, so the state machines of a group need no lock against
 * themselves. lgr->lock protects what handshakes, connections and views look
 * at. Order: groups_lock > lgr->lock > link->wait_lock > endpoint locks.
 */
#ifndef _SMC_GROUP_LGR_PRIV_H
#define _SMC_GROUP_LGR_PRIV_H

#include <linux/kfifo.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include "../base/limits.h"
#include "../wire/llc_v2.h"
#include "contact.h"
#include "first.h"
#include "flow.h"
#include "group_fsm.h"
#include "lgr.h"
#include "link.h"
#include "rkey.h"
#include "rmb.h"
#include "rtok.h"
#include "worker.h"

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
 * @first_decline: enum smc_decline for the Decline after a failed first
 *		contact, 0: none may be sent; worker
 * @await_answer: the server was asked to end the group and will say that it
 *		does; worker
 * @answered:	the client has said that it ends the group; worker
 * @last_words:	the group stays for what the peer has still to say; worker
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
 * @idle_since:	jiffies, when it started last; READ_ONCE by smc_lgr_evict()
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
 * @down_task:	who calls ->down() now; READ_ONCE by smc_lgr_leave()
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
	struct smc_lgr_idle *idle;
	int idle_max;
	struct smc_lgr_terms terms;

	u8 first;
	u8 first_waits;
	u32 first_decline;
	bool await_answer;
	bool answered;
	bool last_words;
	u32 end_reason;
	u8 last_num;
	u32 end_uid;
	u8 max_links;
	struct smc_flow flow;
	struct {
		u8 state;	/* enum smc_rkey_state */
		u8 told;	/* slots whose keys the request names */
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
	unsigned long events;
	bool violated;
	struct timer_list timer;
	spinlock_t in_lock;	/* see above */
	DECLARE_KFIFO(llc_in, struct smc_llc_buf, SMC_LLC_BACKLOG_MSGS);
};

/* lgr.c */
int smc_lgr_for_server(struct smc_contact *c, const u8 *peer_gid);
int smc_lgr_for_client(struct smc_contact *c, const u8 *peer_gid);
bool smc_lgr_find_client(struct smc_contact *c, const struct smc_ep_addr *peer);
void smc_lgr_user_get(struct smc_lgr *lgr);
void smc_lgr_user_put(struct smc_lgr *lgr);
bool smc_lgr_usable(const struct smc_lgr *lgr);
bool smc_lgr_may_add(const struct smc_lgr *lgr);

struct smc_lgr *smc_lgr_next(u32 after, u64 net_cookie);
void smc_lgr_unhash(struct smc_lgr *lgr);
bool smc_lgr_step(struct smc_lgr *lgr, enum smc_lgr_event ev);
bool smc_lgr_evict(struct smc_lgr *than);

/* idle.c */
int smc_lgr_idle_init(void);
void smc_lgr_idle_exit(void);
struct smc_lgr_idle *smc_lgr_idle_get(const struct net *net);
void smc_lgr_idle_put(struct smc_lgr_idle *idle);
void smc_lgr_idle_count(struct smc_lgr *lgr, u8 before);
bool smc_lgr_crowded(const struct smc_lgr *lgr);
void smc_lgr_make_room(struct smc_lgr *lgr);

/* contact.c */
void smc_contact_wake_all(struct smc_lgr *lgr);
void smc_contact_wake_one(struct smc_lgr *lgr, u8 code);
void smc_contact_fail_code(struct smc_lgr *lgr, u8 code, int err);
void smc_contact_tell_creator(struct smc_lgr *lgr, enum smc_contact_event ev,
			      u32 decline, int err);

#endif
