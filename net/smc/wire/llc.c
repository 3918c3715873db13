// SPDX-License-Identifier: GPL-2.0
/*
 * LLC messages of version 1 (RFC 7609 A.3). Each message has one encoder and
 * one decoder, which list its fields in the order of the message. Each message
 * has its own flags, because a bit has different meanings in different
 * messages.
 */
#include "bytes.h"
#include "llc.h"

enum {
	REPLY			= 0x80,	/* flag of every message */

	CONFIRM_NO_EYE		= 0x03,	/* reserved in the RFC, X-03 */
	ADD_REJECT		= 0x40,
	DELETE_ALL		= 0x40,
	DELETE_ORDERLY		= 0x20,
	/* CONFIRM RKEY, its CONTINUATION, DELETE RKEY */
	RKEY_NEGATIVE		= 0x20,
	RKEY_RETRY		= 0x10,	/* CONFIRM RKEY */

	OPCODE_CDC		= 0xfe,
	OPCODE_RANGE		= 0xc0,
	RANGE_MANDATORY		= 0x00,
	RANGE_UNDEFINED		= 0x40,

	/* links of a group, except the link that carries the message */
	OTHER_LINKS_MAX		= 7,
	/* entries that fit into CONFIRM RKEY, Y-02 */
	OTHER_LINKS_HERE	= 2,
	/* entries that fit into its CONTINUATION, Y-03 */
	CONT_LINKS_HERE		= 3,
	PAIRS_HERE		= 2,	/* of ADD LINK CONTINUATION */
	RKEYS_MAX		= 8,	/* of DELETE RKEY */
};

static u8 smaller_of(u8 a, u8 b)
{
	return a < b ? a : b;
}

/**
 * smc_llc_in_version() - does a version have this message?
 * @type: enum smc_llc_type, or any other number
 * @version: 1 or 2
 *
 * The switch has no default, so that the compiler reports a missing type.
 *
 * Return: true if the version has the message.
 */
bool smc_llc_in_version(u8 type, u8 version)
{
	switch ((enum smc_llc_type)type) {
	case SMC_LLC_CONFIRM_LINK:
	case SMC_LLC_ADD_LINK:
	case SMC_LLC_DELETE_LINK:
	case SMC_LLC_CONFIRM_RKEY:
	case SMC_LLC_TEST_LINK:
	case SMC_LLC_DELETE_RKEY:
		return true;
	case SMC_LLC_ADD_LINK_CONT:
	case SMC_LLC_CONFIRM_RKEY_CONT:
		return version == 1;
	case SMC_LLC_REQ_ADD_LINK:
		return version == 2;
	}
	return false;
}

static bool opcode_known(u8 opcode)
{
	return opcode == OPCODE_CDC || smc_llc_in_version(opcode, 1);
}

/**
 * smc_llc_classify() - classify a received message
 * @buf: the message
 * @n: bytes received
 *
 * The function checks the opcode before the length, because a message with an
 * unknown opcode is dropped and may have any length. Context: any; the receive
 * completion calls the function.
 *
 * Return: enum smc_llc_class (R-A.3-03..05, R-C.7.1-30..32).
 */
enum smc_llc_class smc_llc_classify(const u8 *buf, size_t n)
{
	struct smc_rd r;
	u8 opcode, len;

	smc_rd_init(&r, buf, n);
	opcode = smc_rd_u8(&r);
	if (r.bad)
		return SMC_LLC_CLASS_BAD_LEN;
	if (!opcode_known(opcode)) {
		u8 range = opcode & OPCODE_RANGE;

		return range == RANGE_MANDATORY || range == RANGE_UNDEFINED ?
		       SMC_LLC_CLASS_VIOLATION : SMC_LLC_CLASS_DISCARD;
	}
	len = smc_rd_u8(&r);
	if (n != SMC_LLC_LEN || len != SMC_LLC_LEN)
		return SMC_LLC_CLASS_BAD_LEN;
	return opcode == OPCODE_CDC ? SMC_LLC_CLASS_CDC : SMC_LLC_CLASS_LLC;
}

