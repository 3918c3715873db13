// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: delays a handshake between its failed search for a free
 * element and its place in the queue. If an element becomes free during the
 * delay, the handshake must still find it.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/module.h>

/* The delay keeps the CPU busy, but not so long that queue pairs fail. */
static unsigned int ms = 20;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "how long it takes");

static int held;
module_param(held, int, 0444);
MODULE_PARM_DESC(held, "handshakes that found no element");

static atomic_t n_held = ATOMIC_INIT(0);

static int on_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if ((int)regs_return_value(regs) != -EAGAIN)
		return 0;
	mdelay(ms);
	/* read as a parameter */
	WRITE_ONCE(held, atomic_inc_return(&n_held));
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "smc_rmbe_get",
	.handler = on_return,
};

static int __init start(void)
{
	return register_kretprobe(&probe);
}

static void __exit stop(void)
{
	unregister_kretprobe(&probe);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("handshakes that are slow to wait for an element, for tests");
