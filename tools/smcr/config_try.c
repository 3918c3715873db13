// SPDX-License-Identifier: GPL-2.0
/*
 * "smcr config check". Only the kernel knows the names and the bounds of its
 * sysctls. Each network namespace has values of its own, so that a new namespace
 * is the place to try them.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

/* A user who may not make a network namespace may do so in a user namespace. */
static bool leave_namespace(void)
{
	return !unshare(CLONE_NEWNET) ||
	       !unshare(CLONE_NEWUSER | CLONE_NEWNET);
}

/*
 * Sysctls of the whole machine are missing in a new namespace, or nobody may set
 * them there.
 */
static bool is_elsewhere(int err)
{
	return err == ENOENT || err == EACCES || err == EPERM;
}

int config_try(const struct smc_conf *c, const char **untried,
	       struct smc_conf_error *why)
{
	char value[VALUE_BYTES];
	unsigned int i;
	int err;

	if (!c->n_sysctls)
		return 0;
	if (access(SYSCTL_DIR, F_OK)) {
		*untried = "the SMC module is not loaded";
		return 0;
	}
	for (i = 0; i < c->n_sysctls; i++)
		if (!config_knows_sysctl(&c->sysctls[i], value, why))
			return -1;
	if (!leave_namespace()) {
		*untried = "this user may make no network namespace";
		return 0;
	}
	for (i = 0; i < c->n_sysctls; i++) {
		const struct smc_conf_sysctl *s = &c->sysctls[i];

		err = config_write_sysctl(s->name, s->value);
		if (err && !is_elsewhere(err))
			return config_refused(s, s->value, err, why);
	}
	return 0;
}
