// SPDX-License-Identifier: GPL-2.0
/* Tests the agreement on the extension (frames.rst, F-27 to F-31). */
#include <kunit/test.h>

#include "tests.h"
#include "../wire/ext.c"

static const struct smc_ext all_caps = {
	.version = 1, .frame_log = 12, .caps = SMC_EXT_CAPS, .nonce = 0xbeef,
};

static bool same_ext(const struct smc_ext *a, const struct smc_ext *b)
{
	return a->version == b->version && a->frame_log == b->frame_log &&
	       a->caps == b->caps && a->nonce == b->nonce;
}

static void ext_bytes(struct kunit *test)
{
	static const u8 offer[] = { 0x72, 0xd4, 0x9b, 0x1c, 0xf0, 0xbe, 0xef, 0 };
	static const u8 none[SMC_EXT_OFFER_LEN] = {};
	static const struct smc_ext off;
	u8 buf[SMC_EXT_OFFER_LEN];
	struct smc_ext e;

	memset(buf, 0xff, sizeof(buf));
	smc_ext_encode_offer(buf, &all_caps);
	/* F-27 */
	KUNIT_EXPECT_MEMEQ(test, buf, offer, sizeof(offer));
	smc_ext_decode_offer(offer, &e);
	/* F-27 */
	KUNIT_EXPECT_TRUE(test, same_ext(&e, &all_caps));
	memset(buf, 0xff, sizeof(buf));
	smc_ext_encode_answer(buf, &all_caps);
	/* F-29 */
	KUNIT_EXPECT_MEMEQ(test, buf, offer + 3, SMC_EXT_ANSWER_LEN);
	KUNIT_EXPECT_EQ(test, buf[SMC_EXT_ANSWER_LEN], 0xff);
	smc_ext_decode_answer(offer + 3, &e);
	/* F-29 */
	KUNIT_EXPECT_TRUE(test, same_ext(&e, &all_caps));

	/* without the extension all bytes are zero */
	memset(buf, 0xff, sizeof(buf));
	smc_ext_encode_offer(buf, &off);
	/* F-27 */
	KUNIT_EXPECT_MEMEQ(test, buf, none, sizeof(none));
	memset(buf, 0xff, sizeof(buf));
	smc_ext_encode_answer(buf, &off);
	/* F-29 */
	KUNIT_EXPECT_MEMEQ(test, buf, none, SMC_EXT_ANSWER_LEN);
	smc_ext_decode_answer(none, &e);
	/* F-29 */
	KUNIT_EXPECT_TRUE(test, same_ext(&e, &off));
}

/* F-27: checks that bytes of another vendor, or an offer with version 0, do not
 * count as an offer.
 */
static void ext_foreign(struct kunit *test)
{
	static const struct {
		u8 at;
		u8 value;
	} t[] = {
		{ 0, 0 }, { 0, 0x70 }, { 1, 0xd5 }, { 2, 0 }, { 3, 0x0c },
	};
	static const struct smc_ext off;
	u8 buf[SMC_EXT_OFFER_LEN];
	struct smc_ext e;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		smc_ext_encode_offer(buf, &all_caps);
		buf[t[i].at] = t[i].value;
		smc_ext_decode_offer(buf, &e);
		/* F-27 */
		KUNIT_EXPECT_TRUE_MSG(test, same_ext(&e, &off), "row %zu", i);
	}
}

