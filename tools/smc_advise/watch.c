// SPDX-License-Identifier: GPL-2.0
/* Reads the TCP connections of this network namespace by sock_diag, twice a
 * second, and the end of connections as the kernel reports it. Changes nothing
 * in the kernel; it only requests lists.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <dirent.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>

#include "advise.h"
#include "netlink.h"
#include "sockdiag.h"
#include "sysfs.h"

enum {
	BUFFER_BYTES	= 256 * 1024,
	LOOK_MS		= 500,
	QUIET_MS	= 200,
	BUCKETS		= 16384,
	STATE_LISTEN	= 10,		/* TCP_LISTEN */
	STATE_SYN_SENT	= 2,
	STATE_TIME_WAIT	= 6,
	STATE_NEW_SYN	= 12,
	STATE_SYN_RECV	= 3,
	TIMEOUT_S	= 10,
	DEFAULT_RMEM	= 262144,
};

/* A connection that this program follows. */
struct flow {
	struct flow *next;
	struct sample last;
	struct sample first;
	double begun;		/* seconds on the clock of the watch */
	enum reach reach;
	unsigned int look;
};

struct local {
	struct address address;
	bool rdma;
};

struct state {
	struct services *all;
	struct flow *flow[BUCKETS];
	struct local *local;
	size_t locals;
	bool listens[65536];
	struct smc_socket *smc;
	size_t smcs;
	struct sample *seen;
	size_t nr;
	size_t space;
	unsigned int look;
	bool lacks_memory;
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static bool same_host(const struct address *a, const struct address *b)
{
	return a->ipv6 == b->ipv6 && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/* ---- addresses of this host, and their RDMA devices ---- */

/* Is there an RDMA port whose table of addresses names the interface? */
static bool port_has(const char *device, const char *interface)
{
	char path[512], line[64];
	unsigned int port, i;

	for (port = 1; port <= 2; port++) {
		for (i = 0; i < 16; i++) {
			snprintf(path, sizeof(path),
				 "/sys/class/infiniband/%s/ports/%u/gid_attrs/ndevs/%u",
				 device, port, i);
			if (smc_read_line(line, sizeof(line), "%s", path) &&
			    !strcmp(line, interface))
				return true;
		}
	}
	return false;
}

static bool has_rdma(const char *interface)
{
	DIR *dir = opendir("/sys/class/infiniband");
	struct dirent *e;
	bool found = false;

	while (dir && !found && (e = readdir(dir)))
		found = e->d_name[0] != '.' && port_has(e->d_name, interface);
	if (dir)
		closedir(dir);
	return found;
}

/* An IPv4-mapped IPv6 address counts as IPv4. */
static void set_address(struct address *a, bool ipv6, const void *bytes)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	memset(a->bytes, 0, sizeof(a->bytes));
	a->ipv6 = ipv6 && memcmp(bytes, mapped, sizeof(mapped));
	if (a->ipv6)
		memcpy(a->bytes, bytes, 16);
	else
		memcpy(a->bytes, (const uint8_t *)bytes + (ipv6 ? 12 : 0), 4);
}

static int read_locals(struct state *w)
{
	struct ifaddrs *list, *i;
	struct local *more;

	if (getifaddrs(&list))
		return -errno;
	for (i = list; i; i = i->ifa_next) {
		if (!i->ifa_addr || (i->ifa_addr->sa_family != AF_INET &&
				     i->ifa_addr->sa_family != AF_INET6))
			continue;
		more = reallocarray(w->local, w->locals + 1, sizeof(*more));
		if (!more) {
			freeifaddrs(list);
			return -ENOMEM;
		}
		w->local = more;
		more += w->locals++;
		memset(more, 0, sizeof(*more));
		if (i->ifa_addr->sa_family == AF_INET)
			set_address(&more->address, false,
				    &((struct sockaddr_in *)i->ifa_addr)->sin_addr);
		else
			set_address(&more->address, true,
				    &((struct sockaddr_in6 *)i->ifa_addr)->sin6_addr);
		more->rdma = has_rdma(i->ifa_name);
	}
	freeifaddrs(list);
	return 0;
}

static enum reach reach_of(const struct state *w, const struct sample *s)
{
	enum reach found = REACH_NONE;
	size_t i;

