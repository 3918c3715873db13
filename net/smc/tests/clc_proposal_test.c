// SPDX-License-Identifier: GPL-2.0
/* Tests of the SMC Proposal (RFC 7609 A.2.2), also in the format of deployed
 * Linux.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "clc_vectors.h"
#include "tests.h"
#include "../wire/clc.h"

static const struct smc_clc_proposal proposal4 = {
	.version = SMC_CLC_V1, .typev1 = SMC_CLC_OFFER_R,
	.typev2 = SMC_CLC_OFFER_NONE, .has_v1 = true,
	.peer_id = PEER, .gid = GID, .mac = MAC,
	.ipv4_net = 0x0a4d0100, .ipv4_len = 24,
};

static const u8 proposal4_bytes[52] =
	EYE "\x01\x00\x34\x10" PEER GID MAC
	"\x00\x00"	/* offset of the mask area */
	"\x0a\x4d\x01\x00\x18"	/* subnet number, mask length */
	"\x00\x00\x00"	/* reserved, no IPv6 prefixes */
	EYE;

static const struct smc_clc_proposal proposal6 = {
	.version = SMC_CLC_V1, .typev1 = SMC_CLC_OFFER_R,
	.typev2 = SMC_CLC_OFFER_NONE, .has_v1 = true,
	.peer_id = PEER, .gid = GID, .mac = MAC, .n6 = 2,
	.p6 = {
		{ .addr = { 0xfd, 0x77, 0, 1 }, .len = 64 },
		{ .addr = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 }, .len = 128 },
	},
};

static const u8 proposal6_bytes[86] =
	EYE "\x01\x00\x56\x10" PEER GID MAC
	"\x00\x00"
	"\x00\x00\x00\x00\x00"
	"\x00\x00\x02"
	"\xfd\x77\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x40"
	"\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x80"
	EYE;

static int decode_proposal(const u8 *buf, size_t n)
{
	struct smc_clc_proposal p;

	return smc_clc_decode_proposal(buf, n, &p);
}

/* R-A.2.2-01..10, -13, R-A.2-05: the bytes are those of the RFC's tables. */
static void proposal_golden(struct kunit *test)
{
	struct smc_clc_proposal p;
	u8 buf[SMC_CLC_MAX_LEN];

	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf),
						      &proposal4), 52);
	/* R-A.2-05, R-A.2.2-01..05, -07, -09, -13 */
	KUNIT_EXPECT_MEMEQ(test, buf, proposal4_bytes, 52);
	memset(&p, 0xff, sizeof(p));
	KUNIT_EXPECT_EQ(test, smc_clc_decode_proposal(proposal4_bytes, 52, &p),
			0);
	KUNIT_EXPECT_EQ(test, p.version, 1);
	/* R-A.2.2-07 */
	KUNIT_EXPECT_EQ(test, p.ipv4_net, 0x0a4d0100);
	KUNIT_EXPECT_EQ(test, p.ipv4_len, 24);
	KUNIT_EXPECT_EQ(test, p.n6, 0);
	KUNIT_EXPECT_TRUE(test, p.has_v1);
	/* R-A.2.2-04 */
	KUNIT_EXPECT_MEMEQ(test, p.peer_id, proposal4.peer_id, 8);
	KUNIT_EXPECT_MEMEQ(test, p.gid, proposal4.gid, 16);
	KUNIT_EXPECT_MEMEQ(test, p.mac, proposal4.mac, 6);

	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf),
						      &proposal6), 86);
	/* R-A.2.2-02, -08..10, -13 */
	KUNIT_EXPECT_MEMEQ(test, buf, proposal6_bytes, 86);
	KUNIT_EXPECT_EQ(test, smc_clc_decode_proposal(proposal6_bytes, 86, &p),
			0);
	KUNIT_EXPECT_EQ(test, p.n6, 2);
	KUNIT_EXPECT_EQ(test, p.p6[0].len, 64);
	KUNIT_EXPECT_EQ(test, p.p6[1].len, 128);
	/* R-A.2.2-10 */
	KUNIT_EXPECT_MEMEQ(test, p.p6[1].addr, proposal6.p6[1].addr, 16);
}

/* R-A.2.2-02, -12: tests every number of prefixes, in a buffer that is just
 * long enough.
 */
static void proposal_prefixes(struct kunit *test)
{
	struct smc_clc_proposal in = proposal6, out;
	u8 n;

	for (n = 0; n <= SMC_CLC_PREFIXES_MAX; n++) {
		size_t len = 52 + 17 * (size_t)n;
		u8 *buf = kunit_kmalloc(test, len, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, buf);
		in.n6 = n;
		if (n)
			memset(&in.p6[n - 1], 0x10 + n, sizeof(in.p6[0]));
		/* R-A.2.2-02 */
		KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, len, &in),
				len);
		KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, len - 1, &in),
				-ENOSPC);
		KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(buf, len, &out),
				0);
		KUNIT_EXPECT_EQ(test, out.n6, n);
		KUNIT_EXPECT_MEMEQ(test, out.p6, in.p6,
				   n * sizeof(out.p6[0]));
	}
}

