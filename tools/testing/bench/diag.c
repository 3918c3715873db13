// SPDX-License-Identifier: GPL-2.0
/*
 * Determines in which modes our connections are. This code asks sock_diag for
 * the sockets of family 43 and counts those with the wanted port. Layout: a
 * message of 64 bytes with family, state, mode, shutdown, then ports (big
 * endian). An attribute after the message distinguishes in-host connections,
 * which stock SMC does not have, from SMC-R.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "bench.h"

#define FAMILY_SMC	43
#define STATE_ACTIVE	1
#define STATE_LISTEN	10
#define ATTR_TRANSPORT	16

enum { MODE_RDMA = 0, MODE_TCP = 1 };

enum {
	OFF_STATE	= 1,
	OFF_MODE	= 2,
	OFF_SPORT	= 4,
	OFF_DPORT	= 6,
	MSG_LEN		= 64,
	REQ_LEN		= 52,
};

static bool is_inhost(const struct nlmsghdr *h)
{
	const struct nlattr *a = NLMSG_DATA(h) + MSG_LEN;
	int left = h->nlmsg_len - NLMSG_LENGTH(MSG_LEN), len;

	while (left >= NLA_HDRLEN && a->nla_len >= NLA_HDRLEN &&
	       a->nla_len <= left) {
		if (a->nla_type == ATTR_TRANSPORT)
			return !strncmp((char *)a + NLA_HDRLEN, "in-host",
					a->nla_len - NLA_HDRLEN);
		len = NLA_ALIGN(a->nla_len);
		a = (void *)a + len;
		left -= len;
	}
	return false;
}

static void tally(const struct nlmsghdr *h, int port, enum diag_end end,
		  struct diag_tally *t)
{
	const uint8_t *msg = NLMSG_DATA(h);
	uint16_t be;

	memcpy(&be, msg + (end == DIAG_LOCAL_PORT ? OFF_SPORT : OFF_DPORT),
	       sizeof(be));
	if (ntohs(be) != port || msg[OFF_STATE] == STATE_LISTEN)
		return;
	if (msg[OFF_MODE] == MODE_TCP)
		t->tcp++;
	else if (msg[OFF_STATE] != STATE_ACTIVE)
		t->other++;
	else if (is_inhost(h))
		t->inhost++;
	else if (msg[OFF_MODE] == MODE_RDMA)
		t->rdma++;
	else
		t->other++;
}

/* Return: 1: the dump is complete; 0: more follows; negative errno */
static int read_part(int fd, int port, enum diag_end end, struct diag_tally *t)
{
	static char buf[65536];
	struct nlmsghdr *h = (struct nlmsghdr *)buf;
	ssize_t n;

	n = recv(fd, buf, sizeof(buf), 0);
	if (n < 0)
		return -errno;
	for (; NLMSG_OK(h, (size_t)n); h = NLMSG_NEXT(h, n)) {
		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR)
			return ((struct nlmsgerr *)NLMSG_DATA(h))->error ?: 1;
		if (h->nlmsg_len >= NLMSG_LENGTH(MSG_LEN))
			tally(h, port, end, t);
	}
	return 0;
}

/**
 * diag_count() - count this host's SMC sockets by mode
 * @port: count sockets with this port only
 * @end: which port of a socket to compare
 * @t: the result
 *
 * Return: 0 or a negative errno (-ENOENT: no smc_diag).
 */
int diag_count(int port, enum diag_end end, struct diag_tally *t)
{
	struct {
		struct nlmsghdr h;
		uint8_t family;
		uint8_t rest[REQ_LEN - 1];
	} req = {
		.h.nlmsg_len = NLMSG_LENGTH(REQ_LEN),
		.h.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.h.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.family = FAMILY_SMC,
	};
	struct timeval limit = { .tv_sec = 5 };
	int fd, rc;

	memset(t, 0, sizeof(*t));
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (send(fd, &req, sizeof(req), 0) < 0) {
		rc = -errno;
	} else {
		do
			rc = read_part(fd, port, end, t);
		while (!rc);
	}
	close(fd);
	return rc < 0 ? rc : 0;
}
