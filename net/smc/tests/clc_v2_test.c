// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of version 2 CLC messages. The byte vectors follow the layouts of
 * deployed peers, field by field.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/string.h>

#include "clc_vectors.h"
#include "tests.h"
#include "../wire/clc_v2.c"

#define EID1	"SMCV2-DEFAULT-UEID              "
#define EID2	"SECOND.UEID                     "
#define GID4	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x0a\x4d\x01\x02"
#define HOST	"host-a                          "
#define Z4	"\x00\x00\x00\x00"
#define Z8	"\x00\x00\x00\x00\x00\x00\x00\x00"
#define Z16	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

#define BASE(len, byte7, iparea)					\
	EYE "\x01" len byte7 PEER GID4 MAC iparea
#define LOCATOR(off)							\
	Z8 "\x00\x00" off Z8 Z16 Z4
#define AREA4	"\x0a\x4d\x01\x00\x18\x00\x00\x00"
#define EXT(n, d, flags, d_off, conns, links)				\
	n d "\x00" flags "\x00\x00" d_off GID4 conns links "\x00\x00" Z8 Z4

/* The Proposal of our client: both versions, two EIDs. */
static const u8 both_bytes[196] =
	BASE("\x00\xc4", "\x20", "\x00\x28")
	LOCATOR("\x00\x24")
	AREA4
	EXT("\x02", "\x00", "\x10", "\x00\x00", "\xff", "\x02")
	EID1 EID2 EYE;

static const struct smc_clc_proposal both = {
	.version = SMC_CLC_V2, .typev1 = SMC_CLC_OFFER_R,
	.typev2 = SMC_CLC_OFFER_R, .has_v1 = true, .has_v2 = true,
	.peer_id = PEER, .gid = GID4, .mac = MAC,
	.ipv4_net = 0x0a4d0100, .ipv4_len = 24,
	.v2 = {
		.release = 1, .n_eids = 2, .eid = { EID1, EID2 }, .gid = GID4,
		.max_conns = 255, .max_links = 2,
	},
};

/* The Proposal of older peers without RoCEv1: only version 2, release 0. */
static const u8 only2_bytes[156] =
	EYE "\x01\x00\x9c\x22" Z8 Z16 Z8
	LOCATOR("\x00\x1c")
	EXT("\x01", "\x00", "\x00", "\x00\x00", "\x00", "\x00")
	EID1 EYE;

#define ACCEPT_BODY							\
	PEER GID4 MAC							\
	"\x12\x34\x56"	/* QP number */					\
	"\xde\xad\xbe\xef"	/* rkey */				\
	"\x07"	/* element */						\
	"\x01\x02\x03\x04"	/* alert token */			\
	"\x13\x00"	/* Bsize 1 and MTU 3, reserved */		\
	"\x11\x22\x33\x44\x55\x66\x77\x88"				\
	"\x00\xab\xcd\xef"	/* reserved, PSN */			\
	EID2 Z8
#define FIRST(direct, os, conns, links)					\
	direct os "\x00\x00" HOST conns links "\x00\x00" Z4 Z8

static const u8 reuse_bytes[108] =
	EYE "\x02\x00\x6c\x20" ACCEPT_BODY EYE;

static const u8 first_bytes[160] =
	EYE "\x02\x00\xa0\x28" ACCEPT_BODY
	FIRST("\x80", "\x21", "\x20", "\x01") EYE;

/* The extension of older peers, 36 bytes. */
static const u8 first20_bytes[144] =
	EYE "\x02\x00\x90\x28" ACCEPT_BODY
	"\x00\x20\x00\x00" HOST EYE;

static const u8 confirm_bytes[196] =
	EYE "\x03\x00\xc4\x28" ACCEPT_BODY
	FIRST("\x80", "\x21", "\x20", "\x01")
	"\x02\x00\x00\x00" GID4 GID EYE;

static const struct smc_clc_accept accept2 = {
	.version = SMC_CLC_V2, .peer_id = PEER, .gid = GID4, .mac = MAC,
	.qpn = 0x123456, .rkey = 0xdeadbeef, .rmbe_idx = 7,
	.token = 0x01020304, .bsize_code = 1, .mtu_code = 3,
	.rmb_addr = 0x1122334455667788ULL, .psn = 0xabcdef, .eid = EID2,
};

