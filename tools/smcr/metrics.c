// SPDX-License-Identifier: GPL-2.0
/*
 * smcr metrics: the counters in the exposition format of Prometheus. If a file
 * is named, for the textfile collector of the node exporter, the file is
 * replaced in one step.
 */
#include <errno.h>
#include <linux/smc.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "counters.h"
#include "genl.h"
#include "names.h"
#include "replace.h"
#include "smcr.h"
#include "stats.h"

enum {
	LABEL_BYTES	= 32,
	REASON_BYTES	= 128,
	DEVICE_BYTES	= 64,
};

static const char * const roles[] = { "client", "server" };
static const char * const directions[] = { "tx", "rx" };

struct group {
	unsigned int id;
	bool server;
	unsigned int type;
	unsigned long long connections;
	unsigned long long send_bytes;
	unsigned long long rmb_bytes;
};

struct link {
	unsigned int group;
	unsigned int number;
	char device[DEVICE_BYTES];
	unsigned int port;
	unsigned int ifindex;
	bool active;
	unsigned long long connections;
};

struct port {
	char device[DEVICE_BYTES];
	unsigned int number;
	unsigned int ifindex;
	bool active;
	bool critical;
	unsigned long long links;
};

/*
 * All printed values. The tool collects them first, so that it prints nothing
 * after an error.
 */
struct facts {
	struct stats stats;
	unsigned int version;
	unsigned int release;
	struct group *group;
	size_t n_groups;
	struct link *link;
	size_t n_links;
	struct port *port;
	size_t n_ports;
	struct counter_values counters;
	bool no_memory;
};

/* ---- collecting ---- */

/* Returns a new entry, which is zeroed, or NULL. */
static void *more(struct facts *f, void **array, size_t *n, size_t size)
{
	char *new = reallocarray(*array, *n + 1, size);

	if (!new) {
		f->no_memory = true;
		return NULL;
	}
	*array = new;
	return memset(new + (*n)++ * size, 0, size);
}

static void take_info(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	struct facts *f = arg;
	struct smc_attrs s;

	(void)cmd;
	if (!smc_attr_nest(top, SMC_A_SYS_INFO, &s))
		return;
	f->version = smc_attr_number(&s, SMC_A_SYS_VER);
	f->release = smc_attr_number(&s, SMC_A_SYS_REL);
}

static void take_group(void *arg, const struct smc_attrs *l)
{
	struct facts *f = arg;
	struct group *g = more(f, (void **)&f->group, &f->n_groups, sizeof(*g));

	if (!g)
		return;
	g->id = smc_attr_number(l, SMC_A_LGR_ID);
	g->server = smc_attr_number(l, SMC_A_LGR_ROLE);
	g->type = smc_attr_number(l, SMC_A_LGR_TYPE);
	g->connections = smc_attr_number(l, SMC_A_LGR_CONNS_NUM);
	g->send_bytes = smc_attr_number(l, SMC_A_LGR_SNDBUF_ALLOC);
	g->rmb_bytes = smc_attr_number(l, SMC_A_LGR_RMB_ALLOC);
}

/* The links of a group follow the group in the dump. */
static void take_link(void *arg, const struct smc_attrs *k)
{
	struct facts *f = arg;
	struct link *l = more(f, (void **)&f->link, &f->n_links, sizeof(*l));

	if (!l)
		return;
	l->group = f->n_groups ? f->group[f->n_groups - 1].id : 0;
	l->number = smc_attr_number(k, SMC_A_LINK_ID);
	snprintf(l->device, sizeof(l->device), "%s",
		 smc_attr_text(k, SMC_A_LINK_IB_DEV));
	l->port = smc_attr_number(k, SMC_A_LINK_IB_PORT);
	l->ifindex = smc_attr_number(k, SMC_A_LINK_NET_DEV);
	l->active = smc_attr_number(k, SMC_A_LINK_STATE) ==
		    SMC_LINK_STATE_ACTIVE;
	l->connections = smc_attr_number(k, SMC_A_LINK_CONN_CNT);
}

static void take_lgr(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	(void)cmd;
	take_group_or_link(top, take_group, take_link, arg);
}

