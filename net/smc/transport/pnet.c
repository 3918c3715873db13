// SPDX-License-Identifier: GPL-2.0
/*
 * The PNETID table. The lists of the table are read under RCU and written under
 * pnet_mutex. Each new line gets a larger number, so that a dump can continue
 * behind the last line it has shown.
 */
#include <linux/ctype.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
#include "pnet.h"
#include "port_priv.h"

struct line {
	struct list_head list;
	struct rcu_head rcu;
	u32 id;
	struct smc_pnet_entry entry;
};

/* Lines for the net devices of one namespace. */
struct pnet_net {
	struct list_head eth;
};

static unsigned int pnet_net_id;
static LIST_HEAD(ib_lines);
/* protects writing of all lists, and last_id */
static DEFINE_MUTEX(pnet_mutex);
static u32 last_id;

static struct list_head *eth_lines(const struct net *net)
{
	return &((struct pnet_net *)net_generic(net, pnet_net_id))->eth;
}

int smc_pnet_parse(struct smc_pnet_name *name, const char *text)
{
	size_t len, i;

	memset(name, 0, sizeof(*name));
	text = skip_spaces(text);
	len = strlen(text);
	while (len && isspace(text[len - 1]))
		len--;
	if (!len || len > SMC_PNET_NAME_LEN)
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (!isascii(text[i]) || !isalnum(text[i]))
			return -EINVAL;
		name->s[i] = toupper(text[i]);
	}
	return 0;
}

/* ---- changes ---- */

static bool same_device(const struct smc_pnet_entry *a,
			const struct smc_pnet_entry *b)
{
	return a->port == b->port && !strcmp(a->dev, b->dev);
}

static bool has_line(const struct list_head *lines,
		     const struct smc_pnet_entry *entry)
{
	struct line *line;

	lockdep_assert_held(&pnet_mutex);
	list_for_each_entry(line, lines, list)
		if (same_device(&line->entry, entry))
			return true;
	return false;
}

static struct line *new_line(const struct smc_pnet_entry *entry)
{
	struct line *line = kzalloc(sizeof(*line), GFP_KERNEL);

	if (line)
		line->entry = *entry;
	return line;
}

static void add_line(struct list_head *lines, struct line *new)
{
	lockdep_assert_held(&pnet_mutex);
	new->id = ++last_id;
	list_add_tail_rcu(&new->list, lines);
}

int smc_pnet_add(struct net *net, const struct smc_pnet_entry *eth,
		 const struct smc_pnet_entry *ib,
		 const struct smc_pnet_entry **taken)
{
	struct line *new_eth = eth ? new_line(eth) : NULL;
	struct line *new_ib = ib ? new_line(ib) : NULL;
	int err = 0;

	*taken = NULL;
	if ((eth && !new_eth) || (ib && !new_ib)) {
		err = -ENOMEM;
		goto out;
	}
	mutex_lock(&pnet_mutex);
	if (eth && has_line(eth_lines(net), eth))
		*taken = eth;
	else if (ib && has_line(&ib_lines, ib))
		*taken = ib;
	if (*taken) {
		err = -EEXIST;
	} else {
		if (eth)
			add_line(eth_lines(net), new_eth);
		if (ib)
			add_line(&ib_lines, new_ib);
	}
	mutex_unlock(&pnet_mutex);
out:
	if (err) {
		kfree(new_eth);
		kfree(new_ib);
	}
	return err;
}

/*
 * Removes the lines of @name, or all lines if @name is NULL. Return: number of
 * removed lines.
 */
static unsigned int remove_lines(struct list_head *lines,
				 const struct smc_pnet_name *name)
{
	struct line *line, *next;
	unsigned int n = 0;

	lockdep_assert_held(&pnet_mutex);
	list_for_each_entry_safe(line, next, lines, list) {
		if (name && strcmp(line->entry.name.s, name->s))
			continue;
		list_del_rcu(&line->list);
		kfree_rcu(line, rcu);
		n++;
	}
	return n;
}

static unsigned int remove_all(struct net *net,
			       const struct smc_pnet_name *name)
{
	unsigned int n;

	mutex_lock(&pnet_mutex);
	n = remove_lines(eth_lines(net), name);
	if (net_eq(net, &init_net))
		n += remove_lines(&ib_lines, name);
	mutex_unlock(&pnet_mutex);
	return n;
}

int smc_pnet_del(struct net *net, const struct smc_pnet_name *name)
{
	return remove_all(net, name) ? 0 : -ENOENT;
}

void smc_pnet_flush(struct net *net)
{
	remove_all(net, NULL);
}

/* ---- lookup ---- */

/*
 * Finds the line with the smallest number that is above @after and below the
 * number of @best.
 */
static const struct line *better_line(const struct list_head *lines, u32 after,
				      const struct line *best)
{
	const struct line *line;

	list_for_each_entry_rcu(line, lines, list)
		if (line->id > after && (!best || line->id < best->id))
			best = line;
	return best;
}

bool smc_pnet_next(const struct net *net, u32 *id,
		   struct smc_pnet_entry *entry)
{
	const struct line *line;

	rcu_read_lock();
	line = better_line(eth_lines(net), *id, NULL);
	if (net_eq(net, &init_net))
		line = better_line(&ib_lines, *id, line);
	if (line) {
		*entry = line->entry;
		*id = line->id;
	}
	rcu_read_unlock();
	return line;
}

bool smc_pnet_ndev(const struct net_device *ndev, struct smc_pnet_name *name)
{
	const struct line *line;

	list_for_each_entry_rcu(line, eth_lines(dev_net(ndev)), list) {
		/* a concurrent rename keeps the last byte zero */
		if (strncmp(line->entry.dev, ndev->name, IFNAMSIZ))
			continue;
		*name = line->entry.name;
		return true;
	}
	return false;
}

/* The name of the parent device, which is on a bus, is constant. */
static bool names_port(const struct smc_pnet_entry *e,
		       const struct smc_port *port)
{
	const struct device *parent = port->ibdev->dev.parent;
	char name[IB_DEVICE_NAME_MAX];

	if (e->port != port->num)
		return false;
	smc_port_ibname(port, name);
	return !strcmp(e->dev, name) ||
	       (parent && !strcmp(e->dev, dev_name(parent)));
}

bool smc_pnet_port(const struct smc_port *port, struct smc_pnet_name *name)
{
	const struct line *line;

	list_for_each_entry_rcu(line, &ib_lines, list) {
		if (!names_port(&line->entry, port))
			continue;
		*name = line->entry.name;
		return true;
	}
	return false;
}

/* ---- life ---- */

static int __net_init pnet_net_init(struct net *net)
{
	INIT_LIST_HEAD(eth_lines(net));
	return 0;
}

static void __net_exit pnet_net_exit(struct net *net)
{
	mutex_lock(&pnet_mutex);
	remove_lines(eth_lines(net), NULL);
	mutex_unlock(&pnet_mutex);
}

static struct pernet_operations net_ops = {
	.init = pnet_net_init,
	.exit = pnet_net_exit,
	.id = &pnet_net_id,
	.size = sizeof(struct pnet_net),
};

int smc_pnet_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void smc_pnet_exit(void)
{
	unregister_pernet_subsys(&net_ops);
	mutex_lock(&pnet_mutex);
	remove_lines(&ib_lines, NULL);
	mutex_unlock(&pnet_mutex);
}
