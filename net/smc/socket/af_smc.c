// SPDX-License-Identifier: GPL-2.0
/*
 * The socket family: AF_SMC, SOCK_STREAM, protocol 0 over IPv4, 1 over IPv6.
 * Sockets of AF_INET and AF_INET6 with protocol IPPROTO_SMC use the same calls.
 *
 * Every function of the family checks the mode first. In mode TCP it passes the
 * call to the TCP socket without our lock. No call runs at the same time as
 * release(), so the TCP socket stays valid.
 */
#define pr_fmt(fmt) "smc: " fmt

#include <linux/bpf.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include "../../../include/uapi/linux/smc.h"
#include "../base/compat.h"
#include "../conn/conn.h"
#include "close.h"
#include "connect.h"
#include "fallback.h"
#include "hs.h"
#include "inet.h"
#include "io.h"
#include "ioctl.h"
#include "listen.h"
#include "options.h"
#include "orphan.h"
#include "poll.h"
#include "reader.h"
#include "sock.h"
#include "sockopt.h"
#include "socket.h"
#include "splice.h"
#include "tcp_cb.h"
#include "work.h"

static int socket_bind(struct socket *sock, struct smc_compat_sockaddr *addr,
		       int len)
{
	struct sock *sk = sock->sk;
	struct smc_sock *smc = smc_sk(sk);
	int err = -EINVAL;

	lock_sock(sk);
	smc_options_push(smc);
	if (smc->mode == SMC_MODE_NEW || smc->mode == SMC_MODE_TCP ||
	    smc->mode == SMC_MODE_CLOSED)
		err = kernel_bind(smc->clcsock, addr, len);
	release_sock(sk);
	return err;
}

static int socket_listen(struct socket *sock, int backlog)
{
	struct sock *sk = sock->sk;
	struct smc_sock *smc = smc_sk(sk);
	int err = -EINVAL;

	lock_sock(sk);
	smc_options_push(smc);
	switch (smc->mode) {
	case SMC_MODE_NEW:
	case SMC_MODE_LISTEN:
		if (sock->state != SS_UNCONNECTED)
			break;
		smc_tcp_lend_file(smc, sock->file);
		err = smc_listen_start(smc, backlog);
		break;
	case SMC_MODE_TCP:
		err = smc_fallback_listen(smc, backlog);
		if (!err)
			WRITE_ONCE(sk->sk_state, SMC_SK_LISTEN);
		break;
	default:
		break;
	}
	release_sock(sk);
	return err;
}

static void graft_child(struct smc_sock *child, struct socket *newsock)
{
	struct sock *sk = &child->sk;

	lock_sock(sk);
	sock_graft(sk, newsock);
	newsock->state = SS_CONNECTED;
	smc_tcp_show_owner(child, newsock);
	smc_sock_born(newsock);
	if (child->mode == SMC_MODE_TCP)
		smc_fallback_graft(child, newsock);
	else
		smc_tcp_lend_file(child, newsock->file);
	release_sock(sk);
}

/*
 * Accepts on a listener in mode TCP. The child is an SMC socket in mode TCP.
 */
static int accept_tcp(struct smc_sock *smc, struct socket *newsock, int flags)
{
	struct socket *tcp;
	struct sock *sk;
	int err;

	smc_options_push(smc);
	err = kernel_accept(smc->clcsock, &tcp, flags);
	if (err)
		return err;
	sk = smc_sock_alloc_child(smc);
	if (!sk) {
		sock_release(tcp);
		return -ENOMEM;
	}
	smc_sock_adopt(smc_sk(sk), smc, tcp);
	smc_fallback_child(smc_sk(sk), smc);
	graft_child(smc_sk(sk), newsock);
	return 0;
}

/*
 * Waits for a finished child. As in TCP, an event wakes one waiter. The caller
 * holds the lock, which this function drops while it sleeps.
 */
static long wait_child(struct sock *sk, long timeo)
{
	struct smc_sock *smc = smc_sk(sk);
	DEFINE_WAIT(wait);

	prepare_to_wait_exclusive(sk_sleep(sk), &wait, TASK_INTERRUPTIBLE);
	if (smc->mode == SMC_MODE_LISTEN && !smc_listen_destroyed(smc) &&
	    !smc_listen_ready(smc)) {
		release_sock(sk);
		timeo = schedule_timeout(timeo);
		lock_sock(sk);
	}
	finish_wait(sk_sleep(sk), &wait);
	return timeo;
}

