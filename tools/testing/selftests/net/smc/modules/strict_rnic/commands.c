// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of the device. The firmware of a device may take long to execute a
 * command, or may refuse it.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/version.h>
#include <linux/wait.h>
#include "strict.h"

/* Since 6.11 the core passes another argument to create_cq(). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define uverbs_attr_bundle	ib_udata
#endif

static const char * const names[STRICT_N_CMDS] = {
	[STRICT_ALLOC_PD]	= "alloc_pd",
	[STRICT_DEALLOC_PD]	= "dealloc_pd",
	[STRICT_CREATE_CQ]	= "create_cq",
	[STRICT_DESTROY_CQ]	= "destroy_cq",
	[STRICT_CREATE_QP]	= "create_qp",
	[STRICT_MODIFY_QP]	= "modify_qp",
	[STRICT_DESTROY_QP]	= "destroy_qp",
	[STRICT_ALLOC_MR]	= "alloc_mr",
	[STRICT_DEREG_MR]	= "dereg_mr",
};

/* ---- parameters ---- */

static int find_name(const char *text, size_t len)
{
	int i;

	for (i = 0; i < STRICT_N_CMDS; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], text, len))
			return i;
	return -EINVAL;
}

/* A list of commands, separated by commas; "all" is all of them. */
static int set_cmds(const char *text, const struct kernel_param *kp)
{
	unsigned long set = 0;
	size_t len;
	int cmd;

	for (; *text && *text != '\n'; text += len) {
		text += *text == ',';
		len = strcspn(text, ",\n");
		if (len == 3 && !strncmp(text, "all", len)) {
			set = BIT(STRICT_N_CMDS) - 1;
			continue;
		}
		cmd = find_name(text, len);
		if (cmd < 0)
			return cmd;
		set |= BIT(cmd);
	}
	WRITE_ONCE(*(unsigned long *)kp->arg, set); /* partner: strict_command() */
	return 0;
}

static int get_cmds(char *to, const struct kernel_param *kp)
{
	unsigned long set = READ_ONCE(*(unsigned long *)kp->arg);
	int len = 0;
	int i;

	for_each_set_bit(i, &set, STRICT_N_CMDS)
		len += sysfs_emit_at(to, len, "%s%s", len ? "," : "", names[i]);
	return len + sysfs_emit_at(to, len, "\n");
}

static const struct kernel_param_ops cmds_ops = {
	.set = set_cmds,
	.get = get_cmds,
};

static DECLARE_WAIT_QUEUE_HEAD(over);
static unsigned int slow_ms;

static int set_slow_ms(const char *text, const struct kernel_param *kp)
{
	int err = param_set_uint(text, kp);

	wake_up_all(&over);
	return err;
}

static const struct kernel_param_ops slow_ms_ops = {
	.set = set_slow_ms,
	.get = param_get_uint,
};

static unsigned long slow;
module_param_cb(slow, &cmds_ops, &slow, 0644);
MODULE_PARM_DESC(slow, "commands that are slow: alloc_pd,create_qp,... or all");

module_param_cb(slow_ms, &slow_ms_ops, &slow_ms, 0644);
MODULE_PARM_DESC(slow_ms, "milliseconds of a slow command; 0 ends all that run");

static unsigned long fail;
module_param_cb(fail, &cmds_ops, &fail, 0644);
MODULE_PARM_DESC(fail, "commands that may fail, see fail_at and fail_every");

static struct strict_fault failing;
module_param_cb(fail_at, &strict_at_ops, &failing.at, 0644);
MODULE_PARM_DESC(fail_at, "the n-th command of these from now on fails");
module_param_named(fail_every, failing.every, uint, 0644);
MODULE_PARM_DESC(fail_every, "each n-th command of these fails");

static int waiting;
module_param(waiting, int, 0444);
MODULE_PARM_DESC(waiting, "slow commands that run now");

static int waited;
module_param(waited, int, 0444);
MODULE_PARM_DESC(waited, "slow commands that have begun");

static int failed;
module_param(failed, int, 0444);
MODULE_PARM_DESC(failed, "commands that have failed");

static atomic_t n_waiting = ATOMIC_INIT(0);
static atomic_t n_waited = ATOMIC_INIT(0);
static atomic_t n_failed = ATOMIC_INIT(0);

/* ---- a command ---- */

static void be_slow(void)
{
	unsigned int ms = READ_ONCE(slow_ms);

	if (!ms)
		return;
	WRITE_ONCE(waited, atomic_inc_return(&n_waited));
	WRITE_ONCE(waiting, atomic_inc_return(&n_waiting));
	/* partner: set_slow_ms() */
	wait_event_timeout(over, !READ_ONCE(slow_ms), msecs_to_jiffies(ms));
	WRITE_ONCE(waiting, atomic_dec_return(&n_waiting));
}

/**
 * strict_command - called before the device executes a command
 * @sd:		device
 * @cmd:	command
 *
 * Context: may sleep. Return: 0, or the error with which the command fails.
 */
