// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of LLC messages. The byte vectors follow the tables of RFC 7609 A.3.
 * The vectors of ADD LINK follow the layout that deployed stacks use.
 */
#include <kunit/test.h>

#include "tests.h"
#include "../wire/llc.c"

#define GID	"\xfe\x80\x00\x00\x00\x00\x00\x00\x02\x11\x22\xff\xfe\x33\x44\x55"
#define MAC	"\x02\x11\x22\x33\x44\x55"
#define ADDR	0x1122334455667788ULL
#define ADDR_BYTES "\x11\x22\x33\x44\x55\x66\x77\x88"

/*
 * The content encodes to exactly these bytes, whatever the buffer contained.
 * The decoder reads these bytes, and the encoder turns the result into the same
 * bytes again. So this macro checks the encoder byte by byte, and the decoder
 * field by field.
 */
#define EXPECT_GOLDEN(test, name, in, bytes)				\
do {									\
	struct kunit *_t = (test);					\
	const u8 *_want = (bytes);					\
	struct smc_llc_##name _m;					\
	u8 _buf[SMC_LLC_LEN];						\
									\
	memset(_buf, 0xff, sizeof(_buf));				\
	KUNIT_EXPECT_EQ(_t, smc_llc_encode_##name(_buf, in), 0);	\
	KUNIT_EXPECT_MEMEQ(_t, _buf, _want, SMC_LLC_LEN);		\
	memset(&_m, 0x5a, sizeof(_m));					\
	KUNIT_ASSERT_EQ(_t, smc_llc_decode_##name(_want, &_m), 0);	\
	memset(_buf, 0xff, sizeof(_buf));				\
	KUNIT_EXPECT_EQ(_t, smc_llc_encode_##name(_buf, &_m), 0);	\
	KUNIT_EXPECT_MEMEQ(_t, _buf, _want, SMC_LLC_LEN);		\
} while (0)

/* R-A.3.1-01, -02, -04 */
static void confirm_link(struct kunit *test)
{
	struct smc_llc_confirm_link m = {
		.no_eyecatcher = true, .mac = MAC, .gid = GID,
		.qpn = 0x123456, .link_num = 7, .link_uid = 0xa1b2c3d4,
		.max_links = 2,
	};
	u8 b[SMC_LLC_LEN] =
		"\x01\x2c\x00\x03" MAC GID "\x12\x34\x56"
		"\x07\xa1\xb2\xc3\xd4\x02";

	/* R-A.3-01, R-A.3.1-01, -04 */
	EXPECT_GOLDEN(test, confirm_link, &m, b);
	m.reply = true;
	b[3] = 0x83;
	/* R-A.3.1-02 */
	EXPECT_GOLDEN(test, confirm_link, &m, b);
	m.no_eyecatcher = false;
	b[3] = 0x80;
	EXPECT_GOLDEN(test, confirm_link, &m, b);

	m.reply = false;
	b[3] = 0;
	EXPECT_GOLDEN(test, confirm_link, &m, b);

	/* Each of the two bits means that there is no eye catcher. */
	b[3] = 0x01;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_confirm_link(b, &m), 0);
	KUNIT_EXPECT_TRUE(test, m.no_eyecatcher);
	b[3] = 0x02;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_confirm_link(b, &m), 0);
	KUNIT_EXPECT_TRUE(test, m.no_eyecatcher);
	m.qpn = 0x1000000;
	KUNIT_EXPECT_EQ(test, smc_llc_encode_confirm_link(b, &m), -EINVAL);
}

static const struct smc_llc_add_link add_link1 = {
	.mac = MAC, .gid = GID, .qpn = 0x123456, .link_num = 2,
	.mtu_code = 5, .psn = 0xabcdef,
};

/* R-A.3.2-01..04, R-L-08: the deployed layout. */
static void add_link(struct kunit *test)
{
	struct smc_llc_add_link m = add_link1;
	u8 b[SMC_LLC_LEN] =
		"\x02\x2c\x00\x00" MAC "\x00\x00" GID "\x12\x34\x56\x02\x05"
		"\xab\xcd\xef";

	/* R-A.3.2-02, R-L-08 */
	EXPECT_GOLDEN(test, add_link, &m, b);
	m.reply = true;
	b[3] = 0x80;
	/* R-A.3.2-04 */
	EXPECT_GOLDEN(test, add_link, &m, b);
	m.reject = true;
	m.reason = SMC_LLC_REJECT_MTU;
	b[2] = 2;
	b[3] = 0xc0;
	/* R-A.3.2-01, -03 */
	EXPECT_GOLDEN(test, add_link, &m, b);

	/* Only a reply can reject, and the reason has four bits. */
	b[2] = 0xf1;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_add_link(b, &m), 0);
	KUNIT_EXPECT_EQ(test, m.reason, SMC_LLC_REJECT_NO_PATH);
	b[3] = 0x40;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_add_link(b, &m), 0);
	KUNIT_EXPECT_FALSE(test, m.reject);
	KUNIT_EXPECT_EQ(test, m.reason, 0);

	/* The caller must refuse an undefined MTU (R-C.7.1-21). */
	b[32] = 0xf6;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_add_link(b, &m), 0);
	KUNIT_EXPECT_EQ(test, m.mtu_code, 6);
}