static struct smc_sock *next_child(struct sock *sk, int flags)
{
	long timeo = sock_rcvtimeo(sk, flags & O_NONBLOCK);
	struct smc_sock *smc = smc_sk(sk);
	struct smc_sock *child;

	for (;;) {
		if (smc->mode != SMC_MODE_LISTEN)
			return ERR_PTR(-EINVAL);
		child = smc_listen_pop(smc);
		if (child)
			return child;
		if (smc_listen_destroyed(smc))
			return ERR_PTR(-EINVAL);
		if (!timeo)
			return ERR_PTR(-EAGAIN);
		if (signal_pending(current))
			return ERR_PTR(sock_intr_errno(timeo));
		timeo = wait_child(sk, timeo);
	}
}

static int accept_child(struct socket *sock, struct socket *newsock, int flags)
{
	struct sock *sk = sock->sk;
	struct smc_sock *child;

	if (smc_sock_mode(smc_sk(sk)) == SMC_MODE_TCP)
		return accept_tcp(smc_sk(sk), newsock, flags);
	lock_sock(sk);
	child = next_child(sk, flags);
	release_sock(sk);
	if (IS_ERR(child))
		return PTR_ERR(child);
	graft_child(child, newsock);
	return 0;
}

SMC_COMPAT_ACCEPT(socket_accept, accept_child)

/*
 * @peer: 0: own name; 1: name of the peer; 2: name of the peer, at accept(). As
 * in TCP, the peer has no name after both directions have ended.
 */
static int sock_name(struct socket *sock, struct sockaddr *addr, int peer)
{
	struct smc_sock *smc = smc_sk(sock->sk);
	enum smc_sock_mode mode = smc_sock_mode(smc);

	if (peer && mode != SMC_MODE_SMC && mode != SMC_MODE_TCP)
		return -ENOTCONN;
	if (peer == 1 && mode == SMC_MODE_SMC && smc_conn_over(smc->conn))
		return -ENOTCONN;
	return smc_sock_tcp(smc)->getname(smc->clcsock, addr, peer);
}

static int socket_ioctl(struct socket *sock, unsigned int cmd,
			unsigned long arg)
{
	struct smc_sock *smc = smc_sk(sock->sk);
	int val = smc_ioctl_value(smc, cmd);

	if (val == -ENOIOCTLCMD) {
		/* takes the lock, because SIOCINQ depends on SO_OOBINLINE */
		if (smc_sock_mode(smc) == SMC_MODE_TCP)
			smc_options_push(smc);
		return smc_sock_tcp(smc)->ioctl(smc->clcsock, cmd, arg);
	}
	return val < 0 ? val : put_user(val, (int __user *)arg);
}

#ifdef CONFIG_COMPAT
static int compat_ioctl(struct socket *sock, unsigned int cmd,
			unsigned long arg)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	if (!smc_sock_tcp(smc)->compat_ioctl)
		return -ENOIOCTLCMD;
	return smc_sock_tcp(smc)->compat_ioctl(smc->clcsock, cmd, arg);
}

#define COMPAT_IOCTL_OP	.compat_ioctl = compat_ioctl,
#else
#define COMPAT_IOCTL_OP
#endif

static int socket_mmap(struct file *file, struct socket *sock,
		       struct vm_area_struct *vma)
{
	struct smc_sock *smc = smc_sk(sock->sk);

	if (smc_sock_mode(smc) != SMC_MODE_TCP)
		return -ENODEV;
	return smc_sock_tcp(smc)->mmap(file, smc->clcsock, vma);
}

/*
 * Sets SO_RCVLOWAT. The caller holds the lock. As in TCP, waiting readers check
 * again. TCP also gets the value, because TCP wakes the readers that sleep on
 * it. A BPF program must not sleep, so the next call passes the value to TCP. A
 * reader that already sleeps keeps the old value until it wakes up.
 */
static int set_rcvlowat(struct sock *sk, int val)
{
	struct smc_sock *smc = smc_sk(sk);

	WRITE_ONCE(sk->sk_rcvlowat, val ?: 1);
	if (smc->mode == SMC_MODE_TCP && !has_current_bpf_ctx())
		smc_options_push(smc);
	else if (smc->mode == SMC_MODE_SMC)
		smc_reader_ready_owned(smc);
	return 0;
}

/*
 * Sets SO_PEEK_OFF, if TCP has it. In mode TCP the caller has set it in TCP
 * before. Otherwise the fallback does that.
 */
