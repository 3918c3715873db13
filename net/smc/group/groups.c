// SPDX-License-Identifier: GPL-2.0
/*
 * Creates and frees groups. Tells groups when devices and namespaces appear and
 * disappear.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include "../base/memcg.h"
#include "../base/mib.h"
#include "../base/tunables.h"
#include "../transport/queues.h"
#include "admit.h"
#include "by_peer.h"
#include "contact_types.h"
#include "end.h"
#include "groups.h"
#include "idle.h"
#include "lgr.h"
#include "lgr_types.h"
#include "link.h"
#include "rmb.h"
#include "rtok.h"
#include "table.h"
#include "vacant.h"
#include "worker.h"

static void groups_release(struct work_struct *work)
{
	struct smc_lgr *lgr = container_of(work, struct smc_lgr, free.work);
	struct smc_llc_buf msg;
	int i;

	WARN_ON_ONCE(!list_empty(&lgr->members.list));
	timer_shutdown_sync(&lgr->mail.timer);
	while (kfifo_get(&lgr->mail.llc_in, &msg))
		if (msg.page)
			put_page(msg.page);
	for (i = 0; i < SMC_LINK_SLOTS; i++)
		if (lgr->links[i])
			smc_link_put(lgr->links[i], SMC_LINK_REF_GROUP);
	smc_rmb_free_all(lgr);
	smc_rtok_destroy(&lgr->rtoks);
	percpu_counter_destroy(&lgr->members.queued);
	smc_dev_choice_put(&lgr->key.choice);
	smc_idle_put(lgr->idle.of_net);
	smc_admit_end(lgr->first.admit);
	mem_cgroup_put(lgr->first.payer);
	smc_lgr_freed(lgr);
}

/* Return: 0, -ENOMEM. */
static int groups_parts(struct smc_lgr *lgr)
{
	int err = percpu_counter_init(&lgr->members.queued, 0, SMC_GFP_PAID);

	if (err)
		return err;
	err = smc_rtok_init(&lgr->rtoks);
	if (err)
		percpu_counter_destroy(&lgr->members.queued);
	return err;
}

static struct smc_lgr *groups_object(struct mem_cgroup *payer)
{
	struct mem_cgroup *old = set_active_memcg(payer);
	struct smc_lgr *lgr = kzalloc(sizeof(*lgr), SMC_GFP_PAID);

	if (lgr && groups_parts(lgr)) {
		kfree(lgr);
		lgr = NULL;
	}
	set_active_memcg(old);
	if (lgr)
		lgr->first.payer = smc_memcg_get(payer);
	return lgr;
}

static struct smc_lgr *groups_new(struct smc_contact *c, const u8 *peer_gid)
{
	struct smc_port *port = c->in_host ? NULL : c->choice.port;
	struct smc_lgr *lgr = groups_object(c->payer);

	if (!lgr)
		return NULL;
	/* the contact has reference and use */
	smc_lgr_init(lgr, smc_queues_work(port));
	smc_end_init(lgr, smc_queues_ends(port));
	smc_rmb_init(&lgr->rmbs);
	INIT_WORK(&lgr->mail.work, smc_worker_run);
	INIT_WORK(&lgr->free.work, groups_release);
	lgr->key.net_cookie = c->net->net_cookie;
	lgr->key.role = c->role;
	lgr->key.in_host = c->in_host;
	memcpy(lgr->key.peer_id, c->peer_id, sizeof(lgr->key.peer_id));
	memcpy(lgr->key.peer_gid, peer_gid, sizeof(lgr->key.peer_gid));
	lgr->key.path = c->path;
	lgr->key.choice = c->choice;
	if (c->in_host)
		memset(&lgr->key.choice, 0, sizeof(lgr->key.choice));
	smc_dev_choice_get(&lgr->key.choice);
	lgr->terms = c->terms;
	if (!c->in_host && READ_ONCE(smc_tunables(c->net)->eyecatcher))
		lgr->terms.eye = SMC_RMBE_EYE_LEN;
	/* version 1 cannot state a limit below two */
	lgr->numbers.max_links = c->terms.max_links ?:
			 max_t(u8, READ_ONCE(smc_tunables(c->net)->lgr_links),
			       SMC_LINKS_STATED_MIN);
	lgr->testlink_secs = READ_ONCE(smc_tunables(c->net)->testlink_time);
	lgr->idle.linger_ms = MSEC_PER_SEC *
			 READ_ONCE(smc_tunables(c->net)->lgr_idle_time);
	if (c->role == SMC_CLNT)
		lgr->idle.linger_ms += SMC_LGR_LINGER_CLIENT_MS;
	lgr->idle.of_net = smc_idle_get(c->net);
	lgr->idle.max = READ_ONCE(smc_tunables(c->net)->lgr_idle_max);
	lgr->idle.mem_share = READ_ONCE(smc_tunables(c->net)->mem_share);
	lgr->creator = c;
	return lgr;
}

