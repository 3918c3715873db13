// SPDX-License-Identifier: GPL-2.0
/* Calls of a program that make its socket fall back to TCP (R-B.1-06). */
#include <arpa/inet.h>
#include <linux/net_tstamp.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

#ifndef TCP_ULP
#define TCP_ULP 31
#endif

#ifndef TCP_AO_ADD_KEY
#define TCP_AO_ADD_KEY 38
#endif

/* struct tcp_ao_add of linux/tcp.h, which older headers do not have. */
struct ao_key {
	struct sockaddr_storage addr;
	char alg_name[64];
	int32_t ifindex;
	uint32_t flags;
	uint16_t reserved;
	uint8_t prefix, sndid, rcvid, maclen, keyflags, keylen;
	uint8_t key[80];
} __attribute__((aligned(8)));

enum {
	REASON_PEER_NO_SMC = 0x03010000,
	REASON_OPTION = 0x03060000,
	RESETS = 20,
};

static void expect_tcp(int fd, uint32_t reason)
{
	cfg.own = (struct expect){ .mode = MODE_TCP, .check_reason = true,
				   .reason = reason };
	/* R-B.1-06 */
	check_mode(fd);
}

static void fastopen_send_client(void)
{
	struct sockaddr_storage ss;
	socklen_t len = server_addr(ctl_wait_u64("PORT"), &ss);
	int fd = new_socket(0);
	char buf[5];

	RETURNS(5, sendto(fd, "hello", 5, MSG_FASTOPEN, (struct sockaddr *)&ss, len));
	recv_all(fd, buf, 5);
	expect_tcp(fd, REASON_OPTION);
	close(fd);
}

static void fastopen_connect_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);
	char buf[5];

	set_int(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, 1);
	RETURNS(0, connect_fd(fd, port));
	send_all(fd, "hello", 5);
	recv_all(fd, buf, 5);
	expect_tcp(fd, REASON_OPTION);
	close(fd);
}

/* The client switched before the handshake: no option was in its SYN. */
static void fastopen_server(void)
{
	uint16_t port;
	int lfd = new_listener(1, &port);
	char buf[5];
	int fd;

	ctl_send_u64("PORT", port);
	AWAIT(lfd, POLLIN);
	fd = OK(accept(lfd, NULL, NULL));
	recv_all(fd, buf, 5);
	CHECK(!memcmp(buf, "hello", 5), "got %.5s", buf);
	send_all(fd, buf, 5);
	expect_tcp(fd, REASON_PEER_NO_SMC);
	expect_end(fd);
}

static void fastopen_listener_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);
	char buf[5];

	OK(connect_fd(fd, port));
	send_all(fd, "hello", 5);
	recv_all(fd, buf, 5);
	expect_tcp(fd, REASON_PEER_NO_SMC);
	close(fd);
}

static void fastopen_listener_server(void)
{
	int lfd = new_socket(0);
	char buf[5];
	int fd;

	set_int(lfd, IPPROTO_TCP, TCP_FASTOPEN, 5);
	bind_any(lfd, 0);
	OK(listen(lfd, 5));
	ctl_send_u64("PORT", local_port(lfd));
	AWAIT(lfd, POLLIN);
	fd = OK(accept(lfd, NULL, NULL));
	recv_all(fd, buf, 5);
	send_all(fd, buf, 5);
	expect_end(fd);
}

/* A listener serves those that use fast open and those that do not. */
static void fastopen_after_listen_client(void)
{
	struct sockaddr_storage ss;
	socklen_t len = server_addr(ctl_wait_u64("PORT"), &ss);
	char buf[5];
	int i, fd;

	/* the first one gets the cookie for the second one */
	for (i = 0; i < 2; i++) {
		fd = new_socket_of(family_is_v6(cfg.family) ? FAMILY_TCP6 :
							      FAMILY_TCP, 0);
		RETURNS(5, sendto(fd, "hello", 5, MSG_FASTOPEN,
				  (struct sockaddr *)&ss, len));
		recv_all(fd, buf, 5);
		expect_end(fd);
		close(fd);
	}
}

