// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: a reader of AF_SMC inside the kernel.
 *
 * The module listens, and sends back what arrives on one connection. It reads
 * with read_sock(), from its sk_data_ready ("callback") or with strparser
 * ("strparser"). kernel_user.c has a client that compares the bytes. Or it
 * closes the connection when bytes wait ("nobody").
 */
#include <linux/delay.h>
#include <linux/in.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/poll.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <net/strparser.h>

/* The callback takes at most this many bytes at a time. */
#define PIECE	1000
/* size of a message of strparser, and of the part that tells its size */
#define MESSAGE	4096
#define HEADER	8

static ushort port = 7751;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "port of the listener");

static char *reader = "callback";
module_param(reader, charp, 0444);
MODULE_PARM_DESC(reader, "callback, strparser or nobody");

static ulong served;
module_param(served, ulong, 0444);
MODULE_PARM_DESC(served, "bytes that were sent back");

static uint events;
module_param(events, uint, 0444);
MODULE_PARM_DESC(events, "calls of the module's data_ready");

static uint unread;
module_param(unread, uint, 0444);
MODULE_PARM_DESC(unread, "bytes that waited when nobody read them");

static uint unlocked;
module_param(unlocked, uint, 0444);
MODULE_PARM_DESC(unlocked, "calls without the lock of the socket");

static struct socket *listener;
static struct task_struct *server;
static struct sk_buff_head received;
static void (*old_data_ready)(struct sock *sk);

static bool is_locked(struct sock *sk)
{
	return sock_owned_by_user_nocheck(sk);
}

/* Puts the next bytes, or a message of strparser, into the queue. */
static void keep(struct sk_buff *skb, struct sock *sk)
{
	skb_queue_tail(&received, skb);
	wake_up_interruptible(sk_sleep(sk));
}

/* ---- reading in the callback ---- */

/* kernel_user.sh finds this name. */
static noinline int kernel_reader_take(read_descriptor_t *desc,
				       struct sk_buff *skb,
				       unsigned int offset, size_t len)
{
	struct sk_buff *mine;

	len = min_t(size_t, len, PIECE);
	mine = alloc_skb(len, GFP_ATOMIC);
	if (!mine)
		return 0;
	if (skb_copy_bits(skb, offset, skb_put(mine, len), len)) {
		kfree_skb(mine);
		return 0;
	}
	keep(mine, desc->arg.data);
	return len;
}

static void read_all(struct sock *sk)
{
	read_descriptor_t desc = { .arg.data = sk, .count = 1 };

	sk->sk_socket->ops->read_sock(sk, &desc,
				      kernel_reader_take);
}

/* ---- reading with strparser ---- */

#if IS_ENABLED(CONFIG_STREAM_PARSER)

static struct strparser strp;

static int parse(struct strparser *s, struct sk_buff *skb)
{
	if (skb->len < strp_msg(skb)->offset + HEADER)
		return 0;
	return MESSAGE;
}

static void got_message(struct strparser *s, struct sk_buff *skb)
{
	keep(skb, s->sk);
}

static int parser_begin(struct sock *sk)
{
	static const struct strp_callbacks calls = {
		.parse_msg = parse,
		.rcv_msg = got_message,
	};

	return strp_init(&strp, sk, &calls);
}

static void parser_ready(void)
{
	strp_data_ready(&strp);
}

static void parser_stop(void)
{
	strp_stop(&strp);
}

static void parser_end(void)
{
	strp_done(&strp);
}

static unsigned int message_at(struct sk_buff *skb, unsigned int *len)
{
	*len = strp_msg(skb)->full_len;
	return strp_msg(skb)->offset;
}

#else

static int parser_begin(struct sock *sk)
{
	return -EOPNOTSUPP;
}

static void parser_ready(void)
{
}

static void parser_stop(void)
{
}

static void parser_end(void)
{
}

static unsigned int message_at(struct sk_buff *skb, unsigned int *len)
{
	return 0;
}

#endif

static bool parses(void)
{
	return !strcmp(reader, "strparser");
}

/* ---- the connection ---- */

static void read_now(struct sock *sk)
{
	if (parses())
		parser_ready();
	else
		read_all(sk);
}

static void data_ready(struct sock *sk)
{
	events++;
	if (!strcmp(reader, "nobody"))
		return;
	if (!is_locked(sk))
		unlocked++;
	else
		read_now(sk);
	old_data_ready(sk);
}