static void llc_put_header(struct smc_wr *w, u8 *buf, u8 opcode, u8 byte2,
			   u8 flags)
{
	smc_wr_init(w, buf, SMC_LLC_LEN);
	smc_wr_u8(w, opcode);
	smc_wr_u8(w, SMC_LLC_LEN);
	smc_wr_u8(w, byte2);
	smc_wr_u8(w, flags);
}

/* Zeroes the remaining bytes, so that no byte of an earlier message is sent. */
static int llc_finish(struct smc_wr *w)
{
	if (w->bad)
		return -EINVAL;
	smc_wr_zero(w, w->len - w->pos);
	return 0;
}

static int get_header(struct smc_rd *r, const u8 *buf, u8 opcode, u8 *byte2,
		      u8 *flags)
{
	u8 op, len;

	smc_rd_init(r, buf, SMC_LLC_LEN);
	op = smc_rd_u8(r);
	len = smc_rd_u8(r);
	*byte2 = smc_rd_u8(r);
	*flags = smc_rd_u8(r);
	return op == opcode && len == SMC_LLC_LEN ? 0 : -EBADMSG;
}

/**
 * smc_llc_encode_confirm_link() - CONFIRM LINK, R-A.3.1-01
 * @buf: 44 bytes, all are written unless an error is returned
 * @m: content; no_eyecatcher sets both flag bits (R-A.3.1-04)
 *
 * Return: 0, or -EINVAL if the QP number has more than 24 bits.
 */
int smc_llc_encode_confirm_link(u8 buf[SMC_LLC_LEN],
				const struct smc_llc_confirm_link *m)
{
	struct smc_wr w;

	llc_put_header(&w, buf, SMC_LLC_CONFIRM_LINK, 0,
		       (m->reply ? REPLY : 0) |
		       (m->no_eyecatcher ? CONFIRM_NO_EYE : 0));
	smc_wr_bytes(&w, m->mac, SMC_MAC_LEN);
	smc_wr_bytes(&w, m->gid, SMC_GID_LEN);
	smc_wr_be24(&w, m->qpn);
	smc_wr_u8(&w, m->link_num);
	smc_wr_be32(&w, m->link_uid);
	smc_wr_u8(&w, m->max_links);
	smc_wr_u8(&w, m->max_conns);
	return llc_finish(&w);
}

/**
 * smc_llc_decode_confirm_link() - CONFIRM LINK, R-A.3.1-01
 * @buf: 44 bytes
 * @m: output: content; undefined after an error
 *
 * Return: 0, or -EBADMSG.
 */
int smc_llc_decode_confirm_link(const u8 buf[SMC_LLC_LEN],
				struct smc_llc_confirm_link *m)
{
	u8 byte2, flags;
	struct smc_rd r;

	if (get_header(&r, buf, SMC_LLC_CONFIRM_LINK, &byte2, &flags))
		return -EBADMSG;
	m->reply = flags & REPLY;
	m->no_eyecatcher = flags & CONFIRM_NO_EYE;
	smc_rd_bytes(&r, m->mac, SMC_MAC_LEN);
	smc_rd_bytes(&r, m->gid, SMC_GID_LEN);
	m->qpn = smc_rd_be24(&r);
	m->link_num = smc_rd_u8(&r);
	m->link_uid = smc_rd_be32(&r);
	m->max_links = smc_rd_u8(&r);
	m->max_conns = smc_rd_u8(&r);
	return 0;
}

/* A Linux client treats a request with an all-zero body as its own message,
 * R-L-10.
 */
