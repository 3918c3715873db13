// SPDX-License-Identifier: GPL-2.0
/* Runs the ends of a case and collects their results. */
#include "run.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

enum {
	POLL_MS			= 2,
	/* Time in which the other end can report after a failure. */
	FAILURE_GRACE_MS	= 500,
	/* A killed process must end within this time. */
	KILL_GRACE_MS		= 10000,
};

static struct report *report;

const char *strerrorname(int err)
{
	const char *name = strerrorname_np(err);

	return name ? name : "unknown errno";
}

void step_at(const char *file, int line)
{
	if (!report)
		return;
	__atomic_store_n(&report->file, file, __ATOMIC_RELAXED);
	__atomic_store_n(&report->line, line, __ATOMIC_RELAXED);
}

void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(report->note, sizeof(report->note), fmt, ap);
	va_end(ap);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

__attribute__((noreturn))
static void conclude(enum verdict v, const char *text)
{
	if (atomic_fetch_add(&report->claimed, 1) == 0) {
		snprintf(report->text, sizeof(report->text), "%s", text);
		ctl_send("%s %s", v == VERDICT_SKIP ? "SKIP" : "FAIL", text);
		report->verdict = v + 1;
	} else {
		/* The first process that fails reports for all, so it must
		 * finish.
		 */
		sleep(1);
	}
	_exit(v);
}

void fail_at(const char *file, int line, const char *fmt, ...)
{
	const char *peer;
	char own[200];
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(own, sizeof(own), fmt, ap);
	va_end(ap);
	/*
	 * A failure at this end may be the consequence of a failure at the
	 * other end.
	 */
	peer = ctl_peer_verdict(100);
	if (peer && *peer == 'S')
		conclude(VERDICT_SKIP, peer + 5);
	snprintf(text, sizeof(text), "%s:%d: %s%s%s", base_name(file), line, own,
		 peer ? " <- " : "", peer ? peer + 5 : "");
	conclude(VERDICT_FAIL, text);
}

void skip_case(const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	conclude(VERDICT_SKIP, text);
}

unsigned int case_limit_s(const struct peer_case *c)
{
	return (c->limit_s ? c->limit_s : CASE_LIMIT_S) * cfg.slow;
}

/* Calculates the parameters of this end from the parameters of the client's
 * end.
 */
static void be_server(void)
{
	struct config all = cfg;

	cfg.server = true;
	if (!cfg.single)	/* The server starts this end itself. */
		return;
	cfg.family = all.peer_family;
	cfg.peer_family = all.family;
	cfg.own = all.peer;
	cfg.peer = all.own;
}

/*
 * The report shows the client's note; the server sends its note to the client.
 */
static void say_done(void)
{
	size_t n = strlen(report->note);
	const char *peer;

	ctl_send("DONE %s", report->note);
	peer = ctl_wait("DONE");
	if (!cfg.server && *peer)
		snprintf(report->note + n, sizeof(report->note) - n, "%s%s",
			 n ? "; there: " : "", peer);
}

__attribute__((noreturn))
static void end_main(const struct peer_case *c, bool server)
{
	if (server)
		be_server();
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A case sets the signal handlers that it needs. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	if (server)
		c->server();
	else
		c->client();
	if (c->server)
		say_done();
	exit(VERDICT_OK);
}

void end_start(struct end *e, const struct peer_case *c, int ctl, bool server)
{
	e->name = server ? "server" : "client";
	e->report = mmap(NULL, sizeof(*e->report), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fflush(NULL);
	e->pid = fork();
	if (e->pid == 0) {
		report = e->report;
		ctl_set(ctl);
		end_main(c, server);
	}
	setpgid(e->pid, e->pid);
	close(ctl);
}

static bool reap(struct end *e)
{
	if (!e->over && waitpid(e->pid, &e->status, WNOHANG) == e->pid)
		e->over = true;
	return e->over;
}

static bool all_over(struct end *ends, size_t nr)
{
	bool all = true;
	size_t i;

	for (i = 0; i < nr; i++)
		all &= reap(&ends[i]);
	return all;
}

static bool any_failed(const struct end *ends, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (ends[i].report->verdict || (ends[i].over && ends[i].status))
			return true;
	}
	return false;
}

void ends_wait(struct end *ends, size_t nr, unsigned int limit_s)
{
	uint64_t until = now_ms() + limit_s * 1000;
	bool failed = false;
	size_t i;

	while (!all_over(ends, nr) && now_ms() < until) {
		if (!failed && any_failed(ends, nr)) {
			failed = true;
			until = min_of(until, now_ms() + FAILURE_GRACE_MS);
		}
		sleep_ms(POLL_MS);
	}
	for (i = 0; i < nr; i++) {
		ends[i].late = !ends[i].over && !failed;
		/* Also kills processes that an end has left behind. */
		kill(-ends[i].pid, SIGKILL);
	}
	until = now_ms() + KILL_GRACE_MS;
	while (!all_over(ends, nr) && now_ms() < until)
		sleep_ms(POLL_MS);
}

