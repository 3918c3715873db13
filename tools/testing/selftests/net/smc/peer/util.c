// SPDX-License-Identifier: GPL-2.0
#include "util.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>

#include "thread_sleeps.h"

uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

void sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
}

int patience(int ms)
{
	return ms * cfg.slow;
}

int quiet(int ms)
{
	return cfg.slow > 1 ? 2 * ms : ms;
}

uint64_t scaled(uint64_t n, uint64_t least)
{
	return max_of(n / cfg.div, least);
}

uint64_t random_below(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % below;
}

bool kernel_before(int major, int minor)
{
	struct utsname u;
	int is_major, is_minor;

	OK(uname(&u));
	return sscanf(u.release, "%d.%d", &is_major, &is_minor) == 2 &&
	       (is_major < major || (is_major == major && is_minor < minor));
}

int poll_ms(int fd, short events, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	int n;

	do
		n = poll(&pfd, 1, ms);
	while (n < 0 && errno == EINTR);
	return n > 0 ? pfd.revents : 0;
}

int await(int fd, short events, int ms)
{
	uint64_t until = now_ms() + patience(ms), now;
	int got;

	/* poll() returns at once for POLLHUP, and other events may follow it */
	do {
		now = now_ms();
		got = poll_ms(fd, events, until > now ? until - now : 0);
		if (got & events)
			return got;
		sleep_ms(1);
	} while (now < until);
	fail("no event %#x in %d ms, only %#x", events, patience(ms), got);
}

uint64_t smc_counter(const char *name)
{
	FILE *f = fopen("/proc/net/smc_mib", "r");
	unsigned long long value;
	char word[64];

	CHECK(f, "no /proc/net/smc_mib: %s", strerrorname(errno));
	while (fscanf(f, "%63s %llu", word, &value) == 2) {
		if (!strcmp(word, name)) {
			fclose(f);
			return value;
		}
	}
	fail("no counter %s", name);
}

void await_bytes(int fd, int n)
{
	uint64_t until = now_ms() + patience(5000);

	while (inq(fd) < n) {
		if (now_ms() > until)
			fail("%d bytes to read, not %d", inq(fd), n);
		sleep_ms(1);
	}
}

void set_nonblock(int fd, bool on)
{
	int flags = OK(fcntl(fd, F_GETFL));

	flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	OK(fcntl(fd, F_SETFL, flags));
}

void set_int(int fd, int level, int name, int value)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)) < 0)
		fail("setsockopt %d:%d to %d: %s", level, name, value,
		     strerrorname(errno));
}

int get_int(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = 0;

	if (getsockopt(fd, level, name, &value, &len) < 0)
		fail("getsockopt %d:%d: %s", level, name, strerrorname(errno));
	return value;
}

int inq(int fd)
{
	int n = -1;

	OK(ioctl(fd, SIOCINQ, &n));
	return n;
}

int outq(int fd)
{
	int n = -1;

	OK(ioctl(fd, SIOCOUTQ, &n));
	return n;
}

static void *task_main(void *arg)
{
	struct task *t = arg;

	__atomic_store_n(&t->tid, gettid(), __ATOMIC_RELEASE);
	t->result = t->fn(t->arg);
	t->err = errno;
	__atomic_store_n(&t->over, true, __ATOMIC_RELEASE);
	return NULL;
}

void task_start(struct task *t, int (*fn)(void *arg), void *arg)
{
	t->fn = fn;
	t->arg = arg;
	t->tid = 0;
	t->over = false;
	if (pthread_create(&t->thread, NULL, task_main, t))
		fail("no thread");
}

int task_join(struct task *t)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += patience(8000) / 1000;
	if (pthread_timedjoin_np(t->thread, NULL, &until))
		fail("a thread does not come back");
	errno = t->err;
	return t->result;
}

int task_end(struct task *t)
{
	if (pthread_join(t->thread, NULL))
		fail("no thread to wait for");
	errno = t->err;
	return t->result;
}

static void task_not_over(struct task *t)
{
	if (__atomic_load_n(&t->over, __ATOMIC_ACQUIRE))
		fail("a thread returned %d (%s) that should have blocked",
		     t->result, strerrorname(t->err));
}

static bool task_sleeps(struct task *t)
{
	int tid = __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE);

	return tid && thread_sleeps(tid);
}

void task_blocked(struct task *t, int ms)
{
	uint64_t until = now_ms() + patience(5000);

	/* a busy host may run the new thread late */
	while (!task_sleeps(t)) {
		task_not_over(t);
		if (now_ms() > until)
			fail("a thread does not sleep");
		sleep_ms(1);
	}
	sleep_ms(quiet(ms));
	task_not_over(t);
}

int child_start(int (*fn)(void *arg), void *arg)
{
	int pid = OK(fork());

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(fn(arg));
	}
	return pid;
}

int child_wait(int pid)
{
	int status;

	OK(waitpid(pid, &status, 0));
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}
