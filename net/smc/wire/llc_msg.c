// SPDX-License-Identifier: GPL-2.0
/* LLC messages of both versions. See llc_msg.h. */
#include "bytes.h"
#include "llc_msg.h"

enum {
	V1		= 1,
	MASK_FIRST	= 0x80,	/* bit of the first key, R-A.3.7-03 */
	TYPE_V1		= 0x0f,	/* the type byte without its version */
};

/* A group of version 2 also accepts messages of version 1. */
static bool reads_as_v2(u8 version, const u8 *buf, size_t n)
{
	return version > V1 && n && smc_llc_is_v2(buf[0]);
}

/**
 * smc_llc_msg_keys_in_add() - does ADD LINK itself list the keys?
 * @version: version of the link group
 *
 * In version 1 the keys follow in ADD LINK CONTINUATION.
 *
 * Return: true if ADD LINK lists the keys.
 */
bool smc_llc_msg_keys_in_add(u8 version)
{
	return version > V1;
}

/**
 * smc_llc_msg_request_is_answered() - does a server that adds no link send an
 * answer?
 * @version: version of the link group
 *
 * A client of version 2 asks for a link by REQUEST ADD LINK. The server then
 * offers a link, or answers that it adds none. A client of version 1 sends an
 * ADD LINK, to which the server need not react.
 *
 * Return: true if the server sends an answer.
 */
bool smc_llc_msg_request_is_answered(u8 version)
{
	return version > V1;
}

/**
 * smc_llc_msg_classify() - classify a message that has arrived on a link
 * @version: version of the link group
 * @buf: the message
 * @n: number of bytes received
 *
 * Return: see smc_llc_classify() and smc_llc_v2_classify().
 */
enum smc_llc_class smc_llc_msg_classify(u8 version, const u8 *buf, size_t n)
{
	return reads_as_v2(version, buf, n) ? smc_llc_v2_classify(buf, n) :
					      smc_llc_classify(buf, n);
}

/**
 * smc_llc_msg_type() - get the type of a message of class LLC
 * @buf: the message
 *
 * Return: type, as in struct smc_llc_msg.
 */
u8 smc_llc_msg_type(const u8 *buf)
{
	return buf[0] & TYPE_V1;
}

static int decode_v1_revoke(const u8 buf[SMC_LLC_LEN],
			    struct smc_llc_revoke *r)
{
	struct smc_llc_delete_rkey m;
	u8 i;

	if (smc_llc_decode_delete_rkey(buf, &m))
		return -EBADMSG;
	r->reply = m.reply;
	r->n = m.num;
	for (i = 0; i < m.num; i++) {
		r->rkey[i] = m.rkey[i];
		if (m.err_mask & (MASK_FIRST >> i)) {
			r->unknown |= (u8)(1 << i);
			r->n_unknown++;
		}
	}
	return 0;
}

static int decode_v2_revoke(const u8 *buf, size_t n, struct smc_llc_revoke *r)
{
	struct smc_llc_v2_delete_rkey m;
	u8 i;

	if (smc_llc_v2_decode_delete_rkey(buf, n, &m))
		return -EBADMSG;
	r->reply = m.reply;
	r->n = m.n;
	r->names_none = m.reply;
	r->n_unknown = m.n_bad;
	for (i = 0; !m.reply && i < m.n && i < SMC_LLC_REVOKE_HERE; i++)
		smc_llc_v2_rkey(buf, n, i, &r->rkey[i]);
	return 0;
}

static int decode_body(const u8 buf[SMC_LLC_LEN], struct smc_llc_msg *m)
{
	switch ((enum smc_llc_type)m->type) {
	case SMC_LLC_CONFIRM_LINK:
		return smc_llc_decode_confirm_link(buf, &m->confirm_link);
	case SMC_LLC_ADD_LINK:
		return smc_llc_decode_add_link(buf, &m->add_link);
	case SMC_LLC_ADD_LINK_CONT:
		return smc_llc_decode_add_link_cont(buf, &m->add_link_cont);
	case SMC_LLC_DELETE_LINK:
		return smc_llc_decode_delete_link(buf, &m->delete_link);
	/* the GIDs of the message are not used */
	case SMC_LLC_REQ_ADD_LINK:
		m->request.reply = smc_llc_is_reply(buf);
		return 0;
	case SMC_LLC_CONFIRM_RKEY:
		return smc_llc_decode_confirm_rkey(buf, &m->confirm_rkey);
	case SMC_LLC_CONFIRM_RKEY_CONT:
		return smc_llc_decode_confirm_rkey_cont(buf,
							&m->confirm_rkey_cont);
	case SMC_LLC_DELETE_RKEY:
		return decode_v1_revoke(buf, &m->revoke);
	case SMC_LLC_TEST_LINK:
		return smc_llc_decode_test_link(buf, &m->test_link);
	}
	return -EBADMSG;
}

