// SPDX-License-Identifier: GPL-2.0
/*
 * Version 2 in CLC messages, as deployed peers send it. The decoder checks that
 * a peer's offsets and counts stay within the message before it uses them.
 *
 * In a Proposal of version 2 a block of 40 bytes follows the base and holds the
 * offset of the version 2 extension. The mask area of version 1 follows the
 * block, and then the extension. The decoder checks the length of parts for
 * SMC-D and skips them.
 */
#include "clc_priv.h"

enum {
	LOCATOR_AT	= 40,	/* the block */
	LOCATOR_LEN	= 40,
	/* offset of the field in the block that has the distance from byte 52
	 * to the extension
	 */
	EXT_OFF_AT	= 50,
	EXT_OFF_FROM	= 52,
	/* bytes of the block behind the offer of the extension (F-27) */
	LOCATOR_REST	= LOCATOR_AT + LOCATOR_LEN - EXT_OFF_FROM -
			  SMC_EXT_OFFER_LEN,
	EXT_OFF_MIN	= LOCATOR_AT + LOCATOR_LEN - EXT_OFF_FROM,
	EXT_OFF_MAX	= EXT_OFF_MIN + 8 +
			  SMC_CLC_PREFIX_LEN * SMC_CLC_PREFIXES_MAX,
	EXT_LEN		= 40,	/* without the EIDs */
	/* offset in the extension from which the distance to the SMC-D part
	 * counts
	 */
	D_OFF_FROM	= 8,
	D_OFF_MAX	= 288,
	D_LEN		= 48,
	D_ENTRY_LEN	= 10,
	D_ENTRIES_MAX	= 8,

	FIRST_LEN	= SMC_CLC_FIRST_V2_LEN - SMC_CLC_ACCEPT_V2_LEN,
	FIRST_V20_LEN	= SMC_CLC_FIRST_V20_LEN - SMC_CLC_ACCEPT_V2_LEN,
	FIRST_DIRECT	= 0x80,
};

static bool has_r(u8 offer)
{
	return offer == SMC_CLC_OFFER_R || offer == SMC_CLC_OFFER_BOTH;
}

static bool has_d(u8 offer)
{
	return offer == SMC_CLC_OFFER_D || offer == SMC_CLC_OFFER_BOTH;
}

/* ---- Proposal ---- */

/* May this Proposal be sent? Each version must offer SMC-R or nothing. */
bool smc_clc_v2_offer_valid(const struct smc_clc_proposal *p)
{
	if ((p->typev1 != SMC_CLC_OFFER_R && p->typev1 != SMC_CLC_OFFER_NONE) ||
	    (p->typev2 != SMC_CLC_OFFER_R && p->typev2 != SMC_CLC_OFFER_NONE))
		return false;
	if (p->typev1 == SMC_CLC_OFFER_NONE && p->typev2 == SMC_CLC_OFFER_NONE)
		return false;
	return p->typev2 == SMC_CLC_OFFER_NONE ||
	       (p->has_v2 && p->v2.release <= SMC_CLC_RELEASE_MAX &&
		p->v2.n_eids <= SMC_CLC_EIDS_MAX);
}

/* Returns the length of the block and the extension together. */
u16 smc_clc_v2_offer_len(const struct smc_clc_proposal *p)
{
	if (p->typev2 == SMC_CLC_OFFER_NONE)
		return LOCATOR_LEN;
	return (u16)(LOCATOR_LEN + EXT_LEN + p->v2.n_eids * SMC_EID_LEN);
}

void smc_clc_v2_put_locator(struct smc_wr *w, const struct smc_clc_proposal *p)
{
	u8 ext[SMC_EXT_OFFER_LEN] = {};
	u16 off = EXT_OFF_MIN;

	if (p->typev1 != SMC_CLC_OFFER_NONE)
		off = (u16)(off + 8 + p->n6 * SMC_CLC_PREFIX_LEN);
	if (p->typev2 == SMC_CLC_OFFER_NONE)
		off = 0;
	else if (p->v2.release)
		smc_ext_encode_offer(ext, &p->v2.ext);
	smc_wr_zero(w, EXT_OFF_AT - LOCATOR_AT);	/* SMC-D */
	smc_wr_be16(w, off);
	smc_wr_bytes(w, ext, sizeof(ext));
	smc_wr_zero(w, LOCATOR_REST);
}

