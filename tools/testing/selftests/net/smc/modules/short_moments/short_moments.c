// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: extends the short times in which a socket is partly changed,
 * so that races with other CPUs become likely:
 *
 * - A socket has its new mode, and the code that changed it continues.
 * - A TCP socket has its error, and TCP has not reported the error.
 * - A packet filter reads the file of a hidden TCP socket. Like a filter, the
 *	thread holds sk_callback_lock while it reads.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <net/inet_connection_sock.h>
#include <net/net_namespace.h>
#include <net/tcp.h>

static unsigned int ms = 10;
module_param(ms, uint, 0644);
MODULE_PARM_DESC(ms, "how long a moment is");

static int modes;
module_param(modes, int, 0444);
MODULE_PARM_DESC(modes, "changes of a mode that were long");

static int errors;
module_param(errors, int, 0444);
MODULE_PARM_DESC(errors, "errors of TCP that were reported late");

static int files;
module_param(files, int, 0444);
MODULE_PARM_DESC(files, "TCP sockets whose file was watched until it went");

static int lost;
module_param(lost, int, 0444);
MODULE_PARM_DESC(lost, "files that went while the lock was held");

static atomic_t n_modes = ATOMIC_INIT(0);
static atomic_t n_errors = ATOMIC_INIT(0);

/* Reads of the file while the lock is held, in steps of 5 us. */
#define LOOKS	100

/* the probes run with preemption off; the counts are read as parameters */
static int on_mode(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	mdelay(READ_ONCE(ms));
	WRITE_ONCE(modes, atomic_inc_return(&n_modes));
	return 0;
}

/* After a reset TCP calls this function between the error and its report. */
static int on_tcp_done(struct kprobe *p, struct pt_regs *regs)
{
	struct sock *sk = (struct sock *)regs_get_kernel_argument(regs, 0);

	if (!READ_ONCE(sk->sk_err))
		return 0;
	mdelay(READ_ONCE(ms));
	WRITE_ONCE(errors, atomic_inc_return(&n_errors));
	return 0;
}

static struct kretprobe mode_probe = {
	.kp.symbol_name = "smc_sock_set_mode",
	.handler = on_mode,
};

static struct kprobe done_probe = {
	.symbol_name = "tcp_done",
	.pre_handler = on_tcp_done,
};

/* ---- the file of a hidden TCP socket ---- */

static struct sock *watched;	/* with a reference; taken by cmpxchg() */
static struct task_struct *watcher;

static bool is_hidden(const struct sock *sk)
{
	const struct tcp_ulp_ops *ops;

	/* TCP answers some packets by a socket that is not one of TCP */
	if (!sk || !sk_fullsock(sk) || !sk_is_tcp(sk))
		return false;
	ops = READ_ONCE(inet_csk(sk)->icsk_ulp_ops);
	return ops && ops->owner && !strcmp(ops->owner->name, "smc");
}

static unsigned int on_packet(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	struct sock *sk = skb->sk;

	if (!READ_ONCE(watched) && is_hidden(sk)) {
		sock_hold(sk);
		if (cmpxchg(&watched, NULL, sk))
			__sock_put(sk);
	}
	return NF_ACCEPT;
}

static const struct nf_hook_ops packet_hook = {
	.hook = on_packet,
	.pf = NFPROTO_IPV4,
	.hooknum = NF_INET_LOCAL_OUT,
};

/* Return: the socket has a file. */
static bool look(struct sock *sk)
{
	const struct file *file = NULL;
	struct socket *sock;
	int i;

	read_lock_bh(&sk->sk_callback_lock);
	sock = sk->sk_socket;
	if (sock)
		file = READ_ONCE(sock->file);
	for (i = 0; file && i < LOOKS; i++) {
		udelay(5);
		if (READ_ONCE(sock->file) == file)
			continue;
		WRITE_ONCE(lost, lost + 1);
		break;
	}
	read_unlock_bh(&sk->sk_callback_lock);
	return file;
}

static int watch(void *unused)
{
	struct sock *sk;

	while (!kthread_should_stop()) {
		sk = READ_ONCE(watched);
		if (!sk) {
			usleep_range(100, 200);
			continue;
		}
		if (look(sk)) {
			cond_resched();
			continue;
		}
		WRITE_ONCE(files, files + 1);
		WRITE_ONCE(watched, NULL);
		sock_put(sk);
	}
	return 0;
}

static int __init start(void)
{
	int err;

	err = register_kretprobe(&mode_probe);
	if (err)
		return err;
	err = register_kprobe(&done_probe);
	if (err)
		goto err_mode;
	watcher = kthread_run(watch, NULL, "short_moments");
	if (IS_ERR(watcher)) {
		err = PTR_ERR(watcher);
		goto err_done;
	}
	err = nf_register_net_hook(&init_net, &packet_hook);
	if (err)
		goto err_thread;
	return 0;

err_thread:
	kthread_stop(watcher);
err_done:
	unregister_kprobe(&done_probe);
err_mode:
	unregister_kretprobe(&mode_probe);
	return err;
}

static void __exit stop(void)
{
	nf_unregister_net_hook(&init_net, &packet_hook);
	kthread_stop(watcher);
	if (watched)
		sock_put(watched);
	unregister_kprobe(&done_probe);
	unregister_kretprobe(&mode_probe);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("short moments of sockets that last long, for tests");
