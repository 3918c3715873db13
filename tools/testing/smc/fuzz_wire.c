// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for the wire floor. The sanitizers find reads and writes out of
 * bounds. The target itself checks the following:
 *  - A decoder returns 0 or -EBADMSG.
 *  - The encoder accepts decoded content that may be sent again. Its result can
 *    be decoded, and encoded to the same bytes.
 *  - Cursors and positions agree with the result of a plain division.
 *
 * The first input byte selects the function under test. If its high bit is set,
 * the target puts a proper frame (eye catchers, type, length) around the other
 * bytes, so that the decoder reaches the body. With FUZZ_ONLY=frame in the
 * environment, all inputs go to the decoder of frames (frames.rst).
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../../net/smc/wire/bytes.h"
#include "../../../net/smc/wire/cdc.h"
#include "../../../net/smc/wire/clc.h"
#include "../../../net/smc/wire/ext.h"
#include "../../../net/smc/wire/frame.h"
#include "../../../net/smc/wire/llc.h"
#include "../../../net/smc/wire/llc_msg.h"
#include "../../../net/smc/wire/llc_v2.h"
#include "../../../net/smc/wire/stream.h"
#include "fuzz.h"

enum { FRAME = 0x80, BODY_MAX = 4096 };

#define DEMAND(cond)							\
do {									\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
		abort();						\
	}								\
} while (0)

/* Builds a whole CLC message of the wanted type around the input. */
static void frame_clc(u8 *msg, size_t n, u8 type)
{
	static const u8 eye[] = { 0xe2, 0xd4, 0xc3, 0xd9 };

	if (n < SMC_CLC_HDR_LEN + sizeof(eye))
		return;
	memcpy(msg, eye, sizeof(eye));
	msg[4] = type;
	msg[5] = (u8)(n >> 8);
	msg[6] = (u8)n;
	if (!(msg[7] >> 4))
		msg[7] |= 0x10;
	memcpy(msg + n - sizeof(eye), eye, sizeof(eye));
}

static bool may_be_sent(const struct smc_clc_proposal *p)
{
	bool none1 = p->typev1 == SMC_CLC_OFFER_NONE;
	bool none2 = p->typev2 == SMC_CLC_OFFER_NONE;

	if (p->n6 && (p->ipv4_net || p->ipv4_len))
		return false;
	if (p->version == SMC_CLC_V1)
		return true;
	return p->version == SMC_CLC_V2 && !(none1 && none2) &&
	       (none1 || p->typev1 == SMC_CLC_OFFER_R) &&
	       (none2 || (p->typev2 == SMC_CLC_OFFER_R && p->has_v2 &&
			  p->v2.release <= 1));
}

static void fuzz_proposal(const u8 *msg, size_t n)
{
	u8 one[SMC_CLC_MAX_LEN], two[SMC_CLC_MAX_LEN];
	struct smc_clc_proposal p, q;
	int ret = smc_clc_decode_proposal(msg, n, &p), len;

	DEMAND(ret == 0 || ret == -EBADMSG);
	if (ret)
		return;
	DEMAND(p.n6 <= SMC_CLC_PREFIXES_MAX && p.ipv4_len <= 32);
	DEMAND(p.version != SMC_CLC_V1 || p.typev1 == SMC_CLC_OFFER_R);
	DEMAND(p.v2.n_eids <= SMC_CLC_EIDS_MAX);
	DEMAND(!p.has_v2 || p.typev2 == SMC_CLC_OFFER_R ||
	       p.typev2 == SMC_CLC_OFFER_BOTH);
	len = smc_clc_encode_proposal(one, sizeof(one), &p);
	if (!may_be_sent(&p)) {
		DEMAND(len == -EINVAL);
		return;
	}
	DEMAND(p.version != SMC_CLC_V1 || len == 52 + 17 * p.n6);
	DEMAND(!smc_clc_decode_proposal(one, (size_t)len, &q));
	DEMAND(smc_clc_encode_proposal(two, sizeof(two), &q) == len);
	DEMAND(!memcmp(one, two, (size_t)len));
}