static bool blank_message(const struct smc_llc_add_link *m)
{
	static const u8 zero[SMC_GID_LEN];

	return !memcmp(m->mac, zero, SMC_MAC_LEN) &&
	       !memcmp(m->gid, zero, SMC_GID_LEN) &&
	       !m->qpn && !m->link_num && !m->mtu_code && !m->psn;
}

/**
 * smc_llc_encode_add_link() - ADD LINK in the deployed layout, X-04
 * @buf: 44 bytes, all are written unless an error is returned
 * @m: content; reject and reason are sent only in a reply
 *
 * Return: 0, or -EINVAL for a value too wide for its field, or a request with
 * an all-zero body (R-L-10).
 */
int smc_llc_encode_add_link(u8 buf[SMC_LLC_LEN],
			    const struct smc_llc_add_link *m)
{
	bool reject = m->reply && m->reject;
	struct smc_wr w;

	if (m->reason > 0x0f || m->mtu_code > 0x0f ||
	    (!m->reply && blank_message(m)))
		return -EINVAL;

	llc_put_header(&w, buf, SMC_LLC_ADD_LINK, reject ? m->reason : 0,
		       (m->reply ? REPLY : 0) | (reject ? ADD_REJECT : 0));
	smc_wr_bytes(&w, m->mac, SMC_MAC_LEN);
	smc_wr_zero(&w, 2);
	smc_wr_bytes(&w, m->gid, SMC_GID_LEN);
	smc_wr_be24(&w, m->qpn);
	smc_wr_u8(&w, m->link_num);
	smc_wr_u8(&w, m->mtu_code);
	smc_wr_be24(&w, m->psn);
	return llc_finish(&w);
}

/**
 * smc_llc_decode_add_link() - ADD LINK in the deployed layout, X-04
 * @buf: 44 bytes
 * @m: output: content; undefined after an error
 *
 * Return: 0, or -EBADMSG.
 */
int smc_llc_decode_add_link(const u8 buf[SMC_LLC_LEN],
			    struct smc_llc_add_link *m)
{
	u8 byte2, flags;
	struct smc_rd r;

	if (get_header(&r, buf, SMC_LLC_ADD_LINK, &byte2, &flags))
		return -EBADMSG;
	m->reply = flags & REPLY;
	m->reject = m->reply && (flags & ADD_REJECT);
	m->reason = m->reject ? byte2 & 0x0f : 0;
	smc_rd_bytes(&r, m->mac, SMC_MAC_LEN);
	smc_rd_skip(&r, 2);
	smc_rd_bytes(&r, m->gid, SMC_GID_LEN);
	m->qpn = smc_rd_be24(&r);
	m->link_num = smc_rd_u8(&r);
	m->mtu_code = smc_rd_u8(&r) & 0x0f;
	m->psn = smc_rd_be24(&r);
	return 0;
}

/**
 * smc_llc_encode_add_link_cont() - ADD LINK CONTINUATION, R-A.3.3-01
 * @buf: 44 bytes, all are written
 * @m: content; pairs beyond num_left are sent as zero
 *
 * Return: 0.
 */
int smc_llc_encode_add_link_cont(u8 buf[SMC_LLC_LEN],
				 const struct smc_llc_add_link_cont *m)
{
	u8 i, n = smaller_of(m->num_left, PAIRS_HERE);
	struct smc_wr w;

	llc_put_header(&w, buf, SMC_LLC_ADD_LINK_CONT, 0, m->reply ? REPLY : 0);
	smc_wr_u8(&w, m->link_num);
	smc_wr_u8(&w, m->num_left);
	smc_wr_zero(&w, 2);
	for (i = 0; i < n; i++) {
		smc_wr_be32(&w, m->pair[i].ref_rkey);
		smc_wr_be32(&w, m->pair[i].new_rkey);
		smc_wr_be64(&w, m->pair[i].new_addr);
	}
	return llc_finish(&w);
}