	for (i = 0; i < w->locals; i++) {
		if (same_host(&w->local[i].address, &s->peer))
			return REACH_HOST;
		if (w->local[i].rdma && same_host(&w->local[i].address, &s->local))
			found = REACH_RDMA;
	}
	return found;
}

/* ---- lists of the kernel ---- */

static int take_attr(const struct nlattr *attr, void *data)
{
	struct sample *s = data;
	struct tcp_info info = {};
	size_t len = mnl_attr_get_payload_len(attr);

	if (mnl_attr_get_type(attr) != INET_DIAG_INFO)
		return MNL_CB_OK;
	memcpy(&info, mnl_attr_get_payload(attr),
	       len < sizeof(info) ? len : sizeof(info));
	s->sent = info.tcpi_bytes_acked;
	s->received = info.tcpi_bytes_received;
	s->segments_out = info.tcpi_data_segs_out;
	s->segments_in = info.tcpi_data_segs_in;
	return MNL_CB_OK;
}

/* Returns false if the message does not describe a connection. */
static bool take_sample(const struct nlmsghdr *nlh, struct sample *s)
{
	struct inet_diag_msg msg;
	bool ipv6;

	if (nlh->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    mnl_nlmsg_get_payload_len(nlh) < sizeof(msg))
		return false;
	memcpy(&msg, mnl_nlmsg_get_payload(nlh), sizeof(msg));
	ipv6 = msg.idiag_family == AF_INET6;
	if (!ipv6 && msg.idiag_family != AF_INET)
		return false;
	memset(s, 0, sizeof(*s));
	memcpy(&s->cookie, msg.id.idiag_cookie, sizeof(s->cookie));
	set_address(&s->local, ipv6, msg.id.idiag_src);
	set_address(&s->peer, ipv6, msg.id.idiag_dst);
	s->local.port = ntohs(msg.id.idiag_sport);
	s->peer.port = ntohs(msg.id.idiag_dport);
	s->listens = msg.idiag_state == STATE_LISTEN;
	mnl_attr_parse(nlh, sizeof(msg), take_attr, s);
	return true;
}

static int take_listed(const struct nlmsghdr *nlh, void *data)
{
	struct state *w = data;
	struct sample *more;
	size_t space;

	if (w->nr == w->space) {
		space = w->space * 2 + 256;
		more = reallocarray(w->seen, space, sizeof(*more));
		if (!more) {
			errno = ENOMEM;
			return MNL_CB_ERROR;
		}
		w->seen = more;
		w->space = space;
	}
	if (take_sample(nlh, &w->seen[w->nr]))
		w->nr++;
	return MNL_CB_OK;
}

static int list_family(struct mnl_socket *nl, int family, char *buf,
		       struct state *w)
{
	char request[MNL_ALIGN(sizeof(struct nlmsghdr)) +
		     MNL_ALIGN(sizeof(struct inet_diag_req_v2))];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(request);
	struct inet_diag_req_v2 *req;
	static unsigned int seq;
	ssize_t n;

	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	nlh->nlmsg_seq = ++seq;
	req = mnl_nlmsg_put_extra_header(nlh, sizeof(*req));
	req->sdiag_family = family;
	req->sdiag_protocol = IPPROTO_TCP;
	req->idiag_ext = 1 << (INET_DIAG_INFO - 1);
	req->idiag_states = ~(1u << STATE_TIME_WAIT | 1u << STATE_SYN_SENT |
			      1u << STATE_SYN_RECV | 1u << STATE_NEW_SYN);
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	for (;;) {
		n = mnl_socket_recvfrom(nl, buf, BUFFER_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		n = smc_netlink_run(buf, n, seq, mnl_socket_get_portid(nl),
				    take_listed, w);
		/* A list that changed during the dump is good enough. */
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= MNL_CB_STOP)
			return n < 0 ? -errno : 0;
	}
}

/* ---- connections ---- */

static struct flow **find(struct state *w, uint64_t cookie)
{
	struct flow **at = &w->flow[cookie * 0x9e3779b97f4a7c15ULL >> 50];

