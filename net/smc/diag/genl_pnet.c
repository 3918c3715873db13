// SPDX-License-Identifier: GPL-2.0
/*
 * Family SMC_PNETID: the table of physical networks. Numbers and answers are
 * the same as in deployed Linux, see
 * Documentation/netlink/specs/smc_pnetid.yaml.
 */
#include <linux/module.h>
#include "../transport/pnet.h"
#include "genl.h"
#include "genl_msg.h"

/* Value of attributes that do not apply to a line. */
#define NO_NAME		"n/a"
#define NO_PORT		255

static struct genl_family family;

static const struct nla_policy policy[SMC_PNETID_MAX + 1] = {
	[SMC_PNETID_NAME] = { .type = NLA_NUL_STRING, .len = SMC_MAX_PNETID_LEN },
	[SMC_PNETID_ETHNAME] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
	[SMC_PNETID_IBNAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[SMC_PNETID_IBPORT] = { .type = NLA_U8 },
};

/* ---- reading ---- */

static int put_line(struct sk_buff *skb, u32 portid, u32 seq,
		    const struct smc_pnet_entry *e)
{
	void *msg = genlmsg_put(skb, portid, seq, &family, NLM_F_MULTI,
				SMC_PNETID_GET);

	if (!msg)
		return -EMSGSIZE;
	if (nla_put_string(skb, SMC_PNETID_NAME, e->name.s) ||
	    nla_put_string(skb, SMC_PNETID_ETHNAME,
			   e->eth ? e->dev : NO_NAME) ||
	    nla_put_string(skb, SMC_PNETID_IBNAME,
			   e->eth ? NO_NAME : e->dev) ||
	    nla_put_u8(skb, SMC_PNETID_IBPORT, e->eth ? NO_PORT : e->port)) {
		genlmsg_cancel(skb, msg);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, msg);
	return 0;
}

static int pnet_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct smc_genl_msg_pos *pos = smc_genl_msg_pos(cb);
	struct smc_pnet_entry e;
	u32 id = pos->id;
	int err = 0;

	while (smc_pnet_next(sock_net(skb->sk), &id, &e)) {
		err = put_line(skb, NETLINK_CB(cb->skb).portid,
			       cb->nlh->nlmsg_seq, &e);
		if (err)
			break;
		pos->id = id;
	}
	return smc_genl_msg_result(skb, err);
}

static int name_of(struct genl_info *info, struct smc_pnet_name *name)
{
	const struct nlattr *attr = info->attrs[SMC_PNETID_NAME];

	if (!attr) {
		GENL_SET_ERR_MSG(info, "the PNETID is missing");
		return -EINVAL;
	}
	if (smc_pnet_parse(name, nla_data(attr))) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "a PNETID is 1 to 16 letters and digits");
		return -EINVAL;
	}
	return 0;
}

static bool next_of(struct net *net, const struct smc_pnet_name *name,
		    u32 *id, struct smc_pnet_entry *e)
{
	while (smc_pnet_next(net, id, e))
		if (!strcmp(e->name.s, name->s))
			return true;
	return false;
}

/*
 * Sends all lines of one network, and the end of the list, in one message
 * buffer.
 */
static int pnet_get(struct sk_buff *request, struct genl_info *info)
{
	const size_t line = NLMSG_ALIGN(GENL_HDRLEN + NLMSG_HDRLEN) +
			    nla_total_size(SMC_MAX_PNETID_LEN + 1) +
			    nla_total_size(IFNAMSIZ) + nla_total_size(64) +
			    nla_total_size(1);
	struct net *net = genl_info_net(info);
	struct smc_pnet_name name;
	struct smc_pnet_entry e;
	struct nlmsghdr *done;
	unsigned int n = 0;
	struct sk_buff *skb;
	u32 id = 0;
	int err;

	err = name_of(info, &name);
	if (err)
		return err;
	while (next_of(net, &name, &id, &e))
		n++;
	skb = nlmsg_new(n * line + nlmsg_total_size(sizeof(int)), GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	id = 0;
	while (n-- && next_of(net, &name, &id, &e))
		if (put_line(skb, info->snd_portid, info->snd_seq, &e))
			break;
	done = nlmsg_put(skb, info->snd_portid, info->snd_seq, NLMSG_DONE,
			 sizeof(int), NLM_F_MULTI);
	if (!done) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	memset(nlmsg_data(done), 0, sizeof(int));
	return genlmsg_reply(skb, info);
}

/* ---- writing ---- */

static int eth_of(struct genl_info *info, struct smc_pnet_entry *e)
{
	const struct nlattr *attr = info->attrs[SMC_PNETID_ETHNAME];

	e->eth = true;
	strscpy(e->dev, nla_data(attr), sizeof(e->dev));
	if (e->dev[0])
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attr,
			    "the name of the net device is empty");
	return -EINVAL;
}

