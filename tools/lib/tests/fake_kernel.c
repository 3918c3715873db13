// SPDX-License-Identifier: GPL-2.0
/*
 * This library replaces functions of libmnl and simulates a kernel with SMC, so
 * that a test sees known values. Each dump of the statistics is a step of time:
 * all counters grow by the same amounts. Values of FAKE_KERNEL: "host", or
 * "reloaded" (the counters begin again at step 2), "names" (names that need
 * quotes), "denied" (the kernel refuses commands), "undiagnosed" (there is no
 * list of sockets), "bare" (nothing is connected), "stock" (no files in
 * /proc/net), "unplugged" (no port is active), "elsewhere" (interfaces of ports
 * are in other network namespaces), "long" (the longest names and numbers),
 * "novel" (values that the tools do not know), "locked" (step 2 has no numbers
 * of connections).
 *
 * The tables of UEIDs and PNETIDs change as the kernel's do. FAKE_FINAL names a
 * file that gets them at the end. FAKE_REFUSE=N makes the kernel refuse the Nth
 * command, and with "N+" all later ones, too. FAKE_SYSCTL, FAKE_MODULE and
 * FAKE_CLASS are directories that take the place of /proc/sys/net/smc,
 * /sys/module and /sys/class/infiniband. With FAKE_SOCKET, AF_SMC sockets can
 * be created if it is 0, and fail with this errno if not. FAKE_NET is a PNETID
 * of interface lo, or of FAKE_NETS interfaces. FAKE_NAMESPACE is a directory
 * that takes the place of /proc/sys/net/smc in a new network namespace, which
 * nobody may make without it. With FAKE_READONLY, writes to /proc/sys fail with
 * this errno. FAKE_NETNS is a file that takes the place of /proc/self/ns/net.
 * With FAKE_DUMP, dumps fail with this errno, and with FAKE_DONE they end with
 * it. FAKE_DEVICES is the number of RDMA devices, 2 without it.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/smc.h>
#include <linux/smc_diag.h>
#include <linux/sock_diag.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum {
	FAMILY_SMC	= 32,
	FAMILY_PNET	= 33,
	PORTID		= 77,
	BUFFER_BYTES	= 64 * 1024,
	SIZES		= 9,
	BUFS		= 7,
	COUNTS		= 13,
};

struct mnl_socket {
	int bus;
};

static struct mnl_socket sockets[2] = {
	{ NETLINK_GENERIC }, { NETLINK_SOCK_DIAG },
};

static char answer[BUFFER_BYTES];
static size_t filled;
static unsigned int step;	/* number of dumps of the statistics */
static unsigned int seq;

static bool mode(const char *name)
{
	const char *m = getenv("FAKE_KERNEL");

	return m && !strcmp(m, name);
}

static unsigned int number_of(const char *variable, unsigned int other)
{
	const char *text = getenv(variable);

	return text ? (unsigned int)atoi(text) : other;
}

/* ---- messages ---- */

static struct nlmsghdr *begin(uint16_t type)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(answer + filled);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_MULTI;
	nlh->nlmsg_seq = seq;
	nlh->nlmsg_pid = PORTID;
	return nlh;
}

static void end(const struct nlmsghdr *nlh)
{
	filled += MNL_ALIGN(nlh->nlmsg_len);
	if (filled > BUFFER_BYTES / 2)
		abort();
}

static struct nlmsghdr *begin_genl(uint16_t type, uint8_t cmd)
{
	struct nlmsghdr *nlh = begin(type);
	struct genlmsghdr *head = mnl_nlmsg_put_extra_header(nlh, sizeof(*head));

	head->cmd = cmd;
	return nlh;
}

static void put_done(void)
{
	struct nlmsghdr *nlh = begin(NLMSG_DONE);
	int *err = mnl_nlmsg_put_extra_header(nlh, sizeof(int));

	*err = -number_of("FAKE_DONE", 0);
	end(nlh);
}

static void put_error(int err)
{
	struct nlmsghdr *nlh = begin(NLMSG_ERROR);
	struct nlmsgerr *e = mnl_nlmsg_put_extra_header(nlh, sizeof(*e));

	e->error = -err;
	e->msg.nlmsg_len = sizeof(e->msg);
	end(nlh);
}

