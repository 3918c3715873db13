// SPDX-License-Identifier: GPL-2.0
/* Tests calls of a program that make its socket fall back to TCP (R-B.1-06). */
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

/* The client's socket became TCP before the handshake, so its SYN had no SMC
 * option.
 */
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

/* Checks that a listener serves clients that use fast open and clients that do
 * not.
 */
static void fastopen_after_listen_client(void)
{
	struct sockaddr_storage ss;
	socklen_t len = server_addr(ctl_wait_u64("PORT"), &ss);
	char buf[5];
	int i, fd;

	/* The first client gets the cookie for the second client. */
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

/* Checks that a program cannot set a TCP ULP on an SMC socket, and cannot set
 * the ULP "smc" on any socket.
 */
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

/* Checks that a fallen-back socket accepts TCP features: kTLS. */
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

/* Checks that a fallen-back listener that has ended is none any more. */
static void listener_ends_client(void)
{
	ctl_wait_u64("ENDED");
}

static void listener_ends_server(void)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fd = new_socket(0);

	set_int(fd, IPPROTO_TCP, TCP_FASTOPEN, 5);
	bind_any(fd, 0);
	OK(listen(fd, 5));
	RETURNS(1, get_int(fd, SOL_SOCKET, SO_ACCEPTCONN));
	OK(shutdown(fd, SHUT_RD));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ACCEPTCONN));
	OK(listen(fd, 5));
	RETURNS(1, get_int(fd, SOL_SOCKET, SO_ACCEPTCONN));
	OK(connect(fd, &none, sizeof(none)));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_ACCEPTCONN));
	close(fd);
	ctl_send_u64("ENDED", 2);
}

/*
 * Checks that a fallen-back socket still reports a reset after a listen() that
 * failed, as it must on a connected socket.
 */
static void listen_client(void)
{
	int fd = new_socket(0);

	OK(connect_fd(fd, ctl_wait_u64("PORT")));
	FAILS(EINVAL, listen(fd, 1));
	ctl_send("RESET");
	await(fd, POLLERR, 5000);
	RETURNS(ECONNRESET, get_int(fd, SOL_SOCKET, SO_ERROR));
	ctl_sync("OVER");
}

static void listen_server(void)
{
	struct linger reset = { .l_onoff = 1 };
	uint16_t port;
	int lfd, fd;

	cfg.family = family_is_v6(cfg.family) ? FAMILY_TCP6 : FAMILY_TCP;
	lfd = new_listener(1, &port);
	ctl_send_u64("PORT", port);
	fd = accept_from(lfd);
	ctl_wait("RESET");
	OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)));
	close(fd);
	ctl_sync("OVER");
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
 * Checks that a notice on the error queue is not an error, and does not hide
 * the error that follows.
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
		/* each send() causes a notice, until the reset arrives */
		do {
			n = send(fd, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
			if (n == 1)
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

static const struct peer_case fallback_cases[] = {
	{ "fastopen_send", fastopen_send_client, fastopen_server },
	{ "fastopen_connect", fastopen_connect_client, fastopen_server },
	{ "fastopen_listener", fastopen_listener_client, fastopen_listener_server },
	{ "fastopen_after_listen", fastopen_after_listen_client,
	  fastopen_after_listen_server },
	{ "reset_after_notice", notice_client, notice_server },
	{ "ulp_refused", ulp_client, take_one },
	{ "error_after_listen", listen_client, listen_server },
	{ "listener_ends", listener_ends_client, listener_ends_server },
	{ "ktls_after_fallback", ktls_client, ktls_server },
};

CASE_GROUP(group_fallback, fallback);
