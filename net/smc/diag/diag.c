// SPDX-License-Identifier: GPL-2.0
/*
 * smc_diag.ko: AF_SMC sockets over NETLINK_SOCK_DIAG. Existing tools expect
 * this layout, and this handling of unusual requests.
 */
#include <linux/module.h>
#include <linux/sock_diag.h>
#include <net/netlink.h>
#include <net/sock.h>
#include "../../../include/uapi/linux/smc_diag.h"
#include "../base/compat.h"
#include "../base/limits.h"
#include "../base/version.h"
#include "../socket/sock_info.h"

#define MIN_DUMP_BYTES	32768

static struct smc_diag_cursor diag_cursor(u64 wire)
{
	return (struct smc_diag_cursor){
		.wrap = upper_32_bits(wire),
		.count = lower_32_bits(wire),
	};
}

/*
 * The peer sends how far it has written, and how far its application has read.
 * This host sends its own two positions.
 */
static int put_conn(struct sk_buff *skb, const struct smc_conn_info *conn)
{
	struct smc_diag_conninfo ci = {
		.token = conn->token,
		.sndbuf_size = conn->sndbuf_size,
		.rmbe_size = conn->rmbe_size,
		.peer_rmbe_size = conn->peer_rmbe_size,
		.rx_prod = diag_cursor(conn->rx_prod),
		.rx_cons = diag_cursor(conn->tx_cons),
		.tx_prod = diag_cursor(conn->tx_prod),
		.tx_cons = diag_cursor(conn->rx_cons),
		.rx_prod_flags = conn->rx_prod_flags,
		.rx_conn_state_flags = conn->rx_conn_flags,
		.tx_prod_flags = conn->tx_prod_flags,
		.tx_conn_state_flags = conn->tx_conn_flags,
		.tx_prep = diag_cursor(conn->tx_prep),
		.tx_sent = diag_cursor(conn->tx_sent),
		.tx_fin = diag_cursor(conn->tx_fin),
	};

	struct smc_diag_flow flow = {
		.sent = conn->sent,
		.delivered = conn->delivered,
		.received = conn->received,
		.read = conn->read,
	};

	return nla_put(skb, SMC_DIAG_CONNINFO, sizeof(ci), &ci) ?:
	       nla_put(skb, SMC_DIAG_FLOW, sizeof(flow), &flow);
}

static void format_gid(u8 *buf, size_t len, const u8 *gid)
{
	snprintf(buf, len, "%pI6", gid);
}

static int diag_put_lgr(struct sk_buff *skb, const struct smc_link_info *link,
			u8 role)
{
	struct smc_diag_lgrinfo li = {
		.link_id = link->num,
		.ibport = link->ibport,
		.role = role,
	};

	strscpy(li.ibname, link->ibname, sizeof(li.ibname));
	format_gid(li.gid, sizeof(li.gid), link->gid);
	format_gid(li.peer_gid, sizeof(li.peer_gid), link->peer_gid);
	return nla_put(skb, SMC_DIAG_LGRINFO, sizeof(li), &li);
}

static int put_attrs(struct sk_buff *skb, const struct smc_sock_info *info,
		     u8 ext)
{
	struct smc_diag_fallback fb = {
		.reason = info->reason,
		.peer_diagnosis = info->peer_reason,
	};
	int err;

	err = nla_put_u8(skb, SMC_DIAG_SHUTDOWN, info->shutdown) ?:
	      nla_put(skb, SMC_DIAG_FALLBACK, sizeof(fb), &fb) ?:
	      nla_put_u8(skb, SMC_DIAG_PROTOCOL, info->protocol);
	if (!err && info->has_conn && (ext & SMC_DIAG_EXT(SMC_DIAG_CONNINFO)))
		err = put_conn(skb, &info->conn);
	if (err || !info->has_lgr)
		return err;
	if (ext & SMC_DIAG_EXT(SMC_DIAG_LGRINFO))
		err = diag_put_lgr(skb, &info->link, info->lgr.role);
	return err ?: nla_put_string(skb, SMC_DIAG_TRANSPORT,
				     info->lgr.transport);
}