static const struct smc_clc_first first1 = {
	.direct = true, .os = SMC_CLC_OS_LINUX, .release = 1, .host = HOST,
	.max_conns = 32, .max_links = 1, .n_gids = 2, .gid = { GID4, GID },
};

static int decode_proposal(const u8 *buf, size_t n)
{
	struct smc_clc_proposal p;

	return smc_clc_decode_proposal(buf, n, &p);
}

static int decode_accept(const u8 *buf, size_t n)
{
	struct smc_clc_accept a;

	return smc_clc_decode_accept(buf, n, SMC_CLC_ACCEPT, &a);
}

static int decode_confirm(const u8 *buf, size_t n)
{
	struct smc_clc_accept a;

	return smc_clc_decode_accept(buf, n, SMC_CLC_CONFIRM, &a);
}

static void offer_golden(struct kunit *test)
{
	struct smc_clc_proposal p;
	u8 buf[SMC_CLC_MAX_LEN];

	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf), &both),
			196);
	KUNIT_EXPECT_MEMEQ(test, buf, both_bytes, 196);
	KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(both_bytes, 196, &p), 0);
	KUNIT_EXPECT_TRUE(test, p.has_v1);
	KUNIT_EXPECT_TRUE(test, p.has_v2);
	KUNIT_EXPECT_EQ(test, p.ipv4_net, 0x0a4d0100);
	KUNIT_EXPECT_EQ(test, p.v2.release, 1);
	KUNIT_EXPECT_EQ(test, p.v2.n_eids, 2);
	KUNIT_EXPECT_MEMEQ(test, p.v2.eid, both.v2.eid, 64);
	KUNIT_EXPECT_MEMEQ(test, p.v2.gid, GID4, 16);
	KUNIT_EXPECT_EQ(test, p.v2.max_conns, 255);
	KUNIT_EXPECT_EQ(test, p.v2.max_links, 2);

	KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(only2_bytes, 156, &p), 0);
	KUNIT_EXPECT_FALSE(test, p.has_v1);
	KUNIT_EXPECT_TRUE(test, p.has_v2);
	KUNIT_EXPECT_EQ(test, p.v2.release, 0);
	KUNIT_EXPECT_EQ(test, p.v2.n_eids, 1);
	KUNIT_EXPECT_MEMEQ(test, p.v2.eid[0], EID1, 32);
}

/* Checks that the decoder finds the extension by its offset in every offer. */
static void offer_kinds(struct kunit *test)
{
	static struct smc_clc_proposal in, p;	/* too large for the stack */
	u8 buf[SMC_CLC_MAX_LEN];
	int len;
	u8 n;

	in = both;
	in.ipv4_net = 0;
	in.ipv4_len = 0;
	for (n = 0; n <= SMC_CLC_PREFIXES_MAX; n++) {
		in.n6 = n;
		in.v2.n_eids = n;
		len = smc_clc_encode_proposal(buf, sizeof(buf), &in);
		KUNIT_EXPECT_EQ(test, len, 132 + 17 * n + 32 * n);
		KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(buf, (size_t)len,
							      &p), 0);
		KUNIT_EXPECT_EQ(test, p.n6, n);
		KUNIT_EXPECT_EQ(test, p.v2.n_eids, n);
		KUNIT_EXPECT_MEMEQ(test, p.v2.gid, GID4, 16);
	}
	in = both;
	in.typev1 = SMC_CLC_OFFER_NONE;
	len = smc_clc_encode_proposal(buf, sizeof(buf), &in);
	KUNIT_EXPECT_EQ(test, len, 188);
	KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(buf, (size_t)len, &p), 0);
	KUNIT_EXPECT_FALSE(test, p.has_v1);
	KUNIT_EXPECT_TRUE(test, p.has_v2);
	in = both;
	in.typev2 = SMC_CLC_OFFER_NONE;
	len = smc_clc_encode_proposal(buf, sizeof(buf), &in);
	KUNIT_EXPECT_EQ(test, len, 92);
	KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(buf, (size_t)len, &p), 0);
	KUNIT_EXPECT_TRUE(test, p.has_v1);
	KUNIT_EXPECT_FALSE(test, p.has_v2);
}

