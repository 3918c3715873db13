// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of CLC messages. The byte vectors follow the tables of RFC 7609 A.2.
 * The codec is compiled into the test, so that it also runs without smc.ko.
 */
#include <kunit/test.h>

#include "clc_vectors.h"
#include "tests.h"
#include "../wire/clc.c"
#include "../wire/decline.h"

static const struct smc_clc_accept accept1 = {
	.version = SMC_CLC_V1, .first_contact = true,
	.peer_id = PEER, .gid = GID, .mac = MAC,
	.qpn = 0x123456, .rkey = 0xdeadbeef, .rmbe_idx = 255,
	.token = 0x01020304, .bsize_code = 5, .mtu_code = 3,
	.rmb_addr = 0x1122334455667788ULL, .psn = 0xabcdef,
};

static const u8 accept1_bytes[68] =
	EYE "\x02\x00\x44\x18" PEER GID MAC
	"\x12\x34\x56"	/* QP number */
	"\xde\xad\xbe\xef"	/* rkey */
	"\xff"	/* element */
	"\x01\x02\x03\x04"	/* alert token */
	"\x53\x00"	/* Bsize 5 and MTU 3, reserved */
	"\x11\x22\x33\x44\x55\x66\x77\x88"
	"\x00\xab\xcd\xef"	/* reserved, PSN */
	EYE;

static const u8 decline_bytes[28] =
	EYE "\x04\x00\x1c\x18" PEER
	"\x04\x00\x00\x00"	/* diagnosis */
	"\x00\x00\x00\x00"
	EYE;

static const u8 decline2_bytes[44] =
	EYE "\x04\x00\x2c\x20" PEER
	"\x03\x07\x00\x00"
	"\x20\x00\x00\x00"	/* OS, reserved */
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	EYE;