int strict_command(struct strict_dev *sd, enum strict_cmd cmd)
{
	if (!strict_may_fail(sd))
		return 0;
	if (READ_ONCE(slow) & BIT(cmd))
		be_slow();
	if (!(READ_ONCE(fail) & BIT(cmd)) || !strict_fault_hits(&failing))
		return 0;
	WRITE_ONCE(failed, atomic_inc_return(&n_failed));
	return -EIO;
}

/* ---- operations ---- */

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct strict_dev *sd = strict_dev_of(pd->device);
	int err = strict_command(sd, STRICT_ALLOC_PD);

	return err ?: sd->real.alloc_pd(pd, udata);
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct strict_dev *sd = strict_dev_of(pd->device);
	int err = strict_command(sd, STRICT_DEALLOC_PD);

	return err ?: sd->real.dealloc_pd(pd, udata);
}

static int create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		     struct uverbs_attr_bundle *attrs)
{
	struct strict_dev *sd = strict_dev_of(cq->device);
	int err = strict_queues_check_cq(sd, attr);

	err = err ?: strict_command(sd, STRICT_CREATE_CQ);
	err = err ?: sd->real.create_cq(cq, attr, attrs);
	if (err)
		return err;
	err = strict_completions_new_cq(cq, attr->comp_vector);
	if (err)
		sd->real.destroy_cq(cq, NULL);
	return err;
}

static int destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	struct strict_dev *sd = strict_dev_of(cq->device);
	int err = strict_command(sd, STRICT_DESTROY_CQ);

	if (err)
		return err;
	strict_completions_old_cq(cq);
	return sd->real.destroy_cq(cq, udata);
}

static int create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr,
		     struct ib_udata *udata)
{
	struct strict_dev *sd = strict_dev_of(qp->device);
	struct ib_qp_init_attr asked = *attr;
	int err = strict_queues_check_qp(sd, attr);

	err = err ?: strict_command(sd, STRICT_CREATE_QP);
	err = err ?: sd->real.create_qp(qp, attr, udata);
	if (err)
		return err;
	/* report the requested sizes, even if the software device gives more */
	attr->cap = asked.cap;
	err = strict_queues_create_qp(qp, attr);
	if (err)
		sd->real.destroy_qp(qp, udata);
	else
		strict_completions_new_qp(attr);
	return err;
}

/*
 * Is the queue pair in state ERR, and does the core set this state again? The
 * core does so to drain a queue pair. The core cannot return an error of the
 * device here, so it would print a warning.
 */
static bool stays_stopped(struct strict_dev *sd, struct ib_qp *qp,
			  const struct ib_qp_attr *attr, int mask)
{
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr now = {};

	return (mask & IB_QP_STATE) && attr->qp_state == IB_QPS_ERR &&
	       !sd->real.query_qp(qp, &now, IB_QP_STATE, &init) &&
	       now.qp_state == IB_QPS_ERR;
}

static int modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		     struct ib_udata *udata)
{
	struct strict_dev *sd = strict_dev_of(qp->device);
	int err = 0;

	if (!stays_stopped(sd, qp, attr, mask))
		err = strict_command(sd, STRICT_MODIFY_QP);
	return err ?: strict_gids_modify_qp(sd, qp, attr, mask, udata);
}

static int destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	struct strict_dev *sd = strict_dev_of(qp->device);
	int err = strict_command(sd, STRICT_DESTROY_QP);

	if (err)
		return err;
	strict_queues_destroy_qp(qp);
	return sd->real.destroy_qp(qp, udata);
}

static struct ib_mr *alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
			      u32 max_num_sg)
{
	struct strict_dev *sd = strict_dev_of(pd->device);
	int err = strict_queues_alloc_mr(pd->device, max_num_sg);
	struct ib_mr *mr;

	err = err ?: strict_command(sd, STRICT_ALLOC_MR);
	if (err)
		return ERR_PTR(err);
	mr = sd->real.alloc_mr(pd, type, max_num_sg);
	if (!IS_ERR(mr))
		strict_queues_new_mr(mr);
	return mr;
}

static int dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	struct strict_dev *sd = strict_dev_of(mr->device);
	int err = strict_command(sd, STRICT_DEREG_MR);

	if (err)
		return err;
	strict_queues_old_mr(mr);
	return sd->real.dereg_mr(mr, udata);
}

/* Replaces the operations of the device that are commands of its firmware. */
void strict_commands_hook(struct strict_dev *sd)
{
	struct ib_device_ops *ops = &sd->ib->ops;

	ops->alloc_pd = alloc_pd;
	ops->dealloc_pd = dealloc_pd;
	ops->create_cq = create_cq;
	ops->destroy_cq = destroy_cq;
	ops->create_qp = create_qp;
	ops->modify_qp = modify_qp;
	ops->destroy_qp = destroy_qp;
	ops->alloc_mr = alloc_mr;
	ops->dereg_mr = dereg_mr;
}
