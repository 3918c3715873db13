// SPDX-License-Identifier: GPL-2.0
/* Prints the page smc_counters(7) from the table of counters. */
#include <stdio.h>

struct row {
	const char *name;	/* of a counter */
	const char *metric;
	const char *labels;
	const char *help;
};

static const struct row rows[] = {
#define SMC_COUNTER(name, metric, type, help) { name, metric, NULL, help },
#define SMC_METRIC(symbol, metric, type, labels, help) \
	{ NULL, metric, labels, help },
#include "counter_list.h"
#undef SMC_COUNTER
#undef SMC_METRIC
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char head[] =
	".\\\" Written by \"make -C tools/smcr doc\" from counter_list.h.\n"
	".TH SMC_COUNTERS 7 \"\" \"SMC tools\" \"Miscellanea\"\n"
	".SH NAME\n"
	"smc_counters \\- counters of the SMC module, and their metrics\n"
	".SH DESCRIPTION\n"
	"The counters of a network namespace begin at zero when the module is loaded.\n"
	".I /proc/net/smc_mib\n"
	"shows them, one in each line, and\n"
	".B smcr counters\n"
	"shows those that are not zero, with their meaning. Counters of links, link\n"
	"groups, RDMA operations and memory count in the initial namespace, and so do\n"
	"messages for no connection of this host.\n"
	".PP\n"
	".B smcr metrics\n"
	"prints the same values for Prometheus. The name of the metric is behind that\n"
	"of the counter.\n"
	".PP\n"
	"On a host that works well these do not grow:\n"
	".BR LlcViolations ,\n"
	".BR CdcViolations ,\n"
	".BR ClcMalformed ,\n"
	".BR LlcTimeouts ,\n"
	".BR ClcTimeouts ,\n"
	".B LinksDown\n"
	"and\n"
	".BR CloseTimeouts .\n";

static void print_row(const struct row *r)
{
	puts(".TP");
	if (r->name)
		printf(".BR %s \" (\" %s )\n", r->name, r->metric);
	else if (*r->labels)
		printf(".BR %s \" {\" \"%s\" }\n", r->metric, r->labels);
	else
		printf(".B %s\n", r->metric);
	puts(r->help);
}

int main(void)
{
	size_t i;

	/*
	 * printed in parts, so that no tool mistakes it for the license of this
	 * file
	 */
	printf(".\\\" SPDX-%s: GPL-2.0\n", "License-Identifier");
	fputs(head, stdout);
	puts(".SH COUNTERS");
	for (i = 0; i < ARRAY_SIZE(rows) && rows[i].name; i++)
		print_row(&rows[i]);
	puts(".SH OTHER METRICS\nLabels are in braces.");
	for (; i < ARRAY_SIZE(rows); i++)
		print_row(&rows[i]);
	puts(".SH SEE ALSO\n.BR smcr (8)");
	return fclose(stdout) ? 1 : 0;
}
