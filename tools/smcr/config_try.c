// SPDX-License-Identifier: GPL-2.0
/*
 * "smcr config check". Only the kernel knows the names and the bounds of its
 * sysctls. Each network namespace has its own values, so they can be tried in a
 * new one without an effect on this host.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"

/*
 * Without CAP_SYS_ADMIN, a process first needs a user namespace of its own to
 * create a network namespace.
 */
static bool leave_namespace(void)
{
	return !unshare(CLONE_NEWNET) ||
	       !unshare(CLONE_NEWUSER | CLONE_NEWNET);
}

/*
 * Sysctls of the whole machine are missing in a new network namespace, and
 * those that protect the machine are read-only in a user namespace.
 */
static bool can_be_set(const char *name)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), SYSCTL_DIR "/%s", name);
	return !stat(path, &st) && st.st_mode & 0200;
}

/* Returns why no value can be tried if the first attempt fails so, or NULL. */
static const char *why_untried(int err)
{
	switch (err) {
	case EROFS:
		return "/proc/sys is read-only";
	case EACCES:
	case EPERM:
		return "this user may not set sysctls in a new network namespace";
	default:
		return NULL;
	}
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
		*untried = "this user may not create a network namespace";
		return 0;
	}
	for (i = 0; i < c->n_sysctls; i++) {
		const struct smc_conf_sysctl *s = &c->sysctls[i];

		if (!can_be_set(s->name))
			continue;
		err = config_write_sysctl(s->name, s->value);
		if (!err)
			continue;
		*untried = why_untried(err);
		return *untried ? 0 : config_refused(s, s->value, err, why);
	}
	return 0;
}
