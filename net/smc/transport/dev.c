// SPDX-License-Identifier: GPL-2.0
/*
 * Registry of the RDMA ports that can carry SMC-R. The registry tells the floor
 * above when devices appear and disappear.
 */
#define pr_fmt(fmt) "smc: " fmt

#include <linux/etherdevice.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include "dev.h"
#include "port_priv.h"
#include "queues.h"

/* While the removal of a device waits for users, a message is logged at this
 * interval.
 */
#define REMOVE_WARN_SECS	10

/* Registry data of one device: its event handler, workqueues and ports. */
struct device_ports {
	struct ib_event_handler handler;
	struct smc_queues *queues;
	unsigned int n;
	struct smc_port *port[];
};

static const struct smc_dev_user *dev_user;
static LIST_HEAD(ports);
static DEFINE_SPINLOCK(ports_lock);	/* protects writing of ports */
static atomic_t dev_ids = ATOMIC_INIT(0);
static u8 peer_id[8];
static struct workqueue_struct *port_wq;

/*
 * After a fatal error the core still reports the port as active, but a call of
 * the driver may take a minute.
 */
static bool port_active(struct smc_port *port)
{
	enum ib_port_state state;

	/* partner: device_event() */
	return !READ_ONCE(port->fatal) &&
	       !ib_get_cached_port_state(port->ibdev, port->num, &state) &&
	       state == IB_PORT_ACTIVE;
}

/* Return: namespace of the GID; 0: the entry is of no use. */
static u64 gid_net(const struct ib_gid_attr *attr)
{
	struct net_device *ndev;
	u64 cookie = 0;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR_OR_NULL(ndev))
		cookie = dev_net(ndev)->net_cookie;
	rcu_read_unlock();
	return cookie;
}

/* Tells the floor above of each namespace that has a new GID. */
static void look_at_gids(struct smc_port *port, bool tell)
{
	u32 n = port->ibdev->port_data[port->num].immutable.gid_tbl_len;
	struct smc_gid_set *now = kzalloc(sizeof(*now), GFP_KERNEL);
	const struct ib_gid_attr *attr;
	u64 cookie, told = 0;
	u32 i;

	if (!now) {
		if (tell)
			dev_user->port_ready(port, 0);
		return;
	}
	for (i = 0; i < min_t(u32, n, SMC_GID_SET_MAX); i++) {
		attr = rdma_get_gid_attr(port->ibdev, port->num, i);
		if (IS_ERR(attr))
			continue;
		cookie = gid_net(attr);
		if (cookie)
			now->hash[i] = smc_gid_set_hash(attr->gid.raw,
							attr->gid_type, cookie);
		rdma_put_gid_attr(attr);
		if (!cookie || cookie == told ||
		    smc_gid_set_has(&port->seen, now->hash[i]))
			continue;
		told = cookie;
		if (tell)
			dev_user->port_ready(port, cookie);
	}
	port->seen = *now;
	kfree(now);
}

static void port_work(struct work_struct *work)
{
	struct smc_port *port = container_of(work, struct smc_port, work);
	bool was_gone = smc_port_gone(port);

	if (smc_port_look(port, !port_active(port)))
		dev_user->port_gone(port);
	if (smc_port_gone(port))
		return;
	/* all namespaces if the port is new, otherwise those with a new GID */
	look_at_gids(port, !was_gone);
	if (was_gone)
		dev_user->port_ready(port, 0);
}

/* ---- devices that appear and disappear ---- */

/* @num: port; 0: all */
static void look_at_ports(struct device_ports *dp, u32 num)
{
	unsigned int i;

	for (i = 0; i < dp->n; i++)
		if (!num || dp->port[i]->num == num)
			queue_work(port_wq, &dp->port[i]->work);
}

/* @num: port; 0: all */
static void set_fatal(struct device_ports *dp, u32 num, bool fatal)
{
	unsigned int i;

	for (i = 0; i < dp->n; i++)
		if (!num || dp->port[i]->num == num)
			/* partner: port_active() */
			WRITE_ONCE(dp->port[i]->fatal, fatal);
}

static void device_event(struct ib_event_handler *handler,
			 struct ib_event *event)
{
	struct device_ports *dp = container_of(handler, struct device_ports,
					       handler);

	switch (event->event) {
	case IB_EVENT_PORT_ACTIVE:
		set_fatal(dp, event->element.port_num, false);
		fallthrough;
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_GID_CHANGE:
		look_at_ports(dp, event->element.port_num);
		break;
	case IB_EVENT_DEVICE_FATAL:
		/* names no port */
		set_fatal(dp, 0, true);
		look_at_ports(dp, 0);
		break;
	default:
		break;
	}
}

static struct smc_port *add_port(struct ib_device *ibdev, u32 num, u32 dev_id,
				 struct smc_queues *queues)
{
	struct smc_port *port = kzalloc(sizeof(*port), GFP_KERNEL);

	if (!port)
		return NULL;
	smc_port_ref_init(port);
	refcount_set(&port->users, 1);
	init_completion(&port->unused);
	port->ibdev = ibdev;
	port->num = num;
	port->n_vectors = ibdev->num_comp_vectors;
	port->dev_id = dev_id;
	port->queues = queues;
	mutex_init(&port->watch_lock);
	INIT_LIST_HEAD(&port->watches);
	INIT_WORK(&port->work, port_work);
	strscpy(port->name, dev_name(&ibdev->dev), sizeof(port->name));
	port->gone = !port_active(port);