/* ---- groups, links, devices ---- */

static const char *device_name(void)
{
	if (mode("long"))
		return "a_device_with_a_name_of_the_63_characters_that_a_name_may_have_";
	return mode("names") ? "rx\"e\\0\n" : "rxe0";
}

static void put_port(struct nlmsghdr *nlh, unsigned int attr, bool active,
		     unsigned int links, const char *pnetid)
{
	struct nlattr *port = mnl_attr_nest_start(nlh, attr);

	mnl_attr_put_u8(nlh, SMC_A_PORT_PNET_USR, *pnetid != 0);
	mnl_attr_put_strz(nlh, SMC_A_PORT_PNETID, pnetid);
	mnl_attr_put_u32(nlh, SMC_A_PORT_NETDEV, active && !mode("elsewhere"));
	mnl_attr_put_u8(nlh, SMC_A_PORT_STATE, active && !mode("unplugged"));
	mnl_attr_put_u8(nlh, SMC_A_PORT_VALID, 1);
	mnl_attr_put_u32(nlh, SMC_A_PORT_LNK_CNT, links);
	mnl_attr_nest_end(nlh, port);
}

static const char *name_of_device(unsigned int i)
{
	static char name[16];

	snprintf(name, sizeof(name), "mlx5_%u", i - 1);
	return i ? name : device_name();
}

static void put_devices(uint8_t cmd)
{
	unsigned int i, n = number_of("FAKE_DEVICES", 2);

	for (i = 0; i < n; i++) {
		struct nlmsghdr *nlh = begin_genl(FAMILY_SMC, cmd);
		struct nlattr *d = mnl_attr_nest_start(nlh, SMC_A_DEV_SMCR);

		mnl_attr_put_u8(nlh, SMC_A_DEV_IS_CRIT, !i);
		mnl_attr_put_u16(nlh, SMC_A_DEV_PCI_VENDOR, 0x15b3);
		mnl_attr_put_u16(nlh, SMC_A_DEV_PCI_DEVICE, 0x1017);
		mnl_attr_put_strz(nlh, SMC_A_DEV_PCI_ID,
				  i ? "0000:00:04.0" : "");
		mnl_attr_put_strz(nlh, SMC_A_DEV_IB_NAME, name_of_device(i));
		put_port(nlh, SMC_A_DEV_PORT, !i, i ? 0 : 3, i ? "" : "NET1");
		if (i)
			put_port(nlh, SMC_A_DEV_PORT2, false, 0, "");
		mnl_attr_nest_end(nlh, d);
		end(nlh);
	}
}

static void put_group(uint8_t cmd, unsigned int i)
{
	struct nlmsghdr *nlh = begin_genl(FAMILY_SMC, cmd);
	struct nlattr *v2, *g = mnl_attr_nest_start(nlh, SMC_A_LGR_SMCR);

	mnl_attr_put_u32(nlh, SMC_A_LGR_ID, 0x100 * (i + 1));
	mnl_attr_put_u8(nlh, SMC_A_LGR_ROLE, i);
	mnl_attr_put_u8(nlh, SMC_A_LGR_TYPE, i ? SMC_LGR_TYPE_SYMMETRIC :
						 SMC_LGR_TYPE_SINGLE);
	mnl_attr_put_strz(nlh, SMC_A_LGR_PNETID, i ? "" : "NET1");
	mnl_attr_put_u8(nlh, SMC_A_LGR_VLAN_ID, 0);
	mnl_attr_put_u32(nlh, SMC_A_LGR_CONNS_NUM, i + 1);
	mnl_attr_put_u32(nlh, SMC_A_LGR_SNDBUF_ALLOC, 4096);
	mnl_attr_put_u32(nlh, SMC_A_LGR_RMB_ALLOC, 2097152);
	if (i) {
		v2 = mnl_attr_nest_start(nlh, SMC_A_LGR_V2_COMMON);
		mnl_attr_put_strz(nlh, SMC_A_V2_NEG_EID, "SMCV2-DEFAULT-UEID");
		mnl_attr_put_strz(nlh, SMC_A_V2_PEER_HOST, "OTHER");
		mnl_attr_nest_end(nlh, v2);
	}
	mnl_attr_nest_end(nlh, g);
	end(nlh);
}

