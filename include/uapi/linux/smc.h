/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Sockets of family AF_SMC (43), and the two generic netlink families that
 * administer them. The numbers are the same as in deployed Linux. Most
 * constants have two names: one in this file, and one in <linux/smc_names.h>,
 * which programs for deployed Linux use.
 */
#ifndef _UAPI_LINUX_SMC_H
#define _UAPI_LINUX_SMC_H

#include <linux/types.h>

/*
 * Third argument of socket(AF_SMC, SOCK_STREAM, ...). These values are macros,
 * because programs define them themselves if <linux/smc.h> lacks them.
 */
#define SMCPROTO_SMC	0	/* addresses are struct sockaddr_in */
#define SMCPROTO_SMC6	1	/* addresses are struct sockaddr_in6 */

/*
 * socket(AF_INET or AF_INET6, SOCK_STREAM, SMCPROTO_INET) also makes an SMC
 * socket. Newer <linux/in.h> has the number as IPPROTO_SMC.
 */
#define SMCPROTO_INET	256

/* getsockopt() and setsockopt(); the level is SOL_SMC (286). */
#define SMC_LIMIT_HS	1	/* int: answer as plain TCP if too many handshakes are pending */

/* Options that only this module has. Their numbers leave room for options that
 * deployed Linux may add.
 */
#define SMC_INFO	128	/* struct smc_info; getsockopt() only */

/* smc_info.mode */
enum {
	SMC_INFO_MODE_NONE	= 0,	/* not connected */
	SMC_INFO_MODE_TCP	= 1,	/* the socket has fallen back */
	SMC_INFO_MODE_SMC	= 2,
};

/* smc_info.path */
enum {
	SMC_INFO_PATH_NONE	= 0,	/* the connection has no link group (any more) */
	SMC_INFO_PATH_RDMA	= 1,
	SMC_INFO_PATH_INHOST	= 2,	/* copies to the memory of a peer in this host */
};

/*
 * Describes a socket. A member that does not apply to the socket is 0. The
 * struct may grow at its end: the kernel writes no more than optlen bytes, and
 * returns in optlen how many bytes it has written.
 */
struct smc_info {
	__u8	mode;		/* SMC_INFO_MODE_* */
	__u8	path;		/* SMC_INFO_PATH_* */
	__u8	version;	/* of SMC: 1 or 2 */
	__u8	role;		/* 0 client, 1 server */
	__u8	ext_version;	/* of the extension between own hosts; 0: off */
	__u8	ext_caps;	/* SMC_EXT_CAP_* */
	__u8	link;		/* number of the link that carries the bytes */
	__u8	port;		/* of the RDMA device */
	__u32	reason;		/* why this side fell back */
	__u32	peer_reason;	/* why the peer declined */
	__u32	group;		/* number of the link group, as in SMC_A_LGR_ID */
	__u32	token;		/* alert token of the own end */
	__u32	rcv_element;	/* size of the own receive element, bytes */
	__u32	snd_element;	/* size of the peer's, bytes */
	__s32	ifindex;	/* net device of the link, if in this namespace */
	char	device[64];	/* RDMA device */
	__u8	gid[16];
	__u8	peer_gid[16];
};

/* Lengths of strings, without a terminating NUL. */
#define SMC_MAX_PNETID_LEN	16
#define SMC_MAX_EID_LEN		32
#define SMC_MAX_HOSTNAME_LEN	32
#define SMC_PCI_ID_STR_LEN	16
#define SMC_MAX_UEID		4	/* entries in the table of user EIDs */

/*
 * Family "SMC_PNETID": the table of physical networks and their devices.
 */
#define SMCR_GENL_FAMILY_NAME		"SMC_PNETID"
#define SMCR_GENL_FAMILY_VERSION	1

enum {
	SMC_PNETID_GET		= 1,	/* get by name, or dump */
	SMC_PNETID_ADD		= 2,
	SMC_PNETID_DEL		= 3,
	SMC_PNETID_FLUSH	= 4,
};

enum {
	SMC_PNETID_UNSPEC	= 0,
	SMC_PNETID_NAME		= 1,	/* string */
	SMC_PNETID_ETHNAME	= 2,	/* string */
	SMC_PNETID_IBNAME	= 3,	/* string */
	SMC_PNETID_IBPORT	= 4,	/* u8 */
	__SMC_PNETID_MAX,
	SMC_PNETID_MAX		= __SMC_PNETID_MAX - 1,
};

/*
 * Family "SMC_GEN_NETLINK": views of groups, links, devices, statistics, and
 * the identifiers of version 2. All views are dumps.
 */