/**
 * smc_llc_msg_list_matters() - must the receiver keep the bytes of a version 2
 *	message behind the first 44?
 * @type: type, as in struct smc_llc_msg
 *
 * Return: true if it must be kept.
 */
bool smc_llc_msg_list_matters(u8 type)
{
	return type == SMC_LLC_ADD_LINK || type == SMC_LLC_DELETE_RKEY;
}

/**
 * smc_llc_msg_decode() - read a message
 * @version: version of the link group
 * @buf: message of class LLC
 * @n: bytes received, at least 44
 * @m: output
 *
 * Return: 0, or -EBADMSG, also for a type that the version does not have.
 */
int smc_llc_msg_decode(u8 version, const u8 *buf, size_t n,
		       struct smc_llc_msg *m)
{
	bool v2 = reads_as_v2(version, buf, n);
	struct smc_llc_v2_add add;
	u8 v1[SMC_LLC_LEN];
	int err;

	if (n < SMC_LLC_LEN)
		return -EBADMSG;
	memset(m, 0, sizeof(*m));
	m->type = smc_llc_msg_type(buf);
	/* version 2 has no continuations, neither as messages of its own nor as
	 * messages of version 1
	 */
	if (!smc_llc_in_version(m->type, version))
		return -EBADMSG;
	if (!v2)
		return decode_body(buf, m);
	if (m->type == SMC_LLC_DELETE_RKEY)
		return decode_v2_revoke(buf, n, &m->revoke);
	smc_llc_v2_to_v1(v1, buf);
	err = decode_body(v1, m);
	if (err)
		return err;
	if (m->type == SMC_LLC_ADD_LINK && n > SMC_LLC_LEN &&
	    !smc_llc_v2_decode_add(buf, n, &add)) {
		m->lists_keys = true;
		m->n_pairs = add.n;
	}
	return 0;
}

/**
 * smc_llc_msg_pair() - get one pair of keys of an ADD LINK that lists keys
 * @buf: the message
 * @n: length of the message
 * @i: index of the pair, from 0
 * @pair: output
 *
 * Return: 0, or -EBADMSG if the message ends before the pair.
 */
int smc_llc_msg_pair(const u8 *buf, size_t n, unsigned int i,
		     struct smc_llc_rtok_pair *pair)
{
	return smc_llc_v2_add_pair(buf, n, i, pair);
}

/**
 * smc_llc_msg_rkey() - get one key of a DELETE RKEY of either version
 * @buf: the message
 * @n: length of the message
 * @i: index of the key, from 0
 * @rkey: output
 *
 * Return: 0, or -EBADMSG if the message ends before the key.
 */
int smc_llc_msg_rkey(const u8 *buf, size_t n, unsigned int i, u32 *rkey)
{
	return smc_llc_v2_rkey(buf, n, i, rkey);
}

/* In version 1 this is an ADD LINK without a link (R-L-11), and never an
 * answer.
 */
static int encode_v1_request(u8 buf[SMC_LLC_LEN],
			     const struct smc_llc_request *r)
{
	struct smc_llc_add_link m = {};

	if (r->reply)
		return -EINVAL;
	memcpy(m.mac, r->mac, sizeof(m.mac));
	memcpy(m.gid, r->gid[0], sizeof(m.gid));
	return smc_llc_encode_add_link(buf, &m);
}

static int encode_v1_revoke(u8 buf[SMC_LLC_LEN], const struct smc_llc_revoke *r)
{
	struct smc_llc_delete_rkey m = {
		.reply = r->reply,
		.negative = r->n_unknown,
		.num = r->n,
	};
	u8 i;

	if (r->n > SMC_LLC_REVOKE_HERE)
		return -EINVAL;
	for (i = 0; i < r->n; i++) {
		m.rkey[i] = r->rkey[i];
		if (r->unknown & (1 << i))
			m.err_mask |= (u8)(MASK_FIRST >> i);
	}
	return smc_llc_encode_delete_rkey(buf, &m);
}

static int encode_v1(u8 buf[SMC_LLC_LEN], const struct smc_llc_msg *m)
{
	switch ((enum smc_llc_type)m->type) {
	case SMC_LLC_CONFIRM_LINK:
		return smc_llc_encode_confirm_link(buf, &m->confirm_link);
	case SMC_LLC_ADD_LINK:
		return smc_llc_encode_add_link(buf, &m->add_link);
	case SMC_LLC_ADD_LINK_CONT:
		return smc_llc_encode_add_link_cont(buf, &m->add_link_cont);
	case SMC_LLC_DELETE_LINK:
		return smc_llc_encode_delete_link(buf, &m->delete_link);
	case SMC_LLC_REQ_ADD_LINK:
		return encode_v1_request(buf, &m->request);
	case SMC_LLC_CONFIRM_RKEY:
		return smc_llc_encode_confirm_rkey(buf, &m->confirm_rkey);
	case SMC_LLC_CONFIRM_RKEY_CONT:
		return smc_llc_encode_confirm_rkey_cont(buf,
							&m->confirm_rkey_cont);
	case SMC_LLC_DELETE_RKEY:
		return encode_v1_revoke(buf, &m->revoke);
	case SMC_LLC_TEST_LINK:
		return smc_llc_encode_test_link(buf, &m->test_link);
	}
	return -EINVAL;
}