/**
 * smc_llc_decode_add_link_cont() - ADD LINK CONTINUATION, R-A.3.3-01
 * @buf: 44 bytes
 * @m: output: content; undefined after an error
 *
 * Return: 0, or -EBADMSG.
 */
int smc_llc_decode_add_link_cont(const u8 buf[SMC_LLC_LEN],
				 struct smc_llc_add_link_cont *m)
{
	u8 i, n, byte2, flags;
	struct smc_rd r;

	if (get_header(&r, buf, SMC_LLC_ADD_LINK_CONT, &byte2, &flags))
		return -EBADMSG;
	memset(m, 0, sizeof(*m));
	m->reply = flags & REPLY;
	m->link_num = smc_rd_u8(&r);
	m->num_left = smc_rd_u8(&r);
	smc_rd_skip(&r, 2);
	n = smaller_of(m->num_left, PAIRS_HERE);
	for (i = 0; i < n; i++) {
		m->pair[i].ref_rkey = smc_rd_be32(&r);
		m->pair[i].new_rkey = smc_rd_be32(&r);
		m->pair[i].new_addr = smc_rd_be64(&r);
	}
	return 0;
}

/**
 * smc_llc_encode_delete_link() - DELETE LINK, R-A.3.4-01
 * @buf: 44 bytes, all are written
 * @m: content; with @m->all the link number is sent as 0 (R-A.3.4-02)
 *
 * Return: 0.
 */
int smc_llc_encode_delete_link(u8 buf[SMC_LLC_LEN],
			       const struct smc_llc_delete_link *m)
{
	struct smc_wr w;

	llc_put_header(&w, buf, SMC_LLC_DELETE_LINK, 0,
		       (m->reply ? REPLY : 0) | (m->all ? DELETE_ALL : 0) |
		       (m->orderly ? DELETE_ORDERLY : 0));
	smc_wr_u8(&w, m->all ? 0 : m->link_num);
	smc_wr_be32(&w, m->reason);
	return llc_finish(&w);
}

/**
 * smc_llc_decode_delete_link() - DELETE LINK, R-A.3.4-01
 * @buf: 44 bytes
 * @m: output: content; undefined after an error
 *
 * Return: 0, or -EBADMSG.
 */
int smc_llc_decode_delete_link(const u8 buf[SMC_LLC_LEN],
			       struct smc_llc_delete_link *m)
{
	u8 byte2, flags;
	struct smc_rd r;

	if (get_header(&r, buf, SMC_LLC_DELETE_LINK, &byte2, &flags))
		return -EBADMSG;
	m->reply = flags & REPLY;
	m->all = flags & DELETE_ALL;
	m->orderly = flags & DELETE_ORDERLY;
	m->link_num = smc_rd_u8(&r);
	if (m->all)
		m->link_num = 0;
	m->reason = smc_rd_be32(&r);
	return 0;
}

static void put_rtok(struct smc_wr *w, const struct smc_llc_rtok *t)
{
	smc_wr_u8(w, t->link_num);
	smc_wr_be32(w, t->rkey);
	smc_wr_be64(w, t->addr);
}

static void get_rtok(struct smc_rd *r, struct smc_llc_rtok *t)
{
	t->link_num = smc_rd_u8(r);
	t->rkey = smc_rd_be32(r);
	t->addr = smc_rd_be64(r);
}

/**
 * smc_llc_encode_confirm_rkey() - CONFIRM RKEY, R-A.3.5-02
 * @buf: 44 bytes, all are written unless an error is returned
 * @m: content; negative is sent only in a reply, retry only with negative
 *
 * Return: 0, or -EINVAL for more than 7 other links.
 */
