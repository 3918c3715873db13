// SPDX-License-Identifier: GPL-2.0
/* Agreement on the extension of frames.rst. See ext.h. */
#include "bytes.h"
#include "clc.h"
#include "ext.h"
#include "frame.h"

/* F-27: a locally administered identifier, which no vendor owns */
static const u8 ext_oui[] = { 0x72, 0xd4, 0x9b };

static void put_terms(struct smc_wr *w, const struct smc_ext *e)
{
	smc_wr_u8(w, (u8)(e->version << 4 | (e->frame_log & 0x0f)));
	smc_wr_u8(w, e->caps);
	smc_wr_be16(w, e->nonce);
}

static void get_terms(struct smc_rd *r, struct smc_ext *e)
{
	u8 b = smc_rd_u8(r);

	e->version = b >> 4;
	e->frame_log = b & 0x0f;
	e->caps = smc_rd_u8(r);
	e->nonce = smc_rd_be16(r);
	if (!e->version)
		*e = (struct smc_ext){};
}

/**
 * smc_ext_encode_offer() - write vendor OUI and options of a Proposal (F-27)
 * @buf: 8 bytes; the function writes all of them
 * @e: offer; if @e->version is 0, the bytes are 0
 *
 * Context: any.
 */
void smc_ext_encode_offer(u8 buf[SMC_EXT_OFFER_LEN], const struct smc_ext *e)
{
	struct smc_wr w;

	smc_wr_init(&w, buf, SMC_EXT_OFFER_LEN);
	if (e->version) {
		smc_wr_bytes(&w, ext_oui, sizeof(ext_oui));
		put_terms(&w, e);
	}
	smc_wr_zero(&w, w.len - w.pos);
}

/**
 * smc_ext_decode_offer() - read vendor OUI and options of a Proposal
 * @buf: 8 bytes
 * @e: output: the offer; @e->version is 0 if there is none, or if it is another
 *	vendor's
 *
 * Context: any.
 */
void smc_ext_decode_offer(const u8 buf[SMC_EXT_OFFER_LEN], struct smc_ext *e)
{
	u8 oui[sizeof(ext_oui)];
	struct smc_rd r;

	*e = (struct smc_ext){};
	smc_rd_init(&r, buf, SMC_EXT_OFFER_LEN);
	smc_rd_bytes(&r, oui, sizeof(oui));
	if (!memcmp(oui, ext_oui, sizeof(oui)))
		get_terms(&r, e);
}

/**
 * smc_ext_encode_answer() - write the vendor bytes of Accept or Confirm (F-29)
 * @buf: 4 bytes of the first-contact extension; the function writes all
 * @e: answer; if @e->version is 0, the bytes are 0
 *
 * Context: any.
 */
void smc_ext_encode_answer(u8 buf[SMC_EXT_ANSWER_LEN], const struct smc_ext *e)
{
	struct smc_wr w;

	smc_wr_init(&w, buf, SMC_EXT_ANSWER_LEN);
	if (e->version)
		put_terms(&w, e);
	else
		smc_wr_zero(&w, SMC_EXT_ANSWER_LEN);
}

/**
 * smc_ext_decode_answer() - read the vendor bytes of Accept or Confirm
 * @buf: 4 bytes of the first-contact extension
 * @e: output: the answer; @e->version is 0 if there is none
 *
 * Context: any.
 */
void smc_ext_decode_answer(const u8 buf[SMC_EXT_ANSWER_LEN], struct smc_ext *e)
{
	struct smc_rd r;

	smc_rd_init(&r, buf, SMC_EXT_ANSWER_LEN);
	get_terms(&r, e);
}

/*
 * Removes unknown capabilities, and capabilities that need a missing one
 * (F-28).
 */
static u8 known_caps(u8 caps, u8 frame_log)
{
	caps &= SMC_EXT_CAPS;
	if (frame_log < SMC_FRAME_LOG_MIN)
		caps &= SMC_EXT_CAPS ^ SMC_EXT_FRAMES;
	if (!(caps & SMC_EXT_FRAMES))
		caps &= SMC_EXT_CAPS ^ SMC_EXT_ELASTIC;
	return caps;
}

/**
 * smc_ext_own() - get what this host may offer or answer
 * @allowed: net.smc.extension: bit 0 allows FRAMES, bit 1 ELASTIC, bit 2 WIDE,
 *	bit 3 V6; 0: the extension is off
 * @ready: capabilities that this host has
 * @own: output; @own->version is 0 if the extension is off, and @own->nonce is
 *		0
 *
 * Context: any.
 */
void smc_ext_own(unsigned int allowed, u8 ready, struct smc_ext *own)
{
	u8 caps = 0, i;

	*own = (struct smc_ext){};
	if (!allowed)
		return;
	for (i = 0; i < 8; i++)
		if (allowed >> i & 1)
			caps |= (u8)(SMC_EXT_FRAMES >> i);
	own->version = SMC_EXT_VERSION;
	own->caps = known_caps(caps & ready, SMC_EXT_FRAME_LOG);
	if (own->caps & SMC_EXT_FRAMES)
		own->frame_log = SMC_EXT_FRAME_LOG;
}

