// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_ZEROCOPY: the notices on the error queue, and the life of the pages.
 * IORING_OP_SEND_ZC.
 */
#include <errno.h>
#include <linux/io_uring.h>
#include <time.h>
#include <linux/errqueue.h>
#include <linux/smc.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "groups.h"
#include "util.h"

enum {
	ROUNDS = 3,
	CHUNK = 20000,
	CHUNKS = 600,		/* more than any queue and element take */
	SMALL = 100,
	LARGE = 65536,
	WARM_UP = 128,		/* large sends until the element has grown */
	STEADY = 128,		/* large sends after that */
};

/* capabilities of the extension on the connection of this process */
static uint8_t ext_caps;

static void learn_caps(int fd)
{
	struct smc_info info = {};
	socklen_t len = sizeof(info);

	getsockopt(fd, SOL_SMC, SMC_INFO, &info, &len);
	ext_caps = info.ext_caps;
}

/*
 * The notice tells whether the kernel has copied. Within a host it does. Frames
 * contain copies of short data. By RFC 7609 the adapter reads from the pages.
 */
static void check_code(uint8_t code)
{
	if (!family_is_smc(cfg.family) || cfg.own.mode == MODE_TCP)
		return;
	if (cfg.own.mode == MODE_INHOST) {
		RETURNS(SO_EE_CODE_ZEROCOPY_COPIED, code);
		return;
	}
	if (cfg.own.mode == MODE_SMCR && !ext_caps)
		RETURNS(0, code);
}

static uint32_t n_copied;	/* sends whose notices say "copied" */

/*
 * Takes one notice. Its control message has a range of sends. Return: the
 * number of the last send; @first: output, the number of the first one.
 */