static void put_addr(const struct sockaddr_storage *addr, __be16 *port,
		     __be32 *ip)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;

	switch (addr->ss_family) {
	case AF_INET:
		*port = in->sin_port;
		ip[0] = in->sin_addr.s_addr;
		break;
	case AF_INET6:
		*port = in6->sin6_port;
		memcpy(ip, &in6->sin6_addr, sizeof(in6->sin6_addr));
		break;
	default:
		break;
	}
}

static void fill_msg(struct smc_diag_msg *msg, const struct smc_sock_info *info,
		     struct user_namespace *user_ns)
{
	memset(msg, 0, sizeof(*msg));
	msg->diag_family = info->family;
	msg->diag_state = info->state;
	msg->diag_mode = info->tcp ? SMC_DIAG_MODE_FALLBACK_TCP :
				     SMC_DIAG_MODE_SMCR;
	put_addr(&info->local, &msg->id.idiag_sport, msg->id.idiag_src);
	put_addr(&info->peer, &msg->id.idiag_dport, msg->id.idiag_dst);
	msg->id.idiag_if = info->ifindex;
	memcpy(msg->id.idiag_cookie, info->cookie, sizeof(info->cookie));
	msg->diag_uid = from_kuid_munged(user_ns, info->uid);
	msg->diag_inode = info->inode;
}

static int put_sock(struct sk_buff *skb, struct netlink_callback *cb,
		    const struct smc_sock_info *info)
{
	const struct smc_diag_req *req = nlmsg_data(cb->nlh);
	struct nlmsghdr *nlh;

	nlh = nlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			cb->nlh->nlmsg_type, sizeof(struct smc_diag_msg),
			NLM_F_MULTI);
	if (!nlh)
		return -EMSGSIZE;
	fill_msg(nlmsg_data(nlh), info, sk_user_ns(NETLINK_CB(cb->skb).sk));
	if (put_attrs(skb, info, req->diag_ext)) {
		nlmsg_cancel(skb, nlh);
		return -EMSGSIZE;
	}
	nlmsg_end(skb, nlh);
	return 0;
}

/* cb->args[0] is the number of the next socket. */
static int diag_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = sock_net(skb->sk);
	unsigned long patience = HZ / 10;	/* per part of the dump */
	unsigned long id = cb->args[0];
	struct smc_sock_info *info;

	info = kmalloc(sizeof(*info), GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	while (smc_sock_info_next(net, &id, info, &patience)) {
		if (put_sock(skb, cb, info))
			break;
		id++;
	}
	cb->args[0] = id;
	kfree(info);
	return skb->len;
}

static int diag_request(struct sk_buff *skb, struct nlmsghdr *nlh)
{
	struct netlink_dump_control ctl = {
		.dump = diag_dump,
		.min_dump_alloc = MIN_DUMP_BYTES,
	};

	if (nlh->nlmsg_len < nlmsg_msg_size(sizeof(struct smc_diag_req)))
		return -EINVAL;
	if (nlh->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    !(nlh->nlmsg_flags & NLM_F_DUMP))
		return 0;
	return netlink_dump_start(sock_net(skb->sk)->diag_nlsk, skb, nlh,
				  &ctl);
}

static const struct sock_diag_handler handler = {
	.owner = THIS_MODULE,
	.family = AF_SMC,
	.dump = diag_request,
};

static int __init smc_diag_init(void)
{
	return sock_diag_register(&handler);
}

static void __exit smc_diag_exit(void)
{
	sock_diag_unregister(&handler);
}

module_init(smc_diag_init);
module_exit(smc_diag_exit);

MODULE_DESCRIPTION("SMC socket monitoring via SOCK_DIAG");
MODULE_LICENSE("GPL");
MODULE_VERSION(SMC_VERSION);
MODULE_ALIAS_NET_PF_PROTO_TYPE(PF_NETLINK, NETLINK_SOCK_DIAG, 43 /* AF_SMC */);
