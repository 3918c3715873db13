/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of QEMU's interface for plugins, in version 1, that the plugin of
 * this directory uses. Debian has no package with the header of QEMU.
 */
#ifndef QEMU_PLUGIN_H
#define QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_API	1

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64,
};

struct qemu_plugin_tb;

extern int qemu_plugin_version;

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t id,
						      struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb,
					      enum qemu_plugin_op op,
					      void *ptr, uint64_t imm);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);

#endif