/*
 * figure 32 of the RFC has no gap after the MAC. The codec does not use
 * that layout. The vector has that layout. The test compares the places of the
 * fields, and the codec must not find the GID and the QP number in the vector.
 */
static void add_link_rfc_layout(struct kunit *test)
{
	static const u8 rfc[SMC_LLC_LEN] =
		"\x02\x2c\x00\x00" MAC GID "\x12\x34\x56\x02\x05"
		"\xab\xcd\xef";
	struct smc_llc_add_link m;
	u8 b[SMC_LLC_LEN];

	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(b, &add_link1), 0);
	KUNIT_EXPECT_MEMEQ(test, b + SMC_LLC_ADD_GID,
			   rfc + SMC_LLC_ADD_RFC_GID, 16);
	KUNIT_EXPECT_MEMEQ(test, b + SMC_LLC_ADD_QPN,
			   rfc + SMC_LLC_ADD_RFC_QPN, 3);
	KUNIT_EXPECT_EQ(test, b[SMC_LLC_ADD_LINK_NUM],
			rfc[SMC_LLC_ADD_RFC_LINK_NUM]);
	KUNIT_EXPECT_EQ(test, b[SMC_LLC_ADD_MTU], rfc[SMC_LLC_ADD_RFC_MTU]);
	KUNIT_EXPECT_MEMEQ(test, b + SMC_LLC_ADD_PSN,
			   rfc + SMC_LLC_ADD_RFC_PSN, 3);

	KUNIT_EXPECT_EQ(test, smc_llc_decode_add_link(rfc, &m), 0);
	KUNIT_EXPECT_NE(test, m.qpn, add_link1.qpn);
	KUNIT_EXPECT_TRUE(test, memcmp(m.gid, add_link1.gid, 16));
}

/* R-L-10, R-L-11, R-A.3.2-05 */
static void add_link_notice(struct kunit *test)
{
	struct smc_llc_add_link m = {};
	u8 b[SMC_LLC_LEN];

	/* R-L-10 */
	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(b, &m), -EINVAL);
	m.reply = true;
	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(b, &m), 0);
	m.reply = false;
	m.gid[15] = 1;
	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(b, &m), 0);
	KUNIT_EXPECT_EQ(test, smc_llc_decode_add_link(b, &m), 0);
	/* R-A.3.2-05, R-L-11 */
	KUNIT_EXPECT_EQ(test, m.qpn, 0);

	m = add_link1;
	m.mtu_code = 16;
	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(b, &m), -EINVAL);
	m = add_link1;
	m.psn = 0x1000000;
	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(b, &m), -EINVAL);
	m = add_link1;
	m.reply = true;
	m.reject = true;
	m.reason = 15;
	m.mtu_code = 15;
	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(b, &m), 0);
	m.reason = 16;
	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(b, &m), -EINVAL);
}

