// SPDX-License-Identifier: GPL-2.0
/* Prints the steps of a check and its conclusion, as text or as JSON. */
#include "smc_chk.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "genl.h"

enum {
	TEXT_WIDTH	= 76,
};

static bool as_json;
static bool with_times;
static bool open_json;		/* the object is not yet closed */
static bool more;		/* a step has been printed */
static struct timespec begun;

void chk_report_as(bool json, bool times)
{
	as_json = json;
	with_times = times;
	clock_gettime(CLOCK_MONOTONIC, &begun);
}

void chk_report_begin(const char *address, const char *port)
{
	if (as_json) {
		putchar('{');
		if (address) {
			fputs("\"address\": ", stdout);
			smc_json_string(address);
			printf(", \"port\": %s, ", port);
		}
		fputs("\"steps\": [", stdout);
		open_json = true;
	} else if (address) {
		printf("Path to %s, port %s\n\n", address, port);
	} else {
		puts("This host\n");
	}
}

static double passed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - begun.tv_sec + (now.tv_nsec - begun.tv_nsec) / 1e9;
}

void chk_step(const char *name, const char *result)
{
	if (as_json) {
		fputs(more ? ",\n  {\"step\": " : "\n  {\"step\": ", stdout);
		smc_json_string(name);
		fputs(", \"result\": ", stdout);
		smc_json_string(result);
		printf(", \"seconds\": %.3f}", passed());
		more = true;
		return;
	}
	if (with_times)
		printf("%7.3f  ", passed());
	printf("%-28s %s\n", name, result);
	fflush(stdout);
}

static void json_verdict(const char *what, const char *todo)
{
	fputs(more ? "\n], \"verdict\": " : "], \"verdict\": ", stdout);
	smc_json_string(what);
	fputs(", \"advice\": ", stdout);
	if (todo)
		smc_json_string(todo);
	else
		fputs("null", stdout);
}

void chk_verdict(const char *what, const char *todo)
{
	const char *word = todo;
	int column = 2, len;

	if (as_json) {
		json_verdict(what, todo);
		return;
	}
	printf("\n%s\n", what);
	if (!todo)
		return;
	putchar(' ');
	while (*word) {
		len = strcspn(word, " ");
		if (column + len + 1 > TEXT_WIDTH) {
			fputs("\n ", stdout);
			column = 2;
		}
		printf(" %.*s", len, word);
		column += len + 1;
		word += len + strspn(word + len, " ");
	}
	putchar('\n');
}

int chk_report_end(int status)
{
	if (open_json)
		printf(", \"status\": %d}\n", status);
	open_json = false;
	/* if the steps cannot be printed, that is an error */
	return smc_flush("smc_chk") ?: status;
}