/* Copies a message to the heap, with its exact length, for the sanitizers. */
u8 *smc_test_copy(struct kunit *test, const u8 *from, size_t n)
{
	u8 *p = kunit_kmalloc(test, n, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	memcpy(p, from, n);
	return p;
}

static int decode_accept(const u8 *buf, size_t n)
{
	struct smc_clc_accept a;

	return smc_clc_decode_accept(buf, n, SMC_CLC_ACCEPT, &a);
}

static int decode_decline(const u8 *buf, size_t n)
{
	struct smc_clc_decline_msg d;

	return smc_clc_decode_decline(buf, n, &d);
}

/*
 * Checks that the decoder accepts a whole message, and refuses a truncated
 * message or a message with a damaged start or end.
 */
void smc_test_damage(struct kunit *test, smc_test_decode_fn *decode,
		     const u8 *msg, size_t len)
{
	u8 *p = smc_test_copy(test, msg, len);
	size_t i;

	KUNIT_EXPECT_EQ(test, decode(p, len), 0);
	for (i = 0; i < 8; i++) {
		size_t at = i < 4 ? i : len - 8 + i;

		p[at] ^= 0x40;
		/* R-A.2-02 */
		KUNIT_EXPECT_EQ_MSG(test, decode(p, len), -EBADMSG,
				    "byte %zu of the message", at);
		p[at] ^= 0x40;
	}
	p[7] &= 0x0f;
	KUNIT_EXPECT_EQ(test, decode(p, len), -EBADMSG);
}

void smc_test_cut(struct kunit *test, smc_test_decode_fn *decode,
		  const u8 *msg, size_t len)
{
	size_t n;

	/* Test few sizes, because KUnit frees memory only at the end
	 * of a test.
	 */
	for (n = len - 1; n > 0; n -= n > 12 ? 8 : 1) {
		u8 *p = smc_test_copy(test, msg, n);

		KUNIT_EXPECT_EQ_MSG(test, decode(p, n), -EBADMSG,
				    "%zu bytes", n);
	}
	KUNIT_EXPECT_EQ(test, decode(msg, 0), -EBADMSG);
}

/* R-A.2-04, -06, -07: checks the results on which the reader of the TCP stream
 * relies.
 */
static void peek_bounds(struct kunit *test)
{
	static const struct {
		u8 type;
		u16 len;
		u8 byte7;
		int ret;
	} t[] = {
		{ 1, 52, 0x10, 0 }, { 1, 51, 0x10, -EBADMSG },
		{ 1, 652, 0x20, 0 }, { 1, 653, 0x20, -EBADMSG },
		{ 1, 0, 0x10, -EBADMSG }, { 1, 7, 0x10, -EBADMSG },
		{ 1, 65535, 0x10, -EBADMSG }, { 1, 52, 0x00, -EBADMSG },
		{ 2, 68, 0x10, 0 }, { 2, 67, 0x10, -EBADMSG },
		{ 3, 68, 0x1f, 0 }, { 3, 653, 0x10, -EBADMSG },
		{ 2, 652, 0x20, 0 }, { 2, 653, 0x20, -EBADMSG },
		{ 4, 28, 0x10, 0 }, { 4, 44, 0x20, 0 },
		{ 4, 44, 0x10, -EBADMSG }, { 4, 28, 0x20, -EBADMSG },
		{ 4, 27, 0x10, -EBADMSG }, { 4, 29, 0x10, -EBADMSG },
		{ 0, 52, 0x10, -EBADMSG }, { 5, 52, 0x10, -EBADMSG },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		u8 b[9] = EYE;
		struct smc_clc_hdr h = {};

		b[4] = t[i].type;
		b[5] = (u8)(t[i].len >> 8);
		b[6] = (u8)t[i].len;
		b[7] = t[i].byte7;
		/* R-A.2-06, -07 */
		KUNIT_EXPECT_EQ_MSG(test, smc_clc_peek(b, 8, &h),
				    t[i].ret, "row %zu", i);
		if (t[i].ret)
			continue;
		/* R-A.2-04 */
		KUNIT_EXPECT_EQ(test, h.type, t[i].type);
		/* R-A.2-04 */
		KUNIT_EXPECT_EQ(test, h.len, t[i].len);
		/* R-A.2-04 */
		KUNIT_EXPECT_EQ(test, h.version, t[i].byte7 >> 4);
		KUNIT_EXPECT_EQ(test, h.flags, t[i].byte7 & 15);
		KUNIT_EXPECT_FALSE(test, h.smcd);
	}
}

static void peek_input(struct kunit *test)
{
	static const u8 d[8] =
		EYE_SMCD "\x02\x00\x30\x10";
	static const u8 d_short[8] =
		EYE_SMCD "\x02\x00\x2f\x10";
	struct smc_clc_hdr h;
	size_t n;

	for (n = 1; n < SMC_CLC_HDR_LEN; n++)
		KUNIT_EXPECT_EQ(test, smc_clc_peek(smc_test_copy(test, accept1_bytes, n),
						   n, &h), -EBADMSG);
	KUNIT_EXPECT_EQ(test, smc_clc_peek(d, sizeof(d), &h), 0);
	KUNIT_EXPECT_TRUE(test, h.smcd);
	KUNIT_EXPECT_EQ(test, smc_clc_peek(d_short, sizeof(d_short), &h),
			-EBADMSG);
}

static void expect_accept(struct kunit *test, const struct smc_clc_accept *a,
			  const struct smc_clc_accept *b)
{
	KUNIT_EXPECT_EQ(test, a->version, b->version);
	KUNIT_EXPECT_EQ(test, a->first_contact, b->first_contact);
	KUNIT_EXPECT_MEMEQ(test, a->peer_id, b->peer_id, 8);
	KUNIT_EXPECT_MEMEQ(test, a->gid, b->gid, 16);
	KUNIT_EXPECT_MEMEQ(test, a->mac, b->mac, 6);
	KUNIT_EXPECT_EQ(test, a->qpn, b->qpn);
	KUNIT_EXPECT_EQ(test, a->rkey, b->rkey);
	KUNIT_EXPECT_EQ(test, a->rmbe_idx, b->rmbe_idx);
	KUNIT_EXPECT_EQ(test, a->token, b->token);
	KUNIT_EXPECT_EQ(test, a->bsize_code, b->bsize_code);
	KUNIT_EXPECT_EQ(test, a->mtu_code, b->mtu_code);
	KUNIT_EXPECT_EQ(test, a->rmb_addr, b->rmb_addr);
	KUNIT_EXPECT_EQ(test, a->psn, b->psn);
}

/* R-A.2.3-01..05, -10, R-A.2.4-01, -02. */
static void accept_golden(struct kunit *test)
{
	struct smc_clc_accept a, want = accept1;
	u8 buf[68], confirm[68];

	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, 68, SMC_CLC_ACCEPT,
						    &accept1), 68);
	/* R-A.2.3-01..05, -10 */
	KUNIT_EXPECT_MEMEQ(test, buf, accept1_bytes, 68);
	KUNIT_EXPECT_EQ(test, smc_clc_decode_accept(buf, 68, SMC_CLC_ACCEPT,
						    &a), 0);
	/* R-A.2.3-01..05, -10 */
	expect_accept(test, &a, &want);

	/* The codec neither sends nor reads flag F of a Confirm. */
	memcpy(confirm, accept1_bytes, 68);
	confirm[4] = 3;
	want.first_contact = false;
	KUNIT_EXPECT_EQ(test, smc_clc_decode_accept(confirm, 68,
						    SMC_CLC_CONFIRM, &a), 0);
	/* R-A.2.4-01, -02 */
	expect_accept(test, &a, &want);
	confirm[7] = 0x10;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, 68, SMC_CLC_CONFIRM,
						    &accept1), 68);
	/* R-A.2.4-01, -02 */
	KUNIT_EXPECT_MEMEQ(test, buf, confirm, 68);
}

