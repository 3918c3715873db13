// SPDX-License-Identifier: GPL-2.0
/*
 * Callbacks of the hidden TCP socket.
 *
 * The callbacks run in softirq or under the TCP socket's lock. The callbacks
 * pass the event to the handshake or to the listener, or they abort an
 * established connection whose TCP connection was reset (R-4.8.2-09).
 *
 * tcp->sk_callback_lock protects tcp->sk_user_data. An AF_SMC socket takes that
 * lock for writing and removes the callbacks before it is freed, so a callback
 * may use the socket under the lock. A callback that finds no owner calls the
 * callback that is installed now. So a socket that has just become TCP loses no
 * event.
 */
#include <linux/in.h>
#include <net/tcp.h>
#include "../conn/close.h"
#include "../conn/conn.h"
#include "sock.h"
#include "tcp_cb.h"

/* Default callbacks of a TCP socket; written once at start. */
static struct {
	void (*state_change)(struct sock *sk);
	void (*data_ready)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	void (*error_report)(struct sock *sk);
} born __read_mostly;

static const struct smc_tcp_user *tcp_user __read_mostly;

struct smc_sock *smc_tcp_owner(const struct sock *tcp)
{
	/* while the ULP is attached, BPF and others cannot use sk_user_data */
	return __locked_read_sk_user_data_with_flags(tcp, SK_USER_DATA_NOCOPY);
}

/* An orderly end of TCP is not an error (R-L-18). */
static bool was_reset(const struct sock *tcp)
{
	return READ_ONCE(tcp->sk_state) == TCP_CLOSE && READ_ONCE(tcp->sk_err);
}

/*
 * After a reset the connection gets the error of TCP, with one exception. TCP
 * reports EPIPE if its connection was half-closed, but the SMC connection was
 * not, so it gets ECONNRESET. After the handshake no byte may arrive over TCP
 * (R-4.5.3-11). A peer that sends bytes over TCP, such as a late Decline, does
 * not agree that the connection runs over SMC-R.
 */
int smc_tcp_fatal(struct sock *tcp)
{
	int err = READ_ONCE(tcp->sk_err);

	if (was_reset(tcp))
		return err == EPIPE ? ECONNRESET : err;
	return tcp_inq(tcp) > 0 ? ECONNRESET : 0;
}

/*
 * Passes the event to its receiver. Return: the connection to abort with @err,
 * with a reference, or NULL.
 */
static struct smc_conn *pass_on(struct smc_sock *smc, struct sock *tcp,
				int *err)
{
	/*
	 * Pairs with code that changes the mode or the state of the listener
	 * and then checks TCP. Either that code sees what TCP did before this
	 * call, or this function sees the change.
	 */
	smp_mb();
	switch (smc_sock_mode(smc)) {
	case SMC_MODE_LISTEN:
		tcp_user->listener(smc);
		return NULL;
	case SMC_MODE_SMC:
		*err = smc_tcp_fatal(tcp);
		return *err ? smc_conn_get(smc->conn, SMC_CONN_REF_TCP) : NULL;
	default:
		tcp_user->handshake(smc);
		return NULL;
	}
}

static void data_ready(struct sock *tcp);

/*
 * In mode TCP, fallback.c also uses sk_user_data, with another callback. So
 * this test checks sk_data_ready.
 */
static bool is_hooked(const struct sock *tcp)
{
	lockdep_assert_held(&tcp->sk_callback_lock);
	return READ_ONCE(tcp->sk_data_ready) == data_ready;
}

static bool tell_hook_owner(struct sock *tcp)
{
	struct smc_conn *reset = NULL;
	bool ours;
	int err;

	read_lock_bh(&tcp->sk_callback_lock);
	ours = is_hooked(tcp);
	if (ours)
		reset = pass_on(smc_tcp_owner(tcp), tcp, &err);
	read_unlock_bh(&tcp->sk_callback_lock);
	if (reset) {
		smc_close_reset(reset, err);
		smc_conn_put(reset, SMC_CONN_REF_TCP);
	}
	return ours;
}

static void data_ready(struct sock *tcp)
{
	void (*now)(struct sock *sk);

	if (tell_hook_owner(tcp))
		return;
	now = READ_ONCE(tcp->sk_data_ready);
	if (now != data_ready)
		now(tcp);
}

