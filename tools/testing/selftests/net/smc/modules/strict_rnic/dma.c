// SPDX-License-Identifier: GPL-2.0
/*
 * DMA mappings that work only if the user follows all rules of the DMA API. The
 * device reads and writes a bounce buffer, whose kernel address is the DMA
 * address that the software device expects. If a sync is missing, bytes are
 * wrong. An unmapped buffer is filled with a pattern and kept for a while. A
 * change of the pattern shows that the device still writes to the buffer.
 *
 * This needs a kernel in which a device can have DMA operations of its own.
 */
#include <linux/dma-map-ops.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include "strict.h"

static bool bounce;
module_param(bounce, bool, 0444);
MODULE_PARM_DESC(bounce, "mappings are bounce buffers, which need every sync");

#if defined(CONFIG_ARCH_HAS_DMA_OPS) || defined(CONFIG_DMA_OPS)

#define PATTERN		0xa5
/* number of buffers that are kept after they were unmapped */
#define OLD_MAX		512

static unsigned int max_seg = 65536;
module_param(max_seg, uint, 0444);
MODULE_PARM_DESC(max_seg, "limit of bytes of a segment of a list");

static unsigned int max_map = 262144;
module_param(max_map, uint, 0444);
MODULE_PARM_DESC(max_map, "limit of bytes of a mapping");

static struct strict_fault failing;
module_param_cb(map_fail_at, &strict_at_ops, &failing.at, 0644);
MODULE_PARM_DESC(map_fail_at, "the n-th mapping from now on fails");
module_param_named(map_fail_every, failing.every, uint, 0644);
MODULE_PARM_DESC(map_fail_every, "each n-th mapping fails");

static int map_failed;
module_param(map_failed, int, 0444);
MODULE_PARM_DESC(map_failed, "mappings that have failed");

static int mapped;
module_param(mapped, int, 0444);
MODULE_PARM_DESC(mapped, "mappings that exist");

static int syncs;
module_param(syncs, int, 0444);
MODULE_PARM_DESC(syncs, "syncs so far, in both directions");

static atomic_t n_map_failed = ATOMIC_INIT(0);
static atomic_t n_mapped = ATOMIC_INIT(0);
static atomic_t n_syncs = ATOMIC_INIT(0);

/**
 * struct mapping - one mapping
 * @node:	entry in maps->tree, which is sorted by @addr
 * @list:	entry in maps->old after the unmap
 * @addr:	DMA address
 * @buf:	bounce buffer; it consists of whole pages
 * @order:	of @buf
 * @cpu:	the mapped memory
 * @size:	bytes
 * @dir:	direction
 */
struct mapping {
	struct rb_node node;
	struct list_head list;
	dma_addr_t addr;
	u8 *buf;
	unsigned int order;
	u8 *cpu;
	size_t size;
	enum dma_data_direction dir;
};

static struct strict_maps *maps_of(struct device *dev)
{
	return dev_get_drvdata(dev);
}

static u8 *bounce_of(const struct mapping *m)
{
	return (u8 *)(uintptr_t)m->addr;
}

static bool to_device(enum dma_data_direction dir)
{
	return dir != DMA_FROM_DEVICE;
}

static bool from_device(enum dma_data_direction dir)
{
	return dir != DMA_TO_DEVICE;
}

/* ---- the table ---- */

static void insert(struct strict_maps *maps, struct mapping *new)
{
	struct rb_node **at = &maps->tree.rb_node;
	struct rb_node *parent = NULL;

	while (*at) {
		parent = *at;
		at = new->addr < rb_entry(parent, struct mapping, node)->addr ?
		     &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&new->node, parent, at);
	rb_insert_color(&new->node, &maps->tree);
}

/* Return: the mapping with the highest address up to @addr, or NULL. */
static struct mapping *find(struct strict_maps *maps, dma_addr_t addr)
{
	struct rb_node *at = maps->tree.rb_node;
	struct mapping *found = NULL;

	while (at) {
		struct mapping *m = rb_entry(at, struct mapping, node);

		if (m->addr <= addr) {
			found = m;
			at = at->rb_right;
		} else {
			at = at->rb_left;
		}
	}
	return found;
}

/* ---- buffers ---- */

static void mapping_free(struct mapping *m)
{
	free_pages((unsigned long)m->buf, m->order);
	kfree(m);
}

/* The pattern must be unchanged. */
static void old_free(struct mapping *m)
{
	if (memchr_inv(m->buf, PATTERN, PAGE_SIZE << m->order))
		strict_report("the device wrote to %zu bytes after the unmap",
			      m->size);
	mapping_free(m);
}

