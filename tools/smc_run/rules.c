// SPDX-License-Identifier: GPL-2.0
/*
 * The family of a socket is fixed in socket(), and rules by address and port
 * need what connect() and listen() know. So socket() makes an SMC socket unless
 * no rule lets this program use SMC, and a rule for TCP turns SMC off later, in
 * the same socket: its descriptors, options, locks and places in epoll sets
 * stay. The kernel turns SMC off for good in a socket without a connection when
 * TCP_FASTOPEN is set, also in stock Linux. The option is then reset, so the
 * connection does not use fast open.
 *
 * The library never closes or replaces a descriptor of the program, and never
 * makes an SMC socket out of another one.
 */
#include "rules.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conf.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif

struct rules {
	const struct smc_conf_rule *rule;	/* @n that name this program */
	unsigned int n;
	bool never;	/* no call may use SMC */
	bool always;	/* each call uses SMC */
};

/* What is read is kept in a mapping, because malloc() may be the program's. */
struct mapped {
	struct rules rules;
	struct smc_conf conf;
	char program[PATH_MAX];
};

static const struct rules none = { .always = true };
static const struct rules *current;	/* __atomic access only */

/*
 * Reading the file calls open() and others, which another preloaded library may
 * replace by functions that open sockets. They get no rules then.
 */
static __thread bool reading __attribute__((tls_model("initial-exec")));

/* ---- reading the file ---- */

static bool any(const struct smc_conf_rule *r)
{
	return !r->bytes && !r->first && r->last == UINT16_MAX;
}

static bool may_use_smc(const struct rules *r, unsigned int call)
{
	unsigned int i;

	for (i = 0; i < r->n; i++) {
		if (!(r->rule[i].calls & call))
			continue;
		if (!r->rule[i].tcp)
			return true;
		if (any(&r->rule[i]))
			return false;
	}
	return true;
}

/* Moves the rules that name this program to the beginning. */
static void choose(struct mapped *m)
{
	struct smc_conf *c = &m->conf;
	struct rules *r = &m->rules;
	unsigned int i;
	ssize_t len;

	len = readlink("/proc/self/exe", m->program, sizeof(m->program) - 1);
	m->program[len < 0 ? 0 : len] = '\0';
	r->rule = c->rules;
	r->always = true;
	for (i = 0; i < c->n_rules; i++) {
		if (!smc_conf_program(&c->rules[i],
				      program_invocation_short_name,
				      m->program))
			continue;
		c->rules[r->n++] = c->rules[i];
		if (c->rules[i].tcp)
			r->always = false;
	}
	r->never = !may_use_smc(r, SMC_CONF_CONNECT) &&
		   !may_use_smc(r, SMC_CONF_LISTEN);
}

/*
 * Returns what the file says, or @none; then @words, if it is not empty, says
 * what is wrong with the file.
 */
static const struct rules *read_file(char *words, size_t size)
{
	const char *named = secure_getenv("SMC_CONF");
	const char *path = named ? named : SMC_CONF_PATH;
	struct smc_conf_error err = {};
	struct mapped *m;
	int status;

	words[0] = '\0';
	if (!*path)
		return &none;
	m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		return &none;
	status = smc_conf_load(&m->conf, path, &err);
	if (!status) {
		choose(m);
		if (m->rules.n)
			return &m->rules;
	} else if (named || status != -ENOENT) {
		smc_conf_explain(words, size, path, &err);
	}
	munmap(m, sizeof(*m));
	return &none;
}

static void complain(const char *words)
{
	char line[600];
	int n;

	n = snprintf(line, sizeof(line),
		     "smc_run: %s; the file is ignored\n", words);
	if (write(STDERR_FILENO, line,
		  n < (int)sizeof(line) ? n : (int)sizeof(line) - 1) < 0)
		/* Standard error is closed, so nobody sees the message. */
		return;
}

/*
 * Several threads may read the file at the same time. All of them use the rules
 * of the thread that has finished first, and only this thread reports errors.
 */
static const struct rules *rules(void)
{
	const struct rules *r = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
	const struct rules *before = NULL;
	char words[512];

	if (r)
		return r;
	if (reading)
		return &none;
	reading = true;
	r = read_file(words, sizeof(words));
	reading = false;
	if (__atomic_compare_exchange_n(&current, &before, r, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (words[0])
			complain(words);
		return r;
	}
	if (r != &none)
		munmap((void *)r, sizeof(struct mapped));
	return before;
}

void rules_load(void)
{
	rules();
}

bool rules_never_smc(void)
{
	return rules()->never;
}

/* ---- applying them ---- */

/* The first rule that matches decides; without one, it is SMC. */
static bool wants_tcp(unsigned int call, const struct sockaddr *addr,
		      socklen_t len)
{
	const struct sockaddr_in6 *in6 = (const void *)addr;
	const struct sockaddr_in *in = (const void *)addr;
	const struct rules *r = rules();
	const struct smc_conf_rule *rule = r->rule;
	const uint8_t *bytes;
	unsigned int i, n;
	uint16_t port;

	if (len >= sizeof(*in) && addr->sa_family == AF_INET) {
		bytes = (const uint8_t *)&in->sin_addr;
		port = ntohs(in->sin_port);
		n = 4;
	} else if (len >= sizeof(*in6) && addr->sa_family == AF_INET6) {
		bytes = in6->sin6_addr.s6_addr;
		port = ntohs(in6->sin6_port);
		n = 16;
	} else {
		return false;
	}
	for (i = 0; i < r->n; i++)
		if (smc_conf_match(&rule[i], call, bytes, n, port))
			return rule[i].tcp;
	return false;
}

static int int_option(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value;

	return getsockopt(fd, level, name, &value, &len) ? -1 : value;
}

/*
 * A socket in which the program has set TCP_FASTOPEN uses TCP already. If the
 * kernel refuses, because the socket has been connected before, it stays as it
 * is.
 */
static void turn_off(int fd)
{
	int value = 1;

	if (int_option(fd, SOL_SOCKET, SO_DOMAIN) != AF_SMC ||
	    int_option(fd, SOL_SOCKET, SO_ACCEPTCONN) ||
	    int_option(fd, IPPROTO_TCP, TCP_FASTOPEN))
		return;
	if (setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &value, sizeof(value)))
		return;
	value = 0;
	setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &value, sizeof(value));
}

void rules_before_connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (rules()->always || !addr || len < sizeof(addr->sa_family))
		return;
	if (wants_tcp(SMC_CONF_CONNECT, addr, len))
		turn_off(fd);
}

void rules_before_listen(int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	if (rules()->always ||
	    getsockname(fd, (struct sockaddr *)&addr, &len))
		return;
	if (wants_tcp(SMC_CONF_LISTEN, (struct sockaddr *)&addr, len))
		turn_off(fd);
}