static void fuzz_accept(const u8 *msg, size_t n, enum smc_clc_type type)
{
	u8 one[SMC_CLC_MAX_LEN], two[SMC_CLC_MAX_LEN];
	struct smc_clc_accept a, b;
	int ret = smc_clc_decode_accept(msg, n, type, &a);
	bool sendable;

	DEMAND(ret == 0 || ret == -EBADMSG);
	if (ret)
		return;
	DEMAND(a.qpn && a.rmbe_idx);
	DEMAND(a.version == SMC_CLC_V1 || a.version == SMC_CLC_V2);
	DEMAND(type == SMC_CLC_ACCEPT || a.version == SMC_CLC_V2 ||
	       !a.first_contact);
	DEMAND(a.first.n_gids <= SMC_CLC_GIDS_MAX);
	sendable = a.qpn > 1 && a.bsize_code <= 5 &&
		   smc_clc_mtu_valid(a.mtu_code) && a.first.release <= 1;
	ret = smc_clc_encode_accept(one, sizeof(one), type, &a);
	DEMAND(sendable ? ret >= SMC_CLC_ACCEPT_LEN : ret == -EINVAL);
	DEMAND(!sendable || a.version != SMC_CLC_V1 ||
	       ret == SMC_CLC_ACCEPT_LEN);
	if (!sendable)
		return;
	DEMAND(!smc_clc_decode_accept(one, (size_t)ret, type, &b));
	DEMAND(smc_clc_encode_accept(two, sizeof(two), type, &b) == ret);
	DEMAND(!memcmp(one, two, (size_t)ret));
}

static void fuzz_decline(const u8 *msg, size_t n)
{
	struct smc_clc_decline_msg d, e;
	u8 one[SMC_CLC_DECLINE_V2_LEN];
	int ret = smc_clc_decode_decline(msg, n, &d), len;

	DEMAND(ret == 0 || ret == -EBADMSG);
	if (ret)
		return;
	len = smc_clc_encode_decline(one, sizeof(one), &d);
	DEMAND(len == (d.version == SMC_CLC_V1 ? 28 : 44));
	DEMAND(!smc_clc_decode_decline(one, (size_t)len, &e));
	DEMAND(e.version == d.version);
	DEMAND(e.diagnosis == d.diagnosis && e.sync_err == d.sync_err);
}

/* LLC encoders accept all decoded content except an ADD LINK that is
 * all zero.
 */
