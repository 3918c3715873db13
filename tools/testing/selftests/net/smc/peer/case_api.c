// SPDX-License-Identifier: GPL-2.0
/*
 * Tests calls in the wrong state or with wrong arguments. Each probe is a
 * function that returns what an application sees: 0 or more, or a negative
 * errno. TCP gives the expectation; where SMC may differ, the table lists both
 * results.
 */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "groups.h"
#include "util.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif

struct probe {
	const char *what;
	int (*fn)(int fd);	/* fd: a fresh socket of the family */
	int want;
	/* another result that SMC may return; 0: none */
	int smc;
};

static int result(int ret)
{
	return ret < 0 ? -errno : ret;
}

static int listening(int fd)
{
	bind_any(fd, 0);
	return OK(listen(fd, 1));
}

static int bind_to(int fd, const char *ip, uint16_t port)
{
	bool v6 = family_is_v6(cfg.family);
	struct sockaddr_storage ss;
	socklen_t len;

	snprintf(cfg.host, sizeof(cfg.host), "%s", ip ? ip : v6 ? "::1" : "127.0.0.1");
	len = server_addr(port, &ss);
	return result(bind(fd, (struct sockaddr *)&ss, len));
}

static int bind_twice(int fd)
{
	bind_any(fd, 0);
	return bind_to(fd, NULL, 0);
}

static int bind_in_use(int fd)
{
	int other = new_socket(0);

	listening(other);
	return bind_to(fd, NULL, local_port(other));
}

static int bind_foreign(int fd)
{
	return bind_to(fd, family_is_v6(cfg.family) ? "2001:db8::99" : "198.51.100.99", 0);
}

static int bind_short(int fd)
{
	struct sockaddr_storage ss;

	server_addr(0, &ss);
	return result(bind(fd, (struct sockaddr *)&ss, 7));
}

static int bind_unix(int fd)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	return result(bind(fd, (struct sockaddr *)&un, sizeof(un)));
}

static int bind_bad_pointer(int fd)
{
	return result(bind(fd, (struct sockaddr *)8, sizeof(struct sockaddr_in6)));
}

/*
 * Before Linux 6.7 the core allows SO_REUSEPORT only for a fixed list of
 * families. SMC is not in the list, so SMC sockets do not have the option
 * there.
 */
static bool core_refuses_reuseport(int fd)
{
	int one = 1;

	if (!family_is_smc(cfg.family) || !kernel_before(6, 7))
		return false;
	return setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)) < 0 &&
	       errno == EOPNOTSUPP;
}

static int bind_reuse(int fd)
{
	int other = new_socket(0);

	if (core_refuses_reuseport(fd))
		return 0;
	set_int(other, SOL_SOCKET, SO_REUSEPORT, 1);
	set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	listening(other);
	return bind_to(fd, NULL, local_port(other));
}

static int listen_unbound(int fd)
{
	int ret = result(listen(fd, 1));

	return ret < 0 ? ret : local_port(fd) ? 0 : -ENOTSUP;
}

static int listen_twice(int fd)
{
	listening(fd);
	return result(listen(fd, 10));
}

static int listen_negative(int fd)
{
	return result(listen(fd, -1));
}

static int accept_unbound(int fd)
{
	return result(accept(fd, NULL, NULL));
}

static int accept_empty(int fd)
{
	listening(fd);
	set_nonblock(fd, true);
	return result(accept(fd, NULL, NULL));
}

static int accept_flags(int fd)
{
	listening(fd);
	return result(accept4(fd, NULL, NULL, 1));
}

static int connect_listener(int fd)
{
	listening(fd);
	return result(connect_fd(fd, local_port(fd)));
}

static int connect_short(int fd)
{
	struct sockaddr_storage ss;

	server_addr(1, &ss);
	return result(connect(fd, (struct sockaddr *)&ss, 1));
}

static int connect_shorter_than_address(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = server_addr(1, &ss);

	return result(connect(fd, (struct sockaddr *)&ss, len / 2));
}

static int connect_unix(int fd)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	return result(connect(fd, (struct sockaddr *)&un, sizeof(un)));
}

static int connect_unspec(int fd)
{
	struct sockaddr_storage ss = { .ss_family = AF_UNSPEC };

	return result(connect(fd, (struct sockaddr *)&ss, sizeof(ss)));
}