static void offer_encode_refuses(struct kunit *test)
{
	static struct smc_clc_proposal p[6];	/* too large for the stack */
	u8 buf[SMC_CLC_MAX_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(p); i++)
		p[i] = both;
	p[0].typev1 = SMC_CLC_OFFER_BOTH;
	p[1].typev2 = SMC_CLC_OFFER_D;
	p[2].typev1 = SMC_CLC_OFFER_NONE;
	p[2].typev2 = SMC_CLC_OFFER_NONE;
	p[3].v2.release = 2;
	p[4].v2.n_eids = 9;
	p[5].has_v2 = false;
	for (i = 0; i < ARRAY_SIZE(p); i++)
		KUNIT_EXPECT_EQ_MSG(test, smc_clc_encode_proposal(buf,
								  sizeof(buf),
								  &p[i]),
				    -EINVAL, "row %zu", i);
	KUNIT_EXPECT_EQ(test, smc_clc_encode_proposal(buf, 195, &both), -ENOSPC);
}

/*
 * Tests each offset and each count: at its limit, above its limit, and beyond
 * the end of the message.
 */
static void offer_bounds(struct kunit *test)
{
	static const struct {
		size_t at;
		u8 was;
		u8 now;
		int ret;
	} t[] = {
		{ 39, 40, 41, -EBADMSG },	/* mask area */
		{ 39, 40, 255, -EBADMSG },
		{ 38, 0, 1, -EBADMSG },
		{ 51, 36, 27, -EBADMSG },	/* extension: in the block */
		{ 51, 36, 172, -EBADMSG },	/* beyond the message */
		{ 51, 36, 173, -EBADMSG },
		{ 50, 0, 1, -EBADMSG },
		{ 50, 0, 255, -EBADMSG },
		{ 51, 36, 0, 0 },		/* none */
		{ 88, 2, 3, -EBADMSG },		/* more EIDs than bytes */
		{ 88, 2, 8, -EBADMSG },
		{ 88, 2, 9, -EBADMSG },
		{ 88, 2, 255, -EBADMSG },
		{ 88, 2, 1, 0 },
		{ 89, 0, 255, 0 },		/* without an SMC-D part */
		{ 95, 0, 255, 0 },
	};
	u8 *b = smc_test_copy(test, both_bytes, 196);
	size_t i;

	smc_test_damage(test, decode_proposal, both_bytes, 196);
	smc_test_cut(test, decode_proposal, both_bytes, 196);
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		KUNIT_EXPECT_EQ_MSG(test, b[t[i].at], t[i].was, "row %zu", i);
		b[t[i].at] = t[i].now;
		KUNIT_EXPECT_EQ_MSG(test, decode_proposal(b, 196), t[i].ret,
				    "row %zu", i);
		b[t[i].at] = t[i].was;
	}
	KUNIT_EXPECT_EQ(test, decode_proposal(b, 196), 0);
}

/* Tests SMC-D beside SMC-R: the decoder must check the length of the SMC-D part
 * and skip this part.
 */
static void offer_smcd(struct kunit *test)
{
	/* one EID, then the SMC-D part with two entries */
	static const u8 bytes[156 + 8 + 48 + 20] =
		BASE("\x00\xe8", "\x2f", "\x00\x28")
		LOCATOR("\x00\x24")
		AREA4
		EXT("\x01", "\x02", "\x11", "\x00\x40", "\xff", "\x02")
		EID1
		EID2 Z16		/* SEID, reserved */
		"\x11\x11\x11\x11\x11\x11\x11\x11\xff\xff"
		"\x22\x22\x22\x22\x22\x22\x22\x22\xff\xff"
		EYE;
	u8 *b = smc_test_copy(test, bytes, sizeof(bytes));
	struct smc_clc_proposal p;

	KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(b, sizeof(bytes), &p), 0);
	KUNIT_EXPECT_TRUE(test, p.has_v1);
	KUNIT_EXPECT_TRUE(test, p.has_v2);
	KUNIT_EXPECT_MEMEQ(test, p.v2.eid[0], EID1, 32);
	/* the count is higher by one than the number of entries */
	b[89] = 3;
	KUNIT_EXPECT_EQ(test, decode_proposal(b, sizeof(bytes)), -EBADMSG);
	b[89] = 9;
	KUNIT_EXPECT_EQ(test, decode_proposal(b, sizeof(bytes)), -EBADMSG);
	b[89] = 2;
	b[95] = 0x41;		/* ends in the trailer */
	KUNIT_EXPECT_EQ(test, decode_proposal(b, sizeof(bytes)), -EBADMSG);
	b[94] = 1;		/* beyond 288 */
	b[95] = 0x21;
	KUNIT_EXPECT_EQ(test, decode_proposal(b, sizeof(bytes)), -EBADMSG);
	b[94] = 0;
	b[95] = 0;
	KUNIT_EXPECT_EQ(test, decode_proposal(b, sizeof(bytes)), 0);
}