#define FUZZ_LLC(name, refusal)						\
static void fuzz_##name(const u8 *msg)					\
{									\
	u8 one[SMC_LLC_LEN], two[SMC_LLC_LEN];				\
	struct smc_llc_##name m, k;					\
	int ret = smc_llc_decode_##name(msg, &m);			\
									\
	DEMAND(ret == 0 || ret == -EBADMSG);				\
	if (ret)							\
		return;							\
	ret = smc_llc_encode_##name(one, &m);				\
	DEMAND(ret == 0 || ret == (refusal));				\
	if (ret)							\
		return;							\
	DEMAND(!smc_llc_decode_##name(one, &k));			\
	DEMAND(!smc_llc_encode_##name(two, &k));			\
	DEMAND(!memcmp(one, two, sizeof(one)));				\
}

FUZZ_LLC(confirm_link, 0)
FUZZ_LLC(add_link, -EINVAL)
FUZZ_LLC(add_link_cont, 0)
FUZZ_LLC(delete_link, 0)
FUZZ_LLC(confirm_rkey, 0)
FUZZ_LLC(confirm_rkey_cont, 0)
FUZZ_LLC(delete_rkey, 0)
FUZZ_LLC(test_link, 0)

static void fuzz_llc(const u8 *msg, size_t n)
{
	enum smc_llc_class class = smc_llc_classify(msg, n);

	DEMAND(class <= SMC_LLC_CLASS_BAD_LEN);
	if (class == SMC_LLC_CLASS_LLC || class == SMC_LLC_CLASS_CDC)
		DEMAND(n == SMC_LLC_LEN && msg[1] == SMC_LLC_LEN);
	if (n < SMC_LLC_LEN)
		return;
	fuzz_confirm_link(msg);
	fuzz_add_link(msg);
	fuzz_add_link_cont(msg);
	fuzz_delete_link(msg);
	fuzz_confirm_rkey(msg);
	fuzz_confirm_rkey_cont(msg);
	fuzz_delete_rkey(msg);
	fuzz_test_link(msg);
}

/* Every accepted message can be read without an access beyond its end. */
static void fuzz_llc_msg(u8 version, const u8 *msg, size_t n)
{
	struct smc_llc_rtok_pair pair;
	struct smc_llc_msg m;
	unsigned int i;

	if (smc_llc_msg_classify(version, msg, n) != SMC_LLC_CLASS_LLC ||
	    smc_llc_msg_decode(version, msg, n, &m))
		return;
	DEMAND(m.type < SMC_LLC_MSG_TYPES);
	DEMAND(!m.n_pairs || m.lists_keys);
	for (i = 0; i < m.n_pairs; i++)
		DEMAND(!smc_llc_msg_pair(msg, n, i, &pair));
}

/* Every entry that a decoder announces can be read, and the entry behind the
 * end of the message is refused.
 */
static void fuzz_llc_v2(const u8 *msg, size_t n)
{
	struct smc_llc_v2_delete_rkey d;
	struct smc_llc_rtok_pair pair;
	struct smc_llc_v2_add a;
	u8 v1[SMC_LLC_LEN];
	u32 i, rkey;
	int ret;

	if (smc_llc_v2_classify(msg, n) != SMC_LLC_CLASS_LLC) {
		DEMAND(smc_llc_v2_decode_add(msg, n, &a) == -EBADMSG);
		DEMAND(smc_llc_v2_decode_delete_rkey(msg, n, &d) == -EBADMSG);
		return;
	}
	DEMAND(n >= SMC_LLC_LEN);
	smc_llc_v2_to_v1(v1, msg);
	DEMAND(v1[0] == SMC_LLC_REQ_ADD_LINK ||
	       smc_llc_classify(v1, sizeof(v1)) == SMC_LLC_CLASS_LLC);
	fuzz_llc(v1, sizeof(v1));
	ret = smc_llc_v2_decode_add(msg, n, &a);
	DEMAND(ret == 0 || ret == -EBADMSG);
	for (i = 0; !ret && i < a.n; i++)
		DEMAND(!smc_llc_v2_add_pair(msg, n, i, &pair));
	ret = smc_llc_v2_decode_delete_rkey(msg, n, &d);
	DEMAND(ret == 0 || ret == -EBADMSG);
	for (i = 0; !ret && !d.reply && i < d.n; i++)
		DEMAND(!smc_llc_v2_rkey(msg, n, i, &rkey));
	DEMAND(smc_llc_v2_rkey(msg, n, (u32)n, &rkey) == -EBADMSG);
}

static void fuzz_cdc(const u8 *msg, size_t n)
{
	u8 one[SMC_CDC_LEN], two[SMC_CDC_LEN];
	struct smc_cdc c, d;
	int ret = smc_cdc_decode(msg, n, &c);

	DEMAND(ret == 0 || ret == -EBADMSG);
	DEMAND(ret || n >= SMC_CDC_LEN);
	if (ret)
		return;
	if (c.prod_flags & SMC_CDC_F)
		DEMAND(!c.conn_flags && !c.prod && !c.cons);
	smc_cdc_encode(one, &c);
	DEMAND(!smc_cdc_decode(one, sizeof(one), &d));
	smc_cdc_encode(two, &d);
	DEMAND(!memcmp(one, two, sizeof(one)));
	DEMAND(!(smc_cdc_seq_newer(c.seq, (u16)c.token) &&
		 smc_cdc_seq_newer((u16)c.token, c.seq)));
}

/* Reads the input as numbers: a reference position, a size, a cursor and a
 * grant.
 */
static void fuzz_stream(const u8 *msg, size_t n)
{
	u64 ref, ahead, period, want, pos = 0;
	struct smc_rd r;
	u32 size, curs;
	u16 wrap, w;
	int ret;

	smc_rd_init(&r, msg, n);
	ref = smc_rd_be64(&r) >> 8;
	size = smc_rd_be32(&r);
	wrap = smc_rd_be16(&r);
	curs = smc_rd_be32(&r);
	ahead = smc_rd_be32(&r);
	if (r.bad || !size)
		return;
	if (smc_rd_u8(&r) & 1)
		curs %= size;

	period = (u64)size << 16;
	ret = smc_stream_expand(ref, size, wrap, curs, ahead, &pos);
	DEMAND(ret == 0 || ret == -ERANGE);
	want = ((u64)wrap * size + curs + period - ref % period) % period;
	if (curs >= size || want > ahead) {
		DEMAND(ret == -ERANGE && pos == 0);
		return;
	}
	DEMAND(!ret && pos == ref + want);
	smc_stream_to_wire(pos, size, &w, &curs);
	DEMAND(w == (u16)(pos / size) && curs == pos % size);
	DEMAND(smc_stream_contig(pos, size, ahead) <= size - curs);
	DEMAND(smc_stream_window(size, pos, ref) ==
	       (want > size ? 0 : size - want));
}

/* Every accepted frame can be read to its end, and if its records are sane, it
 * can be written again.
 */
static void fuzz_frame(const u8 *msg, size_t n)
{
	struct smc_frame_record rec;
	struct smc_frame_hdr hdr;
	struct smc_frame_out out;
	struct smc_frame_in in;
	unsigned int records = 0;
	bool sane = true;
	u8 one[BODY_MAX];
	u8 *data;
	int ret = smc_frame_open(&in, msg, n, &hdr);

	DEMAND(ret == 0 || ret == -EBADMSG);
	if (ret)
		return;
	DEMAND(n >= SMC_FRAME_HDR_LEN +
		    hdr.records * (size_t)SMC_FRAME_SHORT_LEN);
	smc_frame_begin(&out, one, n);
	for (; smc_frame_next(&in, &rec); records++) {
		sane = sane && smc_frame_sane(&rec);
		DEMAND(rec.data >= msg && rec.data + rec.len <= msg + n);
		if (!sane)
			continue;
		data = smc_frame_add(&out, &rec);
		DEMAND(data);
		memcpy(data, rec.data, rec.len);
	}
	DEMAND(records == hdr.records);
	if (!sane)
		return;
	DEMAND(smc_frame_end(&out, hdr.taken, hdr.waited) == n);
	DEMAND(!memcmp(one, msg, n));
}

/*
 * The server's answer to any offer is one that the client accepts, or there is
 * no answer.
 */
static void fuzz_ext(const u8 *msg, size_t n)
{
	struct smc_ext own, offer, answer, confirm;
	u8 one[SMC_EXT_ANSWER_LEN];
	struct smc_ext_terms t;

	if (n < SMC_EXT_OFFER_LEN + SMC_EXT_ANSWER_LEN)
		return;
	smc_ext_decode_offer(msg, &offer);
	smc_ext_decode_answer(msg + SMC_EXT_OFFER_LEN, &own);
	smc_ext_answer(&own, &offer, &answer);
	DEMAND(smc_ext_agreed(&offer, &answer) == !!answer.version);
	DEMAND(!(answer.caps & ~(own.caps & offer.caps)));
	smc_ext_encode_answer(one, &answer);
	smc_ext_decode_answer(one, &confirm);
	DEMAND(smc_ext_confirmed(&answer, &confirm) == !!answer.version);
	/* any answer of a server leads to terms that were offered */
	if (!smc_ext_agreed(&offer, &own))
		return;
	smc_ext_settle(&own, own.frame_log, offer.frame_log, &t);
	DEMAND(t.version && t.version <= offer.version);
	DEMAND(!(t.caps & ~(offer.caps & SMC_EXT_CAPS)));
	DEMAND(!(t.caps & SMC_EXT_ELASTIC) || (t.caps & SMC_EXT_FRAMES));
	DEMAND(t.caps & SMC_EXT_FRAMES ? t.send_max >= 1 << SMC_FRAME_LOG_MIN :
					 !t.send_max && !t.recv_max);
}

static enum fuzz_target target_of(u8 byte)
{
	static enum { ASK, ALL, FRAMES } inputs;
	const char *only;

	if (inputs == ASK) {
		only = getenv("FUZZ_ONLY");
		inputs = only && !strcmp(only, "frame") ? FRAMES : ALL;
	}
	if (inputs == FRAMES)
		return FUZZ_FRAME;
	return (enum fuzz_target)((byte & ~FRAME) % FUZZ_TARGETS);
}

/* Builds a proper start, so that the fuzzer reaches the body. */
static void frame_any(u8 *msg, size_t n, enum fuzz_target target)
{
	if (target <= FUZZ_DECLINE)
		frame_clc(msg, n, (u8)(1 + target));
	if (target == FUZZ_LLC_ANY && n > 1)
		msg[1] = SMC_LLC_LEN;
	if (target == FUZZ_LLC_V2 && n > 2) {
		msg[0] = (u8)(0x20 | (msg[0] & 0x0f));
		msg[1] = (u8)n;
		msg[2] = (u8)(n >> 8);
	}
	if (target == FUZZ_FRAME && n > 3) {
		msg[0] = msg[0] & 1 ? SMC_FRAME_TYPE_WAITED : SMC_FRAME_TYPE;
		msg[2] = (u8)(n >> 8);
		msg[3] = (u8)n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	u8 target, *msg;

	if (!n || n > BODY_MAX)
		return 0;
	target = data[0];
	n--;
	/* Copies exactly the announced length, so that the sanitizers detect a
	 * read beyond the end.
	 */
	msg = malloc(n);
	if (!msg)
		return 0;
	memcpy(msg, data + 1, n);
	if (target & FRAME)
		frame_any(msg, n, target_of(target));

	switch (target_of(target)) {
	case FUZZ_PROPOSAL:
		fuzz_proposal(msg, n);
		break;
	case FUZZ_ACCEPT:
		fuzz_accept(msg, n, SMC_CLC_ACCEPT);
		break;
	case FUZZ_CONFIRM:
		fuzz_accept(msg, n, SMC_CLC_CONFIRM);
		break;
	case FUZZ_DECLINE:
		fuzz_decline(msg, n);
		break;
	case FUZZ_LLC_ANY:
		fuzz_llc(msg, n);
		fuzz_llc_msg(1, msg, n);
		break;
	case FUZZ_CDC:
		fuzz_cdc(msg, n);
		break;
	case FUZZ_STREAM:
		fuzz_stream(msg, n);
		break;
	case FUZZ_LLC_V2:
		fuzz_llc_v2(msg, n);
		fuzz_llc_msg(2, msg, n);
		break;
	case FUZZ_FRAME:
		fuzz_frame(msg, n);
		break;
	case FUZZ_EXT:
		fuzz_ext(msg, n);
		break;
	default:
		break;
	}
	free(msg);
	return 0;
}