static void put_link(uint8_t cmd, unsigned int number, const char *device,
		     const char *peer, unsigned int conns)
{
	struct nlmsghdr *nlh = begin_genl(FAMILY_SMC, cmd);
	struct nlattr *k = mnl_attr_nest_start(nlh, SMC_A_LINK_SMCR);

	mnl_attr_put_u8(nlh, SMC_A_LINK_ID, number);
	mnl_attr_put_strz(nlh, SMC_A_LINK_IB_DEV, device);
	mnl_attr_put_u8(nlh, SMC_A_LINK_IB_PORT, 1);
	mnl_attr_put_strz(nlh, SMC_A_LINK_GID,
			  "0000:0000:0000:0000:0000:ffff:0a4d:0001");
	mnl_attr_put_strz(nlh, SMC_A_LINK_PEER_GID, peer);
	mnl_attr_put_u32(nlh, SMC_A_LINK_CONN_CNT, conns);
	mnl_attr_put_u32(nlh, SMC_A_LINK_NET_DEV, 1);
	mnl_attr_put_u32(nlh, SMC_A_LINK_UID, 0x1000 + number);
	mnl_attr_put_u32(nlh, SMC_A_LINK_PEER_UID, 0x2000 + number);
	mnl_attr_put_u32(nlh, SMC_A_LINK_STATE, SMC_LINK_STATE_ACTIVE);
	mnl_attr_nest_end(nlh, k);
	end(nlh);
}

static void put_groups(uint8_t cmd)
{
	const char *peer = "0000:0000:0000:0000:0000:ffff:0a4d:0002";
	unsigned int i;

	for (i = 0; i < 2 && !mode("bare"); i++) {
		put_group(cmd, i);
		if (cmd != SMC_CMD_LINK_SMCR)
			continue;
		put_link(cmd, 1, device_name(), peer, 1);
		if (i)
			put_link(cmd, 2, "mlx5_0",
				 "fe80:0000:0000:0000:0000:0000:0000:0002", 1);
	}
}

/* ---- statistics ---- */

static uint64_t time_now(void)
{
	return mode("reloaded") ? (step > 1 ? 1 : 50) : step;
}

static void put_row(struct nlmsghdr *nlh, unsigned int attr, unsigned int n)
{
	struct nlattr *row = mnl_attr_nest_start(nlh, attr);
	unsigned int i;

	for (i = 0; i < n; i++)
		mnl_attr_put_u64(nlh, i + 1, time_now() * (i + 1));
	mnl_attr_nest_end(nlh, row);
}

static void put_stats(uint8_t cmd)
{
	struct nlmsghdr *nlh = begin_genl(FAMILY_SMC, cmd);
	struct nlattr *all, *tech;
	unsigned int i;

	all = mnl_attr_nest_start(nlh, SMC_A_STATS);
	tech = mnl_attr_nest_start(nlh, SMC_A_STATS_SMCR_TECH);
	for (i = SMC_A_TECH_TX_RMB_SIZE; i <= SMC_A_TECH_RXPLOAD_SIZE; i++)
		put_row(nlh, i, SIZES);
	put_row(nlh, SMC_A_TECH_TX_RMB_STATS, BUFS);
	put_row(nlh, SMC_A_TECH_RX_RMB_STATS, BUFS);
	for (i = 0; i < COUNTS; i++)
		mnl_attr_put_u64(nlh, SMC_A_TECH_CLNT_V1_SUCC + i,
				 time_now() * 100 * (i + 1));
	mnl_attr_put_u64(nlh, SMC_A_TECH_RX_RMB_USAGE, 4194304);
	mnl_attr_put_u64(nlh, SMC_A_TECH_TX_RMB_USAGE, 8192);
	mnl_attr_nest_end(nlh, tech);
	mnl_attr_put_u64(nlh, SMC_A_STATS_CLNT_HS_ERR_CNT, time_now() * 2);
	mnl_attr_put_u64(nlh, SMC_A_STATS_SRV_HS_ERR_CNT, time_now());
	mnl_attr_nest_end(nlh, all);
	end(nlh);
}