static uint32_t take_range(int fd, uint32_t *first)
{
	char control[200];
	struct msghdr msg = { .msg_control = control,
			      .msg_controllen = sizeof(control) };
	const struct sock_extended_err *err;
	const struct cmsghdr *c;
	bool v6 = family_is_v6(cfg.family);

	RETURNS(0, recvmsg(fd, &msg, MSG_ERRQUEUE));
	CHECK(msg.msg_flags & MSG_ERRQUEUE, "no MSG_ERRQUEUE");
	c = CMSG_FIRSTHDR(&msg);
	CHECK(c, "no control message");
	RETURNS(v6 ? SOL_IPV6 : SOL_IP, c->cmsg_level);
	RETURNS(v6 ? IPV6_RECVERR : IP_RECVERR, c->cmsg_type);
	err = (const void *)CMSG_DATA(c);
	RETURNS(SO_EE_ORIGIN_ZEROCOPY, err->ee_origin);
	RETURNS(0, err->ee_errno);
	*first = err->ee_info;
	CHECK(err->ee_data >= *first, "ends at send %u", err->ee_data);
	check_code(err->ee_code);
	if (err->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		n_copied += err->ee_data - *first + 1;
	return err->ee_data;
}

/* Does the same. The range must begin at @first. */
static uint32_t take_notice(int fd, uint32_t first)
{
	uint32_t begins, last = take_range(fd, &begins);

	RETURNS(first, begins);
	return last;
}

/*
 * Waits until notices have come for @sends sends, and no more. They have come
 * for @noticed sends before.
 */
static void await_notices(int fd, uint32_t noticed, uint32_t sends)
{
	while (noticed < sends) {
		AWAIT(fd, POLLERR);
		/* a notice is not an error of the socket */
		RETURNS(0, get_int(fd, SOL_SOCKET, SO_ERROR));
		noticed = take_notice(fd, noticed) + 1;
	}
	RETURNS(sends, noticed);
}

/*
 * Sends a chunk from memory that nothing changes before the notice. Return: how
 * many calls have sent bytes.
 */
static uint32_t send_noticed(int fd, struct stream *s)
{
	static char memory[1 + ROUNDS][CHUNK];
	char *buf = memory[s->pos / CHUNK];
	size_t done = 0;
	uint32_t calls;

	stream_fill(s, buf, CHUNK);
	for (calls = 0; done < CHUNK; calls++)
		done += OK(send(fd, buf + done, CHUNK - done, MSG_ZEROCOPY));
	return calls;
}

/* Before Linux 6.7 the kernel allows the option only for TCP. */
static bool has_option(int fd)
{
	int on = 1;

	learn_caps(fd);
	if (!setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		return true;
	CHECK(errno == EOPNOTSUPP && family_is_smc(cfg.family),
	      "SO_ZEROCOPY: %s", strerrorname(errno));
	note("this kernel allows SO_ZEROCOPY only for TCP");
	return false;
}

static void zerocopy_client(void)
{
	uint32_t sends = 0;
	int fd = meet(), i, odd = 2;
	struct stream s;

	stream_init(&s, 0);
	/* without the option the flag has no effect */
	send_noticed(fd, &s);
	FAILS(EAGAIN, recv(fd, &i, sizeof(i), MSG_ERRQUEUE));
	ctl_send_u64("ROUNDS", has_option(fd) ? 1 + ROUNDS : 1);
	if (!get_int(fd, SOL_SOCKET, SO_ZEROCOPY))
		goto out;
	FAILS(EINVAL, setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &odd,
				 sizeof(odd)));
	RETURNS(0, send(fd, "", 0, MSG_ZEROCOPY));
	for (i = 0; i < ROUNDS; i++)
		sends += send_noticed(fd, &s);
	await_notices(fd, 0, sends);
	FAILS(EAGAIN, recv(fd, &i, sizeof(i), MSG_ERRQUEUE));
	RETURNS(0, poll_ms(fd, 0, 0));
	/* a notice that nobody reads is freed with the socket */
	send(fd, "x", 1, MSG_ZEROCOPY);
out:
	ctl_sync("SENT");
	close(fd);
}

static void zerocopy_server(void)
{
	int fd = meet();
	struct stream s;

	stream_init(&s, 0);
	recv_stream(fd, &s, CHUNK * ctl_wait_u64("ROUNDS"), CHUNK);
	ctl_sync("SENT");
	close(fd);
}

/* Accepted sockets have the option of their listener. */
static void inherits_client(void)
{
	int fd = meet_with(NULL);

	await_bytes(fd, 5);
	expect_text(fd, "hello", 0);
	ctl_sync("SEEN");
	close(fd);
}

static void ask_for_notices(int fd)
{
	has_option(fd);
}

static void inherits_server(void)
{
	int fd = meet_with(ask_for_notices);

	learn_caps(fd);
	RETURNS(5, send(fd, "hello", 5, MSG_ZEROCOPY));
	if (get_int(fd, SOL_SOCKET, SO_ZEROCOPY)) {
		AWAIT(fd, POLLERR);
		RETURNS(0, take_notice(fd, 0));
	}
	ctl_sync("SEEN");
	close(fd);
}

/* ---- the life of the pages ---- */

static char *map_bytes(size_t bytes)
{
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED, "mmap: %s", strerrorname(errno));
	return memory;
}

static char *map_chunks(void)
{
	return map_bytes((size_t)CHUNKS * CHUNK);
}

/*
 * Sends chunks, each from memory of its own, until there is no room. Stores the
 * end of the bytes of each call in @ends. Return: number of calls that have
 * sent bytes.
 */
static uint32_t fill_noticed(int fd, char *memory, uint64_t *ends,
			     struct stream *s)
{
	uint64_t done = 0;
	uint32_t calls;
	ssize_t n;

	set_nonblock(fd, true);
	stream_fill(s, memory, (size_t)CHUNKS * CHUNK);
	for (calls = 0; calls < CHUNKS; calls++) {
		n = send(fd, memory + done, CHUNK, MSG_ZEROCOPY);
		/* ENOBUFS: RLIMIT_MEMLOCK */
		if (n < 0 && (errno == EAGAIN || errno == ENOBUFS))
			break;
		done += OK(n);
		ends[calls] = done;
	}
	set_nonblock(fd, false);
	CHECK(calls, "no room at all");
	return calls;
}

