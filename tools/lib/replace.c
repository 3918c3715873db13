// SPDX-License-Identifier: GPL-2.0
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int smc_replace_begin(struct smc_replace *r, const char *path)
{
	int fd;

	r->path = path;
	if (snprintf(r->new, sizeof(r->new), "%s.XXXXXX", path) >=
	    (int)sizeof(r->new)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(r->new, O_CLOEXEC);
	if (fd < 0)
		return -1;
	r->file = fdopen(fd, "w");
	if (r->file)
		return 0;
	close(fd);
	unlink(r->new);
	return -1;
}

static int flush(FILE *f)
{
	if (fflush(f))
		return -1;
	/* an earlier write has failed, and its data are lost */
	errno = EIO;
	return ferror(f) ? -1 : 0;
}

int smc_replace_end(struct smc_replace *r, int status)
{
	int err;

	if (!status)
		status = flush(r->file);
	err = errno;
	if (fclose(r->file) && !status) {
		status = -1;
		err = errno;
	}
	if (!status && rename(r->new, r->path)) {
		status = -1;
		err = errno;
	}
	if (status)
		unlink(r->new);
	errno = err;
	return status;
}
