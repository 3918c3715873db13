// SPDX-License-Identifier: GPL-2.0
/*
 * The first process of a lab host: runs commands for "lab exec".
 *
 * The agent talks to the lab's keeper over one byte stream (a serial line under
 * User Mode Linux, a virtio port under QEMU). The stream consists of frames:
 *
 *	u8 type, u8 0, u16 job, u32 length, then length bytes; little endian
 *
 * Many jobs run in parallel. The agent sends output of a job only as far as the
 * keeper allows (ACK frames), so that a slow reader does not block others. A
 * job ends with its first process. Background processes that it leaves behind
 * continue, and their output is dropped.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum frame_type {
	/* keeper to host */
	/* cwd, argc, argv..., environment...; each ends with NUL */
	FRAME_EXEC	= 1,
	FRAME_KILL	= 2,	/* u8 signal, to the job's process group */
	/* u32 number of output bytes that the reader has taken */
	FRAME_ACK	= 3,
	FRAME_POWEROFF	= 4,
	/* host to keeper */
	FRAME_HELLO	= 16,
	FRAME_OUT	= 17,
	FRAME_ERR	= 18,
	FRAME_EXIT	= 19,	/* u32 wait status */
};

enum {
	/* limit of jobs that run at the same time */
	MAX_JOBS	= 1024,
	MAX_FRAME	= 1 << 20,	/* longest command with environment */
	MAX_STRINGS	= 8192,		/* arguments and variables of one job */
	CHUNK		= 16384,	/* output bytes in one frame */
	/* limit of output bytes under way, per job */
	WINDOW		= 262144,
};

struct job {
	pid_t pid;
	/* stdout, stderr; -1 after the end of the output */
	int fd[2];
	uint32_t credit;
	int status;
	uint16_t id;
	uint8_t used;
	uint8_t exited;
};

static struct job jobs[MAX_JOBS];
/* outputs of processes that jobs have left behind */
static int leftover[2 * MAX_JOBS];
static int nleftover;
static int channel;
static uint8_t inbuf[MAX_FRAME + 8];
static size_t inlen;

static void die(const char *what)
{
	fprintf(stderr, "lab agent: %s: %s\n", what, strerror(errno));
	sync();
	reboot(RB_POWER_OFF);
	exit(1);
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = v;
	p[1] = v >> 8;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v);
	put16(p + 2, v >> 16);
}

static uint16_t get16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static void write_all(const uint8_t *p, size_t len)
{
	while (len) {
		ssize_t n = write(channel, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			struct pollfd pfd = { .fd = channel, .events = POLLOUT };

			poll(&pfd, 1, 1000);
			continue;
		}
		if (n <= 0)
			die("write to the keeper");
		p += n;
		len -= n;
	}
}

static void send_frame(uint8_t type, uint16_t id, const void *data, uint32_t len)
{
	uint8_t buf[8 + CHUNK] = { type };

	put16(buf + 2, id);
	put32(buf + 4, len);
	memcpy(buf + 8, data, len);
	write_all(buf, 8 + len);
}

static struct job *find_job(uint16_t id)
{
	int i;

	for (i = 0; i < MAX_JOBS; i++)
		if (jobs[i].used && jobs[i].id == id)
			return &jobs[i];
	return NULL;
}

static void refuse(uint16_t id, const char *why)
{
	uint8_t status[4];

	put32(status, 125 << 8);
	send_frame(FRAME_ERR, id, why, strlen(why));
	send_frame(FRAME_EXIT, id, status, sizeof(status));
}