static void accept_golden(struct kunit *test)
{
	struct smc_clc_accept a = accept2, out;
	u8 buf[SMC_CLC_MAX_LEN];

	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, 108, SMC_CLC_ACCEPT,
						    &a), 108);
	KUNIT_EXPECT_MEMEQ(test, buf, reuse_bytes, 108);
	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, 107, SMC_CLC_ACCEPT,
						    &a), -ENOSPC);
	a.first_contact = true;
	a.first = first1;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, sizeof(buf),
						    SMC_CLC_ACCEPT, &a), 160);
	KUNIT_EXPECT_MEMEQ(test, buf, first_bytes, 160);
	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, sizeof(buf),
						    SMC_CLC_CONFIRM, &a), 196);
	KUNIT_EXPECT_MEMEQ(test, buf, confirm_bytes, 196);

	KUNIT_ASSERT_EQ(test, smc_clc_decode_accept(reuse_bytes, 108,
						    SMC_CLC_ACCEPT, &out), 0);
	KUNIT_EXPECT_EQ(test, out.version, 2);
	KUNIT_EXPECT_FALSE(test, out.first_contact);
	KUNIT_EXPECT_MEMEQ(test, out.eid, EID2, 32);
	KUNIT_EXPECT_EQ(test, out.qpn, 0x123456);
	KUNIT_EXPECT_EQ(test, out.psn, 0xabcdef);

	KUNIT_ASSERT_EQ(test, smc_clc_decode_accept(confirm_bytes, 196,
						    SMC_CLC_CONFIRM, &out), 0);
	KUNIT_EXPECT_TRUE(test, out.first_contact);
	KUNIT_EXPECT_TRUE(test, out.first.direct);
	KUNIT_EXPECT_EQ(test, out.first.os, 2);
	KUNIT_EXPECT_EQ(test, out.first.release, 1);
	KUNIT_EXPECT_MEMEQ(test, out.first.host, HOST, 32);
	KUNIT_EXPECT_EQ(test, out.first.max_conns, 32);
	KUNIT_EXPECT_EQ(test, out.first.max_links, 1);
	KUNIT_EXPECT_EQ(test, out.first.n_gids, 2);
	KUNIT_EXPECT_MEMEQ(test, out.first.gid[1], GID, 16);

	a.first.release = 2;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, sizeof(buf),
						    SMC_CLC_ACCEPT, &a),
			-EINVAL);
	a.first = first1;
	a.first.n_gids = 9;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, sizeof(buf),
						    SMC_CLC_CONFIRM, &a),
			-EINVAL);
}

/* The Accept of older peers has only the first half of the extension. */
static void accept_release0(struct kunit *test)
{
	u8 *b = smc_test_copy(test, first20_bytes, 144);
	struct smc_clc_accept a;

	KUNIT_ASSERT_EQ(test, smc_clc_decode_accept(b, 144, SMC_CLC_ACCEPT, &a),
			0);
	KUNIT_EXPECT_FALSE(test, a.first.direct);
	KUNIT_EXPECT_EQ(test, a.first.os, 2);
	KUNIT_EXPECT_EQ(test, a.first.release, 0);
	KUNIT_EXPECT_MEMEQ(test, a.first.host, HOST, 32);
	KUNIT_EXPECT_EQ(test, a.first.max_conns, 0);
	b[105] = 0x21;		/* release 1 needs more fields */
	KUNIT_EXPECT_EQ(test, decode_accept(b, 144), -EBADMSG);
	b[105] = 0x20;
	b[4] = SMC_CLC_CONFIRM;
	KUNIT_EXPECT_EQ(test, decode_confirm(b, 144), -EBADMSG);

	b = smc_test_copy(test, first_bytes, 160);
	b[105] = 0x20;
	KUNIT_ASSERT_EQ(test, smc_clc_decode_accept(b, 160, SMC_CLC_ACCEPT, &a),
			0);
	KUNIT_EXPECT_EQ(test, a.first.max_conns, 0);
	KUNIT_EXPECT_EQ(test, a.first.max_links, 0);
}