void smc_clc_v2_put_offer(struct smc_wr *w, const struct smc_clc_offer_v2 *o)
{
	u8 i;

	smc_wr_u8(w, o->n_eids);
	smc_wr_zero(w, 2);		/* no SMC-D device */
	smc_wr_u8(w, (u8)(o->release << 4));
	smc_wr_zero(w, 4);		/* no SMC-D part */
	smc_wr_bytes(w, o->gid, sizeof(o->gid));
	smc_wr_u8(w, o->release ? o->max_conns : 0);
	smc_wr_u8(w, o->release ? o->max_links : 0);
	smc_wr_zero(w, 14);		/* no features, reserved bytes */
	for (i = 0; i < o->n_eids; i++)
		smc_wr_bytes(w, o->eid[i], SMC_EID_LEN);
}

/* Checks that an SMC-D part is within the message. */
static bool d_part_fits(struct smc_rd r, u8 offer, u16 off, u8 n)
{
	if (!has_d(offer))
		return true;
	if (off > D_OFF_MAX || n > D_ENTRIES_MAX)
		return false;
	if (off)
		smc_rd_skip(&r, (size_t)D_OFF_FROM + off + D_LEN +
			    (size_t)n * D_ENTRY_LEN);
	return !r.bad;
}

static int get_extension(struct smc_rd *r, struct smc_clc_proposal *p)
{
	struct smc_clc_offer_v2 *o = &p->v2;
	struct smc_rd ext = *r;
	u8 d_entries, i;
	u16 d_off;

	o->n_eids = smc_rd_u8(r);
	d_entries = smc_rd_u8(r);
	smc_rd_skip(r, 1);
	o->release = smc_rd_u8(r) >> 4;
	smc_rd_skip(r, 2);
	d_off = smc_rd_be16(r);
	smc_rd_bytes(r, o->gid, sizeof(o->gid));
	o->max_conns = smc_rd_u8(r);
	o->max_links = smc_rd_u8(r);
	smc_rd_skip(r, 14);
	if (r->bad || o->n_eids > SMC_CLC_EIDS_MAX ||
	    !d_part_fits(ext, p->typev2, d_off, d_entries))
		return -EBADMSG;
	for (i = 0; i < o->n_eids; i++)
		smc_rd_bytes(r, o->eid[i], SMC_EID_LEN);
	return r->bad ? -EBADMSG : 0;
}

/*
 * Reads block and extension of a version 2 Proposal. @n: length of the message
 * without the trailer. @iparea: offset of the mask area, from the base.
 */
int smc_clc_v2_get_offer(const u8 *buf, size_t n, u16 iparea,
			 struct smc_clc_proposal *p)
{
	u8 ext[SMC_EXT_OFFER_LEN];
	struct smc_rd r;
	u16 off;

	/* Without an offer of version 2 the message has the content of version
	 * 1.
	 */
	if (p->typev2 == SMC_CLC_OFFER_NONE)
		return 0;
	/* A mask area follows directly after the block. */
	if (p->typev1 != SMC_CLC_OFFER_NONE && iparea != LOCATOR_LEN)
		return iparea > LOCATOR_LEN ? -EBADMSG : 0;
	smc_rd_init(&r, buf, n);
	smc_rd_skip(&r, EXT_OFF_AT);
	off = smc_rd_be16(&r);
	smc_rd_bytes(&r, ext, sizeof(ext));
	smc_rd_skip(&r, LOCATOR_REST);
	if (r.bad)
		return -EBADMSG;
	/* the extension is announced but missing, so it offers nothing */
	if (!off)
		return 0;
	if (off < EXT_OFF_MIN || off > EXT_OFF_MAX)
		return -EBADMSG;
	smc_rd_skip(&r, (size_t)off - EXT_OFF_MIN);
	if (get_extension(&r, p))
		return -EBADMSG;
	if (p->v2.release)
		smc_ext_decode_offer(ext, &p->v2.ext);
	p->has_v2 = has_r(p->typev2);
	return 0;
}

/* ---- Accept, Confirm ---- */

bool smc_clc_v2_accept_valid(const struct smc_clc_accept *a)
{
	return a->first.release <= SMC_CLC_RELEASE_MAX &&
	       a->first.n_gids <= SMC_CLC_GIDS_MAX;
}