/*
 * Takes one notice and destroys the memory of its sends at once. Return: number
 * of sends whose notices have come.
 */
static uint32_t use_some(int fd, char *memory, const uint64_t *ends,
			 uint32_t noticed)
{
	uint64_t begin = noticed ? ends[noticed - 1] : 0;

	noticed = take_notice(fd, noticed) + 1;
	CHECK(noticed <= CHUNKS, "notice of send %u", noticed);
	memset(memory + begin, 0xee, ends[noticed - 1] - begin);
	return noticed;
}

/* Does the same until the notice of send @sends has come. */
static void use_again(int fd, char *memory, const uint64_t *ends,
		      uint32_t noticed, uint32_t sends)
{
	while (noticed < sends) {
		AWAIT(fd, POLLERR);
		noticed = use_some(fd, memory, ends, noticed);
		CHECK(noticed <= sends, "notice of send %u", noticed);
	}
}

/*
 * The peer does not read, so its element is full and the rest stays in the
 * pages of the application: their notices must wait. The peer checks the bytes.
 */
static void waits_client(void)
{
	static uint64_t ends[CHUNKS];
	int fd = meet(), i;
	char *memory = map_chunks();
	struct stream s;
	uint32_t sends, noticed = 0;

	stream_init(&s, 0);
	if (!has_option(fd)) {
		ctl_send_u64("BYTES", 0);
		goto out;
	}
	sends = fill_noticed(fd, memory, ends, &s);
	sleep_ms(quiet(300));
	while (poll_ms(fd, 0, 0) & POLLERR)
		noticed = use_some(fd, memory, ends, noticed);
	/* within a host the bytes are copied */
	if (family_is_smc(cfg.family) && cfg.own.mode != MODE_TCP &&
	    cfg.own.mode != MODE_INHOST)
		CHECK(noticed < sends && outq(fd) > 0,
		      "%u notices, but the peer does not read", noticed);
	ctl_send_u64("BYTES", ends[sends - 1]);
	use_again(fd, memory, ends, noticed, sends);
	FAILS(EAGAIN, recv(fd, &i, sizeof(i), MSG_ERRQUEUE));
out:
	ctl_sync("SENT");
	close(fd);
	munmap(memory, (size_t)CHUNKS * CHUNK);
}

/*
 * Sends of few bytes while the peer does not read: the send buffer limits them,
 * not the memory for notices.
 */
static void small_client(void)
{
	const uint64_t most = (uint64_t)CHUNKS * CHUNK;
	int fd = meet();
	char *memory = map_chunks();
	uint32_t sends = 0;
	uint64_t bytes = 0;
	struct stream s;
	ssize_t n = 0;

	stream_init(&s, 0);
	if (!has_option(fd))
		goto out;
	stream_fill(&s, memory, most);
	set_nonblock(fd, true);
	for (; bytes + SMALL <= most; sends++, bytes += n) {
		n = send(fd, memory + bytes, SMALL, MSG_ZEROCOPY);
		if (n < 0)
			break;
	}
	CHECK(n > 0 || errno == EAGAIN, "send %u: %s", sends,
	      strerrorname(errno));
	set_nonblock(fd, false);
	note("%u sends wait", sends);
out:
	ctl_send_u64("BYTES", bytes);
	await_notices(fd, 0, sends);
	ctl_sync("SENT");
	close(fd);
	munmap(memory, most);
}

static uint32_t n_calls;	/* calls that have sent bytes */

/*
 * Sends @n large pieces. Notices have come for @noticed calls. Return: the same
 * afterwards.
 */
static uint32_t pour_noticed(int fd, char *memory, uint32_t n, uint32_t noticed)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		size_t done = 0;

		for (; done < LARGE; n_calls++)
			done += OK(send(fd, memory + (size_t)i * LARGE + done,
					LARGE - done, MSG_ZEROCOPY));
		while (poll_ms(fd, 0, 0) & POLLERR)
			noticed = take_notice(fd, noticed) + 1;
	}
	return noticed;
}

/*
 * In a long stream the adapter reads from the pages of the application, also
 * the last bytes of each window. One copied page marks the notices of all sends
 * that share a notice.
 */
