// SPDX-License-Identifier: GPL-2.0
#include "table.h"

#include <stdio.h>
#include <string.h>

#define LISTENING	"socket l; bind l; listen l 8; "
#define CONNECTED	LISTENING "socket c; connect c l; accept l s; "

const struct named_program states[] = {
	{ "new", LISTENING "socket c" },
	{ "bound", LISTENING "socket c; bind c" },
	{ "listening", LISTENING "socket c; bind c; listen c 4" },
	{ "refused", LISTENING "socket c; connect c closed" },
	{ "refused, and told", LISTENING
	  "socket c; connect c closed; connect c closed" },
	{ "connected, not accepted", LISTENING "socket c; connect c l" },
	{ "connected", CONNECTED },
	{ "bytes to read", CONNECTED "send s 10" },
	{ "urgent byte to read", CONNECTED "send s 5; send s 3 oob; send s 2" },
	{ "urgent byte inline", CONNECTED
	  "set c SO_OOBINLINE 1; send s 5; send s 3 oob; send s 2" },
	{ "bytes sent", CONNECTED "send c 10" },
	{ "receiving shut", CONNECTED "shutdown c rd" },
	{ "receiving shut, bytes to read", CONNECTED "send s 10; shutdown c rd" },
	{ "sending shut", CONNECTED "shutdown c wr" },
	{ "sending shut, bytes to read", CONNECTED "shutdown c wr; send s 10" },
	{ "both shut", CONNECTED "shutdown c rdwr" },
	{ "both shut, one after the other", CONNECTED
	  "shutdown c rd; shutdown c wr" },
	{ "peer sends no more", CONNECTED "shutdown s wr" },
	{ "peer sends no more, bytes to read", CONNECTED
	  "send s 10; shutdown s wr" },
	{ "peer reads no more", CONNECTED "shutdown s rd" },
	{ "peer has shut both", CONNECTED "shutdown s rdwr" },
	{ "peer has closed", CONNECTED "close s" },
	{ "peer has closed, bytes to read", CONNECTED "send s 10; close s" },
	{ "peer has closed, one send", CONNECTED "close s; send c 5" },
	{ "peer has closed, two sends", CONNECTED
	  "close s; send c 5; send c 5 nosignal" },
	{ "sending shut, peer has closed", CONNECTED "shutdown c wr; close s" },
	{ "peer has closed, sending shut", CONNECTED "close s; shutdown c wr" },
	{ "both have shut sending", CONNECTED "shutdown c wr; shutdown s wr" },
	{ "both have shut both", CONNECTED "shutdown c rdwr; shutdown s rdwr" },
	{ "reset by linger", CONNECTED "set s SO_LINGER 1; close s" },
	{ "reset by linger, and told", CONNECTED
	  "set s SO_LINGER 1; close s; recv c 1" },
	{ "reset by close with unread bytes", CONNECTED "send c 10; close s" },
	{ "reset by disconnect", CONNECTED "connect s unspec" },
	{ "disconnected", CONNECTED "connect c unspec" },
	{ "disconnected, was refused", LISTENING
	  "socket c; connect c closed; connect c unspec" },
	{ "listener stopped", LISTENING
	  "socket c; bind c; listen c 4; shutdown c rd" },
};

const unsigned int nr_states = ARRAY_SIZE(states);

/* The calls of all states. Each program ends with the tail below. */
static const char *const calls[] = {
	"recv c 4", "recv c 0", "recv c 4 peek", "recv c 4 trunc",
	"recv c 4 peek,trunc", "recv c 4 waitall", "recv c 1 oob",
	"recv c 1 oob,peek", "recv c 4 fault", "recv c 4 errqueue",
	"send c 3", "send c 0", "send c 3 oob", "send c 3 nosignal",
	"send c 3 fault", "splice-in c 3", "splice-out c 4",
	"shutdown c rd", "shutdown c wr", "shutdown c rdwr", "shutdown c bad",
	"connect c l", "connect c closed", "connect c unspec",
	"connect c short", "connect c unix", "connect c fault", "bind c",
	"listen c 4", "accept c d", "close c", "dup c", "fork c", "signals c",
	"set c SO_RCVLOWAT 10", "set c SO_OOBINLINE 1", "set c SO_LINGER 1",
	"set c SO_PEEK_OFF 1", "set c TCP_NODELAY 1",
	"set c SO_KEEPALIVE 1", "set c TCP_ULP 1", "set c TCP_CONGESTION 1",
	"&recv c 100 waitall", "&accept c d", "&splice-out c 4",
};