static void put_reason(uint8_t cmd, unsigned int server, unsigned int code,
		       unsigned int n)
{
	struct nlmsghdr *nlh = begin_genl(FAMILY_SMC, cmd);
	struct nlattr *f = mnl_attr_nest_start(nlh, SMC_A_FBACK_STATS);

	if (server <= UINT8_MAX)
		mnl_attr_put_u8(nlh, SMC_A_FBACK_TYPE, server);
	else
		mnl_attr_put_u32(nlh, SMC_A_FBACK_TYPE, server);
	if (server) {
		mnl_attr_put_u64(nlh, SMC_A_FBACK_SRV_CNT, time_now());
		mnl_attr_put_u64(nlh, SMC_A_FBACK_CLNT_CNT, time_now() * 7);
	}
	mnl_attr_put_u32(nlh, SMC_A_FBACK_RSN_CODE, code);
	mnl_attr_put_u16(nlh, SMC_A_FBACK_RSN_CNT, n < 65535 ? n : 65535);
	if (n > 65535)
		mnl_attr_put_u64(nlh, SMC_A_FBACK_RSN_CNT_ALL, n);
	mnl_attr_nest_end(nlh, f);
	end(nlh);
}

/* The count of the last reason stays at its limit. */
static void put_fallbacks(uint8_t cmd)
{
	step++;
	if (mode("bare"))
		return;
	put_reason(cmd, 1, 0x03030002, time_now());
	put_reason(cmd, 0, 0x03010000, time_now() * 4);
	put_reason(cmd, 0, 0x05000000, 65535);
	if (mode("many"))
		put_reason(cmd, 0, 0x01010000, 70000);
	if (mode("novel"))
		put_reason(cmd, 1 << 28, 0x01010000, time_now());
}

/* ---- identifiers and the table of networks ---- */

static void put_info(uint8_t cmd)
{
	struct nlmsghdr *nlh = begin_genl(FAMILY_SMC, cmd);
	struct nlattr *s = mnl_attr_nest_start(nlh, SMC_A_SYS_INFO);

	mnl_attr_put_u8(nlh, SMC_A_SYS_VER, 2);
	mnl_attr_put_u8(nlh, SMC_A_SYS_REL, 1);
	mnl_attr_put_u8(nlh, SMC_A_SYS_IS_ISM_V2, 0);
	mnl_attr_put_strz(nlh, SMC_A_SYS_LOCAL_HOST,
			  mode("names") ? "A\"B" : "FAKEHOST   ");
	mnl_attr_put_u8(nlh, SMC_A_SYS_IS_SMCR_V2, 1);
	mnl_attr_nest_end(nlh, s);
	end(nlh);
}

static void put_text(uint8_t cmd, unsigned int attr, const char *text)
{
	struct nlmsghdr *nlh = begin_genl(FAMILY_SMC, cmd);

	mnl_attr_put_strz(nlh, attr, text);
	if (cmd == SMC_CMD_SEID_DUMP)
		mnl_attr_put_u8(nlh, SMC_A_SEID_ENABLED, 0);
	end(nlh);
}

static void put_limit(uint8_t cmd)
{
	struct nlmsghdr *nlh = begin_genl(FAMILY_SMC, cmd);

	mnl_attr_put_u8(nlh, SMC_A_HS_LIMIT_ENABLED, 0);
	end(nlh);
}

static struct {
	char name[33];
} ueids[8] = { { "SMCV2-DEFAULT-UEID" } };

static struct {
	char name[17];
	char device[64];
	unsigned int port;	/* 0: net device */
} nets[8] = { { "NET1", "rxe0", 1 } };

static unsigned int n_ueids = 1, n_nets = 1;
static unsigned int orders;
static bool asked;	/* this program talks to the kernel */

static void put_ueids(uint8_t cmd)
{
	char padded[33];
	unsigned int i;

	for (i = 0; i < n_ueids; i++) {
		snprintf(padded, sizeof(padded), "%-32s", ueids[i].name);
		put_text(cmd, SMC_A_UEID_ENTRY, padded);
	}
}

static void put_network(uint8_t cmd, const char *name, const char *device,
			unsigned int port)
{
	struct nlmsghdr *nlh = begin_genl(FAMILY_PNET, cmd);

	mnl_attr_put_strz(nlh, SMC_PNETID_NAME, name);
	mnl_attr_put_strz(nlh, SMC_PNETID_ETHNAME, port ? "n/a" : device);
	mnl_attr_put_strz(nlh, SMC_PNETID_IBNAME, port ? device : "n/a");
	mnl_attr_put_u8(nlh, SMC_PNETID_IBPORT, port ? port : 255);
	end(nlh);
}

