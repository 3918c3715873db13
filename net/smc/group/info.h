/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots of link groups and their links, for the views. */
#ifndef _SMC_GROUP_INFO_H
#define _SMC_GROUP_INFO_H

#include <linux/types.h>
#include "../base/limits.h"
#include "../transport/pnet.h"
#include "../wire/ext.h"
#include "role.h"

struct net;
struct smc_lgr;
struct smc_link;

/* Existing tools use the same numbers. */
enum smc_link_info_state {
	SMC_LINK_INFO_UNUSED		= 0,
	SMC_LINK_INFO_INACTIVE		= 1,
	SMC_LINK_INFO_ACTIVATING	= 2,
	SMC_LINK_INFO_ACTIVE		= 3,
};

/**
 * struct smc_link_info - one link
 * @num:	link number
 * @state:	enum smc_link_info_state
 * @ibname:	RDMA device, empty in-host
 * @ibport:	its port
 * @ifindex:	net device of the port; 0 if the caller's namespace has none
 * @pnet:	physical network of the port
 * @gid:	own GID
 * @peer_gid:	GID of the peer
 * @conns:	number of connections that send on the link
 * @uid:	own link user ID
 * @peer_uid:	link user ID of the peer
 */
struct smc_link_info {
	u8 num;
	u8 state;
	char ibname[64];
	u8 ibport;
	int ifindex;
	struct smc_pnet_name pnet;
	u8 gid[16];
	u8 peer_gid[16];
	u32 conns;
	u32 uid;
	u32 peer_uid;
};

/**
 * struct smc_lgr_info - one link group
 * @id:		number as in SMC_A_LGR_ID: the low byte, which tools use for the
 *		number of a link, is 0. The numbers wrap, see SMC_LGR_ID_BITS.
 * @net_cookie:	namespace of the connections in the group
 * @role:	own role
 * @in_host:	the peer is this host
 * @transport:	"roce" or "in-host"
 * @version:	protocol version, 1 or 2
 * @vlan:	VLAN ID or 0
 * @peer_id:	peer ID
 * @conns:	connections
 * @rmbs:	own RMBs
 * @rmb_bytes:	memory of own RMBs in bytes
 * @snd_bytes:	memory of data to be sent, in bytes
 * @state:	name of the group's state
 * @v2:		terms that version 2 agreed on; valid only if @version is 2
 * @ext:	what both hosts agreed on about the extension of frames.rst
 * @n_links:	entries of @link
 * @link:	links in use
 */
struct smc_lgr_info {
	u32 id;
	u64 net_cookie;
	enum smc_role role;
	bool in_host;
	const char *transport;
	u8 version;
	u16 vlan;
	u8 peer_id[8];
	u32 conns;
	u32 rmbs;
	u64 rmb_bytes;
	u64 snd_bytes;
	const char *state;
	struct {
		u8 release;	/* of the peer, like the next two members */
		u8 os;
		char peer_host[33];
		char eid[33];
		bool direct;	/* no gateway is between the two hosts */
		u8 max_conns;
		u8 max_links;
	} v2;
	struct smc_ext_terms ext;
	unsigned int n_links;
	struct smc_link_info link[SMC_LINK_SLOTS];
};

/**
 * smc_info_next - snapshot of the next group of a namespace
 * @net:	namespace
 * @id:		in: number of the previous group, 0 for the first; out: number
 *		of the group in @info
 * @info:	filled in
 * @memory:	true: also fill in rmb_bytes and snd_bytes, for which the
 *		function adds up counts of all CPUs
 *
 * Context: process. Return: false at the end.
 */
bool smc_info_next(const struct net *net, u32 *id, struct smc_lgr_info *info,
		   bool memory);
/**
 * smc_info_rmb_bytes - memory of the RMBs of all groups of a namespace, in
 * bytes
 * @net: namespace
 *
 * Visits no group. Context: any.
 */
u64 smc_info_rmb_bytes(const struct net *net);
/**
 * smc_info_member - snapshot of a member's group and link
 * @lgr:	group, referenced
 * @on:		link that a member sends on, referenced
 * @net:	namespace of the caller
 * @info:	filled in, except rmb_bytes and snd_bytes
 * @link:	filled in with the data of @on
 *
 * Context: process.
 */
void smc_info_member(struct smc_lgr *lgr, const struct smc_link *on,
		     const struct net *net, struct smc_lgr_info *info,
			 struct smc_link_info *link);

u32 smc_info_link_uid(const struct smc_link *link);
unsigned int smc_info_link_napi(const struct smc_link *link);

#endif
