/* SPDX-License-Identifier: GPL-2.0 */
/* The table of counters, see counter_list.h. */
#ifndef SMCR_COUNTERS_H
#define SMCR_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

enum counter_type { COUNTER, GAUGE, HISTOGRAM };

/* A line of /proc/net/smc_mib. */
struct counter {
	const char *name;
	const char *metric;
	enum counter_type type;
	const char *help;
};

/* A metric that comes from netlink. */
struct metric {
	const char *name;
	enum counter_type type;
	const char *labels;	/* for readers; "role, code" */
	const char *help;
};

enum metric_id {
#define SMC_COUNTER(...)
#define SMC_METRIC(symbol, ...) METRIC_##symbol,
#include "counter_list.h"
#undef SMC_COUNTER
#undef SMC_METRIC
	METRIC_NR
};

extern const struct metric metrics[METRIC_NR];

/* Number of a counter in the table, which ends with a name of NULL. */
extern const struct counter counters[];

const char *counter_type_name(enum counter_type type);

enum {
	COUNTERS_MAX = 128,
	COUNTER_NAME_BYTES = 48,
};

/* The values of the counters that /proc/net/smc_mib has. */
struct counter_values {
	bool there[COUNTERS_MAX];	/* by number in the table */
	unsigned long long value[COUNTERS_MAX];
	/* counters of a newer module, which the table lacks */
	char other[COUNTERS_MAX][COUNTER_NAME_BYTES];
	unsigned long long other_value[COUNTERS_MAX];
	unsigned int n_others;
};

/* Reads the file; 0 or a negative errno, -ENOENT: there is none. */
int counters_read(struct counter_values *v);

#endif
