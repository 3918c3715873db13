/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CLC messages (RFC 7609 A.2), which the peers exchange on the TCP connection
 * before the first byte of the application. The codec uses no socket, allocates
 * no memory, and runs in any context.
 */
#ifndef SMC_WIRE_CLC_H
#define SMC_WIRE_CLC_H

#include <linux/types.h>
#include "../base/eid.h"
#include "decline.h"
#include "ext.h"

enum smc_clc_type {
	SMC_CLC_PROPOSAL = 1,
	SMC_CLC_ACCEPT,
	SMC_CLC_CONFIRM,
	SMC_CLC_DECLINE,
};

enum {
	SMC_PEER_ID_LEN		= 8,
	SMC_GID_LEN		= 16,
	SMC_MAC_LEN		= 6,

	SMC_CLC_V1		= 1,
	SMC_CLC_V2		= 2,
	SMC_CLC_HDR_LEN		= 8,
	SMC_CLC_MAX_LEN		= 652,	/* largest legal Proposal, version 2 */
	SMC_CLC_PROPOSAL_LEN	= 52,	/* version 1 without IPv6 prefixes */
	SMC_CLC_PREFIX_LEN	= 17,	/* each IPv6 prefix in a Proposal */
	SMC_CLC_PREFIXES_MAX	= 8,
	/* area of mask and prefixes, without prefixes */
	SMC_CLC_AREA_LEN	= 8,
	/* version 2: block before the area of masks */
	SMC_CLC_GAP_V2		= 40,
	SMC_CLC_ACCEPT_LEN	= 68,	/* Accept and Confirm, version 1 */
	SMC_CLC_DECLINE_LEN	= 28,
	SMC_CLC_DECLINE_V2_LEN	= 44,

	SMC_CLC_FLAG		= 0x08,	/* F of Accept, S of Decline */
	SMC_CLC_RMBE_SHIFT	= 14,	/* Bsize code c: 1 << (c + 14) bytes */
};

/* Offer of a Proposal for one version. Only a header of version 2
 * has offers.
 */
enum smc_clc_offer {
	SMC_CLC_OFFER_R = 0,
	SMC_CLC_OFFER_D,
	SMC_CLC_OFFER_NONE,
	SMC_CLC_OFFER_BOTH,
};

/**
 * struct smc_clc_hdr - header of any CLC message
 * @type: enum smc_clc_type
 * @len: length of the whole message in bytes, within the limit of its type
 * @version: 1 or more
 * @flags: low nibble of byte 7
 * @smcd: the message has the eye catcher of SMC-D
 */
struct smc_clc_hdr {
	u8 type;
	u16 len;
	u8 version;
	u8 flags;
	bool smcd;
};

/* ---- version 2 ---- */

enum {
	SMC_CLC_EIDS_MAX	= 8,	/* in a Proposal */
	/* limit of GIDs that are stored from a Confirm */
	SMC_CLC_GIDS_MAX	= 8,
	SMC_CLC_HOST_LEN	= 32,

	SMC_CLC_OS_LINUX	= 2,

	/* Releases of version 2. 0 is "version 2.0". From release 1 on, the
	 * peers negotiate connections and links.
	 */
	SMC_CLC_RELEASE_MAX	= 1,
	SMC_CLC_CONNS_MIN	= 16,	/* a smaller offer counts as no offer */
	SMC_CLC_CONNS_MAX	= 255,
	SMC_CLC_LINKS_MAX	= 2,	/* limit that deployed peers accept */

	SMC_CLC_ACCEPT_V2_LEN	= 108,	/* without first-contact extension */
	SMC_CLC_FIRST_V2_LEN	= 160,	/* Accept of first contact */
	SMC_CLC_FIRST_V20_LEN	= 144,	/* Accept of older peers */
	SMC_CLC_CONFIRM_V2_LEN	= 164,	/* Confirm of first contact, no GID */
};

/**
 * struct smc_clc_offer_v2 - version 2 SMC-R in a Proposal
 * @release: highest release of the client
 * @n_eids: used entries of @eid
 * @eid: EIDs in the order of preference
 * @gid: client's RoCEv2 GID
 * @max_conns: limit of connections per group; 0 in release 0
 * @max_links: limit of links per group; 0 in release 0
 * @ext: offer of the extension (F-27); from release 1 on
 */
struct smc_clc_offer_v2 {
	u8 release;
	u8 n_eids;
	u8 eid[SMC_CLC_EIDS_MAX][SMC_EID_LEN];
	u8 gid[16];
	u8 max_conns;
	u8 max_links;
	struct smc_ext ext;
};

/**
 * struct smc_clc_first - first-contact extension of Accept and Confirm
 * @direct: no gateway is between the two RoCE addresses
 * @os: operating system, SMC_CLC_OS_LINUX or another
 * @release: release that the server has chosen and the client repeats
 * @host: host name, padded with blanks
 * @max_conns: limit of connections per group; from release 1 on
 * @max_links: limit of links per group; from release 1 on
 * @ext: answer about the extension (F-29, F-31); from release 1 on
 * @n_gids: Confirm: used entries of @gid
 * @gid: Confirm: the client's GIDs; the GID of the link is the first
 */
