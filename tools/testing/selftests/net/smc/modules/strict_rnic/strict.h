/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests only: makes RDMA devices as strict as an adapter may be. See
 * main.c.
 */
#ifndef _STRICT_RNIC_H
#define _STRICT_RNIC_H

#include <linux/atomic.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

struct platform_device;

enum strict_limit {
	STRICT_DEVS		= 8,
	STRICT_VECTORS		= 64,
};

/**
 * struct strict_maps - DMA mappings of a device
 * @pdev:	device that the RDMA core maps for; NULL: mappings are addresses
 * @lock:	protects the rest
 * @tree:	struct mapping of dma.c, sorted by DMA address
 * @old:	bounce buffers that were unmapped, oldest first
 * @n_old:	how many
 */
struct strict_maps {
	struct platform_device *pdev;
	spinlock_t lock;	/* protects the rest */
	struct rb_root tree;
	struct list_head old;
	unsigned int n_old;
};

/**
 * struct strict_dev - an RDMA device that is strict
 * @ib:		the device; NULL while this entry is unused; strict_dev_of()
 *		reads it without a lock
 * @real:	its operations
 * @attrs:	its attributes
 * @n_vectors:	its number of completion vectors
 * @maps:	DMA mappings
 */
struct strict_dev {
	struct ib_device *ib;
	struct ib_device_ops real;
	struct ib_device_attr attrs;
	int n_vectors;
	struct strict_maps maps;
};

/* Commands of the device; their names are in commands.c. */
enum strict_cmd {
	STRICT_ALLOC_PD,
	STRICT_DEALLOC_PD,
	STRICT_CREATE_CQ,
	STRICT_DESTROY_CQ,
	STRICT_CREATE_QP,
	STRICT_MODIFY_QP,
	STRICT_DESTROY_QP,
	STRICT_ALLOC_MR,
	STRICT_DEREG_MR,
	STRICT_N_CMDS,
};

/**
 * struct strict_fault - when a call fails
 * @at:		number of calls until one call fails, only once; 0: no call
 *		fails
 * @every:	each n-th call fails; 0: no call fails
 * @calls:	counts for @every
 */
struct strict_fault {
	atomic_t at;
	unsigned int every;
	atomic_t calls;
};

extern const struct kernel_param_ops strict_at_ops;

/* main.c */
struct strict_dev *strict_dev_of(const struct ib_device *ib);
struct strict_dev *strict_nth_dev(unsigned int n);
bool strict_may_fail(const struct strict_dev *sd);
bool strict_fault_hits(struct strict_fault *fault);
void __printf(1, 2) strict_report(const char *fmt, ...);

/* commands.c: operations that take long or fail */
void strict_commands_hook(struct strict_dev *sd);
int strict_command(struct strict_dev *sd, enum strict_cmd cmd);

/* queues.c: limits of queue pairs and regions */
void strict_queues_hook(struct strict_dev *sd);
int strict_queues_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr);
void strict_queues_destroy_qp(struct ib_qp *qp);
int strict_queues_alloc_mr(struct ib_device *ib, u32 max_num_sg);
void strict_queues_new_mr(struct ib_mr *mr);
void strict_queues_old_mr(struct ib_mr *mr);
int strict_queues_check_qp(const struct strict_dev *sd,
			   const struct ib_qp_init_attr *attr);
int strict_queues_check_cq(const struct strict_dev *sd,
			   const struct ib_cq_init_attr *attr);

/* completions.c: when and on which CPU completions are reported */
int strict_completions_init(void);
void strict_completions_exit(void);
void strict_completions_hook(struct strict_dev *sd);
int strict_completions_new_cq(struct ib_cq *cq, u32 vector);
void strict_completions_old_cq(struct ib_cq *cq);
void strict_completions_new_qp(const struct ib_qp_init_attr *attr);

/* events.c: ports and their addresses */
void strict_events_hook(struct strict_dev *sd);

void strict_queues_set_v1(struct ib_qp *qp);
bool strict_queues_accept(u32 qpn, bool v1);

/* gids.c: addresses of both versions of RoCE */
int strict_gids_init(void);
void strict_gids_exit(void);
void strict_gids_attach(struct strict_dev *sd);
void strict_gids_detach(struct strict_dev *sd);
int strict_gids_modify_qp(struct strict_dev *sd, struct ib_qp *qp,
			  struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata);

/* dma.c: mappings */
int strict_dma_check(void);
int strict_dma_attach(struct strict_dev *sd, unsigned int n);
void strict_dma_detach(struct strict_dev *sd);

#endif