static int set_peek_off(struct sock *sk, int val)
{
	if (!smc_sock_tcp(smc_sk(sk))->set_peek_off)
		return -EOPNOTSUPP;
	return sk_set_peek_off(sk, val);
}

/* The operations do not depend on the family. */
#define SOCK_OPS(_family)						\
	{								\
		.family		= _family,				\
		.owner		= THIS_MODULE,				\
		.release	= smc_release,				\
		.bind		= socket_bind,				\
		.connect	= smc_connect,				\
		.socketpair	= sock_no_socketpair,			\
		.accept		= socket_accept,			\
		.getname	= sock_name,				\
		.poll		= smc_poll,				\
		.ioctl		= socket_ioctl,				\
		COMPAT_IOCTL_OP						\
		.gettstamp	= sock_gettstamp,			\
		.listen		= socket_listen,			\
		.shutdown	= smc_shutdown,				\
		.setsockopt	= smc_setsockopt,			\
		.getsockopt	= smc_getsockopt,			\
		.sendmsg	= smc_sendmsg,				\
		.recvmsg	= smc_recvmsg,				\
		.mmap		= socket_mmap,				\
		.splice_read	= smc_splice_read,			\
		.splice_eof	= smc_splice_eof,			\
		.read_sock	= smc_reader_read_sock,			\
		.peek_len	= smc_reader_peek_len,			\
		.set_rcvlowat	= set_rcvlowat,				\
		.set_peek_off	= set_peek_off,				\
		SMC_COMPAT_SENDPAGE_OP(smc_sendpage)			\
	}

static const struct proto_ops smc_sock_ops = SOCK_OPS(PF_SMC);
static const struct proto_ops inet_ops = SOCK_OPS(PF_INET);
static const struct proto_ops inet6_ops = SOCK_OPS(PF_INET6);

static int socket_create(struct net *net, struct socket *sock, int protocol,
			 int kern)
{
	struct sock *sk;
	int family;
	int err;

	if (sock->type != SOCK_STREAM)
		return -ESOCKTNOSUPPORT;
	if (protocol != SMCPROTO_SMC && protocol != SMCPROTO_SMC6)
		return -EPROTONOSUPPORT;
	family = protocol == SMCPROTO_SMC6 ? AF_INET6 : AF_INET;
	sk = smc_sock_alloc(net, sock, family, kern);
	if (!sk)
		return -ENOMEM;
	err = smc_sock_create_tcp(smc_sk(sk));
	if (!err)
		err = smc_inet_admit(sk);
	if (err) {
		sock_orphan(sk);
		sock->sk = NULL;
		sock_put(sk);
		return err;
	}
	sock->ops = &smc_sock_ops;
	sock->state = SS_UNCONNECTED;
	smc_sock_born(sock);
	return 0;
}

/* Files that this file uses call back through these tables. */
static const struct smc_tcp_user tcp_user = {
	.listener	= smc_listen_kick,
	.handshake	= smc_hs_kick,
};

static const struct smc_hs_listener_ops hs_listener = {
	.get		= smc_listen_get,
	.put		= smc_listen_put,
	.child_done	= smc_listen_child_done,
	.child_failed	= smc_listen_child_failed,
};

static const struct smc_work_ops tasks = {
	.tell	= smc_reader_tell,
	.follow	= smc_orphan_follow,
};

static const struct net_proto_family smc_family = {
	.family	= PF_SMC,
	.owner	= THIS_MODULE,
	.create	= socket_create,
};

int smc_socket_init(void)
{
	int err;

	err = smc_work_init(&tasks);
	if (err)
		return err;
	err = smc_sock_protos_init();
	if (err)
		goto out_work;
	err = smc_tcp_cb_init(&tcp_user);
	if (err)
		goto out_protos;
	err = smc_hs_init(&hs_listener);
	if (err)
		goto out_protos;
	err = sock_register(&smc_family);
	if (err) {
		pr_err("family %d belongs to the kernel or to another module\n",
		       PF_SMC);
		goto out_hs;
	}
	smc_inet_init(&inet_ops, smc_sock_inet_proto(AF_INET),
		      &inet6_ops, smc_sock_inet_proto(AF_INET6));
	return 0;

out_hs:
	smc_hs_exit();
out_protos:
	smc_sock_protos_exit();
out_work:
	smc_work_exit();
	return err;
}

void smc_socket_exit(void)
{
	smc_inet_exit();
	sock_unregister(PF_SMC);
	smc_hs_exit();
	smc_work_exit();
	smc_sock_protos_exit();
}