static void ext_answers(struct kunit *test)
{
	static const struct {
		const char *id;
		struct smc_ext own;
		struct smc_ext offer;
		struct smc_ext want;
	} choices[] = {
		{ "F-28: all",
		  { 1, 13, 0xf0, 0 }, { 1, 12, 0xf0, 7 }, { 1, 13, 0xf0, 7 } },
		{ "F-28: the common ones",
		  { 1, 12, 0xe0, 0 }, { 1, 12, 0xb0, 7 }, { 1, 12, 0xa0, 7 } },
		{ "F-28: unknown capabilities of a newer client",
		  { 1, 12, 0xf0, 0 }, { 2, 12, 0x8f, 7 }, { 1, 12, 0x80, 7 } },
		{ "F-28: an older client",
		  { 3, 12, 0xf0, 0 }, { 2, 12, 0x80, 7 }, { 2, 12, 0x80, 7 } },
		{ "F-28: ELASTIC needs FRAMES",
		  { 1, 12, 0x60, 0 }, { 1, 12, 0xe0, 7 }, { 1, 12, 0x20, 7 } },
		{ "F-28: frames that are too small",
		  { 1, 12, 0xe0, 0 }, { 1, 8, 0xe0, 7 }, { 1, 12, 0x20, 7 } },
		{ "F-35: V6 needs both hosts, and no frames",
		  { 1, 12, 0xd0, 0 }, { 1, 0, 0x10, 7 }, { 1, 12, 0x10, 7 } },
		{ "F-35: a server without V6",
		  { 1, 12, 0xc0, 0 }, { 1, 12, 0xd0, 7 }, { 1, 12, 0xc0, 7 } },
		{ "F-28: no capability in common",
		  { 1, 12, 0x40, 0 }, { 1, 12, 0xe0, 7 }, { 1, 12, 0, 7 } },
		{ "F-28: a server without capabilities",
		  { 1, 0, 0, 0 }, { 1, 12, 0xf0, 7 }, { 1, 0, 0, 7 } },
		{ "F-28: a client without capabilities",
		  { 1, 12, 0xf0, 0 }, { 1, 0, 0, 7 }, { 1, 12, 0, 7 } },
		{ "F-28: the newest client, all bits set",
		  { 1, 0, 0, 0 }, { 15, 15, 0xff, 0xffff },
		  { 1, 0, 0, 0xffff } },
		{ "F-28: no offer", { 1, 12, 0xf0, 0 }, {}, {} },
		{ "F-28: turned off", {}, { 1, 12, 0xf0, 7 }, {} },
	};
	struct smc_ext answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(choices); i++) {
		smc_ext_answer(&choices[i].own, &choices[i].offer, &answer);
		/* rows of choices */
		KUNIT_EXPECT_TRUE_MSG(test, same_ext(&answer, &choices[i].want),
				      "%s", choices[i].id);
		/* F-30: the client agrees to what the server chooses */
		KUNIT_EXPECT_EQ_MSG(test,
				    smc_ext_agreed(&choices[i].offer, &answer),
				    !!answer.version, "%s", choices[i].id);
	}
}

/* F-30: checks that any other answer turns the extension off, and changes
 * nothing else.
 */
static void ext_wrong_answers(struct kunit *test)
{
	static const struct {
		const char *id;
		struct smc_ext answer;
		bool agreed;
	} wrong[] = {
		{ "F-30: a subset", { 1, 12, 0x80, 7 }, true },
		{ "F-30: without frames", { 1, 0, 0x20, 7 }, true },
		{ "F-30: another nonce", { 1, 12, 0x80, 8 }, false },
		{ "F-30: a newer version", { 2, 12, 0x80, 7 }, false },
		{ "F-30: what was not offered", { 1, 12, 0x90, 7 }, false },
		{ "F-30: ELASTIC without FRAMES", { 1, 12, 0x40, 7 }, false },
		{ "F-30: too small frames", { 1, 8, 0x80, 7 }, false },
		{ "F-30: no capability", { 1, 0, 0, 7 }, true },
		{ "F-30: an unknown capability", { 1, 12, 0x81, 7 }, false },
		{ "F-30: another nonce, no capability", { 1, 0, 0, 8 }, false },
		{ "F-30: no answer", {}, false },
	};
	static const struct smc_ext offer = { 1, 12, 0xe0, 7 }, off;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		/* rows of wrong */
		KUNIT_EXPECT_EQ_MSG(test,
				    smc_ext_agreed(&offer, &wrong[i].answer),
				    wrong[i].agreed, "%s", wrong[i].id);
		/* F-30: nothing was offered */
		KUNIT_EXPECT_FALSE_MSG(test, smc_ext_agreed(&off, &wrong[i].answer),
				       "%s", wrong[i].id);
	}
}

