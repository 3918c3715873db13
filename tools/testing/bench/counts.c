// SPDX-License-Identifier: GPL-2.0
/*
 * Counts that do not depend on the speed of the machine: context switches,
 * packets, and all counters of the SMC module. For the idle measurement it also
 * reads the memory of the kernel. Each count is a name and a number, so a new
 * counter of the module needs no change here.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

#define CACHE_US	30000u
#define KEPT_TRIES	50
#define KEPT_CHANGE	(256 * 1024)	/* bytes; reading a file changes some */
#define HW_COUNTERS "/sys/class/infiniband/rxe0/ports/1/hw_counters"

/**
 * counts_add() - add one count to a set
 * @c: the set
 * @prefix: text that precedes the name
 * @name: its name
 * @val: its value
 */
void counts_add(struct counts *c, const char *prefix, const char *name,
		long long val)
{
	if (c->n == COUNT_MAX)
		die("more than %d counts", COUNT_MAX);
	snprintf(c->c[c->n].name, COUNT_NAME, "%.7s%.40s", prefix,
		 name);
	c->c[c->n++].val = val;
}

static void take_process(struct counts *c)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	counts_add(c, "", "proc_ctxt", ru.ru_nvcsw + ru.ru_nivcsw);
	counts_add(c, "", "proc_user_us", ru.ru_utime.tv_sec * 1000000LL +
	    ru.ru_utime.tv_usec);
	counts_add(c, "", "proc_sys_us", ru.ru_stime.tv_sec * 1000000LL +
	    ru.ru_stime.tv_usec);
}

/* fields: cpu user nice system idle iowait irq softirq, in ticks */
static void take_stat(struct counts *c)
{
	long long v[7] = { 0 };
	char line[4096];
	FILE *f = fopen("/proc/stat", "re");

	if (!f)
		die("no /proc/stat");
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "cpu ", 4))
			sscanf(line + 4, "%lld %lld %lld %lld %lld %lld %lld",
			       v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6);
		if (!strncmp(line, "ctxt ", 5))
			counts_add(c, "", "ctxt", atoll(line + 5));
		if (!strncmp(line, "intr ", 5))
			counts_add(c, "", "intr", atoll(line + 5));
	}
	fclose(f);
	counts_add(c, "", "cpu_busy", v[0] + v[1] + v[2] + v[5] + v[6]);
	counts_add(c, "", "cpu_idle", v[3] + v[4]);
}

static void take_netdev(struct counts *c)
{
	long long rx = 0, tx = 0, lo = 0, r, t;
	char line[512], *colon;
	FILE *f = fopen("/proc/net/dev", "re");

	if (!f)
		die("no /proc/net/dev");
	while (fgets(line, sizeof(line), f)) {
		colon = strchr(line, ':');
		if (!colon ||
		    sscanf(colon + 1, "%*d %lld %*d %*d %*d %*d %*d %*d %*d %lld",
			   &r, &t) != 2)
			continue;
		if (strstr(line, " lo:")) {
			lo += t;
		} else {
			rx += r;
			tx += t;
		}
	}
	fclose(f);
	counts_add(c, "", "net_tx", tx);
	counts_add(c, "", "net_rx", rx);
	counts_add(c, "", "lo_tx", lo);
}

/*
 * The RDMA core caches the device's counters for some milliseconds (lifespan).
 * This function waits until the cached values are too old.
 */
static void outwait_cache(void)
{
	static uint64_t last;

	if (last && now_ns() - last < CACHE_US * 1000)
		usleep(CACHE_US);
	last = now_ns();
}

static void take_rdma(struct counts *c)
{
	struct dirent *e;
	char path[512];
	long long v;
	FILE *f;
	DIR *d;

	d = opendir(HW_COUNTERS);
	if (!d)
		return;
	outwait_cache();
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "lifespan"))
			continue;
		snprintf(path, sizeof(path), HW_COUNTERS "/%s", e->d_name);
		f = fopen(path, "re");
		if (!f)
			continue;
		if (fscanf(f, "%lld", &v) == 1)
			counts_add(c, "rxe_", e->d_name, v);
		fclose(f);
	}
	closedir(d);
}

static void take_module(struct counts *c, const char *path)
{
	char line[256], name[COUNT_NAME - 4];
	long long v;
	FILE *f;

	f = path ? fopen(path, "re") : NULL;
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%43s %lld", name, &v) == 2)
			counts_add(c, "mib_", name, v);
	fclose(f);
}

static long long meminfo(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? atoll(p + strlen(key)) : 0;
}

/*
 * Free pages that the allocator keeps for each CPU. The kernel does not report
 * them as free. On a fresh host they are tens of megabytes, which the allocator
 * returns later.
 */
static long long kept_pages(void)
{
	long long sum = 0, v;
	char line[256];
	FILE *f;

	f = fopen("/proc/zoneinfo", "re");
	if (!f)
		die("no /proc/zoneinfo");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " count: %lld", &v) == 1)
			sum += v;
	fclose(f);
	return sum * sysconf(_SC_PAGESIZE);
}

static void read_meminfo(char *text, size_t size)
{
	FILE *f = fopen("/proc/meminfo", "re");

	if (!f)
		die("no /proc/meminfo");
	text[fread(text, 1, size - 1, f)] = 0;
	fclose(f);
}