static void fastopen_after_listen_server(void)
{
	uint16_t port;
	int lfd = new_listener(5, &port);
	char buf[5];
	int i, fd;

	set_int(lfd, IPPROTO_TCP, TCP_FASTOPEN, 5);
	ctl_send_u64("PORT", port);
	for (i = 0; i < 2; i++) {
		AWAIT(lfd, POLLIN);
		fd = OK(accept(lfd, NULL, NULL));
		recv_all(fd, buf, 5);
		CHECK(!memcmp(buf, "hello", 5), "got %.5s", buf);
		send_all(fd, buf, 5);
		close(fd);
	}
}

/* A user cannot set a TCP ULP on an SMC socket, and "smc" on no socket. */
static void ulp_client(void)
{
	int fd = meet();

	/* R-B.1-06 */
	CHECK(setsockopt(fd, IPPROTO_TCP, TCP_ULP, "smc", 4) < 0,
	      "TCP_ULP smc was taken");
	if (family_is_smc(cfg.family) && cfg.own.mode != MODE_TCP)
		FAILS(EOPNOTSUPP, setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 4));
	send_all(fd, "x", 1);
	close(fd);
}

static void take_one(void)
{
	int fd = meet();
	char c;

	recv_all(fd, &c, 1);
	expect_end(fd);
}

/* A fallen-back socket accepts TCP features: kTLS. */
static void ktls_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int fd = new_socket(0);
	char name[16] = "";
	socklen_t len = sizeof(name);

	OK(connect_fd(fd, port));
	if (family_is_smc(cfg.family))
		expect_tcp(fd, REASON_PEER_NO_SMC);
	if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 4) < 0 && errno == ENOENT)
		skip_case("this kernel has no kTLS");
	OK(getsockopt(fd, IPPROTO_TCP, TCP_ULP, name, &len));
	CHECK(!strcmp(name, "tls"), "TCP_ULP is '%s'", name);
	send_all(fd, "x", 1);
	close(fd);
}

static void ktls_server(void)
{
	uint16_t port;
	int lfd, fd;
	char c;

	cfg.family = family_is_v6(cfg.family) ? FAMILY_TCP6 : FAMILY_TCP;
	lfd = new_listener(1, &port);
	ctl_send_u64("PORT", port);
	fd = accept_from(lfd);
	recv_all(fd, &c, 1);
	expect_end(fd);
}

/*
 * A notice on the error queue is no error, and does not hide the one that
 * follows.
 */
static void notice_client(void)
{
	uint16_t port = ctl_wait_u64("PORT");
	int notices = SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
	int i, fd, n;
	char c;

	for (i = 0; i < RESETS; i++) {
		fd = new_socket(0);
		OK(connect_fd(fd, port));
		set_int(fd, SOL_SOCKET, SO_TIMESTAMPING, notices);
		send_all(fd, "x", 1);
		FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT));
		ctl_send("NOTICED");
		do {
			n = recv(fd, &c, 1, MSG_DONTWAIT);
		} while (n < 0 && errno == EAGAIN);
		CHECK(n < 0, "recv: %d after a reset", n);
		RETURNS(ECONNRESET, errno);
		close(fd);
	}
}

static void notice_server(void)
{
	struct linger reset = { .l_onoff = 1 };
	uint16_t port;
	int lfd, fd, i;
	char c;

	cfg.family = family_is_v6(cfg.family) ? FAMILY_TCP6 : FAMILY_TCP;
	lfd = new_listener(1, &port);
	ctl_send_u64("PORT", port);
	for (i = 0; i < RESETS; i++) {
		fd = accept_from(lfd);
		OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)));
		recv_all(fd, &c, 1);
		ctl_wait("NOTICED");
		close(fd);
	}
}

