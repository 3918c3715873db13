/* SPDX-License-Identifier: GPL-2.0 */
/* What version 2 adds to CLC messages; part of clc.h. */
#ifndef SMC_WIRE_CLC_V2_H
#define SMC_WIRE_CLC_V2_H

#include <linux/types.h>

#include "../base/eid.h"

enum {
	SMC_CLC_EIDS_MAX	= 8,	/* in a Proposal */
	SMC_CLC_GIDS_MAX	= 8,	/* kept of those in a Confirm */
	SMC_CLC_HOST_LEN	= 32,

	SMC_CLC_OS_LINUX	= 2,

	/* Releases: 0 is "version 2.0", 1 negotiates connections and links. */
	SMC_CLC_RELEASE_MAX	= 1,
	SMC_CLC_CONNS_MIN	= 16,	/* a smaller offer is none */
	SMC_CLC_CONNS_MAX	= 255,
	SMC_CLC_LINKS_MAX	= 2,	/* what deployed peers take */

	SMC_CLC_ACCEPT_V2_LEN	= 108,	/* without first-contact extension */
	SMC_CLC_FIRST_V2_LEN	= 160,	/* Accept of first contact */
	SMC_CLC_FIRST_V20_LEN	= 144,	/* the same from older peers */
	SMC_CLC_CONFIRM_V2_LEN	= 164,	/* Confirm of first contact, no GID */
};

/**
 * struct smc_clc_offer_v2 - version 2 SMC-R in a Proposal
 * @release: highest the client speaks
 * @n_eids: used entries of @eid
 * @eid: EIDs, the best first
 * @gid: client's RoCEv2 GID
 * @max_conns: connections per group, 0 below release 1
 * @max_links: links per group, 0 below release 1
 */
struct smc_clc_offer_v2 {
	u8 release;
	u8 n_eids;
	u8 eid[SMC_CLC_EIDS_MAX][SMC_EID_LEN];
	u8 gid[16];
	u8 max_conns;
	u8 max_links;
};

/**
 * struct smc_clc_first - first-contact extension of Accept and Confirm
 * @direct: no gateway is between the two RoCE addresses
 * @os: operating system, SMC_CLC_OS_LINUX or another
 * @release: chosen by the server, echoed by the client
 * @host: name, padded with blanks
 * @max_conns: connections per group; from release 1 on
 * @max_links: links per group; from release 1 on
 * @n_gids: Confirm: used entries of @gid
 * @gid: Confirm: the client's GIDs, that of the link first
 */
struct smc_clc_first {
	bool direct;
	u8 os;
	u8 release;
	u8 host[SMC_CLC_HOST_LEN];
	u8 max_conns;
	u8 max_links;
	u8 n_gids;
	u8 gid[SMC_CLC_GIDS_MAX][16];
};

#endif /* SMC_WIRE_CLC_V2_H */
