/* SPDX-License-Identifier: GPL-2.0 */
/* Tools for cases: time, the pattern of streams, sockets, waiting. */
#ifndef SMC_PEER_UTIL_H
#define SMC_PEER_UTIL_H

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>

#include "peer.h"

/* ---- util.c ---- */

uint64_t now_ms(void);
void sleep_ms(unsigned int ms);
/* Returns a time limit, scaled to the speed of this machine. */
int patience(int ms);
/* A timer of 200 ms may end that early. The kernel measures it in ticks, and
 * ticks lag behind the clock while the virtual processor that counts them does
 * not run.
 */
#define EARLIEST_MS 100
/* How long to wait before a missing event counts as absent. */
int quiet(int ms);
/* Returns @n scaled down to the speed of this machine, but at least @least. */
uint64_t scaled(uint64_t n, uint64_t least);
/* Returns pseudo-random numbers, which are the same in every run. */
uint64_t random_below(uint64_t *state, uint64_t below);

/* Is the running kernel older than this version? */
bool kernel_before(int major, int minor);

/* Returns a counter of /proc/net/smc_mib; the names and values of a line. */
uint64_t smc_counter(const char *name);

/* Returns the events of @fd within the time, or 0. */
int poll_ms(int fd, short events, int ms);
/* Waits for one of @events, at most patience(@ms); returns the events. */
int await(int fd, short events, int ms);
#define AWAIT(fd, events)						\
	({								\
		step_at(__FILE__, __LINE__);				\
		await(fd, events, 5000);				\
	})
/* Waits until @fd has @n bytes to read, at most patience. */
void await_bytes(int fd, int n);
void set_nonblock(int fd, bool on);
void set_int(int fd, int level, int name, int value);
int get_int(int fd, int level, int name);
int inq(int fd);
int outq(int fd);

/* A thread that returns a result. task_join() waits for the thread for at most
 * patience.
 */
struct task {
	pthread_t thread;
	int (*fn)(void *arg);
	void *arg;
	int result;
	int err;		/* errno after fn */
	int tid;		/* 0 before the thread runs */
	volatile bool over;
};

void task_start(struct task *t, int (*fn)(void *arg), void *arg);
int task_join(struct task *t);
/* Waits for a thread that may take as long as the case. */
int task_end(struct task *t);
/* Waits until the thread sleeps in a system call, and checks that it is still
 * there after @ms.
 */
void task_blocked(struct task *t, int ms);
/* Starts a child process that runs @fn and exits with its result. */
int child_start(int (*fn)(void *arg), void *arg);
/* Waits for a child. Returns its exit status, or -signal if it was killed. */
int child_wait(int pid);

/* ---- sysctl.c ---- */

/*
 * Changes a setting of this host until setting_restore() or any end of this
 * process. A child process restores the setting at the end. Call this function
 * before you open sockets.
 */
struct setting {
	const char *path;
	int pipe;
	int pid;
};

void setting_keep(struct setting *s, const char *path);
void setting_change(const struct setting *s, const char *value);
void setting_restore(struct setting *s);

/* ---- pattern.c ---- */

/* A stream in which every position has its own content. */
struct stream {
	uint64_t seed;
	uint64_t pos;
};

void stream_init(struct stream *s, unsigned int id);
void stream_fill(struct stream *s, void *buf, size_t len);
/* Fails with the kind of error: lost, repeated, or foreign data. */
void stream_check(struct stream *s, const void *buf, size_t len);

/* ---- link.c: sockets of the family under test ---- */

enum {
	PROTOCOL_SMC = 256,	/* IPPROTO_SMC of newer <linux/in.h> */
};

/* Domain of the addresses, and domain and protocol of socket(). */
int family_domain(enum family f);
int socket_domain(enum family f);
int socket_protocol(enum family f);
bool family_is_smc(enum family f);
bool family_is_v6(enum family f);
int new_socket(int type_flags);
int new_socket_of(enum family f, int type_flags);
/* Opens a listening socket on a port that the kernel chooses. */
int new_listener(int backlog, uint16_t *port);
socklen_t server_addr(uint16_t port, struct sockaddr_storage *ss);
int connect_fd(int fd, uint16_t port);
/* connect() and accept(), blocking; both check the mode. */
int connect_to(uint16_t port);
int accept_from(int lfd);
/* For task_start(): accept() on the listener at @lfd. */
int accept_task(void *lfd);
/* Returns a socket that is bound to the given address, or to the loopback
 * address, and does not listen.
 */
void bind_any(int fd, uint16_t port);
uint16_t local_port(int fd);

/* Opens one connection between both ends, as most cases do at their start. */
int meet(void);
/* meet() with a hook that prepares the listener and the client socket first. */
int meet_with(void (*prepare)(int fd));
/* A whole case: opens a connection and closes it after the word OVER. */
void wait_for_over(void);

/* ---- mode.c ---- */

/* Fails unless the connection has the mode that --expect-mode names. */
void check_mode(int fd);
void check_modes(const int *fds, size_t nr);

/* ---- io.c: moving whole amounts ---- */

void send_all(int fd, const void *buf, size_t len);
void recv_all(int fd, void *buf, size_t len);
void send_stream(int fd, struct stream *s, uint64_t bytes, size_t chunk);
void recv_stream(int fd, struct stream *s, uint64_t bytes, size_t chunk);
/* Receives up to the end of the stream; returns the number of bytes. */
uint64_t recv_to_end(int fd, struct stream *s);
void expect_end(int fd);

/* One recv() must return exactly @text. */
void expect_text(int fd, const char *text, int flags);
/* recv() must fail with @err, within patience. */
void expect_recv_error(int fd, int err);
/* Sends @text, whose last byte is urgent. */
void send_oob(int fd, const char *text);
void expect_oob(int fd, char want);
/* One recv() must return exactly this text. */
void recv_text(int fd, const char *text);
/* Returns the number of bytes that TCP or SMC has not sent yet. */
int unsent(int fd);
/* Sends without blocking until no more bytes have fitted for a while. */
uint64_t fill_window(int fd, struct stream *s);
/* For task_start(): sends on the socket *@arg until send() fails. */
int send_much(void *arg);
/* A whole case: receives a stream, and expects the length that SENT names. */
void recv_what_was_sent(void);

#endif