static void put_networks(uint8_t cmd)
{
	const char *net = getenv("FAKE_NET");
	unsigned int i;

	for (i = 0; net && i < number_of("FAKE_NETS", 1); i++)
		put_network(cmd, net, i ? name_of_device(i) : "lo", 0);
	for (i = 0; i < n_nets; i++)
		put_network(cmd, nets[i].name, nets[i].device, nets[i].port);
}

static int change_ueids(uint8_t cmd, const char *padded)
{
	int len = padded ? strcspn(padded, " ") : 0;
	unsigned int i;

	for (i = 0; i < n_ueids; i++)
		if (padded && !strncmp(ueids[i].name, padded, len) &&
		    !ueids[i].name[len])
			break;
	switch (cmd) {
	case SMC_CMD_UEID_ADD:
		if (i < n_ueids)
			return -EEXIST;
		if (n_ueids == 5)
			return -ERANGE;
		snprintf(ueids[n_ueids++].name, 33, "%.*s", len, padded);
		break;
	case SMC_CMD_UEID_REMOVE:
		if (i == n_ueids)
			return -ENOENT;
		n_ueids--;
		memmove(&ueids[i], &ueids[i + 1],
			(n_ueids - i) * sizeof(ueids[0]));
		break;
	case SMC_CMD_UEID_FLUSH:
		n_ueids = 0;
		break;
	}
	return 0;
}

static int add_net(const char *name, const char *device, unsigned int port)
{
	unsigned int i;

	for (i = 0; i < n_nets; i++)
		if (!strcmp(nets[i].device, device) && nets[i].port == port)
			return -EEXIST;
	if (n_nets == ARRAY_SIZE(nets))
		return -ENOMEM;
	snprintf(nets[n_nets].name, sizeof(nets[0].name), "%s", name);
	snprintf(nets[n_nets].device, sizeof(nets[0].device), "%s", device);
	nets[n_nets++].port = port;
	return 0;
}

static int remove_nets(const char *name)
{
	unsigned int i, n = 0, before = n_nets;

	for (i = 0; i < n_nets; i++)
		if (name && strcmp(nets[i].name, name))
			nets[n++] = nets[i];
	n_nets = n;
	return n == before ? -ENOENT : 0;
}

/* Return: 0 or a negative errno */
static int obey(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *head = mnl_nlmsg_get_payload(nlh);
	const char *refuse = getenv("FAKE_REFUSE");
	const char *text[8] = {};
	const struct nlattr *attr;
	unsigned int port = 1, n;

	if (mode("denied"))
		return -EPERM;
	orders++;
	n = refuse ? atoi(refuse) : 0;
	if (n && (orders == n || (orders > n && strchr(refuse, '+'))))
		return -EBUSY;
	mnl_attr_for_each(attr, nlh, sizeof(*head)) {
		unsigned int type = mnl_attr_get_type(attr);

		if (nlh->nlmsg_type == FAMILY_PNET && type == SMC_PNETID_IBPORT)
			port = mnl_attr_get_u8(attr);
		else if (type < ARRAY_SIZE(text))
			text[type] = mnl_attr_get_str(attr);
	}
	if (nlh->nlmsg_type != FAMILY_PNET)
		return change_ueids(head->cmd, text[SMC_A_UEID_ENTRY]);
	if (head->cmd == SMC_PNETID_ADD && text[SMC_PNETID_ETHNAME])
		return add_net(text[SMC_PNETID_NAME], text[SMC_PNETID_ETHNAME],
			       0);
	if (head->cmd == SMC_PNETID_ADD)
		return add_net(text[SMC_PNETID_NAME], text[SMC_PNETID_IBNAME],
			       port);
	if (head->cmd == SMC_PNETID_DEL)
		return remove_nets(text[SMC_PNETID_NAME]);
	n_nets = 0;
	return 0;
}

