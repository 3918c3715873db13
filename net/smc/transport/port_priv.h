/* SPDX-License-Identifier: GPL-2.0 */
/* RDMA ports: declarations for the files of transport/. */
#ifndef _SMC_TRANSPORT_PORT_PRIV_H
#define _SMC_TRANSPORT_PORT_PRIV_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include "gid_set.h"
#include "port.h"

struct smc_queues;

/**
 * struct smc_port - one RoCE port
 *
 * The port has two counts. While @ref is held, the struct exists. While @users
 * is held, the device exists: code that uses the device holds @users, and the
 * removal of the device waits until the count is 0.
 *
 * @ref:	held by the registry and by every pointer to the port
 * @users:	held by the registry, by endpoints until they are closed, and by
 *		memory regions until they are freed
 * @unused:	completed when @users is 0
 * @list:	entry in the list of all ports; ports_lock for writing, RCU for
 *		reading
 * @rcu:	frees the struct
 * @ibdev:	device; valid while @users is held, or under RCU while the port
 *		is on the list
 * @num:	port number, from 1
 * @n_vectors:	completion vectors of the device, as the device states them
 * @gone:	the port is not active, or removed, and admits no new user.
 *		Written under @watch_lock, READ_ONCE elsewhere.
 * @fatal:	the device has reported a fatal error, and no event PORT_ACTIVE
 *		has followed; device_event() writes it, READ_ONCE in
 *		port_active()
 * @watch_lock:	protects @watches and serialises their calls
 * @watches:	endpoints that watch the port
 * @work:	checks the port after an event
 * @name:	name of the device, see smc_port_ibname()
 * @dev_id:	number of the device, never reused; the same for all its ports
 * @queues:	workqueues of the device; they outlive it
 * @seen:	GIDs that the port had at the last look; port_work()
 * @n_eps:	endpoints opened so far; chooses their completion vectors
 * @refused:	when the device last could not destroy an object, in jiffies; 0:
 *		never; smc_roce_ep_destroy(), READ_ONCE
 */
struct smc_port {
	struct kref ref;
	refcount_t users;
	struct completion unused;
	struct list_head list;
	struct rcu_head rcu;
	struct ib_device *ibdev;
	u32 num;
	int n_vectors;
	bool gone;
	bool fatal;
	/* protects @watches and serialises their calls */
	struct mutex watch_lock;
	struct list_head watches;
	struct work_struct work;
	char name[IB_DEVICE_NAME_MAX];
	u32 dev_id;
	struct smc_queues *queues;
	struct smc_gid_set seen;
	atomic_t n_eps;
	unsigned long refused;
};

/**
 * struct smc_port_watch - a watch for changes of a port or its GIDs
 * @list:	entry in port->watches
 * @changed:	callback: the port may have changed; process context under
 *		port->watch_lock. The callback must not sleep for long and must
 *		not unregister the watch
 */
struct smc_port_watch {
	struct list_head list;
	void (*changed)(struct smc_port_watch *watch);
};

void smc_port_ref_init(struct smc_port *port);
bool smc_port_try_get(struct smc_port *port, enum smc_port_ref why);
bool smc_port_use(struct smc_port *port);
void smc_port_unuse(struct smc_port *port);
void smc_port_watch(struct smc_port *port, struct smc_port_watch *watch);
void smc_port_unwatch(struct smc_port *port, struct smc_port_watch *watch);
bool smc_port_look(struct smc_port *port, bool gone);
bool smc_port_close(struct smc_port *port);
void smc_port_rename(struct smc_port *port, const char *name);

#endif
