/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LLC messages of version 1 (RFC 7609 A.3): always 44 bytes in one SEND. The
 * codec allocates no memory, takes no lock, and runs in any context.
 *
 * Every encoder writes all 44 bytes, and zero to reserved bytes. An encoder
 * returns 0, or -EINVAL if a value does not fit its field. Every decoder checks
 * opcode, length byte and counts, ignores reserved bits, and clears fields that
 * the message does not carry. It returns 0 or -EBADMSG. Flags that only a reply
 * can carry (negative, retry, reject) read as false in a request.
 */
#ifndef SMC_WIRE_LLC_H
#define SMC_WIRE_LLC_H

#include "clc.h"

enum {
	SMC_LLC_LEN = 44,
};

enum smc_llc_type {
	SMC_LLC_CONFIRM_LINK		= 0x01,
	SMC_LLC_ADD_LINK		= 0x02,
	SMC_LLC_ADD_LINK_CONT		= 0x03,
	SMC_LLC_DELETE_LINK		= 0x04,
	SMC_LLC_REQ_ADD_LINK		= 0x05,	/* version 2 only */
	SMC_LLC_CONFIRM_RKEY		= 0x06,
	SMC_LLC_TEST_LINK		= 0x07,
	SMC_LLC_CONFIRM_RKEY_CONT	= 0x08,
	SMC_LLC_DELETE_RKEY		= 0x09,
};

/* Class of a message, which tells a receiver how to handle it. The first two
 * bytes of the message decide.
 */
enum smc_llc_class {
	SMC_LLC_CLASS_LLC,		/* a known opcode: decode it */
	SMC_LLC_CLASS_CDC,		/* pass it to the data path */
	SMC_LLC_CLASS_DISCARD,		/* drop silently, R-A.3-04/05 */
	SMC_LLC_CLASS_VIOLATION,	/* link down, R-C.7.1-31 */
	SMC_LLC_CLASS_BAD_LEN,		/* known opcode, not 44 bytes */
};

enum smc_llc_reject {			/* reason for rejecting an ADD LINK */
	SMC_LLC_REJECT_NO_PATH	= 1,
	SMC_LLC_REJECT_MTU	= 2,
};

enum smc_llc_del_reason {		/* R-A.3.4-03, -04 */
	SMC_LLC_DEL_LOST_PATH	= 0x00010000,
	SMC_LLC_DEL_OPERATOR	= 0x00020000,
	SMC_LLC_DEL_PROGRAM	= 0x00030000,
	SMC_LLC_DEL_VIOLATION	= 0x00040000,
	SMC_LLC_DEL_ASYMMETRIC	= 0x00050000,
	SMC_LLC_DEL_NO_LINK	= 0x00100000,	/* reply: link unknown */
	SMC_LLC_DEL_NO_LGR	= 0x00200000,	/* reply of deployed Linux */
};

/*
 * ADD LINK field offsets. RFC 7609 figure 32 puts the GID directly after the
 * MAC. Every deployed stack has two reserved bytes between MAC and GID. The
 * codec uses only the deployed offsets. Tests also use the offsets of
 * the RFC.
 */
enum {
	SMC_LLC_ADD_GID		= 12,
	SMC_LLC_ADD_QPN		= 28,
	SMC_LLC_ADD_LINK_NUM	= 31,
	SMC_LLC_ADD_MTU		= 32,
	SMC_LLC_ADD_PSN		= 33,

	SMC_LLC_ADD_RFC_GID		= 10,
	SMC_LLC_ADD_RFC_QPN		= 26,
	SMC_LLC_ADD_RFC_LINK_NUM	= 29,
	SMC_LLC_ADD_RFC_MTU		= 30,
	SMC_LLC_ADD_RFC_PSN		= 31,
};

