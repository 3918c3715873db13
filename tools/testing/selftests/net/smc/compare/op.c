// SPDX-License-Identifier: GPL-2.0
/* Ops and their text. */
#include "op.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/sockios.h>

#ifndef TCP_INQ
#define TCP_INQ 36
#endif

struct word {
	const char *name;
	int value;
};

/* How the text of an argument is read. */
enum arg_type {
	ARG_NONE,
	ARG_NUMBER,
	ARG_FLAGS,
	ARG_SLOT,
	ARG_TARGET,
	ARG_HOW,
	ARG_OPTION,
	ARG_VALUE,
	ARG_REQUEST,
	ARG_WHO,
};

static const struct word flag_words[] = {
	{ "oob", MSG_OOB }, { "peek", MSG_PEEK }, { "trunc", MSG_TRUNC },
	{ "waitall", MSG_WAITALL }, { "more", MSG_MORE },
	{ "nosignal", MSG_NOSIGNAL }, { "eor", MSG_EOR },
	{ "errqueue", MSG_ERRQUEUE }, { "dontroute", MSG_DONTROUTE },
	{ "fault", FLAG_FAULT },
};

static const struct word target_words[] = {
	{ "l", TARGET_L }, { "closed", TARGET_CLOSED },
	{ "unspec", TARGET_UNSPEC }, { "short", TARGET_SHORT },
	{ "unix", TARGET_UNIX }, { "fault", TARGET_FAULT },
};

static const struct word how_words[] = {
	{ "rd", SHUT_RD }, { "wr", SHUT_WR }, { "rdwr", SHUT_RDWR },
	{ "bad", 7 },
};

static const struct word value_words[] = {
	{ "short", VALUE_SHORT }, { "fault", VALUE_FAULT },
};

static const struct word request_words[] = {
	{ "inq", SIOCINQ }, { "outqnsd", SIOCOUTQNSD },
	{ "atmark", SIOCATMARK }, { "pgrp", SIOCGPGRP }, { "bad", 0x5fff },
};

static const struct word who_words[] = {
	{ "own", 0 }, { "peer", 1 },
};

static const struct {
	const struct word *words;
	size_t nr;
} vocabulary[] = {
	[ARG_FLAGS]	= { flag_words, ARRAY_SIZE(flag_words) },
	[ARG_TARGET]	= { target_words, ARRAY_SIZE(target_words) },
	[ARG_HOW]	= { how_words, ARRAY_SIZE(how_words) },
	[ARG_VALUE]	= { value_words, ARRAY_SIZE(value_words) },
	[ARG_REQUEST]	= { request_words, ARRAY_SIZE(request_words) },
	[ARG_WHO]	= { who_words, ARRAY_SIZE(who_words) },
};

static const struct {
	const char *name;
	enum arg_type args[2];
} kinds[NR_OPS] = {
	[OP_SOCKET]	= { "socket" },
	[OP_BIND]	= { "bind" },
	[OP_LISTEN]	= { "listen", { ARG_NUMBER } },
	[OP_CONNECT]	= { "connect", { ARG_TARGET } },
	[OP_ACCEPT]	= { "accept", { ARG_SLOT } },
	[OP_CLOSE]	= { "close" },
	[OP_SHUTDOWN]	= { "shutdown", { ARG_HOW } },
	[OP_SEND]	= { "send", { ARG_NUMBER, ARG_FLAGS } },
	[OP_RECV]	= { "recv", { ARG_NUMBER, ARG_FLAGS } },
	[OP_GET]	= { "get", { ARG_OPTION } },
	[OP_SET]	= { "set", { ARG_OPTION, ARG_VALUE } },
	[OP_IOCTL]	= { "ioctl", { ARG_REQUEST } },
	[OP_NAME]	= { "name", { ARG_WHO } },
	[OP_SPLICE_IN]	= { "splice-in", { ARG_NUMBER } },
	[OP_SPLICE_OUT]	= { "splice-out", { ARG_NUMBER } },
	[OP_DUP]	= { "dup" },
	[OP_FORK]	= { "fork" },
	[OP_SIGNALS]	= { "signals" },
	[OP_FILL]	= { "fill" },
	[OP_DRAIN]	= { "drain" },
	[OP_OUTQ]	= { "outq" },
	[OP_END]	= { "end" },
};

const char slot_letters[NR_SLOTS + 1] = "cdlst";

