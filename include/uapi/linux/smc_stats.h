/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/* Attributes of the replies SMC_A_STATS and SMC_A_FBACK_STATS. */
#ifndef _UAPI_LINUX_SMC_STATS_H
#define _UAPI_LINUX_SMC_STATS_H

/* In SMC_A_STATS. */
enum {
	SMC_A_STATS_PAD			= 0,
	SMC_A_STATS_SMCD_TECH		= 1,	/* nest SMC_A_TECH_* */
	SMC_A_STATS_SMCR_TECH		= 2,	/* nest SMC_A_TECH_* */
	SMC_A_STATS_CLNT_HS_ERR_CNT	= 3,	/* u64 */
	SMC_A_STATS_SRV_HS_ERR_CNT	= 4,	/* u64 */
};

/* Statistics of one transport; "TX_RMB" is the send buffer. */
enum {
	SMC_A_TECH_PAD			= 0,
	SMC_A_TECH_TX_RMB_SIZE		= 1,	/* nest SMC_A_SIZE_* */
	SMC_A_TECH_RX_RMB_SIZE		= 2,	/* nest SMC_A_SIZE_* */
	SMC_A_TECH_TXPLOAD_SIZE		= 3,	/* nest SMC_A_SIZE_* */
	SMC_A_TECH_RXPLOAD_SIZE		= 4,	/* nest SMC_A_SIZE_* */
	SMC_A_TECH_TX_RMB_STATS		= 5,	/* nest SMC_A_RMB_* */
	SMC_A_TECH_RX_RMB_STATS		= 6,	/* nest SMC_A_RMB_* */
	SMC_A_TECH_CLNT_V1_SUCC		= 7,	/* u64 down to TX_CNT */
	SMC_A_TECH_CLNT_V2_SUCC		= 8,
	SMC_A_TECH_SRV_V1_SUCC		= 9,
	SMC_A_TECH_SRV_V2_SUCC		= 10,
	SMC_A_TECH_SENDPAGE_CNT		= 11,
	SMC_A_TECH_SPLICE_CNT		= 12,
	SMC_A_TECH_CORK_CNT		= 13,
	SMC_A_TECH_NDLY_CNT		= 14,
	SMC_A_TECH_URG_DATA_CNT		= 15,
	SMC_A_TECH_RX_BYTES		= 16,
	SMC_A_TECH_TX_BYTES		= 17,
	SMC_A_TECH_RX_CNT		= 18,
	SMC_A_TECH_TX_CNT		= 19,
	SMC_A_TECH_RX_RMB_USAGE		= 20,	/* uint, bytes */
	SMC_A_TECH_TX_RMB_USAGE		= 21,	/* uint, bytes */
};

/* Histogram, all u64; the number in a name is the largest length that the
 * entry counts.
 */
enum {
	SMC_A_SIZE_PAD			= 0,
	SMC_A_SIZE_8K			= 1,
	SMC_A_SIZE_16K			= 2,
	SMC_A_SIZE_32K			= 3,
	SMC_A_SIZE_64K			= 4,
	SMC_A_SIZE_128K			= 5,
	SMC_A_SIZE_256K			= 6,
	SMC_A_SIZE_512K			= 7,
	SMC_A_SIZE_1024K		= 8,
	SMC_A_SIZE_LARGER		= 9,
};

/* Counters of buffer events. All u64. */
enum {
	SMC_A_RMB_PAD			= 0,
	SMC_A_RMB_SIZE_SM_PEER_CNT	= 1,
	SMC_A_RMB_SIZE_SM_CNT		= 2,
	SMC_A_RMB_FULL_PEER_CNT		= 3,
	SMC_A_RMB_FULL_CNT		= 4,
	SMC_A_RMB_REUSE_CNT		= 5,
	SMC_A_RMB_ALLOC_CNT		= 6,
	SMC_A_RMB_DGRADE_CNT		= 7,
};

/* Attributes in SMC_A_FBACK_STATS: one message for each side and reason. */
enum {
	SMC_A_FBACK_PAD			= 0,
	SMC_A_FBACK_TYPE		= 1,	/* u8, 0 client, 1 server */
	SMC_A_FBACK_SRV_CNT		= 2,	/* u64, first message only */
	SMC_A_FBACK_CLNT_CNT		= 3,	/* u64, first message only */
	SMC_A_FBACK_RSN_CODE		= 4,	/* u32 */
	SMC_A_FBACK_RSN_CNT		= 5,	/* u16, stays at 65535 */

	/* Only this module has this attribute. Its number leaves room for
	 * attributes that deployed Linux may add.
	 */
	SMC_A_FBACK_RSN_CNT_ALL		= 24,	/* u64 */
};

#endif /* _UAPI_LINUX_SMC_STATS_H */