static void ext_confirms(struct kunit *test)
{
	static const struct smc_ext off;
	struct smc_ext confirm = all_caps;

	/* F-31 */
	KUNIT_EXPECT_TRUE(test, smc_ext_confirmed(&all_caps, &confirm));
	/* F-31 */
	KUNIT_EXPECT_FALSE(test, smc_ext_confirmed(&all_caps, &off));
	/* F-31 */
	KUNIT_EXPECT_FALSE(test, smc_ext_confirmed(&off, &off));
	confirm.nonce++;
	/* F-31 */
	KUNIT_EXPECT_FALSE(test, smc_ext_confirmed(&all_caps, &confirm));
	confirm = all_caps;
	confirm.caps = SMC_EXT_FRAMES;
	/* F-31 */
	KUNIT_EXPECT_FALSE(test, smc_ext_confirmed(&all_caps, &confirm));
}

/* Checks what a host offers: the capabilities that it has and the sysctl
 * allows.
 */
static void ext_allowed(struct kunit *test)
{
	static const struct {
		unsigned int allowed;
		u8 ready;
		struct smc_ext want;
	} t[] = {
		{ 0, SMC_EXT_CAPS, {} },
		{ 15, SMC_EXT_CAPS, { 3, 13, 0xf0, 0 } },
		{ 15, 0, { 3, 0, 0, 0 } },
		{ 1, SMC_EXT_CAPS, { 3, 13, 0x80, 0 } },
		{ 2, SMC_EXT_CAPS, { 3, 0, 0, 0 } },
		{ 3, SMC_EXT_CAPS, { 3, 13, 0xc0, 0 } },
		{ 3, 0xb0, { 3, 13, 0x80, 0 } },
		{ 4, SMC_EXT_CAPS, { 3, 0, 0x20, 0 } },
		{ 8, SMC_EXT_CAPS, { 3, 0, 0x10, 0 } },
		{ 0xffffffff, 0xff, { 3, 13, 0xf0, 0 } },
	};
	struct smc_ext own;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		own = all_caps;
		smc_ext_own(t[i].allowed, t[i].ready, &own);
		/* F-27, F-28 */
		KUNIT_EXPECT_TRUE_MSG(test, same_ext(&own, &t[i].want),
				      "row %zu: %u %u %u", i, own.version,
				      own.frame_log, own.caps);
	}
	smc_ext_own(15, SMC_EXT_READY, &own);
	/* F-35 */
	KUNIT_EXPECT_TRUE(test, own.caps & SMC_EXT_V6);
	smc_ext_own(7, SMC_EXT_READY, &own);
	/* F-35 */
	KUNIT_EXPECT_EQ(test, own.caps, SMC_EXT_READY & ~SMC_EXT_V6);
}

/* F-36: checks that WIDE needs two hosts that accept 255 connections. */
static void ext_limits(struct kunit *test)
{
	static const struct {
		u8 max_conns;
		u8 caps;
	} t[] = {
		{ 255, 0xf0 }, { 254, 0xd0 }, { 16, 0xd0 }, { 0, 0xd0 },
	};
	struct smc_ext own;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		own = all_caps;
		smc_ext_limit(&own, t[i].max_conns);
		/* F-36 */
		KUNIT_EXPECT_EQ_MSG(test, own.caps, t[i].caps, "row %zu", i);
	}
	smc_ext_own(15, SMC_EXT_READY, &own);
	/* F-36 */
	KUNIT_EXPECT_TRUE(test, own.caps & SMC_EXT_WIDE);
	own = (struct smc_ext){};
	smc_ext_limit(&own, 16);
	/* F-36: without the extension nothing changes */
	KUNIT_EXPECT_EQ(test, own.version | own.caps, 0);
}

static bool settles(const struct smc_ext *answer, u8 peer_log, u8 own_log,
		    const struct smc_ext_terms *want)
{
	struct smc_ext_terms t = { 9, 9, 9, 9 };

	smc_ext_settle(answer, peer_log, own_log, &t);
	return t.version == want->version && t.caps == want->caps &&
	       t.send_max == want->send_max && t.recv_max == want->recv_max;
}

