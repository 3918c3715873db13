// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: delays rxe between the end of a poll of a completion queue
 * and its rearming, in softirq, and counts queues that are destroyed in this
 * window. The rearming would then use freed memory.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/hardirq.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>

static unsigned int ms = 100;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "how long arming takes");

static int rearms;
module_param(rearms, int, 0444);
MODULE_PARM_DESC(rearms, "queues armed in softirq");

static int hits;
module_param(hits, int, 0444);
MODULE_PARM_DESC(hits, "of these, destroyed meanwhile");

static DEFINE_PER_CPU(unsigned long, arming);
static atomic_t n_rearms = ATOMIC_INIT(0);
static atomic_t n_hits = ATOMIC_INIT(0);

static int on_arm(struct kprobe *p, struct pt_regs *regs)
{
	if (!in_serving_softirq())
		return 0;
	/* partner: on_destroy(); the probe runs with preemption off */
	WRITE_ONCE(*this_cpu_ptr(&arming), regs_get_kernel_argument(regs, 0));
	mdelay(ms);
	WRITE_ONCE(*this_cpu_ptr(&arming), 0);
	WRITE_ONCE(rearms, atomic_inc_return(&n_rearms));
	return 0;
}

static int on_destroy(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long cq = regs_get_kernel_argument(regs, 0);
	int cpu;

	for_each_possible_cpu(cpu)
		if (READ_ONCE(per_cpu(arming, cpu)) == cq)
			WRITE_ONCE(hits, atomic_inc_return(&n_hits));
	return 0;
}

static struct kprobe arm_probe = {
	.symbol_name = "rxe_req_notify_cq",
	.pre_handler = on_arm,
};

static struct kprobe destroy_probe = {
	.symbol_name = "rxe_destroy_cq",
	.pre_handler = on_destroy,
};

static struct kprobe *probes[] = { &arm_probe, &destroy_probe };

static int __init start(void)
{
	return register_kprobes(probes, ARRAY_SIZE(probes));
}

static void __exit stop(void)
{
	unregister_kprobes(probes, ARRAY_SIZE(probes));
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("completion queues that are slow to be armed, for tests");
