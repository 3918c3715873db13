// SPDX-License-Identifier: GPL-2.0
/*
 * Makes calls wait in a page fault while they hold the socket's lock. The case
 * decides through userfaultfd when the page fault ends. Meanwhile all work for
 * such a socket waits for the lock. Other sockets must not wait. More calls are
 * stuck than a workqueue runs works at a time. Both ends of the connections are
 * in one process.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "socket_list.h"
#include "util.h"

enum {
	STUCK = 280,		/* a workqueue runs 256 works at a time */
	ROUNDS = 4,
	WAIT_MS = 15000,
	RCU_BARRIER = 1,	/* MEMBARRIER_CMD_GLOBAL */
};

/* An array of pages that do not exist yet. Before each of them is a page that
 * exists.
 */
static struct {
	int fd;
	char *base;
	size_t page;
} trap;

/* Address of page @i, which no other code may touch. */
static char *trap_at(int i)
{
	return trap.base + (2 * i + 1) * trap.page;
}

static void trap_set(int nr)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int i;

	/* poll() works on the descriptor only if it is nonblocking. */
	trap.fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (trap.fd < 0)
		skip_case("no userfaultfd: %s", strerrorname(errno));
	OK(ioctl(trap.fd, UFFDIO_API, &api));
	trap.page = sysconf(_SC_PAGESIZE);
	trap.base = mmap(NULL, 2 * nr * trap.page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(trap.base != MAP_FAILED, "mmap: %s", strerrorname(errno));
	/*
	 * Without this call one huge page could make all pages exist at once,
	 * if the mapping happens to contain an aligned one. A kernel without
	 * huge pages returns EINVAL.
	 */
	if (madvise(trap.base, 2 * nr * trap.page, MADV_NOHUGEPAGE) < 0)
		CHECK(errno == EINVAL, "madvise: %s", strerrorname(errno));
	for (i = 0; i < nr; i++) {
		trap_at(i)[-1] = 0;
		reg.range.start = (uintptr_t)trap_at(i);
		reg.range.len = trap.page;
		OK(ioctl(trap.fd, UFFDIO_REGISTER, &reg));
	}
}

/* Waits until @nr threads are in their page faults. */
static void trap_await(int nr)
{
	struct uffd_msg msg;

	while (nr--) {
		await(trap.fd, POLLIN, WAIT_MS);
		RETURNS(sizeof(msg), read(trap.fd, &msg, sizeof(msg)));
	}
}

static void trap_open(int nr)
{
	struct uffdio_zeropage zero = { .range.len = trap.page };
	int i;

	for (i = 0; i < nr; i++) {
		zero.range.start = (uintptr_t)trap_at(i);
		OK(ioctl(trap.fd, UFFDIO_ZEROPAGE, &zero));
	}
}

struct stuck {
	struct task task;
	int fd;
	int peer;
	char *at;
};

static struct stuck stuck[STUCK];

static int stuck_send(void *arg)
{
	struct stuck *s = arg;

	return send(s->fd, s->at, 1, MSG_NOSIGNAL);
}

/* The kernel reads the second word while it holds the lock. */
static int stuck_option(void *arg)
{
	struct stuck *s = arg;

	return setsockopt(s->fd, SOL_SOCKET, SO_LINGER, s->at - sizeof(int),
			  sizeof(struct linger));
}

static void stick(int i, int (*how)(void *arg))
{
	stuck[i].at = trap_at(i);
	task_start(&stuck[i].task, how, &stuck[i]);
}

static void join_all(int nr)
{
	int i;

	trap_open(nr);
	for (i = 0; i < nr; i++)
		task_join(&stuck[i].task);
}

/*
 * Opens and closes connections, and lets the timer of MSG_MORE expire. Each
 * round is longer than an RCU grace period. So at the end of a round the works
 * of all stuck sockets have begun.
 */
