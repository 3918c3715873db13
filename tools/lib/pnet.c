// SPDX-License-Identifier: GPL-2.0
#include "pnet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "genl.h"

#define NO_NAME	"n/a"	/* the kernel's word for a name that is not there */

static void take_entry(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	const char *eth = smc_attr_text(top, SMC_PNETID_ETHNAME);
	struct smc_pnet_table *t = arg;
	struct smc_pnet_entry *e;

	(void)cmd;
	if (t->n++ >= SMC_PNETS_MAX)
		return;
	e = &t->entry[t->n - 1];
	memset(e, 0, sizeof(*e));
	e->eth = *eth && strcmp(eth, NO_NAME);
	e->port = e->eth ? 0 : smc_attr_number(top, SMC_PNETID_IBPORT);
	snprintf(e->name, sizeof(e->name), "%s",
		 smc_attr_text(top, SMC_PNETID_NAME));
	snprintf(e->device, sizeof(e->device), "%s",
		 e->eth ? eth : smc_attr_text(top, SMC_PNETID_IBNAME));
}

int smc_pnet_read(struct smc_pnet_table *t)
{
	int err;

	t->n = 0;
	err = smc_genl_dump(SMCR_GENL_FAMILY_NAME, SMC_PNETID_GET, take_entry,
			    t);
	if (t->n > SMC_PNETS_MAX) {
		t->n = SMC_PNETS_MAX;
		err = err ?: -E2BIG;
	}
	return err;
}

const char *smc_pnet_of(const struct smc_pnet_table *t, const char *interface)
{
	unsigned int i;

	for (i = 0; i < t->n; i++)
		if (t->entry[i].eth && !strcmp(t->entry[i].device, interface))
			return t->entry[i].name;
	return "";
}

bool smc_pnet_serves(const char *own, const char *port, bool same)
{
	return *own ? !strcmp(own, port) : same;
}

bool smc_pnet_used(const struct smc_pnet_table *t, const char *interface,
		   const char *port)
{
	unsigned int i;

	if (smc_pnet_serves(smc_pnet_of(t, interface), port, true))
		return true;
	for (i = 0; i < t->n; i++)
		if (t->entry[i].eth &&
		    smc_pnet_serves(t->entry[i].name, port, false))
			return true;
	return false;
}
