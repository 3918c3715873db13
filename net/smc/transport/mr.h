/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that the peer of an endpoint may write to. */
#ifndef _SMC_TRANSPORT_MR_H
#define _SMC_TRANSPORT_MR_H

#include <linux/types.h>

/* Registrations that may be posted before one is waited for. */
#define SMC_MR_BATCH	32

struct page;
struct smc_ep;
struct smc_mr;

/* A buffer, as a list of pages. */
struct smc_mem {
	struct page **pages;	/* order-0 page pointers, n_pages of them */
	u32 n_pages;
	u64 len;		/* bytes, n_pages * PAGE_SIZE at most */
};

/**
 * smc_mr_alloc - map memory for an endpoint and reserve its keys
 * @ep:		endpoint; the region holds a reference
 * @mem:	pages; they stay the caller's until smc_mr_free()
 *
 * The peer cannot use it yet. Context: may sleep. Return: MR or ERR_PTR: -ENOMEM,
 * -E2BIG (the device cannot register that many pages as one region).
 */
struct smc_mr *smc_mr_alloc(struct smc_ep *ep, const struct smc_mem *mem);
/* What the peer is told (RToken, R-1.2-04). */
u32 smc_mr_rkey(const struct smc_mr *mr);
u64 smc_mr_addr(const struct smc_mr *mr);
/**
 * smc_mr_register - open the memory for remote writes (after smc_ep_start())
 * @mr:		region
 *
 * Ordered with later messages of the endpoint: what is posted afterwards
 * reaches the peer only when the registration is in force. A failure takes the
 * endpoint down. Context: any, BH safe. Return: 0 or a negative errno.
 */
int smc_mr_register(struct smc_mr *mr);
/**
 * smc_mr_registered - is the registration in force for other endpoints' peers?
 * @mr:		region
 *
 * Until then only what is posted on the same endpoint is behind it.
 * Return: true if it is.
 */
bool smc_mr_registered(const struct smc_mr *mr);
/**
 * smc_mr_wait - wait until the registration is in force, or the endpoint down
 * @mr:		region
 *
 * A send queue has room for few registrations: who posts many waits now and
 * then. Context: may sleep; a device that does not answer within seconds is down.
 */
void smc_mr_wait(struct smc_mr *mr);
/**
 * smc_mr_free - revoke the keys and unmap
 * @mr:		region; gone afterwards
 *
 * When it returns the peer can place nothing through them. Context: may sleep.
 */
void smc_mr_free(struct smc_mr *mr);
/** smc_mr_max_pages - pages one region of the endpoint may have */
u32 smc_mr_max_pages(const struct smc_ep *ep);

#endif
