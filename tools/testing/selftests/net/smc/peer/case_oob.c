// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of urgent data that work with every peer, even if it has another SMC
 * module. More tests check the memory that urgent data needs.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

static volatile sig_atomic_t signals;

static void count_signal(int sig)
{
	(void)sig;
	signals++;
}

/* Checks only the behaviour that applications see with every peer, at both
 * ends.
 */
static void give_plain(int fd)
{
	send_all(fd, "abc", 3);
	send_oob(fd, "dX");
	ctl_sync("TAKEN");
	send_all(fd, "ef", 2);
}

static void take_plain(int fd, bool in_line)
{
	const char *want = in_line ? "abcdXef" : "abcdef";
	size_t before = strlen(want) - 2;
	char buf[8] = "";

	if (in_line)
		await_bytes(fd, before);
	else
		expect_oob(fd, 'X');
	recv_all(fd, buf, before);
	ctl_sync("TAKEN");
	recv_all(fd, buf + before, 2);
	CHECK(!strcmp(buf, want), "got '%s', not '%s'", buf, want);
}

static void plain_taker(void)
{
	struct sigaction sa = { .sa_handler = count_signal,
				.sa_flags = SA_RESTART };
	int fd = meet();

	signals = 0;
	OK(sigaction(SIGURG, &sa, NULL));
	OK(fcntl(fd, F_SETOWN, getpid()));
	ctl_sync("READY");
	take_plain(fd, false);
	CHECK(signals >= 1, "no signal");
	ctl_sync("OVER");
	close(fd);
}

static void plain_in_line_taker(void)
{
	int fd = meet();

	set_int(fd, SOL_SOCKET, SO_OOBINLINE, 1);
	ctl_sync("READY");
	take_plain(fd, true);
	ctl_sync("OVER");
	close(fd);
}

static void plain_giver(void)
{
	int fd = meet();

	ctl_sync("READY");
	give_plain(fd);
	ctl_sync("OVER");
	close(fd);
}

static void say_beyond(int fd, const char *before, const char *urgent,
		       const char *after)
{
	send_all(fd, before, strlen(before));
	send_oob(fd, urgent);
	send_all(fd, after, strlen(after));
}

/*
 * The copy of unread bytes counts as memory of the socket. If the copy is too
 * large, the peer waits until the application has read, and no data is lost.
 * A sender of frames does not wait: an urgent byte does not stop it (F-26).
 */
static void no_memory_client(void)
{
	struct setting memory;
	int fd;

	setting_keep(&memory, "/proc/sys/net/smc/mem");
	fd = meet();
	setting_change(&memory, "0 0 1000000");
	ctl_sync("FULL");
	AWAIT(fd, POLLPRI);
	ctl_sync("WAITS");
	expect_oob(fd, 'X');
	recv_text(fd, "ab");
	recv_text(fd, "c");
	setting_restore(&memory);
	/* With enough memory, the module copies the bytes, and the peer
	 * continues.
	 */
	ctl_sync("GOES ON");
	ctl_sync("WENT");
	expect_oob(fd, 'Y');
	recv_text(fd, "de");
	recv_text(fd, "f");
	ctl_sync("OVER");
	close(fd);
}

static void no_memory_server(void)
{
	uint64_t until = now_ms() + patience(5000);
	uint64_t records = 0;
	int fd = meet();
	int left;

	ctl_sync("FULL");
	if (family_is_smc(cfg.family) && cfg.own.mode != MODE_TCP)
		records = smc_counter("RecordsSent");
	say_beyond(fd, "ab", "X", "c");
	/* TCP may keep any number of bytes. */
	if (family_is_smc(cfg.family) && cfg.own.mode != MODE_TCP)
		while (unsent(fd) > 1 && now_ms() < until)
			sleep_ms(1);
	sleep_ms(quiet(300));
	if (family_is_smc(cfg.family) && cfg.own.mode != MODE_TCP) {
		/* within a host a record needs no memory */
		left = cfg.own.mode != MODE_INHOST &&
		       smc_counter("RecordsSent") == records;
		/* F-26 */
		RETURNS(left, unsent(fd));
	}
	ctl_sync("WAITS");
	ctl_sync("GOES ON");
	say_beyond(fd, "de", "Y", "f");
	until = now_ms() + patience(5000);
	while (unsent(fd) && now_ms() < until)
		sleep_ms(1);
	RETURNS(0, unsent(fd));
	ctl_sync("WENT");
	ctl_sync("OVER");
	close(fd);
}

static const struct peer_case oob_cases[] = {
	{ "oob_plain", plain_taker, plain_giver },
	{ "oob_plain_by_client", plain_giver, plain_taker },
	{ "oob_plain_in_line", plain_in_line_taker, plain_giver },
	{ "oob_plain_in_line_by_client", plain_giver, plain_in_line_taker },
	{ "oob_no_memory", no_memory_client, no_memory_server,
	  .smc_only = true },
};

CASE_GROUP(group_oob, oob);
