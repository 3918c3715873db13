// SPDX-License-Identifier: GPL-2.0
/* Information, devices, link groups and links. */
#include <ctype.h>
#include <errno.h>
#include <linux/smc.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "genl.h"
#include "smcr.h"
#include "table.h"

enum {
	HOST_BYTES	= 64,
};

struct view {
	const struct options *o;
	struct json json;
	struct smc_table table;
	bool links;		/* links with their groups */
	bool find;		/* only note the groups that have such a link */
	bool link_show;		/* columns of link-show */
	bool some;		/* only group @wanted */
	bool seen;		/* group @wanted, or device @ibdev, exists */
	unsigned int wanted;
	unsigned int netdev;	/* show only this net device; 0: any */
	const char *ibdev;
	unsigned int *group;	/* @n_groups with a link that is wanted */
	size_t n_groups;
	bool no_memory;
	const char *role;	/* of the last group */
	const char *type;
	unsigned int devices;
	unsigned int id;	/* id of the last printed group */
};

static const char *interface(unsigned int ifindex, char *buf)
{
	if (!ifindex || !if_indextoname(ifindex, buf))
		return "-";
	return buf;
}

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

/* ---- showing some ---- */

static int fail_none(const char *what, const char *name)
{
	fprintf(stderr, "smcr: no %s %s\n", what, name);
	return EXIT_FAILURE;
}

static void find_ibdev(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	struct view *v = arg;
	struct smc_attrs d;

	(void)cmd;
	if (smc_attr_nest(top, SMC_A_DEV_SMCR, &d) &&
	    !strcmp(v->ibdev, smc_attr_text(&d, SMC_A_DEV_IB_NAME)))
		v->seen = true;
}

/* Does the RDMA device exist that the user has named? Return: an exit status */
static int check_ibdev(struct view *v)
{
	int err;

	if (!v->ibdev)
		return EXIT_SUCCESS;
	v->seen = false;
	err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_DEV_SMCR, find_ibdev,
			    v);
	if (err)
		return smc_genl_fail("smcr", err);
	return v->seen ? EXIT_SUCCESS : fail_none("RDMA device", v->ibdev);
}

static int dump(uint8_t cmd, smc_genl_cb cb, struct view *v)
{
	char name[16];
	int err;

	err = check_ibdev(v);
	if (err)
		return err;
	v->seen = false;
	v->json.list = true;
	err = smc_genl_dump(SMC_GENL_FAMILY_NAME, cmd, cb, v);
	if (v->o->json)
		json_list_end(&v->json, err);
	else if (!err)
		err = smc_table_print(&v->table);
	if (err)
		return smc_genl_fail("smcr", err);
	if (!v->some || v->seen)
		return EXIT_SUCCESS;
	snprintf(name, sizeof(name), "%08x", v->wanted);
	return fail_none("link group", name);
}

/* Is the object on the devices that the user has named? */
static bool on_device(const struct view *v, unsigned int ifindex,
		      const char *ibdev)
{
	return (!v->netdev || v->netdev == ifindex) &&
	       (!v->ibdev || !strcmp(v->ibdev, ibdev));
}

/* Reads the number of a group in hex, as the list shows it. */
static bool group_number(const char *word, unsigned int *id)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(word, &end, 16);
	*id = n;
	return isxdigit((unsigned char)*word) && !*end && !errno &&
	       n <= UINT32_MAX;
}

/* Returns the number of a net device, or exits if there is none. */
static unsigned int known_netdev(const char *name)
{
	unsigned int ifindex = if_nametoindex(name);

	if (!ifindex)
		exit(fail_none("net device", name));
	return ifindex;
}

/* Takes [show] [all | ID] [netdev NAME] [ibdev NAME]. */
static void parse_some(struct view *v, bool ids, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc; i++) {
		bool netdev = !strcmp(argv[i], "netdev");

		if (!strcmp(argv[i], "all") || (!i && !strcmp(argv[i], "show")))
			continue;
		if (netdev || !strcmp(argv[i], "ibdev")) {
			if (++i == argc)
				wrong_usage(NULL);
			if (!netdev)
				v->ibdev = argv[i];
			else
				v->netdev = known_netdev(argv[i]);
		} else if (ids && !v->some &&
			   group_number(argv[i], &v->wanted)) {
			v->some = true;
		} else {
			wrong_usage(argv[i]);
		}
	}
}

