// SPDX-License-Identifier: GPL-2.0
/* The server on the other host gets cases over its control port and runs its
 * end of them.
 */
#include "run.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util.h"

enum {
	BACKLOG = 128,
	CALL_TRIES = 50,
	CALL_PAUSE_MS = 100,
};

static const struct addrinfo hints = {
	.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST,
	.ai_socktype = SOCK_STREAM,
};

static int call_once(const char *port)
{
	struct addrinfo *ai;
	int one = 1;
	int fd;

	if (getaddrinfo(cfg.host, port, &hints, &ai))
		return -1;
	fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, ai->ai_addr, ai->ai_addrlen) < 0) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(ai);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

int call_server(const char *port)
{
	int i, fd = -1;

	for (i = 0; i < CALL_TRIES && fd < 0; i++) {
		if (i)
			sleep_ms(CALL_PAUSE_MS);
		fd = call_once(port);
	}
	return fd;
}

static bool read_case(char *name, size_t size)
{
	unsigned int mode[2], check[2], family[2];
	char case_name[64];
	const char *text;

	text = ctl_wait("CASE");
	if (sscanf(text, "%63s %u %u %u %u %lu %63s %u:%u:%u:%u %u:%u:%u:%u",
		   case_name, &family[0], &family[1], &cfg.div, &cfg.slow,
		   &cfg.bytes, cfg.host, &mode[0], &check[0], &cfg.own.reason,
		   &cfg.own.diagnosis, &mode[1], &check[1], &cfg.peer.reason,
		   &cfg.peer.diagnosis) != 15)
		return false;
	cfg.family = family[0];
	cfg.peer_family = family[1];
	cfg.own.mode = mode[0];
	cfg.peer.mode = mode[1];
	cfg.own.check_reason = check[0];
	cfg.peer.check_reason = check[1];
	snprintf(name, size, "%s", case_name);
	return family[0] < FAMILY_NR && family[1] < FAMILY_NR &&
	       mode[0] < MODE_NR && mode[1] < MODE_NR && cfg.div && cfg.slow;
}

/* Serves one control connection, in a process of its own. */
static void serve_case(int fd)
{
	const struct peer_case *c;
	struct end end = {};
	char text[400];
	char name[64];

	ctl_set(fd);
	if (!read_case(name, sizeof(name))) {
		ctl_send("FAIL server does not understand the request");
		return;
	}
	c = find_case(name);
	if (!c || !c->server) {
		ctl_send("FAIL server knows no case '%s'", name);
		return;
	}
	end_start(&end, c, dup(fd), true);
	ends_wait(&end, 1, case_limit_s(c));
	if (end_verdict(&end, text, sizeof(text)) == VERDICT_FAIL &&
	    !end.report->verdict)
		ctl_send("FAIL %s", text);
}

static int listen_on(const char *port)
{
	struct sockaddr_in6 any = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(atoi(port)),
	};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1, zero = 0;

	if (fd < 0)
		return -1;
	/* Calls inherit it. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (bind(fd, (struct sockaddr *)&any, sizeof(any)) < 0 ||
	    listen(fd, BACKLOG) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool told_to_stop(int fd)
{
	char word[4] = "";

	return recv(fd, word, sizeof(word), MSG_PEEK | MSG_WAITALL) == 4 &&
	       !memcmp(word, "QUIT", 4);
}

__attribute__((noreturn))
static void serve_calls(int lfd)
{
	int fd;

	for (;;) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		fd = accept4(lfd, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		if (told_to_stop(fd))
			exit(EXIT_SUCCESS);
		if (fork() == 0) {
			close(lfd);
			serve_case(fd);
			_exit(EXIT_SUCCESS);
		}
		close(fd);
	}
}

int serve(const char *port, bool background)
{
	int lfd = listen_on(port);
	int null;

	if (lfd < 0) {
		fprintf(stderr, "smc_peer: cannot listen on port %s: %s\n", port,
			strerror(errno));
		return EXIT_FAILURE;
	}
	if (background) {
		if (fork() > 0)
			return EXIT_SUCCESS;
		setsid();
		null = open("/dev/null", O_RDWR);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	}
	serve_calls(lfd);
}

int stop_server(const char *port)
{
	int fd = call_server(port);

	if (fd < 0)
		return EXIT_FAILURE;
	send(fd, "QUIT", 4, MSG_NOSIGNAL);
	close(fd);
	return EXIT_SUCCESS;
}