	while (*at && (*at)->last.cookie != cookie)
		at = &(*at)->next;
	return at;
}

/* Is the TCP connection the hidden one of an SMC socket? */
static bool is_smc(const struct state *w, const struct sample *s)
{
	struct address peer;
	size_t i;

	for (i = 0; i < w->smcs; i++) {
		if (w->smc[i].local.port != s->local.port ||
		    w->smc[i].peer.port != s->peer.port ||
		    w->smc[i].mode == SMC_DIAG_MODE_FALLBACK_TCP)
			continue;
		set_address(&peer, w->smc[i].peer.ipv6, w->smc[i].peer.addr);
		if (same_host(&peer, &s->peer))
			return true;
	}
	return false;
}

static void list_smc(struct state *w)
{
	char line[8];

	free(w->smc);
	w->smc = NULL;
	w->smcs = 0;
	/* The request would make the kernel load a missing module. */
	if (smc_read_line(line, sizeof(line), "/sys/module/smc_diag/refcnt") &&
	    smc_sockdiag_list(0, &w->smc, &w->smcs))
		w->smcs = 0;
}

static struct service *service_of(struct state *w, const struct flow *f)
{
	bool server = w->listens[f->last.local.port];

	return services_get(w->all, server,
			    server ? f->last.local.port : f->last.peer.port);
}

/* Adds the observed values of a connection to its service. */
static void account(struct state *w, struct flow *f, double t, bool ended)
{
	struct service *s = service_of(w, f);
	const struct sample *a = &f->first, *b = &f->last;
	uint32_t out = b->segments_out - a->segments_out;
	uint32_t in = b->segments_in - a->segments_in;

	if (!s) {
		w->lacks_memory = true;
		return;
	}
	s->conns++;
	s->ended += ended;
	s->open += !ended;
	s->reach[f->reach]++;
	s->life_s += t - f->begun;
	s->sent += b->sent - a->sent;
	s->received += b->received - a->received;
	s->turns += out < in ? out : in;
	services_peer(s, &b->peer, f->reach);
}

/*
 * A connection that begins during the observation is counted from its first
 * byte.
 */
static struct flow *follow(struct state *w, const struct sample *s, double t,
			   bool old)
{
	struct flow **at = find(w, s->cookie), *f = *at;

	if (!f) {
		f = calloc(1, sizeof(*f));
		if (!f) {
			w->lacks_memory = true;
			return NULL;
		}
		f->begun = t;
		f->reach = reach_of(w, s);
		if (old)
			f->first = *s;
		*at = f;
	}
	f->last = *s;
	f->look = w->look;
	return f;
}

static void forget(struct state *w, uint64_t cookie, double t)
{
	struct flow **at = find(w, cookie), *f = *at;

	if (!f)
		return;
	account(w, f, t, true);
	*at = f->next;
	free(f);
}

static int take_end(const struct nlmsghdr *nlh, void *data)
{
	struct state *w = data;
	struct sample s;
	double t = now_s();

	/* A socket that never had a connection has no peer. */
	if (!take_sample(nlh, &s) || s.listens || !s.peer.port || is_smc(w, &s))
		return MNL_CB_OK;
	if (follow(w, &s, t, false))
		forget(w, s.cookie, t);
	return MNL_CB_OK;
}

/*
 * Polls once: updates the listed connections, and ends those that are no longer
 * listed.
 */
static void look(struct state *w, double t)
{
	struct service *s;
	struct flow *f, *next;
	size_t i;

	w->look++;
	for (i = 0; i < w->nr; i++) {
		if (w->seen[i].listens)
			w->listens[w->seen[i].local.port] = true;
	}
	for (i = 0; i < w->all->nr; i++)
		w->all->list[i].now = 0;
	w->all->smc_conns = 0;
	for (i = 0; i < w->nr; i++) {
		if (w->seen[i].listens || !w->seen[i].peer.port)
			continue;
		if (is_smc(w, &w->seen[i])) {
			w->all->smc_conns++;
			continue;
		}
		f = follow(w, &w->seen[i], t, w->look == 1);
		s = f ? service_of(w, f) : NULL;
		if (s && ++s->now > s->peak)
			s->peak = s->now;
	}
	for (i = 0; i < BUCKETS; i++) {
		for (f = w->flow[i]; f; f = next) {
			next = f->next;
			if (f->look != w->look)
				forget(w, f->last.cookie, t);
		}
	}
}

static int look_once(struct state *w, char *buf)
{
	const struct timeval timeout = { .tv_sec = TIMEOUT_S };
	struct mnl_socket *nl = mnl_socket_open(NETLINK_SOCK_DIAG);
	int err;

	if (!nl)
		return -errno;
	setsockopt(mnl_socket_get_fd(nl), SOL_SOCKET, SO_RCVTIMEO, &timeout,
		   sizeof(timeout));
	w->nr = 0;
	err = mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ? -errno : 0;
	if (!err)
		err = list_family(nl, AF_INET, buf, w);
	if (!err)
		err = list_family(nl, AF_INET6, buf, w);
	mnl_socket_close(nl);
	list_smc(w);
	if (!err)
		look(w, now_s());
	return err;
}

/* Opens the socket on which the kernel reports ends of connections. Returns
 * NULL if the kernel or the user's rights do not allow that. Then connections
 * that begin and end between two polls are not counted.
 */
static struct mnl_socket *open_ends(void)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_SOCK_DIAG);
	unsigned int groups = 1u << (SKNLGRP_INET_TCP_DESTROY - 1) |
			      1u << (SKNLGRP_INET6_TCP_DESTROY - 1);
	int size = 8 * 1024 * 1024;

	if (!nl)
		return NULL;
	if (mnl_socket_bind(nl, groups, MNL_SOCKET_AUTOPID) < 0) {
		mnl_socket_close(nl);
		return NULL;
	}
	setsockopt(mnl_socket_get_fd(nl), SOL_SOCKET, SO_RCVBUFFORCE, &size,
		   sizeof(size));
	return nl;
}

