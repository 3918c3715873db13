/* SPDX-License-Identifier: GPL-2.0 */
/* Vectors and helpers that all CLC suites share. clc_test.c defines the
 * helpers.
 */
#ifndef SMC_TESTS_CLC_VECTORS_H
#define SMC_TESTS_CLC_VECTORS_H

#include <linux/types.h>

#define EYE	"\xe2\xd4\xc3\xd9"
#define EYE_SMCD "\xe2\xd4\xc3\xc4"
#define PEER	"\xa1\xa2\x02\x00\x00\x00\x0a\x01"
#define GID	"\xfe\x80\x00\x00\x00\x00\x00\x00\x02\x11\x22\xff\xfe\x33\x44\x55"
#define MAC	"\x02\x11\x22\x33\x44\x55"

struct kunit;

typedef int smc_test_decode_fn(const u8 *buf, size_t n);

u8 *smc_test_copy(struct kunit *test, const u8 *from, size_t n);
void smc_test_damage(struct kunit *test, smc_test_decode_fn *decode,
		     const u8 *msg, size_t len);
void smc_test_cut(struct kunit *test, smc_test_decode_fn *decode,
		  const u8 *msg, size_t len);

#endif /* SMC_TESTS_CLC_VECTORS_H */