/* R-A.2.3-01, -12, R-2.1-11, R-A.2.4-04: the decoder refuses messages with a
 * damaged start or end.
 */
static void accept_refuses(struct kunit *test)
{
	u8 *b = smc_test_copy(test, accept1_bytes, 68);
	struct smc_clc_accept a;
	u8 longer[69] = {};

	smc_test_damage(test, decode_accept, accept1_bytes, 68);
	smc_test_cut(test, decode_accept, accept1_bytes, 68);
	/* R-A.2.4-04 */
	KUNIT_EXPECT_EQ(test, smc_clc_decode_accept(b, 68, SMC_CLC_CONFIRM, &a),
			-EBADMSG);
	KUNIT_EXPECT_EQ(test, smc_clc_decode_accept(b, 68, SMC_CLC_DECLINE, &a),
			-EBADMSG);
	b[45] = 0;				/* element 0 */
	/* R-2.1-11 */
	KUNIT_EXPECT_EQ(test, decode_accept(b, 68), -EBADMSG);
	b[45] = 1;
	KUNIT_EXPECT_EQ(test, decode_accept(b, 68), 0);
	memset(b + 38, 0, 3);			/* QP 0 */
	/* R-A.2.3-12 */
	KUNIT_EXPECT_EQ(test, decode_accept(b, 68), -EBADMSG);
	b[40] = 1;
	KUNIT_EXPECT_EQ(test, decode_accept(b, 68), 0);
	b[7] = 0x28;				/* too short for version 2 */
	KUNIT_EXPECT_EQ(test, decode_accept(b, 68), -EBADMSG);
	b[7] = 0x18;
	b[3] = 0xc4;				/* SMC-D eye catcher at both ends */
	b[67] = 0xc4;
	KUNIT_EXPECT_EQ(test, decode_accept(b, 68), -EBADMSG);

	memcpy(longer, accept1_bytes, 64);
	memcpy(longer + 65, accept1_bytes, 4);
	longer[6] = 69;
	/* R-A.2.3-01 */
	KUNIT_EXPECT_EQ(test, decode_accept(longer, 69), -EBADMSG);
	longer[6] = 67;
	memcpy(longer + 63, accept1_bytes, 4);
	KUNIT_EXPECT_EQ(test, decode_accept(longer, 69), -EBADMSG);
}

