// SPDX-License-Identifier: GPL-2.0
/* Checks the mode of a connection, with the list of SMC sockets. */
#include "util.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "socket_list.h"

static const char *const mode_names[MODE_NR] = {
	[MODE_SMCR] = "SMCR",
	[MODE_INHOST] = "in-host",
	[MODE_TCP] = "TCP",
};

static const struct listed_socket *find(const struct listed_socket *list,
					size_t nr, int fd)
{
	struct stat st;
	size_t i;

	OK(fstat(fd, &st));
	for (i = 0; i < nr; i++) {
		if (list[i].inode == st.st_ino)
			return &list[i];
	}
	fail("socket with inode %llu is not in the socket list",
	     (unsigned long long)st.st_ino);
}

static void judge(const struct listed_socket *s)
{
	const char *is = listed_mode(s);

	if (cfg.own.mode != MODE_ANY && strcmp(is, mode_names[cfg.own.mode]))
		fail("mode is %s, not %s (%08x/%08x, state %u)", is,
		     mode_names[cfg.own.mode], s->reason, s->diagnosis, s->state);
	if (cfg.own.check_reason && (s->reason != cfg.own.reason ||
				     s->diagnosis != cfg.own.diagnosis))
		fail("reason is %08x/%08x, not %08x/%08x", s->reason,
		     s->diagnosis, cfg.own.reason, cfg.own.diagnosis);
}

void check_modes(const int *fds, size_t nr)
{
	struct listed_socket *list = NULL;
	size_t i, len = 0;
	int err;

	if (!family_is_smc(cfg.family) ||
	    (cfg.own.mode == MODE_ANY && !cfg.own.check_reason))
		return;
	err = socket_list(&list, &len);
	if (err)
		fail("no socket list: %s", strerrorname(-err));
	for (i = 0; i < nr; i++)
		judge(find(list, len, fds[i]));
	free(list);
}

void check_mode(int fd)
{
	check_modes(&fd, 1);
}