__attribute__((destructor)) static void tell_final(void)
{
	const char *path = getenv("FAKE_FINAL");
	FILE *f = path && asked ? fopen(path, "w") : NULL;
	unsigned int i;

	if (!f)
		return;
	for (i = 0; i < n_ueids; i++)
		fprintf(f, "%s\n", ueids[i].name);
	for (i = 0; i < n_nets; i++)
		fprintf(f, "%s %s %u\n", nets[i].name, nets[i].device,
			nets[i].port);
	fclose(f);
}

static void answer_dump(uint8_t cmd)
{
	switch (cmd) {
	case SMC_CMD_SYS_INFO:
		put_info(cmd);
		break;
	case SMC_CMD_LGR_SMCR:
	case SMC_CMD_LINK_SMCR:
		put_groups(cmd);
		break;
	case SMC_CMD_DEV_SMCR:
		put_devices(cmd);
		break;
	case SMC_CMD_STATS:
		put_stats(cmd);
		break;
	case SMC_CMD_FBACK_STATS:
		put_fallbacks(cmd);
		break;
	case SMC_CMD_UEID_DUMP:
		put_ueids(cmd);
		break;
	case SMC_CMD_SEID_DUMP:
		put_text(cmd, SMC_A_SEID_ENTRY, "");
		break;
	case SMC_CMD_HS_LIMIT_DUMP:
		put_limit(cmd);
		break;
	}
}

static void take_family(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	struct nlmsghdr *reply;
	uint16_t id = 0;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_NAME)
			id = strcmp(mnl_attr_get_str(attr),
				    SMCR_GENL_FAMILY_NAME) ? FAMILY_SMC :
							     FAMILY_PNET;
	}
	reply = begin_genl(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
	mnl_attr_put_u16(reply, CTRL_ATTR_FAMILY_ID, id);
	end(reply);
	put_error(0);
}

static void take_genl(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *head = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_type == GENL_ID_CTRL) {
		take_family(nlh);
	} else if (!(nlh->nlmsg_flags & NLM_F_DUMP)) {
		put_error(-obey(nlh));
	} else if (number_of("FAKE_DUMP", 0)) {
		put_error(number_of("FAKE_DUMP", 0));
	} else {
		if (nlh->nlmsg_type == FAMILY_PNET)
			put_networks(head->cmd);
		else
			answer_dump(head->cmd);
		put_done();
	}
}

/* ---- the list of sockets ---- */

struct sample {
	unsigned int state, mode;
	const char *local, *peer, *transport;
	const char *peer_gid;
	unsigned int reason, diagnosis;
	unsigned int rate;	/* bytes sent in a step */
	unsigned int since;	/* the step in which the connection is new */
};

static const struct sample samples[] = {
	{ 10, 0, "0.0.0.0", "0.0.0.0", NULL, NULL, 0, 0, 0, 0 },
	{ 1, 0, "10.77.0.1", "10.77.0.2", "roce", "::ffff:10.77.0.2", 0, 0, 1000, 0 },
	{ 1, 0, "10.77.0.1", "10.77.0.3", "roce", "::ffff:10.77.0.2", 0, 0, 70000, 0 },
	{ 1, 0, "2001:db8:1111:2222:3333:4444:5555:6666",
	  "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff", "roce", "fe80::2", 0, 0, 5, 0 },
	{ 1, 0, "::ffff:127.0.0.1", "::ffff:127.0.0.1", "in-host", NULL, 0, 0, 20, 0 },
	{ 1, 1, "10.77.0.1", "10.77.0.8", NULL, NULL, 0x05000000, 0x03030002, 0, 0 },
	{ 1, 1, "10.77.0.1", "10.77.0.9", NULL, NULL, 0x03010000, 0, 0, 2 },
	{ 1, 0, "10.77.0.1", "10.77.0.4", "roce", "::ffff:10.77.0.2", 0, 0, 300, 2 },
};

static bool put_ip(__be32 word[4], const char *text)
{
	bool ipv6 = strchr(text, ':');

	inet_pton(ipv6 ? AF_INET6 : AF_INET, text, word);
	return ipv6;
}

static struct smc_diag_cursor cursor(uint64_t pos, uint32_t size)
{
	return (struct smc_diag_cursor){ .wrap = pos / size,
					 .count = pos % size };
}

