/* SPDX-License-Identifier: GPL-2.0 */
/* The dialect of frames. See framed.c. */
#ifndef _SMC_CONN_FRAMED_H
#define _SMC_CONN_FRAMED_H

#include "dialect.h"

extern const struct smc_dialect smc_framed_dialect;

#endif
