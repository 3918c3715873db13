// SPDX-License-Identifier: GPL-2.0
#include "thread_sleeps.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In this file of procfs the name is in brackets, and the state follows it. */
bool thread_sleeps(int tid)
{
	char path[64], text[200];
	char *at = NULL;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n > 0) {
		text[n] = 0;
		at = strrchr(text, ')');
	}
	return at && at[1] && at[2] == 'S';
}