static int connect_unspec_listener(int fd)
{
	listening(fd);
	RETURNS(0, connect_unspec(fd));
	FAILS(EINVAL, accept(fd, NULL, NULL));
	RETURNS(POLLOUT | POLLHUP, poll_ms(fd, POLLIN | POLLOUT, 0));
	return result(listen(fd, 1));
}

static int connect_port_zero(int fd)
{
	return result(connect_fd(fd, 0));
}

static int send_unconnected(int fd)
{
	return result(send(fd, "x", 1, MSG_NOSIGNAL));
}

static int send_listener(int fd)
{
	listening(fd);
	return result(send(fd, "x", 1, MSG_NOSIGNAL));
}

static int recv_unconnected(int fd)
{
	char c;

	return result(recv(fd, &c, 1, 0));
}

static int recv_listener(int fd)
{
	char c;

	listening(fd);
	return result(recv(fd, &c, 1, 0));
}

static int shutdown_unconnected(int fd)
{
	return result(shutdown(fd, SHUT_RDWR));
}

static int shutdown_bad(int fd)
{
	return result(shutdown(fd, 3));
}

static int shutdown_listener_wr(int fd)
{
	listening(fd);
	return result(shutdown(fd, SHUT_WR));
}

static int shutdown_listener_rd(int fd)
{
	listening(fd);
	RETURNS(0, shutdown(fd, SHUT_RD));
	return result(accept(fd, NULL, NULL));
}

static int peername(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	return result(getpeername(fd, (struct sockaddr *)&ss, &len));
}

static int peername_listener(int fd)
{
	listening(fd);
	return peername(fd);
}

static int sockname_unbound(int fd)
{
	return local_port(fd);
}

static int getsockopt_unknown(int fd)
{
	socklen_t len = sizeof(int);
	int v;

	return result(getsockopt(fd, SOL_SOCKET, 9999, &v, &len));
}

static int setsockopt_level(int fd)
{
	int v = 1;

	return result(setsockopt(fd, 12345, 1, &v, sizeof(v)));
}

static int setsockopt_tcp_unknown(int fd)
{
	int v = 1;

	return result(setsockopt(fd, IPPROTO_TCP, 9999, &v, sizeof(v)));
}

static int setsockopt_short(int fd)
{
	int v = 1;

	return result(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &v, 2));
}

static int setsockopt_tcp_short(int fd)
{
	int v = 1;

	return result(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &v, 2));
}

static int setsockopt_bad_pointer(int fd)
{
	return result(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, (void *)8, 4));
}

static int getsockopt_bad_pointer(int fd)
{
	socklen_t len = sizeof(int);

	return result(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, (void *)8, &len));
}

static int ioctl_unknown(int fd)
{
	int v;

	return result(ioctl(fd, 0x7777, &v));
}

static int inq_unconnected(int fd)
{
	int v = -1;

	return result(ioctl(fd, SIOCINQ, &v)) ? : v;
}

static int inq_listener(int fd)
{
	int v;

	listening(fd);
	return result(ioctl(fd, SIOCINQ, &v));
}

static int outq_listener(int fd)
{
	int v;

	listening(fd);
	return result(ioctl(fd, SIOCOUTQ, &v));
}

static int inq_bad_pointer(int fd)
{
	return result(ioctl(fd, SIOCINQ, (void *)8));
}

static int seek_socket(int fd)
{
	return result(lseek(fd, 0, SEEK_CUR));
}

static int map_socket(int fd)
{
	return mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ?
	       -errno : 0;
}

static int sync_socket(int fd)
{
	return result(fsync(fd));
}

static int poll_unconnected(int fd)
{
	return poll_ms(fd, POLLIN | POLLOUT | POLLRDHUP, 0);
}

static int poll_listener(int fd)
{
	listening(fd);
	return poll_ms(fd, POLLIN | POLLOUT | POLLRDHUP, 0);
}

static int oob_unconnected(int fd)
{
	char c;

	return result(recv(fd, &c, 1, MSG_OOB));
}