static void set_address(struct sockaddr_storage *to, const char *peer)
{
	struct sockaddr_in *sin = (struct sockaddr_in *)to;
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)to;

	if (family_is_v6(cfg.family)) {
		sin6->sin6_family = AF_INET6;
		RETURNS(1, inet_pton(AF_INET6, peer, &sin6->sin6_addr));
	} else {
		sin->sin_family = AF_INET;
		RETURNS(1, inet_pton(AF_INET, peer, &sin->sin_addr));
	}
}

static void set_key(int fd, int option, const void *key, socklen_t len)
{
	if (!setsockopt(fd, IPPROTO_TCP, option, key, len))
		return;
	CHECK(errno == ENOPROTOOPT, "option %d: %s", option, strerrorname(errno));
	skip_case("this kernel has no such keys for TCP");
}

/* TCP signs segments only; what goes past it would not be authentic. */
static void set_md5_key(int fd, const char *peer)
{
	struct tcp_md5sig key = { .tcpm_keylen = 6, .tcpm_key = "secret" };

	set_address((struct sockaddr_storage *)&key.tcpm_addr, peer);
	set_key(fd, TCP_MD5SIG, &key, sizeof(key));
}

static void set_ao_key(int fd, const char *peer)
{
	struct ao_key key = { .alg_name = "hmac(sha1)", .sndid = 100,
			      .rcvid = 100, .keylen = 6, .key = "secret" };

	set_address(&key.addr, peer);
	key.prefix = family_is_v6(cfg.family) ? 128 : 32;
	set_key(fd, TCP_AO_ADD_KEY, &key, sizeof(key));
}

static const char *other(void)
{
	return family_is_v6(cfg.family) ? "2001:db8::1" : "198.51.100.1";
}

static void md5_for_peer(int fd)
{
	set_md5_key(fd, cfg.host);
}

static void ao_for_peer(int fd)
{
	set_ao_key(fd, cfg.host);
}

static void md5_for_other(int fd)
{
	if (cfg.server)
		set_md5_key(fd, other());
}

static void ao_for_other(int fd)
{
	if (cfg.server)
		set_ao_key(fd, other());
}

static void exchange(int fd)
{
	if (cfg.server) {
		send_all(fd, "x", 1);
		expect_end(fd);
	} else {
		recv_text(fd, "x");
		close(fd);
	}
}

static void signed_by(void (*set)(int fd))
{
	int fd = meet_with(set);

	expect_tcp(fd, cfg.server ? REASON_PEER_NO_SMC : REASON_OPTION);
	exchange(fd);
}

static void signed_end(void)
{
	signed_by(md5_for_peer);
}

static void signed_ao_end(void)
{
	signed_by(ao_for_peer);
}

/* A listener's key for one peer concerns no other. */
static void unsigned_by(void (*set)(int fd))
{
	int fd = meet_with(set);

	cfg.own = (struct expect){ .mode = MODE_INHOST };
	check_mode(fd);
	exchange(fd);
}

static void unsigned_end(void)
{
	unsigned_by(md5_for_other);
}

static void unsigned_ao_end(void)
{
	unsigned_by(ao_for_other);
}

static const struct peer_case fallback_cases[] = {
	{ "fastopen_send", fastopen_send_client, fastopen_server },
	{ "fastopen_connect", fastopen_connect_client, fastopen_server },
	{ "fastopen_listener", fastopen_listener_client, fastopen_listener_server },
	{ "fastopen_after_listen", fastopen_after_listen_client,
	  fastopen_after_listen_server },
	{ "reset_after_notice", notice_client, notice_server },
	{ "signed", signed_end, signed_end },
	{ "not_signed", unsigned_end, unsigned_end },
	{ "signed_ao", signed_ao_end, signed_ao_end },
	{ "not_signed_ao", unsigned_ao_end, unsigned_ao_end },
	{ "ulp_refused", ulp_client, take_one },
	{ "ktls_after_fallback", ktls_client, ktls_server },
};

CASE_GROUP(group_fallback, fallback);
