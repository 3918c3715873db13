/* SPDX-License-Identifier: GPL-2.0 */
/* Symmetric and asymmetric links of a group. */
#ifndef _SMC_GROUP_SYMMETRY_H
#define _SMC_GROUP_SYMMETRY_H

#include <linux/types.h>

struct smc_ep_addr;
struct smc_lgr;
struct smc_link;
struct smc_port;

void smc_symmetry_classify(struct smc_lgr *lgr);
bool smc_symmetry_missing(struct smc_lgr *lgr);
struct smc_link *smc_symmetry_needless(struct smc_lgr *lgr);
bool smc_symmetry_unfit(struct smc_lgr *lgr, const struct smc_link *link);
bool smc_symmetry_on_port(struct smc_lgr *lgr, const struct smc_port *port,
			  bool asymmetric);
bool smc_symmetry_to_adapter(struct smc_lgr *lgr,
			     const struct smc_ep_addr *peer);

#endif
