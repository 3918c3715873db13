// SPDX-License-Identifier: GPL-2.0
/* SO_TIMESTAMP and similar options: the time of arrival. */
#include <time.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	STAMPING = 2,	/* index of SO_TIMESTAMPING in kinds */
};

/* An option, and the control message that it gives. */
static const struct {
	int option;
	int value;
	int type;
	bool micro;
} kinds[] = {
	{ SO_TIMESTAMP, 1, SCM_TIMESTAMP, true },
	{ SO_TIMESTAMPNS, 1, SCM_TIMESTAMPNS, false },
	[STAMPING] = {
		SO_TIMESTAMPING,
		SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE,
		SCM_TIMESTAMPING, false
	},
};

static uint64_t real_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000ULL + ts.tv_nsec / 1000;
}

/* Receives a byte. Return: its time in microseconds; 0: it has none. */
static uint64_t recv_stamped(int fd, size_t kind)
{
	char control[256], byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	const struct cmsghdr *c;
	long at[2];

	RETURNS(1, recvmsg(fd, &msg, 0));
	for (c = CMSG_FIRSTHDR(&msg); c;
	     c = CMSG_NXTHDR(&msg, (struct cmsghdr *)c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		RETURNS(kinds[kind].type, c->cmsg_type);
		memcpy(at, CMSG_DATA(c), sizeof(at));
		return at[0] * 1000000ULL +
		       (kinds[kind].micro ? at[1] : at[1] / 1000);
	}
	return 0;
}

/* TCP records no times until the kernel has patched its code in the background,
 * so the peer sends bytes until one of them has a time.
 */
static void stamp_client(void)
{
	uint64_t before, at = 0, until = now_ms() + patience(5000);
	int fd = meet();
	size_t kind;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		set_int(fd, SOL_SOCKET, kinds[kind].option, kinds[kind].value);
		do {
			before = real_us();
			send_all(fd, "x", 1);
			at = recv_stamped(fd, kind);
			CHECK(at || now_ms() < until, "no time of arrival");
		} while (!at);
		CHECK(at >= before && at <= real_us(),
		      "arrived %lld us after it was sent",
		      (long long)(at - before));
		set_int(fd, SOL_SOCKET, kinds[kind].option, 0);
		send_all(fd, "x", 1);
		RETURNS(0, recv_stamped(fd, kind));
	}
	close(fd);
}

static void stamp_server(void)
{
	int fd = meet();
	char byte;

	while (OK(recv(fd, &byte, 1, 0)))
		send_all(fd, &byte, 1);
	close(fd);
}

static void ask_for_stamps(int fd)
{
	set_int(fd, SOL_SOCKET, SO_TIMESTAMPING, kinds[STAMPING].value);
}

/* Accepted sockets have the option of their listener. */
static void inherits_client(void)
{
	int fd = meet_with(NULL);
	char byte;

	while (OK(recv(fd, &byte, 1, 0)))
		send_all(fd, &byte, 1);
	close(fd);
}

static void inherits_server(void)
{
	uint64_t until = now_ms() + patience(5000);
	int fd = meet_with(ask_for_stamps);

	RETURNS(kinds[STAMPING].value,
		get_int(fd, SOL_SOCKET, SO_TIMESTAMPING));
	do {
		CHECK(now_ms() < until, "no time of arrival");
		send_all(fd, "x", 1);
	} while (!recv_stamped(fd, STAMPING));
	close(fd);
}

/* As on TCP, a socket without a connection has no bytes to number. */
static void numbers_client(void)
{
	int wanted = SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_SOFTWARE |
		     SOF_TIMESTAMPING_RX_SOFTWARE;
	int fd = new_socket(0), lfd;
	uint16_t port;

	if (!setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &wanted,
			sizeof(wanted)) && family_is_smc(cfg.family) &&
	    kernel_before(6, 7))
		skip_case("this kernel asks only TCP");
	FAILS(EINVAL, setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &wanted,
				 sizeof(wanted)));
	RETURNS(0, get_int(fd, SOL_SOCKET, SO_TIMESTAMPING));
	close(fd);
	lfd = new_listener(1, &port);
	FAILS(EINVAL, setsockopt(lfd, SOL_SOCKET, SO_TIMESTAMPING, &wanted,
				 sizeof(wanted)));
	close(lfd);
	fd = meet();
	set_int(fd, SOL_SOCKET, SO_TIMESTAMPING, wanted);
	RETURNS(wanted, get_int(fd, SOL_SOCKET, SO_TIMESTAMPING));
	close(fd);
}

static void numbers_server(void)
{
	int fd = meet();

	expect_end(fd);
	close(fd);
}

static const struct peer_case stamp_cases[] = {
	{ "so_timestamp", stamp_client, stamp_server },
	{ "so_timestamping_inherits", inherits_client, inherits_server },
	{ "so_timestamping_numbers", numbers_client, numbers_server },
};

CASE_GROUP(group_stamp, stamp);
