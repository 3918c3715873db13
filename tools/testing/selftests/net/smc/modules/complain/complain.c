// SPDX-License-Identifier: GPL-2.0
/*
 * Only for tests of the test system: makes the kernel print a warning, stop for
 * a while, or race for a variable.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>

static bool warn;
module_param(warn, bool, 0444);
MODULE_PARM_DESC(warn, "report a warning");

static unsigned int spin;
module_param(spin, uint, 0444);
MODULE_PARM_DESC(spin, "keep the processor busy for so many milliseconds");

static unsigned int race;
module_param(race, uint, 0444);
MODULE_PARM_DESC(race, "write a variable on two processors for so many milliseconds");

static long shared;	/* has no lock, on purpose */

static int complain_write(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		cond_resched();
	}
	return 0;
}

static int complain_race(void)
{
	unsigned long end = jiffies + msecs_to_jiffies(race);
	struct task_struct *other;

	other = kthread_run(complain_write, NULL, "complain");
	if (IS_ERR(other))
		return PTR_ERR(other);
	while (time_before(jiffies, end)) {
		shared++;
		cond_resched();
	}
	return kthread_stop(other);
}

static int __init complain_init(void)
{
	WARN(warn, "complain: a warning on purpose\n");
	mdelay(spin);
	return race ? complain_race() : 0;
}

static void __exit complain_exit(void)
{
}

module_init(complain_init);
module_exit(complain_exit);
MODULE_DESCRIPTION("Complains, or stands still, on purpose");
MODULE_LICENSE("GPL");
