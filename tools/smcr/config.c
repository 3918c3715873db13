// SPDX-License-Identifier: GPL-2.0
/* /etc/smc.conf: check, apply, show, save. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "genl.h"
#include "replace.h"
#include "smcr.h"

/* "config save" writes this line at the top of its output. */
#define MARK "# The settings below were written by \"smcr config save\"."
/* Precedes net.smc.mem: leave out that line in a copy for another machine. */
#define OF_MEMORY "# The default of net.smc.mem depends on the memory of this machine."

static int complain(const char *path, const struct smc_conf_error *err)
{
	char line[512];

	smc_conf_explain(line, sizeof(line), path, err);
	fprintf(stderr, "smcr: %s\n", line);
	return EXIT_FAILURE;
}

static int cannot(const char *what, const char *path)
{
	fprintf(stderr, "smcr: cannot %s %.300s: %s\n", what, path,
		strerror(errno));
	return EXIT_FAILURE;
}

/* ---- check and apply ---- */

static void print_count(unsigned int n, const char *what, const char *end)
{
	printf("%u %s%s%s", n, what, n == 1 ? "" : "s", end);
}

static int check(const struct smc_conf *c, const char *path,
		 struct smc_conf_error *err)
{
	const char *untried = NULL;

	if (config_try(c, &untried, err))
		return complain(path, err);
	printf("%s: ", path);
	print_count(c->n_rules, "rule", ", ");
	print_count(c->n_sysctls, "sysctl", ", ");
	print_count(c->n_ueids, "UEID", ", ");
	print_count(c->n_pnetids, "PNETID", "\n");
	if (untried)
		printf("Names and values of sysctls are not checked: %s.\n",
		       untried);
	return EXIT_SUCCESS;
}

static int check_or_apply(const char *path, bool apply)
{
	static struct smc_conf c;
	struct smc_conf_error err;

	if (smc_conf_load(&c, path, &err))
		return complain(path, &err);
	if (!apply)
		return check(&c, path, &err);
	return config_apply(&c, &err) ? complain(path, &err) : EXIT_SUCCESS;
}

/* ---- show ---- */

/* What this user may not set, a file cannot set either. */
static int may_be_set(const struct dirent *d)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), SYSCTL_DIR "/%s", d->d_name);
	return d->d_name[0] != '.' && !stat(path, &st) && st.st_mode & 0200;
}

static void put_sysctl(FILE *out, struct json *j, const char *name,
		       const char *value)
{
	const char *c;

	if (!j) {
		if (!strcmp(name, "mem"))
			fputs(OF_MEMORY "\n", out);
		fprintf(out, "sysctl net.smc.%s = %s\n", name,
			*value ? value : "-");
		return;
	}
	json_item(j);
	printf("\"%s\": ", name);
	if (!*value || value[strspn(value, "-0123456789 ")]) {
		smc_json_string(value);
		return;
	}
	if (!strchr(value, ' ')) {
		fputs(value, stdout);
		return;
	}
	putchar('[');
	for (c = value; *c; c++)
		fputs(*c == ' ' ? ", " : (const char[]){ *c, '\0' }, stdout);
	putchar(']');
}

static int put_sysctls(FILE *out, struct json *j)
{
	struct dirent **found;
	char value[VALUE_BYTES];
	int i, n;

	n = scandir(SYSCTL_DIR, &found, may_be_set, alphasort);
	if (n < 0)
		return cannot("read", SYSCTL_DIR);
	for (i = 0; i < n; i++) {
		if (config_read_sysctl(found[i]->d_name, value))
			put_sysctl(out, j, found[i]->d_name, value);
		free(found[i]);
	}
	free(found);
	return EXIT_SUCCESS;
}

static void put_net_json(struct json *j, const struct smc_pnet_entry *e)
{
	json_item(j);
	putchar('{');
	json_text("name", e->name);
	fputs(", ", stdout);
	json_text(e->eth ? "interface" : "device", e->device);
	if (!e->eth) {
		fputs(", ", stdout);
		json_number("port", e->port);
	}
	putchar('}');
}

static void put_tables(FILE *out, const struct eid_table *eids,
		       const struct smc_pnet_table *nets)
{
	unsigned int i;

	for (i = 0; i < eids->n; i++)
		fprintf(out, "ueid %s\n", eids->name[i]);
	if (!eids->n)
		fputs("ueid -\n", out);
	for (i = 0; i < nets->n; i++) {
		const struct smc_pnet_entry *e = &nets->entry[i];

		if (e->eth)
			fprintf(out, "pnetid -I %s %s\n", e->device, e->name);
		else
			fprintf(out, "pnetid -D %s -P %u %s\n", e->device,
				e->port, e->name);
	}
	if (!nets->n)
		fputs("pnetid -\n", out);
}

