/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Agreement on the extension of frames.rst (F-27 to F-31): bytes in vendor
 * fields of version 2 CLC messages, and the terms that follow from them.
 *
 * The code allocates no memory, takes no lock, and runs in any context.
 */
#ifndef SMC_WIRE_EXT_H
#define SMC_WIRE_EXT_H

#include <linux/types.h>

enum {
	SMC_EXT_OFFER_LEN	= 8,	/* Proposal: vendor OUI and options */
	SMC_EXT_ANSWER_LEN	= 4,	/* first-contact extension */

	SMC_EXT_VERSION		= 3,	/* newest version that this host knows */

	/* capabilities */
	SMC_EXT_FRAMES		= 0x80,	/* frames replace CDC messages */
	SMC_EXT_ELASTIC		= 0x40,	/* offers of elements; needs FRAMES */
	SMC_EXT_WIDE		= 0x20,	/* more than 255 connections */
	SMC_EXT_V6		= 0x10,	/* version 2 over IPv6 */
	SMC_EXT_CAPS		= 0xf0,

	/*
	 * Capabilities that this module implements. It neither offers nor
	 * accepts others. A capability is added together with the code behind
	 * it.
	 */
	SMC_EXT_READY		= SMC_EXT_FRAMES | SMC_EXT_ELASTIC |
				  SMC_EXT_WIDE | SMC_EXT_V6,

	SMC_EXT_FRAME_LOG	= 13,	/* with FRAMES: largest received frame */

	/*
	 * From this version on, a frame may be longer by so many bytes: room
	 * for the heads of records whose data has the stated size (F-37).
	 */
	SMC_EXT_HEADS_VERSION	= 2,
	SMC_EXT_HEADS		= 512,

	/* From this version on, records may have short heads (F-38). */
	SMC_EXT_SHORT_VERSION	= 3,
};

/**
 * struct smc_ext - an offer, an answer, or what a host allows
 * @version: 1 to 15; 0: no extension, and the other members are 0
 * @frame_log: log2 of the largest frame that the host receives; 0: it receives
 *	none
 * @caps: SMC_EXT_FRAMES, ELASTIC, WIDE, V6; 0: the host only knows @version
 * @nonce: chosen by the client, repeated by the server
 */
struct smc_ext {
	u8 version;
	u8 frame_log;
	u8 caps;
	u16 nonce;
};

/**
 * struct smc_ext_terms - what both hosts have agreed on
 * @version: 1 to 15; 0: the extension is off, and the other members are 0
 * @caps: common capabilities; 0: both hosts only know @version
 * @send_max: largest frame in bytes that the peer receives; 0 without FRAMES
 * @recv_max: largest frame in bytes that this host receives; 0 without FRAMES
 */
struct smc_ext_terms {
	u8 version;
	u8 caps;
	u32 send_max;
	u32 recv_max;
};

void smc_ext_own(unsigned int allowed, u8 ready, struct smc_ext *own);
void smc_ext_limit(struct smc_ext *own, u8 max_conns);
void smc_ext_encode_offer(u8 buf[SMC_EXT_OFFER_LEN], const struct smc_ext *e);
void smc_ext_decode_offer(const u8 buf[SMC_EXT_OFFER_LEN], struct smc_ext *e);
void smc_ext_encode_answer(u8 buf[SMC_EXT_ANSWER_LEN], const struct smc_ext *e);
void smc_ext_decode_answer(const u8 buf[SMC_EXT_ANSWER_LEN], struct smc_ext *e);

void smc_ext_answer(const struct smc_ext *own, const struct smc_ext *offer,
		    struct smc_ext *answer);
bool smc_ext_agreed(const struct smc_ext *offer, const struct smc_ext *answer);
bool smc_ext_confirmed(const struct smc_ext *answer,
		       const struct smc_ext *confirm);
bool smc_ext_fits_gid(u8 caps, const u8 gid[16]);
bool smc_ext_same(const struct smc_ext *a, const struct smc_ext *b);
void smc_ext_settle(const struct smc_ext *answer, u8 peer_log, u8 own_log,
		    struct smc_ext_terms *t);

#endif /* SMC_WIRE_EXT_H */
