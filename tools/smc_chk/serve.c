// SPDX-License-Identifier: GPL-2.0
/*
 * The server accepts one connection after the other, and sends the state of
 * each connection: "mode MODE reason REASON/PEER'S\n".
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"
#include "smc_chk.h"

enum {
	MORE_PORTS = 16,	/* ports to try beyond the default */
};

static int listener(int family, unsigned int port)
{
	struct sockaddr_storage addr = { .ss_family = family };
	const int on = 1;
	int fd;

	if (family == AF_INET6)
		((struct sockaddr_in6 *)&addr)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)&addr)->sin_port = htons(port);
	fd = chk_socket(family, true);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (!bind(fd, (struct sockaddr *)&addr, sizeof(addr)) &&
	    !listen(fd, 16))
		return fd;
	close(fd);
	return -1;
}

static void answer(int fd)
{
	struct smc_socket s = {};
	char line[CHK_LINE_BYTES];
	int err;

	if (recv(fd, line, strlen(CHK_HELLO), MSG_WAITALL) !=
	    (ssize_t)strlen(CHK_HELLO) ||
	    memcmp(line, CHK_HELLO, strlen(CHK_HELLO)))
		return;
	err = chk_find(fd, &s);
	if (err)
		snprintf(line, sizeof(line), "mode ?, because of: %s\n",
			 err == -ENOENT ? "smc_diag is not loaded there" :
					  strerror(-err));
	else
		snprintf(line, sizeof(line), "mode %s reason 0x%08x/0x%08x\n",
			 smc_mode_name(&s), s.fallback.reason,
			 s.fallback.peer_diagnosis);
	if (send(fd, line, strlen(line), MSG_NOSIGNAL) > 0)
		shutdown(fd, SHUT_WR);
	/*
	 * The peer closes first, so that it can inspect its socket until then.
	 */
	recv(fd, line, sizeof(line), 0);
}

/* Returns whether one of the two families listens at the port. */
static bool open_both(struct pollfd *p, unsigned int port)
{
	int err;

	p[0].fd = listener(AF_INET, port);
	err = p[0].fd < 0 ? errno : 0;
	/*
	 * another program uses the port, so the socket of the other family is
	 * useless
	 */
	p[1].fd = err == EADDRINUSE ? -1 : listener(AF_INET6, port);
	if (p[0].fd < 0 && p[1].fd < 0) {
		errno = err;
		return false;
	}
	return true;
}

int chk_serve(unsigned int port, bool any)
{
	struct pollfd p[2] = { { .events = POLLIN }, { .events = POLLIN } };
	unsigned int i, last = any ? port + MORE_PORTS : port;
	int fd;

	while (!open_both(p, port) && errno == EADDRINUSE && port < last)
		port++;
	if (p[0].fd < 0 && p[1].fd < 0) {
		fprintf(stderr, "smc_chk: cannot listen at port %u: %s\n",
			port, errno == EAFNOSUPPORT ?
			"the SMC module is not loaded: modprobe smc" : strerror(errno));
		return EXIT_FAILURE;
	}
	printf("smc_chk: waiting at port %u\n", port);
	fflush(stdout);
	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return EXIT_FAILURE;
		for (i = 0; i < 2; i++) {
			if (!(p[i].revents & POLLIN))
				continue;
			fd = accept(p[i].fd, NULL, NULL);
			if (fd < 0)
				continue;
			answer(fd);
			close(fd);
		}
	}
}