static void others_go_on(void)
{
	uint16_t port;
	int lfd = new_listener(8, &port);
	int i, a, b;

	for (i = 0; i < ROUNDS; i++) {
		OK(syscall(SYS_membarrier, RCU_BARRIER, 0, 0));
		a = connect_to(port);
		b = accept_from(lfd);
		RETURNS(2, send(a, "ab", 2, MSG_MORE));
		await(b, POLLIN, WAIT_MS);
		recv_text(b, "ab");
		RETURNS(0, shutdown(a, SHUT_WR));
		expect_end(b);
		close(b);
		expect_end(a);
		close(a);
	}
	close(lfd);
}

/* Opens connections whose senders are stuck. Return: their listener. */
static int stick_senders(struct setting *rmem)
{
	uint16_t port;
	int i, lfd;

	setting_keep(rmem, "/proc/sys/net/smc/rmem");
	setting_change(rmem, "16384");
	trap_set(STUCK);
	lfd = new_listener(8, &port);
	for (i = 0; i < STUCK; i++) {
		stuck[i].fd = connect_to(port);
		stuck[i].peer = accept_from(lfd);
		stick(i, stuck_send);
	}
	trap_await(STUCK);
	return lfd;
}

/* Senders are stuck while their peers abort. */
static void send_abort(void)
{
	struct linger none = { .l_onoff = 1 };
	struct setting rmem;
	int i, lfd;

	lfd = stick_senders(&rmem);
	for (i = 0; i < STUCK; i++) {
		OK(setsockopt(stuck[i].peer, SOL_SOCKET, SO_LINGER, &none,
			      sizeof(none)));
		close(stuck[i].peer);
	}
	for (i = 0; i < STUCK; i++)
		await(stuck[i].fd, POLLHUP, WAIT_MS);
	others_go_on();
	join_all(STUCK);
	for (i = 0; i < STUCK; i++) {
		RETURNS(-1, send(stuck[i].fd, "x", 1, MSG_NOSIGNAL));
		close(stuck[i].fd);
	}
	close(lfd);
	setting_restore(&rmem);
}

/* The queue of a TCP listener is full, so the client's TCP tries again after a
 * second.
 */
static int full_listener(uint16_t *port, int *filler)
{
	int lfd = new_socket_of(FAMILY_TCP, SOCK_CLOEXEC);

	bind_any(lfd, 0);
	OK(listen(lfd, 0));
	*port = local_port(lfd);
	*filler = new_socket_of(FAMILY_TCP, SOCK_CLOEXEC);
	OK(connect_fd(*filler, *port));
	return lfd;
}

/* setsockopt() of several sockets is stuck while their handshakes continue. */
static void option_connect(void)
{
	uint16_t port;
	int filler, i, lfd;

	trap_set(STUCK);
	lfd = full_listener(&port, &filler);
	for (i = 0; i < STUCK; i++) {
		stuck[i].fd = new_socket(SOCK_NONBLOCK | SOCK_CLOEXEC);
		FAILS(EINPROGRESS, connect_fd(stuck[i].fd, port));
		stick(i, stuck_option);
	}
	trap_await(STUCK);
	OK(listen(lfd, 4 * STUCK));
	for (i = 0; i <= STUCK; i++) {
		await(lfd, POLLIN, WAIT_MS);
		close(OK(accept(lfd, NULL, NULL)));
	}
	others_go_on();
	join_all(STUCK);
	for (i = 0; i < STUCK; i++) {
		await(stuck[i].fd, POLLIN | POLLHUP, WAIT_MS);
		close(stuck[i].fd);
	}
	close(filler);
	close(lfd);
}

static int stuck_connect(void *arg)
{
	return connect_to(*(uint16_t *)arg);
}

/* setsockopt() of a listener is stuck while a client connects; afterwards the
 * listener serves the client.
 */
static void option_accept(void)
{
	struct task client;
	uint16_t port;
	int fd;

	trap_set(1);
	stuck[0].fd = new_listener(8, &port);
	stick(0, stuck_option);
	trap_await(1);
	task_start(&client, stuck_connect, &port);
	others_go_on();
	CHECK(!client.over, "connected to a listener whose lock is taken");
	join_all(1);
	fd = accept_from(stuck[0].fd);
	close(task_join(&client));
	expect_end(fd);
	close(fd);
	close(stuck[0].fd);
}