static const struct probe probes[] = {
	{ "bind twice", bind_twice, -EINVAL },
	{ "bind to a port in use", bind_in_use, -EADDRINUSE },
	{ "bind to an address of another host", bind_foreign, -EADDRNOTAVAIL },
	{ "bind with a short address", bind_short, -EINVAL },
	{ "bind to a Unix address", bind_unix, -EAFNOSUPPORT },
	{ "bind with a bad pointer", bind_bad_pointer, -EFAULT },
	{ "bind with SO_REUSEPORT", bind_reuse, 0 },
	{ "listen unbound", listen_unbound, 0 },
	{ "listen twice", listen_twice, 0 },
	{ "listen with a negative backlog", listen_negative, 0 },
	{ "accept without listen", accept_unbound, -EINVAL },
	{ "accept with nothing there", accept_empty, -EAGAIN },
	{ "accept4 with unknown flags", accept_flags, -EINVAL },
	{ "connect a listener", connect_listener, -EISCONN, -EINVAL },
	{ "connect with a length of 1", connect_short, -EINVAL },
	{ "connect with half an address", connect_shorter_than_address, -EINVAL },
	{ "connect to a Unix address", connect_unix, -EAFNOSUPPORT, -EINVAL },
	{ "connect to AF_UNSPEC", connect_unspec, 0 },
	{ "connect a listener to AF_UNSPEC", connect_unspec_listener, 0 },
	{ "connect to port 0", connect_port_zero, -ECONNREFUSED },
	{ "send unconnected", send_unconnected, -EPIPE },
	{ "send on a listener", send_listener, -EPIPE },
	{ "recv unconnected", recv_unconnected, -ENOTCONN },
	{ "recv on a listener", recv_listener, -ENOTCONN },
	{ "recv MSG_OOB unconnected", oob_unconnected, -EINVAL, -ENOTCONN },
	{ "shutdown unconnected", shutdown_unconnected, -ENOTCONN },
	{ "shutdown in an unknown way", shutdown_bad, -EINVAL },
	{ "shutdown SHUT_WR of a listener", shutdown_listener_wr, 0 },
	{ "accept after SHUT_RD", shutdown_listener_rd, -EINVAL },
	{ "getpeername unconnected", peername, -ENOTCONN },
	{ "getpeername of a listener", peername_listener, -ENOTCONN },
	{ "getsockname unbound: port", sockname_unbound, 0 },
	{ "getsockopt unknown", getsockopt_unknown, -ENOPROTOOPT },
	{ "setsockopt on an unknown level", setsockopt_level, -ENOPROTOOPT },
	{ "setsockopt unknown at TCP", setsockopt_tcp_unknown, -ENOPROTOOPT },
	{ "setsockopt too short", setsockopt_short, -EINVAL },
	{ "setsockopt too short at TCP", setsockopt_tcp_short, -EINVAL },
	{ "setsockopt with a bad pointer", setsockopt_bad_pointer, -EFAULT },
	{ "getsockopt with a bad pointer", getsockopt_bad_pointer, -EFAULT },
	{ "ioctl unknown", ioctl_unknown, -ENOTTY },
	{ "SIOCINQ unconnected", inq_unconnected, 0 },
	{ "SIOCINQ of a listener", inq_listener, -EINVAL },
	{ "SIOCOUTQ of a listener", outq_listener, -EINVAL },
	{ "SIOCINQ with a bad pointer", inq_bad_pointer, -EFAULT },
	{ "lseek", seek_socket, -ESPIPE },
	{ "mmap", map_socket, 0, -ENODEV },
	{ "fsync", sync_socket, -EINVAL },
	{ "poll unconnected", poll_unconnected, POLLOUT | POLLHUP },
	{ "poll of a quiet listener", poll_listener, 0 },
};

static const char *say(int ret, char *buf, size_t size)
{
	if (ret < 0)
		return strerrorname(-ret);
	snprintf(buf, size, "%#x", ret);
	return buf;
}

/* Runs all probes, and reports the first unexpected results. */
static void wrong_calls(void)
{
	char text[300] = "", want[12], got[12];
	unsigned int surprises = 0;
	size_t i, len = 0;
	int fd, ret;

	cfg.single = true;	/* addresses of this host */
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		const struct probe *p = &probes[i];

		strcpy(cfg.host, family_is_v6(cfg.family) ? "::1" : "127.0.0.1");
		fd = new_socket(0);
		ret = p->fn(fd);
		close(fd);
		if (ret == p->want ||
		    (p->smc && family_is_smc(cfg.family) && ret == p->smc))
			continue;
		surprises++;
		if (len < sizeof(text))
			len += snprintf(text + len, sizeof(text) - len,
					"%s%s: %s, not %s", len ? "; " : "", p->what,
					say(ret, got, sizeof(got)),
					say(p->want, want, sizeof(want)));
	}
	CHECK(!surprises, "%u surprises: %s", surprises, text);
	note("%zu calls", ARRAY_SIZE(probes));
}

