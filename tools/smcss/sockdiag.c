// SPDX-License-Identifier: GPL-2.0
#include "sockdiag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <libmnl/libmnl.h>
#include <linux/netlink.h>
#include <linux/smc.h>
#include <linux/sock_diag.h>

#include "netlink.h"

enum {
	DUMP_BUFFER_BYTES	= 64 * 1024,
	RECV_TIMEOUT_S		= 10,
	/* Limit of repetitions of a dump that changes have interrupted. */
	DUMP_TRIES		= 5,
};

struct dump {
	struct smc_socket *list;
	size_t nr;
	size_t space;
};

static struct smc_socket *next_entry(struct dump *d)
{
	struct smc_socket *more;
	size_t space = d->space * 2 + 64;

	if (d->nr < d->space)
		return &d->list[d->nr++];
	more = reallocarray(d->list, space, sizeof(*more));
	if (!more)
		return NULL;
	d->list = more;
	d->space = space;
	return &d->list[d->nr++];
}

/* If the message lacks the attribute: IPv4 if only the first of the four words
 * is used.
 */
static void fill_addr(struct smc_sockaddr *a, const __be32 word[4], __be16 port)
{
	a->ipv6 = word[1] || word[2] || word[3];
	memcpy(a->addr, word, sizeof(a->addr));
	a->port = ntohs(port);
}

/* Copies a structure that a later kernel may have made longer. */
static bool fill_struct(void *to, size_t size, const struct nlattr *attr)
{
	if (mnl_attr_get_payload_len(attr) < size)
		return false;
	memcpy(to, mnl_attr_get_payload(attr), size);
	return true;
}

static int take_attr(const struct nlattr *attr, void *data)
{
	struct smc_socket *s = data;
	size_t len = mnl_attr_get_payload_len(attr);

	switch (mnl_attr_get_type(attr)) {
	case SMC_DIAG_CONNINFO:
		s->has_conn = fill_struct(&s->conn, sizeof(s->conn), attr);
		break;
	case SMC_DIAG_LGRINFO:
		s->has_lgr = fill_struct(&s->lgr, sizeof(s->lgr), attr);
		break;
	case SMC_DIAG_SHUTDOWN:
		if (len >= 1)
			s->shutdown = mnl_attr_get_u8(attr);
		break;
	case SMC_DIAG_FALLBACK:
		fill_struct(&s->fallback, sizeof(s->fallback), attr);
		break;
	case SMC_DIAG_TRANSPORT:
		if (len >= sizeof(s->transport))
			len = sizeof(s->transport) - 1;
		memcpy(s->transport, mnl_attr_get_payload(attr), len);
		break;
	case SMC_DIAG_FLOW:
		s->has_flow = fill_struct(&s->flow, sizeof(s->flow), attr);
		break;
	case SMC_DIAG_PROTOCOL:
		if (len >= 1)
			s->local.ipv6 = mnl_attr_get_u8(attr) == SMCPROTO_SMC6;
		s->peer.ipv6 = s->local.ipv6;
		break;
	}
	return MNL_CB_OK;
}

static int take_message(const struct nlmsghdr *nlh, void *data)
{
	struct smc_diag_msg copy, *msg = &copy;
	struct smc_socket *s;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(copy))
		return MNL_CB_OK;
	/* messages are aligned to 4 bytes only */
	memcpy(&copy, mnl_nlmsg_get_payload(nlh), sizeof(copy));
	s = next_entry(data);
	if (!s) {
		errno = ENOMEM;
		return MNL_CB_ERROR;
	}
	memset(s, 0, sizeof(*s));
	s->family = msg->diag_family;
	s->state = msg->diag_state;
	s->mode = msg->diag_mode;
	s->shutdown = msg->diag_shutdown;
	s->uid = msg->diag_uid;
	s->inode = msg->diag_inode;
	s->ifindex = msg->id.idiag_if;
	memcpy(&s->cookie, msg->id.idiag_cookie, sizeof(s->cookie));
	fill_addr(&s->local, msg->id.idiag_src, msg->id.idiag_sport);
	fill_addr(&s->peer, msg->id.idiag_dst, msg->id.idiag_dport);
	/* One of the two addresses may be the wildcard address. */
	if (s->peer.ipv6)
		s->local.ipv6 = true;
	mnl_attr_parse(nlh, sizeof(copy), take_attr, s);
	return MNL_CB_OK;
}

static int send_request(struct mnl_socket *nl, unsigned int ext, unsigned int seq)
{
	char buf[MNL_ALIGN(sizeof(struct nlmsghdr)) + sizeof(struct smc_diag_req)];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct smc_diag_req *req;

	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	nlh->nlmsg_seq = seq;
	req = mnl_nlmsg_put_extra_header(nlh, sizeof(*req));
	req->diag_family = AF_SMC;
	req->diag_ext = ext;
	return mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0 ? -errno : 0;
}

static int read_replies(struct mnl_socket *nl, unsigned int seq, struct dump *d)
{
	char *buf = malloc(DUMP_BUFFER_BYTES);
	ssize_t n;
	int err = 0;

	if (!buf)
		return -ENOMEM;
	for (;;) {
		n = mnl_socket_recvfrom(nl, buf, DUMP_BUFFER_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err = errno == EAGAIN ? -ETIMEDOUT : -errno;
			break;
		}
		n = smc_netlink_run(buf, n, seq, mnl_socket_get_portid(nl),
				    take_message, d);
		if (n <= MNL_CB_STOP) {
			err = n < 0 ? -errno : 0;
			break;
		}
	}
	free(buf);
	return err;
}

static int dump_once(unsigned int ext, struct dump *d)
{
	const struct timeval timeout = { .tv_sec = RECV_TIMEOUT_S };
	struct mnl_socket *nl = mnl_socket_open(NETLINK_SOCK_DIAG);
	unsigned int seq = time(NULL);
	int err;

	if (!nl)
		return -errno;
	setsockopt(mnl_socket_get_fd(nl), SOL_SOCKET, SO_RCVTIMEO, &timeout,
		   sizeof(timeout));
	err = mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno : 0;
	if (!err)
		err = send_request(nl, ext, seq);
	if (!err)
		err = read_replies(nl, seq, d);
	mnl_socket_close(nl);
	return err;
}

int smc_sockdiag_list(unsigned int ext, struct smc_socket **list, size_t *nr)
{
	struct dump d = {};
	int tries = 0;
	int err;

	/* An interrupted dump ends with EINTR and may have left sockets out. */
	do {
		d.nr = 0;
		err = dump_once(ext, &d);
	} while (err == -EINTR && ++tries < DUMP_TRIES);
	/* The kernel has no NETLINK_SOCK_DIAG. */
	if (err == -EPROTONOSUPPORT)
		err = -ENOENT;
	if (err) {
		free(d.list);
		return err;
	}
	*list = d.list;
	*nr = d.nr;
	return 0;
}