int smc_llc_encode_confirm_rkey(u8 buf[SMC_LLC_LEN],
				const struct smc_llc_confirm_rkey *m)
{
	u8 i, n = smaller_of(m->num_other, OTHER_LINKS_HERE);
	bool negative = m->reply && m->negative;
	struct smc_wr w;

	if (m->num_other > OTHER_LINKS_MAX)
		return -EINVAL;

	llc_put_header(&w, buf, SMC_LLC_CONFIRM_RKEY, 0,
		       (m->reply ? REPLY : 0) | (negative ? RKEY_NEGATIVE : 0) |
		       (negative && m->retry ? RKEY_RETRY : 0));
	smc_wr_u8(&w, m->num_other);
	smc_wr_be32(&w, m->rkey);
	smc_wr_be64(&w, m->addr);
	for (i = 0; i < n; i++)
		put_rtok(&w, &m->other[i]);
	return llc_finish(&w);
}

/**
 * smc_llc_decode_confirm_rkey() - CONFIRM RKEY, R-A.3.5-02
 * @buf: 44 bytes
 * @m: output: content; undefined after an error
 *
 * Return: 0, or -EBADMSG (more than 7 other links included).
 */
int smc_llc_decode_confirm_rkey(const u8 buf[SMC_LLC_LEN],
				struct smc_llc_confirm_rkey *m)
{
	u8 i, n, byte2, flags;
	struct smc_rd r;

	if (get_header(&r, buf, SMC_LLC_CONFIRM_RKEY, &byte2, &flags))
		return -EBADMSG;
	memset(m, 0, sizeof(*m));
	m->reply = flags & REPLY;
	m->negative = m->reply && (flags & RKEY_NEGATIVE);
	m->retry = m->negative && (flags & RKEY_RETRY);
	m->num_other = smc_rd_u8(&r);
	if (m->num_other > OTHER_LINKS_MAX)
		return -EBADMSG;
	m->rkey = smc_rd_be32(&r);
	m->addr = smc_rd_be64(&r);
	n = smaller_of(m->num_other, OTHER_LINKS_HERE);
	for (i = 0; i < n; i++)
		get_rtok(&r, &m->other[i]);
	return 0;
}

/**
 * smc_llc_encode_confirm_rkey_cont() - CONFIRM RKEY CONTINUATION, R-A.3.6-01
 * @buf: 44 bytes, all are written unless an error is returned
 * @m: content; negative is sent only in a reply
 *
 * Return: 0, or -EINVAL for more than 5 links left.
 */
int smc_llc_encode_confirm_rkey_cont(u8 buf[SMC_LLC_LEN],
				     const struct smc_llc_confirm_rkey_cont *m)
{
	u8 i, n = smaller_of(m->num_left, CONT_LINKS_HERE);
	bool negative = m->reply && m->negative;
	struct smc_wr w;

	if (m->num_left > OTHER_LINKS_MAX - OTHER_LINKS_HERE)
		return -EINVAL;

	llc_put_header(&w, buf, SMC_LLC_CONFIRM_RKEY_CONT, 0,
		       (m->reply ? REPLY : 0) | (negative ? RKEY_NEGATIVE : 0));
	smc_wr_u8(&w, m->num_left);
	for (i = 0; i < n; i++)
		put_rtok(&w, &m->entry[i]);
	return llc_finish(&w);
}

/**
 * smc_llc_decode_confirm_rkey_cont() - CONFIRM RKEY CONTINUATION, R-A.3.6-01
 * @buf: 44 bytes
 * @m: output: content; undefined after an error
 *
 * Return: 0, or -EBADMSG (more than 5 links left included).
 */
int smc_llc_decode_confirm_rkey_cont(const u8 buf[SMC_LLC_LEN],
				     struct smc_llc_confirm_rkey_cont *m)
{
	u8 i, n, byte2, flags;
	struct smc_rd r;