/* Copies the message @from with @len bytes: truncates it or appends zeros. */
static u8 *resized(struct kunit *test, const u8 *from, size_t old, size_t len)
{
	u8 *b = kunit_kmalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	memset(b, 0, len);
	memcpy(b, from, (len < old ? len : old) - 4);
	memcpy(b + len - 4, EYE, 4);
	b[5] = (u8)(len >> 8);
	b[6] = (u8)len;
	return b;
}

static void accept_damaged(struct kunit *test)
{
	smc_test_damage(test, decode_accept, reuse_bytes, 108);
	smc_test_damage(test, decode_accept, first_bytes, 160);
	smc_test_cut(test, decode_accept, first_bytes, 160);
}

static void confirm_damaged(struct kunit *test)
{
	smc_test_damage(test, decode_confirm, confirm_bytes, 196);
	smc_test_cut(test, decode_confirm, confirm_bytes, 196);
}

static void accept_bounds(struct kunit *test)
{
	u8 *b;

	/* flag F announces an extension, but the bytes that follow are not an
	 * extension
	 */
	b = smc_test_copy(test, reuse_bytes, 108);
	b[7] = 0x28;
	KUNIT_EXPECT_EQ(test, decode_accept(b, 108), -EBADMSG);
	b = resized(test, reuse_bytes, 108, 107);
	KUNIT_EXPECT_EQ(test, decode_accept(b, 107), -EBADMSG);
	b = resized(test, reuse_bytes, 108, 109);
	KUNIT_EXPECT_EQ(test, decode_accept(b, 109), 0);
	b = resized(test, first_bytes, 160, 143);
	KUNIT_EXPECT_EQ(test, decode_accept(b, 143), -EBADMSG);
	b = resized(test, first_bytes, 160, 159);
	KUNIT_EXPECT_EQ(test, decode_accept(b, 159), -EBADMSG);
	b = resized(test, first_bytes, 160, 161);
	KUNIT_EXPECT_EQ(test, decode_accept(b, 161), 0);
	b = resized(test, confirm_bytes, 196, 160);
	KUNIT_EXPECT_EQ(test, decode_confirm(b, 160), -EBADMSG);
}

static void confirm_gids(struct kunit *test)
{
	u8 *b = smc_test_copy(test, confirm_bytes, 196);
	struct smc_clc_accept a;

	/* the message has no room for this number of GIDs */
	b[156] = 3;
	KUNIT_EXPECT_EQ(test, decode_confirm(b, 196), -EBADMSG);
	b[156] = 255;
	KUNIT_EXPECT_EQ(test, decode_confirm(b, 196), -EBADMSG);
	b[156] = 0;
	KUNIT_EXPECT_EQ(test, decode_confirm(b, 196), 0);
	/* the message has twenty GIDs, and the decoder stores eight of them */
	b = resized(test, confirm_bytes, 196, 164 + 20 * 16);
	b[156] = 20;
	KUNIT_ASSERT_EQ(test, smc_clc_decode_accept(b, 164 + 20 * 16,
						    SMC_CLC_CONFIRM, &a), 0);
	KUNIT_EXPECT_EQ(test, a.first.n_gids, 8);
	KUNIT_EXPECT_MEMEQ(test, a.first.gid[1], GID, 16);
	b[156] = 21;
	KUNIT_EXPECT_EQ(test, decode_confirm(b, 164 + 20 * 16), -EBADMSG);
}

/* ---- the extension of frames.rst ---- */

enum { OFFER_AT = 52, ANSWER_AT = 144 };

static const struct smc_ext ext1 = {
	.version = 1, .frame_log = 12, .caps = 0xa0, .nonce = 0xbeef,
};

static const u8 ext1_bytes[] = { 0x72, 0xd4, 0x9b, 0x1c, 0xa0, 0xbe, 0xef, 0 };

static bool is_ext1(const struct smc_ext *e)
{
	return e->version == 1 && e->frame_log == 12 && e->caps == 0xa0 &&
	       e->nonce == 0xbeef;
}

/* Checks that a Proposal without the offer has zeros in place of the offer, and
 * no other byte differs.
 */
