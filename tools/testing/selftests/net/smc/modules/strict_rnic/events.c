// SPDX-License-Identifier: GPL-2.0
/* Makes bursts of events, and takes ports down. */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "strict.h"

static char port_down[IB_DEVICE_NAME_MAX];

static const struct {
	const char *name;
	enum ib_event_type type;
} events[] = {
	{ "gid_change",	IB_EVENT_GID_CHANGE },
	{ "port_active", IB_EVENT_PORT_ACTIVE },
	{ "port_err",	IB_EVENT_PORT_ERR },
	{ "reregister",	IB_EVENT_CLIENT_REREGISTER },
	{ "lid_change",	IB_EVENT_LID_CHANGE },
	{ "device_fatal", IB_EVENT_DEVICE_FATAL },
};

static void dispatch(struct ib_device *ib, enum ib_event_type type)
{
	struct ib_event event = {
		.device = ib,
		.element.port_num = 1,
		.event = type,
	};

	ib_dispatch_event(&event);
}

static void dispatch_all(enum ib_event_type type)
{
	struct strict_dev *sd;
	int i;

	for (i = 0; (sd = strict_nth_dev(i)); i++)
		if (sd->ib && strict_may_fail(sd))
			dispatch(sd->ib, type);
}

/* "NAME COUNT": sends COUNT events of this kind, one after the other. */
static int set_burst(const char *text, const struct kernel_param *kp)
{
	char name[16];
	unsigned int n, i;

	if (sscanf(text, "%15s %u", name, &n) != 2)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (!strcmp(name, events[i].name))
			break;
	if (i == ARRAY_SIZE(events))
		return -EINVAL;
	while (n--) {
		dispatch_all(events[i].type);
		cond_resched();
	}
	return 0;
}

static const struct kernel_param_ops burst_ops = {
	.set = set_burst,
};

module_param_cb(burst, &burst_ops, NULL, 0200);
MODULE_PARM_DESC(burst,
		 "write \"NAME COUNT\": so many events gid_change, port_active, port_err, reregister, lid_change or device_fatal");

static bool is_down(const char *name)
{
	size_t len = strcspn(port_down, "\n");

	return len && strlen(name) == len && !strncmp(name, port_down, len);
}

static void tell_port(const char *name, enum ib_event_type type)
{
	struct strict_dev *sd;
	int i;

	for (i = 0; (sd = strict_nth_dev(i)); i++)
		if (sd->ib && !strcmp(sd->ib->name, name))
			dispatch(sd->ib, type);
}

/* The kernel serialises writes to the parameters of a module. */
static int set_port_down(const char *text, const struct kernel_param *kp)
{
	char old[IB_DEVICE_NAME_MAX];

	if (strlen(text) >= sizeof(port_down))
		return -EINVAL;
	strscpy(old, port_down, sizeof(old));
	strscpy(port_down, text, sizeof(port_down));
	strim(port_down);
	if (*old)
		tell_port(old, IB_EVENT_PORT_ACTIVE);
	if (*port_down)
		tell_port(port_down, IB_EVENT_PORT_ERR);
	return 0;
}

static int get_port_down(char *to, const struct kernel_param *kp)
{
	return sysfs_emit(to, "%s\n", port_down);
}

static const struct kernel_param_ops port_down_ops = {
	.set = set_port_down,
	.get = get_port_down,
};

module_param_cb(port_down, &port_down_ops, NULL, 0644);
MODULE_PARM_DESC(port_down, "device whose port is down; empty: none");

static int query_port(struct ib_device *ib, u32 num, struct ib_port_attr *attr)
{
	int err = strict_dev_of(ib)->real.query_port(ib, num, attr);

	if (!err && is_down(ib->name)) {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
	}
	return err;
}

void strict_events_hook(struct strict_dev *sd)
{
	sd->ib->ops.query_port = query_port;
}