static void say_where(const struct end *e, char *text, size_t size)
{
	const char *file = e->report->file;

	/* The other end runs the same program, so file names are valid here. */
	snprintf(text, size, "%s %s after %s:%d", e->name,
		 !e->over ? "cannot be killed" :
		 e->late ? "did not come to an end" : "was killed",
		 file ? base_name(file) : "start", e->report->line);
}

enum verdict end_verdict(const struct end *e, char *text, size_t size)
{
	int verdict = e->report->verdict;

	if (verdict) {
		verdict--;
		snprintf(text, size, "%s%s%s",
			 verdict == VERDICT_SKIP ? "" : e->name,
			 verdict == VERDICT_SKIP ? "" : ": ", e->report->text);
		return verdict;
	}
	if (!e->over || e->late || WIFSIGNALED(e->status)) {
		say_where(e, text, size);
		return VERDICT_FAIL;
	}
	if (e->status) {
		snprintf(text, size, "%s: exit status %d", e->name,
			 WEXITSTATUS(e->status));
		return VERDICT_FAIL;
	}
	snprintf(text, size, "%s", e->report->note);
	return VERDICT_OK;
}

void end_release(struct end *e)
{
	munmap(e->report, sizeof(*e->report));
}

/* The end that failed first decides the result; a killed end has the lowest
 * priority.
 */
static void judge(struct end *ends, size_t nr, struct outcome *o)
{
	char text[sizeof(o->text)];
	enum verdict v;
	size_t i;

	o->verdict = VERDICT_OK;
	o->text[0] = '\0';
	for (i = 0; i < nr; i++) {
		v = end_verdict(&ends[i], text, sizeof(text));
		if (v == VERDICT_OK && o->verdict == VERDICT_OK && *text)
			snprintf(o->text, sizeof(o->text), "%s", text);
		if (v == VERDICT_OK)
			continue;
		if (o->verdict == VERDICT_OK ||
		    (ends[i].report->verdict && !ends[0].report->verdict)) {
			o->verdict = v;
			snprintf(o->text, sizeof(o->text), "%s", text);
		}
	}
	for (i = 0; i < nr; i++)
		end_release(&ends[i]);
}

void run_single(const struct peer_case *c, struct outcome *o)
{
	struct end ends[2] = {};
	uint64_t start = now_ms();
	int sv[2] = { -1, -1 };

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv) < 0) {
		o->verdict = VERDICT_FAIL;
		snprintf(o->text, sizeof(o->text), "no control channel");
		return;
	}
	if (c->server)
		end_start(&ends[1], c, sv[1], true);
	else
		close(sv[1]);
	end_start(&ends[0], c, sv[0], false);
	ends_wait(ends, c->server ? 2 : 1, case_limit_s(c));
	judge(ends, c->server ? 2 : 1, o);
	o->ms = now_ms() - start;
}

static int send_case(const char *port, const struct peer_case *c)
{
	int fd = call_server(port);

	if (fd < 0)
		return -1;
	ctl_set(fd);
	ctl_send("CASE %s %d %d %u %u %llu %s %d:%d:%u:%u %d:%d:%u:%u", c->name,
		 cfg.peer_family, cfg.family, cfg.div, cfg.slow,
		 (unsigned long long)cfg.bytes, cfg.host,
		 cfg.peer.mode, cfg.peer.check_reason, cfg.peer.reason,
		 cfg.peer.diagnosis, cfg.own.mode, cfg.own.check_reason,
		 cfg.own.reason, cfg.own.diagnosis);
	return fd;
}

void run_client(const struct peer_case *c, const char *port, struct outcome *o)
{
	uint64_t start = now_ms();
	struct end end = {};
	const char *peer;
	int fd, keep = -1;

	if (!c->server) {
		run_single(c, o);
		return;
	}
	fd = send_case(port, c);
	if (fd < 0) {
		o->verdict = VERDICT_FAIL;
		snprintf(o->text, sizeof(o->text), "no server at %s port %s",
			 cfg.host, port);
		return;
	}
	keep = dup(fd);
	end_start(&end, c, fd, false);
	ends_wait(&end, 1, case_limit_s(c));
	judge(&end, 1, o);
	if (o->verdict == VERDICT_FAIL && end.late) {
		ctl_set(keep);
		peer = ctl_peer_verdict(1000);
		if (peer)
			snprintf(o->text + strlen(o->text),
				 sizeof(o->text) - strlen(o->text), " <- %s", peer + 5);
	}
	close(keep);
	ctl_set(-1);
	o->ms = now_ms() - start;
}