static void stream_client(void)
{
	const size_t most = (size_t)(WARM_UP + STEADY) * LARGE;
	uint32_t noticed, before, sends;
	char *memory = map_bytes(most);
	int fd = meet();
	struct stream s;

	stream_init(&s, 0);
	ctl_send_u64("BYTES", has_option(fd) ? most : 0);
	if (!get_int(fd, SOL_SOCKET, SO_ZEROCOPY))
		goto out;
	stream_fill(&s, memory, most);
	n_calls = 0;
	noticed = pour_noticed(fd, memory, WARM_UP, 0);
	await_notices(fd, noticed, n_calls);
	before = n_copied;
	sends = n_calls;
	noticed = pour_noticed(fd, memory + (size_t)WARM_UP * LARGE, STEADY,
			       sends);
	await_notices(fd, noticed, n_calls);
	sends = n_calls - sends;
	note("%u of %u sends were copied", n_copied - before, sends);
	if (cfg.own.mode == MODE_SMCR)
		CHECK(4 * (n_copied - before) <= sends,
		      "%u of %u sends were copied", n_copied - before, sends);
out:
	ctl_sync("SENT");
	close(fd);
	munmap(memory, most);
}

/* Reads and checks what the client announces. */
static void reads_server(void)
{
	int fd = meet();
	struct stream s;

	stream_init(&s, 0);
	recv_stream(fd, &s, ctl_wait_u64("BYTES"), CHUNK);
	ctl_sync("SENT");
	close(fd);
}

/*
 * The pages outlive the socket and the mapping, until the peer has the bytes.
 */
static void closes_client(void)
{
	static uint64_t ends[CHUNKS];
	int fd = meet();
	char *memory = map_chunks();
	struct stream s;
	uint64_t bytes = 0;

	stream_init(&s, 0);
	if (has_option(fd))
		bytes = ends[fill_noticed(fd, memory, ends, &s) - 1];
	close(fd);
	munmap(memory, (size_t)CHUNKS * CHUNK);
	/* if the pages were free, this memory would take their place */
	memory = map_chunks();
	memset(memory, 0xee, (size_t)CHUNKS * CHUNK);
	ctl_send_u64("BYTES", bytes);
	ctl_sync("SENT");
	munmap(memory, (size_t)CHUNKS * CHUNK);
}

/*
 * Takes one notice. @noticed: number of sends before. Return: number of sends
 * whose notices have come. TCP gives them in any order after a reset.
 */
static uint32_t count_some(int fd, uint32_t noticed)
{
	uint32_t first, last = take_range(fd, &first);

	if (family_is_smc(cfg.family) && cfg.own.mode != MODE_TCP)
		RETURNS(noticed, first);
	return noticed + last - first + 1;
}

/* After a reset all notices come, although the bytes are not delivered. */
static void reset_client(void)
{
	static uint64_t ends[CHUNKS];
	int fd = meet(), i;
	char *memory = map_chunks();
	struct stream s;
	uint32_t sends = 0, noticed = 0;

	stream_init(&s, 0);
	if (has_option(fd))
		sends = fill_noticed(fd, memory, ends, &s);
	ctl_sync("SENT");
	/* a notice that came before the reset makes poll() return, too */
	while (!(AWAIT(fd, POLLHUP | POLLERR) & POLLHUP))
		noticed = count_some(fd, noticed);
	RETURNS(ECONNRESET, get_int(fd, SOL_SOCKET, SO_ERROR));
	while (noticed < sends) {
		AWAIT(fd, POLLERR);
		noticed = count_some(fd, noticed);
	}
	RETURNS(sends, noticed);
	FAILS(EAGAIN, recv(fd, &i, sizeof(i), MSG_ERRQUEUE));
	close(fd);
	munmap(memory, (size_t)CHUNKS * CHUNK);
}

static void reset_server(void)
{
	struct linger now = { .l_onoff = 1 };
	int fd = meet();

	ctl_sync("SENT");
	OK(setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)));
	close(fd);
}