/* Return: a mapping that is in no table, or NULL. Context: any. */
static struct mapping *mapping_alloc(struct page *page, size_t off, size_t size,
				     enum dma_data_direction dir)
{
	size_t start = offset_in_page(off);
	struct mapping *m = kzalloc(sizeof(*m), GFP_ATOMIC | __GFP_NOWARN);

	if (!m)
		return NULL;
	m->order = get_order(start + size);
	m->buf = (u8 *)__get_free_pages(GFP_ATOMIC | __GFP_NOWARN, m->order);
	if (!m->buf) {
		kfree(m);
		return NULL;
	}
	m->addr = (uintptr_t)m->buf + start;
	m->cpu = (u8 *)page_address(page) + off;
	m->size = size;
	m->dir = dir;
	memset(m->buf, PATTERN, PAGE_SIZE << m->order);
	if (to_device(dir))
		memcpy(bounce_of(m), m->cpu, size);
	return m;
}

static dma_addr_t map(struct device *dev, struct page *page, size_t off,
		      size_t size, enum dma_data_direction dir)
{
	struct strict_maps *maps = maps_of(dev);
	struct mapping *m = NULL;
	unsigned long flags;

	if (size && size <= max_map && !strict_fault_hits(&failing))
		m = mapping_alloc(page, off, size, dir);
	if (!m) {
		WRITE_ONCE(map_failed, atomic_inc_return(&n_map_failed));
		return DMA_MAPPING_ERROR;
	}
	spin_lock_irqsave(&maps->lock, flags);
	insert(maps, m);
	spin_unlock_irqrestore(&maps->lock, flags);
	WRITE_ONCE(mapped, atomic_inc_return(&n_mapped));
	return m->addr;
}

/* Keeps the buffer for a while. Return: an older buffer for the caller to free,
 * or NULL.
 */
static struct mapping *retire(struct strict_maps *maps, struct mapping *m)
{
	rb_erase(&m->node, &maps->tree);
	memset(m->buf, PATTERN, PAGE_SIZE << m->order);
	list_add_tail(&m->list, &maps->old);
	if (++maps->n_old <= OLD_MAX)
		return NULL;
	maps->n_old--;
	m = list_first_entry(&maps->old, struct mapping, list);
	list_del(&m->list);
	return m;
}

static void do_unmap(struct device *dev, dma_addr_t addr, size_t size,
		     enum dma_data_direction dir, unsigned long attrs)
{
	struct strict_maps *maps = maps_of(dev);
	struct mapping *m, *old = NULL;
	unsigned long flags;
	bool wrong;

	spin_lock_irqsave(&maps->lock, flags);
	m = find(maps, addr);
	wrong = !m || m->addr != addr || m->size != size || m->dir != dir;
	if (m && m->addr == addr) {
		if (from_device(m->dir) && !(attrs & DMA_ATTR_SKIP_CPU_SYNC))
			memcpy(m->cpu, bounce_of(m), m->size);
		old = retire(maps, m);
		WRITE_ONCE(mapped, atomic_dec_return(&n_mapped));
	}
	spin_unlock_irqrestore(&maps->lock, flags);
	if (wrong)
		strict_report("unmap of %zu bytes, direction %d, that are not mapped so",
			      size, dir);
	if (old)
		old_free(old);
}

static void do_sync(struct device *dev, dma_addr_t addr, size_t size,
		    enum dma_data_direction dir, bool for_cpu)
{
	struct strict_maps *maps = maps_of(dev);
	unsigned long flags;
	struct mapping *m;
	bool wrong;
	size_t off;

	spin_lock_irqsave(&maps->lock, flags);
	m = find(maps, addr);
	off = m ? addr - m->addr : 0;
	wrong = !m || off >= m->size || size > m->size - off || m->dir != dir;
	if (!wrong && for_cpu && from_device(dir))
		memcpy(m->cpu + off, bounce_of(m) + off, size);
	if (!wrong && !for_cpu && to_device(dir))
		memcpy(bounce_of(m) + off, m->cpu + off, size);
	spin_unlock_irqrestore(&maps->lock, flags);
	WRITE_ONCE(syncs, atomic_inc_return(&n_syncs));
	if (wrong)
		strict_report("sync of %zu bytes, direction %d, that are not mapped so",
			      size, dir);
}

/* ---- struct dma_map_ops ---- */

static dma_addr_t map_page(struct device *dev, struct page *page,
			   unsigned long off, size_t size,
			   enum dma_data_direction dir, unsigned long attrs)
{
	return map(dev, page, off, size, dir);
}

