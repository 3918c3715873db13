/* SPDX-License-Identifier: GPL-2.0 */
/* Tells which peer has the leading role in a link group (RFC 7609 2.2.3). */
#ifndef _SMC_GROUP_ROLE_H
#define _SMC_GROUP_ROLE_H

enum smc_role {
	SMC_CLNT = 0,
	SMC_SERV = 1,
};

#endif