static void read_ends(struct mnl_socket *nl, char *buf, struct state *w, int ms)
{
	struct pollfd p = { .fd = nl ? mnl_socket_get_fd(nl) : -1,
			    .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, ms) <= 0 || !(p.revents & POLLIN))
		return;
	while ((n = recv(p.fd, buf, BUFFER_BYTES, MSG_DONTWAIT)) > 0)
		mnl_cb_run(buf, n, 0, 0, take_end, w);
}

/* The kernel reports ends with some delay. */
static void read_last_ends(struct mnl_socket *nl, char *buf, struct state *w)
{
	struct pollfd p = { .fd = nl ? mnl_socket_get_fd(nl) : -1,
			    .events = POLLIN };
	double limit = now_s() + 1;

	while (nl && now_s() < limit && poll(&p, 1, QUIET_MS) == 1)
		read_ends(nl, buf, w, 0);
}

static int run(struct state *w, struct mnl_socket *ends, char *buf,
	       double seconds)
{
	double begun = now_s(), t = begun, next = begun;
	int err = 0;

	while (!err && !stopped && t < begun + seconds) {
		if (t >= next) {
			err = look_once(w, buf);
			next = t + LOOK_MS / 1e3;
		}
		t = next < begun + seconds ? next : begun + seconds;
		t -= now_s();
		read_ends(ends, buf, w, t > 0 ? t * 1e3 + 1 : 0);
		t = now_s();
	}
	read_last_ends(ends, buf, w);
	if (!err)
		err = look_once(w, buf);
	w->all->seconds = now_s() - begun;
	return err;
}

/* Ends the observation: connections that are still open count as well. */
static void finish(struct state *w)
{
	struct address peer;
	struct flow *f;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		for (f = w->flow[i]; f; f = f->next)
			account(w, f, now_s(), false);
	}
	for (i = 0; i < w->smcs; i++) {
		if (w->smc[i].mode != SMC_DIAG_MODE_SMCR)
			continue;
		set_address(&peer, w->smc[i].peer.ipv6, w->smc[i].peer.addr);
		services_smc(w->all, &peer);
	}
}

static void release(struct state *w)
{
	struct flow *f, *next;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		for (f = w->flow[i]; f; f = next) {
			next = f->next;
			free(f);
		}
	}
	free(w->local);
	free(w->smc);
	free(w->seen);
	free(w);
}

int watch(struct services *all, double seconds)
{
	struct sigaction act = { .sa_handler = stop };
	struct state *w = calloc(1, sizeof(*w));
	char *buf = malloc(BUFFER_BYTES), line[32];
	struct mnl_socket *ends;
	int err;

	if (!w || !buf) {
		free(w);
		free(buf);
		return -ENOMEM;
	}
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	w->all = all;
	all->rmem = DEFAULT_RMEM;
	if (smc_read_line(line, sizeof(line), "/proc/sys/net/smc/rmem"))
		all->rmem = strtoull(line, NULL, 10);
	ends = open_ends();
	all->ends = ends;
	err = read_locals(w);
	if (!err)
		err = run(w, ends, buf, seconds);
	if (!err)
		finish(w);
	if (!err && w->lacks_memory)
		err = -ENOMEM;
	if (ends)
		mnl_socket_close(ends);
	release(w);
	free(buf);
	return err;
}
