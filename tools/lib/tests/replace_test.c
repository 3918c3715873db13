// SPDX-License-Identifier: GPL-2.0
/* Tests of replace.c: what is there after a success, and after each failure. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../testing/selftests/net/smc/ktap.h"
#include "replace.h"

static struct ktap ktap;

static void result(const char *name, int passed)
{
	ktap_result(&ktap, passed, name, NULL);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f)) {
		perror(path);
		exit(2);
	}
}

/* Does the file have this text? */
static int has(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	if (!f)
		return 0;
	if (!fgets(got, sizeof(got), f))
		got[0] = '\0';
	fclose(f);
	return !strcmp(got, text);
}

static unsigned int files(const char *dir)
{
	const struct dirent *e;
	unsigned int n = 0;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static void begin(struct smc_replace *r, const char *path)
{
	if (smc_replace_begin(r, path)) {
		perror(path);
		exit(2);
	}
	fputs("new", r->file);
}

static void try_success(const char *path, const char *other)
{
	struct smc_replace r;
	struct stat st;

	put(path, "old");
	begin(&r, path);
	result("the old file stays until the end", has(path, "old"));
	result("others cannot read the new one",
	       !stat(r.new, &st) && (st.st_mode & 07777) == 0600);
	result("success", !smc_replace_end(&r, 0) && has(path, "new"));
	put(other, "other");
	unlink(path);
	if (symlink(other, path))
		perror(path);
	begin(&r, path);
	result("a link is replaced, and not followed",
	       !smc_replace_end(&r, 0) && has(other, "other") &&
	       !lstat(path, &st) && S_ISREG(st.st_mode));
	unlink(other);
}

static void try_failures(const char *dir, const char *path)
{
	struct smc_replace r;
	char long_path[PATH_MAX];

	put(path, "old");
	begin(&r, path);
	result("the caller does not want it",
	       smc_replace_end(&r, 7) == 7 && has(path, "old"));
	begin(&r, path);
	/* this call sets the mark of an error, as a write does that fails */
	fgetc(r.file);
	result("a write that fails in the middle",
	       smc_replace_end(&r, 0) == -1 && errno == EIO &&
	       has(path, "old"));
	result("nothing is left", files(dir) == 1);
	unlink(path);
	if (mkdir(path, 0700))
		perror(path);
	begin(&r, path);
	result("a directory in its place",
	       smc_replace_end(&r, 0) == -1 && errno == EISDIR);
	rmdir(path);
	result("nothing is left there either", !files(dir));
	memset(long_path, 'a', sizeof(long_path) - 1);
	long_path[sizeof(long_path) - 1] = '\0';
	result("a long name",
	       smc_replace_begin(&r, long_path) && errno == ENAMETOOLONG);
	result("no such directory",
	       smc_replace_begin(&r, "/nonexistent/f") && errno == ENOENT);
}

/* replace_test DIRECTORY: prints KTAP; the directory is for files */
int main(int argc, char **argv)
{
	char dir[128], path[160], other[160];

	if (argc != 2)
		return 2;
	snprintf(dir, sizeof(dir), "%.100s/replace", argv[1]);
	snprintf(path, sizeof(path), "%s/f", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	if (mkdir(dir, 0700)) {
		perror(dir);
		return 2;
	}
	ktap_start(&ktap, NULL, 11);
	try_success(path, other);
	try_failures(dir, path);
	return ktap_finish(&ktap);
}
