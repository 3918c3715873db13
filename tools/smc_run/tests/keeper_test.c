// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of keeper.c with a directory in place of a cgroup, whose file
 * cgroup.events says whether there are tasks.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../testing/selftests/net/smc/ktap.h"
#include "keeper.h"

enum {
	WAIT_MS	= 20000,
};

static struct ktap ktap;
static int forks_left = -1;	/* the fork after this number fails */

pid_t fork(void)
{
	typeof(fork) *next = dlsym(RTLD_NEXT, "fork");

	if (forks_left >= 0 && !forks_left--) {
		errno = EAGAIN;
		return -1;
	}
	return next();
}

static void result(const char *name, int passed)
{
	ktap_result(&ktap, passed, name, NULL);
}

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

/* Makes the directory, whose file says that it has tasks, or none. */
static void make_hook(struct hook *h, const char *dir, char populated)
{
	char path[PATH_MAX + 32];
	FILE *f;

	*h = (struct hook){ .map = -1 };
	snprintf(h->cgroup, sizeof(h->cgroup), "%.200s/cgroup", dir);
	if (mkdir(h->cgroup, 0700))
		fail(h->cgroup);
	snprintf(path, sizeof(path), "%s/cgroup.events", h->cgroup);
	f = fopen(path, "w");
	if (!f || fprintf(f, "populated %c\n", populated) < 0 || fclose(f))
		fail(path);
	h->dir = open(h->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	h->link = open("/dev/null", O_RDONLY | O_CLOEXEC);
	h->sock = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (h->dir < 0 || h->link < 0 || h->sock < 0)
		fail("open");
}

/* The keeper cannot remove the directory, which has a file. */
static void remove_hook(struct hook *h)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/cgroup.events", h->cgroup);
	unlink(path);
	rmdir(h->cgroup);
	close(h->dir);
	close(h->link);
	close(h->sock);
}

/* Has a descriptor come to its end, because nobody else has the other one? */
static int ended(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte;

	return poll(&p, 1, WAIT_MS) == 1 && !read(fd, &byte, 1);
}

static void try_forks(const char *dir)
{
	struct hook h;

	make_hook(&h, dir, '0');
	forks_left = 0;
	result("the first fork fails", keeper_start(&h) == -EAGAIN);
	forks_left = 1;
	result("the second fork fails", keeper_start(&h) == -EAGAIN);
	forks_left = -1;
	remove_hook(&h);
}

/* Here the caller does not learn that the second fork has failed. */
static void try_no_keeper(const char *dir)
{
	struct hook h;
	int fd;

	make_hook(&h, dir, '0');
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	forks_left = 1;
	fd = keeper_start(&h);
	result("nobody is there, and no signal ends this process",
	       fd >= 0 && !keeper_begin(fd));
	result("the signal does what it did before",
	       signal(SIGPIPE, SIG_DFL) == SIG_DFL);
	forks_left = -1;
	signal(SIGCHLD, SIG_DFL);
	remove_hook(&h);
}

/* @low: the descriptors of the switch are those of standard files */
static void try_keeper(const char *dir, int low)
{
	int other[2], held[2], fd, saved = dup(STDOUT_FILENO);
	struct hook h;
	int alive;

	if (pipe(other) || pipe(held))
		fail("pipe");
	make_hook(&h, dir, '1');
	close(h.link);
	h.link = held[1];
	if (low) {
		fflush(stdout);
		dup2(held[1], STDOUT_FILENO);
		close(held[1]);
		h.link = STDOUT_FILENO;
	}
	fd = keeper_start(&h);
	close(h.link);
	if (low)
		dup2(saved, STDOUT_FILENO);
	close(saved);
	close(other[1]);
	result("it has no descriptor that it does not need",
	       fd >= 0 && ended(other[0]));
	alive = poll(&(struct pollfd){ .fd = held[0], .events = POLLIN },
		     1, 100) == 0;
	result(low ? "it holds what was a standard file" :
	       "it holds what it needs", alive);
	h.link = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(other[0]);
	if (low) {
		/* without the word to begin, it ends */
		close(fd);
		result("it ends with the process that started it",
		       ended(held[0]));
	} else {
		char path[PATH_MAX + 32];

		snprintf(path, sizeof(path), "%s/cgroup.events", h.cgroup);
		if (truncate(path, 0))
			fail(path);
		keeper_begin(fd);
		result("it ends if no task is left", ended(held[0]));
	}
	close(held[0]);
	remove_hook(&h);
}

/* keeper_test DIRECTORY: prints KTAP; the directory is for files */
int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	ktap_start(&ktap, NULL, 10);
	try_forks(argv[1]);
	try_no_keeper(argv[1]);
	try_keeper(argv[1], 0);
	try_keeper(argv[1], 1);
	return ktap_finish(&ktap);
}
