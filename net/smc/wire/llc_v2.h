/* SPDX-License-Identifier: GPL-2.0 */
/*
 * LLC messages of version 2, as deployed peers send them: the type byte is the
 * one of version 1 plus 0x20, and the length field has two bytes in the
 * sender's own byte order. Messages with lists of keys or GIDs are longer than
 * 44 bytes. Otherwise the first 44 bytes are the same as in version 1.
 * smc_llc_v2_to_v1() converts them for the decoders of llc.h, and
 * smc_llc_v2_from_v1() converts them back.
 *
 * Counts are also in the sender's byte order. The decoder never uses a count
 * that exceeds the received bytes. The codec allocates no memory, takes no
 * lock, and runs in any context.
 */
#ifndef SMC_WIRE_LLC_V2_H
#define SMC_WIRE_LLC_V2_H

#include "llc.h"

enum {
	SMC_LLC_V2		= 0x20,	/* bit of the type byte */
	SMC_LLC_V2_MAX		= 8192,
	SMC_LLC_V2_ADD_LEN	= 72,	/* ADD LINK without keys */
	SMC_LLC_V2_PAIR_LEN	= 16,
	SMC_LLC_V2_REQ_LEN	= 28,	/* REQUEST ADD LINK before the GIDs */
};

/**
 * struct smc_llc_v2_add - fields that version 2 adds to ADD LINK
 * @direct: no gateway is on the new link's path
 * @gid: GID of the sender's end of the new link, as deployed peers send it
 * @n: number of received pairs, see smc_llc_v2_add_pair()
 */
struct smc_llc_v2_add {
	bool direct;
	u8 gid[SMC_GID_LEN];
	u16 n;
};

/**
 * struct smc_llc_v2_req - REQUEST ADD LINK to be sent
 * @reply: the message is an answer: the server adds no link
 * @n: number of GIDs
 */
struct smc_llc_v2_req {
	bool reply;
	u8 n;
};

/**
 * struct smc_llc_v2_delete_rkey - DELETE RKEY
 * @reply: the message is an answer, which lists no keys
 * @negative: in an answer: a key was unknown
 * @n: in a request: number of keys, see smc_llc_v2_rkey(); in an answer: count
 *     that the sender has set
 * @n_bad: in an answer: number of unknown keys
 */
struct smc_llc_v2_delete_rkey {
	bool reply;
	bool negative;
	u8 n;
	u8 n_bad;
};

bool smc_llc_is_v2(u8 type);
enum smc_llc_class smc_llc_v2_classify(const u8 *buf, size_t n);
void smc_llc_v2_to_v1(u8 out[SMC_LLC_LEN], const u8 *buf);
void smc_llc_v2_from_v1(u8 buf[SMC_LLC_LEN]);

int smc_llc_v2_decode_add(const u8 *buf, size_t n, struct smc_llc_v2_add *m);
int smc_llc_v2_add_pair(const u8 *buf, size_t n, unsigned int i,
			struct smc_llc_rtok_pair *pair);
int smc_llc_v2_encode_add(u8 *buf, size_t n, const struct smc_llc_add_link *a,
			  const struct smc_llc_v2_add *m,
			  const struct smc_llc_rtok_pair *pair);

int smc_llc_v2_encode_req(u8 *buf, size_t n, const struct smc_llc_v2_req *m,
			  const u8 *gids);

int smc_llc_v2_decode_delete_rkey(const u8 *buf, size_t n,
				  struct smc_llc_v2_delete_rkey *m);
int smc_llc_v2_rkey(const u8 *buf, size_t n, unsigned int i, u32 *rkey);
int smc_llc_v2_encode_delete_rkey(u8 *buf, size_t n,
				  const struct smc_llc_v2_delete_rkey *m,
				  const u32 *rkey);

#endif /* SMC_WIRE_LLC_V2_H */
