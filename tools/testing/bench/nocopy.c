// SPDX-License-Identifier: GPL-2.0
/*
 * Sends a bulk stream without a copy: sendfile() from a file in memory, or
 * send(MSG_ZEROCOPY) from a buffer. Nobody writes to the source after it has
 * its stamps, so the stream can repeat it before the kernel has finished with
 * it.
 */
#include <time.h>		/* linux/errqueue.h needs it first */
#include <errno.h>
#include <linux/errqueue.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "sockbench.h"

/**
 * nocopy_open() - prepare the source
 * @nc: set up
 * @from: how to send; nothing is done for SOURCE_BUFFER
 * @fd: the socket
 */
void nocopy_open(struct nocopy *nc, enum source from, int fd)
{
	uint64_t at;
	int one = 1;

	nc->source = from;
	if (from == SOURCE_BUFFER)
		return;
	nc->file = memfd_create("bench", MFD_CLOEXEC);
	if (nc->file < 0 || ftruncate(nc->file, SOURCE_SIZE))
		die("memfd: %s", strerror(errno));
	nc->mem = mmap(NULL, SOURCE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		       nc->file, 0);
	if (nc->mem == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	for (at = 0; at < SOURCE_SIZE; at += STAMP_EVERY)
		memcpy(nc->mem + at, &at, sizeof(at));
	if (from == SOURCE_ZEROCOPY &&
	    setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		die("SO_ZEROCOPY: %s", strerror(errno));
}

/**
 * nocopy_restart() - count sends and notices from 0
 * @nc: the source, which the kernel does not use
 */
void nocopy_restart(struct nocopy *nc)
{
	nc->sends = 0;
	nc->notices = 0;
	nc->copied = 0;
}

/* Takes one message of the error queue. Return: was there one? */
static bool reap(struct nocopy *nc, int fd)
{
	union {
		char buf[256];
		struct cmsghdr align;
	} control;
	struct msghdr msg = {
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct sock_extended_err *err;
	unsigned int n;

	if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) {
		if (errno != EAGAIN)
			die("error queue: %s", strerror(errno));
		return false;
	}
	if (!CMSG_FIRSTHDR(&msg))
		die("a notice without its numbers");
	err = (struct sock_extended_err *)CMSG_DATA(CMSG_FIRSTHDR(&msg));
	if (err->ee_origin != SO_EE_ORIGIN_ZEROCOPY)
		die("error queue: %s", strerror(err->ee_errno));
	n = err->ee_data - err->ee_info + 1;
	nc->notices += n;
	if (err->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		nc->copied += n;
	return true;
}

/* Waits for a notice. */
static void await_notice(struct nocopy *nc, int fd)
{
	struct pollfd p = { .fd = fd };

	while (!reap(nc, fd))
		if (poll(&p, 1, 10000) <= 0)
			die("no notice of MSG_ZEROCOPY");
}

/**
 * nocopy_send() - send the next bytes
 * @nc: the source
 * @fd: the socket
 * @pos: position of the stream, which determines the bytes
 * @len: most bytes
 *
 * Return: number of bytes sent. After an error it is -1, and errno is set.
 */
ssize_t nocopy_send(struct nocopy *nc, int fd, uint64_t pos, size_t len)
{
	size_t rest = STAMP_EVERY - pos % STAMP_EVERY;
	off_t at = pos % SOURCE_SIZE;
	ssize_t n;
	int err;

	/* The first bytes of a phase are the hello: sends whole pages after
	 * that, because a short rest would be copied.
	 */
	if (rest < STAMP_EVERY && len > rest)
		len = rest;
	if (len > SOURCE_SIZE - (size_t)at)
		len = SOURCE_SIZE - at;
	if (nc->source == SOURCE_FILE)
		return sendfile(fd, nc->file, &at, len);
	do {
		n = send(fd, nc->mem + at, len, MSG_NOSIGNAL | MSG_ZEROCOPY);
		/* too many notices wait in the error queue */
		if (n < 0 && errno == ENOBUFS)
			await_notice(nc, fd);
	} while (n < 0 && errno == ENOBUFS);
	if (n > 0)
		nc->sends++;
	err = errno;
	while (reap(nc, fd))
		;
	errno = err;
	return n;
}

/**
 * nocopy_settle() - wait until the kernel has finished with the source
 * @nc: the source
 * @fd: the socket
 */
void nocopy_settle(struct nocopy *nc, int fd)
{
	while (nc->notices < nc->sends)
		await_notice(nc, fd);
}