/*
 * Kernel memory is all memory that is not free, not user memory and not page
 * cache. So the program's own tables and file caches do not count. Pages that
 * the allocator returns between the two readings would count as used.
 */
static void take_meminfo(struct counts *c)
{
	long long kb, before, kept = kept_pages();
	int tries = KEPT_TRIES;
	char text[8192];

	do {
		if (!tries--)
			die("the number of free pages does not settle");
		before = kept;
		read_meminfo(text, sizeof(text));
		kept = kept_pages();
	} while (llabs(kept - before) > KEPT_CHANGE);
	kb = meminfo(text, "MemTotal:") - meminfo(text, "MemFree:") -
	     meminfo(text, "Buffers:") - meminfo(text, "\nCached:") -
	     meminfo(text, "AnonPages:") - meminfo(text, "PageTables:");
	counts_add(c, "", "mem_kernel", kb * 1024 - kept);
	counts_add(c, "", "mem_slab", meminfo(text, "\nSlab:") * 1024);
}

static void take_slabs(struct counts *c)
{
	char line[512], name[COUNT_NAME - 6];
	long long objs, size;
	FILE *f;

	f = fopen("/proc/slabinfo", "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%41s %*d %lld %lld", name, &objs, &size) == 3)
			counts_add(c, "slab_", name, objs * size);
	fclose(f);
}

/* "0: rxe0: pd 3 cq 4 qp 1 cm_id 0 mr 0 ..." */
static void take_resources(struct counts *c)
{
	char line[512] = "", *word, *save, *last = NULL;
	FILE *f;

	f = popen("rdma resource show rxe0 2>/dev/null", "re");
	if (!f)
		return;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	pclose(f);
	for (word = strtok_r(line, "\n ", &save); word;
	     word = strtok_r(NULL, "\n ", &save)) {
		if (last && isdigit(word[0]) && isalpha(last[0]))
			counts_add(c, "rdma_", last, atoll(word));
		last = word;
	}
}

static void settle_memory(void)
{
	FILE *f;

	sync();
	f = fopen("/proc/sys/vm/drop_caches", "we");
	if (!f)
		return;
	fputs("3\n", f);
	fclose(f);
}

/**
 * counts_take() - read all counts now
 * @c: filled
 * @what: which counts: of a run, or of memory
 * @mib: file of the module's counters ("Name value" lines) or NULL; the file
 *	 may be missing (stock module)
 */
void counts_take(struct counts *c, enum counts_what what, const char *mib)
{
	c->n = 0;
	if (what == COUNTS_MEMORY) {
		settle_memory();
		take_meminfo(c);
		take_slabs(c);
		take_resources(c);
		take_module(c, mib);
		return;
	}
	take_module(c, mib);
	take_rdma(c);
	take_netdev(c);
	take_stat(c);
	take_process(c);
}

/**
 * counts_get() - return the count with this name
 * @c: the set
 * @name: its name
 *
 * Return: the count with this name. If the set has none, 0.
 */
long long counts_get(const struct counts *c, const char *name)
{
	unsigned int i;

	for (i = 0; i < c->n; i++)
		if (!strcmp(c->c[i].name, name))
			return c->c[i].val;
	return 0;
}

/**
 * counts_subtract() - subtract an earlier reading from a later one
 * @after: the later reading; afterwards the difference
 * @before: the earlier reading
 */
void counts_subtract(struct counts *after, const struct counts *before)
{
	unsigned int i, j;

	for (i = 0; i < after->n; i++) {
		/* The order is almost always the same, so the search begins at
		 * the same place.
		 */
		for (j = 0; j < before->n; j++) {
			unsigned int k = (i + j) % before->n;

			if (strcmp(after->c[i].name, before->c[k].name))
				continue;
			after->c[i].val -= before->c[k].val;
			break;
		}
	}
}

/**
 * counts_format() - print the counts that are not 0 as "name=value" pairs
 * @c: the set
 * @prefix: text that precedes each name
 * @buf: result
 * @len: its size; the program ends if the pairs do not fit
 *
 * Return: length of the text.
 */
size_t counts_format(const struct counts *c, const char *prefix, char *buf,
		     size_t len)
{
	size_t pos = 0;
	unsigned int i;

	buf[0] = 0;
	for (i = 0; i < c->n; i++) {
		if (!c->c[i].val)
			continue;
		pos += snprintf(buf + pos, len - pos, "%s%s%s=%lld",
				pos ? " " : "", prefix, c->c[i].name,
				c->c[i].val);
		if (pos >= len)
			die("counts do not fit into %zu bytes", len);
	}
	return pos;
}

/**
 * counts_parse() - read the text that counts_format() has written
 * @c: filled
 * @line: the text; destroyed
 */
void counts_parse(struct counts *c, char *line)
{
	char *word, *save, *eq;

	c->n = 0;
	for (word = strtok_r(line, "\n ", &save); word;
	     word = strtok_r(NULL, "\n ", &save)) {
		eq = strchr(word, '=');
		if (!eq)
			continue;
		*eq = 0;
		counts_add(c, "", word, atoll(eq + 1));
	}
}