	if (get_header(&r, buf, SMC_LLC_CONFIRM_RKEY_CONT, &byte2, &flags))
		return -EBADMSG;
	memset(m, 0, sizeof(*m));
	m->reply = flags & REPLY;
	m->negative = m->reply && (flags & RKEY_NEGATIVE);
	m->num_left = smc_rd_u8(&r);
	if (m->num_left > OTHER_LINKS_MAX - OTHER_LINKS_HERE)
		return -EBADMSG;
	n = smaller_of(m->num_left, CONT_LINKS_HERE);
	for (i = 0; i < n; i++)
		get_rtok(&r, &m->entry[i]);
	return 0;
}

/**
 * smc_llc_encode_delete_rkey() - DELETE RKEY, R-A.3.7-01
 * @buf: 44 bytes, all are written unless an error is returned
 * @m: content; negative and err_mask are sent only in a reply
 *
 * Return: 0, or -EINVAL for a count that is not 1 to 8.
 */
int smc_llc_encode_delete_rkey(u8 buf[SMC_LLC_LEN],
			       const struct smc_llc_delete_rkey *m)
{
	bool negative = m->reply && m->negative;
	struct smc_wr w;
	u8 i;

	if (!m->num || m->num > RKEYS_MAX)
		return -EINVAL;

	llc_put_header(&w, buf, SMC_LLC_DELETE_RKEY, 0,
		       (m->reply ? REPLY : 0) | (negative ? RKEY_NEGATIVE : 0));
	smc_wr_u8(&w, m->num);
	smc_wr_u8(&w, negative ? m->err_mask : 0);
	smc_wr_zero(&w, 2);
	for (i = 0; i < m->num; i++)
		smc_wr_be32(&w, m->rkey[i]);
	return llc_finish(&w);
}

/**
 * smc_llc_decode_delete_rkey() - DELETE RKEY, R-A.3.7-01
 * @buf: 44 bytes
 * @m: output: content; undefined after an error
 *
 * Return: 0, or -EBADMSG (a count that is not 1 to 8 included).
 */
int smc_llc_decode_delete_rkey(const u8 buf[SMC_LLC_LEN],
			       struct smc_llc_delete_rkey *m)
{
	u8 i, byte2, flags;
	struct smc_rd r;

	if (get_header(&r, buf, SMC_LLC_DELETE_RKEY, &byte2, &flags))
		return -EBADMSG;
	memset(m, 0, sizeof(*m));
	m->reply = flags & REPLY;
	m->negative = m->reply && (flags & RKEY_NEGATIVE);
	m->num = smc_rd_u8(&r);
	if (!m->num || m->num > RKEYS_MAX)
		return -EBADMSG;
	m->err_mask = smc_rd_u8(&r);
	if (!m->negative)
		m->err_mask = 0;
	smc_rd_skip(&r, 2);
	for (i = 0; i < m->num; i++)
		m->rkey[i] = smc_rd_be32(&r);
	return 0;
}

/**
 * smc_llc_encode_test_link() - TEST LINK, R-A.3.8-01
 * @buf: 44 bytes, all are written
 * @m: content
 *
 * Return: 0.
 */
int smc_llc_encode_test_link(u8 buf[SMC_LLC_LEN],
			     const struct smc_llc_test_link *m)
{
	struct smc_wr w;

	llc_put_header(&w, buf, SMC_LLC_TEST_LINK, 0, m->reply ? REPLY : 0);
	smc_wr_bytes(&w, m->data, sizeof(m->data));
	return llc_finish(&w);
}

/**
 * smc_llc_decode_test_link() - TEST LINK, R-A.3.8-01
 * @buf: 44 bytes
 * @m: output: content; undefined after an error
 *
 * Return: 0, or -EBADMSG.
 */
int smc_llc_decode_test_link(const u8 buf[SMC_LLC_LEN],
			     struct smc_llc_test_link *m)
{
	u8 byte2, flags;
	struct smc_rd r;

	if (get_header(&r, buf, SMC_LLC_TEST_LINK, &byte2, &flags))
		return -EBADMSG;
	m->reply = flags & REPLY;
	smc_rd_bytes(&r, m->data, sizeof(m->data));
	return 0;
}
