// SPDX-License-Identifier: GPL-2.0
/* TCP_INFO describes the connection that carries the data. */
#include <linux/tcp.h>
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

static const struct peer_case info_cases[] = {
	{ "tcp_info", info_client, info_server },
};

CASE_GROUP(group_info, info);
