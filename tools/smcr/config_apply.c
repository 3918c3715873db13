// SPDX-License-Identifier: GPL-2.0
/*
 * "smcr config apply". A file states a whole table of UEIDs or PNETIDs, or says
 * nothing about it, so a step is: make the running table equal to this one. The
 * way back is the same step, with the table of before.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "genl.h"
#include "sysfs.h"

/* What this system had before. */
struct before {
	char value[SMC_CONF_SYSCTLS][VALUE_BYTES];
	struct eid_table eids;
	struct smc_pnet_table nets;
};

int config_failed(struct smc_conf_error *why, unsigned int line,
		  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->words, sizeof(why->words), format, args);
	va_end(args);
	why->line = line;
	return -1;
}

/* ---- current settings ---- */

static void take_eid(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	const char *name = smc_attr_text(top, SMC_A_UEID_ENTRY);
	struct eid_table *t = arg;

	(void)cmd;
	if (t->n < ARRAY_SIZE(t->name))
		snprintf(t->name[t->n], sizeof(t->name[0]), "%.*s",
			 (int)strcspn(name, " "), name);
	t->n++;
}

int config_read_eids(struct eid_table *t)
{
	int err;

	t->n = 0;
	err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_UEID_DUMP, take_eid,
			    t);
	return err ? err : t->n > ARRAY_SIZE(t->name) ? -E2BIG : 0;
}

bool config_read_sysctl(const char *name, char value[VALUE_BYTES])
{
	char *from, *to = value;

	if (!smc_read_line(value, VALUE_BYTES, SYSCTL_DIR "/%s", name))
		return false;
	for (from = value; *from; from++) {
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > value && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to > value && to[-1] == ' ')
		to--;
	*to = '\0';
	return true;
}

/* ---- sysctls ---- */

bool config_knows_sysctl(const struct smc_conf_sysctl *s,
			 char value[VALUE_BYTES], struct smc_conf_error *why)
{
	if (config_read_sysctl(s->name, value))
		return true;
	config_failed(why, s->line, "net.smc.%s: %s", s->name,
		      errno == ENOENT ? "there is no such sysctl here" :
		      strerror(errno));
	return false;
}

int config_write_sysctl(const char *name, const char *value)
{
	char path[256];
	FILE *f;
	int err = 0;

	snprintf(path, sizeof(path), SYSCTL_DIR "/%s", name);
	f = fopen(path, "we");
	if (!f)
		return errno;
	/* one write(): the kernel takes the value as a whole */
	if (fprintf(f, "%s\n", value) < 0)
		err = errno;
	if (fclose(f) && !err)
		err = errno;
	return err;
}

int config_refused(const struct smc_conf_sysctl *s, const char *value, int err,
		   struct smc_conf_error *why)
{
	return config_failed(why, s->line, "net.smc.%s = %s: %s", s->name,
			     value, strerror(err));
}

static int set_sysctl(const struct smc_conf_sysctl *s, const char *value,
		      struct smc_conf_error *why)
{
	char now[VALUE_BYTES];
	int err;

	if (config_read_sysctl(s->name, now) && !strcmp(now, value))
		return 0;
	err = config_write_sysctl(s->name, value);
	return err ? config_refused(s, value, err, why) : 0;
}

/* ---- UEIDs ---- */

static bool has_eid(const struct eid_table *t, const char *name)
{
	unsigned int i;

	for (i = 0; i < t->n; i++)
		if (!strcmp(t->name[i], name))
			return true;
	return false;
}

static unsigned int line_of_eid(const struct smc_conf *c, const char *name)
{
	unsigned int i;

	for (i = 0; i < c->n_ueids; i++)
		if (!strcmp(c->ueids[i].name, name))
			return c->ueids[i].line;
	return c->ueid_line;
}

static int order_eid(const struct smc_conf *c, uint8_t cmd, const char *name,
		     struct smc_conf_error *why)
{
	char eid[SMC_MAX_EID_LEN + 1];
	struct smc_param p = { .type = SMC_A_UEID_ENTRY, .text = eid };
	int err;