struct smc_llc_confirm_link {
	bool reply;
	/* received if one flag bit of 0x03 is set; sent as both bits */
	bool no_eyecatcher;
	u8 mac[SMC_MAC_LEN];
	u8 gid[SMC_GID_LEN];
	u32 qpn;		/* 24 bits */
	/* the server chooses it, the client repeats it */
	u8 link_num;
	u32 link_uid;		/* for diagnostics only */
	/* a client sends 0 to accept the server's value */
	u8 max_links;
	u8 max_conns;		/* from release 1 of version 2 on, otherwise 0 */
};

struct smc_llc_add_link {
	bool reply;
	bool reject;
	u8 reason;		/* enum smc_llc_reject, low nibble */
	u8 mac[SMC_MAC_LEN];
	u8 gid[SMC_GID_LEN];
	/* 24 bits; 0 if a client announces a port (R-L-11) */
	u32 qpn;
	u8 link_num;
	u8 mtu_code;		/* low nibble, not checked (R-C.7.1-21) */
	u32 psn;		/* 24 bits */
};

/*
 * The keys of one RMB: the key on the link that carries the message, and key
 * and address on the new link.
 */
struct smc_llc_rtok_pair {
	u32 ref_rkey;
	u32 new_rkey;
	u64 new_addr;
};

struct smc_llc_add_link_cont {
	bool reply;
	u8 link_num;
	/* pairs still to send, including the pairs of this message */
	u8 num_left;
	/* min(num_left, 2) entries are valid */
	struct smc_llc_rtok_pair pair[2];
};

struct smc_llc_delete_link {
	bool reply;
	bool all;		/* link_num is 0 and has no meaning */
	bool orderly;
	u8 link_num;
	u32 reason;		/* enum smc_llc_del_reason; other values are only logged */
};

struct smc_llc_rtok {
	u8 link_num;
	u32 rkey;
	u64 addr;
};

struct smc_llc_confirm_rkey {
	bool reply;
	bool negative;
	/* with negative: the receiver must repeat the request later */
	bool retry;
	/* 0..7 other links; if more than 2, a continuation follows */
	u8 num_other;
	u32 rkey;		/* key on the link that carries the message */
	u64 addr;
	/* min(num_other, 2) entries are valid */
	struct smc_llc_rtok other[2];
};

struct smc_llc_confirm_rkey_cont {
	bool reply;
	bool negative;
	/* 0..5 entries to send, including those of this message */
	u8 num_left;
	struct smc_llc_rtok entry[3];	/* min(num_left, 3) entries are valid */
};

struct smc_llc_delete_rkey {
	bool reply;
	bool negative;
	u8 num;			/* 1..8 */
	/* keys that the receiver does not know; bit 0x80 is rkey[0] */
	u8 err_mask;
	u32 rkey[8];		/* keys on the link that carries the message */
};

struct smc_llc_test_link {
	bool reply;
	u8 data[16];		/* echoed */
};

bool smc_llc_in_version(u8 type, u8 version);
enum smc_llc_class smc_llc_classify(const u8 *buf, size_t n);

/* Returns the R flag of a message of CLASS_LLC. */
static inline bool smc_llc_is_reply(const u8 *buf)
{
	return buf[3] & 0x80;
}

#define SMC_LLC_CODEC(name)						\
	int smc_llc_encode_##name(u8 buf[SMC_LLC_LEN],			\
				  const struct smc_llc_##name *m);	\
	int smc_llc_decode_##name(const u8 buf[SMC_LLC_LEN],		\
				  struct smc_llc_##name *m)

SMC_LLC_CODEC(confirm_link);
SMC_LLC_CODEC(add_link);
SMC_LLC_CODEC(add_link_cont);
SMC_LLC_CODEC(delete_link);
SMC_LLC_CODEC(confirm_rkey);
SMC_LLC_CODEC(confirm_rkey_cont);
SMC_LLC_CODEC(delete_rkey);
SMC_LLC_CODEC(test_link);

#undef SMC_LLC_CODEC

#endif /* SMC_WIRE_LLC_H */
