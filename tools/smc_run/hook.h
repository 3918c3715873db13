/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The BPF program of "smc_run --bpf": it replaces the protocol of new TCP
 * sockets of a cgroup by IPPROTO_SMC.
 */
#ifndef SMC_RUN_HOOK_H
#define SMC_RUN_HOOK_H

#include <linux/bpf.h>
#include <stddef.h>

/* the function of the kernel whose result the program replaces */
#define HOOK_FUNCTION "update_socket_protocol"

/* most instructions of the program */
#define HOOK_INSNS 32

/*
 * Finds a function in type information of a kernel (BTF). Returns its number,
 * 0 if there is no such function, or -1 if the bytes are not BTF of this
 * machine.
 */
int hook_find(const void *btf, size_t size, const char *name);

/*
 * Writes the program for the tasks of a cgroup and of its descendants. @map is
 * the descriptor of a map of type BPF_MAP_TYPE_CGROUP_ARRAY, whose element 0 is
 * the cgroup. Returns the number of instructions.
 */
unsigned int hook_program(struct bpf_insn insn[HOOK_INSNS], int map);

#endif