static const char tail[] =
	"; name c own; name c peer; recv c 4; send c 1; send c 1; recv c 100; "
	"get c SO_ERROR; recv c 1; send s 2; recv s 100; get s SO_ERROR; "
	"shutdown c wr; close s; recv c 1; end c";

enum { OPTIONS_EACH = 14 };

static unsigned int option_programs(void)
{
	return (nr_options + OPTIONS_EACH - 1) / OPTIONS_EACH;
}

unsigned int calls_in_state(void)
{
	return ARRAY_SIZE(calls) + 1 + 2 * option_programs();
}

/* Reads or sets a part of the options. */
static void add_options(unsigned int i, char *text, size_t size)
{
	bool set = i >= option_programs();
	unsigned int at, first = i % option_programs() * OPTIONS_EACH;
	size_t n = strlen(text);

	for (at = first; at < first + OPTIONS_EACH && at < nr_options; at++) {
		/* a change of one of these options is a separate call */
		if (set && (at < 16 || options[at].opaque))
			continue;
		if (set)
			n += snprintf(text + n, size - n, "; set c %s %d",
				      options[at].name, options[at].values[0]);
		n += snprintf(text + n, size - n, "; get c %s", options[at].name);
	}
}

void call_in_state(const struct named_program *state, unsigned int i,
		   char text[MAX_TEXT])
{
	size_t n = snprintf(text, MAX_TEXT, "%s", state->text);

	if (i < ARRAY_SIZE(calls)) {
		snprintf(text + n, MAX_TEXT - n, "; %s%s", calls[i], tail);
	} else if (i == ARRAY_SIZE(calls)) {
		snprintf(text + n, MAX_TEXT - n,
			 "; ioctl c inq; ioctl c atmark; ioctl c pgrp; ioctl c bad%s",
			 tail);
	} else {
		add_options(i - ARRAY_SIZE(calls) - 1, text, MAX_TEXT);
	}
}

