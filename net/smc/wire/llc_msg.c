// SPDX-License-Identifier: GPL-2.0
/* Any LLC message of either version, see llc_msg.h. */
#include "bytes.h"
#include "llc_msg.h"

enum {
	V1		= 1,
	TYPE_V1		= 0x0f,	/* the type byte without its version */
};

/* A group of version 2 takes messages of version 1 as well. */
static bool reads_as_v2(u8 version, const u8 *buf, size_t n)
{
	return version > V1 && n && smc_llc_is_v2(buf[0]);
}

/**
 * smc_llc_msg_keys_in_add() - does ADD LINK list the keys itself?
 * @version: of the link group
 *
 * In version 1 they follow in ADD LINK CONTINUATION. A client of version 2 asks
 * for a link by REQUEST ADD LINK, one of version 1 by an ADD LINK of its own.
 *
 * Return: true if it does.
 */
bool smc_llc_msg_keys_in_add(u8 version)
{
	return version > V1;
}

/**
 * smc_llc_msg_classify() - what kind of message has arrived on a link
 * @version: of the link group
 * @buf: the message
 * @n: bytes received
 *
 * Return: see smc_llc_classify() and smc_llc_v2_classify().
 */
enum smc_llc_class smc_llc_msg_classify(u8 version, const u8 *buf, size_t n)
{
	return reads_as_v2(version, buf, n) ? smc_llc_v2_classify(buf, n) :
					      smc_llc_classify(buf, n);
}

/**
 * smc_llc_msg_type() - type of a message that classified as LLC
 * @buf: the message
 *
 * Return: as in struct smc_llc_msg.
 */
u8 smc_llc_msg_type(const u8 *buf)
{
	return buf[0] & TYPE_V1;
}

static int decode_body(const u8 buf[SMC_LLC_LEN], struct smc_llc_msg *m)
{
	switch (m->type) {
	case SMC_LLC_CONFIRM_LINK:
		return smc_llc_decode_confirm_link(buf, &m->confirm_link);
	case SMC_LLC_ADD_LINK:
		return smc_llc_decode_add_link(buf, &m->add_link);
	case SMC_LLC_ADD_LINK_CONT:
		return smc_llc_decode_add_link_cont(buf, &m->add_link_cont);
	case SMC_LLC_DELETE_LINK:
		return smc_llc_decode_delete_link(buf, &m->delete_link);
	case SMC_LLC_REQ_ADD_LINK:	/* its GIDs are of no use */
		m->request.reply = smc_llc_is_reply(buf);
		return 0;
	case SMC_LLC_CONFIRM_RKEY:
		return smc_llc_decode_confirm_rkey(buf, &m->confirm_rkey);
	case SMC_LLC_DELETE_RKEY:
		return smc_llc_decode_delete_rkey(buf, &m->delete_rkey);
	case SMC_LLC_TEST_LINK:
		return smc_llc_decode_test_link(buf, &m->test_link);
	default:	/* CONFIRM RKEY CONTINUATION: nobody needs its content */
		return 0;
	}
}

/**
 * smc_llc_msg_decode() - read a message
 * @version: of the link group
 * @buf: the message, which classified as LLC
 * @n: bytes of it that are there, at least 44
 * @m: where it goes
 *
 * Return: 0, or -EBADMSG.
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
	if (!v2)
		return decode_body(buf, m);
	smc_llc_v2_to_v1(v1, buf);
	err = decode_body(v1, m);
	if (err)
		return err;
	if (m->type == SMC_LLC_DELETE_RKEY)
		m->names_no_key = m->delete_rkey.reply;
	if (m->type == SMC_LLC_ADD_LINK && n > SMC_LLC_LEN &&
	    !smc_llc_v2_decode_add(buf, n, &add)) {
		m->lists_keys = true;
		m->n_pairs = add.n;
	}
	return 0;
}

/**
 * smc_llc_msg_pair() - one pair of keys of an ADD LINK that lists keys
 * @buf: the message
 * @n: bytes of it
 * @i: which, from 0
 * @pair: where it goes
 *
 * Return: 0, or -EBADMSG when the message ends before it.
 */
int smc_llc_msg_pair(const u8 *buf, size_t n, unsigned int i,
		     struct smc_llc_rtok_pair *pair)
{
	return smc_llc_v2_add_pair(buf, n, i, pair);
}

static int encode_v1(u8 buf[SMC_LLC_LEN], const struct smc_llc_msg *m)
{
	switch (m->type) {
	case SMC_LLC_CONFIRM_LINK:
		return smc_llc_encode_confirm_link(buf, &m->confirm_link);
	case SMC_LLC_ADD_LINK:
		return smc_llc_encode_add_link(buf, &m->add_link);
	case SMC_LLC_ADD_LINK_CONT:
		return smc_llc_encode_add_link_cont(buf, &m->add_link_cont);
	case SMC_LLC_DELETE_LINK:
		return smc_llc_encode_delete_link(buf, &m->delete_link);
	case SMC_LLC_CONFIRM_RKEY:
		return smc_llc_encode_confirm_rkey(buf, &m->confirm_rkey);
	case SMC_LLC_DELETE_RKEY:
		return smc_llc_encode_delete_rkey(buf, &m->delete_rkey);
	case SMC_LLC_TEST_LINK:
		return smc_llc_encode_test_link(buf, &m->test_link);
	default:
		return -EINVAL;
	}
}

/**
 * smc_llc_msg_encode() - write a message that has no list
 * @version: of the link group
 * @buf: where it goes
 * @m: content
 *
 * Return: 0, or -EINVAL when a value does not fit its field.
 */
int smc_llc_msg_encode(u8 version, u8 buf[SMC_LLC_LEN],
		       const struct smc_llc_msg *m)
{
	int err;

	if (version > V1 && m->type == SMC_LLC_REQ_ADD_LINK) {
		err = smc_llc_v2_encode_req(buf, SMC_LLC_LEN, &m->request,
					    buf);
		return err < 0 ? -EINVAL : 0;
	}
	err = encode_v1(buf, m);
	if (!err && version > V1)
		smc_llc_v2_from_v1(buf);
	return err;
}

/**
 * smc_llc_msg_encode_add() - write an ADD LINK that lists keys
 * @buf: where it goes
 * @n: room in @buf
 * @m: ADD LINK
 * @more: what version 1 does not have
 * @pair: @more->n pairs
 *
 * Return: length, or -EINVAL, -ENOSPC.
 */
int smc_llc_msg_encode_add(u8 *buf, size_t n, const struct smc_llc_msg *m,
			   const struct smc_llc_v2_add *more,
			   const struct smc_llc_rtok_pair *pair)
{
	return smc_llc_v2_encode_add(buf, n, &m->add_link, more, pair);
}

/**
 * smc_llc_msg_encode_request() - write a REQUEST ADD LINK
 * @buf: where it goes
 * @n: room in @buf
 * @m: REQUEST ADD LINK
 * @gids: @m->request.n GIDs, one behind the other
 *
 * Return: length, or -ENOSPC.
 */
int smc_llc_msg_encode_request(u8 *buf, size_t n, const struct smc_llc_msg *m,
			       const u8 *gids)
{
	return smc_llc_v2_encode_req(buf, n, &m->request, gids);
}
