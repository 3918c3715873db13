// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: registers an identifier that the module smc needs. The
 * parameter "owns" is "family" for AF_SMC, "protocol" for protocol 256 of
 * AF_INET and AF_INET6, or "for ever" for the same protocol in a way that no
 * other module can override.
 *
 * A socket of this module fails with EPROTOTYPE.
 */
#include <linux/module.h>
#include <linux/net.h>
#include <linux/version.h>
#include <net/inet_common.h>
#include <net/inet_sock.h>
#include <net/protocol.h>
#include <net/sock.h>
#include <net/transp_v6.h>

enum {
	PROTOCOL = 256,
};

static char *owns = "protocol";
module_param(owns, charp, 0444);
MODULE_PARM_DESC(owns, "family, protocol, or \"for ever\"");

static int refuse(struct sock *sk)
{
	return -EPROTOTYPE;
}

static void nothing(struct sock *sk)
{
}

/* Earlier kernels expect struct ipv6_pinfo at the end of the object. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define PINFO_OFFSET	.ipv6_pinfo_offset = sizeof(struct inet_sock),
#else
#define PINFO_OFFSET
#endif

static struct proto other_proto = {
	.name		= "OTHER_SMC",
	.owner		= THIS_MODULE,
	.obj_size	= sizeof(struct inet_sock) + sizeof(struct ipv6_pinfo),
	PINFO_OFFSET
	.init		= refuse,
	.unhash		= nothing,
};

static const struct proto_ops other_ops = {
	.family	= PF_INET,
	.owner	= THIS_MODULE,
};

static struct inet_protosw sw4 = {
	.type		= SOCK_STREAM,
	.protocol	= PROTOCOL,
	.prot		= &other_proto,
	.ops		= &other_ops,
};

static struct inet_protosw sw6 = {
	.type		= SOCK_STREAM,
	.protocol	= PROTOCOL,
	.prot		= &other_proto,
	.ops		= &other_ops,
};

static int other_create(struct net *net, struct socket *sock, int protocol,
			int kern)
{
	return -EPROTOTYPE;
}

static const struct net_proto_family other_family = {
	.family	= PF_SMC,
	.create	= other_create,
	.owner	= THIS_MODULE,
};

static bool owns_family(void)
{
	return !strcmp(owns, "family");
}

static int __init start(void)
{
	int err;

	if (owns_family())
		return sock_register(&other_family);
	err = proto_register(&other_proto, 1);
	if (err)
		return err;
	if (!strcmp(owns, "for ever")) {
		sw4.flags = INET_PROTOSW_PERMANENT;
		sw6.flags = INET_PROTOSW_PERMANENT;
	}
	inet_register_protosw(&sw4);
	return inet6_register_protosw(&sw6);
}

static void __exit stop(void)
{
	if (owns_family()) {
		sock_unregister(PF_SMC);
		return;
	}
	/* with this flag the core would keep the entry */
	sw4.flags = 0;
	sw6.flags = 0;
	inet6_unregister_protosw(&sw6);
	inet_unregister_protosw(&sw4);
	proto_unregister(&other_proto);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("owns the family or protocol of SMC, for tests");