/* ---- info ---- */

static void take_sys(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	struct smc_attrs *found = arg;

	(void)cmd;
	smc_attr_nest(top, SMC_A_SYS_INFO, found);
}

static void print_info(const struct smc_attrs *s, const struct view *v)
{
	unsigned int ver = smc_attr_number(s, SMC_A_SYS_VER);
	unsigned int rel = smc_attr_number(s, SMC_A_SYS_REL);
	const char *host = smc_attr_text(s, SMC_A_SYS_LOCAL_HOST);
	bool r2 = smc_attr_number(s, SMC_A_SYS_IS_SMCR_V2);
	int len = strcspn(host, " ");
	char name[HOST_BYTES];

	if (v->o->json) {
		snprintf(name, sizeof(name), "%.*s", len, host);
		printf("{\"version\": %u, \"release\": %u, ", ver, rel);
		json_text("host", name);
		printf(", \"smcr\": [\"v1\"%s], \"devices\": %u}\n",
		       r2 ? ", \"v2\"" : "", v->devices);
		return;
	}
	printf("SMC Version:    %u.%u\n", ver, rel);
	printf("SMC Hostname:   %.*s\n", len, host);
	printf("SMC-R Features: v1%s\n", r2 ? " v2" : "");
	printf("RDMA devices:   %u\n", v->devices);
}

static void count_device(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	struct view *v = arg;

	(void)cmd;
	v->devices += !!top->a[SMC_A_DEV_SMCR];
}

/*
 * Attributes point into the message and are valid only while it exists. So the
 * first pass counts the devices, and the second pass prints them.
 */
static void take_info(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	struct smc_attrs s;

	take_sys(cmd, top, &s);
	print_info(&s, arg);
}

int cmd_info(const struct options *o, int argc, char **argv)
{
	struct view v = { .o = o };
	int err;

	only_show(argc, argv);
	err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_DEV_SMCR,
			    count_device, &v);
	if (!err)
		err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_SYS_INFO,
				    take_info, &v);
	return err ? smc_genl_fail("smcr", err) : EXIT_SUCCESS;
}

/* ---- device ---- */

static void print_port(struct view *v, const struct smc_attrs *d,
		       const struct smc_attrs *p, unsigned int port)
{
	const char *state = smc_attr_number(p, SMC_A_PORT_STATE) ? "ACTIVE" :
								   "INACTIVE";
	const char *pnetid = smc_attr_text(p, SMC_A_PORT_PNETID);
	struct smc_table *t = &v->table;
	char buf[IF_NAMESIZE];

	smc_table_cell(t, "%s",
		       interface(smc_attr_number(p, SMC_A_PORT_NETDEV), buf));
	smc_table_cell(t, "%s", smc_attr_text(d, SMC_A_DEV_IB_NAME));
	smc_table_cell(t, "%u", port);
	smc_table_cell(t, "%s", state);
	smc_table_cell(t, "%04x:%04x",
		       (unsigned int)smc_attr_number(d, SMC_A_DEV_PCI_VENDOR),
		       (unsigned int)smc_attr_number(d, SMC_A_DEV_PCI_DEVICE));
	smc_table_cell(t, "%s", smc_attr_number(d, SMC_A_DEV_IS_CRIT) ? "Yes" :
								     "No");
	smc_table_cell(t, "%u",
		       (unsigned int)smc_attr_number(p, SMC_A_PORT_LNK_CNT));
	if (v->o->details)
		smc_table_cell(t, "%s",
			       or_dash(smc_attr_text(d, SMC_A_DEV_PCI_ID)));
	smc_table_cell(t, "%s%s", or_dash(pnetid),
		       smc_attr_number(p, SMC_A_PORT_PNET_USR) ? "*" : "");
}