#define OPT(level, opt, ...)						\
	{ #opt, level, opt, sizeof(int), false, { __VA_ARGS__ } }
#define OPT_OPAQUE(level, opt, len)					\
	{ #opt, level, opt, len, true, { 0 } }
#define OPT_LEN(level, opt, len, ...)					\
	{ #opt, level, opt, len, false, { __VA_ARGS__ } }

const struct option_type options[] = {
	OPT(SOL_SOCKET, SO_ERROR),
	OPT(SOL_SOCKET, SO_TYPE),
	OPT(SOL_SOCKET, SO_ACCEPTCONN),
	OPT(SOL_SOCKET, SO_REUSEADDR, 1),
	OPT(SOL_SOCKET, SO_KEEPALIVE, 1),
	OPT(SOL_SOCKET, SO_OOBINLINE, 1, 2),
	OPT(SOL_SOCKET, SO_RCVLOWAT, 1, 2, 10, 100),
	OPT(SOL_SOCKET, SO_SNDLOWAT, 1),
	OPT(SOL_SOCKET, SO_BROADCAST, 1),
	OPT(SOL_SOCKET, SO_DONTROUTE, 1),
	OPT(SOL_SOCKET, SO_PRIORITY, 1, 6),
	OPT(SOL_SOCKET, SO_MARK, 1),
	OPT(SOL_SOCKET, SO_PEEK_OFF, -1, 1, 5),
	OPT_LEN(SOL_SOCKET, SO_LINGER, 8, 1, 2),
	OPT_LEN(SOL_SOCKET, SO_RCVTIMEO, 16, 1),
	OPT_LEN(SOL_SOCKET, SO_SNDTIMEO, 16, 1),
	OPT_OPAQUE(SOL_SOCKET, SO_COOKIE, 8),
	OPT_OPAQUE(SOL_SOCKET, SO_PEERCRED, 12),
	OPT(IPPROTO_TCP, TCP_NODELAY, 1, 2),
	OPT(IPPROTO_TCP, TCP_CORK),
	OPT(IPPROTO_TCP, TCP_KEEPIDLE, 60),
	OPT(IPPROTO_TCP, TCP_KEEPINTVL, 10),
	OPT(IPPROTO_TCP, TCP_KEEPCNT, 5),
	OPT(IPPROTO_TCP, TCP_SYNCNT, 3),
	OPT_OPAQUE(IPPROTO_TCP, TCP_QUICKACK, sizeof(int)),
	OPT(IPPROTO_TCP, TCP_USER_TIMEOUT, 30000),
	OPT(IPPROTO_TCP, TCP_NOTSENT_LOWAT, 100000),
	OPT(IPPROTO_TCP, TCP_INQ, 1),
	OPT_OPAQUE(IPPROTO_TCP, TCP_WINDOW_CLAMP, sizeof(int)),
	OPT_OPAQUE(IPPROTO_TCP, TCP_MAXSEG, sizeof(int)),
	OPT_OPAQUE(IPPROTO_TCP, TCP_INFO, 104),
	OPT_LEN(IPPROTO_TCP, TCP_CONGESTION, 16, 1, 2),
	OPT_LEN(IPPROTO_TCP, TCP_ULP, 16, 1),
	OPT(IPPROTO_IP, IP_TOS, 16),
	OPT(IPPROTO_IP, IP_TTL, 64),
	OPT(IPPROTO_IP, IP_FREEBIND, 1),
	/* unknown options, and a level that does not exist */
	{ "ip-bad", IPPROTO_IP, 250, sizeof(int), false, { 1 } },
	{ "tcp-bad", IPPROTO_TCP, 250, sizeof(int), false, { 1 } },
	{ "socket-bad", SOL_SOCKET, 250, sizeof(int), false, { 1 } },
	{ "level-bad", 9999, 1, sizeof(int), false, { 1 } },
};

const unsigned int nr_options = ARRAY_SIZE(options);

/* ---- to text ---- */

static int put_flags(char *text, size_t size, int flags)
{
	int n = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flag_words); i++)
		if (flags & flag_words[i].value)
			n += snprintf(text + n, size - n, "%s%s",
				      n ? "," : " ", flag_words[i].name);
	return n;
}

static int put_arg(char *text, size_t size, enum arg_type type, int arg)
{
	size_t i;

	switch (type) {
	case ARG_NONE:
		return 0;
	case ARG_FLAGS:
		return put_flags(text, size, arg);
	case ARG_SLOT:
		return snprintf(text, size, " %c", slot_letters[arg]);
	case ARG_OPTION:
		return snprintf(text, size, " %s", options[arg].name);
	default:
		break;
	}
	for (i = 0; i < vocabulary[type].nr; i++)
		if (vocabulary[type].words[i].value == arg)
			return snprintf(text, size, " %s",
					vocabulary[type].words[i].name);
	return snprintf(text, size, " %d", arg);
}

bool op_sends(const struct op *op)
{
	return op->kind == OP_SEND || op->kind == OP_SPLICE_IN ||
	       op->kind == OP_FORK || op->kind == OP_FILL;
}

int op_print(const struct op *op, char *text, size_t size)
{
	int i, n;

	n = snprintf(text, size, "%s%s %c", op->blocks ? "&" : "",
		     kinds[op->kind].name, slot_letters[op->slot]);
	for (i = 0; i < 2; i++)
		n += put_arg(text + n, size - n, kinds[op->kind].args[i],
			     op->arg[i]);
	return n;
}

void program_print(const struct program *p, char *text, size_t size)
{
	unsigned int i;
	size_t n = 0;

	*text = 0;
	for (i = 0; i < p->nr && n + 100 < size; i++) {
		if (i)
			n += snprintf(text + n, size - n, "; ");
		n += op_print(&p->ops[i], text + n, size - n);
	}
}

/* ---- from text ---- */

static bool get_word(enum arg_type type, const char *word, int *arg)
{
	size_t i;

	for (i = 0; i < vocabulary[type].nr; i++)
		if (!strcmp(vocabulary[type].words[i].name, word)) {
			*arg = vocabulary[type].words[i].value;
			return true;
		}
	return false;
}

static bool get_flags(char *text, int *arg)
{
	char *word, *save = NULL;
	int flag;

	for (word = strtok_r(text, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		if (!get_word(ARG_FLAGS, word, &flag))
			return false;
		*arg |= flag;
	}
	return true;
}

static bool get_slot(const char *text, int *arg)
{
	const char *at = strchr(slot_letters, *text);

	if (!*text || text[1] || !at)
		return false;
	*arg = at - slot_letters;
	return true;
}

static bool get_option(const char *text, int *arg)
{
	unsigned int i;

	for (i = 0; i < nr_options; i++)
		if (!strcmp(options[i].name, text)) {
			*arg = i;
			return true;
		}
	return false;
}

static bool get_arg(enum arg_type type, char *text, int *arg)
{
	char *end;

	switch (type) {
	case ARG_NONE:
		return false;
	case ARG_FLAGS:
		return get_flags(text, arg);
	case ARG_SLOT:
		return get_slot(text, arg);
	case ARG_OPTION:
		return get_option(text, arg);
	default:
		break;
	}
	if (get_word(type, text, arg))
		return true;
	*arg = strtol(text, &end, 0);
	return !*end;
}

static bool get_kind(const char *text, uint8_t *kind)
{
	int i;

	for (i = 0; i < NR_OPS; i++)
		if (!strcmp(kinds[i].name, text)) {
			*kind = i;
			return true;
		}
	return false;
}

static bool parse_op(char *text, struct op *op)
{
	char *save = NULL, *word = strtok_r(text, " \t\n", &save);
	int arg = 0;
	int i;

	*op = (struct op){ 0 };
	if (!word)
		return false;
	op->blocks = *word == '&';
	if (!get_kind(word + op->blocks, &op->kind))
		return false;
	word = strtok_r(NULL, " \t\n", &save);
	if (!word || !get_slot(word, &arg))
		return false;
	op->slot = arg;
	for (i = 0; i < 2; i++) {
		word = strtok_r(NULL, " \t\n", &save);
		arg = 0;
		if (word && !get_arg(kinds[op->kind].args[i], word, &arg))
			return false;
		op->arg[i] = arg;
	}
	return true;
}

bool program_add(struct program *p, const struct op *op)
{
	if (p->nr == MAX_OPS)
		return false;
	p->ops[p->nr++] = *op;
	return true;
}

const char *program_parse(struct program *p, const char *text)
{
	static char wrong[200];
	char copy[MAX_TEXT];
	char *save = NULL, *part;
	struct op op;

	p->nr = 0;
	snprintf(copy, sizeof(copy), "%s", text);
	for (part = strtok_r(copy, ";", &save); part;
	     part = strtok_r(NULL, ";", &save)) {
		snprintf(wrong, sizeof(wrong), "%s", part);
		if (part[strspn(part, " \t\n")] == 0)
			continue;
		if (!parse_op(part, &op) || !program_add(p, &op))
			return wrong;
	}
	return NULL;
}
