// SPDX-License-Identifier: GPL-2.0
/*
 * RFC dialect: the eye catcher at the start of an element (RFC 7609 4.2). A
 * group has eye catchers or has none, see net.smc.smcr_eyecatcher. With them,
 * cursors on the wire count from the start of the element, so the first byte of
 * data has cursor 4 (R-4.3-04). Positions inside the module count data only.
 *
 * A peer that writes behind the end of one element damages the eye catcher of
 * the next element. This is checked whenever a CDC message announces that the
 * peer has written (R-4.2-03).
 */
#include <asm/byteorder.h>
#include <linux/highmem.h>
#include "../group/lgr.h"
#include "object.h"
#include "rfc_eye.h"

/* The element's owner chooses the value (R-4.2-02). "SMCR" in EBCDIC. */
#define EYE_CATCHER	cpu_to_be32(0xe2d4c3d9)

/**
 * smc_rfc_eye_prepare() - part of struct smc_dialect.attach
 * @conn:	connection, its lock held; rfc.rx.bytes.pages is set
 *
 * Sets rfc.eye, and writes the eye catcher if there is one (R-4.4.1-04). The
 * peer does not know the element yet.
 */
void smc_rfc_eye_prepare(struct smc_conn *conn)
{
	const __be32 eye = EYE_CATCHER;

	lockdep_assert_held(&conn->lock);
	BUILD_BUG_ON(sizeof(eye) != SMC_RMBE_EYE_LEN);
	conn->rfc.eye = smc_lgr_eye_len(conn->member.lgr);
	if (conn->rfc.eye)
		memcpy_to_page(conn->rfc.rx.bytes.pages[0], 0,
			       (const char *)&eye, sizeof(eye));
}

/**
 * smc_rfc_eye_intact() - check the eye catcher of the own element
 * @conn:	connection, its lock held
 *
 * Return: false: the peer has written over it. True without eye catcher, and
 * after the element was given back.
 */
bool smc_rfc_eye_intact(const struct smc_conn *conn)
{
	__be32 eye;

	lockdep_assert_held(&conn->lock);
	if (likely(!conn->rfc.eye) || !conn->rfc.rx.rmbe.rmb)
		return true;
	memcpy_from_page((char *)&eye, conn->rfc.rx.bytes.pages[0], 0,
			 sizeof(eye));
	return eye == EYE_CATCHER;
}