static void json_port(struct view *v, const struct smc_attrs *d,
		      const struct smc_attrs *p, unsigned int port)
{
	char buf[IF_NAMESIZE];

	json_item(&v->json);
	putchar('{');
	json_text("interface",
		  interface(smc_attr_number(p, SMC_A_PORT_NETDEV), buf));
	fputs(", ", stdout);
	json_text("device", smc_attr_text(d, SMC_A_DEV_IB_NAME));
	printf(", \"port\": %u, \"active\": %s, \"critical\": %s, \"links\": %u, ",
	       port,
	       smc_attr_number(p, SMC_A_PORT_STATE) ? "true" : "false",
	       smc_attr_number(d, SMC_A_DEV_IS_CRIT) ? "true" : "false",
	       (unsigned int)smc_attr_number(p, SMC_A_PORT_LNK_CNT));
	json_text("pci", smc_attr_text(d, SMC_A_DEV_PCI_ID));
	fputs(", ", stdout);
	json_text("pnetid", smc_attr_text(p, SMC_A_PORT_PNETID));
	putchar('}');
}

static void take_device(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	static const unsigned int ports[] = { SMC_A_DEV_PORT, SMC_A_DEV_PORT2 };
	struct smc_attrs d, p;
	struct view *v = arg;
	unsigned int i;

	(void)cmd;
	if (!smc_attr_nest(top, SMC_A_DEV_SMCR, &d))
		return;
	for (i = 0; i < 2; i++) {
		if (!smc_attr_nest(&d, ports[i], &p) ||
		    !on_device(v, smc_attr_number(&p, SMC_A_PORT_NETDEV),
			       smc_attr_text(&d, SMC_A_DEV_IB_NAME)))
			continue;
		if (v->o->json)
			json_port(v, &d, &p, i + 1);
		else
			print_port(v, &d, &p, i + 1);
	}
}

int cmd_device(const struct options *o, int argc, char **argv)
{
	struct view v = { .o = o };

	parse_some(&v, false, argc, argv);
	smc_table_column(&v.table, "Net-Dev", -15, 1);
	smc_table_column(&v.table, "IB-Dev", -15, 1);
	smc_table_column(&v.table, "IB-P", 4, 1);
	smc_table_column(&v.table, "IB-State", -8, 2);
	smc_table_column(&v.table, "Type", -9, 2);
	smc_table_column(&v.table, "Crit", -4, 2);
	smc_table_column(&v.table, "#Links", 7, 1);
	if (o->details)
		smc_table_column(&v.table, "PCI-ID", -12, 2);
	smc_table_column(&v.table, "PNET-ID", -7, 2);
	return dump(SMC_CMD_DEV_SMCR, take_device, &v);
}

/* ---- linkgroup, link ---- */

static const struct {
	uint8_t bit;
	const char *name;
} ext_caps[] = {
	{ SMC_EXT_CAP_FRAMES, "frames" },
	{ SMC_EXT_CAP_ELASTIC, "elastic" },
	{ SMC_EXT_CAP_WIDE, "wide" },
	{ SMC_EXT_CAP_V6, "v6" },
};

/* longest: 255:frames+elastic+wide+v6 */
#define EXT_TEXT_LEN	28

/* Returns version and capabilities of the extension, or - if it is off. */
static const char *ext_text(const struct smc_attrs *t, unsigned int type,
			    char buf[EXT_TEXT_LEN])
{
	struct smc_attrs ext;
	unsigned int i, caps;
	char mark = ':';
	int len;

	if (!smc_attr_nest(t, type, &ext))
		return "-";
	caps = smc_attr_number(&ext, SMC_A_EXT_CAPS);
	len = snprintf(buf, EXT_TEXT_LEN, "%u",
		       (uint8_t)smc_attr_number(&ext, SMC_A_EXT_VERSION));
	for (i = 0; i < ARRAY_SIZE(ext_caps); i++) {
		if (!(caps & ext_caps[i].bit) || len >= EXT_TEXT_LEN)
			continue;
		len += snprintf(buf + len, EXT_TEXT_LEN - len, "%c%s", mark,
				ext_caps[i].name);
		mark = '+';
	}
	return buf;
}

