/* SPDX-License-Identifier: GPL-2.0 */
/* The statistics of the module, for the subjects that show them. */
#ifndef SMCR_STATS_H
#define SMCR_STATS_H

#include <linux/smc.h>
#include <linux/smc_stats.h>
#include <stddef.h>

enum {
	STATS_SIZES	= 9,
	STATS_BUFS	= 7,
	STATS_COUNTS	= SMC_A_TECH_TX_CNT - SMC_A_TECH_CLNT_V1_SUCC + 1,
	STATS_REASONS	= 128,
	STATS_SPECIAL	= 5,
};

/* How often connections stayed on TCP because of @code. */
struct reason {
	unsigned int server;	/* 0: the role is client, 1: server */
	unsigned int code;
	unsigned long long n;	/* stock SMC counts to 65535 */
};

/* All of these are counters, except usage: the bytes of buffers in use now. */
struct stats {
	unsigned long long size[2][STATS_SIZES]; /* 0: to send, 1: received */
	unsigned long long pload[2][STATS_SIZES];
	unsigned long long buf[2][STATS_BUFS];
	unsigned long long count[STATS_COUNTS];
	unsigned long long errors[2];		/* 0: client, 1: server */
	unsigned long long fallbacks[2];
	unsigned long long usage[2];
	struct reason reason[STATS_REASONS];
	unsigned int n_reasons;
};

/* Number of counters at the beginning of struct stats */
#define STATS_COUNTERS	\
	(offsetof(struct stats, usage) / sizeof(unsigned long long))

#define STATS_COUNT(s, name)	\
	((s)->count[SMC_A_TECH_##name - SMC_A_TECH_CLNT_V1_SUCC])

/* Names of the entries of size and pload, of buf, and of special calls. */
extern const char * const stats_size_names[STATS_SIZES];
extern const char * const stats_buf_names[STATS_BUFS];
extern const char * const stats_special_names[STATS_SPECIAL];

/*
 * Gets the statistics of the module. Returns 0, or a negative errno for
 * smc_genl_fail().
 */
int stats_ask(struct stats *s);
/* Returns the count of a reason with the role and the code of @wanted. */
unsigned long long stats_reason(const struct stats *s,
				const struct reason *wanted);
/* Returns the number of connections that use SMC. */
unsigned long long stats_won(const struct stats *s);

#endif
