/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Any LLC message of either version, as one struct. Both versions have the same
 * content in their first 44 bytes; what differs stays behind this header. Pure
 * codec: no allocation, no locks, any context.
 */
#ifndef SMC_WIRE_LLC_MSG_H
#define SMC_WIRE_LLC_MSG_H

#include "llc_v2.h"

enum {
	SMC_LLC_MSG_TYPES = SMC_LLC_DELETE_RKEY + 1,
};

/**
 * struct smc_llc_msg - one LLC message
 * @type: enum smc_llc_type, or SMC_LLC_REQ_ADD_LINK; says which member is valid
 * @confirm_link: CONFIRM LINK
 * @add_link: ADD LINK
 * @add_link_cont: ADD LINK CONTINUATION
 * @delete_link: DELETE LINK
 * @request: REQUEST ADD LINK
 * @confirm_rkey: CONFIRM RKEY
 * @delete_rkey: DELETE RKEY
 * @test_link: TEST LINK
 * @lists_keys: ADD LINK came with a list of keys, which may be empty
 * @n_pairs: keys on it, see smc_llc_msg_pair()
 * @names_no_key: the answer to DELETE RKEY does not say which keys it is about
 */
struct smc_llc_msg {
	u8 type;
	union {
		struct smc_llc_confirm_link confirm_link;
		struct smc_llc_add_link add_link;
		struct smc_llc_add_link_cont add_link_cont;
		struct smc_llc_delete_link delete_link;
		struct smc_llc_v2_req request;
		struct smc_llc_confirm_rkey confirm_rkey;
		struct smc_llc_delete_rkey delete_rkey;
		struct smc_llc_test_link test_link;
	};
	bool lists_keys;
	u16 n_pairs;
	bool names_no_key;
};

bool smc_llc_msg_keys_in_add(u8 version);
enum smc_llc_class smc_llc_msg_classify(u8 version, const u8 *buf, size_t n);
u8 smc_llc_msg_type(const u8 *buf);
int smc_llc_msg_decode(u8 version, const u8 *buf, size_t n,
		       struct smc_llc_msg *m);
int smc_llc_msg_pair(const u8 *buf, size_t n, unsigned int i,
		     struct smc_llc_rtok_pair *pair);
int smc_llc_msg_encode(u8 version, u8 buf[SMC_LLC_LEN],
		       const struct smc_llc_msg *m);
int smc_llc_msg_encode_add(u8 *buf, size_t n, const struct smc_llc_msg *m,
			   const struct smc_llc_v2_add *more,
			   const struct smc_llc_rtok_pair *pair);
int smc_llc_msg_encode_request(u8 *buf, size_t n, const struct smc_llc_msg *m,
			       const u8 *gids);

#endif /* SMC_WIRE_LLC_MSG_H */