static void json_ext(const struct smc_attrs *t, unsigned int type)
{
	const char *gap = "";
	struct smc_attrs ext;
	unsigned int i, caps;

	fputs(", \"extension\": ", stdout);
	if (!smc_attr_nest(t, type, &ext)) {
		fputs("null", stdout);
		return;
	}
	putchar('{');
	json_number("version", smc_attr_number(&ext, SMC_A_EXT_VERSION));
	caps = smc_attr_number(&ext, SMC_A_EXT_CAPS);
	fputs(", \"capabilities\": [", stdout);
	for (i = 0; i < ARRAY_SIZE(ext_caps); i++) {
		if (!(caps & ext_caps[i].bit))
			continue;
		printf("%s\"%s\"", gap, ext_caps[i].name);
		gap = ", ";
	}
	putchar(']');
	if (ext.a[SMC_A_EXT_FRAME_SEND]) {
		fputs(", ", stdout);
		json_number("frame_send",
			    smc_attr_number(&ext, SMC_A_EXT_FRAME_SEND));
		fputs(", ", stdout);
		json_number("frame_receive",
			    smc_attr_number(&ext, SMC_A_EXT_FRAME_RECV));
	}
	putchar('}');
}

static const char *role_name(const struct smc_attrs *l)
{
	return smc_attr_number(l, SMC_A_LGR_ROLE) ? "SERV" : "CLNT";
}

const char *group_type_name(unsigned int type)
{
	static const char * const names[] = {
		[SMC_LGR_TYPE_NONE] = "NONE",
		[SMC_LGR_TYPE_SINGLE] = "SINGLE",
		[SMC_LGR_TYPE_SYMMETRIC] = "SYM",
		[SMC_LGR_TYPE_ASYMMETRIC_PEER] = "ASYMP",
		[SMC_LGR_TYPE_ASYMMETRIC_LOCAL] = "ASYML",
	};

	return type < ARRAY_SIZE(names) ? names[type] : "?";
}

static const char *type_name(const struct smc_attrs *l)
{
	return group_type_name(smc_attr_number(l, SMC_A_LGR_TYPE));
}

/* Prints a text without the blanks that fill its field in CLC messages. */
static void json_padded(const char *key, const char *text)
{
	char buf[64];
	size_t n = strnlen(text, sizeof(buf) - 1);

	while (n && text[n - 1] == ' ')
		n--;
	snprintf(buf, sizeof(buf), "%.*s", (int)n, text);
	json_text(key, buf);
}

static void json_lgr(struct view *v, const struct smc_attrs *l)
{
	struct smc_attrs common, v2;

	json_item(&v->json);
	printf("{\"id\": \"%08x\", \"role\": \"%s\", \"type\": \"%s\", ", v->id,
	       role_name(l), type_name(l));
	printf("\"vlan\": %u, \"connections\": %u, ",
	       (unsigned int)smc_attr_number(l, SMC_A_LGR_VLAN_ID),
	       (unsigned int)smc_attr_number(l, SMC_A_LGR_CONNS_NUM));
	json_number("send_bytes", smc_attr_number(l, SMC_A_LGR_SNDBUF_ALLOC));
	fputs(", ", stdout);
	json_number("rmb_bytes", smc_attr_number(l, SMC_A_LGR_RMB_ALLOC));
	fputs(", ", stdout);
	json_text("pnetid", smc_attr_text(l, SMC_A_LGR_PNETID));
	if (smc_attr_nest(l, SMC_A_LGR_V2_COMMON, &common)) {
		fputs(", ", stdout);
		json_padded("eid", smc_attr_text(&common, SMC_A_V2_NEG_EID));
		fputs(", ", stdout);
		json_padded("peer_host",
			    smc_attr_text(&common, SMC_A_V2_PEER_HOST));
	}
	if (smc_attr_nest(l, SMC_A_LGR_V2, &v2)) {
		fputs(", ", stdout);
		json_number("direct", smc_attr_number(&v2, SMC_A_V2R_DIRECT));
	}
	json_ext(l, SMC_A_LGR_EXT);
	putchar('}');
}

static void cell_bytes(struct smc_table *t, unsigned long long bytes)
{
	smc_table_cell(t, "%llu", bytes);
}