static int encode_v2_request(u8 *buf, size_t n, const struct smc_llc_request *r)
{
	struct smc_llc_v2_req m = { .reply = r->reply, .n = r->n };

	if (r->n > SMC_LLC_REQUEST_GIDS)
		return -EINVAL;
	return smc_llc_v2_encode_req(buf, n, &m, r->gid[0]);
}

/* Writes the keys that fit into 44 bytes. An answer has no keys. */
static int encode_v2_revoke(u8 *buf, size_t n, const struct smc_llc_revoke *r)
{
	struct smc_llc_v2_delete_rkey m = {
		.reply = r->reply,
		.negative = r->n_unknown,
		.n = r->n,
		.n_bad = r->n_unknown,
	};

	if (!r->reply && r->n > SMC_LLC_REVOKE_HERE)
		return -EINVAL;
	return smc_llc_v2_encode_delete_rkey(buf, n, &m, r->rkey);
}

static int encode_v2_add(u8 *buf, size_t n, const struct smc_llc_msg *m,
			 const struct smc_llc_rtok_pair *pair)
{
	struct smc_llc_v2_add add = {
		/* a link through a gateway is never offered */
		.direct = true,
		.n = m->n_pairs,
	};

	memcpy(add.gid, m->add_link.gid, sizeof(add.gid));
	return smc_llc_v2_encode_add(buf, n, &m->add_link, &add, pair);
}

/**
 * smc_llc_msg_encode() - write a message of 44 bytes
 * @version: version of the link group
 * @buf: output: the message
 * @m: content; its lists are not written
 *
 * Return: 0, or -EINVAL when a value does not fit its field, or the version has
 * no such message.
 */
int smc_llc_msg_encode(u8 version, u8 buf[SMC_LLC_LEN],
		       const struct smc_llc_msg *m)
{
	int err;

	if (version == V1)
		return encode_v1(buf, m);
	if (!smc_llc_in_version(m->type, version))
		return -EINVAL;
	if (m->type == SMC_LLC_REQ_ADD_LINK) {
		err = encode_v2_request(buf, SMC_LLC_LEN, &m->request);
	} else if (m->type == SMC_LLC_DELETE_RKEY) {
		err = encode_v2_revoke(buf, SMC_LLC_LEN, &m->revoke);
	} else {
		err = encode_v1(buf, m);
		if (!err)
			smc_llc_v2_from_v1(buf);
	}
	return err < 0 ? -EINVAL : 0;
}

/**
 * smc_llc_msg_long_len() - room for a message that has a list
 * @version: version of the link group
 * @m: message
 *
 * Return: length; 0 if the message has 44 bytes in this version, and
 * smc_llc_msg_encode() writes it.
 */
size_t smc_llc_msg_long_len(u8 version, const struct smc_llc_msg *m)
{
	size_t len;

	if (version == V1)
		return 0;
	if (m->type == SMC_LLC_ADD_LINK && m->lists_keys)
		return SMC_LLC_V2_ADD_LEN +
		       (size_t)m->n_pairs * SMC_LLC_V2_PAIR_LEN;
	if (m->type != SMC_LLC_REQ_ADD_LINK || m->request.reply)
		return 0;
	len = SMC_LLC_V2_REQ_LEN + (size_t)m->request.n * SMC_GID_LEN;
	return len < SMC_LLC_LEN ? SMC_LLC_LEN : len;
}

/**
 * smc_llc_msg_encode_long() - write a message that has a list
 * @version: version of the link group
 * @buf: output: the message
 * @n: room in @buf, at least smc_llc_msg_long_len()
 * @m: message for which smc_llc_msg_long_len() is not 0
 * @pair: ADD LINK: @m->n_pairs pairs
 *
 * Return: length, or -EINVAL, -ENOSPC.
 */
int smc_llc_msg_encode_long(u8 version, u8 *buf, size_t n,
			    const struct smc_llc_msg *m,
			    const struct smc_llc_rtok_pair *pair)
{
	if (!smc_llc_msg_long_len(version, m))
		return -EINVAL;
	if (m->type == SMC_LLC_ADD_LINK)
		return encode_v2_add(buf, n, m, pair);
	return encode_v2_request(buf, n, &m->request);
}
