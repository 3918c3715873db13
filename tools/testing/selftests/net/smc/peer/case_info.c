// SPDX-License-Identifier: GPL-2.0
/*
 * TCP_INFO describes the connection that carries the data, and SMC_INFO
 * describes its path.
 */
#include <linux/smc.h>
#include <linux/tcp.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	BYTES = 100000,
	ANSWER = 1000,
	/* states of the kernel */
	ESTABLISHED = 1,
	FIN_WAIT2 = 5,
	CLOSED = 7,
	CLOSE_WAIT = 8,
};

static struct tcp_info info_of(int fd)
{
	struct tcp_info info = {};
	socklen_t len = sizeof(info);

	OK(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len));
	CHECK(len <= sizeof(info) && len > offsetof(struct tcp_info,
						    tcpi_bytes_sent),
	      "TCP_INFO has %u bytes", len);
	return info;
}

static void await_state(int fd, int state)
{
	uint64_t until = now_ms() + patience(5000);
	struct tcp_info info = info_of(fd);

	while (info.tcpi_state != state && now_ms() < until) {
		sleep_ms(1);
		info = info_of(fd);
	}
	RETURNS(state, info.tcpi_state);
}

/* TCP counts the SYN and the FIN, too. */
static void expect_near(const char *what, uint64_t is, uint64_t want)
{
	CHECK(is >= want && is <= want + 2, "%s: %llu, not %llu", what,
	      (unsigned long long)is, (unsigned long long)want);
}

static void info_client(void)
{
	struct stream out, in;
	uint64_t until = now_ms() + patience(5000);
	struct tcp_info info;
	int fd = meet();
	socklen_t len = 4;

	stream_init(&out, 0);
	stream_init(&in, 1);
	RETURNS(ESTABLISHED, info_of(fd).tcpi_state);
	send_stream(fd, &out, BYTES, BYTES);
	recv_stream(fd, &in, ANSWER, ANSWER);
	while (outq(fd) && now_ms() < until)
		sleep_ms(1);
	info = info_of(fd);
	RETURNS(ESTABLISHED, info.tcpi_state);
	expect_near("bytes acked", info.tcpi_bytes_acked, BYTES);
	CHECK(info.tcpi_bytes_sent >= BYTES, "%llu bytes sent",
	      (unsigned long long)info.tcpi_bytes_sent);
	expect_near("bytes received", info.tcpi_bytes_received, ANSWER);
	RETURNS(0, info.tcpi_notsent_bytes);
	RETURNS(0, info.tcpi_unacked);
	CHECK(info.tcpi_segs_out >= info.tcpi_data_segs_out &&
	      info.tcpi_data_segs_out, "%u segments, %u with data",
	      info.tcpi_segs_out, info.tcpi_data_segs_out);
	CHECK(info.tcpi_segs_in >= info.tcpi_data_segs_in &&
	      info.tcpi_data_segs_in, "%u segments in, %u with data",
	      info.tcpi_segs_in, info.tcpi_data_segs_in);
	CHECK(info.tcpi_rtt && info.tcpi_min_rtt, "rtt %u, at least %u",
	      info.tcpi_rtt, info.tcpi_min_rtt);
	CHECK(info.tcpi_rcv_space, "no room to receive");
	/* a short buffer gets the first members */
	memset(&info, 0xee, sizeof(info));
	OK(getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len));
	RETURNS(4, len);
	RETURNS(ESTABLISHED, info.tcpi_state);
	RETURNS(0xeeeeeeee, info.tcpi_rto);
	FAILS(EFAULT, getsockopt(fd, IPPROTO_TCP, TCP_INFO, (void *)8, &len));

	RETURNS(0, shutdown(fd, SHUT_WR));
	await_state(fd, FIN_WAIT2);
	ctl_sync("SHUT");
	expect_end(fd);
	await_state(fd, CLOSED);
	ctl_sync("OVER");
	close(fd);
}

static void info_server(void)
{
	struct stream out, in;
	int fd = meet();

	stream_init(&out, 1);
	stream_init(&in, 0);
	recv_stream(fd, &in, BYTES, BYTES);
	expect_near("bytes received", info_of(fd).tcpi_bytes_received, BYTES);
	send_stream(fd, &out, ANSWER, ANSWER);
	ctl_sync("SHUT");
	expect_end(fd);
	RETURNS(CLOSE_WAIT, info_of(fd).tcpi_state);
	RETURNS(0, shutdown(fd, SHUT_WR));
	ctl_sync("OVER");
	close(fd);
}

enum {
	MIN_ELEMENT = 16384,
};

#define SOL_SMC	286

static struct smc_info smc_info_of(int fd)
{
	struct smc_info info;
	socklen_t len = sizeof(info);

	OK(getsockopt(fd, SOL_SMC, SMC_INFO, &info, &len));
	RETURNS(sizeof(info), len);
	return info;
}