/* R-A.3.3-01, -02, -06 */
static void add_link_cont(struct kunit *test)
{
	struct smc_llc_add_link_cont m = {
		.link_num = 3, .num_left = 255,
		.pair = {
			{ 0x01020304, 0x05060708, ADDR },
			{ 0x11121314, 0x15161718, 0x21ULL },
		},
	};
	u8 b[SMC_LLC_LEN] =
		"\x03\x2c\x00\x00\x03\xff\x00\x00"
		"\x01\x02\x03\x04\x05\x06\x07\x08" ADDR_BYTES
		"\x11\x12\x13\x14\x15\x16\x17\x18"
		"\x00\x00\x00\x00\x00\x00\x00\x21";

	/* R-A.3.3-01, -02 */
	EXPECT_GOLDEN(test, add_link_cont, &m, b);
	m.reply = true;
	m.num_left = 2;
	b[3] = 0x80;
	b[5] = 2;
	/* R-A.3.3-06 */
	EXPECT_GOLDEN(test, add_link_cont, &m, b);

	/* One pair: the codec neither sends nor reads the second pair. */
	KUNIT_EXPECT_EQ(test, smc_llc_decode_add_link_cont(b, &m), 0);
	m.num_left = 1;
	b[5] = 1;
	memset(b + 24, 0, 16);
	/* R-A.3.3-01 */
	EXPECT_GOLDEN(test, add_link_cont, &m, b);
	b[30] = 0xee;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_add_link_cont(b, &m), 0);
	KUNIT_EXPECT_EQ(test, m.pair[1].ref_rkey | m.pair[1].new_rkey, 0);
	KUNIT_EXPECT_EQ(test, m.pair[1].new_addr, 0);
	KUNIT_EXPECT_EQ(test, m.pair[0].new_addr, ADDR);

	m.num_left = 0;
	b[5] = 0;
	memset(b + 8, 0, 32);
	EXPECT_GOLDEN(test, add_link_cont, &m, b);
}

/* R-A.3.4-01..04, -07 */
static void delete_link(struct kunit *test)
{
	struct smc_llc_delete_link m = {
		.orderly = true, .link_num = 9,
		.reason = SMC_LLC_DEL_ASYMMETRIC,
	};
	u8 b[SMC_LLC_LEN] = { 4, 44, 0, 0x20, 9, 0x00, 0x05, 0x00, 0x00 };

	/* R-A.3.4-01, -03 */
	EXPECT_GOLDEN(test, delete_link, &m, b);
	m.reply = true;
	m.orderly = false;
	m.reason = SMC_LLC_DEL_NO_LINK;
	b[3] = 0x80;
	b[6] = 0x10;
	/* R-A.3.4-04 */
	EXPECT_GOLDEN(test, delete_link, &m, b);

	/* All links: a link number in the message is ignored. */
	b[3] = 0x40;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_delete_link(b, &m), 0);
	KUNIT_EXPECT_TRUE(test, m.all);
	/* R-A.3.4-02 */
	KUNIT_EXPECT_EQ(test, m.link_num, 0);
	m.link_num = 9;
	b[4] = 0;
	/* R-A.3.4-02 */
	EXPECT_GOLDEN(test, delete_link, &m, b);
	m.reason = 0xffffffff;
	memset(b + 5, 0xff, 4);
	EXPECT_GOLDEN(test, delete_link, &m, b);
}

/* R-A.3.5-01..04, Y-02 */
static void confirm_rkey(struct kunit *test)
{
	struct smc_llc_confirm_rkey m = {
		.num_other = 2, .rkey = 0x01020304, .addr = ADDR,
		.other = {
			{ 2, 0x0a0b0c0d, 0x31ULL },
			{ 3, 0x1a1b1c1d, ADDR },
		},
	};
	u8 b[SMC_LLC_LEN] =
		"\x06\x2c\x00\x00\x02\x01\x02\x03\x04" ADDR_BYTES
		"\x02\x0a\x0b\x0c\x0d\x00\x00\x00\x00\x00\x00\x00\x31"
		"\x03\x1a\x1b\x1c\x1d" ADDR_BYTES;
	u8 n;

	for (n = 7; n > 1; n--) {
		m.num_other = n;
		b[4] = n;
		/* R-1.2-04, R-A.3.5-02..04 */
		EXPECT_GOLDEN(test, confirm_rkey, &m, b);
	}
	m.num_other = 1;
	b[4] = 1;
	memset(b + 30, 0, 13);
	EXPECT_GOLDEN(test, confirm_rkey, &m, b);
	m.num_other = 0;
	b[4] = 0;
	memset(b + 17, 0, 13);
	EXPECT_GOLDEN(test, confirm_rkey, &m, b);

	memset(&m, 0x5a, sizeof(m));
	KUNIT_EXPECT_EQ(test, smc_llc_decode_confirm_rkey(b, &m), 0);
	KUNIT_EXPECT_EQ(test, m.other[0].rkey | m.other[1].rkey, 0);

	m.num_other = 8;
	/* R-A.3.5-04 */
	KUNIT_EXPECT_EQ(test, smc_llc_encode_confirm_rkey(b, &m), -EINVAL);
	b[4] = 8;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_confirm_rkey(b, &m), -EBADMSG);
}

