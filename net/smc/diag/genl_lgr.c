// SPDX-License-Identifier: GPL-2.0
/*
 * Views of link groups and links. In-host groups have neither device nor link
 * and are not shown.
 */
#include <linux/slab.h>
#include "../base/compat.h"
#include "../group/groups.h"
#include "../group/info.h"
#include "../group/lgr.h"
#include "genl.h"
#include "genl_msg.h"

static bool lgr_active(const struct smc_link_info *link)
{
	return link->state == SMC_LINK_INFO_ACTIVE;
}

static bool same_port(const struct smc_link_info *a,
		      const struct smc_link_info *b)
{
	return a->ibport == b->ibport && !strcmp(a->ibname, b->ibname);
}

static bool same_peer(const struct smc_link_info *a,
		      const struct smc_link_info *b)
{
	return !memcmp(a->peer_gid, b->peer_gid, sizeof(a->peer_gid));
}

/*
 * Determines the type of the group. The type depends on the number of active
 * links, and on whether two links share an adapter.
 */
static u8 group_type(const struct smc_lgr_info *lgr)
{
	const struct smc_link_info *a, *b;
	unsigned int i, k, n = 0;

	for (i = 0; i < lgr->n_links; i++) {
		a = &lgr->link[i];
		if (!lgr_active(a))
			continue;
		n++;
		for (k = 0; k < i; k++) {
			b = &lgr->link[k];
			if (!lgr_active(b))
				continue;
			if (same_port(a, b))
				return SMC_LGR_TYPE_ASYMMETRIC_LOCAL;
			if (same_peer(a, b))
				return SMC_LGR_TYPE_ASYMMETRIC_PEER;
		}
	}
	if (!n)
		return SMC_LGR_TYPE_NONE;
	return n > 1 ? SMC_LGR_TYPE_SYMMETRIC : SMC_LGR_TYPE_SINGLE;
}

static int put_v2(struct sk_buff *skb, const struct smc_lgr_info *lgr)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, SMC_A_LGR_V2_COMMON);
	if (!nest ||
	    nla_put_u8(skb, SMC_A_V2_VER, lgr->version) ||
	    nla_put_u8(skb, SMC_A_V2_REL, lgr->v2.release) ||
	    nla_put_u8(skb, SMC_A_V2_OS, lgr->v2.os) ||
	    nla_put_string(skb, SMC_A_V2_PEER_HOST, lgr->v2.peer_host) ||
	    nla_put_string(skb, SMC_A_V2_NEG_EID, lgr->v2.eid))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);

	nest = nla_nest_start(skb, SMC_A_LGR_V2);
	if (!nest ||
	    nla_put_u8(skb, SMC_A_V2R_DIRECT, lgr->v2.direct) ||
	    nla_put_u8(skb, SMC_A_V2R_MAX_CONNS, lgr->v2.max_conns) ||
	    nla_put_u8(skb, SMC_A_V2R_MAX_LINKS, lgr->v2.max_links))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static_assert((int)SMC_EXT_CAP_FRAMES == (int)SMC_EXT_FRAMES);
static_assert((int)SMC_EXT_CAP_ELASTIC == (int)SMC_EXT_ELASTIC);
static_assert((int)SMC_EXT_CAP_WIDE == (int)SMC_EXT_WIDE);
static_assert((int)SMC_EXT_CAP_V6 == (int)SMC_EXT_V6);

/*
 * Puts the terms of the extension (frames.rst) that a group has agreed on; all
 * its links have the same terms.
 */