static void take_device(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	static const unsigned int ports[] = { SMC_A_DEV_PORT, SMC_A_DEV_PORT2 };
	struct facts *f = arg;
	struct smc_attrs d, p;
	struct port *port;
	unsigned int i;

	(void)cmd;
	if (!smc_attr_nest(top, SMC_A_DEV_SMCR, &d))
		return;
	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		if (!smc_attr_nest(&d, ports[i], &p))
			continue;
		port = more(f, (void **)&f->port, &f->n_ports, sizeof(*port));
		if (!port)
			return;
		snprintf(port->device, sizeof(port->device), "%s",
			 smc_attr_text(&d, SMC_A_DEV_IB_NAME));
		port->number = i + 1;
		port->ifindex = smc_attr_number(&p, SMC_A_PORT_NETDEV);
		port->active = smc_attr_number(&p, SMC_A_PORT_STATE);
		port->critical = smc_attr_number(&d, SMC_A_DEV_IS_CRIT);
		port->links = smc_attr_number(&p, SMC_A_PORT_LNK_CNT);
	}
}

static int collect(struct facts *f)
{
	int err;

	err = stats_ask(&f->stats) ?:
	      smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_SYS_INFO, take_info,
			    f) ?:
	      smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_LINK_SMCR, take_lgr,
			    f) ?:
	      smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_DEV_SMCR, take_device,
			    f);
	if (!err && f->no_memory)
		err = -ENOMEM;
	if (err)
		return err;
	/* The module of stock Linux has no such file. */
	err = counters_read(&f->counters);
	return err == -ENOENT ? 0 : err;
}

/* ---- printing ---- */

static void head(FILE *to, const char *name, enum counter_type type,
		 const char *help)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		counter_type_name(type));
}

static const char *metric_head(FILE *to, enum metric_id id)
{
	head(to, metrics[id].name, metrics[id].type, metrics[id].help);
	return metrics[id].name;
}

/* Prints a label; @further: another one follows. */
static void label(FILE *to, const char *name, const char *value, bool further)
{
	const char *c;

	fprintf(to, "%s=\"", name);
	for (c = value; *c; c++) {
		if (*c == '\n')
			fputs("\\n", to);
		else if (*c == '"' || *c == '\\')
			fprintf(to, "\\%c", *c);
		else
			fputc(*c, to);
	}
	fputs(further ? "\"," : "\"", to);
}

static void number_label(FILE *to, const char *name, const char *format,
			 unsigned int value, bool further)
{
	char text[LABEL_BYTES];

	snprintf(text, sizeof(text), format, value);
	label(to, name, text, further);
}

static void one_label(FILE *to, const char *metric, const char *name,
		      const char *value, unsigned long long n)
{
	fprintf(to, "%s{", metric);
	label(to, name, value, false);
	fprintf(to, "} %llu\n", n);
}

static void print_reasons(FILE *to, const struct stats *s)
{
	const char *name = metric_head(to, METRIC_FALLBACK_REASONS);
	char text[REASON_BYTES];
	unsigned int i;

	for (i = 0; i < s->n_reasons; i++) {
		const struct reason *r = &s->reason[i];
		const struct smc_diag_fallback f = { .reason = r->code };

		smc_reason_phrase(&f, text, sizeof(text));
		fprintf(to, "%s{", name);
		label(to, "role", roles[!!r->server], true);
		number_label(to, "code", "0x%08x", r->code, true);
		label(to, "reason", text, false);
		fprintf(to, "} %llu\n", r->n);
	}
}

static void print_handshakes(FILE *to, const struct stats *s)
{
	const char *name = metric_head(to, METRIC_CONNECTIONS);
	unsigned int i;

	for (i = 0; i < 4; i++) {
		fprintf(to, "%s{", name);
		label(to, "role", roles[i / 2], true);
		number_label(to, "version", "%u", i % 2 + 1, false);
		fprintf(to, "} %llu\n", s->count[i]);
	}
	name = metric_head(to, METRIC_FALLBACKS);
	for (i = 0; i < 2; i++)
		one_label(to, name, "role", roles[i], s->fallbacks[i]);
	name = metric_head(to, METRIC_HANDSHAKE_ERRORS);
	for (i = 0; i < 2; i++)
		one_label(to, name, "role", roles[i], s->errors[i]);
	print_reasons(to, s);
}

