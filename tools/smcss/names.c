// SPDX-License-Identifier: GPL-2.0
#include "names.h"
#include "../../net/smc/wire/decline.h"

#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct name {
	uint32_t number;
	const char *words;
};

static const struct name states[] = {
	{ SMC_STATE_ACTIVE, "ACTIVE" },
	{ SMC_STATE_INIT, "INIT" },
	{ SMC_STATE_CLOSED, "CLOSED" },
	{ SMC_STATE_LISTEN, "LISTEN" },
	{ 20, "PEERCLOSEWAIT1" },
	{ 21, "PEERCLOSEWAIT2" },
	{ 22, "APPCLOSEWAIT1" },
	{ 23, "APPCLOSEWAIT2" },
	{ 24, "APPFINCLOSEWAIT" },
	{ 25, "PEERFINCLOSEWAIT" },
	{ 26, "PEERABORTWAIT" },
	{ 27, "PROCESSABORT" },
};

static const struct name reasons[] = {
#define SMC_DECLINE_NAME(_code, _words) { _code, _words },
#include "../../net/smc/wire/decline_names.h"
#undef SMC_DECLINE_NAME
};

static const char *find(const struct name *names, size_t nr, uint32_t number)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (names[i].number == number)
			return names[i].words;
	}
	return NULL;
}

const char *smc_state_name(unsigned int state)
{
	const char *name = find(states, ARRAY_SIZE(states), state);

	return name ? name : "?";
}

bool smc_state_connected(unsigned int state)
{
	return state != SMC_STATE_INIT && state != SMC_STATE_LISTEN &&
	       state != SMC_STATE_CLOSED;
}

const char *smc_mode_name(const struct smc_socket *s)
{
	switch (s->mode) {
	case SMC_DIAG_MODE_FALLBACK_TCP:
		return "TCP";
	case SMC_DIAG_MODE_SMCD:
		return "SMCD";
	case SMC_DIAG_MODE_SMCR:
		break;
	default:
		return "?";
	}
	/* Zero also means a socket without a connection. */
	if (!smc_state_connected(s->state))
		return "-";
	if (!strcmp(s->transport, "in-host"))
		return "in-host";
	return "SMCR";
}

const char *smc_reason_words(uint32_t code)
{
	return find(reasons, ARRAY_SIZE(reasons), code);
}

static int say(char *buf, size_t size, uint32_t code)
{
	const char *words = smc_reason_words(code);

	if (words)
		return snprintf(buf, size, "%s", words);
	return snprintf(buf, size, "code 0x%08x", code);
}

void smc_reason_phrase(const struct smc_diag_fallback *f, char *buf, size_t size)
{
	size_t n;

	buf[0] = '\0';
	if (!f->reason)
		return;
	n = say(buf, size, f->reason);
	if (f->reason != SMC_REASON_PEER_DECLINED || !f->peer_diagnosis ||
	    n + 3 > size)
		return;
	memcpy(buf + n, ": ", 3);
	say(buf + n + 2, size - n - 2, f->peer_diagnosis);
}