static int put_ext(struct sk_buff *skb, int type,
		   const struct smc_ext_terms *ext)
{
	struct nlattr *nest;

	if (!ext->version)
		return 0;
	nest = nla_nest_start(skb, type);
	if (!nest ||
	    nla_put_u8(skb, SMC_A_EXT_VERSION, ext->version) ||
	    nla_put_u8(skb, SMC_A_EXT_CAPS, ext->caps))
		return -EMSGSIZE;
	/* in-host there are no frames */
	if (ext->send_max &&
	    (nla_put_u32(skb, SMC_A_EXT_FRAME_SEND, ext->send_max) ||
	     nla_put_u32(skb, SMC_A_EXT_FRAME_RECV, ext->recv_max)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int lgr_put(struct sk_buff *skb, const struct smc_lgr_info *lgr)
{
	const char *pnet = lgr->n_links ? lgr->link[0].pnet.s : "";
	struct nlattr *nest = nla_nest_start(skb, SMC_A_LGR_SMCR);

	if (!nest ||
	    nla_put_u32(skb, SMC_A_LGR_ID, lgr->id) ||
	    nla_put_u8(skb, SMC_A_LGR_ROLE, lgr->role) ||
	    nla_put_u8(skb, SMC_A_LGR_TYPE, group_type(lgr)) ||
	    nla_put_string(skb, SMC_A_LGR_PNETID, pnet) ||
	    nla_put_u8(skb, SMC_A_LGR_VLAN_ID, lgr->vlan) ||
	    nla_put_u32(skb, SMC_A_LGR_CONNS_NUM, lgr->conns) ||
	    nla_put_u64_64bit(skb, SMC_A_LGR_NET_COOKIE, lgr->net_cookie,
			      SMC_A_LGR_PAD) ||
	    nla_put_u8(skb, SMC_A_LGR_BUF_TYPE, 0) ||
	    smc_compat_put_uint(skb, SMC_A_LGR_SNDBUF_ALLOC, lgr->snd_bytes) ||
	    smc_compat_put_uint(skb, SMC_A_LGR_RMB_ALLOC, lgr->rmb_bytes))
		return -EMSGSIZE;
	if (lgr->version > 1 && put_v2(skb, lgr))
		return -EMSGSIZE;
	if (put_ext(skb, SMC_A_LGR_EXT, &lgr->ext))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_link(struct sk_buff *skb, const struct smc_link_info *link,
		    const struct smc_ext_terms *ext)
{
	char gid[SMC_GENL_GID_LEN], peer_gid[SMC_GENL_GID_LEN];
	struct nlattr *nest = nla_nest_start(skb, SMC_A_LINK_SMCR);

	snprintf(gid, sizeof(gid), "%pI6", link->gid);
	snprintf(peer_gid, sizeof(peer_gid), "%pI6", link->peer_gid);
	if (!nest ||
	    nla_put_u8(skb, SMC_A_LINK_ID, link->num) ||
	    nla_put_string(skb, SMC_A_LINK_IB_DEV, link->ibname) ||
	    nla_put_u8(skb, SMC_A_LINK_IB_PORT, link->ibport) ||
	    nla_put_string(skb, SMC_A_LINK_GID, gid) ||
	    nla_put_string(skb, SMC_A_LINK_PEER_GID, peer_gid) ||
	    nla_put_u32(skb, SMC_A_LINK_CONN_CNT, link->conns) ||
	    nla_put_u32(skb, SMC_A_LINK_NET_DEV, link->ifindex) ||
	    nla_put_u32(skb, SMC_A_LINK_UID, link->uid) ||
	    nla_put_u32(skb, SMC_A_LINK_PEER_UID, link->peer_uid) ||
	    nla_put_u32(skb, SMC_A_LINK_STATE, link->state) ||
	    put_ext(skb, SMC_A_LINK_EXT, ext))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int lgr_message(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct smc_lgr_info *lgr)
{
	void *msg = smc_genl_msg_put(skb, cb, SMC_CMD_LGR_SMCR);

	if (!msg)
		return -EMSGSIZE;
	if (lgr_put(skb, lgr)) {
		genlmsg_cancel(skb, msg);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, msg);
	return 0;
}

static int lgr_link_message(struct sk_buff *skb, struct netlink_callback *cb,
			    const struct smc_link_info *link,
			    const struct smc_ext_terms *ext)
{
	void *msg = smc_genl_msg_put(skb, cb, SMC_CMD_LINK_SMCR);

	if (!msg)
		return -EMSGSIZE;
	if (put_link(skb, link, ext)) {
		genlmsg_cancel(skb, msg);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, msg);
	return 0;
}

static int only_lgr(struct sk_buff *skb, struct netlink_callback *cb,
		    const struct smc_lgr_info *lgr)
{
	return lgr_message(skb, cb, lgr);
}

/*
 * Puts the group and then its links. Skips messages that an earlier part of the
 * dump contains.
 */
static int lgr_and_links(struct sk_buff *skb, struct netlink_callback *cb,
			 const struct smc_lgr_info *lgr)
{
	struct smc_genl_msg_pos *pos = smc_genl_msg_pos(cb);
	int err;

	if (pos->part_of != lgr->id) {
		pos->part_of = lgr->id;
		pos->part = 0;
	}
	while (pos->part <= lgr->n_links) {
		if (pos->part)
			err = lgr_link_message(skb, cb,
					       &lgr->link[pos->part - 1],
					       &lgr->ext);
		else
			err = lgr_message(skb, cb, lgr);
		if (err)
			return err;
		pos->part++;
	}
	return 0;
}

static int lgr_dump(struct sk_buff *skb, struct netlink_callback *cb,
		    int (*tell)(struct sk_buff *skb,
				struct netlink_callback *cb,
				const struct smc_lgr_info *lgr))
{
	struct smc_genl_msg_pos *pos = smc_genl_msg_pos(cb);
	struct net *net = sock_net(skb->sk);
	struct smc_lgr_info *lgr;
	u32 id = pos->id;
	int err = 0;

	lgr = kmalloc(sizeof(*lgr), GFP_KERNEL);
	if (!lgr)
		return -ENOMEM;
	while (!err && smc_info_next(net, &id, lgr, true)) {
		if (!lgr->in_host)
			err = tell(skb, cb, lgr);
		if (!err)
			pos->id = id;
		cond_resched();
	}
	kfree(lgr);
	return smc_genl_msg_result(skb, err);
}

int smc_genl_lgrs(struct sk_buff *skb, struct netlink_callback *cb)
{
	return lgr_dump(skb, cb, only_lgr);
}

int smc_genl_links(struct sk_buff *skb, struct netlink_callback *cb)
{
	return lgr_dump(skb, cb, lgr_and_links);
}

int smc_genl_lgr_end(struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[SMC_A_LGR_END_ID];
	u32 id;
	int err;

	if (!attr) {
		GENL_SET_ERR_MSG(info, "the number of the link group is missing");
		return -EINVAL;
	}
	id = nla_get_u32(attr);
	/* the low byte is the number of a link, which cannot be ended */
	err = id & (BIT(SMC_LGR_ID_SHIFT) - 1) ? -ENOENT :
	      smc_groups_end(genl_info_net(info), id >> SMC_LGR_ID_SHIFT);
	if (err)
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "there is no such link group");
	return err;
}