u16 smc_clc_v2_accept_len(enum smc_clc_type type,
			  const struct smc_clc_accept *a)
{
	if (!a->first_contact)
		return SMC_CLC_ACCEPT_V2_LEN;
	if (type == SMC_CLC_ACCEPT)
		return SMC_CLC_FIRST_V2_LEN;
	return (u16)(SMC_CLC_CONFIRM_V2_LEN + a->first.n_gids * SMC_GID_LEN);
}

void smc_clc_v2_put_accept(struct smc_wr *w, enum smc_clc_type type,
			   const struct smc_clc_accept *a)
{
	const struct smc_clc_first *f = &a->first;
	u8 ext[SMC_EXT_ANSWER_LEN] = {};
	u8 i;

	smc_wr_bytes(w, a->eid, SMC_EID_LEN);
	smc_wr_zero(w, 8);
	if (!a->first_contact)
		return;
	smc_wr_u8(w, f->direct ? FIRST_DIRECT : 0);
	smc_wr_u8(w, (u8)(f->os << 4 | f->release));
	smc_wr_zero(w, 2);
	smc_wr_bytes(w, f->host, SMC_CLC_HOST_LEN);
	smc_wr_u8(w, f->release ? f->max_conns : 0);
	smc_wr_u8(w, f->release ? f->max_links : 0);
	smc_wr_zero(w, 2);	/* no features */
	if (f->release)
		smc_ext_encode_answer(ext, &f->ext);
	smc_wr_bytes(w, ext, sizeof(ext));
	smc_wr_zero(w, 8);
	if (type == SMC_CLC_ACCEPT)
		return;
	smc_wr_u8(w, f->n_gids);
	smc_wr_zero(w, 3);
	for (i = 0; i < f->n_gids; i++)
		smc_wr_bytes(w, f->gid[i], SMC_GID_LEN);
}

static void get_first(struct smc_rd *r, bool whole, struct smc_clc_first *f)
{
	u8 ext[SMC_EXT_ANSWER_LEN];
	u8 b;

	f->direct = smc_rd_u8(r) & FIRST_DIRECT;
	b = smc_rd_u8(r);
	f->os = b >> 4;
	f->release = b & 0x0f;
	smc_rd_skip(r, 2);
	smc_rd_bytes(r, f->host, SMC_CLC_HOST_LEN);
	if (!whole)
		return;
	f->max_conns = smc_rd_u8(r);
	f->max_links = smc_rd_u8(r);
	smc_rd_skip(r, 2);
	smc_rd_bytes(r, ext, sizeof(ext));
	smc_rd_skip(r, 8);
	if (!f->release) {	/* reserved bytes */
		f->max_conns = 0;
		f->max_links = 0;
		return;
	}
	smc_ext_decode_answer(ext, &f->ext);
}

/*
 * Reads the GIDs and skips those beyond the limit. If the count exceeds the
 * bytes of the message, this is an error.
 */
static void get_gids(struct smc_rd *r, struct smc_clc_first *f)
{
	u8 i, n = smc_rd_u8(r);

	smc_rd_skip(r, 3);
	for (i = 0; i < n; i++) {
		if (i < SMC_CLC_GIDS_MAX)
			smc_rd_bytes(r, f->gid[f->n_gids++], SMC_GID_LEN);
		else
			smc_rd_skip(r, SMC_GID_LEN);
	}
}

/*
 * Reads the fields of version 2, which follow the fields of version 1. Older
 * peers send an Accept whose extension lacks the second half. The extension of
 * a Confirm is always complete.
 */
int smc_clc_v2_get_accept(struct smc_rd *r, enum smc_clc_type type,
			  struct smc_clc_accept *a)
{
	bool whole;

	smc_rd_bytes(r, a->eid, SMC_EID_LEN);
	smc_rd_skip(r, 8);
	if (!a->first_contact)
		return r->bad ? -EBADMSG : 0;
	whole = smc_rd_left(r) >= FIRST_LEN;
	if (!whole && (type == SMC_CLC_CONFIRM ||
		       smc_rd_left(r) != FIRST_V20_LEN))
		return -EBADMSG;
	get_first(r, whole, &a->first);
	if (type == SMC_CLC_CONFIRM)
		get_gids(r, &a->first);
	if (a->first.release && !whole)
		return -EBADMSG;
	return r->bad ? -EBADMSG : 0;
}
