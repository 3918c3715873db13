// SPDX-License-Identifier: GPL-2.0
/* Modules can have struct_ops of BPF, whose functions take a link. */
#include <linux/bpf.h>
#include <linux/btf.h>

static int smc_probe_reg(void *kdata, struct bpf_link *link)
{
	return 0;
}

static struct bpf_struct_ops smc_probe_struct_ops = {
	.reg = smc_probe_reg,
	.cfi_stubs = NULL,
};

static inline int smc_probe_register(void)
{
	return __register_bpf_struct_ops(&smc_probe_struct_ops);
}
