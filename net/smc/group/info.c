// SPDX-License-Identifier: GPL-2.0
/* Snapshots of groups. The code of this file changes no group and waits for
 * none.
 */
#include <net/net_namespace.h>
#include "../base/fsm.h"
#include "../transport/dev_info.h"
#include "../transport/transport.h"
#include "../wire/clc.h"
#include "idle.h"
#include "info.h"
#include "lgr.h"
#include "lgr_fsm.h"
#include "lgr_types.h"
#include "link.h"
#include "link_fsm.h"
#include "link_types.h"
#include "table.h"

/* Maps a link's state to one that tools know: active, activating or
 * inactive.
 */
static u8 info_link_state(const struct smc_link *link)
{
	switch (READ_ONCE(link->state)) {	/* partner: smc_link_step() */
	case SMC_LINK_SETUP:
		return SMC_LINK_INFO_ACTIVATING;
	case SMC_LINK_ACTIVE:
		return SMC_LINK_INFO_ACTIVE;
	default:
		return SMC_LINK_INFO_INACTIVE;
	}
}

static void info_fill_link(const struct smc_link *link, const struct net *net,
			   struct smc_link_info *info)
{
	struct smc_port *port = link->choice.port;
	struct smc_port_info where;

	memset(info, 0, sizeof(*info));
	info->num = READ_ONCE(link->num);
	info->state = info_link_state(link);
	info->uid = READ_ONCE(link->uid);
	info->peer_uid = READ_ONCE(link->peer_uid);
	if (port) {
		smc_port_ibname(port, info->ibname);
		info->ibport = smc_port_num(port);
		smc_port_info(port, net, &where);
		info->ifindex = where.ifindex;
		info->pnet = where.pnet;
	}
	memcpy(info->gid, link->self.gid, sizeof(info->gid));
	memcpy(info->peer_gid, link->peer.gid, sizeof(info->peer_gid));
	info->conns = atomic_read(&link->conns);
}

static void info_fill_memory(struct smc_lgr *lgr, struct smc_lgr_info *info)
{
	unsigned int code;

	lockdep_assert_held(&lgr->lock);
	for (code = 0; code < SMC_RMB_CLASSES; code++)
		info->rmb_bytes += (u64)lgr->rmbs.total[code] *
				   (SMC_RMBE_MIN_BYTES << code);
}

static void info_fill_terms(struct smc_lgr *lgr, struct smc_lgr_info *info)
{
	const struct smc_lgr_terms *t = &lgr->terms;

	lockdep_assert_held(&lgr->lock);
	info->v2.release = t->release;
	info->v2.os = t->peer_os;
	memcpy(info->v2.peer_host, t->peer_host, sizeof(t->peer_host));
	memcpy(info->v2.eid, t->eid, sizeof(t->eid));
	info->v2.direct = t->direct;
	info->v2.max_conns = t->max_conns;
	info->v2.max_links = t->max_links;
	info->ext = t->ext;
}

/* @memory: true: also count memory, for which the function visits each CPU */
static void info_fill_group(struct smc_lgr *lgr, struct smc_lgr_info *info,
			    bool memory)
{
	memset(info, 0, sizeof(*info));
	info->id = lgr->id << SMC_LGR_ID_SHIFT;
	info->net_cookie = lgr->key.net_cookie;
	info->role = lgr->key.role;
	info->in_host = lgr->key.in_host;
	info->transport = lgr->key.in_host ? "in-host" : "roce";
	info->version = lgr->terms.version;
	info->vlan = lgr->key.choice.vlan;
	memcpy(info->peer_id, lgr->key.peer_id, sizeof(info->peer_id));
	spin_lock_bh(&lgr->lock);
	info->conns = lgr->members.n;
	info->rmbs = lgr->rmbs.n;
	info->state = smc_fsm_state_name(&smc_lgr_fsm, lgr->state);
	if (memory)
		info_fill_memory(lgr, info);
	info_fill_terms(lgr, info);
	spin_unlock_bh(&lgr->lock);
	/* one cache miss for each CPU */
	if (memory)
		info->snd_bytes =
			percpu_counter_sum_positive(&lgr->members.queued);
}

void smc_info_member(struct smc_lgr *lgr, const struct smc_link *on,
		     const struct net *net, struct smc_lgr_info *info,
			 struct smc_link_info *link)
{
	info_fill_group(lgr, info, false);
	info_fill_link(on, net, link);
}

/*
 * As smc_link_next(). Takes a reference, because the worker may remove the link
 * at any time.
 */
static struct smc_link *info_next_link(struct smc_lgr *lgr, int *slot)
{
	struct smc_link *link;

	spin_lock_bh(&lgr->lock);
	link = smc_link_next(lgr, slot);
	if (link)
		smc_link_get(link, SMC_LINK_REF_VIEW);
	spin_unlock_bh(&lgr->lock);
	return link;
}

u64 smc_info_rmb_bytes(const struct net *net)
{
	return atomic_long_read(&smc_idle_of(net)->rmb_bytes);
}

bool smc_info_next(const struct net *net, u32 *id, struct smc_lgr_info *info,
		   bool memory)
{
	struct smc_lgr *lgr = smc_table_next(*id, net);
	struct smc_link *link;
	int i;

	if (!lgr)
		return false;
	info_fill_group(lgr, info, memory);
	for (i = 0; (link = info_next_link(lgr, &i)); i++) {
		info_fill_link(link, net, &info->link[info->n_links++]);
		smc_link_put(link, SMC_LINK_REF_VIEW);
	}
	*id = lgr->id;
	smc_lgr_put(lgr, SMC_LGR_REF_VIEW);
	return true;
}

/** smc_info_link_uid() - get the user ID of a link, by which frames name it */
u32 smc_info_link_uid(const struct smc_link *link)
{
	return link->uid;
}

/** smc_info_link_napi() - get what a task polls, see smc_ep_napi() */
unsigned int smc_info_link_napi(const struct smc_link *link)
{
	return smc_ep_napi(link->ep);
}