/* R-A.2.3-06, -07, -09, R-A.2-01, R-C.6-03: unusual content that the decoder
 * must accept.
 */
static void accept_tolerates(struct kunit *test)
{
	u8 more[70], *b = smc_test_copy(test, accept1_bytes, 68);
	struct smc_clc_accept a;
	unsigned int v;

	for (v = 0; v < 256; v++) {
		b[50] = (u8)v;
		KUNIT_ASSERT_EQ(test, smc_clc_decode_accept(b, 68,
							    SMC_CLC_ACCEPT, &a),
				0);
		/* R-A.2.3-06 */
		KUNIT_EXPECT_EQ(test, a.bsize_code, v >> 4);
		KUNIT_EXPECT_EQ(test, a.mtu_code, v & 15);
		/* R-A.2.3-07 */
		KUNIT_EXPECT_EQ(test, smc_clc_mtu_valid(a.mtu_code),
				(v & 15) >= 1 && (v & 15) <= 5);
	}
	b[50] = 0x53;
	b[7] = 0x1f;
	b[51] = 0xff;
	b[60] = 0xff;
	KUNIT_EXPECT_EQ(test, smc_clc_decode_accept(b, 68, SMC_CLC_ACCEPT, &a),
			0);
	/* R-A.2-01 */
	expect_accept(test, &a, &accept1);

	/* The first bytes of the application may already follow the message. */
	memset(more, 0x55, sizeof(more));
	memcpy(more, accept1_bytes, 68);
	KUNIT_EXPECT_EQ(test, decode_accept(more, sizeof(more)), 0);
}

static void accept_encode_refuses(struct kunit *test)
{
	static struct smc_clc_accept t[10];	/* too large for the stack */
	u8 buf[68];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++)
		t[i] = accept1;
	t[0].version = 3;
	t[1].qpn = 0;
	t[2].qpn = 1;
	t[3].qpn = 0x1000000;
	t[4].psn = 0x1000000;
	t[5].rmbe_idx = 0;
	t[6].bsize_code = 6;			/* */
	t[7].mtu_code = 0;
	t[8].mtu_code = 6;
	t[9].version = 0;
	/* R-2.1-11, R-A.2.3-06, -07, -12 */
	for (i = 0; i < ARRAY_SIZE(t); i++)
		KUNIT_EXPECT_EQ_MSG(test, smc_clc_encode_accept(buf, 68,
								SMC_CLC_ACCEPT,
								&t[i]),
				    -EINVAL, "row %zu", i);
	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, 68, SMC_CLC_DECLINE,
						    &accept1), -EINVAL);

	/* The largest values that an Accept may have. */
	t[0] = accept1;
	t[0].qpn = 2;
	t[0].psn = 0xffffff;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, 68, SMC_CLC_ACCEPT,
						    &t[0]), 68);
	t[0].qpn = 0xffffff;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, 68, SMC_CLC_ACCEPT,
						    &t[0]), 68);
}

/* Checks that the encoder never writes beyond a buffer of any size. */
static void encode_room(struct kunit *test)
{
	const struct smc_clc_decline_msg d = { .version = SMC_CLC_V1 };
	u8 buf[70];
	size_t n;

	for (n = 0; n < 68; n++) {
		memset(buf, 0xa5, sizeof(buf));
		KUNIT_EXPECT_EQ(test, smc_clc_encode_accept(buf, n,
							    SMC_CLC_ACCEPT,
							    &accept1), -ENOSPC);
		KUNIT_EXPECT_EQ(test, buf[n], 0xa5);
		if (n >= 28)
			continue;
		KUNIT_EXPECT_EQ(test, smc_clc_encode_decline(buf, n, &d),
				-ENOSPC);
		KUNIT_EXPECT_EQ(test, buf[n], 0xa5);
	}
}

