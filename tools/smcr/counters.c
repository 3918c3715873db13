// SPDX-License-Identifier: GPL-2.0
/* smcr counters: all counters with their meaning. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "genl.h"
#include "smcr.h"

#define MIB_FILE "/proc/net/smc_mib"

enum {
	NAME_COLUMNS	= 24,
	VALUE_COLUMNS	= 13,
	HELP_COLUMNS	= 40,	/* of 80 */
};

const struct counter counters[] = {
#define SMC_COUNTER(name, metric, type, help) { name, metric, type, help },
#define SMC_METRIC(...)
#include "counter_list.h"
#undef SMC_COUNTER
#undef SMC_METRIC
	{}
};

static_assert(ARRAY_SIZE(counters) <= COUNTERS_MAX, "the table is full");

const struct metric metrics[METRIC_NR] = {
#define SMC_COUNTER(...)
#define SMC_METRIC(symbol, metric, type, labels, help) \
	[METRIC_##symbol] = { metric, type, labels, help },
#include "counter_list.h"
#undef SMC_COUNTER
#undef SMC_METRIC
};

const char *counter_type_name(enum counter_type type)
{
	static const char * const names[] = {
		[COUNTER] = "counter", [GAUGE] = "gauge",
		[HISTOGRAM] = "histogram",
	};

	return names[type];
}

static void take_line(struct counter_values *v, const char *name,
		      unsigned long long value)
{
	unsigned int i;

	for (i = 0; counters[i].name; i++) {
		if (strcmp(counters[i].name, name))
			continue;
		v->there[i] = true;
		v->value[i] = value;
		return;
	}
	if (v->n_others == COUNTERS_MAX)
		return;
	snprintf(v->other[v->n_others], COUNTER_NAME_BYTES, "%s", name);
	v->other_value[v->n_others++] = value;
}

int counters_read(struct counter_values *v)
{
	char line[256], name[COUNTER_NAME_BYTES];
	unsigned long long value;
	FILE *f = fopen(MIB_FILE, "re");

	memset(v, 0, sizeof(*v));
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%47s %llu", name, &value) == 2)
			take_line(v, name, value);
	}
	fclose(f);
	return 0;
}

/* Prints a sentence in short lines, below each other. */
static void print_help(const char *help)
{
	int column = 0, len;

	while (*help) {
		len = strcspn(help, " ");
		if (column && column + 1 + len > HELP_COLUMNS) {
			printf("\n%*s", NAME_COLUMNS + VALUE_COLUMNS + 3, "");
			column = 0;
		}
		printf("%s%.*s", column ? " " : "", len, help);
		column += len + !!column;
		help += len + strspn(help + len, " ");
	}
	putchar('\n');
}

static void print_counter(const struct options *o, struct json *j,
			  const struct counter *c, unsigned long long value)
{
	if (!o->json) {
		printf("%-*s %*llu  ", NAME_COLUMNS, c->name, VALUE_COLUMNS,
		       value);
		print_help(c->help);
		return;
	}
	json_item(j);
	putchar('{');
	json_text("name", c->name);
	fputs(", ", stdout);
	json_number("value", value);
	fputs(", ", stdout);
	json_text("type", counter_type_name(c->type));
	fputs(", ", stdout);
	json_text("metric", c->metric);
	fputs(", ", stdout);
	json_text("help", c->help);
	putchar('}');
}

static void print_counters(const struct options *o,
			   const struct counter_values *v)
{
	struct json j = { .list = true };
	unsigned int i;

	for (i = 0; counters[i].name; i++) {
		if (v->there[i] && (o->details || o->json || v->value[i]))
			print_counter(o, &j, &counters[i], v->value[i]);
	}
	for (i = 0; i < v->n_others; i++) {
		const struct counter c = {
			.name = v->other[i], .metric = "",
			.help = "(a counter that this smcr does not know)",
		};

		print_counter(o, &j, &c, v->other_value[i]);
	}
	if (o->json)
		json_list_end(&j, 0);
}

int cmd_counters(const struct options *o, int argc, char **argv)
{
	struct counter_values *v;
	int err;

	only_show(argc, argv);
	v = malloc(sizeof(*v));
	err = v ? counters_read(v) : -ENOMEM;
	if (!err)
		print_counters(o, v);
	free(v);
	if (!err)
		return EXIT_SUCCESS;
	if (err != -ENOENT)
		return smc_genl_fail("smcr", err);
	fputs("smcr: there is no " MIB_FILE
	      " (is this project's module loaded?)\n", stderr);
	return EXIT_FAILURE;
}