/* Bucket n of the module ends at 8 KiB << n, and the last one has no end. */
static void print_histogram(FILE *to, enum metric_id id,
			    const unsigned long long *bucket,
			    unsigned long long sum)
{
	const char *name = metric_head(to, id);
	unsigned long long below = 0;
	unsigned int i;

	for (i = 0; i < STATS_SIZES; i++) {
		below += bucket[i];
		if (i < STATS_SIZES - 1)
			fprintf(to, "%s_bucket{le=\"%u\"} %llu\n", name,
				8192u << i, below);
	}
	fprintf(to, "%s_bucket{le=\"+Inf\"} %llu\n", name, below);
	fprintf(to, "%s_sum %llu\n%s_count %llu\n", name, sum, name, below);
}

static void print_buffers(FILE *to, const struct stats *s)
{
	const char *name = metric_head(to, METRIC_BUFFERS);
	unsigned int i, dir;

	for (dir = 0; dir < 2; dir++) {
		for (i = 0; i < STATS_SIZES; i++) {
			fprintf(to, "%s{", name);
			label(to, "direction", directions[dir], true);
			label(to, "size", stats_size_names[i], false);
			fprintf(to, "} %llu\n", s->size[dir][i]);
		}
	}
	name = metric_head(to, METRIC_BUFFER_EVENTS);
	for (dir = 0; dir < 2; dir++) {
		for (i = 0; i < STATS_BUFS; i++) {
			fprintf(to, "%s{", name);
			label(to, "direction", directions[dir], true);
			label(to, "event", stats_buf_names[i], false);
			fprintf(to, "} %llu\n", s->buf[dir][i]);
		}
	}
	name = metric_head(to, METRIC_BUFFER_BYTES);
	for (dir = 0; dir < 2; dir++)
		one_label(to, name, "direction", directions[dir],
			  s->usage[dir]);
}

static void print_calls(FILE *to, const struct stats *s)
{
	const char *name;
	unsigned int i;

	print_histogram(to, METRIC_SEND_CALLS, s->pload[0],
			STATS_COUNT(s, TX_BYTES));
	print_histogram(to, METRIC_RECV_CALLS, s->pload[1],
			STATS_COUNT(s, RX_BYTES));
	name = metric_head(to, METRIC_SPECIAL_CALLS);
	for (i = 0; i < STATS_SPECIAL; i++)
		one_label(to, name, "call", stats_special_names[i],
			  (&STATS_COUNT(s, SENDPAGE_CNT))[i]);
}

static const char *interface(unsigned int ifindex, char *buf)
{
	if (!ifindex || !if_indextoname(ifindex, buf))
		return "";
	return buf;
}

static void print_group(FILE *to, enum metric_id id, const struct facts *f,
			size_t offset)
{
	const char *name = metric_head(to, id);
	size_t i;

	for (i = 0; i < f->n_groups; i++) {
		const struct group *g = &f->group[i];
		const char *value = (const char *)g + offset;

		fprintf(to, "%s{", name);
		number_label(to, "group", "%08x", g->id,
			     id == METRIC_GROUP_CONNECTIONS);
		if (id == METRIC_GROUP_CONNECTIONS) {
			label(to, "role", roles[g->server], true);
			label(to, "type", group_type_name(g->type), false);
		}
		fprintf(to, "} %llu\n", *(const unsigned long long *)value);
	}
}

static void print_links(FILE *to, enum metric_id id, const struct facts *f)
{
	const char *name = metric_head(to, id);
	char buf[IF_NAMESIZE];
	size_t i;

	for (i = 0; i < f->n_links; i++) {
		const struct link *l = &f->link[i];

		fprintf(to, "%s{", name);
		number_label(to, "group", "%08x", l->group, true);
		number_label(to, "link", "%u", l->number, true);
		label(to, "device", l->device, true);
		number_label(to, "port", "%u", l->port, true);
		label(to, "interface", interface(l->ifindex, buf), false);
		fprintf(to, "} %llu\n", id == METRIC_LINK_ACTIVE ?
			(unsigned long long)l->active : l->connections);
	}
}

static void print_ports(FILE *to, enum metric_id id, const struct facts *f)
{
	const char *name = metric_head(to, id);
	char buf[IF_NAMESIZE];
	size_t i;

	for (i = 0; i < f->n_ports; i++) {
		const struct port *p = &f->port[i];

		fprintf(to, "%s{", name);
		label(to, "device", p->device, true);
		number_label(to, "port", "%u", p->number, true);
		label(to, "interface", interface(p->ifindex, buf), false);
		fprintf(to, "} %llu\n", id == METRIC_PORT_ACTIVE ?
			(unsigned long long)p->active : p->links);
	}
}