/* A reader is stuck in setsockopt(). Meanwhile an urgent byte arrives, with
 * unread bytes before it.
 */
static void option_urgent(void)
{
	uint16_t port;
	int lfd, fd;
	char buf[4];

	trap_set(1);
	lfd = new_listener(8, &port);
	fd = connect_to(port);
	stuck[0].fd = accept_from(lfd);
	stick(0, stuck_option);
	trap_await(1);
	send_oob(fd, "abc");
	RETURNS(3, send(fd, "def", 3, 0));
	others_go_on();
	join_all(1);
	/* The reader has not read yet. As with TCP, the sender continues
	 * nevertheless.
	 */
	await_bytes(stuck[0].fd, 2);
	while (unsent(fd))
		sleep_ms(1);
	expect_oob(stuck[0].fd, 'c');
	RETURNS(2, recv(stuck[0].fd, buf, sizeof(buf), 0));
	recv_text(stuck[0].fd, "def");
	close(fd);
	close(stuck[0].fd);
	close(lfd);
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	OK(fstat(fd, &st));
	return st.st_ino;
}

/* Counts the entries of @list for this socket; if @known is set, only in-host
 * entries.
 */
static int listed(const struct listed_socket *list, size_t nr, int fd,
		  bool known)
{
	uint64_t inode = inode_of(fd);
	int n = 0;

	while (nr--)
		n += list[nr].inode == inode && list[nr].in_host == known;
	return n;
}

/* Checks that the list contains all sockets, whatever calls are stuck on them,
 * and the program that reads the list does not wait.
 */
static void send_list(void)
{
	struct listed_socket *list;
	struct setting rmem;
	int i, lfd;
	size_t nr;

	lfd = stick_senders(&rmem);
	RETURNS(0, socket_list(&list, &nr));
	for (i = 0; i < STUCK; i++) {
		RETURNS(1, listed(list, nr, stuck[i].fd, false));
		RETURNS(1, listed(list, nr, stuck[i].peer, true));
	}
	free(list);
	join_all(STUCK);
	RETURNS(0, socket_list(&list, &nr));
	for (i = 0; i < STUCK; i++) {
		RETURNS(1, listed(list, nr, stuck[i].fd, true));
		close(stuck[i].fd);
		close(stuck[i].peer);
	}
	free(list);
	close(lfd);
	setting_restore(&rmem);
}

/* After a fallback, a sender holds the lock of the TCP socket while it is
 * stuck.
 */
static void tcp_list(void)
{
	int lfd = new_socket_of(FAMILY_TCP, SOCK_CLOEXEC);
	struct listed_socket *list;
	size_t nr;

	bind_any(lfd, 0);
	OK(listen(lfd, 1));
	trap_set(1);
	stuck[0].fd = connect_to(local_port(lfd));
	stuck[0].peer = OK(accept(lfd, NULL, NULL));
	stick(0, stuck_send);
	trap_await(1);
	RETURNS(0, socket_list(&list, &nr));
	RETURNS(1, listed(list, nr, stuck[0].fd, false));
	free(list);
	join_all(1);
	await_bytes(stuck[0].peer, 1);
	close(stuck[0].fd);
	close(stuck[0].peer);
	close(lfd);
}

static const struct peer_case stuck_cases[] = {
	{ "stuck_tcp_list", tcp_list, .smc_only = true },
	{ "stuck_send_list", send_list, .limit_s = 60, .smc_only = true },
	{ "stuck_send_abort", send_abort, .limit_s = 60, .smc_only = true },
	{ "stuck_option_connect", option_connect, .limit_s = 60, .smc_only = true },
	{ "stuck_option_accept", option_accept, .smc_only = true },
	{ "stuck_option_urgent", option_urgent, .smc_only = true },
};

const struct case_group group_stuck = {
	"stuck", stuck_cases, ARRAY_SIZE(stuck_cases), .by_name_only = true
};
