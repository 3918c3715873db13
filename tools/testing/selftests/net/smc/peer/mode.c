// SPDX-License-Identifier: GPL-2.0
/* Does a connection travel as it is meant to? The socket list knows. */
#include "util.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "names.h"
#include "sockdiag.h"

static const char *const mode_names[MODE_NR] = {
	[MODE_SMCR] = "SMCR",
	[MODE_INHOST] = "in-host",
	[MODE_TCP] = "TCP",
};

static const struct smc_socket *find(const struct smc_socket *list, size_t nr,
				     int fd)
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

static void judge(const struct smc_socket *s)
{
	const char *is = smc_mode_name(s);
	char phrase[128];

	smc_reason_phrase(&s->fallback, phrase, sizeof(phrase));
	if (cfg.own.mode != MODE_ANY && strcmp(is, mode_names[cfg.own.mode]))
		fail("mode is %s, not %s (%08x/%08x %s, state %s)", is,
		     mode_names[cfg.own.mode], s->fallback.reason,
		     s->fallback.peer_diagnosis, phrase, smc_state_name(s->state));
	if (cfg.own.check_reason && (s->fallback.reason != cfg.own.reason ||
				     s->fallback.peer_diagnosis != cfg.own.diagnosis))
		fail("reason is %08x/%08x (%s), not %08x/%08x",
		     s->fallback.reason, s->fallback.peer_diagnosis, phrase,
		     cfg.own.reason, cfg.own.diagnosis);
}

void check_modes(const int *fds, size_t nr)
{
	struct smc_socket *list = NULL;
	size_t i, len = 0;
	int err;

	if (!family_is_smc(cfg.family) ||
	    (cfg.own.mode == MODE_ANY && !cfg.own.check_reason))
		return;
	err = smc_sockdiag_list(0, &list, &len);
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
