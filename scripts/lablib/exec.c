// SPDX-License-Identifier: GPL-2.0
/*
 * "lab exec": runs a command on a host. Tests call it many thousand times, and
 * most commands run for a shorter time than Python needs to start.
 *
 *   exec [--name NAME] [--timeout SECONDS] HOST [--] COMMAND...
 *
 * frames.py describes the frames that the keeper sends.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define USAGE		2
#define TIMED_OUT	124
#define TROUBLE		125	/* the lab has failed, and not the command */

#define FRAME_HEAD	5	/* kind, length as a little-endian number */

struct options {
	const char *name;
	const char *timeout;
	const char *host;
	char **command;
};

static void __attribute__((noreturn, format(printf, 2, 3)))
die(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("lab: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(status);
}

static struct options parse(int argc, char **argv)
{
	static const struct option known[] = {
		{ "name", required_argument, NULL, 'n' },
		{ "timeout", required_argument, NULL, 't' },
		{ }
	};
	struct options options = { .name = "lab", .timeout = "600" };
	char *end;
	int c;

	/* "+": options behind the command belong to the command */
	while ((c = getopt_long(argc, argv, "+", known, NULL)) != -1) {
		if (c == 'n')
			options.name = optarg;
		else if (c == 't')
			options.timeout = optarg;
		else
			exit(USAGE);
	}
	if (!(strtod(options.timeout, &end) > 0) || *end)
		die(USAGE, "exec: not a number of seconds: %s", options.timeout);
	if (!strlen(options.name) || options.name[0] == '.' ||
	    strchr(options.name, '/'))
		die(TROUBLE, "not a name for a lab: '%s'", options.name);
	if (optind < argc)
		options.host = argv[optind++];
	if (optind < argc && !strcmp(argv[optind], "--"))
		optind++;
	if (optind >= argc)
		die(USAGE, "exec needs a host and a command");
	options.command = argv + optind;
	return options;
}

static int keeper(const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int len = snprintf(addr.sun_path, sizeof(addr.sun_path),
			   "/tmp/smc-lab-%u/%s/ctl", getuid(), name);

	if (sock < 0 || len >= (int)sizeof(addr.sun_path) ||
	    connect(sock, (struct sockaddr *)&addr, sizeof(addr)))
		die(TROUBLE, "no lab called %s is up", name);
	return sock;
}

/*
 * Writes the word as a JSON string. Bytes that are not UTF-8 stay as they are,
 * because the keeper accepts them.
 */
static void put_word(FILE *to, const char *word)
{
	fputc('"', to);
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			fprintf(to, "\\%c", *word);
		else if ((unsigned char)*word < ' ')
			fprintf(to, "\\u%04x", *word);
		else
			fputc(*word, to);
	}
	fputc('"', to);
}

static void ask(int sock, const struct options *options)
{
	FILE *to = fdopen(dup(sock), "w");
	char *cwd = getcwd(NULL, 0);
	char **word;

	if (!to || !cwd)
		die(TROUBLE, "%s", strerror(errno));
	fputs("{\"host\": ", to);
	put_word(to, options->host);
	fputs(", \"cwd\": ", to);
	put_word(to, cwd);
	fprintf(to, ", \"timeout\": %g, \"argv\": [", strtod(options->timeout, NULL));
	for (word = options->command; *word; word++) {
		if (word != options->command)
			fputs(", ", to);
		put_word(to, *word);
	}
	fputs("]}\n", to);
	if (fclose(to))
		die(TROUBLE, "the lab %s went down", options->name);
	free(cwd);
}

static bool fetch(int sock, void *to, size_t len)
{
	ssize_t n;

	for (; len; len -= n, to = (char *)to + n) {
		n = read(sock, to, len);
		if (n <= 0)
			return false;
	}
	return true;
}

static void pass_on(int fd, const char *data, size_t len)
{
	ssize_t n;

	for (; len; len -= n, data += n) {
		n = write(fd, data, len);
		if (n < 0)
			die(TROUBLE, "cannot write: %s", strerror(errno));
	}
}

/* Returns the command's exit status, or exits if the command has none. */
static int verdict(const char *answer, const struct options *options)
{
	int status;

	if (sscanf(answer, "{\"status\": %d}", &status) == 1)
		return status;
	if (strstr(answer, "\"timeout\""))
		die(TIMED_OUT, "%s: stopped after %s s", options->host,
		    options->timeout);
	die(TROUBLE, "%s", answer);
}

int main(int argc, char **argv)
{
	struct options options = parse(argc, argv);
	int sock = keeper(options.name);
	unsigned char head[FRAME_HEAD];
	size_t len;
	char *data;

	ask(sock, &options);
	while (fetch(sock, head, sizeof(head))) {
		len = head[1] | head[2] << 8 | head[3] << 16 |
		      (size_t)head[4] << 24;
		data = malloc(len + 1);
		if (!data)
			die(TROUBLE, "out of memory");
		if (!fetch(sock, data, len))
			break;
		data[len] = 0;
		if (head[0] == 'x')
			return verdict(data, &options);
		pass_on(head[0] == 'o' ? STDOUT_FILENO : STDERR_FILENO, data,
			len);
		free(data);
	}
	die(TROUBLE, "the lab %s went down", options.name);
}
