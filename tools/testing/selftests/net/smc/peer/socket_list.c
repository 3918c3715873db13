// SPDX-License-Identifier: GPL-2.0
#include "socket_list.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/smc_diag.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"

enum {
	BUFFER_BYTES	= 64 * 1024,
	TIMEOUT_S	= 10,
	/* How often to repeat a read during which the list changes. */
	TRIES		= 5,
	/* States without a connection. */
	STATE_INIT	= 2,
	STATE_CLOSED	= 7,
	STATE_LISTEN	= 10,
};

struct reading {
	struct listed_socket *list;
	size_t nr;
	bool interrupted;
	bool over;
};

static void take_attributes(struct listed_socket *s, struct rtattr *attr, int len)
{
	struct smc_diag_fallback why;

	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if (attr->rta_type == SMC_DIAG_FALLBACK &&
		    RTA_PAYLOAD(attr) >= sizeof(why)) {
			memcpy(&why, RTA_DATA(attr), sizeof(why));
			s->reason = why.reason;
			s->diagnosis = why.peer_diagnosis;
		}
		if (attr->rta_type == SMC_DIAG_TRANSPORT) {
			s->in_group = true;
			s->in_host = !strncmp(RTA_DATA(attr), "in-host",
					      RTA_PAYLOAD(attr));
		}
	}
}

static int take_socket(struct reading *r, struct nlmsghdr *nlh)
{
	struct smc_diag_msg *msg = NLMSG_DATA(nlh);
	int len = nlh->nlmsg_len - NLMSG_SPACE(sizeof(*msg));
	struct listed_socket *s;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*msg)))
		return 0;
	s = reallocarray(r->list, r->nr + 1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	r->list = s;
	s += r->nr++;
	*s = (struct listed_socket) {
		.inode = msg->diag_inode,
		.state = msg->diag_state,
		.mode = msg->diag_mode,
	};
	take_attributes(s, (void *)((char *)msg + NLMSG_ALIGN(sizeof(*msg))), len);
	return 0;
}

static int take_message(struct reading *r, struct nlmsghdr *nlh)
{
	r->interrupted |= nlh->nlmsg_flags & NLM_F_DUMP_INTR;
	switch (nlh->nlmsg_type) {
	case NLMSG_DONE:
		r->over = true;
		return 0;
	case NLMSG_ERROR:
		return ((struct nlmsgerr *)NLMSG_DATA(nlh))->error;
	default:
		return take_socket(r, nlh);
	}
}

static int receive(int fd, struct reading *r)
{
	static char buf[BUFFER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *nlh = (struct nlmsghdr *)buf;
	ssize_t n = recv(fd, buf, sizeof(buf), 0);
	int left, err = 0;

	if (n < 0)
		return errno == EINTR ? 0 : errno == EAGAIN ? -ETIMEDOUT : -errno;
	for (left = n; !err && NLMSG_OK(nlh, (unsigned int)left);
	     nlh = NLMSG_NEXT(nlh, left))
		err = take_message(r, nlh);
	return err;
}

static int read_once(struct reading *r)
{
	const struct timeval timeout = { .tv_sec = TIMEOUT_S };
	struct {
		struct nlmsghdr nlh;
		struct smc_diag_req req;
	} ask = {
		.nlh = {
			.nlmsg_len = sizeof(ask),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.req.diag_family = AF_SMC,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int err = 0;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (send(fd, &ask, sizeof(ask), 0) < 0)
		err = -errno;
	while (!err && !r->over)
		err = receive(fd, r);
	close(fd);
	return err;
}

int socket_list(struct listed_socket **list, size_t *nr)
{
	int tries, err = 0;

	for (tries = 0; tries < TRIES; tries++) {
		struct reading r = {};

		err = read_once(&r);
		if (!err && !r.interrupted) {
			*list = r.list;
			*nr = r.nr;
			return 0;
		}
		free(r.list);
		if (err)
			return err;
	}
	return -EINTR;
}

const char *listed_mode(const struct listed_socket *s)
{
	if (s->mode == SMC_DIAG_MODE_FALLBACK_TCP)
		return "TCP";
	if (s->mode == SMC_DIAG_MODE_SMCD)
		return "SMCD";
	/* Zero also stands for a socket that has no connection. */
	if (s->state == STATE_INIT || s->state == STATE_CLOSED ||
	    s->state == STATE_LISTEN)
		return "-";
	return s->in_host ? "in-host" : "SMCR";
}