/* A connection with frames that has no element now. */
static void put_framed_conn(struct nlmsghdr *nlh, uint64_t at)
{
	struct smc_diag_conninfo c = { .token = 1, .sndbuf_size = 65536 };
	struct smc_diag_flow f = { .sent = at, .delivered = at,
				   .received = at * 2, .read = at * 2 };

	mnl_attr_put(nlh, SMC_DIAG_CONNINFO, sizeof(c), &c);
	mnl_attr_put(nlh, SMC_DIAG_FLOW, sizeof(f), &f);
}

/* The wrap count of the second connection passes its 16 bits in step 2. */
static void put_conn(struct nlmsghdr *nlh, const struct sample *s)
{
	uint64_t at = (uint64_t)s->rate * (time_now() - s->since + !!s->since);
	struct smc_diag_conninfo c = { .token = 1, .sndbuf_size = 65536,
				       .rmbe_size = 32768,
				       .peer_rmbe_size = 16384 };

	if (mode("frames")) {
		put_framed_conn(nlh, at);
		return;
	}
	if (s->rate == 70000)
		at += (uint64_t)16384 * 65536 - 100000;
	c.tx_prod = cursor(at, c.peer_rmbe_size);
	c.rx_prod = cursor(at * 2, c.rmbe_size);
	mnl_attr_put(nlh, SMC_DIAG_CONNINFO, sizeof(c), &c);
}

static void set_text(__u8 *to, size_t size, const char *text)
{
	snprintf((char *)to, size, "%s", text);
}

static void put_lgr(struct nlmsghdr *nlh, const struct sample *s)
{
	struct smc_diag_lgrinfo l = { .link_id = 1, .ibport = 1, .role = 1 };
	bool second = *s->peer_gid == 'f';

	set_text(l.ibname, sizeof(l.ibname), second ? "mlx5_0" : device_name());
	set_text(l.gid, sizeof(l.gid), "::ffff:10.77.0.1");
	set_text(l.peer_gid, sizeof(l.peer_gid), s->peer_gid);
	mnl_attr_put(nlh, SMC_DIAG_LGRINFO, sizeof(l), &l);
}

static void put_socket(const struct sample *s, unsigned int number)
{
	struct smc_diag_fallback f = { s->reason, s->diagnosis };
	struct nlmsghdr *nlh = begin(SOCK_DIAG_BY_FAMILY);
	struct smc_diag_msg *msg;
	bool ipv6;

	msg = mnl_nlmsg_put_extra_header(nlh, sizeof(*msg));
	msg->diag_family = 43;
	msg->diag_state = s->state;
	msg->diag_mode = s->mode;
	msg->diag_uid = mode("long") ? UINT32_MAX - number : 1000;
	msg->diag_inode = 5000 + number;
	msg->id.idiag_cookie[0] = number + 1;
	msg->id.idiag_sport = htons(80);
	msg->id.idiag_dport = htons(40000 + number);
	ipv6 = put_ip(msg->id.idiag_src, s->local);
	put_ip(msg->id.idiag_dst, s->peer);
	mnl_attr_put(nlh, SMC_DIAG_FALLBACK, sizeof(f), &f);
	mnl_attr_put_u8(nlh, SMC_DIAG_PROTOCOL, ipv6);
	if (s->transport) {
		if (!mode("locked") || step != 2)
			put_conn(nlh, s);
		mnl_attr_put_strz(nlh, SMC_DIAG_TRANSPORT, s->transport);
	}
	if (s->peer_gid)
		put_lgr(nlh, s);
	end(nlh);
}

static void take_diag(void)
{
	unsigned int i, n = ARRAY_SIZE(samples);

	if (mode("undiagnosed")) {
		put_error(ENOENT);
		return;
	}
	for (i = 0; i < n && !mode("bare"); i++) {
		if (samples[i].since <= step)
			put_socket(&samples[i], i);
	}
	put_done();
}

/* ---- functions of libmnl ---- */

struct mnl_socket *mnl_socket_open(int bus)
{
	if (bus != NETLINK_GENERIC && bus != NETLINK_SOCK_DIAG)
		abort();
	asked = true;
	return &sockets[bus == NETLINK_SOCK_DIAG];
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	(void)nl;
	return -1;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	(void)nl;
	return groups || pid ? -1 : 0;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return PORTID;
}