/* Checks the members that depend on the mode of a connection. */
static void judge_path(const struct smc_info *info)
{
	static const uint8_t no_gid[16];

	CHECK(info->version == 1 || info->version == 2, "version %u",
	      info->version);
	CHECK(info->group, "no group");
	/* as in SMC_A_LGR_ID, whose low byte is for the number of a link */
	CHECK(!(info->group & 0xff), "group %08x", info->group);
	CHECK(info->token, "no token");
	/* with ELASTIC only a connection that needs it has an element */
	if (!(info->ext_caps & SMC_EXT_CAP_ELASTIC))
		CHECK(info->rcv_element >= MIN_ELEMENT &&
		      info->snd_element >= MIN_ELEMENT,
		      "elements have %u and %u bytes", info->rcv_element,
		      info->snd_element);
	RETURNS(0, info->reason);
	RETURNS(0, info->peer_reason);
	if (info->path == SMC_INFO_PATH_INHOST)
		return;
	RETURNS(SMC_INFO_PATH_RDMA, info->path);
	CHECK(info->device[0] && info->port && info->link,
	      "device '%s', port %u, link %u", info->device, info->port,
	      info->link);
	CHECK(memcmp(info->gid, no_gid, 16), "no GID");
	CHECK(memcmp(info->peer_gid, no_gid, 16), "no GID of the peer");
}

static void judge_mode(const struct smc_info *info, int role)
{
	switch (cfg.own.mode) {
	case MODE_TCP:
		RETURNS(SMC_INFO_MODE_TCP, info->mode);
		RETURNS(SMC_INFO_PATH_NONE, info->path);
		RETURNS(0, info->group);
		if (cfg.own.check_reason) {
			RETURNS(cfg.own.reason, info->reason);
			RETURNS(cfg.own.diagnosis, info->peer_reason);
		}
		return;
	case MODE_INHOST:
		RETURNS(SMC_INFO_PATH_INHOST, info->path);
		break;
	case MODE_SMCR:
		RETURNS(SMC_INFO_PATH_RDMA, info->path);
		break;
	default:
		if (info->mode == SMC_INFO_MODE_TCP)
			return;
		break;
	}
	RETURNS(SMC_INFO_MODE_SMC, info->mode);
	RETURNS(role, info->role);
	judge_path(info);
}

/* Sets SO_RCVBUF. Return: the value that the kernel reports. */
static int set_rcvbuf(int fd, int bytes)
{
	char c;

	set_int(fd, SOL_SOCKET, SO_RCVBUF, bytes);
	/* before Linux 6.7 only the next read takes notice of the option */
	FAILS(EAGAIN, recv(fd, &c, 1, MSG_DONTWAIT));
	return get_int(fd, SOL_SOCKET, SO_RCVBUF);
}

/* Returns the largest SO_RCVBUF that the kernel allows (net.core.rmem_max). */
static int largest_rcvbuf(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), bytes;

	OK(fd);
	set_int(fd, SOL_SOCKET, SO_RCVBUF, 8 * MIB);
	bytes = get_int(fd, SOL_SOCKET, SO_RCVBUF);
	close(fd);
	return bytes;
}

/* Checks that SO_RCVBUF of a connection is what the kernel uses. The frames of
 * the extension may use less than the element, RFC 7609 not.
 */
static void rcvbuf_client(void)
{
	int fd = meet(), least, most, largest = largest_rcvbuf();
	struct smc_info info = smc_info_of(fd);
	struct stream in;

	if (info.mode == SMC_INFO_MODE_TCP)
		skip_case("the connection uses TCP");
	most = info.ext_caps & SMC_EXT_CAP_ELASTIC ?
	       max_of(largest, get_int(fd, SOL_SOCKET, SO_RCVBUF)) :
	       (int)(2 * info.rcv_element);
	CHECK(get_int(fd, SOL_SOCKET, SO_RCVBUF) <= most, "SO_RCVBUF is %d",
	      get_int(fd, SOL_SOCKET, SO_RCVBUF));
	if (info.ext_caps && most > largest)
		most = largest;
	RETURNS(most, set_rcvbuf(fd, 8 * MIB));
	least = set_rcvbuf(fd, 5000);
	CHECK(least > 5000 && least <= most, "SO_RCVBUF 5000 is %d", least);
	if (!info.ext_caps)
		RETURNS(most, least);
	RETURNS(least, set_rcvbuf(fd, 5000));
	RETURNS(most, set_rcvbuf(fd, most / 2));
	ctl_sync("SET");
	stream_init(&in, 1);
	recv_stream(fd, &in, BYTES, BYTES);
	CHECK(set_rcvbuf(fd, 5000) <= most, "SO_RCVBUF 5000 is %d",
	      get_int(fd, SOL_SOCKET, SO_RCVBUF));
	close(fd);
}