/* A process that is killed leaves its pages to the connection. */
static void dies_client(void)
{
	static uint64_t ends[CHUNKS];
	int fd = meet(), pid, end[2];
	struct stream s;
	uint64_t bytes = 0;

	stream_init(&s, 0);
	if (!has_option(fd)) {
		ctl_send_u64("BYTES", 0);
		ctl_sync("SENT");
		close(fd);
		return;
	}
	OK(pipe(end));
	pid = OK(fork());
	if (!pid) {
		bytes = ends[fill_noticed(fd, map_chunks(), ends, &s) - 1];
		RETURNS(sizeof(bytes), write(end[1], &bytes, sizeof(bytes)));
		_exit(0);
	}
	RETURNS(sizeof(bytes), read(end[0], &bytes, sizeof(bytes)));
	RETURNS(0, child_wait(pid));
	close(end[0]);
	close(end[1]);
	close(fd);
	ctl_send_u64("BYTES", bytes);
	ctl_sync("SENT");
}

/* The part of an io_uring that one request at a time needs. */
struct ring {
	int fd;
	char *rings;
	struct io_uring_params p;
	struct io_uring_sqe *sqes;
};

static void ring_open(struct ring *r)
{
	size_t bytes;
	void *mem;

	memset(r, 0, sizeof(*r));
	r->fd = OK(syscall(__NR_io_uring_setup, 4, &r->p));
	CHECK(r->p.features & IORING_FEAT_SINGLE_MMAP, "two mappings");
	bytes = r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe);
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		   IORING_OFF_SQ_RING);
	CHECK(mem != MAP_FAILED, "ring: %s", strerrorname(errno));
	r->rings = mem;
	mem = mmap(NULL, r->p.sq_entries * sizeof(*r->sqes),
		   PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, IORING_OFF_SQES);
	CHECK(mem != MAP_FAILED, "requests: %s", strerrorname(errno));
	r->sqes = mem;
}

static uint32_t *ring_word(const struct ring *r, uint32_t offset)
{
	return (uint32_t *)(r->rings + offset);
}

