// SPDX-License-Identifier: GPL-2.0
/* LLC messages of version 2. See llc_v2.h. */
#include "bytes.h"
#include "llc_v2.h"

enum {
	TYPE_MASK	= 0xf0,
	OPCODE_MASK	= 0x0f,
	REPLY		= 0x80,
	RKEY_NEGATIVE	= 0x20,

	ADD_DIRECT_AT	= 44,
	ADD_DIRECT	= 0x80,
	ADD_GID_AT	= 46,
	ADD_NUM_AT	= 70,
	REQ_NUM_AT	= 24,
	RKEY_NUM_AT	= 4,
	RKEY_BAD_AT	= 5,
	RKEYS_AT	= 8,
};

/* Writes a count in the byte order of this host; the receiver detects it. */
static void put_native16(u8 *p, u16 v)
{
	memcpy(p, &v, sizeof(v));
}

static u16 get_native16(const u8 *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static u16 get_other16(const u8 *p)
{
	u16 v = get_native16(p);

	return (u16)(v >> 8 | v << 8);
}

static bool len_possible(u16 len)
{
	return len >= SMC_LLC_LEN && len <= SMC_LLC_V2_MAX;
}

/*
 * Does the sender have the other byte order? In the sender's order the length
 * field equals the number of received bytes. But some peers announce more bytes
 * than they send. So if neither order fits, the order that gives a possible
 * length counts.
 */
static bool other_order(const u8 *buf, size_t n)
{
	u16 native = get_native16(buf + 1);
	u16 other = get_other16(buf + 1);

	if (native == n || other == n)
		return native != n;
	return !len_possible(native) && len_possible(other);
}

static u16 get_sender16(const u8 *buf, size_t n, size_t at)
{
	return other_order(buf, n) ? get_other16(buf + at) :
				     get_native16(buf + at);
}

/**
 * smc_llc_is_v2() - does this type byte belong to version 2?
 * @type: first byte of a message
 *
 * Return: true for version 2.
 */
bool smc_llc_is_v2(u8 type)
{
	return (type & TYPE_MASK) == SMC_LLC_V2;
}

/**
 * smc_llc_v2_classify() - classify a received message of version 2
 * @buf: the message
 * @n: bytes received
 *
 * Return: LLC, VIOLATION for an unknown type, BAD_LEN for a length that is
 * impossible in either byte order or for fewer than 44 bytes.
 */
enum smc_llc_class smc_llc_v2_classify(const u8 *buf, size_t n)
{
	if (n < SMC_LLC_LEN || n > SMC_LLC_V2_MAX || !smc_llc_is_v2(buf[0]))
		return SMC_LLC_CLASS_BAD_LEN;
	if (!smc_llc_in_version(buf[0] & OPCODE_MASK, 2))
		return SMC_LLC_CLASS_VIOLATION;
	if (!len_possible(get_native16(buf + 1)) &&
	    !len_possible(get_other16(buf + 1)))
		return SMC_LLC_CLASS_BAD_LEN;
	return SMC_LLC_CLASS_LLC;
}

/**
 * smc_llc_v2_to_v1() - convert the first 44 bytes to a message of version 1
 * @out: output, for the decoders of llc.h
 * @buf: message of class LLC
 *
 * The result never has the reason of a rejection, because version 2 has the
 * length field at this place. Do not use the function for DELETE RKEY; see
 * smc_llc_v2_decode_delete_rkey().
 */
void smc_llc_v2_to_v1(u8 out[SMC_LLC_LEN], const u8 *buf)
{
	memcpy(out, buf, SMC_LLC_LEN);
	out[0] &= OPCODE_MASK;
	out[1] = SMC_LLC_LEN;
	out[2] = 0;
}

/**
 * smc_llc_v2_from_v1() - convert a message of version 1 to version 2
 * @buf: 44 bytes that an encoder of llc.h wrote; not a DELETE RKEY
 */
void smc_llc_v2_from_v1(u8 buf[SMC_LLC_LEN])
{
	buf[0] |= SMC_LLC_V2;
	put_native16(buf + 1, SMC_LLC_LEN);
}

static bool is_type(const u8 *buf, size_t n, u8 type)
{
	return smc_llc_v2_classify(buf, n) == SMC_LLC_CLASS_LLC &&
	       buf[0] == (SMC_LLC_V2 | type);
}

static void v2_put_header(u8 *buf, u8 type, size_t len, u8 flags)
{
	buf[0] = SMC_LLC_V2 | type;
	put_native16(buf + 1, (u16)len);
	buf[3] = flags;
}

/* ---- ADD LINK ---- */

/**
 * smc_llc_v2_decode_add() - read the fields that version 2 adds to ADD LINK
 * @buf: the message
 * @n: bytes received
 * @m: output; unchanged after an error
 *
 * Deployed peers announce a pair for each connection but send a pair for each
 * RMB. So if the count exceeds the message, the decoder reduces it to the
 * number of received pairs. A message of 44 bytes, such as a rejection, has no
 * pairs.
 *
 * Return: 0, or -EBADMSG.
 */
int smc_llc_v2_decode_add(const u8 *buf, size_t n, struct smc_llc_v2_add *m)
{
	struct smc_llc_v2_add out = {};
	size_t room;

	if (!is_type(buf, n, SMC_LLC_ADD_LINK) ||
	    (n > SMC_LLC_LEN && n < SMC_LLC_V2_ADD_LEN))
		return -EBADMSG;
	if (n > SMC_LLC_LEN) {
		room = (n - SMC_LLC_V2_ADD_LEN) / SMC_LLC_V2_PAIR_LEN;
		out.direct = buf[ADD_DIRECT_AT] & ADD_DIRECT;
		memcpy(out.gid, buf + ADD_GID_AT, SMC_GID_LEN);
		out.n = get_sender16(buf, n, ADD_NUM_AT);
		if (out.n > room)
			out.n = (u16)room;
	}
	*m = out;
	return 0;
}

/**
 * smc_llc_v2_add_pair() - get one pair of keys of an ADD LINK
 * @buf: the message
 * @n: bytes received
 * @i: index, from 0
 * @pair: output
 *
 * Return: 0, or -EBADMSG if the message ends before the pair.
 */
int smc_llc_v2_add_pair(const u8 *buf, size_t n, unsigned int i,
			struct smc_llc_rtok_pair *pair)
{
	struct smc_rd r;

	smc_rd_init(&r, buf, n);
	smc_rd_skip(&r, SMC_LLC_V2_ADD_LEN +
		    (size_t)i * SMC_LLC_V2_PAIR_LEN);
	pair->ref_rkey = smc_rd_be32(&r);
	pair->new_rkey = smc_rd_be32(&r);
	pair->new_addr = smc_rd_be64(&r);
	return r.bad ? -EBADMSG : 0;
}

/**
 * smc_llc_v2_encode_add() - write an ADD LINK with its keys
 * @buf: output: the message
 * @n: room in @buf
 * @a: fields that version 1 also has
 * @m: fields that only version 2 has
 * @pair: @m->n pairs
 *
 * Return: length, -EINVAL as smc_llc_encode_add_link(), -ENOSPC.
 */
int smc_llc_v2_encode_add(u8 *buf, size_t n, const struct smc_llc_add_link *a,
			  const struct smc_llc_v2_add *m,
			  const struct smc_llc_rtok_pair *pair)
{
	size_t len = SMC_LLC_V2_ADD_LEN + (size_t)m->n * SMC_LLC_V2_PAIR_LEN;
	struct smc_wr w;
	unsigned int i;
	int err;

	if (len > n || len > SMC_LLC_V2_MAX)
		return -ENOSPC;
	err = smc_llc_encode_add_link(buf, a);
	if (err)
		return err;
	v2_put_header(buf, SMC_LLC_ADD_LINK, len, buf[3]);
	memset(buf + SMC_LLC_LEN, 0, SMC_LLC_V2_ADD_LEN - SMC_LLC_LEN);
	buf[ADD_DIRECT_AT] = m->direct ? ADD_DIRECT : 0;
	memcpy(buf + ADD_GID_AT, m->gid, SMC_GID_LEN);
	put_native16(buf + ADD_NUM_AT, m->n);
	smc_wr_init(&w, buf + SMC_LLC_V2_ADD_LEN, len - SMC_LLC_V2_ADD_LEN);
	for (i = 0; i < m->n; i++) {
		smc_wr_be32(&w, pair[i].ref_rkey);
		smc_wr_be32(&w, pair[i].new_rkey);
		smc_wr_be64(&w, pair[i].new_addr);
	}
	return w.bad ? -ENOSPC : (int)len;
}

/* ---- REQUEST ADD LINK ---- */

/**
 * smc_llc_v2_encode_req() - write a REQUEST ADD LINK, or the answer to one
 * @buf: output: the message
 * @n: room in @buf
 * @m: content; an answer has no GIDs
 * @gids: @m->n GIDs, one behind the other
 *
 * Return: length, at least 44; -ENOSPC.
 */
int smc_llc_v2_encode_req(u8 *buf, size_t n, const struct smc_llc_v2_req *m,
			  const u8 *gids)
{
	u8 n_gids = m->reply ? 0 : m->n;
	size_t len = SMC_LLC_V2_REQ_LEN + (size_t)n_gids * SMC_GID_LEN;

	if (len < SMC_LLC_LEN)
		len = SMC_LLC_LEN;
	if (len > n)
		return -ENOSPC;
	memset(buf, 0, len);
	v2_put_header(buf, SMC_LLC_REQ_ADD_LINK, len, m->reply ? REPLY : 0);
	buf[REQ_NUM_AT] = n_gids;
	memcpy(buf + SMC_LLC_V2_REQ_LEN, gids, (size_t)n_gids * SMC_GID_LEN);
	return (int)len;
}

/* ---- DELETE RKEY ---- */

/**
 * smc_llc_v2_decode_delete_rkey() - read a DELETE RKEY with any number of keys
 * @buf: the message
 * @n: bytes received
 * @m: output; unchanged after an error
 *
 * Return: 0, or -EBADMSG, also for a request without keys or with missing keys.
 */
int smc_llc_v2_decode_delete_rkey(const u8 *buf, size_t n,
				  struct smc_llc_v2_delete_rkey *m)
{
	struct smc_llc_v2_delete_rkey out = {};

	if (!is_type(buf, n, SMC_LLC_DELETE_RKEY))
		return -EBADMSG;
	out.reply = buf[3] & REPLY;
	out.n = buf[RKEY_NUM_AT];
	if (out.reply) {
		out.negative = buf[3] & RKEY_NEGATIVE;
		out.n_bad = buf[RKEY_BAD_AT];
	} else if (!out.n || RKEYS_AT + (size_t)out.n * 4 > n) {
		return -EBADMSG;
	}
	*m = out;
	return 0;
}

/**
 * smc_llc_v2_rkey() - get one key of a DELETE RKEY
 * @buf: the message
 * @n: bytes received
 * @i: index, from 0
 * @rkey: output
 *
 * Return: 0, or -EBADMSG if the message ends before the key.
 */
int smc_llc_v2_rkey(const u8 *buf, size_t n, unsigned int i, u32 *rkey)
{
	struct smc_rd r;

	smc_rd_init(&r, buf, n);
	smc_rd_skip(&r, RKEYS_AT + (size_t)i * 4);
	*rkey = smc_rd_be32(&r);
	return r.bad ? -EBADMSG : 0;
}

/**
 * smc_llc_v2_encode_delete_rkey() - write a DELETE RKEY or the answer to one
 * @buf: output: the message
 * @n: room in @buf
 * @m: content
 * @rkey: request: @m->n keys
 *
 * Return: length, at least 44; -EINVAL for a request without keys; -ENOSPC.
 */
int smc_llc_v2_encode_delete_rkey(u8 *buf, size_t n,
				  const struct smc_llc_v2_delete_rkey *m,
				  const u32 *rkey)
{
	u8 n_keys = m->reply ? 0 : m->n;
	size_t len = RKEYS_AT + (size_t)n_keys * 4;
	struct smc_wr w;
	unsigned int i;

	if (!m->reply && !m->n)
		return -EINVAL;
	if (len < SMC_LLC_LEN)
		len = SMC_LLC_LEN;
	if (len > n)
		return -ENOSPC;
	memset(buf, 0, len);
	v2_put_header(buf, SMC_LLC_DELETE_RKEY, len,
		      (m->reply ? REPLY : 0) |
		      (m->reply && m->negative ? RKEY_NEGATIVE : 0));
	buf[RKEY_NUM_AT] = m->n;
	buf[RKEY_BAD_AT] = m->reply ? m->n_bad : 0;
	smc_wr_init(&w, buf + RKEYS_AT, len - RKEYS_AT);
	for (i = 0; i < n_keys; i++)
		smc_wr_be32(&w, rkey[i]);
	return (int)len;
}