/* R-A.2.5-01..03, R-L-05. */
static void decline_golden(struct kunit *test)
{
	const struct smc_clc_decline_msg in = {
		.version = SMC_CLC_V1, .sync_err = true, .peer_id = PEER,
		.diagnosis = SMC_DECL_SYNCERR,
	};
	struct smc_clc_decline_msg d = in;
	u8 buf[28], two[44];

	KUNIT_EXPECT_EQ(test, smc_clc_encode_decline(buf, 28, &in), 28);
	/* R-A.2.5-01, -03 */
	KUNIT_EXPECT_MEMEQ(test, buf, decline_bytes, 28);
	KUNIT_EXPECT_EQ(test, smc_clc_decode_decline(buf, 28, &d), 0);
	/* R-A.2.5-02 */
	KUNIT_EXPECT_TRUE(test, d.sync_err);
	/* R-A.2.5-03 */
	KUNIT_EXPECT_EQ(test, d.diagnosis, 0x04000000);
	KUNIT_EXPECT_MEMEQ(test, d.peer_id, in.peer_id, 8);

	/* R-L-05 */
	KUNIT_EXPECT_EQ(test, smc_clc_decode_decline(decline2_bytes, 44, &d), 0);
	KUNIT_EXPECT_EQ(test, d.version, 2);
	KUNIT_EXPECT_FALSE(test, d.sync_err);
	KUNIT_EXPECT_EQ(test, d.diagnosis, SMC_DECL_DIFFPREFIX);

	d.version = SMC_CLC_V1;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_decline(buf, 28, &d), 28);
	KUNIT_EXPECT_EQ(test, buf[7], 0x10);	/* no S flag */
	d.version = SMC_CLC_V2;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_decline(buf, 28, &d), -ENOSPC);
	KUNIT_EXPECT_EQ(test, smc_clc_encode_decline(two, 44, &d), 44);
	KUNIT_EXPECT_MEMEQ(test, two, decline2_bytes, 44);
	d.version = 3;
	KUNIT_EXPECT_EQ(test, smc_clc_encode_decline(two, 44, &d), -EINVAL);
}

static void decline_refuses(struct kunit *test)
{
	u8 *b = smc_test_copy(test, decline2_bytes, 44);

	smc_test_damage(test, decode_decline, decline_bytes, 28);
	smc_test_cut(test, decode_decline, decline_bytes, 28);
	smc_test_cut(test, decode_decline, decline2_bytes, 44);
	b[7] = 0x10;			/* version 1 is 28 bytes long */
	KUNIT_EXPECT_EQ(test, decode_decline(b, 44), -EBADMSG);
	memcpy(b, decline_bytes, 28);
	/* operating system of the sender; the decoder ignores it */
	b[20] = 0x20;
	b[3] = 0xc4;			/* from an SMC-D stack */
	KUNIT_EXPECT_EQ(test, decode_decline(b, 28), 0);
}

struct code_words {
	u32 code;
	const char *words;
};

static const struct code_words decline_name[] = {
#define SMC_DECLINE_NAME(_code, _words) { _code, _words },
#include "../wire/decline_names.h"
#undef SMC_DECLINE_NAME
};

static const char *words_in(const struct code_words *list, size_t n, u32 code)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].code == code)
			return list[i].words;
	return NULL;
}

static const char *words_of(u32 code)
{
	return words_in(decline_name, ARRAY_SIZE(decline_name), code);
}