/* R-A.3.5-01, -06, -07: Z is 0x20 in this message and C is 0x10, and only a
 * reply has these flags.
 */
static void confirm_rkey_reply(struct kunit *test)
{
	static const struct {
		u8 flags;
		bool reply;
		bool negative;
		bool retry;
	} t[] = {
		{ 0x00, false, false, false }, { 0x80, true, false, false },
		{ 0xa0, true, true, false }, { 0xb0, true, true, true },
		{ 0x90, true, false, false }, { 0x30, false, false, false },
		{ 0x40, false, false, false }, { 0xcf, true, false, false },
	};
	u8 b[SMC_LLC_LEN] = { 6, 44 };
	struct smc_llc_confirm_rkey m;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		b[3] = t[i].flags;
		KUNIT_ASSERT_EQ(test, smc_llc_decode_confirm_rkey(b, &m), 0);
		KUNIT_EXPECT_EQ_MSG(test, m.reply, t[i].reply, "row %zu", i);
		/* R-A.3.5-01, -06 */
		KUNIT_EXPECT_EQ_MSG(test, m.negative, t[i].negative,
				    "row %zu", i);
		/* R-A.3.5-01, -06 */
		KUNIT_EXPECT_EQ_MSG(test, m.retry, t[i].retry, "row %zu", i);
	}
	m = (struct smc_llc_confirm_rkey){ .reply = true, .negative = true,
					   .retry = true };
	KUNIT_EXPECT_EQ(test, smc_llc_encode_confirm_rkey(b, &m), 0);
	KUNIT_EXPECT_EQ(test, b[3], 0xb0);
	m.reply = false;
	KUNIT_EXPECT_EQ(test, smc_llc_encode_confirm_rkey(b, &m), 0);
	KUNIT_EXPECT_EQ(test, b[3], 0);
}

/* R-A.3.6-01, -02, -04, Y-03 */
static void confirm_rkey_cont(struct kunit *test)
{
	struct smc_llc_confirm_rkey_cont m = {
		.num_left = 5,
		.entry = {
			{ 4, 0x01020304, 0x41ULL },
			{ 5, 0x05060708, ADDR },
			{ 6, 0x090a0b0c, 0xffffffffffffffffULL },
		},
	};
	u8 b[SMC_LLC_LEN] =
		"\x08\x2c\x00\x00\x05"
		"\x04\x01\x02\x03\x04\x00\x00\x00\x00\x00\x00\x00\x41"
		"\x05\x05\x06\x07\x08" ADDR_BYTES
		"\x06\x09\x0a\x0b\x0c"
		"\xff\xff\xff\xff\xff\xff\xff\xff";

	/* R-A.3.6-01, -02 */
	EXPECT_GOLDEN(test, confirm_rkey_cont, &m, b);
	m.num_left = 3;
	m.reply = true;
	m.negative = true;
	b[3] = 0xa0;
	b[4] = 3;
	/* R-A.3.6-04 */
	EXPECT_GOLDEN(test, confirm_rkey_cont, &m, b);
	m.num_left = 2;
	b[4] = 2;
	memset(b + 31, 0, 13);
	EXPECT_GOLDEN(test, confirm_rkey_cont, &m, b);

	/* Z is valid only in replies, and missing fields read as zero. */
	b[3] = 0x20;
	memset(&m, 0x5a, sizeof(m));
	KUNIT_EXPECT_EQ(test, smc_llc_decode_confirm_rkey_cont(b, &m), 0);
	KUNIT_EXPECT_FALSE(test, m.negative);
	/* R-A.3.6-05 */
	KUNIT_EXPECT_EQ(test, m.entry[2].rkey, 0);
	m.negative = true;
	b[3] = 0;
	EXPECT_GOLDEN(test, confirm_rkey_cont, &m, b);

	m.num_left = 6;
	/* R-A.3.6-02 */
	KUNIT_EXPECT_EQ(test, smc_llc_encode_confirm_rkey_cont(b, &m), -EINVAL);
	b[4] = 6;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_confirm_rkey_cont(b, &m),
			-EBADMSG);
}