static void proposal_encode_refuses(struct kunit *test)
{
	struct smc_clc_proposal p;
	u8 buf[SMC_CLC_MAX_LEN];

	p = proposal4;
	p.version = 3;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf), &p),
			-EINVAL);
	p = proposal4;
	p.ipv4_len = 33;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf), &p),
			-EINVAL);
	p = proposal6;
	p.n6 = 9;
	/* R-A.2.2-12 */
	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf), &p),
			-EINVAL);
	p = proposal6;
	p.p6[1].len = 129;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf), &p),
			-EINVAL);
	p = proposal6;
	p.ipv4_net = 1;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf), &p),
			-EINVAL);
}

/* R-A.2-02, -06, R-A.2.2-08, -09, -11. */
static void proposal_refuses(struct kunit *test)
{
	u8 *p = smc_test_copy(test, proposal6_bytes, 86);

	smc_test_damage(test, decode_proposal, proposal4_bytes, 52);
	smc_test_cut(test, decode_proposal, proposal6_bytes, 86);

	p[44] = 33;				/* mask length */
	/* R-A.2.2-08 */
	KUNIT_EXPECT_EQ(test, decode_proposal(p, 86), -EBADMSG);
	p[44] = 32;
	KUNIT_EXPECT_EQ(test, decode_proposal(p, 86), 0);
	p[64] = 129;				/* first prefix length */
	/* R-A.2.2-11 */
	KUNIT_EXPECT_EQ(test, decode_proposal(p, 86), -EBADMSG);
	p[64] = 128;
	p[47] = 3;				/* more prefixes than bytes */
	/* R-A.2-06 */
	KUNIT_EXPECT_EQ(test, decode_proposal(p, 86), -EBADMSG);
	p[47] = 1;				/* fewer */
	/* R-A.2.2-13 */
	KUNIT_EXPECT_EQ(test, decode_proposal(p, 86), -EBADMSG);
	p[47] = 9;
	KUNIT_EXPECT_EQ(test, decode_proposal(p, 86), -EBADMSG);
	p[47] = 2;
	KUNIT_EXPECT_EQ(test, decode_proposal(p, 86), 0);
}

/* Checks that more than 8 prefixes are refused, even if the message has room
 * for them.
 */
static void proposal_nine_prefixes(struct kunit *test)
{
	u8 buf[52 + 9 * 17] = {};

	memcpy(buf, proposal6_bytes, 48);
	buf[6] = sizeof(buf);
	buf[47] = 9;
	memcpy(buf + sizeof(buf) - 4, proposal6_bytes, 4);
	/* R-A.2.2-09 */
	KUNIT_EXPECT_EQ(test, decode_proposal(buf, sizeof(buf)), -EBADMSG);
	/* in version 2 further bytes may follow the prefixes */
	buf[7] = 0x28;
	KUNIT_EXPECT_EQ(test, decode_proposal(buf, sizeof(buf)), -EBADMSG);
	buf[47] = 8;
	KUNIT_EXPECT_EQ(test, decode_proposal(buf, sizeof(buf)), 0);
}

/* R-A.2-01: the decoded Proposal is the same if all reserved bits are set. */
static void proposal_reserved(struct kunit *test)
{
	u8 *b = smc_test_copy(test, proposal4_bytes, 52);
	struct smc_clc_proposal p;
	u8 buf[52];

	b[7] |= 0x0f;
	b[45] = 0xff;
	b[46] = 0xff;
	KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(b, 52, &p), 0);
	KUNIT_EXPECT_TRUE(test, p.has_v1);
	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, 52, &p), 52);
	/* R-A.2-01 */
	KUNIT_EXPECT_MEMEQ(test, buf, proposal4_bytes, 52);
}

/* Builds a version 1 Proposal with the mask area at offset @x. */
static size_t with_gap(u8 *buf, u16 x)
{
	size_t len = 52 + (size_t)x;

	memset(buf, 0xee, len);
	memcpy(buf, proposal4_bytes, 38);
	buf[5] = (u8)(len >> 8);
	buf[6] = (u8)len;
	buf[38] = (u8)(x >> 8);
	buf[39] = (u8)x;
	memcpy(buf + 40 + x, proposal4_bytes + 40, 12);
	return len;
}

/* R-A.2.2-06: the decoder finds the area by its offset, with any bytes before
 * it.
 */
