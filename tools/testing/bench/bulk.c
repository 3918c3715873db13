// SPDX-License-Identifier: GPL-2.0
/*
 * One stream, one direction. A bulk run has two or more phases on one
 * connection. A phase begins with a hello, which announces the number of bytes.
 * It ends with the server's answer, which has the number of received bytes. So
 * the connection is idle when the clock starts and when it stops, and the
 * measurement includes every byte.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "sockbench.h"

#define WARM_BYTES	(8u << 20)

struct stream {
	const struct opts *o;
	int fd;
	char *chunk;		/* the buffer, if the kernel copies */
	struct nocopy nocopy;
};

static void wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	if (poll(&p, 1, -1) < 0)
		die("poll: %s", strerror(errno));
}

/**
 * stream_open() - connect to the server
 * @o: options
 *
 * Return: nonblocking socket.
 */
int stream_open(const struct opts *o)
{
	struct sockaddr_storage ss;
	socklen_t len, elen;
	int fd, err = 0;

	len = family_addr(o->family, o->host, family_port(o->port, o->family),
			  &ss);
	fd = family_socket(o, o->family);
	if (fd < 0)
		die("socket: %s", strerror(-fd));
	if (connect(fd, (struct sockaddr *)&ss, len)) {
		if (errno != EINPROGRESS)
			die("connect: %s", strerror(errno));
		wait_for(fd, POLLOUT);
		elen = sizeof(err);
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &elen);
		if (err)
			die("connect: %s", strerror(err));
	}
	return fd;
}

/**
 * stream_stamp() - write the stream offset where the server checks it
 * @chunk: bytes to send
 * @len: their number
 * @pos: stream offset of the first one
 *
 * If a partial send has split such a stamp, the function writes only the rest
 * of the stamp.
 */
void stream_stamp(char *chunk, size_t len, uint64_t pos)
{
	uint64_t at = pos - pos % STAMP_EVERY;

	for (; at < pos + len; at += STAMP_EVERY) {
		size_t skip = at < pos ? pos - at : 0;
		size_t room = pos + len - at;

		if (!at || skip >= sizeof(at))
			continue;
		if (room > sizeof(at))
			room = sizeof(at);
		memcpy(chunk + (at + skip - pos), (char *)&at + skip,
		       room - skip);
	}
}

static ssize_t send_some(struct stream *s, uint64_t pos, size_t len)
{
	if (s->o->source != SOURCE_BUFFER)
		return nocopy_send(&s->nocopy, s->fd, pos, len);
	stream_stamp(s->chunk, len, pos);
	return send(s->fd, s->chunk, len, MSG_NOSIGNAL);
}

static void send_phase(struct stream *s, uint64_t total)
{
	uint64_t pos = sizeof(struct hello);
	size_t len;
	ssize_t n;

	while (pos < total) {
		len = s->o->write_size;
		if (len > total - pos)
			len = total - pos;
		n = send_some(s, pos, len);
		if (n > 0)
			pos += n;
		else if (n < 0 && errno == EAGAIN)
			wait_for(s->fd, POLLOUT);
		else
			die("send: %s", strerror(errno));
	}
}

static void phase(struct stream *s, uint64_t total)
{
	struct hello h = { .magic = HELLO_MAGIC, .kind = KIND_BULK,
			   .resp = sizeof(uint64_t), .total = total };
	int fd = s->fd;
	uint64_t answer;
	size_t got = 0;
	ssize_t n;

	if (s->o->source != SOURCE_BUFFER)
		h.req = SOURCE_SIZE;
	if (send(fd, &h, sizeof(h), MSG_NOSIGNAL) != sizeof(h))
		die("send hello: %s", strerror(errno));
	send_phase(s, total);
	nocopy_settle(&s->nocopy, fd);
	while (got < sizeof(answer)) {
		n = recv(fd, (char *)&answer + got, sizeof(answer) - got, 0);
		if (n > 0)
			got += n;
		else if (n < 0 && errno == EAGAIN)
			wait_for(fd, POLLIN);
		else
			die("the server ended the stream early");
	}
	if (answer != total)
		die("server got %llu of %llu bytes", (unsigned long long)answer,
		    (unsigned long long)total);
}

/* Checks that the bytes went over RDMA: there must be a packet for every 4096
 * bytes.
 */
static void require_packets(struct measure *m, uint64_t total)
{
	long long sent = counts_get(&m->cli, "rxe_sent_pkts");

	if (!family_is_smc(m->o->family) || m->o->inhost)
		return;
	if (sent < (long long)(total / 4096))
		die("only %lld RDMA packets for %llu bytes", sent,
		    (unsigned long long)total);
}

/**
 * run_bulk() - measure one stream to the server
 * @o: options; sends @o->bytes, or if that is 0, sends for about @o->secs
 */
void run_bulk(const struct opts *o)
{
	struct stream s = { .o = o, .chunk = zalloc(o->write_size) };
	uint64_t total = o->bytes, t0, ns;
	static struct measure m;

	measure_open(&m, o);
	set_watchdog(10 + 10 * (o->secs + o->warm), "bulk");
	s.fd = stream_open(o);
	nocopy_open(&s.nocopy, o->source, s.fd);
	t0 = now_ns();
	phase(&s, WARM_BYTES);
	ns = now_ns() - t0;
	if (o->warm > 0) {
		/* The rate of the first phase determines the size of the second
		 * phase, so the second phase starts warm. The rate of the
		 * second phase determines the size of the third.
		 */
		total = WARM_BYTES * (o->warm * 1e9 / ns);
		total = total < WARM_BYTES ? WARM_BYTES : total;
		t0 = now_ns();
		phase(&s, total);
		ns = now_ns() - t0;
		total = total * (o->secs * 1e9 / ns);
	}
	if (o->bytes || total < WARM_BYTES)
		total = o->bytes ? o->bytes : WARM_BYTES;
	if (o->source != SOURCE_BUFFER)
		total -= total % STAMP_EVERY;
	measure_modes(&m, 1);
	measure_begin(&m);
	nocopy_restart(&s.nocopy);
	phase(&s, total);
	measure_end(&m);
	measure_modes(&m, 1);
	require_packets(&m, total);
	printf("bench=bulk bytes=%llu write=%u rate=%.3f unit=MB/s",
	       (unsigned long long)total, o->write_size,
	       total / m.secs / 1e6);
	if (s.nocopy.sends)
		printf(" cli_zc_sends=%llu cli_zc_copied=%llu", s.nocopy.sends,
		       s.nocopy.copied);
	measure_print(&m, total / 65536);
	close(s.fd);
}