/* The ports of a device are adjacent entries. */
static void print_devices(FILE *to, const struct facts *f)
{
	const char *name = metric_head(to, METRIC_DEVICE_CRITICAL);
	size_t i;

	for (i = 0; i < f->n_ports; i++) {
		if (!i || strcmp(f->port[i].device, f->port[i - 1].device))
			one_label(to, name, "device", f->port[i].device,
				  f->port[i].critical);
	}
}

static void print_counters(FILE *to, const struct counter_values *v)
{
	unsigned int i;

	for (i = 0; counters[i].name; i++) {
		if (!v->there[i])
			continue;
		head(to, counters[i].metric, counters[i].type,
		     counters[i].help);
		fprintf(to, "%s %llu\n", counters[i].metric, v->value[i]);
	}
}

static void print_all(FILE *to, const struct facts *f)
{
	fprintf(to, "%s 1\n", metric_head(to, METRIC_UP));
	fprintf(to, "%s{", metric_head(to, METRIC_INFO));
	number_label(to, "version", "%u", f->version, true);
	number_label(to, "release", "%u", f->release, false);
	fputs("} 1\n", to);
	print_handshakes(to, &f->stats);
	print_calls(to, &f->stats);
	print_buffers(to, &f->stats);
	print_group(to, METRIC_GROUP_CONNECTIONS, f,
		    offsetof(struct group, connections));
	print_group(to, METRIC_GROUP_SEND_BYTES, f,
		    offsetof(struct group, send_bytes));
	print_group(to, METRIC_GROUP_RMB_BYTES, f,
		    offsetof(struct group, rmb_bytes));
	print_links(to, METRIC_LINK_ACTIVE, f);
	print_links(to, METRIC_LINK_CONNECTIONS, f);
	print_ports(to, METRIC_PORT_ACTIVE, f);
	print_ports(to, METRIC_PORT_LINKS, f);
	print_devices(to, f);
	print_counters(to, &f->counters);
}

/* ---- the file ---- */

/*
 * Is the module loaded? A request to its netlink family would load it, and a
 * monitoring system must not do that.
 */
static bool module_there(void)
{
	FILE *f = fopen("/proc/net/protocols", "re");
	bool found = false;
	char line[256];

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = !strncmp(line, "SMC ", 4);
	fclose(f);
	return found;
}

static int write_all(FILE *to)
{
	struct facts *f;
	int err;

	if (!module_there()) {
		fprintf(to, "%s 0\n", metric_head(to, METRIC_UP));
		return 0;
	}
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	err = collect(f);
	if (!err)
		print_all(to, f);
	free(f->group);
	free(f->link);
	free(f->port);
	free(f);
	return err;
}

static int cannot_write(const char *path)
{
	fprintf(stderr, "smcr: cannot write %s: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

/*
 * Is it a pipe or a device, or a name that stands for the output of the
 * program, such as /dev/stdout? A regular file must not replace it.
 */
static bool is_special(const char *path)
{
	static const char proc[] = "/proc/";
	char to[sizeof(proc) - 1];
	struct stat st;

	if (readlink(path, to, sizeof(to)) == sizeof(to) &&
	    !memcmp(to, proc, sizeof(to)))
		return true;
	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Replaces the file in one step: a reader sees the old file or the new one. */
static int to_file(const char *path)
{
	struct smc_replace r;
	int err, status;

	if (is_special(path)) {
		fprintf(stderr, "smcr: %s is not a regular file\n", path);
		return EXIT_FAILURE;
	}
	if (smc_replace_begin(&r, path))
		return cannot_write(path);
	err = write_all(r.file);
	if (err)
		return smc_replace_end(&r, smc_genl_fail("smcr", err));
	/* the exporter runs as another user */
	status = fchmod(fileno(r.file), 0644);
	return smc_replace_end(&r, status) ? cannot_write(path) : EXIT_SUCCESS;
}

int cmd_metrics(const struct options *o, int argc, char **argv)
{
	int err;

	(void)o;
	if (argc > 1)
		wrong_usage(argv[1]);
	if (argc && strcmp(argv[0], "show"))
		return to_file(argv[0]);
	err = write_all(stdout);
	return err ? smc_genl_fail("smcr", err) : EXIT_SUCCESS;
}
