/* SPDX-License-Identifier: GPL-2.0 */
/* The subjects of smcr. */
#ifndef SMCR_H
#define SMCR_H

#include <stdbool.h>
#include <stdio.h>

struct smc_attrs;

struct options {
	bool json;
	bool absolute;		/* statistics since the module was loaded */
	unsigned int details;	/* 1: more columns, 2: even more */
};

/*
 * Each function gets the arguments after its name and returns an exit status.
 */
int cmd_info(const struct options *o, int argc, char **argv);
int cmd_device(const struct options *o, int argc, char **argv);
int cmd_linkgroup(const struct options *o, int argc, char **argv);
int cmd_link(const struct options *o, int argc, char **argv);
int cmd_stats(const struct options *o, int argc, char **argv);
int cmd_ueid(const struct options *o, int argc, char **argv);
int cmd_seid(const struct options *o, int argc, char **argv);
int cmd_top(const struct options *o, int argc, char **argv);
int cmd_counters(const struct options *o, int argc, char **argv);
int cmd_config(const struct options *o, int argc, char **argv);
int cmd_metrics(const struct options *o, int argc, char **argv);
int cmd_limit(const struct options *o, int argc, char **argv);

/* Reports wrong arguments and exits. */
__attribute__((noreturn)) void wrong_usage(const char *word);
/* Returns a number from 1 to @max, or reports a wrong argument and exits. */
unsigned int positive(const char *word, long max);
/* Writes what stdout holds; prints a message if that fails, and returns an exit
 * status.
 */
int flush_out(void);
/* accepts "show" or no argument */
void only_show(int argc, char **argv);

/* Returns the name of a value of SMC_LGR_TYPE_*. */
const char *group_type_name(unsigned int type);

/*
 * A message of a dump of groups or of links contains one group or one link. The
 * links of a group follow the group.
 */
typedef void (*take_attrs)(void *arg, const struct smc_attrs *inner);
void take_group_or_link(const struct smc_attrs *top, take_attrs group,
			take_attrs link, void *arg);

/*
 * Items of a JSON list or object. For a list (@list) json_item() prints the
 * opening bracket before the first item, and json_list_end() prints the closing
 * one. If the items cannot be read, no list is printed.
 */
struct json {
	bool list;
	bool more;
};

void json_item(struct json *j);
void json_list_end(const struct json *j, int err);
void json_text(const char *name, const char *value);
void json_number(const char *name, unsigned long long value);

#endif