int mnl_socket_setsockopt(const struct mnl_socket *nl, int type, void *buf,
			  socklen_t len)
{
	(void)nl;
	(void)type;
	(void)buf;
	(void)len;
	return 0;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	(void)nl;
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf,
			  size_t len)
{
	const struct nlmsghdr *nlh = buf;

	filled = 0;
	seq = nlh->nlmsg_seq;
	if (nl->bus == NETLINK_SOCK_DIAG)
		take_diag();
	else
		take_genl(nlh);
	return len;
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	size_t n = filled;

	(void)nl;
	if (size < n)
		abort();
	memcpy(buf, answer, n);
	filled = 0;
	return n;
}

/* ---- files ---- */

/* Returns the content that /proc has on the simulated kernel, or NULL. */
static const char *content_of(const char *path)
{
	if (!strcmp(path, "/proc/net/protocols"))
		return "protocol  size sockets  memory\nSMC  1000  0  -1\n";
	if (strcmp(path, "/proc/net/smc_mib") || mode("stock"))
		return NULL;
	return getenv("FAKE_MIB");
}

/* Returns the path to use for this one. */
static const char *moved(const char *path, char *buf, size_t size)
{
	static const struct {
		const char *from, *to;
	} roots[] = {
		{ "/proc/sys/net/smc", "FAKE_SYSCTL" },
		{ "/sys/module", "FAKE_MODULE" },
		{ "/sys/class/infiniband", "FAKE_CLASS" },
		{ "/proc/self/ns/net", "FAKE_NETNS" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		const char *to = getenv(roots[i].to);
		size_t len = strlen(roots[i].from);

		if (!to || strncmp(path, roots[i].from, len))
			continue;
		snprintf(buf, size, "%s%s", to, path + len);
		return buf;
	}
	return path;
}

int unshare(int flags)
{
	const char *to = getenv("FAKE_NAMESPACE");

	(void)flags;
	errno = EPERM;
	return to ? setenv("FAKE_SYSCTL", to, 1) : -1;
}

int access(const char *path, int how)
{
	int (*next)(const char *p, int h) = dlsym(RTLD_NEXT, "access");
	char buf[512];

	return next(moved(path, buf, sizeof(buf)), how);
}

FILE *fopen(const char *path, const char *how)
{
	FILE *(*next)(const char *p, const char *h) = dlsym(RTLD_NEXT, "fopen");
	const char *text;
	char buf[512];

	text = getenv("FAKE_READONLY");
	if (text && *how == 'w' && !strncmp(path, "/proc/sys/", 10)) {
		errno = atoi(text);
		return NULL;
	}
	if (strncmp(path, "/proc/net/", 10))
		return next(moved(path, buf, sizeof(buf)), how);
	text = content_of(path);
	if (!text) {
		errno = ENOENT;
		return NULL;
	}
	return fmemopen((void *)text, strlen(text), "r");
}

int stat(const char *path, struct stat *st)
{
	int (*next)(const char *p, struct stat *s) = dlsym(RTLD_NEXT, "stat");
	char buf[512];

	return next(moved(path, buf, sizeof(buf)), st);
}

int scandir(const char *path, struct dirent ***found,
	    int (*filter)(const struct dirent *d),
	    int (*compare)(const struct dirent **a, const struct dirent **b))
{
	int (*next)(const char *p, struct dirent ***f,
		    int (*w)(const struct dirent *d),
		    int (*c)(const struct dirent **a, const struct dirent **b));
	char buf[512];

	next = dlsym(RTLD_NEXT, "scandir");
	return next(moved(path, buf, sizeof(buf)), found, filter, compare);
}

/* ---- sockets ---- */

int socket(int domain, int type, int protocol)
{
	int (*next)(int d, int t, int p) = dlsym(RTLD_NEXT, "socket");
	const char *fake = getenv("FAKE_SOCKET");

	if (domain != 43 || !fake)
		return next(domain, type, protocol);
	errno = atoi(fake);
	return errno ? -1 : next(protocol ? AF_INET6 : AF_INET, type, 0);
}

char *if_indextoname(unsigned int ifindex, char *name)
{
	char *(*next)(unsigned int i, char *n) = dlsym(RTLD_NEXT,
						       "if_indextoname");

	return mode("long") && ifindex ? strcpy(name, "enp129s0f1np15v") :
					 next(ifindex, name);
}