static int hook(struct sock *sk)
{
	int err = 0;

	lock_sock(sk);
	if (parses())
		err = parser_begin(sk);
	if (!err) {
		write_lock_bh(&sk->sk_callback_lock);
		old_data_ready = sk->sk_data_ready;
		sk->sk_data_ready = data_ready;
		write_unlock_bh(&sk->sk_callback_lock);
		read_now(sk);	/* bytes that have arrived before */
	}
	release_sock(sk);
	return err;
}

static void unhook(struct sock *sk)
{
	lock_sock(sk);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = old_data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
	if (parses())
		parser_stop();
	release_sock(sk);
	if (parses())
		parser_end();
}

static bool is_over(struct socket *sock)
{
	__poll_t mask = sock->ops->poll(NULL, sock, NULL);

	return mask & (EPOLLRDHUP | EPOLLERR) && !sock->ops->peek_len(sock);
}

static int send_back(struct socket *sock, struct sk_buff *skb, void *buf)
{
	struct msghdr msg = { .msg_flags = MSG_NOSIGNAL };
	unsigned int len = skb->len;
	unsigned int at = 0;
	struct kvec vec;

	if (parses())
		at = message_at(skb, &len);
	if (len > MESSAGE || skb_copy_bits(skb, at, buf, len))
		return -EIO;
	vec = (struct kvec){ .iov_base = buf, .iov_len = len };
	if (kernel_sendmsg(sock, &msg, &vec, 1, len) != len)
		return -EPIPE;
	served += len;
	return 0;
}

static void serve(struct socket *sock, void *buf)
{
	struct sock *sk = sock->sk;
	struct sk_buff *skb;
	int err;

	err = hook(sk);
	while (!err) {
		wait_event_interruptible_timeout(*sk_sleep(sk),
						 !skb_queue_empty(&received) ||
						 is_over(sock), HZ);
		skb = skb_dequeue(&received);
		if (!skb && is_over(sock) && skb_queue_empty(&received))
			break;
		if (!skb)
			continue;
		err = send_back(sock, skb, buf);
		kfree_skb(skb);
	}
	if (old_data_ready)
		unhook(sk);
	skb_queue_purge(&received);
	kernel_sock_shutdown(sock, SHUT_RDWR);
}

/*
 * Owns the lock until bytes have arrived. Their event waits for the lock, and
 * the caller closes the socket as soon as the lock is free.
 */
static void wait_for_bytes(struct socket *sock)
{
	struct sock *sk = sock->sk;
	int i;

	lock_sock(sk);
	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_data_ready = data_ready;
	write_unlock_bh(&sk->sk_callback_lock);
	for (i = 0; i < 1000 && !unread; i++) {
		msleep(20);
		unread = sock->ops->peek_len(sock);
	}
	msleep(100);	/* the event has found the lock owned */
	release_sock(sk);
}

static int serve_main(void *buf)
{
	struct socket *sock;

	if (!kernel_accept(listener, &sock, 0)) {
		if (!strcmp(reader, "nobody"))
			wait_for_bytes(sock);
		else
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

/* Connections of an earlier reader may still wait for their end. */
static void reuse_port(struct socket *sock)
{
	int on = 1;

	/* before Linux 6.7 the option is only a member of the socket */
	sock->sk->sk_reuse = SK_CAN_REUSE;
	sock->ops->setsockopt(sock, SOL_SOCKET, SO_REUSEADDR,
			      KERNEL_SOCKPTR(&on), sizeof(on));
}

static int __init start(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
	};
	void *buf;
	int err;

	if (parses() && !IS_ENABLED(CONFIG_STREAM_PARSER))
		return -EOPNOTSUPP;
	skb_queue_head_init(&received);
	buf = kmalloc(MESSAGE, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	err = sock_create_kern(&init_net, PF_SMC, SOCK_STREAM, 0, &listener);
	if (err)
		goto out_free;
	reuse_port(listener);
	err = kernel_bind(listener, (struct sockaddr *)&addr, sizeof(addr));
	if (!err)
		err = kernel_listen(listener, 4);
	if (!err) {
		server = kthread_run(serve_main, buf, "kernel_reader");
		err = PTR_ERR_OR_ZERO(server);
	}
	if (!err)
		return 0;
	sock_release(listener);
out_free:
	kfree(buf);
	return err;
}

static void __exit stop(void)
{
	/* wakes the thread if it still waits for a connection */
	kernel_sock_shutdown(listener, SHUT_RDWR);
	kthread_stop(server);
	sock_release(listener);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a reader of AF_SMC inside the kernel, for tests");
