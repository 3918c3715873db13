// SPDX-License-Identifier: GPL-2.0
/*
 * CLC messages (RFC 7609 A.2).
 *
 * Decoders parse into a local variable and copy it out only if the whole
 * message is valid. Reserved fields are ignored (R-A.2-01).
 */
#include "clc_priv.h"
#include "../base/limits.h"

enum {
	EYE_R = 0xe2d4c3d9,		/* "SMCR" in EBCDIC */
	EYE_D = 0xe2d4c3c4,		/* "SMCD" */
	EYE_LEN = 4,

	/* Length of the shortest SMC-D Accept. The decoder checks only the
	 * length of such a message, not its body.
	 */
	ACCEPT_D_LEN = 48,
};

static bool is_eye(u32 eye)
{
	return eye == EYE_R || eye == EYE_D;
}

static bool len_fits(const struct smc_clc_hdr *h)
{
	switch (h->type) {
	case SMC_CLC_PROPOSAL:
		return h->len >= SMC_CLC_PROPOSAL_LEN &&
		       h->len <= SMC_CLC_MAX_LEN;
	case SMC_CLC_ACCEPT:
	case SMC_CLC_CONFIRM:
		return h->len >= (h->smcd ? ACCEPT_D_LEN : SMC_CLC_ACCEPT_LEN) &&
		       h->len <= SMC_CLC_MAX_LEN;
	case SMC_CLC_DECLINE:
		return h->len == (h->version == SMC_CLC_V1 ?
				  SMC_CLC_DECLINE_LEN : SMC_CLC_DECLINE_V2_LEN);
	default:
		return false;
	}
}

/**
 * smc_clc_peek() - read the header of a CLC message
 * @buf: received bytes
 * @n: number of bytes at @buf, at least SMC_CLC_HDR_LEN
 * @h: output: the header; unchanged after an error
 *
 * A reader of the TCP stream reads 8 bytes, calls this function, and then reads
 * exactly @h->len - 8 more bytes. The function checks the length against the
 * limit of the type, which is at most SMC_CLC_MAX_LEN. Context: any.
 *
 * Return: 0, or -EBADMSG if this is no CLC message (R-A.2-02, -06, -07). After
 * -EBADMSG no further message can be found in the stream, and the connection
 * must end (R-C.6-01).
 */
int smc_clc_peek(const u8 *buf, size_t n, struct smc_clc_hdr *h)
{
	struct smc_clc_hdr out;
	struct smc_rd r;
	u32 eye;
	u8 b;

	smc_rd_init(&r, buf, n);
	eye = smc_rd_be32(&r);
	out.type = smc_rd_u8(&r);
	out.len = smc_rd_be16(&r);
	b = smc_rd_u8(&r);
	out.version = b >> 4;
	out.flags = b & 0x0f;
	out.smcd = eye == EYE_D;
	if (r.bad || !is_eye(eye) || !out.version || !len_fits(&out))
		return -EBADMSG;
	*h = out;
	return 0;
}

/*
 * Checks that the message ends with the eye catcher of its start. Deployed
 * peers do not check the end of a Decline, so a Decline may end with either eye
 * catcher.
 */
static bool end_fits(const u8 *buf, const struct smc_clc_hdr *h)
{
	struct smc_rd r;
	u32 eye;

	smc_rd_init(&r, buf + h->len - EYE_LEN, EYE_LEN);
	eye = smc_rd_be32(&r);
	if (h->type == SMC_CLC_DECLINE)
		return is_eye(eye);
	return eye == (h->smcd ? EYE_D : EYE_R);
}

/* Checks header and trailer of a whole message. Leaves the cursor @r behind the
 * header.
 */
static int open_msg(struct smc_rd *r, const u8 *buf, size_t n, u8 type,
		    struct smc_clc_hdr *h)
{
	if (smc_clc_peek(buf, n, h) || h->type != type || h->len > n ||
	    !end_fits(buf, h))
		return -EBADMSG;
	/* Checks that the body does not extend into the trailer. */
	smc_rd_init(r, buf, (size_t)h->len - EYE_LEN);
	smc_rd_skip(r, SMC_CLC_HDR_LEN);
	return 0;
}

static void clc_put_header(struct smc_wr *w, u8 type, u8 version, u16 len,
			   u8 flags)
{
	smc_wr_be32(w, EYE_R);
	smc_wr_u8(w, type);
	smc_wr_be16(w, len);
	smc_wr_u8(w, (u8)(version << 4 | flags));
}

static int clc_finish(struct smc_wr *w)
{
	smc_wr_be32(w, EYE_R);
	return w->bad ? -ENOSPC : (int)w->pos;
}