static void print_lgr(struct view *v, const struct smc_attrs *l)
{
	struct smc_table *t = &v->table;
	struct smc_attrs common;
	char ext[EXT_TEXT_LEN];

	smc_table_cell(t, "%08x", v->id);
	smc_table_cell(t, "%s", role_name(l));
	smc_table_cell(t, "%s", type_name(l));
	smc_table_cell(t, "%u",
		       (unsigned int)smc_attr_number(l, SMC_A_LGR_VLAN_ID));
	smc_table_cell(t, "%u",
		       (unsigned int)smc_attr_number(l, SMC_A_LGR_CONNS_NUM));
	if (v->o->details) {
		smc_attr_nest(l, SMC_A_LGR_V2_COMMON, &common);
		cell_bytes(t, smc_attr_number(l, SMC_A_LGR_SNDBUF_ALLOC));
		cell_bytes(t, smc_attr_number(l, SMC_A_LGR_RMB_ALLOC));
		smc_table_cell(t, "%s", l->a[SMC_A_LGR_V2_COMMON] ? "2" : "1");
		smc_table_cell(t, "%s",
			       or_dash(smc_attr_text(&common, SMC_A_V2_NEG_EID)));
		smc_table_cell(t, "%s", ext_text(l, SMC_A_LGR_EXT, ext));
	}
	smc_table_cell(t, "%s", or_dash(smc_attr_text(l, SMC_A_LGR_PNETID)));
}

