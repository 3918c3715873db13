/* SPDX-License-Identifier: GPL-2.0 */
/* The dialect of RFC 7609. See rfc.c. */
#ifndef _SMC_CONN_RFC_H
#define _SMC_CONN_RFC_H

#include "dialect.h"

extern const struct smc_dialect smc_rfc_dialect;

int smc_rfc_init(void);
void smc_rfc_exit(void);

#endif