static void proposal_offset(struct kunit *test)
{
	static const u16 gap[] = { 0, 8, 40, 600 };
	static u8 buf[SMC_CLC_MAX_LEN];
	struct smc_clc_proposal p;
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(gap); i++) {
		len = with_gap(buf, gap[i]);
		KUNIT_EXPECT_EQ(test, smc_clc_decode_proposal(buf, len, &p), 0);
		/* R-A.2.2-06 */
		KUNIT_EXPECT_EQ(test, p.ipv4_net, 0x0a4d0100);
	}
	len = with_gap(buf, 8);
	/* the mask area overlaps the trailer by one byte */
	buf[39] = 9;
	/* R-A.2.2-06 */
	KUNIT_EXPECT_EQ(test, decode_proposal(buf, len), -EBADMSG);
	buf[38] = 0xff;
	buf[39] = 0xff;
	KUNIT_EXPECT_EQ(test, decode_proposal(buf, len), -EBADMSG);
}

/* Builds a Proposal of deployed Linux: the offset is 40, and the extension
 * follows the mask area.
 */
static size_t linux_proposal(u8 *buf, u8 offers)
{
	size_t area = (offers & 3) == SMC_CLC_OFFER_NONE ? 0 : 8;
	size_t len = 80 + area + 72 + 4;	/* one UEID, no SMC-D part */

	memset(buf, 0xee, len);
	buf[50] = 0;
	buf[51] = (u8)(28 + area);
	buf[80 + area] = 1;			/* EIDs */
	buf[80 + area + 1] = 0;			/* SMC-D devices */
	buf[80 + area + 6] = 0;			/* SMC-D part */
	buf[80 + area + 7] = 0;
	memcpy(buf, proposal4_bytes, 38);
	buf[5] = (u8)(len >> 8);
	buf[6] = (u8)len;
	buf[7] = 0x20 | offers;
	buf[38] = 0;
	buf[39] = area ? 40 : 0;
	memcpy(buf + 80, proposal4_bytes + 40, area);
	memcpy(buf + len - 4, proposal4_bytes, 4);
	return len;
}

/* R-L-01, R-L-02, X-02. */
static void proposal_v2(struct kunit *test)
{
	static u8 buf[SMC_CLC_MAX_LEN];
	struct smc_clc_proposal p;
	u8 offers;

	for (offers = 0; offers < 16; offers++) {
		size_t len = linux_proposal(buf, offers);
		u8 v1 = offers & 3;

		KUNIT_ASSERT_EQ_MSG(test, smc_clc_decode_proposal(buf, len, &p),
				    0, "offers %u", offers);
		KUNIT_EXPECT_EQ(test, p.version, 2);
		KUNIT_EXPECT_EQ(test, p.typev1, v1);
		KUNIT_EXPECT_EQ(test, p.typev2, offers >> 2);
		/* R-L-01, -02 */
		KUNIT_EXPECT_EQ(test, p.has_v1, v1 == SMC_CLC_OFFER_R ||
				v1 == SMC_CLC_OFFER_BOTH);
		KUNIT_EXPECT_EQ(test, p.ipv4_net,
				v1 == SMC_CLC_OFFER_NONE ? 0 : 0x0a4d0100);
		KUNIT_EXPECT_EQ(test, p.has_v2, offers >> 2 == SMC_CLC_OFFER_R ||
				offers >> 2 == SMC_CLC_OFFER_BOTH);
		KUNIT_EXPECT_EQ(test, p.v2.n_eids,
				offers >> 2 == SMC_CLC_OFFER_NONE ? 0 : 1);
	}
}

/* Checks that a message with the SMC-D eye catcher is valid, but does not offer
 * SMC-R.
 */
static void proposal_smcd(struct kunit *test)
{
	u8 *b = smc_test_copy(test, proposal4_bytes, 52);
	struct smc_clc_proposal p;

	b[3] = 0xc4;
	KUNIT_EXPECT_EQ(test, decode_proposal(b, 52), -EBADMSG);
	b[51] = 0xc4;
	KUNIT_EXPECT_EQ(test, smc_clc_decode_proposal(b, 52, &p), 0);
	KUNIT_EXPECT_FALSE(test, p.has_v1);
}

/* Checks that the encoder never writes beyond a buffer of any size. */
static void proposal_room(struct kunit *test)
{
	u8 buf[54];
	size_t n;

	for (n = 0; n < 52; n++) {
		memset(buf, 0xa5, sizeof(buf));
		KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, n,
							      &proposal4),
				-ENOSPC);
		KUNIT_EXPECT_EQ(test, buf[n], 0xa5);
	}
}

static struct kunit_case proposal_cases[] = {
	KUNIT_CASE(proposal_golden),
	KUNIT_CASE(proposal_prefixes),
	KUNIT_CASE(proposal_encode_refuses),
	KUNIT_CASE(proposal_refuses),
	KUNIT_CASE(proposal_nine_prefixes),
	KUNIT_CASE(proposal_reserved),
	KUNIT_CASE(proposal_offset),
	KUNIT_CASE(proposal_v2),
	KUNIT_CASE(proposal_smcd),
	KUNIT_CASE(proposal_room),
	{}
};

struct kunit_suite smc_proposal_suite = {
	.name = "smc_proposal",
	.test_cases = proposal_cases,
};