static bool proposal_valid(const struct smc_clc_proposal *p)
{
	u8 i;

	if (p->ipv4_len > 32 || p->n6 > SMC_CLC_PREFIXES_MAX)
		return false;
	for (i = 0; i < p->n6; i++)
		if (p->p6[i].len > 128)
			return false;
	return true;
}

static void put_prefixes(struct smc_wr *w, const struct smc_clc_proposal *p)
{
	u8 i;

	smc_wr_be32(w, p->ipv4_net);
	smc_wr_u8(w, p->ipv4_len);
	smc_wr_zero(w, 2);
	smc_wr_u8(w, p->n6);
	for (i = 0; i < p->n6; i++) {
		smc_wr_bytes(w, p->p6[i].addr, sizeof(p->p6[i].addr));
		smc_wr_u8(w, p->p6[i].len);
	}
}

static u16 proposal_len(const struct smc_clc_proposal *p)
{
	u16 len = SMC_CLC_PROPOSAL_LEN;

	if (p->typev1 == SMC_CLC_OFFER_NONE && p->version != SMC_CLC_V1)
		len -= SMC_CLC_AREA_LEN;
	else
		len = (u16)(len + p->n6 * SMC_CLC_PREFIX_LEN);
	if (p->version != SMC_CLC_V1)
		len = (u16)(len + smc_clc_v2_offer_len(p));
	return len;
}

/**
 * smc_clc_encode_proposal() - write a Proposal
 * @buf: output buffer
 * @n: room in @buf
 * @p: content; a message with IPv6 prefixes has no IPv4 subnet (R-A.2.2-07). In
 *	version 1, which has the format of the RFC, the encoder ignores typev1,
 *	typev2, has_v1 and v2. In version 2 each type is R or NONE, and at least
 *	one is R
 *
 * Context: any.
 *
 * Return: length; -EINVAL for content that must not be sent; -ENOSPC if @n is
 * too small.
 */
int smc_clc_encode_proposal(u8 *buf, size_t n, const struct smc_clc_proposal *p)
{
	bool v2 = p->version == SMC_CLC_V2;
	bool v1 = !v2 || p->typev1 != SMC_CLC_OFFER_NONE;
	struct smc_wr w;

	if ((!v2 && p->version != SMC_CLC_V1) || !proposal_valid(p) ||
	    (p->n6 && (p->ipv4_net || p->ipv4_len)) ||
	    (v2 && !smc_clc_v2_offer_valid(p)))
		return -EINVAL;

	smc_wr_init(&w, buf, n);
	clc_put_header(&w, SMC_CLC_PROPOSAL, p->version, proposal_len(p),
		       (u8)(v2 ? p->typev2 << 2 | p->typev1 : 0));
	smc_wr_bytes(&w, p->peer_id, SMC_PEER_ID_LEN);
	smc_wr_bytes(&w, p->gid, SMC_GID_LEN);
	smc_wr_bytes(&w, p->mac, SMC_MAC_LEN);
	/* the area follows directly, or after the block that version
	 * 2 inserts
	 */
	smc_wr_be16(&w, v2 && v1 ? SMC_CLC_GAP_V2 : 0);
	if (v2)
		smc_clc_v2_put_locator(&w, p);
	if (v1)
		put_prefixes(&w, p);
	if (v2 && p->typev2 != SMC_CLC_OFFER_NONE)
		smc_clc_v2_put_offer(&w, &p->v2);
	return clc_finish(&w);
}

/* Reads the area with mask and prefixes. Missing entries stay zero in @p. */
static int get_prefixes(struct smc_rd *r, struct smc_clc_proposal *p)
{
	u8 i;

	p->ipv4_net = smc_rd_be32(r);
	p->ipv4_len = smc_rd_u8(r);
	smc_rd_skip(r, 2);
	p->n6 = smc_rd_u8(r);
	if (p->n6 > SMC_CLC_PREFIXES_MAX)
		return -EBADMSG;
	for (i = 0; i < p->n6; i++) {
		smc_rd_bytes(r, p->p6[i].addr, sizeof(p->p6[i].addr));
		p->p6[i].len = smc_rd_u8(r);
	}
	return proposal_valid(p) ? 0 : -EBADMSG;
}

/*
 * The low nibble of byte 7 is reserved in version 1. In version 2 it has the
 * types that the client offers.
 */
static void get_offers(const struct smc_clc_hdr *h, struct smc_clc_proposal *p)
{
	p->version = h->version;
	p->typev1 = SMC_CLC_OFFER_R;
	p->typev2 = SMC_CLC_OFFER_NONE;
	if (h->version != SMC_CLC_V1) {
		p->typev1 = h->flags & 3;
		p->typev2 = h->flags >> 2;
	}
	p->has_v1 = !h->smcd && (p->typev1 == SMC_CLC_OFFER_R ||
				 p->typev1 == SMC_CLC_OFFER_BOTH);
}

