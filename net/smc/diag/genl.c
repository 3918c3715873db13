// SPDX-License-Identifier: GPL-2.0
/*
 * Family SMC_GEN_NETLINK: the table of commands, and the small commands.
 * Numbers and layouts are the same as in deployed Linux, see
 * Documentation/netlink/specs/smc_gen.yaml.
 *
 * Each view consists of snapshots of the floors below, for the namespace of the
 * caller.
 */
#include <linux/module.h>
#include <linux/utsname.h>
#include "../base/tunables.h"
#include "genl.h"
#include "genl_msg.h"

/* Protocol of this module: version 2, release 1. */
enum {
	VERSION	= 2,
	RELEASE	= 1,
};

static int put_sys_info(struct sk_buff *skb)
{
	char host[SMC_MAX_HOSTNAME_LEN + 1];
	struct nlattr *nest;

	snprintf(host, sizeof(host), "%-*.*s", SMC_MAX_HOSTNAME_LEN,
		 SMC_MAX_HOSTNAME_LEN, utsname()->nodename);
	nest = nla_nest_start(skb, SMC_A_SYS_INFO);
	if (!nest ||
	    nla_put_u8(skb, SMC_A_SYS_VER, VERSION) ||
	    nla_put_u8(skb, SMC_A_SYS_REL, RELEASE) ||
	    nla_put_u8(skb, SMC_A_SYS_IS_ISM_V2, 0) ||
	    nla_put_string(skb, SMC_A_SYS_LOCAL_HOST, host) ||
	    nla_put_u8(skb, SMC_A_SYS_IS_SMCR_V2, VERSION > 1))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Without SMC-D there is no SEID, so the message has no attributes. */
static int put_seid(struct sk_buff *skb)
{
	return 0;
}

static int put_hs_limit(struct sk_buff *skb)
{
	const struct smc_tunables *t = smc_tunables(sock_net(skb->sk));

	return nla_put_u8(skb, SMC_A_HS_LIMIT_ENABLED,
			  READ_ONCE(t->limit_smc_hs));
}

/* Runs a dump that has a single message. */
static int dump_one(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		    int (*put)(struct sk_buff *skb))
{
	struct smc_genl_msg_pos *pos = smc_genl_msg_pos(cb);
	void *msg;

	if (pos->done)
		return 0;
	msg = smc_genl_msg_put(skb, cb, cmd);
	if (!msg)
		return -EMSGSIZE;
	if (put(skb)) {
		genlmsg_cancel(skb, msg);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, msg);
	pos->done = true;
	return skb->len;
}

static int dump_sys_info(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_one(skb, cb, SMC_CMD_SYS_INFO, put_sys_info);
}

static int dump_seid(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_one(skb, cb, SMC_CMD_SEID_DUMP, put_seid);
}

static int dump_hs_limit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_one(skb, cb, SMC_CMD_HS_LIMIT_DUMP, put_hs_limit);
}

/* Dumps SMC-D objects, of which none exist. */
static int dump_none(struct sk_buff *skb, struct netlink_callback *cb)
{
	return skb->len;
}

static int seid_change(struct sk_buff *skb, struct genl_info *info)
{
	GENL_SET_ERR_MSG(info, "the system EID belongs to SMC-D, which this module does not have");
	return -EOPNOTSUPP;
}

static int hs_limit_on(struct sk_buff *skb, struct genl_info *info)
{
	WRITE_ONCE(smc_tunables(genl_info_net(info))->limit_smc_hs, 1);
	return 0;
}

static int hs_limit_off(struct sk_buff *skb, struct genl_info *info)
{
	WRITE_ONCE(smc_tunables(genl_info_net(info))->limit_smc_hs, 0);
	return 0;
}

/* Some commands have attribute 1; other commands have no attribute. */
static const struct nla_policy no_attr[] = {
	[1] = {
		.type = NLA_REJECT,
		.reject_message = "this command takes no attribute",
	},
};

static const struct nla_policy eid_attr[] = {
	[SMC_A_UEID_ENTRY] = { .type = NLA_STRING, .len = SMC_MAX_EID_LEN },
};

static const struct nla_policy lgr_end_attr[] = {
	[SMC_A_LGR_END_ID] = { .type = NLA_U32 },
};

#define VIEW(_cmd, _dump)						\
	{ .cmd = _cmd, .dumpit = _dump, .policy = no_attr, .maxattr = 1 }
#define ORDER(_cmd, _do, _policy)					\
	{ .cmd = _cmd, .doit = _do, .policy = _policy, .maxattr = 1,	\
	  .flags = GENL_ADMIN_PERM }

static const struct genl_ops ops[] = {
	VIEW(SMC_CMD_SYS_INFO, dump_sys_info),
	VIEW(SMC_CMD_LGR_SMCR, smc_genl_lgrs),
	VIEW(SMC_CMD_LINK_SMCR, smc_genl_links),
	VIEW(SMC_CMD_LGR_SMCD, dump_none),
	VIEW(SMC_CMD_DEV_SMCD, dump_none),
	VIEW(SMC_CMD_DEV_SMCR, smc_genl_devs),
	VIEW(SMC_CMD_STATS, smc_genl_stats),
	VIEW(SMC_CMD_FBACK_STATS, smc_genl_fallbacks),
	VIEW(SMC_CMD_UEID_DUMP, smc_genl_ueids),
	ORDER(SMC_CMD_UEID_ADD, smc_genl_ueid_add, eid_attr),
	ORDER(SMC_CMD_UEID_REMOVE, smc_genl_ueid_remove, eid_attr),
	ORDER(SMC_CMD_UEID_FLUSH, smc_genl_ueid_flush, no_attr),
	VIEW(SMC_CMD_SEID_DUMP, dump_seid),
	ORDER(SMC_CMD_SEID_ENABLE, seid_change, no_attr),
	ORDER(SMC_CMD_SEID_DISABLE, seid_change, no_attr),
	VIEW(SMC_CMD_HS_LIMIT_DUMP, dump_hs_limit),
	ORDER(SMC_CMD_HS_LIMIT_ENABLE, hs_limit_on, no_attr),
	ORDER(SMC_CMD_HS_LIMIT_DISABLE, hs_limit_off, no_attr),
	ORDER(SMC_CMD_LGR_END, smc_genl_lgr_end, lgr_end_attr),
};

int __init smc_genl_init(void)
{
	int err;

	smc_genl_msg_family.ops = ops;
	smc_genl_msg_family.n_ops = ARRAY_SIZE(ops);
	smc_genl_msg_family.policy = no_attr;
	err = genl_register_family(&smc_genl_msg_family);
	if (err)
		return err;
	err = smc_genl_pnet_init();
	if (err)
		genl_unregister_family(&smc_genl_msg_family);
	return err;
}

void smc_genl_exit(void)
{
	smc_genl_pnet_exit();
	genl_unregister_family(&smc_genl_msg_family);
}

MODULE_ALIAS_GENL_FAMILY(SMC_GENL_FAMILY_NAME);