	/* the kernel wants blanks behind it */
	snprintf(eid, sizeof(eid), "%-*s", SMC_MAX_EID_LEN, name);
	err = smc_genl_ask(SMC_GENL_FAMILY_NAME, cmd, &p, 1, NULL, NULL);
	if (err)
		return config_failed(why, line_of_eid(c, name), "UEID %s: %s", name,
			      smc_genl_why(err));
	return 0;
}

/* The unwanted ones leave first, because the table is small. */
static int set_eids(const struct smc_conf *c, const struct eid_table *wanted,
		    struct smc_conf_error *why)
{
	struct eid_table now;
	unsigned int i;
	int err;

	err = config_read_eids(&now);
	if (err)
		return config_failed(why, c->ueid_line, "UEIDs: %s",
			      smc_genl_why(err));
	for (i = 0; i < now.n; i++)
		if (!has_eid(wanted, now.name[i]) &&
		    order_eid(c, SMC_CMD_UEID_REMOVE, now.name[i], why))
			return -1;
	for (i = 0; i < wanted->n; i++)
		if (!has_eid(&now, wanted->name[i]) &&
		    order_eid(c, SMC_CMD_UEID_ADD, wanted->name[i], why))
			return -1;
	return 0;
}

/* ---- PNETIDs ---- */

static bool same_net(const struct smc_pnet_entry *a, const struct smc_pnet_entry *b)
{
	return a->eth == b->eth && a->port == b->port &&
	       !strcmp(a->name, b->name) && !strcmp(a->device, b->device);
}

static bool has_net(const struct smc_pnet_table *t, const struct smc_pnet_entry *e)
{
	unsigned int i;

	for (i = 0; i < t->n; i++)
		if (same_net(&t->entry[i], e))
			return true;
	return false;
}

static unsigned int line_of_net(const struct smc_conf *c,
				const struct smc_pnet_entry *e)
{
	unsigned int i;

	for (i = 0; i < c->n_pnetids; i++)
		if (!strcmp(c->pnetids[i].name, e->name))
			return c->pnetids[i].line;
	return c->pnetid_line;
}

static int order_net(const struct smc_conf *c, uint8_t cmd,
		     const struct smc_pnet_entry *e, struct smc_conf_error *why)
{
	struct smc_param p[3] = {
		{ .type = SMC_PNETID_NAME, .text = e->name },
		{ .type = e->eth ? SMC_PNETID_ETHNAME : SMC_PNETID_IBNAME,
		  .text = e->device },
		{ .type = SMC_PNETID_IBPORT, .number = e->port },
	};
	bool add = cmd == SMC_PNETID_ADD;
	int err;

	err = smc_genl_ask(SMCR_GENL_FAMILY_NAME, cmd, p,
			   !add ? 1 : e->eth ? 2 : 3, NULL, NULL);
	if (err)
		return config_failed(why, line_of_net(c, e), "PNETID %s%s%s: %s",
			      e->name, add ? " of " : "",
			      add ? e->device : "", smc_genl_why(err));
	return 0;
}

/*
 * The kernel removes a PNETID with all its devices. So entries of this name
 * that may stay are added again.
 */
static int remove_net(const struct smc_conf *c, struct smc_pnet_table *now,
		      unsigned int at, struct smc_conf_error *why)
{
	const struct smc_pnet_entry gone = now->entry[at];
	unsigned int i, n = 0;

	if (order_net(c, SMC_PNETID_DEL, &gone, why))
		return -1;
	for (i = 0; i < now->n; i++)
		if (strcmp(now->entry[i].name, gone.name))
			now->entry[n++] = now->entry[i];
	now->n = n;
	return 0;
}

static int set_nets(const struct smc_conf *c, const struct smc_pnet_table *wanted,
		    struct smc_conf_error *why)
{
	static struct smc_pnet_table now;
	unsigned int i;
	int err;