static void unmap_sg(struct device *dev, struct scatterlist *sgl, int nents,
		     enum dma_data_direction dir, unsigned long attrs)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i)
		do_unmap(dev, sg_dma_address(sg), sg_dma_len(sg), dir, attrs);
}

static int map_sg(struct device *dev, struct scatterlist *sgl, int nents,
		  enum dma_data_direction dir, unsigned long attrs)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		dma_addr_t addr = map(dev, sg_page(sg), sg->offset, sg->length,
				      dir);

		if (addr == DMA_MAPPING_ERROR) {
			unmap_sg(dev, sgl, i, dir, attrs |
				 DMA_ATTR_SKIP_CPU_SYNC);
			return -ENOMEM;
		}
		sg_dma_address(sg) = addr;
		sg_dma_len(sg) = sg->length;
	}
	return nents;
}

static void sync_single_for_cpu(struct device *dev, dma_addr_t addr,
				size_t size, enum dma_data_direction dir)
{
	do_sync(dev, addr, size, dir, true);
}

static void sync_single_for_device(struct device *dev, dma_addr_t addr,
				   size_t size, enum dma_data_direction dir)
{
	do_sync(dev, addr, size, dir, false);
}

static void sync_sg_for_cpu(struct device *dev, struct scatterlist *sgl,
			    int nents, enum dma_data_direction dir)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i)
		do_sync(dev, sg_dma_address(sg), sg_dma_len(sg), dir, true);
}

static void sync_sg_for_device(struct device *dev, struct scatterlist *sgl,
			       int nents, enum dma_data_direction dir)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i)
		do_sync(dev, sg_dma_address(sg), sg_dma_len(sg), dir, false);
}

static size_t max_mapping_size(struct device *dev)
{
	return max_map;
}

static const struct dma_map_ops strict_dma_ops = {
	.map_page		= map_page,
	.unmap_page		= do_unmap,
	.map_sg			= map_sg,
	.unmap_sg		= unmap_sg,
	.sync_single_for_cpu	= sync_single_for_cpu,
	.sync_single_for_device	= sync_single_for_device,
	.sync_sg_for_cpu	= sync_sg_for_cpu,
	.sync_sg_for_device	= sync_sg_for_device,
	.max_mapping_size	= max_mapping_size,
};

/* ---- the device ---- */

int strict_dma_check(void)
{
	return 0;
}

/* Makes the RDMA core map memory for a device of this module. Return: 0 or
 * negative errno.
 */
int strict_dma_attach(struct strict_dev *sd, unsigned int n)
{
	struct strict_maps *maps = &sd->maps;
	struct platform_device *pdev;
	int err;

	if (!bounce)
		return 0;
	spin_lock_init(&maps->lock);
	maps->tree = RB_ROOT;
	INIT_LIST_HEAD(&maps->old);
	maps->n_old = 0;
	pdev = platform_device_register_simple("strict_rnic", n, NULL, 0);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	dev_set_drvdata(&pdev->dev, maps);
	/* this comes before the mask, which decides whether syncs are needed */
	set_dma_ops(&pdev->dev, &strict_dma_ops);
	err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err) {
		platform_device_unregister(pdev);
		return err;
	}
	dma_set_max_seg_size(&pdev->dev, max_seg);
	maps->pdev = pdev;
	sd->ib->dma_device = &pdev->dev;
	return 0;
}

/*
 * Frees all buffers. If a mapping still exists, its user has not unmapped it.
 */
void strict_dma_detach(struct strict_dev *sd)
{
	struct strict_maps *maps = &sd->maps;
	struct mapping *m, *next;
	unsigned int n = 0;

	if (!maps->pdev)
		return;
	sd->ib->dma_device = NULL;
	rbtree_postorder_for_each_entry_safe(m, next, &maps->tree, node) {
		n++;
		mapping_free(m);
		WRITE_ONCE(mapped, atomic_dec_return(&n_mapped));
	}
	if (n)
		strict_report("%s goes, %u mappings are left", sd->ib->name, n);
	list_for_each_entry_safe(m, next, &maps->old, list)
		old_free(m);
	platform_device_unregister(maps->pdev);
	maps->pdev = NULL;
}

#else

int strict_dma_check(void)
{
	if (!bounce)
		return 0;
	pr_err("strict_rnic: no bounce: devices of this kernel have no DMA operations of their own\n");
	return -EOPNOTSUPP;
}

int strict_dma_attach(struct strict_dev *sd, unsigned int n)
{
	return 0;
}

void strict_dma_detach(struct strict_dev *sd)
{
}

#endif