/* R-A.2.5-04: each code has its own description. */
static void decline_words(struct kunit *test)
{
	static const u32 code[] = {
		SMC_DECL_MEM, SMC_DECL_TIMEOUT_CL, SMC_DECL_TIMEOUT_AL,
		SMC_DECL_CNFERR, SMC_DECL_PEERNOSMC, SMC_DECL_IPSEC,
		SMC_DECL_NOSMCDEV, SMC_DECL_NOSMCDDEV, SMC_DECL_NOSMCRDEV,
		SMC_DECL_NOISMV2, SMC_DECL_NOV2EXT, SMC_DECL_NODV2EXT,
		SMC_DECL_NOSEID, SMC_DECL_NODV2DEV, SMC_DECL_NOUEID,
		SMC_DECL_RELEASE, SMC_DECL_MAXCONNS, SMC_DECL_MAXLINKS,
		SMC_DECL_MODEUNSUPP, SMC_DECL_EYECATCHER, SMC_DECL_OPTUNSUPP,
		SMC_DECL_DIFFPREFIX, SMC_DECL_VLANLOOKUP, SMC_DECL_ISMVLAN,
		SMC_DECL_NOACTLINK, SMC_DECL_NOSRVLINK, SMC_DECL_VERSMISMAT,
		SMC_DECL_DMBLIMIT, SMC_DECL_NOROUTE, SMC_DECL_INDIRECT,
		SMC_DECL_SYNCERR, SMC_DECL_PEERDECL, SMC_DECL_ECHO,
		SMC_DECL_COOKIE, SMC_DECL_CROSSED, SMC_DECL_POLICY,
		SMC_DECL_DEADPATH, SMC_DECL_INTERR, SMC_DECL_ERR_RTOK,
		SMC_DECL_ERR_RDYLNK, SMC_DECL_ERR_REGBUF,
	};
	size_t i, j;

	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(code), ARRAY_SIZE(decline_name));
	for (i = 0; i < ARRAY_SIZE(code); i++) {
		const char *s = words_of(code[i]);

		/* R-A.2.5-04 */
		KUNIT_EXPECT_TRUE_MSG(test, s && strlen(s) > 10, "%08x",
				      code[i]);
		for (j = 0; s && j < i; j++)
			KUNIT_EXPECT_TRUE_MSG(test,
					      strcmp(s, words_of(code[j]) ?: ""),
					      "%08x and %08x", code[i], code[j]);
	}
}

/*
 * The words of "ss -ti". Words for states of a socket have no code, so they get
 * a small number, which is not a code of a reason.
 */
#define STATE(_what, _word) { sizeof(#_what), _word },
#define SHOW(_code, _word) { _code, _word },
static const struct code_words ulp_name[] = {
#include "../socket/ulp_names.h"
};

#undef STATE
#undef SHOW

/* "ss -ti" has a word for each reason, except for those that only SMC-D has. */
static void ulp_words(struct kunit *test)
{
	static const u32 smcd[] = {
		SMC_DECL_NOSMCDDEV, SMC_DECL_NOISMV2, SMC_DECL_NODV2EXT,
		SMC_DECL_NOSEID, SMC_DECL_NODV2DEV, SMC_DECL_ISMVLAN,
		SMC_DECL_DMBLIMIT,
	};
	size_t i, j, left = ARRAY_SIZE(smcd);

	for (i = 0; i < ARRAY_SIZE(decline_name); i++) {
		u32 code = decline_name[i].code;

		for (j = 0; j < ARRAY_SIZE(smcd) && smcd[j] != code; j++)
			;
		left -= j < ARRAY_SIZE(smcd);
		KUNIT_EXPECT_EQ_MSG(test, !words_in(ulp_name,
						    ARRAY_SIZE(ulp_name), code),
				    j < ARRAY_SIZE(smcd), "%08x", code);
	}
	KUNIT_EXPECT_EQ(test, left, 0);
}

static struct kunit_case clc_cases[] = {
	KUNIT_CASE(peek_bounds),
	KUNIT_CASE(peek_input),
	KUNIT_CASE(accept_golden),
	KUNIT_CASE(accept_refuses),
	KUNIT_CASE(accept_tolerates),
	KUNIT_CASE(accept_encode_refuses),
	KUNIT_CASE(encode_room),
	KUNIT_CASE(decline_golden),
	KUNIT_CASE(decline_refuses),
	KUNIT_CASE(decline_words),
	KUNIT_CASE(ulp_words),
	{}
};

struct kunit_suite smc_clc_suite = {
	.name = "smc_clc",
	.test_cases = clc_cases,
};
