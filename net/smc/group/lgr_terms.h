/* SPDX-License-Identifier: GPL-2.0 */
/* The terms of a link group, on which both sides agree in first contact. */
#ifndef _SMC_GROUP_LGR_TERMS_H
#define _SMC_GROUP_LGR_TERMS_H

#include "../wire/clc.h"
#include "../wire/ext.h"

/**
 * struct smc_lgr_terms - version, and terms that depend on it
 * @version:	1 or 2; a connection needs a group of its own version
 * @release:	release of version 2
 * @max_conns:	limit of connections; 0: no limit was agreed. With WIDE in
 *		@ext the limit is SMC_LGR_CONNS_WIDE
 * @max_links:	limit of links; 0: no limit was agreed
 * @eye:	length of the eye catcher at the start of each element: 0 or
 *		SMC_RMBE_EYE_LEN
 * @direct:	no gateway is between the two RoCE addresses; always so in
 *		version 1
 * @peer_os:	the peer's operating system, see SMC_CLC_OS_LINUX; this member
 *		and @peer_host are written before the first link receives
 *		messages
 * @answer:	the server's answer about the extension of frames.rst; a
 *		connection needs a group with the same answer (F-32)
 * @ext:	what both sides have agreed on about the extension. The client
 *		sets this member before it makes the group. The server sets it
 *		when it gets the Confirm, together with @peer_os
 * @eid:	EID that both sides have
 * @peer_host:	the peer's name, padded with blanks
 */
struct smc_lgr_terms {
	u8 version;
	u8 release;
	u8 max_conns;
	u8 max_links;
	u8 eye;
	bool direct;
	u8 peer_os;
	struct smc_ext answer;
	struct smc_ext_terms ext;
	u8 eid[SMC_EID_LEN];
	u8 peer_host[SMC_CLC_HOST_LEN];
};

#endif
