// SPDX-License-Identifier: GPL-2.0
/*
 * For tests only: makes RDMA devices as strict as an adapter may be. The module
 * is a client of the RDMA core. It replaces operations, attributes and the DMA
 * device of each new device. When the module is unloaded, it restores the
 * devices.
 *
 * Load this module before all other clients (smc). The core tells the clients
 * of the removal of a device in reverse order. So the queues and mappings of
 * the others are gone when this module restores the device.
 *
 * User space must not use the devices while the module is loaded.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include "strict.h"

/* Mistakes above this number are counted, but not printed. */
#define REPORTS_MAX	8

static char *only = "";
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "name of the device to make strict; empty: all");

static char faulty[IB_DEVICE_NAME_MAX];
module_param_string(faulty, faulty, sizeof(faulty), 0644);
MODULE_PARM_DESC(faulty, "name of the device that is slow or fails; empty: all");

static int mistakes;
module_param(mistakes, int, 0444);
MODULE_PARM_DESC(mistakes, "mistakes of the users of the devices");

static atomic_t n_mistakes = ATOMIC_INIT(0);
static struct strict_dev devs[STRICT_DEVS];

/** strict_report - report a mistake of a user of the device */
void strict_report(const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;
	int n = atomic_inc_return(&n_mistakes);

	WRITE_ONCE(mistakes, n);	/* read as a parameter */
	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	WARN(n <= REPORTS_MAX, "strict_rnic: %pV\n", &vaf);
	va_end(args);
}

/* Return: the device, or NULL. Context: any. */
struct strict_dev *strict_dev_of(const struct ib_device *ib)
{
	int i;

	for (i = 0; i < STRICT_DEVS; i++)
		/* partner: strict_add() */
		if (smp_load_acquire(&devs[i].ib) == ib)
			return &devs[i];
	return NULL;
}

/* Return: the n-th device, which may be unused; NULL if @n is too large. */
struct strict_dev *strict_nth_dev(unsigned int n)
{
	return n < STRICT_DEVS ? &devs[n] : NULL;
}

/* May this device be slow or fail? */
bool strict_may_fail(const struct strict_dev *sd)
{
	size_t len = strcspn(faulty, "\n");

	return !len || (strlen(sd->ib->name) == len &&
			!strncmp(sd->ib->name, faulty, len));
}

/* Counts a call. Return: true if this call fails. */
bool strict_fault_hits(struct strict_fault *fault)
{
	unsigned int every = READ_ONCE(fault->every);
	bool hit = false;

	if (atomic_read(&fault->at) > 0)
		hit = !atomic_dec_return(&fault->at);
	if (every && !((unsigned int)atomic_inc_return(&fault->calls) % every))
		hit = true;
	return hit;
}

static int set_at(const char *text, const struct kernel_param *kp)
{
	atomic_t *at = kp->arg;
	int n;
	int err = kstrtoint(text, 0, &n);

	if (!err)
		atomic_set(at, n);
	return err;
}

static int get_at(char *to, const struct kernel_param *kp)
{
	return sysfs_emit(to, "%d\n", atomic_read((atomic_t *)kp->arg));
}

const struct kernel_param_ops strict_at_ops = {
	.set = set_at,
	.get = get_at,
};

/* ---- arrival and removal of devices ---- */

static void restore(struct strict_dev *sd)
{
	struct ib_device *ib = sd->ib;

	strict_gids_detach(sd);
	ib->ops = sd->real;
	ib->attrs = sd->attrs;
	ib->num_comp_vectors = sd->n_vectors;
	/* after this, no operation of this module runs */
	synchronize_rcu();
	strict_dma_detach(sd);
	smp_store_release(&sd->ib, NULL);	/* partner: strict_dev_of() */
}

static int strict_add(struct ib_device *ib)
{
	struct strict_dev *sd = strict_dev_of(NULL);
	int err;

	if (*only && strcmp(ib->name, only))
		return -ENODEV;
	if (!sd)
		return -ENOSPC;
	sd->real = ib->ops;
	sd->attrs = ib->attrs;
	sd->n_vectors = ib->num_comp_vectors;
	smp_store_release(&sd->ib, ib);		/* partner: strict_dev_of() */
	err = strict_dma_attach(sd, sd - devs);
	if (err) {
		pr_err("strict_rnic: %s: no DMA mappings: %d\n", ib->name, err);
		smp_store_release(&sd->ib, NULL); /* partner: strict_dev_of() */
		return err;
	}
	strict_queues_hook(sd);
	strict_completions_hook(sd);
	strict_events_hook(sd);
	strict_commands_hook(sd);
	strict_gids_attach(sd);
	return 0;
}

static void strict_remove(struct ib_device *ib, void *data)
{
	struct strict_dev *sd = strict_dev_of(ib);

	if (sd)
		restore(sd);
}

static struct ib_client client = {
	.name = "strict_rnic",
	.add = strict_add,
	.remove = strict_remove,
};

static int __init strict_init(void)
{
	int err = strict_dma_check();

	if (err)
		return err;
	err = strict_gids_init();
	if (err)
		return err;
	err = strict_completions_init();
	if (err)
		goto exit_gids;
	err = ib_register_client(&client);
	if (err)
		goto exit_completions;
	return 0;
exit_completions:
	strict_completions_exit();
exit_gids:
	strict_gids_exit();
	return err;
}

static void __exit strict_exit(void)
{
	ib_unregister_client(&client);
	strict_gids_exit();
	strict_completions_exit();
}

module_init(strict_init);
module_exit(strict_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("RDMA devices that are as strict as adapters, for tests");