/*
 * Checks that each side sends frames as large as the other one receives. From
 * version 2 on they have room for heads.
 */
static void ext_terms(struct kunit *test)
{
	static const struct smc_ext some = { 1, 12, 0xa0, 7 };
	static const struct smc_ext wide = { 1, 12, 0x20, 7 };
	static const struct smc_ext newer = { 2, 12, 0xa0, 7 };
	static const struct smc_ext newest = { 15, 12, 0x20, 7 };
	static const struct smc_ext_terms client = { 1, 0xa0, 4096, 512 };
	static const struct smc_ext_terms server = { 1, 0xa0, 512, 4096 };
	static const struct smc_ext_terms no_frames = { 1, 0x20, 0, 0 };
	static const struct smc_ext_terms heads = { 2, 0xa0, 4608, 1024 };
	static const struct smc_ext_terms no_heads = { 15, 0x20, 0, 0 };

	/* F-27, F-29 */
	KUNIT_EXPECT_TRUE(test, settles(&some, 12, 9, &client));
	KUNIT_EXPECT_TRUE(test, settles(&some, 9, 12, &server));
	KUNIT_EXPECT_TRUE(test, settles(&wide, 12, 9, &no_frames));
	/* F-37 */
	KUNIT_EXPECT_TRUE(test, settles(&newer, 12, 9, &heads));
	KUNIT_EXPECT_TRUE(test, settles(&newest, 12, 9, &no_heads));
}

/* F-32: checks that a group fits if version and capabilities are equal. Nonce
 * and frame size may differ.
 */
static void ext_fit(struct kunit *test)
{
	static const struct smc_ext off;
	struct smc_ext b = all_caps;

	b.nonce++;
	b.frame_log--;
	KUNIT_EXPECT_TRUE(test, smc_ext_same(&all_caps, &b));
	KUNIT_EXPECT_TRUE(test, smc_ext_same(&off, &off));
	KUNIT_EXPECT_FALSE(test, smc_ext_same(&all_caps, &off));
	b.caps ^= SMC_EXT_ELASTIC;
	KUNIT_EXPECT_FALSE(test, smc_ext_same(&all_caps, &b));
	b = all_caps;
	b.version++;
	KUNIT_EXPECT_FALSE(test, smc_ext_same(&all_caps, &b));
}

/* F-35: checks that only V6 allows a GID that a deployed peer would misread. */
static void ext_gids(struct kunit *test)
{
	static const struct {
		u8 gid[16];
		bool v4;
	} t[] = {
		{ { [10] = 0xff, 0xff, 10, 77, 0, 1 }, true },
		{ { [10] = 0xff, 0xff }, true },
		{ { 0xfd, 0x77, [10] = 0xff, 0xff, 10, 77, 0, 1 }, false },
		{ { [10] = 0xff, 0xfe, 10, 77, 0, 1 }, false },
		{ { [12] = 10, 77, 0, 1 }, false },
		{ { 0xfd, 0x77, [15] = 1 }, false },
		{ { 0xfe, 0x80, [15] = 1 }, false },
		{ {}, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		/* F-35 */
		KUNIT_EXPECT_EQ_MSG(test, smc_ext_fits_gid(0xef, t[i].gid),
				    t[i].v4, "row %zu", i);
		KUNIT_EXPECT_TRUE_MSG(test,
				      smc_ext_fits_gid(SMC_EXT_V6, t[i].gid),
				      "row %zu", i);
	}
}

static struct kunit_case ext_cases[] = {
	KUNIT_CASE(ext_allowed),
	KUNIT_CASE(ext_limits),
	KUNIT_CASE(ext_terms),
	KUNIT_CASE(ext_fit),
	KUNIT_CASE(ext_gids),
	KUNIT_CASE(ext_bytes),
	KUNIT_CASE(ext_foreign),
	KUNIT_CASE(ext_answers),
	KUNIT_CASE(ext_wrong_answers),
	KUNIT_CASE(ext_confirms),
	{}
};

struct kunit_suite smc_ext_suite = {
	.name = "smc_ext",
	.test_cases = ext_cases,
};
