/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One struct for all LLC messages of both versions. The first 44 bytes of a
 * message have the same content in both versions. The functions of this header
 * hide the differences. The codec allocates no memory, takes no lock, and runs
 * in any context.
 */
#ifndef SMC_WIRE_LLC_MSG_H
#define SMC_WIRE_LLC_MSG_H

#include "llc_v2.h"

enum {
	SMC_LLC_MSG_TYPES = 0x10,	/* the type has 4 bits */
};

enum {
	SMC_LLC_MSG_MAX = SMC_LLC_V2_MAX,	/* limit of bytes */
	SMC_LLC_REQUEST_GIDS = 2,
	SMC_LLC_REVOKE_HERE = 8,
};

/**
 * struct smc_llc_request - a client asks for another link
 * @reply: the message is an answer: no link will be added. Version 1 has no
 *	answer.
 * @mac: MAC of the port that the sender proposes
 * @n: number of GIDs, 1 to SMC_LLC_REQUEST_GIDS; the decoder does not set it
 * @gid: first the GID of that port, then GIDs of ports in use
 */
struct smc_llc_request {
	bool reply;
	u8 mac[SMC_MAC_LEN];
	u8 n;
	u8 gid[SMC_LLC_REQUEST_GIDS][SMC_GID_LEN];
};

/**
 * struct smc_llc_revoke - DELETE RKEY
 * @reply: the message is an answer
 * @n: number of keys to revoke, at least 1; only in version 2 it may exceed
 *	SMC_LLC_REVOKE_HERE
 * @rkey: the first keys; smc_llc_msg_rkey() returns any key
 * @names_none: the answer names no keys
 * @unknown: answer: bit n: the receiver did not know @rkey[n]
 * @n_unknown: answer: number of unknown keys
 */
struct smc_llc_revoke {
	bool reply;
	u8 n;
	u32 rkey[SMC_LLC_REVOKE_HERE];
	bool names_none;
	u8 unknown;
	u8 n_unknown;
};

/**
 * struct smc_llc_msg - one LLC message
 * @type: enum smc_llc_type; selects the valid member
 * @confirm_link: CONFIRM LINK
 * @add_link: ADD LINK
 * @add_link_cont: ADD LINK CONTINUATION
 * @delete_link: DELETE LINK
 * @request: REQUEST ADD LINK; in version 1 it is sent as an ADD LINK
 * @confirm_rkey: CONFIRM RKEY
 * @confirm_rkey_cont: CONFIRM RKEY CONTINUATION
 * @revoke: DELETE RKEY
 * @test_link: TEST LINK
 * @lists_keys: ADD LINK came with a list of keys, which may be empty
 * @n_pairs: number of pairs in the list, see smc_llc_msg_pair()
 */
struct smc_llc_msg {
	u8 type;
	union {
		struct smc_llc_confirm_link confirm_link;
		struct smc_llc_add_link add_link;
		struct smc_llc_add_link_cont add_link_cont;
		struct smc_llc_delete_link delete_link;
		struct smc_llc_request request;
		struct smc_llc_confirm_rkey confirm_rkey;
		struct smc_llc_confirm_rkey_cont confirm_rkey_cont;
		struct smc_llc_revoke revoke;
		struct smc_llc_test_link test_link;
	};
	bool lists_keys;
	u16 n_pairs;
};

bool smc_llc_msg_keys_in_add(u8 version);
bool smc_llc_msg_request_is_answered(u8 version);
enum smc_llc_class smc_llc_msg_classify(u8 version, const u8 *buf, size_t n);
u8 smc_llc_msg_type(const u8 *buf);
int smc_llc_msg_decode(u8 version, const u8 *buf, size_t n,
		       struct smc_llc_msg *m);
int smc_llc_msg_pair(const u8 *buf, size_t n, unsigned int i,
		     struct smc_llc_rtok_pair *pair);
int smc_llc_msg_rkey(const u8 *buf, size_t n, unsigned int i, u32 *rkey);
bool smc_llc_msg_list_matters(u8 type);
int smc_llc_msg_encode(u8 version, u8 buf[SMC_LLC_LEN],
		       const struct smc_llc_msg *m);
size_t smc_llc_msg_long_len(u8 version, const struct smc_llc_msg *m);
int smc_llc_msg_encode_long(u8 version, u8 *buf, size_t n,
			    const struct smc_llc_msg *m,
			    const struct smc_llc_rtok_pair *pair);

#endif /* SMC_WIRE_LLC_MSG_H */
