/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Socket list of the SMC family over NETLINK_SOCK_DIAG.
 *
 * A request is SOCK_DIAG_BY_FAMILY with NLM_F_DUMP and struct smc_diag_req;
 * every socket answers with struct smc_diag_msg and the attributes below. The
 * layout is the same as in deployed Linux. Attributes with numbers from 16 on
 * are additions, which older programs skip.
 */
#ifndef _UAPI_LINUX_SMC_DIAG_H
#define _UAPI_LINUX_SMC_DIAG_H

#include <linux/inet_diag.h>
#include <linux/types.h>
#include <rdma/ib_user_verbs.h>

/* Attributes of one socket. */
enum {
	SMC_DIAG_NONE		= 0,
	SMC_DIAG_CONNINFO	= 1,	/* struct smc_diag_conninfo, on request */
	SMC_DIAG_LGRINFO	= 2,	/* struct smc_diag_lgrinfo, on request */
	SMC_DIAG_SHUTDOWN	= 3,	/* u8, mask of RCV_ and SEND_SHUTDOWN */
	SMC_DIAG_DMBINFO	= 4,	/* SMC-D only, never sent for SMC-R */
	SMC_DIAG_FALLBACK	= 5,	/* struct smc_diag_fallback */
	__SMC_DIAG_MAX,			/* last attribute of deployed Linux */

	SMC_DIAG_TRANSPORT	= 16,	/* string: "roce" or "in-host" */
	SMC_DIAG_PROTOCOL	= 17,	/* u8, SMCPROTO_*: kind of the addresses */
	SMC_DIAG_FLOW		= 18,	/* struct smc_diag_flow, with CONNINFO */

	SMC_DIAG_ATTR_END
};

#define SMC_DIAG_MAX (__SMC_DIAG_MAX - 1)

/* Bit of smc_diag_req.diag_ext that requests attribute @attr (1..8). */
#define SMC_DIAG_EXT(attr)	(1 << ((attr) - 1))

/* smc_diag_msg.diag_mode; 0 for a socket without a connection. */
enum {
	SMC_DIAG_MODE_SMCR		= 0,
	SMC_DIAG_MODE_FALLBACK_TCP	= 1,
	SMC_DIAG_MODE_SMCD		= 2,
};

struct smc_diag_req {
	__u8 diag_family;		/* AF_SMC */
	__u8 pad[2];
	__u8 diag_ext;			/* SMC_DIAG_EXT() bits */
	struct inet_diag_sockid id;	/* ignored */
};

struct smc_diag_msg {
	__u8 diag_family;		/* AF_SMC, AF_INET or AF_INET6 */
	__u8 diag_state;
	union {
		__u8 diag_mode;		/* SMC_DIAG_MODE_* */
		__u8 diag_fallback;	/* its old name */
	};
	__u8 diag_shutdown;		/* 0; see SMC_DIAG_SHUTDOWN */
	struct inet_diag_sockid id;	/* network byte order */
	__u32 diag_uid;
	__aligned_u64 diag_inode;
};

/* A position in a ring, with the fields of a CDC message but in host byte
 * order.
 */
struct smc_diag_cursor {
	__u16 reserved;
	__u16 wrap;
	__u32 count;
};

struct smc_diag_conninfo {
	__u32 token;			/* our alert token */
	__u32 sndbuf_size;		/* bytes, all three */
	__u32 rmbe_size;
	__u32 peer_rmbe_size;

	struct smc_diag_cursor rx_prod;	/* cursors that the peer has sent */
	struct smc_diag_cursor rx_cons;

	/* cursors that this host has sent to the peer */
	struct smc_diag_cursor tx_prod;
	struct smc_diag_cursor tx_cons;

	__u8 rx_prod_flags;		/* bits of byte 24 of a CDC message */
	__u8 rx_conn_state_flags;	/* wire bits of byte 25 */
	__u8 tx_prod_flags;
	__u8 tx_conn_state_flags;

	struct smc_diag_cursor tx_prep;	/* queued, written, known delivered */
	struct smc_diag_cursor tx_sent;
	struct smc_diag_cursor tx_fin;
};

/* Bytes of a connection since its start. Unlike cursors these numbers do not
 * depend on elements, which a connection may have at times only.
 */
struct smc_diag_flow {
	__aligned_u64 sent;		/* given to the link */
	__aligned_u64 delivered;	/* known to have arrived */
	__aligned_u64 received;
	__aligned_u64 read;		/* by the application */
};

enum {
	SMC_DIAG_ROLE_CLIENT = 0,
	SMC_DIAG_ROLE_SERVER = 1,
};

/* The link that carries the connection; strings end with NUL. */
struct smc_diag_linkinfo {
	__u8 link_id;
	__u8 ibname[IB_DEVICE_NAME_MAX];
	__u8 ibport;
	__u8 gid[40];
	__u8 peer_gid[40];
};

struct smc_diag_lgrinfo {
	union {
		struct smc_diag_linkinfo lnk[1];
		struct {		/* the members of lnk */
			__u8 link_id;
			__u8 ibname[IB_DEVICE_NAME_MAX];
			__u8 ibport;
			__u8 gid[40];
			__u8 peer_gid[40];
		};
	};
	__u8 role;			/* SMC_DIAG_ROLE_* */
};

struct smc_diag_fallback {
	__u32 reason;			/* diagnosis code, 0: none */
	__u32 peer_diagnosis;		/* code in the peer's Decline message */
};

/* SMC_DIAG_DMBINFO */
struct smcd_diag_dmbinfo {
	__u32 linkid;
	__aligned_u64 peer_gid;		/* upper half of both GIDs */
	__aligned_u64 my_gid;
	__aligned_u64 token;
	__aligned_u64 peer_token;
	__aligned_u64 peer_gid_ext;	/* lower half of both GIDs */
	__aligned_u64 my_gid_ext;
};

#endif /* _UAPI_LINUX_SMC_DIAG_H */