/*
 * Return: 1 if the group was created. 0 if another contact has created a group
 * before; c->lgr is that group. -ENOMEM.
 */
static int groups_create_server(struct smc_contact *c, const u8 *peer_gid)
{
	struct smc_lgr *fresh = groups_new(c, peer_gid);
	struct smc_admit *admit = c->admit;

	if (!fresh)
		return -ENOMEM;
	/* set before the group is in the table, where it may end at once */
	fresh->first.admit = admit;
	c->admit = NULL;
	if (!smc_table_add_server(fresh, c, peer_gid)) {
		fresh->first.admit = NULL;
		c->admit = admit;
		smc_lgr_put(fresh, SMC_LGR_REF_CONTACT);
		return 0;
	}
	smc_mib_inc(NULL, SMC_MIB_LGR_CREATED);
	c->lgr = fresh;
	return 1;
}

/**
 * smc_groups_for_server - find the group for a Proposal, or create one
 * @c: contact; c->lgr is set; the contact has a reference to it and counts as
 * its user
 * @peer_gid: GID of the Proposal
 * @beside: output, unless 0 is returned: true if the group is made beside a
 *	wide one that has a place (F-36)
 *
 * Context: may sleep for memory. Return: 0: found, 1: created, -EINPROGRESS:
 * too many first contacts run, and ->notify(READY) follows, -EBUSY: too many
 * run, and a wide group has a place (F-36), -ENOMEM.
 */
int smc_groups_for_server(struct smc_contact *c, const u8 *peer_gid,
			  bool *beside)
{
	int err = 0;

	if (!smc_table_find_server(c, peer_gid, beside)) {
		/* an in-host group costs no queue pair */
		err = c->in_host ? 0 : smc_admit_ask(c, !*beside);
		if (!err)
			err = groups_create_server(c, peer_gid);
	}
	if (!err)
		smc_admit_leave(c);
	return err;
}

/**
 * smc_groups_for_client - a new group for an Accept with F
 * @c: contact; c->lgr is set; the contact has a reference to it and counts as
 *	its user
 * @peer_gid: peer's GID
 *
 * Context: may sleep for memory. Return: 0, -EINPROGRESS as for a server, or
 * -ENOMEM.
 */
int smc_groups_for_client(struct smc_contact *c, const u8 *peer_gid)
{
	int err = c->in_host ? 0 : smc_admit_ask(c, true);
	struct smc_lgr *lgr;

	if (err)
		return err;
	lgr = groups_new(c, peer_gid);
	if (!lgr)
		return -ENOMEM;
	lgr->first.admit = c->admit;
	c->admit = NULL;
	smc_table_add_client(lgr);
	smc_mib_inc(NULL, SMC_MIB_LGR_CREATED);
	c->lgr = lgr;
	return 0;
}

/**
 * smc_groups_end - the operator ends a group (R-3.5.4-04)
 * @net: namespace of the group
 * @id: number of the group, as in views
 *
 * A server tells the client that the group ends; a client asks the server to
 * end it (3.5.4). Connections that still use the group are reset. The function
 * does not wait for the end. Context: any but irq. Return: 0, -ENOENT.
 */
int smc_groups_end(const struct net *net, u32 id)
{
	return smc_table_event_id(net, id, SMC_LGR_EVB_OPERATOR) ?
	       0 : -ENOENT;
}

/* ---- module ---- */

static void groups_port_leaving(struct smc_port *port)
{
	smc_table_event_all(SMC_LGR_EVB_PORT_LEAVING);
}

static void groups_port_ready(struct smc_port *port, u64 net_cookie)
{
	smc_table_ports(net_cookie);
}

static void groups_port_gone(struct smc_port *port)
{
	/* an endpoint watches its port, and a failure of the endpoint ends the
	 * link
	 */
}

/* The namespace is gone, and no process can use its groups. */
static void __net_exit groups_net_exit(struct net *net)
{
	smc_table_event_net(net, SMC_LGR_EVB_SHUTDOWN);
}

static struct pernet_operations net_ops = {
	.exit = groups_net_exit,
};

static const struct smc_dev_user dev_user = {
	.port_leaving = groups_port_leaving,
	.port_gone = groups_port_gone,
	.port_ready = groups_port_ready,
};

int smc_groups_init(const struct smc_link_user *user)
{
	int err;

	smc_link_init_user(user);
	smc_admit_init();
	smc_by_peer_init();
	smc_vacant_init();
	err = smc_dev_init(&dev_user);
	if (err)
		return err;
	err = smc_idle_init();
	if (err)
		goto err_dev;
	err = register_pernet_subsys(&net_ops);
	if (err)
		goto err_idle;
	return 0;

err_idle:
	smc_idle_exit();
err_dev:
	smc_dev_exit();
	return err;
}

void smc_groups_exit(void)
{
	unregister_pernet_subsys(&net_ops);
	smc_table_event_all(SMC_LGR_EVB_SHUTDOWN);
	smc_lgr_wait_all_freed();
	smc_idle_exit();
	smc_dev_exit();
}
