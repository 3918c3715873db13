// SPDX-License-Identifier: GPL-2.0
#include "names.h"

#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct name {
	uint32_t number;
	const char *words;
};

static const struct name states[] = {
	{ 1, "ACTIVE" },
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
	{ 0x01010000, "out of memory" },
	{ 0x02010000, "no CONFIRM LINK in time" },
	{ 0x02020000, "no ADD LINK in time" },
	{ 0x03000000, "configuration error" },
	{ 0x03010000, "peer does not offer SMC" },
	{ 0x03020000, "IPsec protects the connection" },
	{ 0x03030000, "no SMC device" },
	{ 0x03030001, "no SMC-D device" },
	{ 0x03030002, "no SMC-R device" },
	{ 0x03030003, "no SMC-D version 2" },
	{ 0x03030004, "no version 2 part in the proposal" },
	{ 0x03030005, "no SMC-D version 2 part in the proposal" },
	{ 0x03030006, "no system EID" },
	{ 0x03030007, "no SMC-D version 2 device" },
	{ 0x03030008, "no EID in common" },
	{ 0x03030009, "no release in common" },
	{ 0x0303000a, "no agreement on connections per link group" },
	{ 0x0303000b, "no agreement on links per link group" },
	{ 0x03040000, "SMC-R and SMC-D do not match" },
	{ 0x03050000, "peer wants eye catchers in the RMB" },
	{ 0x03060000, "a socket option that needs TCP" },
	{ 0x03070000, "not in the same subnet" },
	{ 0x03080000, "VLAN not found" },
	{ 0x03090000, "SMC-D device refuses the VLAN" },
	{ 0x030a0000, "no active link in the link group" },
	{ 0x030b0000, "server's link unknown in the link group" },
	{ 0x030c0000, "no version in common" },
	{ 0x030d0000, "too many SMC-D buffers" },
	{ 0x030e0000, "no route to the peer's RDMA device" },
	{ 0x030f0000, "direct and routed links do not match" },
	{ 0x04000000, "link groups out of step" },
	{ SMC_REASON_PEER_DECLINED, "peer declined" },
	{ 0x05010000, "peer echoes the SMC option without knowing it" },
	{ 0x09990000, "internal error" },
	{ 0x09990001, "peer's memory key not usable" },
	{ 0x09990002, "link could not be made ready" },
	{ 0x09990003, "buffer could not be registered" },
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
	/* Zero also stands for a socket that has no connection. */
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
