// SPDX-License-Identifier: GPL-2.0
/*
 * The keeper is a process of smc_run_bpf. It keeps the BPF program attached
 * while the cgroup has tasks.
 */
#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* An older libc lacks this name. The number is the same on all machines. */
#ifndef SYS_close_range
#define SYS_close_range	436
#endif

enum {
	STDIO	= 3,	/* descriptors of standard input, output and error */
	HELD	= 4,
};

/* ---- descriptors ---- */

/* Returns the lowest descriptor of @fd that is at least @from, or UINT_MAX. */
static unsigned int lowest(const int fd[HELD], unsigned int from)
{
	unsigned int i, found = UINT_MAX;

	for (i = 0; i < HELD; i++)
		if ((unsigned int)fd[i] >= from && (unsigned int)fd[i] < found)
			found = fd[i];
	return found;
}

/* Closes all but standard input, output and error, and those of @fd. */
static void close_others(const int fd[HELD])
{
	unsigned int from = STDIO, next;

	do {
		next = lowest(fd, from);
		if (next > from)
			syscall(SYS_close_range, from, next - 1, 0);
		from = next + 1;
	} while (next != UINT_MAX);
}

/*
 * Keeps only what the keeper needs, because a descriptor of COMMAND is a pipe
 * or a lock that somebody waits for.
 */
static bool keep_descriptors(struct hook *h, int *begin)
{
	int *held[HELD] = { begin, &h->dir, &h->link, &h->sock };
	int null, fd[HELD];
	unsigned int i;

	for (i = 0; i < HELD; i++) {
		/* its place may be that of a standard file that is closed */
		if (*held[i] >= 0 && *held[i] < STDIO)
			*held[i] = fcntl(*held[i], F_DUPFD_CLOEXEC, STDIO);
		fd[i] = *held[i];
	}
	close_others(fd);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (i = 0; i < STDIO && null >= 0; i++)
		dup2(null, i);
	return *begin >= 0;
}

/* ---- the process ---- */

static bool has_tasks(int events)
{
	char text[256];
	ssize_t n = pread(events, text, sizeof(text) - 1, 0);

	/* somebody else may have removed the cgroup, which was empty then */
	text[n > 0 ? n : 0] = '\0';
	return n > 0 && !strstr(text, "populated 0");
}

/* Waits until the cgroup has no task left, and removes the cgroup. */
__attribute__((noreturn))
static void keep(const struct hook *hook, int begin)
{
	struct pollfd watch = { .events = POLLPRI };
	struct hook h = *hook;
	char byte;

	setsid();
	signal(SIGHUP, SIG_IGN);
	if (!keep_descriptors(&h, &begin) || chdir("/"))
		_exit(1);
	watch.fd = openat(h.dir, "cgroup.events", O_RDONLY | O_CLOEXEC);
	/* the other process has entered the cgroup, or has failed */
	if (read(begin, &byte, 1) == 1)
		while (watch.fd >= 0 && has_tasks(watch.fd))
			poll(&watch, 1, -1);
	rmdir(h.cgroup);
	_exit(0);
}

/* Forks in the child of a fork. Return: 0 or a negative errno */
static int fork_twice(const struct hook *h, const int begin[2])
{
	int status = 0;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		close(begin[1]);
		pid = fork();
		if (!pid)
			keep(h, begin[0]);
		_exit(pid < 0 ? errno : 0);
	}
	/* if this process ignores SIGCHLD, the status is not known */
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

int keeper_start(const struct hook *h)
{
	int begin[2];
	int err;

	if (pipe2(begin, O_CLOEXEC))
		return -errno;
	err = fork_twice(h, begin);
	close(begin[0]);
	if (!err)
		return begin[1];
	close(begin[1]);
	return err;
}

/* Without a keeper, write() raises SIGPIPE, which must not end this process. */
bool keeper_begin(int fd)
{
	sighandler_t before = signal(SIGPIPE, SIG_IGN);
	bool done = write(fd, "", 1) == 1;

	signal(SIGPIPE, before);
	close(fd);
	return done;
}