#define SMC_GENL_FAMILY_NAME		"SMC_GEN_NETLINK"
#define SMC_GENL_FAMILY_VERSION		1

enum {
	SMC_CMD_SYS_INFO	= 1,
	SMC_CMD_LGR_SMCR	= 2,
	SMC_CMD_LINK_SMCR	= 3,
	SMC_CMD_LGR_SMCD	= 4,
	SMC_CMD_DEV_SMCD	= 5,
	SMC_CMD_DEV_SMCR	= 6,
	SMC_CMD_STATS		= 7,
	SMC_CMD_FBACK_STATS	= 8,
	SMC_CMD_UEID_DUMP	= 9,
	/* privileged, like all commands below without DUMP */
	SMC_CMD_UEID_ADD	= 10,
	SMC_CMD_UEID_REMOVE	= 11,
	SMC_CMD_UEID_FLUSH	= 12,
	SMC_CMD_SEID_DUMP	= 13,
	SMC_CMD_SEID_ENABLE	= 14,
	SMC_CMD_SEID_DISABLE	= 15,
	SMC_CMD_HS_LIMIT_DUMP	= 16,
	SMC_CMD_HS_LIMIT_ENABLE	= 17,
	SMC_CMD_HS_LIMIT_DISABLE = 18,

	/* Commands that only this module has. Their numbers leave room for
	 * commands that deployed Linux may add.
	 */
	SMC_CMD_LGR_END		= 128,	/* with SMC_A_LGR_END_ID */
};

/* The outermost attribute of a reply, which contains the others. */
enum {
	SMC_A_SYS_INFO		= 1,
	SMC_A_LGR_SMCR		= 2,
	SMC_A_LINK_SMCR		= 3,
	SMC_A_LGR_SMCD		= 4,
	SMC_A_DEV_SMCD		= 5,
	SMC_A_DEV_SMCR		= 6,
	SMC_A_STATS		= 7,
	SMC_A_FBACK_STATS	= 8,
};

/* Attribute of SMC_CMD_LGR_END. */
enum {
	SMC_A_LGR_END_ID	= 1,	/* u32, as SMC_A_LGR_ID */
};

/* In SMC_A_SYS_INFO. */
enum {
	SMC_A_SYS_VER		= 1,	/* u8 */
	SMC_A_SYS_REL		= 2,	/* u8 */
	SMC_A_SYS_IS_ISM_V2	= 3,	/* u8 */
	SMC_A_SYS_LOCAL_HOST	= 4,	/* string, blank padded */
	SMC_A_SYS_SEID		= 5,	/* string */
	SMC_A_SYS_IS_SMCR_V2	= 6,	/* u8 */
};

/* In SMC_A_LGR_SMCR. */
enum {
	SMC_A_LGR_ID		= 1,	/* u32 */
	SMC_A_LGR_ROLE		= 2,	/* u8, 0 client, 1 server */
	SMC_A_LGR_TYPE		= 3,	/* u8, SMC_LGR_TYPE_* */
	SMC_A_LGR_PNETID	= 4,	/* string */
	SMC_A_LGR_VLAN_ID	= 5,	/* u8 */
	SMC_A_LGR_CONNS_NUM	= 6,	/* u32 */
	SMC_A_LGR_V2_COMMON	= 7,	/* nest SMC_A_V2_* */
	SMC_A_LGR_V2		= 8,	/* nest SMC_A_V2R_* */
	SMC_A_LGR_NET_COOKIE	= 9,	/* u64 */
	SMC_A_LGR_PAD		= 10,
	SMC_A_LGR_BUF_TYPE	= 11,	/* u8 */
	SMC_A_LGR_SNDBUF_ALLOC	= 12,	/* uint, bytes */
	SMC_A_LGR_RMB_ALLOC	= 13,	/* uint, bytes */

	/* Attributes that only this module has. Their numbers leave room for
	 * attributes that deployed Linux may add.
	 */
	SMC_A_LGR_EXT		= 24,	/* nest SMC_A_EXT_* */
};

enum {
	SMC_LGR_TYPE_NONE		= 0,
	SMC_LGR_TYPE_SINGLE		= 1,
	SMC_LGR_TYPE_SYMMETRIC		= 2,
	SMC_LGR_TYPE_ASYMMETRIC_PEER	= 3,
	SMC_LGR_TYPE_ASYMMETRIC_LOCAL	= 4,
};

/* Attributes in SMC_A_LGR_V2_COMMON; the first number is 0, not 1. */
enum {
	SMC_A_V2_VER		= 0,	/* u8 */
	SMC_A_V2_REL		= 1,	/* u8, of the peer */
	SMC_A_V2_OS		= 2,	/* u8, of the peer */
	SMC_A_V2_NEG_EID	= 3,	/* string */
	SMC_A_V2_PEER_HOST	= 4,	/* string */
};

