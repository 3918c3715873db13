// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: a user of AF_SMC inside the kernel, as file systems and block
 * devices over the network are users of TCP.
 *
 * Without the parameter "to", the module listens and sends back what arrives on
 * one connection. With "to", the module connects to this address, sends data
 * and compares the data that it receives. Loading the module fails if the data
 * differ.
 */
#include <linux/in.h>
#include <linux/inet.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <net/sock.h>

#define ROUNDS	32
#define BYTES	16384

static char *to;
module_param(to, charp, 0444);
MODULE_PARM_DESC(to, "IPv4 address to connect to");

static bool tcp;
module_param(tcp, bool, 0444);
MODULE_PARM_DESC(tcp, "connect with a socket of TCP");

static ushort port = 7750;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "port of the listener");

static ulong served;
module_param(served, ulong, 0444);
MODULE_PARM_DESC(served, "bytes that were sent back");

static uint events;
module_param(events, uint, 0444);
MODULE_PARM_DESC(events, "calls of the module's data_ready");

static struct socket *listener;
static struct task_struct *server;
static void (*old_data_ready)(struct sock *sk);

/* Calls the callback that this function has replaced, as file systems do. */
static void data_ready(struct sock *sk)
{
	events++;
	old_data_ready(sk);
}

static void hook(struct socket *sock)
{
	struct sock *sk = sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	old_data_ready = sk->sk_data_ready;
	sk->sk_data_ready = data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
}

static void unhook(struct socket *sock)
{
	struct sock *sk = sock->sk;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = old_data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
}

static int transfer(struct socket *sock, void *buf, size_t len, bool out)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = { .msg_flags = out ? MSG_NOSIGNAL : MSG_WAITALL };

	if (out)
		return kernel_sendmsg(sock, &msg, &vec, 1, len);
	return kernel_recvmsg(sock, &msg, &vec, 1, len, MSG_WAITALL);
}

/* ---- the listener ---- */

static void serve(struct socket *sock, void *buf)
{
	int n;

	while ((n = transfer(sock, buf, BYTES, false)) > 0) {
		if (transfer(sock, buf, n, true) != n)
			return;
		served += n;
	}
	kernel_sock_shutdown(sock, SHUT_RDWR);
}

static int serve_main(void *buf)
{
	struct socket *sock;

	if (!kernel_accept(listener, &sock, 0)) {
		serve(sock, buf);
		sock_release(sock);
	}
	kfree(buf);
	/* waits until the module is unloaded */
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int start_server(struct sockaddr_in *addr)
{
	void *buf = kmalloc(BYTES, GFP_KERNEL);
	int err;

	if (!buf)
		return -ENOMEM;
	err = kernel_bind(listener, (struct sockaddr *)addr, sizeof(*addr));
	if (!err)
		err = kernel_listen(listener, 4);
	if (!err) {
		server = kthread_run(serve_main, buf, "kernel_user");
		err = PTR_ERR_OR_ZERO(server);
	}
	if (err)
		kfree(buf);
	return err;
}

/* ---- the client ---- */

static int one_round(struct socket *sock, u8 *buf, unsigned int round)
{
	unsigned int i;
	int n;

	for (i = 0; i < BYTES; i++)
		buf[i] = i * 7 + round;
	n = transfer(sock, buf, BYTES, true);
	if (n != BYTES)
		return n < 0 ? n : -EIO;
	memset(buf, 0, BYTES);
	n = transfer(sock, buf, BYTES, false);
	if (n != BYTES)
		return n < 0 ? n : -EIO;
	for (i = 0; i < BYTES; i++)
		if (buf[i] != (u8)(i * 7 + round))
			return -EBADMSG;
	return 0;
}

static int converse(struct socket *sock, u8 *buf)
{
	unsigned int round;
	int one = 1;
	int err;

	err = sock->ops->setsockopt(sock, SOL_TCP, TCP_NODELAY,
				    KERNEL_SOCKPTR(&one), sizeof(one));
	for (round = 0; !err && round < ROUNDS; round++)
		err = one_round(sock, buf, round);
	if (err)
		return err;
	err = kernel_sock_shutdown(sock, SHUT_WR);
	if (err)
		return err;
	/* the end of the stream follows the data */
	return transfer(sock, buf, BYTES, false);
}

static int run_client(struct sockaddr_in *addr)
{
	struct socket *sock;
	u8 *buf;
	int err;

	buf = kmalloc(BYTES, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	err = sock_create_kern(&init_net, tcp ? PF_INET : PF_SMC, SOCK_STREAM,
			       0, &sock);
	if (err)
		goto out_free;
	err = kernel_connect(sock, (struct sockaddr *)addr, sizeof(*addr), 0);
	if (!err) {
		hook(sock);
		err = converse(sock, buf);
		unhook(sock);
	}
	if (!err && !events)
		err = -ENODATA;
	sock_release(sock);
out_free:
	kfree(buf);
	return err;
}

static int __init start(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};
	int err;

	if (to) {
		addr.sin_addr.s_addr = in_aton(to);
		return run_client(&addr);
	}
	err = sock_create_kern(&init_net, PF_SMC, SOCK_STREAM, 0, &listener);
	if (err)
		return err;
	err = start_server(&addr);
	if (err)
		sock_release(listener);
	return err;
}

static void __exit stop(void)
{
	if (!listener)
		return;
	/* wakes the thread if it still waits for a connection */
	kernel_sock_shutdown(listener, SHUT_RDWR);
	kthread_stop(server);
	sock_release(listener);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a user of AF_SMC inside the kernel, for tests");