/* R-A.3.7-01, -03: all masks, and the counts at both ends. */
static void delete_rkey(struct kunit *test)
{
	struct smc_llc_delete_rkey m = {
		.num = 8,
		.rkey = { 0x01020304, 2, 3, 4, 5, 6, 7, 0xf1f2f3f4 },
	};
	u8 b[SMC_LLC_LEN] = {
		9, 44, 0, 0, 8, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 2, 0, 0, 0, 3,
		0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 7,
		0xf1, 0xf2, 0xf3, 0xf4,
	};
	unsigned int mask;

	/* R-A.3.7-01 */
	EXPECT_GOLDEN(test, delete_rkey, &m, b);
	m.reply = true;
	m.negative = true;
	b[3] = 0xa0;
	for (mask = 0; mask < 256; mask++) {
		m.err_mask = (u8)mask;
		b[5] = (u8)mask;
		/* R-A.3.7-03 */
		EXPECT_GOLDEN(test, delete_rkey, &m, b);
	}
	/* A mask without a negative reply is ignored. */
	b[3] = 0x80;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_delete_rkey(b, &m), 0);
	KUNIT_EXPECT_EQ(test, m.err_mask, 0);
	KUNIT_EXPECT_FALSE(test, m.negative);

	m.num = 1;
	b[4] = 1;
	b[5] = 0;
	memset(b + 12, 0, 28);
	EXPECT_GOLDEN(test, delete_rkey, &m, b);
	memset(&m, 0x5a, sizeof(m));
	KUNIT_EXPECT_EQ(test, smc_llc_decode_delete_rkey(b, &m), 0);
	KUNIT_EXPECT_EQ(test, m.rkey[1] | m.rkey[7], 0);
	m.num = 0;
	/* R-A.3.7-01 */
	KUNIT_EXPECT_EQ(test, smc_llc_encode_delete_rkey(b, &m), -EINVAL);
	m.num = 9;
	KUNIT_EXPECT_EQ(test, smc_llc_encode_delete_rkey(b, &m), -EINVAL);
	b[4] = 0;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_delete_rkey(b, &m), -EBADMSG);
	b[4] = 9;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_delete_rkey(b, &m), -EBADMSG);
}

/* R-A.3.8-01 */
static void test_link(struct kunit *test)
{
	struct smc_llc_test_link m = { .data = GID };
	u8 b[SMC_LLC_LEN] =
		"\x07\x2c\x00\x00" GID;

	/* R-A.3.8-01 */
	EXPECT_GOLDEN(test, test_link, &m, b);
	m.reply = true;
	b[3] = 0x80;
	EXPECT_GOLDEN(test, test_link, &m, b);
}

/* R-A.3-01..05, R-C.7.1-30..32, X-21: tests all opcodes, with right and wrong
 * lengths.
 */
static void classify(struct kunit *test)
{
	u8 b[48] = { 0, 44 };
	unsigned int op;

	for (op = 0; op < 256; op++) {
		enum smc_llc_class want, got;
		bool lengthy;

		if ((op >= 1 && op <= 4) || (op >= 6 && op <= 9))
			want = SMC_LLC_CLASS_LLC;
		else if (op == 0xfe)
			want = SMC_LLC_CLASS_CDC;
		else
			want = op >> 7 ? SMC_LLC_CLASS_DISCARD :
					 SMC_LLC_CLASS_VIOLATION;
		lengthy = want == SMC_LLC_CLASS_LLC ||
			  want == SMC_LLC_CLASS_CDC;
		b[0] = (u8)op;
		b[1] = 44;
		/* R-3.4-01, R-A.3-03..05 */
		KUNIT_EXPECT_EQ_MSG(test, smc_llc_classify(b, 44), want,
				    "opcode %02x", op);

		if (lengthy)
			want = SMC_LLC_CLASS_BAD_LEN;
		got = smc_llc_classify(b, 43);
		KUNIT_EXPECT_EQ_MSG(test, got, want, "opcode %02x", op);
		got = smc_llc_classify(b, 45);
		KUNIT_EXPECT_EQ_MSG(test, got, want, "opcode %02x", op);
		got = smc_llc_classify(b, 1);
		KUNIT_EXPECT_EQ_MSG(test, got, want, "opcode %02x", op);
		b[1] = 45;
		got = smc_llc_classify(b, 44);
		KUNIT_EXPECT_EQ_MSG(test, got, want, "opcode %02x", op);
	}
	KUNIT_EXPECT_EQ(test, smc_llc_classify(b, 0), SMC_LLC_CLASS_BAD_LEN);
}

