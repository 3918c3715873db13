// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that execute commands of a device. A command may take a minute if the
 * firmware of the device hangs. The worker of a group must not wait that long,
 * because it serves the links over other devices, too. So another work item
 * makes the call, and the caller waits for a limited time.
 *
 * Many callers may wait for one device, for example when a port comes back.
 * Then each call waits for its turn. A call whose caller gives up before its
 * turn costs the device nothing.
 */
#include <linux/jiffies.h>
#include "call.h"
#include "port_priv.h"
#include "queues.h"

enum {
	/*
	 * If calls run, but none has ended for this time, the device hangs. A
	 * call that waits for memory counts, too, so a device that works may be
	 * taken for one that hangs.
	 */
	CALL_HANG_MS	= 3000,

	/* If so many calls wait for their turn, no new link should be begun. */
	CALL_WAITING_MAX = 32,
};

static void call_release(struct kref *ref)
{
	struct smc_call *call = container_of(ref, struct smc_call, ref);
	struct smc_port *port = call->port;

	call->free(call);
	if (port)
		smc_port_put(port, SMC_PORT_REF_CALL);
}

/**
 * smc_call_put - drop the caller's reference
 * @call: call
 *
 * If the work item is not queued, or has ended, this frees the struct that
 * embeds the call. Otherwise the work item frees it, with the result, when the
 * call ends. Context: may sleep.
 */
void smc_call_put(struct smc_call *call)
{
	kref_put(&call->ref, call_release);
}

/*
 * The caller must be able to tell its own errors from those of the device, some
 * of which use these numbers for a lack of resources.
 */
static int call_error(int err)
{
	return err == -EAGAIN || err == -EBUSY || err == -EDQUOT ||
	       err == -ETIMEDOUT ? -EIO : err;
}

static void call_work(struct work_struct *work)
{
	struct smc_call *call = container_of(work, struct smc_call, work);
	struct smc_queues_calls *calls = smc_queues_calls(call->port);

	atomic_dec(&calls->waiting);
	if (!atomic_read(&calls->running))
		WRITE_ONCE(calls->progress, jiffies);
	/* who sees the count sees the time; partner: smc_call_hangs() */
	smp_mb__before_atomic();
	atomic_inc(&calls->running);
	call->err = call_error(call->run(call));
	WRITE_ONCE(calls->progress, jiffies);
	atomic_dec(&calls->running);
	complete(&call->done);
	smc_call_put(call);
}

/**
 * smc_call_init - prepare a call, with one reference of the caller
 * @call: call, embedded in the caller's struct
 * @port: port of the device; NULL: in-host, where no call hangs
 * @run: makes the call, see struct smc_call
 * @free: frees the caller's struct, see struct smc_call
 *
 * Context: any.
 */
void smc_call_init(struct smc_call *call, struct smc_port *port,
		   int (*run)(struct smc_call *call),
		   void (*free)(struct smc_call *call))
{
	kref_init(&call->ref);
	call->port = port ? smc_port_get(port, SMC_PORT_REF_CALL) : NULL;
	call->run = run;
	call->free = free;
	INIT_WORK(&call->work, call_work);
	init_completion(&call->done);
}

/**
 * smc_call_hangs - does the device of this port hang?
 * @port: port, or NULL: in-host
 *
 * Context: any. Return: true if calls run, and none has ended for some seconds.
 */
bool smc_call_hangs(const struct smc_port *port)
{
	unsigned long now = jiffies;	/* read first: progress may be newer */
	struct smc_queues_calls *calls;

	if (!port)
		return false;
	calls = smc_queues_calls(port);
	/* partner: call_work() */
	return atomic_read_acquire(&calls->running) &&
	       time_after(now, READ_ONCE(calls->progress) +
			       msecs_to_jiffies(CALL_HANG_MS));
}

/**
 * smc_call_crowded - has the device of this port too much to do?
 * @port: port, or NULL: in-host
 *
 * Context: any. Return: true if so many calls wait for their turn that the
 * caller should come back later.
 */
bool smc_call_crowded(const struct smc_port *port)
{
	return port && atomic_read(&smc_queues_calls(port)->waiting) >=
		       CALL_WAITING_MAX;
}

/**
 * smc_call_run - make a call, but do not wait for a device that hangs
 * @call: call, once
 * @ms: limit of the wait
 *
 * Context: may sleep. The caller may hold any lock that @call->run does not
 * take.
 *
 * Return: the return value of @call->run; after 0 the result is valid. -EBUSY:
 * the device hangs. -EAGAIN: the turn of the call has not come in time, and the
 * device was not asked. -ETIMEDOUT: the call goes on; nobody takes its result,
 * so @call->free frees it after smc_call_put(). If @call->run returns one of
 * these errors, this function returns -EIO instead.
 */
int smc_call_run(struct smc_call *call, unsigned int ms)
{
	struct smc_queues_calls *calls;

	might_sleep();
	if (!call->port)
		return call_error(call->run(call));
	if (smc_call_hangs(call->port))
		return -EBUSY;
	calls = smc_queues_calls(call->port);
	atomic_inc(&calls->waiting);
	kref_get(&call->ref);
	queue_work(calls->wq, &call->work);
	if (wait_for_completion_timeout(&call->done, msecs_to_jiffies(ms)))
		return call->err;
	if (!cancel_work(&call->work))
		return completion_done(&call->done) ? call->err : -ETIMEDOUT;
	atomic_dec(&calls->waiting);
	smc_call_put(call);
	return -EAGAIN;
}
