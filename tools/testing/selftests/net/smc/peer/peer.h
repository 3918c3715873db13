/* SPDX-License-Identifier: GPL-2.0 */
/*
 * smc_peer: both ends of socket tests. A case is a pair of functions, one for
 * each end. Each function runs in a process of its own. A control channel
 * connects the two processes and orders their steps. The first failure ends
 * both processes.
 */
#ifndef SMC_PEER_H
#define SMC_PEER_H

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define min_of(a, b)							\
	({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define max_of(a, b)							\
	({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })

enum {
	KIB = 1024,
	MIB = 1024 * 1024,
};

enum family {
	FAMILY_SMC,
	FAMILY_SMC6,
	FAMILY_TCP,
	FAMILY_TCP6,
	FAMILY_INET_SMC,	/* AF_INET with protocol IPPROTO_SMC */
	FAMILY_INET_SMC6,
	FAMILY_NR
};

enum mode {
	MODE_ANY,
	MODE_SMCR,
	MODE_INHOST,
	MODE_TCP,
	MODE_NR
};

/* The expected mode of a connection. */
struct expect {
	enum mode mode;
	bool check_reason;
	uint32_t reason;
	/* diagnosis code of the peer's Decline message */
	uint32_t diagnosis;
};

/* Parameters of both ends; the other end has @own and @peer exchanged. */
struct config {
	enum family family;
	enum family peer_family;
	struct expect own;
	struct expect peer;
	/* sizes and counts are divided by this number */
	unsigned int div;
	/* time limits are multiplied by this number */
	unsigned int slow;
	/* size of the data in bulk cases; 0: the default of the case */
	uint64_t bytes;
	/* where the server's sockets are bound */
	char host[64];
	bool server;			/* this is the server's end */
	bool single;			/* both ends are on this host */
};

extern struct config cfg;

/* ---- cases ---- */

struct peer_case {
	const char *name;
	void (*client)(void);
	void (*server)(void);	/* NULL: the case needs only one end */
	unsigned int limit_s;	/* time, 0: CASE_LIMIT_S */
	bool smc_only;
};

struct case_group {
	const char *name;
	const struct peer_case *cases;
	size_t nr;
	bool by_name_only;	/* not part of "all" */
};

#define CASE_GROUP(group, list)						\
	const struct case_group group = { #list, list##_cases,		\
					  ARRAY_SIZE(list##_cases) }

enum {
	CASE_LIMIT_S = 20,
};

extern const struct case_group *const case_groups[];
extern const size_t nr_case_groups;
const struct peer_case *find_case(const char *name);

/* ---- run.c: verdicts ---- */

/* Ends the case at both ends. Threads and forked children may call it, too. */
__attribute__((noreturn, format(printf, 3, 4)))
void fail_at(const char *file, int line, const char *fmt, ...);
__attribute__((noreturn, format(printf, 1, 2)))
void skip_case(const char *fmt, ...);
/* Adds a note that follows the result. */
__attribute__((format(printf, 1, 2))) void note(const char *fmt, ...);
/* Sets the current step of the case, for the report of a hang. */
void step_at(const char *file, int line);

#define fail(...) fail_at(__FILE__, __LINE__, __VA_ARGS__)

#define CHECK(cond, ...)						\
	do {								\
		step_at(__FILE__, __LINE__);				\
		if (!(cond))						\
			fail(__VA_ARGS__);				\
	} while (0)

/* Makes a call that must not return a negative value. */
#define OK(call)							\
	({								\
		step_at(__FILE__, __LINE__);				\
		__typeof__(call) ok_ret = (call);			\
		if (ok_ret < 0)						\
			fail("%s: %s", #call, strerrorname(errno));	\
		ok_ret;							\
	})

/* Makes a call that must return @want. */
#define RETURNS(want, call)						\
	do {								\
		step_at(__FILE__, __LINE__);				\
		long long is_ret = (call), is_want = (want);		\
		if (is_ret != is_want)					\
			fail("%s: %lld (%s), not %lld", #call, is_ret,	\
			     is_ret < 0 ? strerrorname(errno) : "-",	\
			     is_want);					\
	} while (0)

/* Makes a call that must fail with errno @err. */
#define FAILS(err, call)						\
	do {								\
		step_at(__FILE__, __LINE__);				\
		long long fails_ret = (call);				\
		int fails_want = (err);					\
		if (fails_ret >= 0)					\
			fail("%s: %lld, not %s", #call, fails_ret,	\
			     strerrorname(fails_want));			\
		if (errno != fails_want)				\
			fail("%s: %s, not %s", #call,			\
			     strerrorname(errno),			\
			     strerrorname(fails_want));			\
	} while (0)

const char *strerrorname(int err);

enum verdict {
	VERDICT_OK,
	VERDICT_FAIL,
	VERDICT_SKIP,
};

struct outcome {
	enum verdict verdict;
	char text[512];
	unsigned int ms;
};

/* Runs both ends here, or runs one end here and the other end at a server. */
void run_single(const struct peer_case *c, struct outcome *o);
void run_client(const struct peer_case *c, const char *port, struct outcome *o);

/* ---- serve.c ---- */

/* Runs the server. Returns only after a failure; with @background, returns when
 * clients can reach the server.
 */
int serve(const char *port, bool background);
int stop_server(const char *port);
/* Returns a connection to the server's control port, or -1. */
int call_server(const char *port);

/* ---- ctl.c: the control channel ---- */

void ctl_set(int fd);
__attribute__((format(printf, 1, 2))) void ctl_send(const char *fmt, ...);
/* Waits for "@word rest" and returns rest (valid until the next call). */
const char *ctl_wait(const char *word);
void ctl_sync(const char *word);
void ctl_send_u64(const char *word, uint64_t value);
uint64_t ctl_wait_u64(const char *word);
/* Returns "FAIL text" or "SKIP text" of the peer if this message arrives within
 * @ms.
 */
const char *ctl_peer_verdict(int ms);

#endif