static void extension_offer(struct kunit *test)
{
	static struct smc_clc_proposal in, p;	/* too large for the stack */
	u8 buf[SMC_CLC_MAX_LEN];

	in = both;
	in.v2.ext = ext1;
	KUNIT_ASSERT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf), &in),
			196);
	/* F-27 */
	KUNIT_EXPECT_MEMEQ(test, buf + OFFER_AT, ext1_bytes, 8);
	KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(buf, 196, &p), 0);
	KUNIT_EXPECT_TRUE(test, is_ext1(&p.v2.ext));
	memset(buf + OFFER_AT, 0, 8);
	KUNIT_EXPECT_MEMEQ(test, buf, both_bytes, 196);
	KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(buf, 196, &p), 0);
	KUNIT_EXPECT_EQ(test, p.v2.ext.version, 0);

	/* F-27: not in release 0, and not without version 2 */
	in.v2.release = 0;
	KUNIT_ASSERT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf), &in),
			196);
	KUNIT_EXPECT_MEMEQ(test, buf + OFFER_AT, both_bytes + OFFER_AT, 8);
	memcpy(buf + OFFER_AT, ext1_bytes, 8);
	KUNIT_ASSERT_EQ(test, smc_clc_decode_proposal(buf, 196, &p), 0);
	KUNIT_EXPECT_EQ(test, p.v2.ext.version, 0);
	in.v2.release = 1;
	in.typev2 = SMC_CLC_OFFER_NONE;
	KUNIT_ASSERT_EQ(test, smc_clc_encode_proposal(buf, sizeof(buf), &in),
			92);
	KUNIT_EXPECT_MEMEQ(test, buf + OFFER_AT, both_bytes + OFFER_AT, 8);
}

/* Checks that an answer in an Accept or Confirm changes only the bytes of the
 * answer. The message without an answer is @without.
 */
static void answer_in(struct kunit *test, enum smc_clc_type type,
		      const u8 *without, int len)
{
	struct smc_clc_accept a = accept2, out;
	u8 buf[SMC_CLC_MAX_LEN];

	a.first_contact = true;
	a.first = first1;
	a.first.ext = ext1;
	KUNIT_ASSERT_EQ(test, smc_clc_encode_accept(buf, sizeof(buf), type, &a),
			len);
	/* F-29, F-31 */
	KUNIT_EXPECT_MEMEQ(test, buf + ANSWER_AT, ext1_bytes + 3, 4);
	KUNIT_ASSERT_EQ(test, smc_clc_decode_accept(buf, (size_t)len, type,
						    &out), 0);
	KUNIT_EXPECT_TRUE(test, is_ext1(&out.first.ext));
	buf[105] = 0x20;	/* release 0: reserved bytes */
	KUNIT_ASSERT_EQ(test, smc_clc_decode_accept(buf, (size_t)len, type,
						    &out), 0);
	KUNIT_EXPECT_EQ(test, out.first.ext.version, 0);
	buf[105] = 0x21;
	memset(buf + ANSWER_AT, 0, 4);
	KUNIT_EXPECT_MEMEQ(test, buf, without, (size_t)len);

	a.first.release = 0;
	KUNIT_ASSERT_EQ(test, smc_clc_encode_accept(buf, sizeof(buf), type, &a),
			len);
	KUNIT_EXPECT_MEMEQ(test, buf + ANSWER_AT, without + ANSWER_AT, 4);
}

static void extension_answer(struct kunit *test)
{
	answer_in(test, SMC_CLC_ACCEPT, first_bytes, 160);
	answer_in(test, SMC_CLC_CONFIRM, confirm_bytes, 196);
}

static struct kunit_case clc_v2_cases[] = {
	KUNIT_CASE(extension_offer),
	KUNIT_CASE(extension_answer),
	KUNIT_CASE(offer_golden),
	KUNIT_CASE(offer_kinds),
	KUNIT_CASE(offer_encode_refuses),
	KUNIT_CASE(offer_bounds),
	KUNIT_CASE(offer_smcd),
	KUNIT_CASE(accept_golden),
	KUNIT_CASE(accept_release0),
	KUNIT_CASE(accept_damaged),
	KUNIT_CASE(confirm_damaged),
	KUNIT_CASE(accept_bounds),
	KUNIT_CASE(confirm_gids),
	{}
};

struct kunit_suite smc_clc_v2_suite = {
	.name = "smc_clc_v2",
	.test_cases = clc_v2_cases,
};
