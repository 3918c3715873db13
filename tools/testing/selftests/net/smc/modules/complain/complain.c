// SPDX-License-Identifier: GPL-2.0
/*
 * Only for tests of the test system: makes the kernel print a warning, or stop
 * for a while.
 */
#include <linux/delay.h>
#include <linux/module.h>

static bool warn;
module_param(warn, bool, 0444);
MODULE_PARM_DESC(warn, "report a warning");

static unsigned int spin;
module_param(spin, uint, 0444);
MODULE_PARM_DESC(spin, "keep the processor busy for so many milliseconds");

static int __init complain_init(void)
{
	WARN(warn, "complain: a warning on purpose\n");
	mdelay(spin);
	return 0;
}

static void __exit complain_exit(void)
{
}

module_init(complain_init);
module_exit(complain_exit);
MODULE_DESCRIPTION("Complains, or stands still, on purpose");
MODULE_LICENSE("GPL");
