/* SPDX-License-Identifier: GPL-2.0 */
/* The BPF switch of smc_run_bpf, and the process that keeps it attached. */
#ifndef SMC_RUN_KEEPER_H
#define SMC_RUN_KEEPER_H

#include <limits.h>
#include <stdbool.h>

/* What the switch consists of. All descriptors are close-on-exec. */
struct hook {
	char cgroup[PATH_MAX];	/* directory of the cgroup; "": none yet */
	int dir;		/* this directory */
	int map;		/* it contains the cgroup */
	int link;		/* attaches the program, as long as it is open */
	int sock;		/* keeps the module of SMC in the kernel */
};

/**
 * keeper_start - start the process that holds the switch and later removes it
 *
 * It is a child of init, because COMMAND does not expect one. Of the
 * descriptors of this process it keeps only those that it needs.
 *
 * Return: a descriptor for keeper_begin(), or a negative errno.
 */
int keeper_start(const struct hook *h);
/*
 * keeper_begin - tell the keeper that this process has entered the cgroup;
 * closes
 * @fd. Return: false if there is no keeper.
 */
bool keeper_begin(int fd);

#endif