/* Each decoder accepts only its own opcode and length byte. */
#define EXPECT_OWN(test, name, opcode)					\
do {									\
	u8 _b[SMC_LLC_LEN] = { 0, 44, 0, 0, 1 };			\
	struct kunit *_t = (test);					\
	unsigned int _op, _own = (opcode);				\
	struct smc_llc_##name _m;					\
	int _ret;							\
									\
	for (_op = 0; _op < 256; _op++) {				\
		_b[0] = (u8)_op;					\
		_b[1] = 44;						\
		_ret = smc_llc_decode_##name(_b, &_m);			\
		KUNIT_EXPECT_EQ_MSG(_t, _ret,				\
				    _op == _own ? 0 : -EBADMSG,		\
				    #name " and opcode %u", _op);	\
		_b[1] = 43;						\
		_ret = smc_llc_decode_##name(_b, &_m);			\
		KUNIT_EXPECT_EQ(_t, _ret, -EBADMSG);			\
	}								\
} while (0)

static void own_opcode(struct kunit *test)
{
	EXPECT_OWN(test, confirm_link, 1);
	EXPECT_OWN(test, add_link, 2);
	EXPECT_OWN(test, add_link_cont, 3);
	EXPECT_OWN(test, delete_link, 4);
}

static void own_opcode_rkey(struct kunit *test)
{
	EXPECT_OWN(test, confirm_rkey, 6);
	EXPECT_OWN(test, test_link, 7);
	EXPECT_OWN(test, confirm_rkey_cont, 8);
	EXPECT_OWN(test, delete_rkey, 9);
}

/* R-A.2-01 for LLC: the values of bytes behind the last field do not matter. */
static void reserved(struct kunit *test)
{
	u8 b[SMC_LLC_LEN], dirty[SMC_LLC_LEN];
	struct smc_llc_confirm_link c;
	struct smc_llc_add_link a = add_link1;
	struct smc_llc_delete_link d;

	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(b, &a), 0);
	memcpy(dirty, b, sizeof(b));
	dirty[10] = 0xff;
	dirty[11] = 0xff;
	dirty[32] |= 0xf0;
	dirty[3] |= 0x3f;
	memset(dirty + 36, 0xff, 8);
	KUNIT_EXPECT_EQ(test, smc_llc_decode_add_link(dirty, &a), 0);
	KUNIT_EXPECT_EQ(test, smc_llc_encode_add_link(dirty, &a), 0);
	/* R-A.2-01 */
	KUNIT_EXPECT_MEMEQ(test, dirty, b, SMC_LLC_LEN);

	memset(b, 0xff, sizeof(b));
	b[0] = 1;
	b[1] = 44;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_confirm_link(b, &c), 0);
	KUNIT_EXPECT_EQ(test, c.max_links, 255);
	b[0] = 4;
	KUNIT_EXPECT_EQ(test, smc_llc_decode_delete_link(b, &d), 0);
	KUNIT_EXPECT_EQ(test, d.reason, 0xffffffff);
	KUNIT_EXPECT_TRUE(test, smc_llc_is_reply(b));
	KUNIT_EXPECT_EQ(test, b[0], SMC_LLC_DELETE_LINK);
}

static struct kunit_case llc_cases[] = {
	KUNIT_CASE(confirm_link),
	KUNIT_CASE(add_link),
	KUNIT_CASE(add_link_rfc_layout),
	KUNIT_CASE(add_link_notice),
	KUNIT_CASE(add_link_cont),
	KUNIT_CASE(delete_link),
	KUNIT_CASE(confirm_rkey),
	KUNIT_CASE(confirm_rkey_reply),
	KUNIT_CASE(confirm_rkey_cont),
	KUNIT_CASE(delete_rkey),
	KUNIT_CASE(test_link),
	KUNIT_CASE(classify),
	KUNIT_CASE(own_opcode),
	KUNIT_CASE(own_opcode_rkey),
	KUNIT_CASE(reserved),
	{}
};

struct kunit_suite smc_llc_suite = {
	.name = "smc_llc",
	.test_cases = llc_cases,
};
