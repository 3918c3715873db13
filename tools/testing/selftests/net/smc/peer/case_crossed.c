// SPDX-License-Identifier: GPL-2.0
/*
 * Two sockets that connect to each other. The script delays packets, so that
 * both SYNs are under way at once.
 */
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	BYTES = 20000,
	CONNECT_MS = 20000,
	DELAY_MS = 100,		/* the delay of each packet, see crossed.sh */
	TRIES = 50,
};

static void exchange(int from, int to, unsigned int id)
{
	struct stream out, in;

	stream_init(&out, id);
	stream_init(&in, id);
	send_stream(from, &out, BYTES, BYTES);
	set_nonblock(to, false);
	recv_stream(to, &in, BYTES, BYTES);
	set_nonblock(to, true);
}

/* Returns whether both SYNs were under way at once, which is certain if both
 * calls of connect() took less time than the first SYN. They take longer if the
 * host was stopped in between.
 */
static bool start_crosswise(const int *fds)
{
	uint64_t start = now_ms();
	int i;

	for (i = 0; i < 2; i++)
		FAILS(EINPROGRESS, connect_fd(fds[i], local_port(fds[!i])));
	return now_ms() - start < DELAY_MS;
}

static void connect_crosswise(int *fds)
{
	int i, n;

	for (n = 0;; n++) {
		CHECK(n < TRIES, "connect() takes longer than a packet");
		for (i = 0; i < 2; i++) {
			fds[i] = OK(new_socket_of(i ? cfg.peer_family :
						  cfg.family, SOCK_NONBLOCK));
			bind_any(fds[i], 0);
		}
		if (start_crosswise(fds))
			break;
		close(fds[0]);
		close(fds[1]);
	}
	for (i = 0; i < 2; i++) {
		await(fds[i], POLLOUT, CONNECT_MS);
		RETURNS(0, get_int(fds[i], SOL_SOCKET, SO_ERROR));
	}
}

static void crossed(void)
{
	int fds[2], i, n;
	char c;

	for (n = 0; n < 3; n++) {
		connect_crosswise(fds);
		exchange(fds[0], fds[1], 0);
		exchange(fds[1], fds[0], 1);
		for (i = 0; i < 2; i++) {
			FAILS(EAGAIN, recv(fds[i], &c, 1, 0));
			if (family_is_smc(i ? cfg.peer_family : cfg.family))
				check_mode(fds[i]);
		}
		RETURNS(0, shutdown(fds[0], SHUT_WR));
		AWAIT(fds[1], POLLIN);
		RETURNS(0, recv(fds[1], &c, 1, 0));
		close(fds[1]);
		close(fds[0]);
	}
}

static const struct peer_case crossed_cases[] = {
	{ "crossed", crossed, NULL, 60 },
};

const struct case_group group_crossed = {
	"crossed", crossed_cases, ARRAY_SIZE(crossed_cases), .by_name_only = true
};