const struct named_program programs[] = {
	{ "a blocked reader gets bytes",
	  CONNECTED "&recv s 10; send c 4; end s" },
	{ "a blocked reader gets all",
	  CONNECTED
	  "&recv s 10 waitall; send c 4; send c 4; send c 4; end s; recv s 10" },
	{ "a blocked reader gets the end",
	  CONNECTED "&recv s 10; shutdown c wr; end s; send s 3; recv c 10" },
	{ "a blocked reader, the peer closes",
	  CONNECTED "&recv s 10; close c; end s; send s 3; send s 3" },
	{ "a blocked reader, a reset",
	  CONNECTED "&recv s 10; set c SO_LINGER 1; close c; end s; recv s 1; get s SO_ERROR" },
	{ "a blocked reader, this end shuts both",
	  CONNECTED "&recv s 10; shutdown s rdwr; end s; recv c 1" },
	{ "a blocked reader, this end reads no more",
	  CONNECTED "&recv s 10; shutdown s rd; end s; send c 1; recv s 1" },
	{ "a blocked reader, this end disconnects",
	  CONNECTED "&recv s 10; connect s unspec; end s; recv c 1" },
	{ "a blocked reader outlives the descriptor",
	  CONNECTED "&recv s 10; close s; send c 3; end s" },
	{ "a blocked reader and an urgent byte",
	  CONNECTED "&recv s 10; send c 1 oob; send c 2; end s; recv s 1 oob" },
	{ "a blocked accept gets a connection",
	  LISTENING
	  "&accept l s; socket c; connect c l; end l; send c 1; recv s 1" },
	{ "a blocked accept, the listener stops",
	  LISTENING "&accept l s; shutdown l rd; end l" },
	{ "a blocked accept, the listener disconnects",
	  LISTENING "&accept l s; connect l unspec; end l" },
	{ "a blocked splice gets bytes",
	  CONNECTED "&splice-out s 10; send c 4; end s" },
	{ "a blocked splice gets the end",
	  CONNECTED "&splice-out s 10; close c; end s" },
	{ "a splice takes what several calls have sent",
	  CONNECTED "send c 1; send c 2; send c 7; splice-out s 11" },
	{ "SO_RCVLOWAT, and a splice of fewer bytes", CONNECTED
	  "set s SO_RCVLOWAT 10; send c 4; &splice-out s 20; end s" },
	{ "SO_PEEK_OFF and a splice", CONNECTED
	  "set s SO_PEEK_OFF 1; send c 9; recv s 3 peek; splice-out s 4; "
	  "get s SO_PEEK_OFF; recv s 10 peek" },
	{ "a splice at the urgent byte", CONNECTED
	  "send c 3; send c 1 oob; splice-out s 3; splice-out s 3" },
	{ "a splice at the urgent byte, then the end", CONNECTED
	  "send c 3; send c 1 oob; close c; splice-out s 3; splice-out s 3; "
	  "recv s 4" },
	{ "a splice at the urgent byte, bytes and the end follow", CONNECTED
	  "send c 3; send c 1 oob; send c 4; shutdown c wr; splice-out s 3; "
	  "splice-out s 3; recv s 9" },
	{ "a splice takes a part",
	  CONNECTED "send c 1; send c 7; splice-out s 4; recv s 11" },
	{ "TCP_INQ counts from the next call on",
	  CONNECTED "&recv s 1; set s TCP_INQ 1; send c 3; end s; recv s 1" },
	{ "TCP_ULP with a bad pointer", CONNECTED "set c TCP_ULP fault" },
	{ "the outcome of a refused connect",
	  "socket c; signals c; connect c closed; connect c unix; "
	  "get c SO_ERROR; connect c closed" },
	{ "a socket that connects to itself",
	  "socket l; bind l; connect l l; connect l l; send l 3; recv l 10; "
	  "shutdown l wr; recv l 1; connect l l" },
	{ "a failed connect keeps the error",
	  LISTENING
	  "socket c; connect c closed; connect c unspec; connect c short; "
	  "connect c unix; get c SO_ERROR; connect c l; accept l s; send c 1" },
	{ "shutdown before connect", LISTENING
	  "socket c; shutdown c wr; connect c l; accept l s; send c 1; send s 1; "
	  "recv c 1; shutdown c rd; recv c 1" },
	{ "shutdown before the outcome of connect",
	  LISTENING "socket c; connect c l; shutdown c wr; connect c l" },
	{ "shutdown before the outcome of a refused connect",
	  LISTENING
	  "socket c; connect c closed; shutdown c wr; connect c l; connect c unspec; "
	  "connect c l; accept l s; send c 1; recv s 1" },
	{ "a reset before the outcome of connect",
	  CONNECTED
	  "set s SO_LINGER 1; close s; connect c l; connect c l; accept l s; send c 1" },
	{ "a reader of nothing", CONNECTED "&recv c 0; send s 1; end c; recv c 1" },
	{ "a reader of nothing, a reset", CONNECTED
	  "&recv c 0; set s SO_LINGER 1; close s; end c; recv c 0; recv c 1" },
	{ "a listener that was shut before", LISTENING
	  "socket c; shutdown c rd; signals c; listen c 8; recv c 1; shutdown c rdwr" },
	{ "a blocked connect", LISTENING "socket c; &connect c l; end c; accept l s" },
	/*
	 * The number of bytes that a full queue of TCP still takes depends on
	 * timers, so no result may depend on this number. A call that ends
	 * early has no result.
	 */
	{ "a full queue", CONNECTED "fill c; drain s; send c 1; drain s" },
	{ "a full queue, then the end",
	  CONNECTED "fill c; shutdown c wr; drain s; recv s 1; send s 1; recv c 1" },
	{ "a full queue, a blocked writer",
	  CONNECTED "fill c; &send c 60000; drain s; end c" },
	{ "a full queue, both ways",
	  CONNECTED "fill c; fill s; drain c; drain s; send c 1; drain s" },
	{ "signals", CONNECTED
	  "signals s; send c 1; send c 1 oob; recv s 10; shutdown c wr; send s 1" },
	{ "the queue of accepted connections keeps its order",
	  LISTENING
	  "socket c; connect c l; send c 3; socket d; connect d l; send d 7; "
	  "accept l s; accept l t; recv s 10; recv t 10" },
	{ "a connection that is reset in the queue",
	  LISTENING
	  "socket c; connect c l; set c SO_LINGER 1; close c; "
	  "accept l s; recv s 1; send s 1" },
	{ "a connection that ends in the queue",
	  LISTENING
	  "socket c; connect c l; send c 3; close c; "
	  "accept l s; recv s 10; recv s 1; send s 1; send s 1" },
	{ "a listener that closes resets its queue",
	  LISTENING "socket c; connect c l; close l; recv c 1; send c 1" },
	{ "bytes arrive", CONNECTED "send c 1000; outq c; ioctl c outqnsd; recv s 2000" },
	{ "cork", CONNECTED
	  "set c TCP_CORK 1; get c TCP_CORK; send c 1; send c 2; "
	  "set c TCP_CORK 0; recv s 10" },
	{ "more to come", CONNECTED "send c 3 more; send c 4; recv s 10" },
	{ "a child process", CONNECTED "fork c; recv s 10; fork s; recv c 10; send c 1" },
};

const unsigned int nr_programs = ARRAY_SIZE(programs);
