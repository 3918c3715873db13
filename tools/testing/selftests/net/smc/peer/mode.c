// SPDX-License-Identifier: GPL-2.0
/* Checks the mode of a connection, with the list of SMC sockets. */
#include "util.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "socket_list.h"

enum {
	STATE_ACTIVE	= 1,
	/* If the list lacks a value, ask so often, with a pause between. */
	TRIES		= 100,
	PAUSE_MS	= 20,
};

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

/*
 * The list lacks the values that need the lock of a socket if a worker of the
 * module keeps this lock for more than 10 ms, for example because its CPU does
 * not run. A socket in mode in-host then seems to be in mode SMC-R. Stock SMC
 * never lists these values.
 */
static bool lacks_group(const struct listed_socket *list, size_t len,
			const int *fds, size_t nr)
{
	const struct listed_socket *s;
	size_t i;

	if (cfg.own.mode != MODE_INHOST)
		return false;
	for (i = 0; i < nr; i++) {
		s = find(list, len, fds[i]);
		if (s->state == STATE_ACTIVE && !s->in_group &&
		    strcmp(listed_mode(s), mode_names[MODE_TCP]))
			return true;
	}
	return false;
}

void check_modes(const int *fds, size_t nr)
{
	struct listed_socket *list;
	size_t i, len;
	int tries = 0;
	int err;

	if (!family_is_smc(cfg.family) ||
	    (cfg.own.mode == MODE_ANY && !cfg.own.check_reason))
		return;
	for (;;) {
		list = NULL;
		len = 0;
		err = socket_list(&list, &len);
		if (err)
			fail("no socket list: %s", strerrorname(-err));
		if (++tries == TRIES || !lacks_group(list, len, fds, nr))
			break;
		free(list);
		sleep_ms(PAUSE_MS);
	}
	for (i = 0; i < nr; i++)
		judge(find(list, len, fds[i]));
	free(list);
}

void check_mode(int fd)
{
	check_modes(&fd, 1);
}