/**
 * smc_ext_limit() - drop WIDE if a host wants smaller groups (F-36)
 * @own: what this host allows
 * @max_conns: limit of connections in a group that this host states, or on
 *	which both hosts agree; 0: none is stated
 *
 * A host that accepts the 255 connections that the messages can state accepts
 * more. Context: any.
 */
void smc_ext_limit(struct smc_ext *own, u8 max_conns)
{
	if (max_conns != SMC_CLC_CONNS_MAX)
		own->caps &= SMC_EXT_CAPS ^ SMC_EXT_WIDE;
}

/**
 * smc_ext_answer() - choose the answer of the server (F-28)
 * @own: what this host allows; @own->version 0: nothing
 * @offer: offer of the client
 * @answer: output: the common version and capabilities, which are also those of
 *	the group; @answer->version is 0 if the extension is off
 *
 * Context: any.
 */
void smc_ext_answer(const struct smc_ext *own, const struct smc_ext *offer,
		    struct smc_ext *answer)
{
	u8 version = own->version < offer->version ? own->version :
						     offer->version;
	u8 caps = known_caps(own->caps, own->frame_log) &
		  known_caps(offer->caps, offer->frame_log);

	*answer = (struct smc_ext){};
	if (!version)
		return;
	*answer = (struct smc_ext){
		.version = version,
		.frame_log = own->frame_log,
		.caps = caps,
		.nonce = offer->nonce,
	};
}

/**
 * smc_ext_agreed() - check a server's answer (F-30)
 * @offer: own offer
 * @answer: answer of the server
 *
 * Context: any.
 *
 * Return: true if @answer has the agreed version and capabilities; false if the
 * extension is off.
 */
bool smc_ext_agreed(const struct smc_ext *offer, const struct smc_ext *answer)
{
	return offer->version && answer->version &&
	       answer->version <= offer->version &&
	       answer->nonce == offer->nonce &&
	       !(answer->caps & ~offer->caps) &&
	       known_caps(answer->caps, answer->frame_log) == answer->caps;
}

/**
 * smc_ext_confirmed() - check the client's Confirm (F-31)
 * @answer: own answer in the Accept
 * @confirm: vendor bytes of the Confirm
 *
 * Context: any.
 *
 * Return: true if the client has agreed to @answer; false if the extension is
 * off.
 */
bool smc_ext_confirmed(const struct smc_ext *answer,
		       const struct smc_ext *confirm)
{
	return answer->version && confirm->version == answer->version &&
	       confirm->caps == answer->caps &&
	       confirm->nonce == answer->nonce &&
	       confirm->frame_log == answer->frame_log;
}

/**
 * smc_ext_fits_gid() - may version 2 use this GID? (F-35)
 * @caps: own capabilities for an offer, common ones for an answer
 * @gid: GID of RoCEv2, which is an IP address; IPv4 has its IPv6 form
 *
 * Deployed peers read the last four bytes of any GID as an IPv4 address.
 * Context: any.
 */
bool smc_ext_fits_gid(u8 caps, const u8 gid[16])
{
	static const u8 v4[12] = { [10] = 0xff, [11] = 0xff };

	return caps & SMC_EXT_V6 || !memcmp(gid, v4, sizeof(v4));
}

/**
 * smc_ext_same() - does a connection fit into a group of the server? (F-32)
 * @a: answer that made the group
 * @b: answer to the Proposal of the connection
 *
 * The client's nonce and the size of the server's frames do not matter.
 * Context: any.
 *
 * Return: true if the answers have the same version and capabilities.
 */
bool smc_ext_same(const struct smc_ext *a, const struct smc_ext *b)
{
	return a->version == b->version && a->caps == b->caps;
}

/* Returns the size of the largest frame in bytes (F-27, F-37). */
static u32 frame_max(u8 version, u8 frame_log)
{
	u32 n = 1U << frame_log;

	return version < SMC_EXT_HEADS_VERSION ? n : n + SMC_EXT_HEADS;
}

/**
 * smc_ext_settle() - derive the terms from the answer that both hosts agreed on
 * @answer: answer of the server
 * @peer_log: the peer's @frame_log, from its offer or its answer
 * @own_log: own @frame_log, of our answer or our offer
 * @t: output
 *
 * Context: any.
 */
void smc_ext_settle(const struct smc_ext *answer, u8 peer_log, u8 own_log,
		    struct smc_ext_terms *t)
{
	bool frames = answer->caps & SMC_EXT_FRAMES;

	*t = (struct smc_ext_terms){
		.version = answer->version,
		.caps = answer->caps,
		.send_max = frames ? frame_max(answer->version, peer_log) : 0,
		.recv_max = frames ? frame_max(answer->version, own_log) : 0,
	};
}