static const char *state_name(const struct smc_attrs *k)
{
	static const char * const names[] = {
		[SMC_LINK_STATE_UNUSED] = "UNUSED",
		[SMC_LINK_STATE_INACTIVE] = "INACTIVE",
		[SMC_LINK_STATE_ACTIVATING] = "ACTIVATING",
		[SMC_LINK_STATE_ACTIVE] = "ACTIVE",
	};
	uint64_t state = smc_attr_number(k, SMC_A_LINK_STATE);

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

static void json_link(struct view *v, const struct smc_attrs *k)
{
	char buf[IF_NAMESIZE];

	json_item(&v->json);
	printf("{\"group\": \"%08x\", \"link\": %u, \"state\": \"%s\", ", v->id,
	       (unsigned int)smc_attr_number(k, SMC_A_LINK_ID),
	       state_name(k));
	printf("\"connections\": %u, \"port\": %u, ",
	       (unsigned int)smc_attr_number(k, SMC_A_LINK_CONN_CNT),
	       (unsigned int)smc_attr_number(k, SMC_A_LINK_IB_PORT));
	json_text("device", smc_attr_text(k, SMC_A_LINK_IB_DEV));
	fputs(", ", stdout);
	json_text("interface",
		  interface(smc_attr_number(k, SMC_A_LINK_NET_DEV), buf));
	fputs(", ", stdout);
	json_text("gid", smc_attr_text(k, SMC_A_LINK_GID));
	fputs(", ", stdout);
	json_text("peer_gid", smc_attr_text(k, SMC_A_LINK_PEER_GID));
	printf(", \"role\": \"%s\", \"type\": \"%s\", \"uid\": %u, \"peer_uid\": %u",
	       v->role, v->type,
	       (unsigned int)smc_attr_number(k, SMC_A_LINK_UID),
	       (unsigned int)smc_attr_number(k, SMC_A_LINK_PEER_UID));
	json_ext(k, SMC_A_LINK_EXT);
	putchar('}');
}

static void print_link(struct view *v, const struct smc_attrs *k)
{
	char buf[IF_NAMESIZE], ext[EXT_TEXT_LEN];
	struct smc_table *t = &v->table;

	smc_table_cell(t, "%08x", v->id);
	smc_table_cell(t, "%02x",
		       (unsigned int)smc_attr_number(k, SMC_A_LINK_ID));
	smc_table_cell(t, "%s",
		       interface(smc_attr_number(k, SMC_A_LINK_NET_DEV), buf));
	smc_table_cell(t, "%s", smc_attr_text(k, SMC_A_LINK_IB_DEV));
	smc_table_cell(t, "%u",
		       (unsigned int)smc_attr_number(k, SMC_A_LINK_IB_PORT));
	smc_table_cell(t, "%s", state_name(k));
	smc_table_cell(t, "%u",
		       (unsigned int)smc_attr_number(k, SMC_A_LINK_CONN_CNT));
	if (!v->o->details)
		return;
	smc_table_cell(t, "%s", smc_attr_text(k, SMC_A_LINK_GID));
	smc_table_cell(t, "%s", smc_attr_text(k, SMC_A_LINK_PEER_GID));
	smc_table_cell(t, "%s", ext_text(k, SMC_A_LINK_EXT, ext));
}

static void print_link_show(struct view *v, const struct smc_attrs *k)
{
	struct smc_table *t = &v->table;
	char buf[IF_NAMESIZE];

	smc_table_cell(t, "%08x", v->id);
	smc_table_cell(t, "%s", v->role);
	smc_table_cell(t, "%s", v->type);
	smc_table_cell(t, "%s",
		       interface(smc_attr_number(k, SMC_A_LINK_NET_DEV), buf));
	smc_table_cell(t, "%s", state_name(k));
	smc_table_cell(t, "%u",
		       (unsigned int)smc_attr_number(k, SMC_A_LINK_CONN_CNT));
	if (!v->o->details)
		return;
	smc_table_cell(t, "%08x",
		       (unsigned int)smc_attr_number(k, SMC_A_LINK_UID));
	smc_table_cell(t, "%08x",
		       (unsigned int)smc_attr_number(k, SMC_A_LINK_PEER_UID));
	smc_table_cell(t, "%s", smc_attr_text(k, SMC_A_LINK_IB_DEV));
	smc_table_cell(t, "%u",
		       (unsigned int)smc_attr_number(k, SMC_A_LINK_IB_PORT));
	if (v->o->details < 2)
		return;
	smc_table_cell(t, "%s", smc_attr_text(k, SMC_A_LINK_GID));
	smc_table_cell(t, "%s", smc_attr_text(k, SMC_A_LINK_PEER_GID));
}

static void note_group(struct view *v)
{
	unsigned int *more = reallocarray(v->group, v->n_groups + 1,
					  sizeof(*more));

	if (!more) {
		v->no_memory = true;
		return;
	}
	v->group = more;
	v->group[v->n_groups++] = v->id;
}

/* Does the group have a link on the devices that the user has named? */
static bool group_wanted(const struct view *v)
{
	size_t i;

	if (v->some && v->id != v->wanted)
		return false;
	if (!v->netdev && !v->ibdev)
		return true;
	for (i = 0; i < v->n_groups; i++) {
		if (v->group[i] == v->id)
			return true;
	}
	return false;
}

static void take_group(void *arg, const struct smc_attrs *l)
{
	struct view *v = arg;

	v->id = smc_attr_number(l, SMC_A_LGR_ID);
	v->role = role_name(l);
	v->type = type_name(l);
	v->seen |= v->id == v->wanted;
	if (v->links || !group_wanted(v))
		return;
	if (v->o->json)
		json_lgr(v, l);
	else
		print_lgr(v, l);
}

static void take_link(void *arg, const struct smc_attrs *k)
{
	struct view *v = arg;

	if ((v->some && v->id != v->wanted) ||
	    !on_device(v, smc_attr_number(k, SMC_A_LINK_NET_DEV),
		       smc_attr_text(k, SMC_A_LINK_IB_DEV)))
		return;
	if (v->find)
		note_group(v);
	else if (v->o->json)
		json_link(v, k);
	else if (v->link_show)
		print_link_show(v, k);
	else
		print_link(v, k);
}

void take_group_or_link(const struct smc_attrs *top, take_attrs group,
			take_attrs link, void *arg)
{
	struct smc_attrs inner;

	if (smc_attr_nest(top, SMC_A_LGR_SMCR, &inner))
		group(arg, &inner);
	else if (smc_attr_nest(top, SMC_A_LINK_SMCR, &inner))
		link(arg, &inner);
}

static void take_lgr(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	(void)cmd;
	take_group_or_link(top, take_group, take_link, arg);
}

int cmd_link(const struct options *o, int argc, char **argv)
{
	struct view v = { .o = o, .links = true, .role = "", .type = "" };

	parse_some(&v, true, argc, argv);
	smc_table_column(&v.table, "LG-ID", -8, 1);
	smc_table_column(&v.table, "LN", -2, 1);
	smc_table_column(&v.table, "Net-Dev", -15, 1);
	smc_table_column(&v.table, "IB-Dev", -15, 1);
	smc_table_column(&v.table, "IB-P", 4, 1);
	smc_table_column(&v.table, "State", -10, 2);
	smc_table_column(&v.table, "#Conns", 7, 1);
	if (o->details) {
		smc_table_column(&v.table, "GID", -39, 2);
		smc_table_column(&v.table, "Peer-GID", -39, 2);
		smc_table_column(&v.table, "Extension", -9, 2);
	}
	return dump(SMC_CMD_LINK_SMCR, take_lgr, &v);
}

static int link_show(const struct options *o, int argc, char **argv)
{
	struct view v = { .o = o, .links = true, .link_show = true,
			  .role = "", .type = "" };

	parse_some(&v, true, argc, argv);
	smc_table_column(&v.table, "LG-ID", -8, 1);
	smc_table_column(&v.table, "LG-Role", -8, 1);
	smc_table_column(&v.table, "LG-Type", -8, 1);
	smc_table_column(&v.table, "Net-Dev", -15, 1);
	smc_table_column(&v.table, "Link-State", -12, 1);
	smc_table_column(&v.table, "#Conns", 6, 1);
	if (o->details) {
		smc_table_column(&v.table, "Link-UID", -8, 2);
		smc_table_column(&v.table, "Peer-UID", -8, 1);
		smc_table_column(&v.table, "IB-Dev", -15, 1);
		smc_table_column(&v.table, "IB-P", 4, 1);
	}
	if (o->details > 1) {
		smc_table_column(&v.table, "Local-GID", -39, 2);
		smc_table_column(&v.table, "Peer-GID", -39, 1);
	}
	return dump(SMC_CMD_LINK_SMCR, take_lgr, &v);
}

static int end_lgr(const char *word)
{
	struct smc_param p = { .type = SMC_A_LGR_END_ID, .wide = true };
	int err;

	if (!group_number(word, &p.number)) {
		fprintf(stderr, "smcr: '%s' is not the number of a link group\n",
			word);
		return EXIT_FAILURE;
	}
	err = smc_genl_ask(SMC_GENL_FAMILY_NAME, SMC_CMD_LGR_END, &p, 1, NULL,
			   NULL);
	return err ? smc_genl_fail("smcr", err) : EXIT_SUCCESS;
}

/*
 * The list of groups has no devices, so this function reads the list of links
 * first.
 */
static int find_groups(struct view *v)
{
	int err;

	if (!v->netdev && !v->ibdev)
		return 0;
	v->links = true;
	v->find = true;
	err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_LINK_SMCR, take_lgr,
			    v);
	v->links = false;
	v->find = false;
	return err ?: v->no_memory ? -ENOMEM : 0;
}