static void state_change(struct sock *tcp)
{
	void (*now)(struct sock *sk);

	if (tell_hook_owner(tcp))
		return;
	now = READ_ONCE(tcp->sk_state_change);
	if (now != state_change)
		now(tcp);
}

static void error_report(struct sock *tcp)
{
	void (*now)(struct sock *sk);

	if (tell_hook_owner(tcp))
		return;
	now = READ_ONCE(tcp->sk_error_report);
	if (now != error_report)
		now(tcp);
}

void smc_tcp_hook(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock->sk;

	write_lock_bh(&tcp->sk_callback_lock);
	if (!is_hooked(tcp)) {
		smc->tcp_cb.state_change = tcp->sk_state_change;
		smc->tcp_cb.data_ready = tcp->sk_data_ready;
		smc->tcp_cb.error_report = tcp->sk_error_report;
		__rcu_assign_sk_user_data_with_flags(tcp, smc,
						     SK_USER_DATA_NOCOPY);
		WRITE_ONCE(tcp->sk_state_change, state_change);
		WRITE_ONCE(tcp->sk_data_ready, data_ready);
		WRITE_ONCE(tcp->sk_error_report, error_report);
	}
	write_unlock_bh(&tcp->sk_callback_lock);
}

void smc_tcp_unhook(struct smc_sock *smc)
{
	struct sock *tcp = smc->clcsock ? smc->clcsock->sk : NULL;

	if (!tcp)
		return;
	write_lock_bh(&tcp->sk_callback_lock);
	if (is_hooked(tcp)) {
		WRITE_ONCE(tcp->sk_state_change, smc->tcp_cb.state_change);
		WRITE_ONCE(tcp->sk_data_ready, smc->tcp_cb.data_ready);
		WRITE_ONCE(tcp->sk_error_report, smc->tcp_cb.error_report);
		rcu_assign_sk_user_data(tcp, NULL);
	}
	write_unlock_bh(&tcp->sk_callback_lock);
}

void smc_tcp_lend_file(struct smc_sock *smc, struct file *file)
{
	struct sock *tcp = smc->clcsock->sk;

	lock_sock(tcp);
	write_lock_bh(&tcp->sk_callback_lock);
	/* Partner: packet filters of 6.1 that read it without the lock. */
	WRITE_ONCE(smc->clcsock->file, file);
	write_unlock_bh(&tcp->sk_callback_lock);
	release_sock(tcp);
}

void smc_tcp_show_owner(struct smc_sock *smc, struct socket *user)
{
	const struct inode *from = user ? SOCK_INODE(user) : NULL;
	struct inode *inode = SOCK_INODE(smc->clcsock);
	struct sock *tcp = smc->clcsock->sk;

	write_lock_bh(&tcp->sk_callback_lock);
	inode->i_ino = from ? from->i_ino : 0;
	if (from) {
		inode->i_uid = from->i_uid;
		inode->i_gid = from->i_gid;
		/* partner: routing of TCP's packets, which takes no lock */
		WRITE_ONCE(tcp->sk_uid, from->i_uid);
	}
	write_unlock_bh(&tcp->sk_callback_lock);
}

void smc_tcp_reset_callbacks(struct sock *tcp)
{
	tcp->sk_state_change = born.state_change;
	tcp->sk_data_ready = born.data_ready;
	tcp->sk_write_space = born.write_space;
	tcp->sk_error_report = born.error_report;
	tcp->sk_user_data = NULL;
}

bool smc_tcp_ready_is_default(const struct sock *sk)
{
	/* partner: readers that replace the callback under sk_callback_lock */
	return READ_ONCE(sk->sk_data_ready) == born.data_ready;
}

void smc_tcp_default_ready(struct sock *sk)
{
	born.data_ready(sk);
}

void smc_tcp_restore_ready(struct sock *tcp)
{
	lockdep_assert_held_write(&tcp->sk_callback_lock);
	WRITE_ONCE(tcp->sk_data_ready, born.data_ready);
}

int smc_tcp_cb_init(const struct smc_tcp_user *user)
{
	struct socket *probe;
	int err;

	tcp_user = user;
	err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP,
			       &probe);
	if (err)
		return err;
	born.state_change = probe->sk->sk_state_change;
	born.data_ready = probe->sk->sk_data_ready;
	born.write_space = probe->sk->sk_write_space;
	born.error_report = probe->sk->sk_error_report;
	sock_release(probe);
	return 0;
}
