// SPDX-License-Identifier: GPL-2.0
/*
 * RFC dialect: the eye catcher at the start of an element (RFC 7609 4.2). A
 * group has eye catchers or has none, see net.smc.smcr_eyecatcher. With them,
 * cursors on the wire count from the start of the element, so the first byte of
 * data has cursor 4 (R-4.3-04). Positions inside the module count data only.
 *
 * A peer that writes behind the end of one element damages the eye catcher of
 * the next element. This is checked whenever a CDC message announces that the
 * peer has written (R-4.2-03). The element has its eye catcher when the
 * connection gets it, see group/rmbe.c.
 */
#include <linux/highmem.h>
#include "../base/limits.h"
#include "../group/rmbe.h"
#include "object.h"
#include "rfc_eye.h"

/**
 * smc_rfc_eye_intact() - check the eye catcher of the own element
 * @conn:	connection, its lock held
 *
 * Return: false: the peer has written over it. True without eye catcher, and
 * after the element was given back.
 */
bool smc_rfc_eye_intact(const struct smc_conn *conn)
{
	char eye[SMC_RMBE_EYE_LEN];

	lockdep_assert_held(&conn->lock);
	if (likely(!conn->rfc.eye) || !conn->rfc.rx.rmbe.rmb)
		return true;
	memcpy_from_page(eye, conn->rfc.rx.bytes.pages[0], 0, sizeof(eye));
	return !memcmp(eye, SMC_RMBE_EYE, sizeof(eye));
}