	err = smc_pnet_read(&now);
	if (err)
		return config_failed(why, c->pnetid_line, "PNETIDs: %s",
			      smc_genl_why(err));
	for (i = 0; i < now.n;) {
		if (has_net(wanted, &now.entry[i])) {
			i++;
			continue;
		}
		if (remove_net(c, &now, i, why))
			return -1;
		i = 0;
	}
	for (i = 0; i < wanted->n; i++)
		if (!has_net(&now, &wanted->entry[i]) &&
		    order_net(c, SMC_PNETID_ADD, &wanted->entry[i], why))
			return -1;
	return 0;
}

/* ---- the whole ---- */

static void wanted_eids(const struct smc_conf *c, struct eid_table *t)
{
	for (t->n = 0; t->n < c->n_ueids; t->n++)
		snprintf(t->name[t->n], sizeof(t->name[0]), "%s",
			 c->ueids[t->n].name);
}

static void want_net(struct smc_pnet_table *t, const char *name, const char *device,
		     unsigned int port)
{
	struct smc_pnet_entry *e = &t->entry[t->n++];

	e->eth = !port;
	e->port = port;
	snprintf(e->name, sizeof(e->name), "%s", name);
	snprintf(e->device, sizeof(e->device), "%s", device);
}

static void wanted_nets(const struct smc_conf *c, struct smc_pnet_table *t)
{
	unsigned int i;

	t->n = 0;
	/* a line may be about two devices */
	static_assert(SMC_PNETS_MAX >= 2 * SMC_CONF_PNETIDS, "room");
	for (i = 0; i < c->n_pnetids; i++) {
		const struct smc_conf_pnetid *p = &c->pnetids[i];

		if (p->interface)
			want_net(t, p->name, p->interface, 0);
		if (p->device)
			want_net(t, p->name, p->device, p->port);
	}
}

static int look(const struct smc_conf *c, struct before *b,
		struct smc_conf_error *why)
{
	unsigned int i;
	int err;

	/* These requests load the module, and so the sysctls exist. */
	err = config_read_eids(&b->eids);
	if (!err)
		err = smc_pnet_read(&b->nets);
	if (err)
		return config_failed(why, 0, "%s", smc_genl_why(err));
	for (i = 0; i < c->n_sysctls; i++)
		if (!config_knows_sysctl(&c->sysctls[i], b->value[i], why))
			return -1;
	return 0;
}

/* Takes back what was set: the first @n sysctls, UEIDs, PNETIDs. */
static int undo(const struct smc_conf *c, const struct before *b,
		unsigned int n, struct smc_conf_error *why)
{
	int err = 0;

	while (n--)
		if (set_sysctl(&c->sysctls[n], b->value[n], why))
			err = -1;
	if (c->ueid_line && set_eids(c, &b->eids, why))
		err = -1;
	if (c->pnetid_line && set_nets(c, &b->nets, why))
		err = -1;
	return err;
}

static int set_all(const struct smc_conf *c, unsigned int *done,
		   struct smc_conf_error *why)
{
	static struct smc_pnet_table nets;
	struct eid_table eids;

	for (; *done < c->n_sysctls; (*done)++)
		if (set_sysctl(&c->sysctls[*done], c->sysctls[*done].value,
			       why))
			return -1;
	wanted_eids(c, &eids);
	if (c->ueid_line && set_eids(c, &eids, why))
		return -1;
	wanted_nets(c, &nets);
	return c->pnetid_line ? set_nets(c, &nets, why) : 0;
}

int config_apply(const struct smc_conf *c, struct smc_conf_error *why)
{
	static struct before before;
	struct smc_conf_error again;
	unsigned int done = 0;
	size_t len;

	/* a file of rules only needs no module */
	if (!c->n_sysctls && !c->ueid_line && !c->pnetid_line)
		return 0;
	if (look(c, &before, why))
		return -1;
	if (!set_all(c, &done, why))
		return 0;
	len = strlen(why->words);
	if (undo(c, &before, done, &again))
		snprintf(why->words + len, sizeof(why->words) - len,
			 "; the way back fails: %s", again.words);
	else
		snprintf(why->words + len, sizeof(why->words) - len,
			 "; nothing is changed");
	return -1;
}
