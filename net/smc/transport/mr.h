/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that the peer of an endpoint may write to. */
#ifndef _SMC_TRANSPORT_MR_H
#define _SMC_TRANSPORT_MR_H

#include <linux/kref.h>
#include <linux/types.h>

struct page;
struct smc_ep;
struct smc_mr;

/**
 * struct smc_mem - a buffer, as a list of pages
 * @ref:	held by the owner and by each region
 * @release:	frees the buffer; may sleep
 * @pages:	pointers to pages of order 0
 * @n_pages:	number of pages
 * @len:	bytes, @n_pages * PAGE_SIZE at most
 */
struct smc_mem {
	struct kref ref;
	void (*release)(struct kref *ref);
	struct page **pages;
	u32 n_pages;
	u64 len;
};

/**
 * smc_mr_alloc - map memory for an endpoint and reserve its keys
 * @ep:		endpoint; the region holds a reference
 * @mem:	buffer; the region holds a reference until its keys are revoked
 *
 * The peer cannot write to the memory yet. Context: may sleep. Return: MR or
 * ERR_PTR: -ENOMEM, -E2BIG (the device cannot register that many pages as one
 * region).
 */
struct smc_mr *smc_mr_alloc(struct smc_ep *ep, struct smc_mem *mem);
/* Key and address for the peer (RToken, R-1.2-04). */
u32 smc_mr_rkey(const struct smc_mr *mr);
u64 smc_mr_addr(const struct smc_mr *mr);
/**
 * smc_mr_register - open the memory for remote writes (after smc_ep_start())
 * @mr:		region
 *
 * The registration is ordered before later messages of this endpoint. So these
 * messages reach the peer only after the registration has taken effect. A
 * failure of the registration takes the endpoint down.
 * Context: any, BH safe. Return: 0 or a negative errno.
 */
int smc_mr_register(struct smc_mr *mr);
/**
 * smc_mr_registered - is the registration complete?
 * @mr:		region
 *
 * Before the registration is complete, only messages on the same endpoint are
 * ordered behind it.
 * Return: true if the registration is complete.
 */
bool smc_mr_registered(const struct smc_mr *mr);
/**
 * smc_mr_wait - wait until the registration is complete or the endpoint is down
 * @mr:		region
 * @ms:		limit of the wait
 *
 * A send queue has room for few registrations, so a caller that posts many must
 * wait after each batch, see smc_mr_batch(). Context: may sleep. Return: 0;
 * -ETIMEDOUT: the device has not answered in time, and the endpoint goes down.
 */
int smc_mr_wait(struct smc_mr *mr, unsigned int ms);
/**
 * smc_mr_free - revoke the keys, unmap, and drop the reference on the buffer
 * @mr:		region; the caller does not use it any more
 *
 * Revoking is a command of the device, which may take a minute. So a work item
 * of smc_ep_queue_free() does it later. The in-host transport does it at once.
 * Until then the peer can write to the buffer, and the reference keeps the
 * buffer. Context: may sleep, never waits for the device.
 */
void smc_mr_free(struct smc_mr *mr);
/**
 * smc_mr_free_quiet - as smc_mr_free(), but after the endpoint is quiet
 * @mr:		region of an endpoint that is being closed
 *
 * Messages that arrive until then may use the region. Context: as
 * smc_mr_free().
 */
void smc_mr_free_quiet(struct smc_mr *mr);
/** smc_mr_batch - limit of registrations to post before waiting for one */
u32 smc_mr_batch(const struct smc_ep *ep);
/**
 * smc_mr_needs_sync - does the CPU see writes of the device only after a sync?
 * @mr:		region
 *
 * Return: true where DMA uses bounce buffers or is not coherent. Constant.
 */
bool smc_mr_needs_sync(const struct smc_mr *mr);
/**
 * smc_mr_sync_for_cpu - sync bytes that the peer has written, so that the CPU
 * sees them
 * @mr:		region of the endpoint over which the bytes have arrived
 * @off:	offset of the bytes
 * @len:	number of bytes; the peer must have written all of them, because
 *		other bytes may be lost
 *
 * Does nothing unless smc_mr_needs_sync(). Context: any, BH safe.
 */
void smc_mr_sync_for_cpu(struct smc_mr *mr, u64 off, u32 len);
/**
 * smc_mr_sync_for_device - sync bytes that the CPU has written, so that the
 * device sees them
 * @mr:		region
 * @off:	offset of the bytes
 * @len:	number of bytes, to which the peer must not write during the
 *		call
 *
 * Does nothing unless smc_mr_needs_sync(). Context: any, BH safe.
 */
void smc_mr_sync_for_device(struct smc_mr *mr, u64 off, u32 len);
/** smc_mr_max_pages - limit of pages in one region of the endpoint */
u32 smc_mr_max_pages(const struct smc_ep *ep);

#endif