static void group_columns(struct view *v)
{
	struct smc_table *t = &v->table;

	smc_table_column(t, "LG-ID", -8, 1);
	smc_table_column(t, "LG-Role", -8, 1);
	smc_table_column(t, "LG-Type", -8, 1);
	smc_table_column(t, "VLAN", 4, 1);
	smc_table_column(t, "#Conns", 7, 1);
	if (v->o->details) {
		smc_table_column(t, "Send-Bytes", 12, 2);
		smc_table_column(t, "RMB-Bytes", 12, 1);
		smc_table_column(t, "Version", -8, 2);
		smc_table_column(t, "EID", -32, 1);
		smc_table_column(t, "Extension", -9, 1);
	}
	smc_table_column(t, "PNET-ID", -7, 2);
}

int cmd_linkgroup(const struct options *o, int argc, char **argv)
{
	struct view v = { .o = o };
	int err;

	if (argc && !strcmp(argv[0], "del")) {
		if (argc != 2)
			wrong_usage(argc > 2 ? argv[2] : NULL);
		return end_lgr(argv[1]);
	}
	if (argc && !strcmp(argv[0], "link-show"))
		return link_show(o, argc - 1, argv + 1);
	parse_some(&v, true, argc, argv);
	err = find_groups(&v);
	if (err)
		return smc_genl_fail("smcr", err);
	group_columns(&v);
	err = dump(SMC_CMD_LGR_SMCR, take_lgr, &v);
	free(v.group);
	return err;
}
