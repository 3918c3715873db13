// SPDX-License-Identifier: GPL-2.0
/*
 * smc_run_bpf PRELOAD COMMAND [ARGUMENT]...: runs COMMAND in a cgroup of its
 * own, in which the kernel turns new TCP sockets into SMC sockets. If that is
 * not possible, says why, and runs COMMAND with PRELOAD as LD_PRELOAD.
 *
 * COMMAND keeps the process of smc_run, so its number, its parent and signals
 * stay as they are. A second process, the keeper, holds the BPF program as long
 * as the cgroup has tasks, and then removes both.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>
#include <linux/smc.h>

#include "hook.h"
#include "keeper.h"

#define BTF_PATH	"/sys/kernel/btf/vmlinux"
#define CGROUP_ROOT	"/sys/fs/cgroup"
/* A kernel has some megabytes of BTF. */
#define BTF_MAX		(256 << 20)

/* Says in one line why the program's sockets stay as they are. */
static bool refuse(const char *format, ...)
{
	char why[256];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	fprintf(stderr, "smc_run: --bpf has no effect, because %s\n", why);
	return false;
}

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* ---- the kernel ---- */

static bool has_smc(struct hook *h)
{
	h->sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, SMCPROTO_INET);
	if (h->sock >= 0)
		return true;
	return refuse("the kernel has no IPPROTO_SMC: %s", strerror(errno));
}

/* Returns the bytes, which are never freed, or NULL. */
static void *read_btf(size_t *size)
{
	char *bytes = NULL;
	size_t room = 0;
	ssize_t n = 1;
	int fd;

	fd = open(BTF_PATH, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	for (*size = 0; n > 0; *size += n) {
		if (*size == room) {
			room = room ? 2 * room : 8 << 20;
			bytes = room <= BTF_MAX ? realloc(bytes, room) : NULL;
			if (!bytes)
				break;
		}
		n = read(fd, bytes + *size, room - *size);
		if (n < 0)
			bytes = NULL;
		if (n <= 0)
			break;
	}
	close(fd);
	return bytes;
}

/* Returns the number of the function in BTF, or 0. */
static int find_function(void)
{
	size_t size;
	void *btf = read_btf(&size);
	int id;

	if (!btf) {
		refuse("the kernel has no BTF (%s)", BTF_PATH);
		return 0;
	}
	id = hook_find(btf, size, HOOK_FUNCTION);
	free(btf);
	if (id < 0)
		refuse("the kernel has BTF of an unknown kind");
	else if (!id)
		refuse("the kernel has no hook for new sockets (Linux 6.6 has one)");
	return id < 0 ? 0 : id;
}

/* ---- the cgroup ---- */

/* Writes the path of this process's cgroup of version 2. */
static bool own_cgroup(char *path, size_t size)
{
	char line[PATH_MAX];
	bool found = false;
	struct statfs fs;
	FILE *f;

	f = fopen("/proc/self/cgroup", "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "0::/", 4))
			continue;
		line[strcspn(line, "\n")] = '\0';
		found = snprintf(path, size, CGROUP_ROOT "%s", line + 3) <
			(int)size;
	}
	if (f)
		fclose(f);
	return found && !statfs(path, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

static bool make_cgroup(struct hook *h)
{
	char path[PATH_MAX - 32];
	int n;

	if (!own_cgroup(path, sizeof(path)))
		return refuse("there is no cgroup of version 2 in " CGROUP_ROOT);
	n = snprintf(h->cgroup, sizeof(h->cgroup), "%s/smc_run.%d", path,
		     (int)getpid());
	if (n >= (int)sizeof(h->cgroup) || mkdir(h->cgroup, 0755)) {
		h->cgroup[0] = '\0';
		return refuse("no cgroup can be made in %.100s: %s", path,
			      strerror(errno));
	}
	h->dir = open(h->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return h->dir >= 0 || refuse("%s", strerror(errno));
}

static bool enter_cgroup(const struct hook *h)
{
	int fd = openat(h->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, "0", 1) == 1;

	if (!done)
		refuse("the process cannot enter its cgroup: %s",
		       strerror(errno));
	if (fd >= 0)
		close(fd);
	return done;
}

/* ---- the BPF program ---- */

static bool make_map(struct hook *h)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_CGROUP_ARRAY,
		.key_size = sizeof(__u32),
		.value_size = sizeof(__u32),
		.max_entries = 1,
	};
	__u32 value = h->dir;
	__u32 key = 0;

	h->map = bpf(BPF_MAP_CREATE, &attr);
	if (h->map < 0)
		return refuse("BPF refuses a map: %s", strerror(errno));
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = h->map;
	attr.key = (uintptr_t)&key;
	attr.value = (uintptr_t)&value;
	if (bpf(BPF_MAP_UPDATE_ELEM, &attr))
		return refuse("BPF refuses the cgroup: %s", strerror(errno));
	return true;
}

static bool attach(struct hook *h, int function)
{
	struct bpf_insn insn[HOOK_INSNS];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = BPF_MODIFY_RETURN,
		.attach_btf_id = function,
		.insns = (uintptr_t)insn,
		.license = (uintptr_t)"GPL",
		.prog_name = "smc_run",
	};
	int prog;

	attr.insn_cnt = hook_program(insn, h->map);
	prog = bpf(BPF_PROG_LOAD, &attr);
	if (prog < 0 && errno == EPERM)
		return refuse("BPF needs CAP_BPF and CAP_PERFMON");
	if (prog < 0)
		return refuse("the kernel (without CONFIG_MPTCP?) refuses it: %s",
			      strerror(errno));
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = prog;
	h->link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	if (h->link < 0)
		return refuse("BPF finds no place: %s", strerror(errno));
	close(prog);
	return true;
}

static bool switch_on(struct hook *h)
{
	int function, keeper;

	if (!has_smc(h))
		return false;
	function = find_function();
	if (!function || !make_cgroup(h) || !make_map(h) ||
	    !attach(h, function))
		return false;
	keeper = keeper_start(h);
	if (keeper < 0)
		return refuse("its keeper cannot start: %s", strerror(-keeper));
	if (!enter_cgroup(h))
		return false;
	return keeper_begin(keeper) || refuse("its keeper has ended");
}

int main(int argc, char *argv[])
{
	struct hook h = { .dir = -1, .map = -1, .link = -1, .sock = -1 };
	int err;

	if (argc < 3) {
		fprintf(stderr, "usage: smc_run_bpf PRELOAD COMMAND [ARGUMENT]...\n");
		return 125;
	}
	if (!switch_on(&h)) {
		if (h.cgroup[0])
			rmdir(h.cgroup);
		setenv("LD_PRELOAD", argv[1], 1);
	}
	execvp(argv[2], argv + 2);
	/* standard error may be closed */
	err = errno;
	fprintf(stderr, "smc_run: %s: %s\n", argv[2], strerror(err));
	return err == ENOENT ? 127 : 126;
}