/**
 * smc_clc_decode_proposal() - read a Proposal of any version
 * @buf: the message
 * @n: number of bytes at @buf; the decoder ignores bytes behind the message
 * @p: output: content; unchanged after an error
 *
 * The decoder finds the mask area by its offset, which skips the block that
 * version 2 inserts before it (R-A.2.2-06, R-L-01). A message that offers only
 * version 2 has no mask area, and the decoder leaves its fields zero.
 * Context: any.
 *
 * Return: 0, or -EBADMSG (R-C.6-01 then requires the end of the connection).
 */
int smc_clc_decode_proposal(const u8 *buf, size_t n, struct smc_clc_proposal *p)
{
	struct smc_clc_proposal out = {};
	struct smc_clc_hdr h;
	struct smc_rd r;
	u16 off;

	if (open_msg(&r, buf, n, SMC_CLC_PROPOSAL, &h))
		return -EBADMSG;
	get_offers(&h, &out);
	smc_rd_bytes(&r, out.peer_id, SMC_PEER_ID_LEN);
	smc_rd_bytes(&r, out.gid, SMC_GID_LEN);
	smc_rd_bytes(&r, out.mac, SMC_MAC_LEN);
	off = smc_rd_be16(&r);
	smc_rd_skip(&r, off);
	if (out.typev1 != SMC_CLC_OFFER_NONE && get_prefixes(&r, &out))
		return -EBADMSG;
	if (smc_clc_v2_get_offer(buf, h.len - EYE_LEN, off, &out))
		return -EBADMSG;
	if (r.bad)
		return -EBADMSG;
	/* In version 1 no bytes may follow the prefixes (R-A.2.2-13). */
	if (h.version == SMC_CLC_V1 && smc_rd_left(&r))
		return -EBADMSG;
	*p = out;
	return 0;
}

static bool accept_valid(const struct smc_clc_accept *a)
{
	if (a->version != SMC_CLC_V1 &&
	    (a->version != SMC_CLC_V2 || !smc_clc_v2_accept_valid(a)))
		return false;
	return a->rmbe_idx && a->qpn > 1 &&
	       a->qpn <= SMC_QPN_MAX && a->psn <= SMC_PSN_MAX &&
	       a->bsize_code <= SMC_RMBE_CODE_SENT_MAX &&
	       smc_clc_mtu_valid(a->mtu_code);
}

/**
 * smc_clc_encode_accept() - write an Accept or a Confirm
 * @buf: output buffer
 * @n: room in @buf
 * @type: SMC_CLC_ACCEPT or SMC_CLC_CONFIRM (which has F only in version 2,
 *	
 * @a: content
 *
 * Context: any.
 *
 * Return: length (68 in version 1); -EINVAL for content that must not be sent
 * (R-A.2.3-04, -06, -07, -12); -ENOSPC if @n is too small.
 */
int smc_clc_encode_accept(u8 *buf, size_t n, enum smc_clc_type type,
			  const struct smc_clc_accept *a)
{
	bool accept = type == SMC_CLC_ACCEPT;
	bool v2 = a->version == SMC_CLC_V2;
	struct smc_wr w;

	if ((!accept && type != SMC_CLC_CONFIRM) || !accept_valid(a))
		return -EINVAL;

	smc_wr_init(&w, buf, n);
	clc_put_header(&w, (u8)type, a->version,
		       v2 ? smc_clc_v2_accept_len(type, a) :
			    SMC_CLC_ACCEPT_LEN,
		       (accept || v2) && a->first_contact ? SMC_CLC_FLAG : 0);
	smc_wr_bytes(&w, a->peer_id, SMC_PEER_ID_LEN);
	smc_wr_bytes(&w, a->gid, SMC_GID_LEN);
	smc_wr_bytes(&w, a->mac, SMC_MAC_LEN);
	smc_wr_be24(&w, a->qpn);
	smc_wr_be32(&w, a->rkey);
	smc_wr_u8(&w, a->rmbe_idx);
	smc_wr_be32(&w, a->token);
	smc_wr_u8(&w, (u8)(a->bsize_code << 4 | a->mtu_code));
	smc_wr_zero(&w, 1);
	smc_wr_be64(&w, a->rmb_addr);
	smc_wr_zero(&w, 1);
	smc_wr_be24(&w, a->psn);
	if (v2)
		smc_clc_v2_put_accept(&w, type, a);
	return clc_finish(&w);
}

/**
 * smc_clc_decode_accept() - read an Accept or a Confirm
 * @buf: the message
 * @n: number of bytes at @buf; the decoder ignores bytes behind the message
 * @type: SMC_CLC_ACCEPT or SMC_CLC_CONFIRM
 * @a: output: content; unchanged after an error
 *
 * The caller must check that version 1 answers a version 1 Proposal (R-A.2-03).
 * The decoder accepts a reserved MTU code, see struct smc_clc_accept. Context:
 * any.
 *
 * Return: 0, or -EBADMSG.
 */
