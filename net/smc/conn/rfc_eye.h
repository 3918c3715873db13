/* SPDX-License-Identifier: GPL-2.0 */
/* RFC dialect: the eye catcher at the start of an element. */
#ifndef _SMC_CONN_RFC_EYE_H
#define _SMC_CONN_RFC_EYE_H

#include <linux/types.h>

struct smc_conn;

bool smc_rfc_eye_intact(const struct smc_conn *conn);

#endif
