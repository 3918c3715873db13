// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that need the lock of a socket, and that a context which must not wait
 * for the lock has to leave to a worker. A socket has one work item. The flags
 * of the socket tell which tasks wait.
 */
#include <linux/net.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include "lock.h"
#include "sock.h"
#include "tcp_cb.h"
#include "work.h"

static struct workqueue_struct *sock_wq;
/*
 * For sockets of readers inside the kernel. Such a reader may serve a device
 * that frees memory. And in mode TCP it waits for the lock of TCP, which should
 * delay only other readers.
 */
static struct workqueue_struct *reader_wq;

static const struct smc_work_ops *tasks __read_mostly;

static bool work_waits(const struct smc_sock *smc)
{
	return READ_ONCE(smc->flags) & (BIT(SMC_SF_TELL) | BIT(SMC_SF_FOLLOW));
}

static void work_run(struct work_struct *item)
{
	struct smc_sock *smc = container_of(item, struct smc_sock, work.item);
	struct socket *tcp = NULL;

	/* otherwise the owner of the lock has run the task meanwhile */
	if (work_waits(smc) && !smc_lock_try(smc, &smc->work.on_unlock)) {
		if (test_bit(SMC_SF_TELL, &smc->flags))
			tasks->tell(smc);
		if (test_bit(SMC_SF_FOLLOW, &smc->flags))
			tcp = tasks->follow(smc);
		release_sock(&smc->sk);
		if (tcp)
			sock_release(tcp);
	}
	sock_put(&smc->sk);
}

/* The work item holds a reference while it is queued or runs. */
static void work_queue(struct smc_sock *smc)
{
	bool reader = !smc_tcp_ready_is_default(&smc->sk);

	sock_hold(&smc->sk);
	if (!queue_work(reader ? reader_wq : sock_wq, &smc->work.item))
		sock_put(&smc->sk);
}

/* The owner of the lock calls this function and holds a reference. */
static void work_lock_free(struct smc_on_unlock *on_unlock)
{
	struct smc_sock *smc = container_of(on_unlock, struct smc_sock,
					    work.on_unlock);

	if (work_waits(smc))
		work_queue(smc);
}

/* The task sees what the caller has done before. */
static void work_note(struct smc_sock *smc, enum smc_sock_flag task)
{
	smp_mb__before_atomic();	/* partner: smc_work_begin() */
	set_bit(task, &smc->flags);
}

void smc_work_queue(struct smc_sock *smc, enum smc_sock_flag task)
{
	work_note(smc, task);
	work_queue(smc);
}

bool smc_work_lock(struct smc_sock *smc, enum smc_sock_flag task)
{
	/* the callback may run as soon as it is registered */
	work_note(smc, task);
	return !smc_lock_try(smc, &smc->work.on_unlock);
}

void smc_work_begin(struct smc_sock *smc, enum smc_sock_flag task)
{
	sock_owned_by_me(&smc->sk);
	clear_bit(task, &smc->flags);
	smp_mb__after_atomic();	/* partner: work_note() */
}

void smc_work_prepare(struct smc_sock *smc)
{
	INIT_WORK(&smc->work.item, work_run);
	smc_on_unlock_init(&smc->work.on_unlock, work_lock_free);
}

int smc_work_init(const struct smc_work_ops *ops)
{
	tasks = ops;
	sock_wq = alloc_workqueue("smc_sock", WQ_UNBOUND, 0);
	if (!sock_wq)
		return -ENOMEM;
	reader_wq = alloc_workqueue("smc_reader", WQ_UNBOUND | WQ_MEM_RECLAIM,
				    0);
	if (reader_wq)
		return 0;
	destroy_workqueue(sock_wq);
	return -ENOMEM;
}

void smc_work_exit(void)
{
	destroy_workqueue(reader_wq);
	destroy_workqueue(sock_wq);
}