struct smc_clc_first {
	bool direct;
	u8 os;
	u8 release;
	u8 host[SMC_CLC_HOST_LEN];
	u8 max_conns;
	u8 max_links;
	struct smc_ext ext;
	u8 n_gids;
	u8 gid[SMC_CLC_GIDS_MAX][16];
};

/* ---- messages ---- */

struct smc_clc_prefix6 {
	u8 addr[16];
	u8 len;			/* bits, 0..128 */
};

/**
 * struct smc_clc_proposal - SMC Proposal (RFC 7609 A.2.2)
 * @version: version of the message; the answer has the lower of the two sides'
 *	     versions
 * @typev1: enum smc_clc_offer for version 1 (always R in a version 1 message)
 * @typev2: enum smc_clc_offer for version 2 (always NONE in a version 1
 *		message)
 * @peer_id: client's peer ID
 * @gid: client's preferred GID
 * @mac: client's preferred MAC
 * @ipv4_net: subnet number (address & mask, X-07) in host order; 0 for IPv6
 * @ipv4_len: bits of the IPv4 mask, 0..32
 * @n6: used entries of @p6; 0 for IPv4
 * @p6: IPv6 prefixes
 * @has_v1: version 1 SMC-R is offered. Otherwise GID, MAC and prefixes have no
 *	meaning, and a zero peer ID has no meaning (R-L-02)
 * @has_v2: version 2 SMC-R is offered
 * @v2: the offer of version 2
 */
struct smc_clc_proposal {
	u8 version;
	u8 typev1;
	u8 typev2;
	u8 peer_id[SMC_PEER_ID_LEN];
	u8 gid[SMC_GID_LEN];
	u8 mac[SMC_MAC_LEN];
	u32 ipv4_net;
	u8 ipv4_len;
	u8 n6;
	struct smc_clc_prefix6 p6[SMC_CLC_PREFIXES_MAX];
	bool has_v1;
	bool has_v2;
	struct smc_clc_offer_v2 v2;
};

/**
 * struct smc_clc_accept - SMC Accept and SMC Confirm (RFC 7609 A.2.3, A.2.4)
 * @version: 1 or 2
 * @first_contact: F flag of an Accept, or of a Confirm in version 2
 * @peer_id: sender's peer ID
 * @gid: sender's GID on this link
 * @mac: sender's MAC on this link
 * @qpn: sender's queue pair number, 24 bits, not 0
 * @rkey: remote key of the RMB on this link
 * @rmbe_idx: index of the element in the RMB, 1..255
 * @token: alert token for the peer's CDC messages
 * @bsize_code: size code: the element has 1 << (code + 14) bytes; 0..5 are
 *	sent, 0..15 accepted
 * @mtu_code: 1..5 is 256..4096 bytes, others are reserved. A decoder accepts
 *	reserved codes; the caller declines them only in first contact
 *	(R-C.6-03, Y-16)
 * @rmb_addr: RDMA address of element 1
 * @psn: initial packet sequence number of the sender, 24 bits
 * @eid: version 2: EID that both sides have
 * @first: extension of version 2, valid if @first_contact is true
 */
struct smc_clc_accept {
	u8 version;
	bool first_contact;
	u8 peer_id[SMC_PEER_ID_LEN];
	u8 gid[SMC_GID_LEN];
	u8 mac[SMC_MAC_LEN];
	u32 qpn;
	u32 rkey;
	u8 rmbe_idx;
	u32 token;
	u8 bsize_code;
	u8 mtu_code;
	u64 rmb_addr;
	u32 psn;
	u8 eid[SMC_EID_LEN];
	struct smc_clc_first first;
};

/**
 * struct smc_clc_decline_msg - SMC Decline (RFC 7609 A.2.5)
 * @version: 1 or 2 (R-L-05)
 * @sync_err: S flag: the sender does not know the link group that the peer
 *	      named
 * @peer_id: sender's peer ID, zero if the sender has no peer ID
 * @diagnosis: enum smc_decline if the peer uses these codes, otherwise opaque
 */
struct smc_clc_decline_msg {
	u8 version;
	bool sync_err;
	u8 peer_id[SMC_PEER_ID_LEN];
	u32 diagnosis;
};

int smc_clc_peek(const u8 *buf, size_t n, struct smc_clc_hdr *h);

int smc_clc_encode_proposal(u8 *buf, size_t n, const struct smc_clc_proposal *p);
int smc_clc_decode_proposal(const u8 *buf, size_t n, struct smc_clc_proposal *p);
int smc_clc_encode_accept(u8 *buf, size_t n, enum smc_clc_type type,
			  const struct smc_clc_accept *a);
int smc_clc_decode_accept(const u8 *buf, size_t n, enum smc_clc_type type,
			  struct smc_clc_accept *a);
int smc_clc_encode_decline(u8 *buf, size_t n,
			   const struct smc_clc_decline_msg *d);
int smc_clc_decode_decline(const u8 *buf, size_t n,
			   struct smc_clc_decline_msg *d);

/**
 * smc_clc_mtu_valid() - does RFC 7609 define this MTU code?
 * @code: low nibble of byte 50, or of ADD LINK
 *
 * Return: true for 1..5 (256..4096 bytes), see R-A.2.3-07.
 */
static inline bool smc_clc_mtu_valid(u8 code)
{
	return code >= 1 && code <= 5;
}

#endif /* SMC_WIRE_CLC_H */