/* Checks which types of socket the family has. */
static void kinds(void)
{
	int sv[2];

	FAILS(ESOCKTNOSUPPORT, socket(AF_SMC, SOCK_DGRAM, 0));
	FAILS(ESOCKTNOSUPPORT, socket(AF_SMC, SOCK_RAW, 0));
	FAILS(ESOCKTNOSUPPORT, socket(AF_SMC, SOCK_SEQPACKET, 0));
	FAILS(EPROTONOSUPPORT, socket(AF_SMC, SOCK_STREAM, 2));
	FAILS(EPROTONOSUPPORT, socket(AF_SMC, SOCK_STREAM, IPPROTO_TCP));
	FAILS(EOPNOTSUPP, socketpair(AF_SMC, SOCK_STREAM, 0, sv));
	OK(socket(AF_SMC, SOCK_STREAM, 0));
	OK(socket(AF_SMC, SOCK_STREAM, 1));
	OK(socket(AF_SMC, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	RETURNS(AF_SMC, get_int(socket(AF_SMC, SOCK_STREAM, 1), SOL_SOCKET, SO_DOMAIN));
}

/* A wrong type fails as it does for TCP. */
static void refused_as_for_tcp(int domain, int type)
{
	int tcp, smc;

	tcp = socket(domain, type, IPPROTO_TCP);
	CHECK(tcp < 0, "TCP has type %d", type);
	tcp = errno;
	smc = result(socket(domain, type, PROTOCOL_SMC));
	CHECK(smc == -tcp, "domain %d, type %d: %s, not %s", domain, type,
	      smc < 0 ? strerrorname(-smc) : "a socket", strerrorname(tcp));
}

/* Checks which types of socket the families of IP have with IPPROTO_SMC. */
static void kinds_of_ip(void)
{
	static const int types[] = { SOCK_DGRAM, SOCK_SEQPACKET, SOCK_RDM };
	static const int domains[] = { AF_INET, AF_INET6 };
	struct setting modprobe;
	size_t d, t;
	int sv[2];

	/* the kernel would start modprobe twice for each missing protocol */
	setting_keep(&modprobe, "/proc/sys/kernel/modprobe");
	setting_change(&modprobe, "\n");
	for (d = 0; d < ARRAY_SIZE(domains); d++) {
		for (t = 0; t < ARRAY_SIZE(types); t++)
			refused_as_for_tcp(domains[d], types[t]);
		FAILS(EPROTONOSUPPORT,
		      socket(domains[d], SOCK_STREAM, PROTOCOL_SMC + 1));
		FAILS(EOPNOTSUPP,
		      socketpair(domains[d], SOCK_STREAM, PROTOCOL_SMC, sv));
		OK(socket(domains[d], SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			  PROTOCOL_SMC));
	}
	setting_restore(&modprobe);
}

/* A socket keeps its family and protocol, and an accepted one has those of its
 * listener.
 */
static void identity(void)
{
	int fd = meet();

	RETURNS(socket_domain(cfg.family), get_int(fd, SOL_SOCKET, SO_DOMAIN));
	RETURNS(socket_protocol(cfg.family),
		get_int(fd, SOL_SOCKET, SO_PROTOCOL));
	RETURNS(SOCK_STREAM, get_int(fd, SOL_SOCKET, SO_TYPE));
	ctl_sync("TOLD");
	close(fd);
}

/* Calls on a connected socket: faults, and a second connect(). */
static void connected_client(void)
{
	int fd = meet();
	char c;

	FAILS(EISCONN, connect_fd(fd, 1));
	FAILS(EFAULT, send(fd, (void *)8, 1, 0));
	FAILS(EINVAL, listen(fd, 1));
	FAILS(EINVAL, accept(fd, NULL, NULL));
	CHECK(bind_to(fd, NULL, 0) == -EINVAL, "bind of a connection");
	FAILS(ENOTTY, ioctl(fd, 0x7777, &c));
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT));
	close(fd);
	FAILS(EBADF, send(fd, "x", 1, 0));
}

static void connected_server(void)
{
	int fd = meet();
	char buf[2];

	while (recv(fd, buf, sizeof(buf), 0) > 0)
		;
	close(fd);
}

static const struct peer_case api_cases[] = {
	{ "wrong_calls", wrong_calls },
	{ "kinds_of_socket", kinds, .smc_only = true },
	{ "kinds_of_ip", kinds_of_ip, .smc_only = true },
	{ "identity", identity, identity },
	{ "calls_on_connection", connected_client, connected_server },
};

CASE_GROUP(group_api, api);