static void rcvbuf_server(void)
{
	int fd = meet();
	struct stream out;

	ctl_sync("SET");
	stream_init(&out, 1);
	send_stream(fd, &out, BYTES, BYTES);
	expect_end(fd);
	close(fd);
}

enum {
	LARGE = 8 * MIB,
	GONE_MS = 20000,
};

static void await_no_element(int fd)
{
	uint64_t until = now_ms() + patience(GONE_MS);

	while (smc_info_of(fd).rcv_element || smc_info_of(fd).snd_element) {
		CHECK(now_ms() < until, "elements of %u and %u bytes stay",
		      smc_info_of(fd).rcv_element, smc_info_of(fd).snd_element);
		sleep_ms(50);
	}
}

/* Skips the case if the peer does not write to elements that return. */
static void needs_elastic(int fd)
{
	struct smc_info info = smc_info_of(fd);

	if (!(info.ext_caps & SMC_EXT_CAP_ELASTIC))
		skip_case("elements are not elastic");
	if (info.path == SMC_INFO_PATH_INHOST)
		skip_case("within a host bytes move without elements");
}

/*
 * Checks that a connection has no element at its start, gets one for a large
 * stream, and gives it back when it is quiet. Then the connection works as
 * before.
 */
static void element_client(void)
{
	int fd = meet(), i;
	struct stream in;

	needs_elastic(fd);
	await_no_element(fd);
	stream_init(&in, 1);
	for (i = 0; i < 3; i++) {
		ctl_sync("QUIET");
		recv_stream(fd, &in, LARGE, 128 * KIB);
		CHECK(smc_info_of(fd).rcv_element >= MIN_ELEMENT, "no element");
		await_no_element(fd);
	}
	ctl_sync("OVER");
	close(fd);
}

static void element_server(void)
{
	int fd = meet(), i;
	struct stream out;

	needs_elastic(fd);
	stream_init(&out, 1);
	for (i = 0; i < 3; i++) {
		ctl_sync("QUIET");
		send_stream(fd, &out, LARGE, 128 * KIB);
	}
	ctl_sync("OVER");
	close(fd);
}

/* Calls with wrong arguments, and a buffer of another size. */
static void odd_info_calls(int fd)
{
	struct {
		struct smc_info info;
		char more[8];
	} large;
	socklen_t len = sizeof(large);
	int value = 1;

	OK(getsockopt(fd, SOL_SMC, SMC_INFO, &large, &len));
	RETURNS(sizeof(large.info), len);
	memset(&large, 0xee, sizeof(large));
	len = 1;
	OK(getsockopt(fd, SOL_SMC, SMC_INFO, &large, &len));
	RETURNS(1, len);
	RETURNS(0xee, large.info.path);
	len = sizeof(large);
	FAILS(EFAULT, getsockopt(fd, SOL_SMC, SMC_INFO, (void *)8, &len));
	FAILS(EFAULT, getsockopt(fd, SOL_SMC, SMC_INFO, &large, (void *)8));
	len = -1;
	FAILS(EINVAL, getsockopt(fd, SOL_SMC, SMC_INFO, &large, &len));
	FAILS(EOPNOTSUPP,
	      setsockopt(fd, SOL_SMC, SMC_INFO, &value, sizeof(value)));
	len = sizeof(large);
	FAILS(EOPNOTSUPP,
	      getsockopt(fd, SOL_SMC, SMC_INFO + 1, &large, &len));
}

static void no_connection(void)
{
	struct smc_info info, none = {};
	uint16_t port;
	int fd;

	fd = new_socket(0);
	info = smc_info_of(fd);
	CHECK(!memcmp(&info, &none, sizeof(info)), "a new socket has info");
	odd_info_calls(fd);
	close(fd);
	fd = new_listener(1, &port);
	info = smc_info_of(fd);
	CHECK(!memcmp(&info, &none, sizeof(info)), "a listener has info");
	close(fd);
}

static void smc_info_client(void)
{
	struct smc_info info;
	int fd;

	if (family_is_smc(cfg.family))
		no_connection();
	fd = meet();
	if (family_is_smc(cfg.family)) {
		info = smc_info_of(fd);
		judge_mode(&info, 0);
		odd_info_calls(fd);
	}
	ctl_sync("TOLD");
	close(fd);
}

static void smc_info_server(void)
{
	struct smc_info info;
	int fd = meet();

	if (family_is_smc(cfg.family)) {
		info = smc_info_of(fd);
		judge_mode(&info, 1);
	}
	ctl_sync("TOLD");
	close(fd);
}

static const struct peer_case info_cases[] = {
	{ "tcp_info", info_client, info_server },
	{ "smc_info", smc_info_client, smc_info_server },
	{ "element_returns", element_client, element_server, .smc_only = true },
	{ "so_rcvbuf_told", rcvbuf_client, rcvbuf_server, .smc_only = true },
};

CASE_GROUP(group_info, info);
