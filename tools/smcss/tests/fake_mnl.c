// SPDX-License-Identifier: GPL-2.0
/*
 * This library replaces functions of libmnl and simulates a kernel that lists
 * SMC sockets. Values of FAKE_MNL: "list", "empty", "interrupted" (interrupts
 * the first dump), "always" (interrupts each dump), "old" (sends only
 * attributes of stock kernels), "short" (cuts attributes).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/netlink.h>
#include <linux/smc_diag.h>
#include <linux/sock_diag.h>

struct mnl_socket {
	int fd;
};

static struct mnl_socket the_socket = { .fd = -1 };
static struct smc_diag_req request;
static unsigned int seq, part, dumps;

static bool mode(const char *name)
{
	const char *m = getenv("FAKE_MNL");

	return m && !strcmp(m, name);
}

struct mnl_socket *mnl_socket_open(int bus)
{
	if (bus != NETLINK_SOCK_DIAG)
		abort();
	part = 0;
	return &the_socket;
}

int mnl_socket_get_fd(const struct mnl_socket *nl)
{
	return nl->fd;
}

int mnl_socket_bind(struct mnl_socket *nl, unsigned int groups, pid_t pid)
{
	(void)nl;
	return groups || pid ? -1 : 0;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *nl)
{
	(void)nl;
	return 77;
}

int mnl_socket_close(struct mnl_socket *nl)
{
	(void)nl;
	return 0;
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	const struct nlmsghdr *nlh = buf;

	(void)nl;
	if (len != 16 + 52 || nlh->nlmsg_len != len ||
	    nlh->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    nlh->nlmsg_flags != (NLM_F_REQUEST | NLM_F_DUMP))
		abort();
	memcpy(&request, mnl_nlmsg_get_payload(nlh), sizeof(request));
	if (request.diag_family != 43)
		abort();
	seq = nlh->nlmsg_seq;
	dumps++;
	return len;
}

struct sample {
	unsigned int state;
	unsigned int mode;
	const char *local;
	unsigned int lport;
	const char *peer;
	unsigned int pport;
	const char *transport;
	unsigned int protocol;
	unsigned int reason;
	unsigned int diagnosis;
};

static const struct sample samples[] = {
	{ 10, 0, "0.0.0.0", 80, "0.0.0.0", 0, NULL, 0, 0, 0 },
	{ 10, 0, "::", 80, "::", 0, NULL, 1, 0, 0 },
	{ 2, 0, "0.0.0.0", 0, "0.0.0.0", 0, NULL, 0, 0, 0 },
	{ 1, 0, "10.77.0.1", 80, "10.77.0.2", 40000, "roce", 0, 0, 0 },
	{ 20, 0, "fd77::1", 80, "fd77::2", 40001, "roce", 1, 0, 0 },
	{ 1, 0, "127.0.0.1", 80, "127.0.0.1", 40002, "in-host", 0, 0, 0 },
	{ 1, 1, "10.77.0.1", 80, "10.77.0.9", 40003, NULL, 0, 0x03010000, 0 },
	{ 1, 1, "10.77.0.1", 80, "10.77.0.2", 40004, NULL, 0, 0x05000000, 0x03030002 },
	{ 1, 1, "10.77.0.1", 80, "10.77.0.2", 40005, NULL, 0, 0x05000000, 0x0badc0de },
	{ 22, 1, "::ffff:10.77.0.1", 80, "::ffff:10.77.0.2", 40006, NULL, 1, 0x12345678, 0 },
	{ 7, 0, "10.77.0.1", 80, "10.77.0.2", 40007, NULL, 0, 0, 0 },
	{ 1, 2, "10.77.0.1", 80, "10.77.0.2", 40008, NULL, 0, 0, 0 },
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void put_addr(__be32 word[4], const char *text)
{
	inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, word);
}

static void put_cursor(struct smc_diag_cursor *c, unsigned int wrap, unsigned int count)
{
	c->wrap = wrap;
	c->count = count;
}

static void put_conn(struct nlmsghdr *nlh)
{
	struct smc_diag_conninfo c = { .token = 0xdeadbeef, .sndbuf_size = 65536,
				       .rmbe_size = 32768, .peer_rmbe_size = 16384,
				       .rx_prod_flags = 0x80, .tx_conn_state_flags = 0x20 };

	put_cursor(&c.rx_prod, 1, 2);
	put_cursor(&c.rx_cons, 3, 4);
	put_cursor(&c.tx_prod, 5, 6);
	put_cursor(&c.tx_cons, 7, 8);
	put_cursor(&c.tx_prep, 9, 10);
	put_cursor(&c.tx_sent, 11, 12);
	put_cursor(&c.tx_fin, 13, 14);
	mnl_attr_put(nlh, SMC_DIAG_CONNINFO, mode("short") ? 20 : sizeof(c), &c);
}

static void set_text(__u8 *to, size_t size, const char *text)
{
	snprintf((char *)to, size, "%s", text);
}

static void put_lgr(struct nlmsghdr *nlh)
{
	struct smc_diag_lgrinfo l = { .link_id = 1, .ibport = 1, .role = 1 };

	set_text(l.ibname, sizeof(l.ibname), "rxe\"0");
	set_text(l.gid, sizeof(l.gid), "::ffff:10.77.0.1");
	set_text(l.peer_gid, sizeof(l.peer_gid), "::ffff:10.77.0.2");
	mnl_attr_put(nlh, SMC_DIAG_LGRINFO, mode("short") ? 20 : sizeof(l), &l);
}

static void put_sample(struct nlmsghdr *nlh, const struct sample *s, unsigned int n)
{
	struct smc_diag_fallback f = { s->reason, s->diagnosis };
	struct smc_diag_msg *msg;

	msg = mnl_nlmsg_put_extra_header(nlh, sizeof(*msg));
	msg->diag_family = 43;
	msg->diag_state = s->state;
	msg->diag_mode = s->mode;
	msg->diag_uid = 1000;
	msg->diag_inode = 5000 + n;
	msg->id.idiag_sport = htons(s->lport);
	msg->id.idiag_dport = htons(s->pport);
	msg->id.idiag_if = n == 3 ? 1 : 0;
	put_addr(msg->id.idiag_src, s->local);
	put_addr(msg->id.idiag_dst, s->peer);
	mnl_attr_put_u8(nlh, SMC_DIAG_SHUTDOWN, s->state == 20 ? 2 : 0);
	mnl_attr_put(nlh, SMC_DIAG_FALLBACK, mode("short") ? 4 : sizeof(f), &f);
	if (s->transport && (request.diag_ext & SMC_DIAG_EXT(SMC_DIAG_CONNINFO)))
		put_conn(nlh);
	if (s->transport && *s->transport == 'r' &&
	    (request.diag_ext & SMC_DIAG_EXT(SMC_DIAG_LGRINFO)))
		put_lgr(nlh);
	if (mode("old"))
		return;
	if (s->transport)
		mnl_attr_put_strz(nlh, SMC_DIAG_TRANSPORT, s->transport);
	mnl_attr_put_u8(nlh, SMC_DIAG_PROTOCOL, s->protocol);
	mnl_attr_put_u32(nlh, 99, 12345);
}

static struct nlmsghdr *start_message(void *at, unsigned int type)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(at);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_MULTI;
	nlh->nlmsg_seq = seq;
	nlh->nlmsg_pid = 77;
	if (mode("always") || (mode("interrupted") && dumps == 1))
		nlh->nlmsg_flags |= NLM_F_DUMP_INTR;
	return nlh;
}

/* Sends three datagrams: half of the list, the rest, the end. */
ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	unsigned int i, from = part ? ARRAY_SIZE(samples) / 2 : 0;
	unsigned int to = part ? ARRAY_SIZE(samples) : ARRAY_SIZE(samples) / 2;
	struct nlmsghdr *nlh;
	char *at = buf;

	(void)nl;
	if (size < 32768)
		abort();
	if (part++ == 2 || mode("empty")) {
		nlh = start_message(buf, NLMSG_DONE);
		*(int *)mnl_nlmsg_put_extra_header(nlh, sizeof(int)) = 0;
		return nlh->nlmsg_len;
	}
	for (i = from; i < to; i++) {
		nlh = start_message(at, SOCK_DIAG_BY_FAMILY);
		put_sample(nlh, &samples[i], i);
		at += MNL_ALIGN(nlh->nlmsg_len);
	}
	return at - (char *)buf;
}
