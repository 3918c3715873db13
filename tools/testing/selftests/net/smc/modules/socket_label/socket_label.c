// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: shows the security labels of AF_SMC sockets, which no system
 * call returns: the label of the last socket that began to listen, and of the
 * last socket that accept() returned.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/security.h>
#include <net/flow.h>
#include <net/sock.h>

static unsigned int listening;
module_param(listening, uint, 0444);
MODULE_PARM_DESC(listening, "label of the listener, a number");

static unsigned int accepted;
module_param(accepted, uint, 0444);
MODULE_PARM_DESC(accepted, "label of the accepted socket");

static unsigned int tcp_listening;
module_param(tcp_listening, uint, 0444);
MODULE_PARM_DESC(tcp_listening, "the same of TCP sockets of programs");

static unsigned int tcp_accepted;
module_param(tcp_accepted, uint, 0444);
MODULE_PARM_DESC(tcp_accepted, "the same of TCP sockets of programs");

static void show(struct sock *sk, unsigned int *smc, unsigned int *tcp)
{
	struct flowi_common flow = {};

	security_sk_classify_flow(sk, &flow);
	if (sk->sk_family == AF_SMC)
		WRITE_ONCE(*smc, flow.flowic_secid);
	else if (sk->sk_family == AF_INET && sk->sk_protocol == IPPROTO_TCP)
		WRITE_ONCE(*tcp, flow.flowic_secid);
}

static int on_listen(struct kprobe *p, struct pt_regs *regs)
{
	struct socket *sock = (void *)regs_get_kernel_argument(regs, 0);

	show(sock->sk, &listening, &tcp_listening);
	return 0;
}

/* sock_graft() calls this hook when a socket gets its file. */
static int on_graft(struct kprobe *p, struct pt_regs *regs)
{
	show((void *)regs_get_kernel_argument(regs, 0), &accepted,
	     &tcp_accepted);
	return 0;
}

static struct kprobe listen_probe = {
	.symbol_name = "security_socket_listen",
	.pre_handler = on_listen,
};

static struct kprobe graft_probe = {
	.symbol_name = "security_sock_graft",
	.pre_handler = on_graft,
};

static struct kprobe *probes[] = { &listen_probe, &graft_probe };

static int __init start(void)
{
	return register_kprobes(probes, ARRAY_SIZE(probes));
}

static void __exit stop(void)
{
	unregister_kprobes(probes, ARRAY_SIZE(probes));
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("shows security labels of sockets, for tests");