static int put_json(const struct eid_table *eids, const struct smc_pnet_table *nets)
{
	struct json j = {};
	unsigned int i;
	int status;

	fputs("{\"sysctls\": {", stdout);
	status = put_sysctls(stdout, &j);
	fputs("},\n\"ueids\": [", stdout);
	for (i = 0; i < eids->n; i++) {
		if (i)
			fputs(", ", stdout);
		smc_json_string(eids->name[i]);
	}
	fputs("],\n\"pnetids\": [", stdout);
	j.more = false;
	for (i = 0; i < nets->n; i++)
		put_net_json(&j, &nets->entry[i]);
	fputs("]}\n", stdout);
	return status;
}

/* Writes the settings of this system. */
static int put_settings(FILE *out, bool as_json)
{
	static struct smc_pnet_table nets;
	struct eid_table eids;
	int err;

	/* These requests load the module, and so the sysctls exist. */
	err = config_read_eids(&eids);
	if (!err)
		err = smc_pnet_read(&nets);
	if (err)
		return smc_genl_fail("smcr", err);
	if (as_json)
		return put_json(&eids, &nets);
	err = put_sysctls(out, NULL);
	if (!err)
		put_tables(out, &eids, &nets);
	return err;
}

/* ---- save ---- */

static bool is_setting(const char *line)
{
	static const char * const words[] = { "sysctl", "ueid", "pnetid" };
	size_t i;

	if (!strcmp(line, MARK "\n") || !strcmp(line, OF_MEMORY "\n"))
		return true;
	line += strspn(line, " \t");
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(line, words[i], strlen(words[i])) &&
		    strchr(" \t", line[strlen(words[i])]))
			return true;
	return false;
}

/* Copies rules and remarks, and blank lines only if something follows. */
static int keep_rules(const char *path, FILE *to)
{
	FILE *from = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	unsigned int blanks = 0;
	bool any = false;
	ssize_t n;

	if (!from)
		return errno == ENOENT ? 0 : -1;
	while ((n = getline(&line, &size, from)) > 0) {
		if (is_setting(line))
			continue;
		if (line[strspn(line, " \t\n")] == '\0') {
			blanks++;
			continue;
		}
		for (; blanks; blanks--)
			fputc('\n', to);
		any = true;
		fprintf(to, "%s%s", line, line[n - 1] == '\n' ? "" : "\n");
	}
	free(line);
	fclose(from);
	if (any)
		fputc('\n', to);
	return 0;
}

/* The new file has the owner and the mode of the old one. */
static int like_old(int fd, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return fchmod(fd, 0644);
	/* only root may give a file away */
	if (fchown(fd, st.st_uid, st.st_gid) && errno != EPERM)
		return -1;
	return fchmod(fd, st.st_mode & 07777);
}

/* The kernel's tables may be longer than a file, or have names with blanks. */
static int try_file(const char *path)
{
	static struct smc_conf c;
	struct smc_conf_error err;

	if (!smc_conf_load(&c, path, &err))
		return EXIT_SUCCESS;
	fprintf(stderr, "smcr: no file can have these settings: %s\n", err.words);
	return EXIT_FAILURE;
}

/* Return: an exit status, or -1 with errno: the write has failed */
static int write_file(FILE *to, const char *path)
{
	int fd = fileno(to);
	int status;

	if (keep_rules(path, to))
		return -1;
	fputs(MARK "\n", to);
	status = put_settings(to, false);
	if (!status && (fflush(to) || like_old(fd, path) || fsync(fd)))
		status = -1;
	return status;
}

/* A reader sees the old file or the new one. */
static int save_to(const char *path)
{
	struct smc_replace r;
	int status;

	if (smc_replace_begin(&r, path))
		return cannot("write", path);
	status = smc_replace_end(&r, write_file(r.file, path) ?: try_file(r.new));
	return status < 0 ? cannot("write", path) : status;
}

static int save(const char *path)
{
	static struct smc_conf c;
	struct smc_conf_error err;
	char *real;
	int status;

	status = smc_conf_load(&c, path, &err);
	if (status && status != -ENOENT)
		return complain(path, &err);
	/* a symbolic link stays */
	real = status ? NULL : realpath(path, NULL);
	status = save_to(real ? real : path);
	free(real);
	return status;
}

int cmd_config(const struct options *o, int argc, char **argv)
{
	const char *word = argc ? argv[0] : "show";
	const char *path = argc > 1 ? argv[1] : SMC_CONF_PATH;

	if (argc > 2)
		wrong_usage(argv[2]);
	if (!strcmp(word, "check") || !strcmp(word, "apply"))
		return check_or_apply(path, !strcmp(word, "apply"));
	if (!strcmp(word, "save"))
		return save(path);
	if (strcmp(word, "show"))
		wrong_usage(word);
	if (argc > 1)
		wrong_usage(argv[1]);
	return put_settings(stdout, o->json);
}
