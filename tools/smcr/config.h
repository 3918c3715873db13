/* SPDX-License-Identifier: GPL-2.0 */
/* Settings of the running system, in the terms of /etc/smc.conf. */
#ifndef SMCR_CONFIG_H
#define SMCR_CONFIG_H

#include <linux/smc.h>
#include <stdbool.h>

#include "conf.h"
#include "pnet.h"

#define SYSCTL_DIR	"/proc/sys/net/smc"

enum {
	VALUE_BYTES	= 80,
};

struct eid_table {
	char name[SMC_CONF_UEIDS][SMC_MAX_EID_LEN + 1];
	unsigned int n;
};

/* Return: 0 or a negative errno, for smc_genl_why(). */
int config_read_eids(struct eid_table *t);
/* Reads the value of net.smc.@name, with one blank between its numbers. */
bool config_read_sysctl(const char *name, char value[VALUE_BYTES]);
/* The same for a line of the file; @why: the sysctl cannot be read */
bool config_knows_sysctl(const struct smc_conf_sysctl *s,
			 char value[VALUE_BYTES], struct smc_conf_error *why);
/* Return: 0 or an errno */
int config_write_sysctl(const char *name, const char *value);

/* Both fill @why and return -1. */
__attribute__((format(printf, 3, 4)))
int config_failed(struct smc_conf_error *why, unsigned int line,
		  const char *format, ...);
int config_refused(const struct smc_conf_sysctl *s, const char *value, int err,
		   struct smc_conf_error *why);

/*
 * Asks the kernel whether it accepts the sysctls of a file, and changes
 * nothing. Afterwards the process is in another network namespace. Return: 0 or
 * -1, with the cause in @why. @untried: set if the kernel cannot be asked, to
 * the reason
 */
int config_try(const struct smc_conf *c, const char **untried,
	       struct smc_conf_error *why);

/*
 * Makes the settings of a file those of this system: all of them, or none.
 * Return: 0 or -1, with the cause in @why.
 */
int config_apply(const struct smc_conf *c, struct smc_conf_error *why);

#endif