/* In SMC_A_LGR_V2. */
enum {
	SMC_A_V2R_DIRECT	= 1,	/* u8 */
	SMC_A_V2R_MAX_CONNS	= 2,	/* u8 */
	SMC_A_V2R_MAX_LINKS	= 3,	/* u8 */
};

/* Attributes in SMC_A_LINK_SMCR; GIDs are eight groups of four hex digits. */
enum {
	SMC_A_LINK_ID		= 1,	/* u8 */
	SMC_A_LINK_IB_DEV	= 2,	/* string */
	SMC_A_LINK_IB_PORT	= 3,	/* u8 */
	SMC_A_LINK_GID		= 4,	/* string */
	SMC_A_LINK_PEER_GID	= 5,	/* string */
	SMC_A_LINK_CONN_CNT	= 6,	/* u32 */
	SMC_A_LINK_NET_DEV	= 7,	/* u32, interface index */
	SMC_A_LINK_UID		= 8,	/* u32 */
	SMC_A_LINK_PEER_UID	= 9,	/* u32 */
	SMC_A_LINK_STATE	= 10,	/* u32, SMC_LINK_STATE_* */

	/* only this module has it */
	SMC_A_LINK_EXT		= 24,	/* nest SMC_A_EXT_* */
};

/*
 * In SMC_A_LGR_EXT and SMC_A_LINK_EXT: the terms of the extension
 * (Documentation/networking/smc/frames.rst) that both hosts have agreed on. If
 * the extension is off, the nest is missing.
 */
enum {
	SMC_A_EXT_VERSION	= 1,	/* u8 */
	SMC_A_EXT_CAPS		= 2,	/* u8, SMC_EXT_CAP_* */
	SMC_A_EXT_FRAME_SEND	= 3,	/* u32, bytes that the peer receives */
	SMC_A_EXT_FRAME_RECV	= 4,	/* u32, bytes that this host receives */
};

/*
 * The bits of SMC_A_EXT_CAPS. SMC_A_EXT_FRAME_* exist only if the first bit is
 * set.
 */
enum {
	SMC_EXT_CAP_FRAMES	= 0x80,
	SMC_EXT_CAP_ELASTIC	= 0x40,
	SMC_EXT_CAP_WIDE	= 0x20,
	SMC_EXT_CAP_V6		= 0x10,
};

enum {
	SMC_LINK_STATE_UNUSED		= 0,
	SMC_LINK_STATE_INACTIVE		= 1,
	SMC_LINK_STATE_ACTIVATING	= 2,
	SMC_LINK_STATE_ACTIVE		= 3,
};

/* Attributes in SMC_A_DEV_SMCR and SMC_A_DEV_SMCD. */
enum {
	SMC_A_DEV_USE_CNT	= 1,	/* u32, SMC-D only */
	SMC_A_DEV_IS_CRIT	= 2,	/* u8 */
	SMC_A_DEV_PCI_FID	= 3,	/* u32 */
	SMC_A_DEV_PCI_CHID	= 4,	/* u16 */
	SMC_A_DEV_PCI_VENDOR	= 5,	/* u16 */
	SMC_A_DEV_PCI_DEVICE	= 6,	/* u16 */
	SMC_A_DEV_PCI_ID	= 7,	/* string */
	SMC_A_DEV_PORT		= 8,	/* nest SMC_A_PORT_* */
	SMC_A_DEV_PORT2		= 9,	/* nest SMC_A_PORT_* */
	SMC_A_DEV_IB_NAME	= 10,	/* string */
};

enum {
	SMC_A_PORT_PNET_USR	= 1,	/* u8 */
	SMC_A_PORT_PNETID	= 2,	/* string */
	SMC_A_PORT_NETDEV	= 3,	/* u32, interface index */
	SMC_A_PORT_STATE	= 4,	/* u8 */
	SMC_A_PORT_VALID	= 5,	/* u8 */
	SMC_A_PORT_LNK_CNT	= 6,	/* u32 */
};

/* Replies without an outermost nest. */
enum {
	SMC_A_UEID_ENTRY	= 1,	/* string of 32, blank padded */
};

enum {
	SMC_A_SEID_ENTRY	= 1,	/* string */
	SMC_A_SEID_ENABLED	= 2,	/* u8 */
};

enum {
	SMC_A_HS_LIMIT_ENABLED	= 1,	/* u8 */
};

#include <linux/smc_stats.h>
#include <linux/smc_names.h>

#endif /* _UAPI_LINUX_SMC_H */