int smc_clc_decode_accept(const u8 *buf, size_t n, enum smc_clc_type type,
			  struct smc_clc_accept *a)
{
	struct smc_clc_accept out = {};
	struct smc_clc_hdr h;
	struct smc_rd r;
	bool v2;
	u8 b;

	if (type != SMC_CLC_ACCEPT && type != SMC_CLC_CONFIRM)
		return -EBADMSG;
	if (open_msg(&r, buf, n, (u8)type, &h) || h.smcd)
		return -EBADMSG;
	v2 = h.version != SMC_CLC_V1;
	if (!v2 && h.len != SMC_CLC_ACCEPT_LEN)
		return -EBADMSG;
	out.version = v2 ? SMC_CLC_V2 : SMC_CLC_V1;
	out.first_contact = (v2 || type == SMC_CLC_ACCEPT) &&
			    (h.flags & SMC_CLC_FLAG);
	smc_rd_bytes(&r, out.peer_id, SMC_PEER_ID_LEN);
	smc_rd_bytes(&r, out.gid, SMC_GID_LEN);
	smc_rd_bytes(&r, out.mac, SMC_MAC_LEN);
	out.qpn = smc_rd_be24(&r);
	out.rkey = smc_rd_be32(&r);
	out.rmbe_idx = smc_rd_u8(&r);
	out.token = smc_rd_be32(&r);
	b = smc_rd_u8(&r);
	out.bsize_code = b >> 4;
	out.mtu_code = b & 0x0f;
	smc_rd_skip(&r, 1);
	out.rmb_addr = smc_rd_be64(&r);
	smc_rd_skip(&r, 1);
	out.psn = smc_rd_be24(&r);
	if (v2 && smc_clc_v2_get_accept(&r, type, &out))
		return -EBADMSG;
	if (r.bad || !out.qpn || !out.rmbe_idx)
		return -EBADMSG;
	*a = out;
	return 0;
}

/**
 * smc_clc_encode_decline() - write a Decline
 * @buf: output buffer
 * @n: room in @buf
 * @d: content; version 1 or 2
 *
 * Context: any.
 *
 * Return: length (28 or 44); -EINVAL for another version; -ENOSPC if @n is too
 * small.
 */
int smc_clc_encode_decline(u8 *buf, size_t n,
			   const struct smc_clc_decline_msg *d)
{
	bool v2 = d->version == SMC_CLC_V2;
	struct smc_wr w;

	if (d->version != SMC_CLC_V1 && !v2)
		return -EINVAL;

	smc_wr_init(&w, buf, n);
	clc_put_header(&w, SMC_CLC_DECLINE, d->version,
		       v2 ? SMC_CLC_DECLINE_V2_LEN : SMC_CLC_DECLINE_LEN,
		       d->sync_err ? SMC_CLC_FLAG : 0);
	smc_wr_bytes(&w, d->peer_id, SMC_PEER_ID_LEN);
	smc_wr_be32(&w, d->diagnosis);
	smc_wr_u8(&w, v2 ? SMC_CLC_OS_LINUX << 4 : 0);
	smc_wr_zero(&w, 3);
	if (v2)		/* four more diagnosis words, which are not used */
		smc_wr_zero(&w, SMC_CLC_DECLINE_V2_LEN - SMC_CLC_DECLINE_LEN);
	return clc_finish(&w);
}

/**
 * smc_clc_decode_decline() - read a Decline of version 1 or 2
 * @buf: the message
 * @n: number of bytes at @buf; the decoder ignores bytes behind the message
 * @d: output: content; unchanged after an error
 *
 * The decoder skips the other diagnosis words of version 2 (R-L-05).
 * Context: any.
 *
 * Return: 0, or -EBADMSG.
 */
int smc_clc_decode_decline(const u8 *buf, size_t n,
			   struct smc_clc_decline_msg *d)
{
	struct smc_clc_decline_msg out = {};
	struct smc_clc_hdr h;
	struct smc_rd r;

	if (open_msg(&r, buf, n, SMC_CLC_DECLINE, &h))
		return -EBADMSG;
	out.version = h.version == SMC_CLC_V1 ? SMC_CLC_V1 : SMC_CLC_V2;
	out.sync_err = h.flags & SMC_CLC_FLAG;
	smc_rd_bytes(&r, out.peer_id, SMC_PEER_ID_LEN);
	out.diagnosis = smc_rd_be32(&r);
	if (r.bad)
		return -EBADMSG;
	*d = out;
	return 0;
}
