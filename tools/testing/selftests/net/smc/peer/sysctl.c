// SPDX-License-Identifier: GPL-2.0
/* Cases change settings below /proc/sys with these functions. */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util.h"

enum { VALUE_MAX = 128 };

static void put(const char *path, const char *value)
{
	int fd = OK(open(path, O_WRONLY | O_CLOEXEC));
	ssize_t len = strlen(value);

	RETURNS(len, write(fd, value, len));
	close(fd);
}

void setting_keep(struct setting *s, const char *path)
{
	char old[VALUE_MAX] = "";
	int fd = OK(open(path, O_RDONLY | O_CLOEXEC));
	int ends[2];
	char c;

	OK(read(fd, old, sizeof(old) - 1));
	close(fd);
	OK(pipe2(ends, O_CLOEXEC));
	s->path = path;
	s->pid = OK(fork());
	if (!s->pid) {
		close(ends[1]);
		while (read(ends[0], &c, 1) > 0)
			;
		put(path, old);
		_exit(0);
	}
	close(ends[0]);
	s->pipe = ends[1];
}

void setting_change(const struct setting *s, const char *value)
{
	put(s->path, value);
}

void setting_restore(struct setting *s)
{
	int status;

	close(s->pipe);
	RETURNS(s->pid, waitpid(s->pid, &status, 0));
	RETURNS(0, status);
}
