// SPDX-License-Identifier: GPL-2.0
/*
 * Three processes, each with vector registers of its own, make system calls,
 * fault pages in, take signals and start children. A register that changes
 * ends the program with status 1.
 */

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 400
#define PAGE 4096

static void on_alarm(int sig)
{
	/* Changes the registers of the code that the signal interrupts. */
	(void)sig;
	__asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\t"
			 "pcmpeqd %%xmm7, %%xmm7\n\t"
			 ::: "xmm0", "xmm7");
}

/* No function is called while the registers hold their values. */
static int keeps(uint64_t value, char *page)
{
	uint64_t low, high;
	long ret = SYS_sched_yield;

	__asm__ volatile("movq %[value], %%xmm0\n\t"
			 "movq %[value], %%xmm7\n\t"
			 "syscall\n\t"
			 "movb $1, (%[page])\n\t"
			 "movq %%xmm0, %[low]\n\t"
			 "movq %%xmm7, %[high]\n\t"
			 : [low] "=&r"(low), [high] "=&r"(high), "+a"(ret)
			 : [value] "r"(value), [page] "r"(page)
			 : "rcx", "r11", "xmm0", "xmm7", "memory");
	return low == value && high == value;
}

static int run(uint64_t seed)
{
	char *pages = mmap(NULL, ROUNDS * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status, i;
	pid_t child;

	if (pages == MAP_FAILED)
		return 0;
	for (i = 0; i < ROUNDS; i++) {
		/* Mostly the same values, as in most programs. */
		if (!keeps(seed + i / 16, pages + i * PAGE))
			return 0;
		if (i % 40)
			continue;
		child = fork();
		if (!child)
			_exit(!keeps(~seed, pages + i * PAGE));
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			return 0;
	}
	return 1;
}

int main(void)
{
	const struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	struct sigaction on = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	int status, failed = 0, i;

	sigaction(SIGALRM, &on, NULL);
	for (i = 0; i < 3; i++) {
		if (fork())
			continue;
		setitimer(ITIMER_REAL, &often, NULL);
		_exit(!run(0x1111111111111111ULL * (i + 1)));
	}
	for (i = 0; i < 3; i++) {
		do {
			if (wait(&status) < 0)
				return 1;
		} while (!WIFEXITED(status) && !WIFSIGNALED(status));
		failed |= status;
	}
	return failed ? 1 : 0;
}