/* Runs in the child: starts the command. Never returns. */
static void become(char **argv, char **envp, const char *cwd, int out, int err)
{
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	setsid();
	dup2(null, 0);
	dup2(out, 1);
	dup2(err, 2);
	close_range(3, ~0U, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (chdir(cwd) && chdir("/"))
		_exit(126);
	environ = envp;
	execvp(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void spawn(uint16_t id, char **argv, char **envp, const char *cwd)
{
	struct job *job = jobs;
	int out[2], err[2];

	while (job < jobs + MAX_JOBS && job->used)
		job++;
	if (job == jobs + MAX_JOBS)
		return refuse(id, "lab agent: too many commands at once\n");
	if (pipe2(out, O_CLOEXEC))
		return refuse(id, "lab agent: no pipe\n");
	if (pipe2(err, O_CLOEXEC)) {
		close(out[0]);
		close(out[1]);
		return refuse(id, "lab agent: no pipe\n");
	}
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);

	job->pid = fork();
	if (!job->pid)
		become(argv, envp, cwd, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	if (job->pid < 0) {
		close(out[0]);
		close(err[0]);
		return refuse(id, "lab agent: cannot fork\n");
	}
	job->id = id;
	job->fd[0] = out[0];
	job->fd[1] = err[0];
	job->credit = WINDOW;
	job->exited = 0;
	job->used = 1;
}

static void start_job(uint16_t id, char *data, uint32_t len)
{
	static char *strings[MAX_STRINGS + 2];
	unsigned int argc, n = 0, i;
	char *end = data + len;
	char *p;

	if (!len || end[-1])
		return refuse(id, "lab agent: malformed command\n");
	for (p = data; p < end && n < MAX_STRINGS; p += strlen(p) + 1)
		strings[n++] = p;
	argc = n > 2 ? strtoul(strings[1], NULL, 10) : 0;
	if (p < end || !argc || argc > n - 2)
		return refuse(id, "lab agent: malformed command\n");
	/* @strings is cwd, argc, argv..., envp...; put a NULL between argv and
	 * envp
	 */
	for (i = n; i > argc + 2; i--)
		strings[i] = strings[i - 1];
	strings[argc + 2] = NULL;
	strings[n + 1] = NULL;
	spawn(id, strings + 2, strings + argc + 3, strings[0]);
}

static void handle_frame(uint8_t type, uint16_t id, uint8_t *data, uint32_t len)
{
	struct job *job = find_job(id);

	switch (type) {
	case FRAME_EXEC:
		start_job(id, (char *)data, len);
		break;
	case FRAME_KILL:
		if (job && !job->exited && len == 1)
			kill(-job->pid, data[0]);
		break;
	case FRAME_ACK:
		if (job && len == 4)
			job->credit += get32(data);
		break;
	case FRAME_POWEROFF:
		sync();
		reboot(RB_POWER_OFF);
		break;
	}
}

static void read_channel(void)
{
	ssize_t n = read(channel, inbuf + inlen, sizeof(inbuf) - inlen);
	uint8_t *p = inbuf;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
		die("the keeper is gone");
	inlen += n;
	while (inlen >= 8) {
		uint32_t len = get32(p + 4);

		if (len > MAX_FRAME) {
			errno = EMSGSIZE;
			die("frame from the keeper");
		}
		if (inlen < 8 + len)
			break;
		handle_frame(p[0], get16(p + 2), p + 8, len);
		p += 8 + len;
		inlen -= 8 + len;
	}
	memmove(inbuf, p, inlen);
}

/* Passes on the bytes of one output. Returns 1 if no more bytes are available
 * now.
 */
static int forward(struct job *job, int which)
{
	static uint8_t buf[CHUNK];

	while (job->fd[which] >= 0) {
		size_t want = job->credit < CHUNK ? job->credit : CHUNK;
		ssize_t n;

		if (!want)
			return 0;
		n = read(job->fd[which], buf, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 1;
		if (n <= 0) {
			close(job->fd[which]);
			job->fd[which] = -1;
			return 1;
		}
		job->credit -= n;
		send_frame(which ? FRAME_ERR : FRAME_OUT, job->id, buf, n);
		if (!job->exited)
			/* let the other jobs send their output */
			return 1;
	}
	return 1;
}

static void set_aside(int fd)
{
	if (fd < 0)
		return;
	if (nleftover == 2 * MAX_JOBS)
		close(fd);
	else
		leftover[nleftover++] = fd;
}

static void finish_if_done(struct job *job)
{
	uint8_t status[4];

	/* Sends all output of a job before its exit status. */
	if (!job->exited || !forward(job, 0) || !forward(job, 1))
		return;
	put32(status, job->status);
	send_frame(FRAME_EXIT, job->id, status, sizeof(status));
	set_aside(job->fd[0]);
	set_aside(job->fd[1]);
	job->used = 0;
}

static void reap(void)
{
	int status, i;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < MAX_JOBS; i++) {
			if (!jobs[i].used || jobs[i].exited || jobs[i].pid != pid)
				continue;
			jobs[i].status = status;
			jobs[i].exited = 1;
			break;
		}
	}
}

static void drop_leftovers(void)
{
	static char sink[CHUNK];
	int i;

	for (i = 0; i < nleftover; i++) {
		ssize_t n = read(leftover[i], sink, sizeof(sink));

		if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
			continue;
		close(leftover[i]);
		leftover[i--] = leftover[--nleftover];
	}
}

static int fill_poll(struct pollfd *pfd, int sigfd)
{
	int n = 0, i, which;

	pfd[n++] = (struct pollfd){ .fd = channel, .events = POLLIN };
	pfd[n++] = (struct pollfd){ .fd = sigfd, .events = POLLIN };
	for (i = 0; i < MAX_JOBS; i++) {
		if (!jobs[i].used || !jobs[i].credit)
			continue;
		for (which = 0; which < 2; which++)
			if (jobs[i].fd[which] >= 0)
				pfd[n++] = (struct pollfd){
					.fd = jobs[i].fd[which],
					.events = POLLIN,
				};
	}
	for (i = 0; i < nleftover; i++)
		pfd[n++] = (struct pollfd){ .fd = leftover[i], .events = POLLIN };
	return n;
}

static void serve(int sigfd)
{
	static struct pollfd pfd[2 + 4 * MAX_JOBS];
	struct signalfd_siginfo info;
	int i;

	for (;;) {
		if (poll(pfd, fill_poll(pfd, sigfd), -1) < 0 && errno != EINTR)
			die("poll");
		if (pfd[1].revents && read(sigfd, &info, sizeof(info)) > 0)
			reap();
		if (pfd[0].revents)
			read_channel();
		for (i = 0; i < MAX_JOBS; i++) {
			if (!jobs[i].used)
				continue;
			forward(&jobs[i], 0);
			forward(&jobs[i], 1);
			finish_if_done(&jobs[i]);
		}
		drop_leftovers();
	}
}

static void open_channel(const char *path)
{
	struct termios tio;

	channel = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (channel < 0)
		die(path);
	if (isatty(channel)) {
		if (tcgetattr(channel, &tio))
			die("tcgetattr");
		cfmakeraw(&tio);
		if (tcsetattr(channel, TCSANOW, &tio))
			die("tcsetattr");
	}
}

int main(int argc, char **argv)
{
	sigset_t set;
	int sigfd;

	if (argc != 2) {
		fprintf(stderr, "usage: agent CHANNEL\n");
		return 2;
	}
	open_channel(argv[1]);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	sigfd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (sigfd < 0)
		die("signalfd");
	send_frame(FRAME_HELLO, 0, "", 0);
	serve(sigfd);
}