	spin_lock(&ports_lock);
	list_add_tail_rcu(&port->list, &ports);
	spin_unlock(&ports_lock);
	return port;
}

static struct ib_client client;

/* SMC-R ignores a device that lacks a required feature and returns no error. */
static int add_device(struct ib_device *ibdev)
{
	struct device_ports *dp;
	struct smc_port *port;
	u32 dev_id, num;

	if (ibdev->node_type != RDMA_NODE_IB_CA ||
	    !(ibdev->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS))
		return -EOPNOTSUPP;
	dp = kzalloc(struct_size(dp, port, ibdev->phys_port_cnt), GFP_KERNEL);
	if (!dp)
		return -ENOMEM;
	dp->queues = smc_queues_take();
	if (!dp->queues) {
		kfree(dp);
		return -ENOMEM;
	}

	dev_id = atomic_inc_return(&dev_ids);
	rdma_for_each_port(ibdev, num) {
		if (!rdma_protocol_roce(ibdev, num))
			continue;
		port = add_port(ibdev, num, dev_id, dp->queues);
		if (port)
			dp->port[dp->n++] = port;
	}
	INIT_IB_EVENT_HANDLER(&dp->handler, ibdev, device_event);
	ib_register_event_handler(&dp->handler);
	ib_set_client_data(ibdev, &client, dp);
	/* an event may have occurred before the handler was registered */
	look_at_ports(dp, 0);
	return 0;
}

/*
 * Admits no new user and waits for the existing ones. The endpoints of existing
 * users continue to work until this function returns, because DELETE LINK must
 * still leave. The struct may exist longer than the device.
 */
static void take_away(struct smc_port *port)
{
	if (smc_port_close(port))
		dev_user->port_leaving(port);
	smc_port_unuse(port);
	while (!wait_for_completion_timeout(&port->unused,
					    REMOVE_WARN_SECS * HZ))
		pr_warn("removal of %s port %u waits for %u users\n",
			port->name, port->num, refcount_read(&port->users));
	smc_port_put(port, SMC_PORT_REF_REGISTRY);
}

static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct device_ports *dp = client_data;
	unsigned int i;

	if (!dp)
		return;
	ib_unregister_event_handler(&dp->handler);
	spin_lock(&ports_lock);
	for (i = 0; i < dp->n; i++)
		list_del_rcu(&dp->port[i]->list);
	spin_unlock(&ports_lock);
	for (i = 0; i < dp->n; i++)
		cancel_work_sync(&dp->port[i]->work);
	/* wait until smc_dev_first_port() does not use the device any more */
	synchronize_rcu();
	for (i = 0; i < dp->n; i++)
		take_away(dp->port[i]);
	smc_queues_give_back(dp->queues);
	kfree(dp);
}

static void rename_device(struct ib_device *ibdev, void *client_data)
{
	struct device_ports *dp = client_data;
	unsigned int i;

	if (!dp)
		return;
	for (i = 0; i < dp->n; i++)
		smc_port_rename(dp->port[i], dev_name(&ibdev->dev));
}

static struct ib_client client = {
	.name	= "smc",
	.add	= add_device,
	.remove	= remove_device,
	.rename	= rename_device,
};

struct smc_port *
smc_dev_first_port(bool (*fn)(struct smc_port *port, void *arg), void *arg)
{
	struct smc_port *port;

	rcu_read_lock();
	list_for_each_entry_rcu(port, &ports, list) {
		if (!fn(port, arg))
			continue;
		/* 0: the port is being removed, and the registry has dropped
		 * its reference
		 */
		if (smc_port_try_get(port, SMC_PORT_REF_CHOICE))
			break;
	}
	if (list_entry_is_head(port, &ports, list))
		port = NULL;
	rcu_read_unlock();
	return port;
}

/* ---- peer ID ---- */

static bool port_mac(struct smc_port *port, void *arg)
{
	const struct ib_gid_attr *attr;
	int err;

	attr = rdma_get_gid_attr(port->ibdev, port->num, 0);
	if (IS_ERR(attr))
		return false;
	err = rdma_read_gid_l2_fields(attr, NULL, arg);
	rdma_put_gid_attr(attr);
	return !err && is_valid_ether_addr(arg);
}

/*
 * R-A.2.1-01 and -02: the peer ID is two random bytes, which are new at each
 * load of the module, and the MAC of a RoCE port. Without a port only in-host
 * connections need the ID, and a random MAC is sufficient.
 */
static void make_peer_id(void)
{
	struct smc_port *port = smc_dev_first_port(port_mac, peer_id + 2);

	get_random_bytes(peer_id, 2);
	if (port)
		smc_port_put(port, SMC_PORT_REF_CHOICE);
	else
		eth_random_addr(peer_id + 2);
}

const u8 *smc_dev_peer_id(void)
{
	return peer_id;
}

int smc_dev_init(const struct smc_dev_user *user)
{
	int err;

	dev_user = user;
	err = smc_queues_init();
	if (err)
		return err;
	err = -ENOMEM;
	port_wq = alloc_workqueue("smc_port", WQ_UNBOUND, 0);
	if (!port_wq)
		goto queues_exit;
	err = ib_register_client(&client);
	if (err)
		goto destroy_wq;
	make_peer_id();
	return 0;
destroy_wq:
	destroy_workqueue(port_wq);
queues_exit:
	smc_queues_exit();
	return err;
}

void smc_dev_exit(void)
{
	ib_unregister_client(&client);
	destroy_workqueue(port_wq);
	smc_queues_exit();
}
