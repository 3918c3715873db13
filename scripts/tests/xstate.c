// SPDX-License-Identifier: GPL-2.0
/*
 * A preload library that pretends a larger processor state: FORGED_XSTATE
 * bytes, as on a processor with AMX. Like the kernel, it returns at most that
 * many bytes, and accepts exactly that many or none.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

typedef long (*ptrace_fn)(int, pid_t, void *, void *);

static size_t forged_size(void)
{
	const char *text = getenv("FORGED_XSTATE");

	return text ? strtoul(text, NULL, 10) : 0;
}

static long get_state(ptrace_fn real, pid_t pid, void *kind, struct iovec *iov)
{
	size_t size = forged_size();
	size_t wanted = iov->iov_len < size ? iov->iov_len : size;
	long err = real(PTRACE_GETREGSET, pid, kind, iov);

	if (err || iov->iov_len >= wanted)
		return err;
	memset((char *)iov->iov_base + iov->iov_len, 0, wanted - iov->iov_len);
	iov->iov_len = wanted;
	return 0;
}

static long set_state(ptrace_fn real, pid_t pid, void *kind, struct iovec *iov)
{
	if (iov->iov_len < forged_size()) {
		errno = EFAULT;
		return -1;
	}
	return real(PTRACE_SETREGSET, pid, kind, iov);
}

long ptrace(enum __ptrace_request request, ...)
{
	ptrace_fn real = (ptrace_fn)dlsym(RTLD_NEXT, "ptrace");
	void *addr, *data;
	va_list args;
	pid_t pid;

	va_start(args, request);
	pid = va_arg(args, pid_t);
	addr = va_arg(args, void *);
	data = va_arg(args, void *);
	va_end(args);

	if ((unsigned long)addr == NT_X86_XSTATE) {
		if (request == PTRACE_GETREGSET)
			return get_state(real, pid, addr, data);
		if (request == PTRACE_SETREGSET)
			return set_state(real, pid, addr, data);
	}
	return real(request, pid, addr, data);
}
