// SPDX-License-Identifier: GPL-2.0
/*
 * One RDMA port: its references, its state, and the endpoints that watch it.
 */
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../base/trace.h"
#include "port_priv.h"
#include "roce_depth.h"

static DEFINE_SEQLOCK(names_lock);	/* protects the ports' names */

/* ---- references ---- */

static void port_release(struct kref *ref)
{
	struct smc_port *port = container_of(ref, struct smc_port, ref);

	kfree_rcu(port, rcu);
}

static const char *const port_ref_names[SMC_PORT_NR_REFS] = {
	[SMC_PORT_REF_REGISTRY]	= "registry",
	[SMC_PORT_REF_CHOICE]	= "choice",
	[SMC_PORT_REF_EP]	= "endpoint",
	[SMC_PORT_REF_CALL]	= "call",
};

static void port_ref_trace(const struct smc_port *port, enum smc_port_ref why,
			   int change)
{
	trace_smc_ref("port", port, port_ref_names[why], change);
}

/** smc_port_ref_init - set the first reference, SMC_PORT_REF_REGISTRY */
void smc_port_ref_init(struct smc_port *port)
{
	kref_init(&port->ref);
	port_ref_trace(port, SMC_PORT_REF_REGISTRY, 1);
}

/**
 * smc_port_get - take one more reference
 * @port:	port
 * @why:	reason, for the trace
 *
 * Context: any. Return: @port.
 */
struct smc_port *smc_port_get(struct smc_port *port, enum smc_port_ref why)
{
	kref_get(&port->ref);
	port_ref_trace(port, why, 1);
	return port;
}

/**
 * smc_port_try_get - take a reference on a port that may have none left
 * @port:	port, found under RCU
 * @why:	reason, for the trace
 *
 * Context: any. Return: true; false if the port has no reference left.
 */
bool smc_port_try_get(struct smc_port *port, enum smc_port_ref why)
{
	bool got = kref_get_unless_zero(&port->ref);

	if (got)
		port_ref_trace(port, why, 1);
	return got;
}

/**
 * smc_port_put - drop a reference
 * @port:	port
 * @why:	reason of the dropped reference
 *
 * Context: any.
 */
void smc_port_put(struct smc_port *port, enum smc_port_ref why)
{
	port_ref_trace(port, why, -1);
	kref_put(&port->ref, port_release);
}

/**
 * smc_port_use - prevent the removal of the device of @port
 * @port:	port, referenced
 *
 * Return: true; false if the removal has begun, and the function took nothing.
 * Context: any.
 */
bool smc_port_use(struct smc_port *port)
{
	return !READ_ONCE(port->gone) && refcount_inc_not_zero(&port->users);
}

/** smc_port_unuse - undo smc_port_use() */
void smc_port_unuse(struct smc_port *port)
{
	if (refcount_dec_and_test(&port->users))
		complete(&port->unused);
}

/** smc_port_rename - store the new name of the device of @port */
void smc_port_rename(struct smc_port *port, const char *name)
{
	write_seqlock_bh(&names_lock);
	strscpy(port->name, name, sizeof(port->name));
	write_sequnlock_bh(&names_lock);
}

void smc_port_ibname(const struct smc_port *port, char *name)
{
	unsigned int seq;

	do {
		seq = read_seqbegin(&names_lock);
		memcpy(name, port->name, sizeof(port->name));
	} while (read_seqretry(&names_lock, seq));
}

u8 smc_port_num(const struct smc_port *port)
{
	return port->num;
}

u32 smc_port_vectors(const struct smc_port *port)
{
	return smc_roce_depth_vectors(port->n_vectors, num_online_cpus());
}

bool smc_port_gone(const struct smc_port *port)
{
	/* partners: smc_port_look(), smc_port_close() */
	return READ_ONCE(port->gone);
}

/* ---- watches ---- */

/**
 * smc_port_watch - register watch->changed()
 * @port:	port, in use
 * @watch:	owned by the caller
 *
 * After the registration the caller checks the port once more, because it may
 * have changed before.
 * Context: may sleep.
 */
void smc_port_watch(struct smc_port *port, struct smc_port_watch *watch)
{
	mutex_lock(&port->watch_lock);
	list_add_tail(&watch->list, &port->watches);
	mutex_unlock(&port->watch_lock);
}

/** smc_port_unwatch - unregister; changed() does not run after the return */
void smc_port_unwatch(struct smc_port *port, struct smc_port_watch *watch)
{
	mutex_lock(&port->watch_lock);
	list_del(&watch->list);
	mutex_unlock(&port->watch_lock);
}

/**
 * smc_port_look - update the state, and call all watches
 * @port:	port
 * @gone:	true: the port does not work
 *
 * Context: may sleep. Return: true if the port has stopped working just now.
 */
bool smc_port_look(struct smc_port *port, bool gone)
{
	struct smc_port_watch *watch;
	bool went;

	mutex_lock(&port->watch_lock);
	went = gone && !port->gone;
	/* partners: code that reads port->gone */
	WRITE_ONCE(port->gone, gone);
	list_for_each_entry(watch, &port->watches, list)
		watch->changed(watch);
	mutex_unlock(&port->watch_lock);
	return went;
}

/**
 * smc_port_close - admit no new user, because the device is being removed
 * @port:	port
 *
 * Does not call the watches. Context: may sleep.
 * Return: false if the port was marked as gone before.
 */
bool smc_port_close(struct smc_port *port)
{
	bool was_open;

	mutex_lock(&port->watch_lock);
	was_open = !port->gone;
	/* partners: code that reads port->gone */
	WRITE_ONCE(port->gone, true);
	mutex_unlock(&port->watch_lock);
	return was_open;
}