static void ring_submit(struct ring *r, const struct io_uring_sqe *sqe)
{
	uint32_t *tail = ring_word(r, r->p.sq_off.tail);
	uint32_t slot = *tail & (r->p.sq_entries - 1);

	r->sqes[slot] = *sqe;
	ring_word(r, r->p.sq_off.array)[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	RETURNS(1, syscall(__NR_io_uring_enter, r->fd, 1, 0, 0, NULL, 0));
}

/* Waits for one result. Return: its flags. */
static uint32_t ring_wait(struct ring *r, int *res)
{
	uint32_t *head = ring_word(r, r->p.cq_off.head);
	struct io_uring_cqe *cqe = (void *)(r->rings + r->p.cq_off.cqes);
	uint32_t flags;

	while (__atomic_load_n(ring_word(r, r->p.cq_off.tail),
			       __ATOMIC_ACQUIRE) == *head)
		OK(syscall(__NR_io_uring_enter, r->fd, 0, 1,
			   IORING_ENTER_GETEVENTS, NULL, 0));
	cqe += *head & (r->p.cq_entries - 1);
	*res = cqe->res;
	flags = cqe->flags;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return flags;
}

static void send_zc_client(void)
{
	static char memory[CHUNK];
	struct io_uring_sqe sqe = { .opcode = IORING_OP_SEND_ZC,
				    .addr = (uintptr_t)memory };
	int fd = meet(), done = 0, res;
	struct ring ring;
	struct stream s;
	uint32_t flags;

	stream_init(&s, 0);
	stream_fill(&s, memory, CHUNK);
	ring_open(&ring);
	sqe.fd = fd;
	while (done < CHUNK) {
		sqe.addr = (uintptr_t)(memory + done);
		sqe.len = CHUNK - done;
		ring_submit(&ring, &sqe);
		flags = ring_wait(&ring, &res);
		CHECK(res > 0, "SEND_ZC: %s", strerrorname(-res));
		CHECK(flags & IORING_CQE_F_MORE, "no notice will come");
		done += res;
		/* the memory is free again */
		flags = ring_wait(&ring, &res);
		CHECK(flags & IORING_CQE_F_NOTIF, "no notice");
	}
	FAILS(EAGAIN, recv(fd, &done, 1, MSG_ERRQUEUE));
	ctl_sync("SENT");
	close(ring.fd);
	close(fd);
}

static void send_zc_server(void)
{
	int fd = meet();
	struct stream s;

	stream_init(&s, 0);
	recv_stream(fd, &s, CHUNK, CHUNK);
	ctl_sync("SENT");
	close(fd);
}

/* The commands of io_uring for queue lengths, newer than some headers. */
enum {
	OP_URING_CMD	= 46,
	CMD_SIOCINQ	= 0,
	CMD_SIOCOUTQ	= 1,
};

/* Returns the value of the command, or a negative errno. */
static int ring_ask(struct ring *r, int fd, uint32_t cmd)
{
	struct io_uring_sqe sqe = { .opcode = OP_URING_CMD, .fd = fd, .off = cmd };
	int res;

	ring_submit(r, &sqe);
	ring_wait(r, &res);
	return res;
}

static void ask_client(void)
{
	int fd = meet();

	send_all(fd, "hello", 5);
	ctl_sync("SENT");
	close(fd);
}

/* Checks that io_uring can ask for the lengths of queues, as ioctl() can. */
static void ask_server(void)
{
	int fd = meet(), tcp = new_socket_of(FAMILY_TCP, 0);
	struct ring ring;
	char buf[5];

	ring_open(&ring);
	ctl_sync("SENT");
	AWAIT(fd, POLLIN);
	if (ring_ask(&ring, tcp, CMD_SIOCINQ) < 0)
		skip_case("this kernel has no such commands");
	RETURNS(5, ring_ask(&ring, fd, CMD_SIOCINQ));
	RETURNS(0, ring_ask(&ring, fd, CMD_SIOCOUTQ));
	recv_all(fd, buf, 5);
	RETURNS(0, ring_ask(&ring, fd, CMD_SIOCINQ));
	close(ring.fd);
	close(tcp);
	close(fd);
}

/* Checks that after connect(AF_UNSPEC) poll() still reports an earlier
 * notice.
 */
static void disconnected_client(void)
{
	struct sockaddr_storage any = { .ss_family = AF_UNSPEC };
	int fd = meet();
	struct stream s;
	bool has = has_option(fd);

	stream_init(&s, 0);
	if (has)
		send_noticed(fd, &s);
	/* without a reader the window may be smaller than the bytes */
	ctl_send_u64("BYTES", s.pos);
	if (has)
		AWAIT(fd, POLLERR);
	ctl_sync("SENT");
	OK(connect(fd, (struct sockaddr *)&any, sizeof(any)));
	get_int(fd, SOL_SOCKET, SO_ERROR);
	RETURNS(has ? POLLERR : 0, poll_ms(fd, POLLIN, 0) & POLLERR);
	if (has)
		take_notice(fd, 0);
	FAILS(EAGAIN, recv(fd, &has, 1, MSG_ERRQUEUE));
	RETURNS(0, poll_ms(fd, POLLIN, 0) & POLLERR);
	close(fd);
}

static const struct peer_case zerocopy_cases[] = {
	{ "notices", zerocopy_client, zerocopy_server },
	{ "inherited_notices", inherits_client, inherits_server },
	{ "notice_after_disconnect", disconnected_client, reads_server },
	{ "notice_waits_for_delivery", waits_client, reads_server },
	{ "small_sends_with_notices", small_client, reads_server },
	{ "notices_of_a_stream", stream_client, reads_server },
	{ "notice_after_reset", reset_client, reset_server },
	{ "lent_pages_outlive_close", closes_client, reads_server },
	{ "lent_pages_outlive_process", dies_client, reads_server },
	{ "io_uring_send_zc", send_zc_client, send_zc_server },
	{ "io_uring_queue_lengths", ask_client, ask_server },
};

CASE_GROUP(group_zerocopy, zerocopy);