static int ib_of(struct genl_info *info, struct smc_pnet_entry *e)
{
	const struct nlattr *attr = info->attrs[SMC_PNETID_IBNAME];
	const struct nlattr *port = info->attrs[SMC_PNETID_IBPORT];

	e->port = port ? nla_get_u8(port) : 1;
	strscpy(e->dev, strim(nla_data(attr)), sizeof(e->dev));
	if (!e->dev[0]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "the name of the RDMA device is empty");
		return -EINVAL;
	}
	if (!e->port || e->port > SMC_PNET_PORTS_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack, port,
				    "the port of an RDMA device is 1 or 2");
		return -EINVAL;
	}
	return 0;
}

static int pnet_add(struct sk_buff *skb, struct genl_info *info)
{
	bool ib = net_eq(genl_info_net(info), &init_net) &&
		  info->attrs[SMC_PNETID_IBNAME];
	bool eth = info->attrs[SMC_PNETID_ETHNAME];
	struct smc_pnet_entry e = {}, p = {};
	const struct smc_pnet_entry *taken;
	int err;

	err = name_of(info, &e.name);
	if (err)
		return err;
	p.name = e.name;
	if (!ib && !eth) {
		GENL_SET_ERR_MSG(info, "no device that this namespace administers");
		return -EINVAL;
	}
	if (eth)
		err = eth_of(info, &e);
	if (!err && ib)
		err = ib_of(info, &p);
	if (err)
		return err;
	err = smc_pnet_add(genl_info_net(info), eth ? &e : NULL, ib ? &p : NULL,
			   &taken);
	if (taken == &e)
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[SMC_PNETID_ETHNAME],
				    "this net device has a PNETID already");
	else if (taken)
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[SMC_PNETID_IBNAME],
				    "this port has a PNETID already");
	return err;
}

static int pnet_del(struct sk_buff *skb, struct genl_info *info)
{
	struct smc_pnet_name name;
	int err;

	err = name_of(info, &name);
	if (err)
		return err;
	err = smc_pnet_del(genl_info_net(info), &name);
	if (err)
		GENL_SET_ERR_MSG(info, "no device has this PNETID");
	return err;
}

static int pnet_flush(struct sk_buff *skb, struct genl_info *info)
{
	smc_pnet_flush(genl_info_net(info));
	return 0;
}

static const struct genl_ops ops[] = {
	{ .cmd = SMC_PNETID_GET, .doit = pnet_get, .dumpit = pnet_dump },
	{ .cmd = SMC_PNETID_ADD, .doit = pnet_add, .flags = GENL_ADMIN_PERM },
	{ .cmd = SMC_PNETID_DEL, .doit = pnet_del, .flags = GENL_ADMIN_PERM },
	{ .cmd = SMC_PNETID_FLUSH, .doit = pnet_flush,
	  .flags = GENL_ADMIN_PERM },
};

static struct genl_family family __ro_after_init = {
	.name = SMCR_GENL_FAMILY_NAME,
	.version = SMCR_GENL_FAMILY_VERSION,
	.netnsok = true,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.maxattr = SMC_PNETID_MAX,
	.policy = policy,
	/* some programs leave random bytes in the reserved field */
	.resv_start_op = SMC_PNETID_FLUSH + 1,
};

int __init smc_genl_pnet_init(void)
{
	return genl_register_family(&family);
}

void smc_genl_pnet_exit(void)
{
	genl_unregister_family(&family);
}

MODULE_ALIAS_GENL_FAMILY(SMCR_GENL_FAMILY_NAME);
