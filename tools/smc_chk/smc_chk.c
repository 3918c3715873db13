// SPDX-License-Identifier: GPL-2.0
/*
 * smc_chk tests whether SMC works to a host. If SMC does not work, smc_chk
 * shows the reason and a remedy. smc_chk tries each step with a server of its
 * own on the peer.
 */
#include "../../net/smc/base/version.h"
#include "smc_chk.h"

#include <errno.h>
#include <getopt.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "genl.h"
#include "names.h"
#include "usage.h"

enum {
	EXIT_TCP	= 1,	/* the connection works, by TCP */
	EXIT_NOTHING	= 3,	/* no connection, or it cannot be judged */
	NAME_BYTES	= 80,
	HOST_BYTES	= 300,
	PHRASE_BYTES	= 128,
	ANSWER_S	= 3,	/* a server answers within this time */
};

struct check {
	struct sockaddr_storage addr;
	char text[NAME_BYTES];		/* of @addr */
	char port[8];
	bool fastopen;
	bool ipv6;
	char server[CHK_LINE_BYTES];	/* the server's view */
};

static const char help[] =
	"usage: smc_chk -S [-p PORT]\n"
	"       smc_chk [-p PORT] [-6] [-f] [-d] [-j] HOST[:PORT]\n"
	"       smc_chk -l [-d] [-j]\n"
	"       smc_chk -i INTERFACE [-j]\n"
	"\n"
	"Says whether connections to HOST run over SMC, and if not, why and what to\n"
	"do. On HOST run smc_chk -S, or name the port of any server with -p.\n"
	"\n"
	"  -S, --server         be the server\n"
	"  -C, --connect HOST   the same as HOST alone\n"
	"  -l, --local          can this host, or this container, use SMC?\n"
	"  -i, --pnetid I       the PNETID of a net device\n"
	"  -p, --port PORT      TCP port (default 37373; server: or the next free)\n"
	"  -6, --ipv6           use IPv6\n"
	"  -d, --debug          show the time of each step, in seconds\n"
	"  -f, --fastopen       as a program that uses TCP fast open\n"
	"  -j, --json           as JSON\n"
	"  -v, --version        the version of this program\n"
	"  -h, --help           this\n";

/* ---- steps ---- */

static void check_device(const struct check *c)
{
	char interface[IF_NAMESIZE], device[NAME_BYTES], text[NAME_BYTES + 48];
	char network[SMC_MAX_PNETID_LEN + 1] = "";
	int found;

	chk_interface(&c->addr, interface, sizeof(interface));
	if (!interface[0]) {
		chk_step("Interface", "no route to the host");
		return;
	}
	chk_step("Interface", interface);
	found = chk_rnic(interface, device, sizeof(device), network);
	if (found > 0)
		snprintf(text, sizeof(text), "%s", device);
	else if (found < 0)
		snprintf(text, sizeof(text), "? (%s)", strerror(-found));
	else if (*network)
		snprintf(text, sizeof(text), "none that is active with PNETID %s",
			 network);
	else
		snprintf(text, sizeof(text), "none that is active on %s",
			 interface);
	chk_step("RDMA device of this host", text);
}

static int check_tcp(const struct check *c)
{
	int fd = chk_socket(c->addr.ss_family, false);
	int err;

	if (fd >= 0 && !connect(fd, (const struct sockaddr *)&c->addr,
				sizeof(c->addr))) {
		chk_step("TCP connection", "yes");
		close(fd);
		return 0;
	}
	err = errno == EINPROGRESS ? ETIMEDOUT : errno;
	chk_step("TCP connection", strerror(err));
	if (fd >= 0)
		close(fd);
	chk_verdict("There is not even a TCP connection.", advice_for_tcp(err));
	return EXIT_NOTHING;
}

/* Explains the error of a handshake that has ended the connection. */
static int smc_broke(int err)
{
	chk_step("SMC connection", strerror(err));
	switch (err) {
	case EPROTO:
		chk_verdict("The peer answered the handshake with something that is not SMC.",
			    "It, or something on the path, echoes TCP options that it does not know. Load the SMC module there, or change what echoes; meanwhile connections to it use TCP.");
		break;
	case EINPROGRESS:
	case EAGAIN:
	case ETIMEDOUT:
		chk_verdict("The peer showed the SMC option and then did not answer the handshake.",
			    "Is the server there accepting connections? If it is no SMC server, something on the path echoes TCP options.");
		break;
	default:
		chk_verdict("The connection broke during the SMC handshake.",
			    "See the kernel log of both hosts; RDMA packets (UDP port 4791) may not pass.");
	}
	return EXIT_NOTHING;
}

static int open_smc(const struct check *c)
{
	int fd = chk_socket(c->addr.ss_family, true);
	const int on = 1;

	if (fd < 0)
		return -errno;
	if (c->fastopen)
		setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on,
			   sizeof(on));
	if (connect(fd, (const struct sockaddr *)&c->addr, sizeof(c->addr))) {
		int err = errno;

		close(fd);
		return -err;
	}
	return fd;
}

/* The peer may send any bytes, which a terminal must not get. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
}

/* A server other than smc_chk -S does not answer this request. */
static void ask_server(struct check *c, int fd)
{
	const struct timeval limit = { .tv_sec = ANSWER_S };
	time_t end = time(NULL) + ANSWER_S;
	size_t n = 0;
	ssize_t got;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (send(fd, CHK_HELLO, strlen(CHK_HELLO), MSG_NOSIGNAL) < 0)
		return;
	while (n < sizeof(c->server) - 1 && time(NULL) <= end &&
	       !memchr(c->server, '\n', n)) {
		got = recv(fd, c->server + n, sizeof(c->server) - 1 - n, 0);
		if (got <= 0)
			break;
		n += got;
	}
	if (n < 5 || memcmp(c->server, "mode ", 5))
		n = 0;
	c->server[n] = '\0';
	c->server[strcspn(c->server, "\n")] = '\0';
	make_printable(c->server);
}

static int good(const struct check *c, const struct smc_socket *s)
{
	const char *mode = smc_mode_name(s);
	char text[PHRASE_BYTES + 64];

	if (s->has_lgr && s->lgr.ibname[0])
		snprintf(text, sizeof(text), "%s, device %.64s port %u", mode,
			 (const char *)s->lgr.ibname, s->lgr.ibport);
	else
		snprintf(text, sizeof(text), "%s", mode);
	chk_step("SMC connection", text);
	if (c->server[0])
		chk_step("The server says", c->server);
	chk_verdict("Connections to this host run over SMC.", NULL);
	return EXIT_SUCCESS;
}

/* Where has SMC failed, and at which step? */
static void failed_step(uint32_t code, const struct advice *a, bool there,
			char *buf, size_t size)
{
	switch (code) {
	case SMC_REASON_PEER_HAS_NONE:
		snprintf(buf, size, "The peer does not offer SMC.");
		break;
	case SMC_REASON_PEER_ECHOES:
		snprintf(buf, size,
			 "The peer does not speak SMC, but sends the SMC option back.");
		break;
	default:
		snprintf(buf, size, "Failed %s: %s.",
			 there ? "on the peer" : "here",
			 a ? a->step : "for an unknown reason");
	}
}

static int by_tcp(const struct check *c, const struct smc_socket *s)
{
	uint32_t code = s->fallback.reason;
	bool there = code == SMC_REASON_PEER_DECLINED;
	char text[PHRASE_BYTES], what[PHRASE_BYTES + 64];
	const struct advice *a;

	chk_step("SMC connection", "no, TCP is used");
	smc_reason_phrase(&s->fallback, text, sizeof(text));
	chk_step("Reason", text);
	snprintf(text, sizeof(text), "0x%08x/0x%08x", code,
		 s->fallback.peer_diagnosis);
	chk_step("As diagnosis code", text);
	if (c->server[0])
		chk_step("The server says", c->server);
	a = advice_for(there ? s->fallback.peer_diagnosis : code);
	failed_step(code, a, there, what, sizeof(what));
	chk_verdict(what, a ? a->todo : "See the kernel log of both hosts.");
	return EXIT_TCP;
}

/*
 * The connection works, but the kernel does not tell whether it uses SMC or
 * TCP.
 */
static int not_found(int err)
{
	char text[PHRASE_BYTES];

	chk_step("SMC connection", "?");
	if (err == -ENOENT) {
		chk_verdict("The kernel does not list SMC sockets.",
			    "Load the module for it: modprobe smc_diag.");
	} else {
		snprintf(text, sizeof(text), "SMC sockets cannot be listed: %s.",
			 err == -ESRCH ? "the connection is missing" :
					 strerror(-err));
		chk_verdict(text, "Try again; smcss -a shows the list.");
	}
	return EXIT_NOTHING;
}

static int check_smc(struct check *c)
{
	struct smc_socket s = {};
	int fd = open_smc(c);
	int err;

	if (fd < 0)
		return smc_broke(-fd);
	ask_server(c, fd);
	err = chk_find(fd, &s);
	close(fd);
	if (err)
		return not_found(err);
	if (s.mode == SMC_DIAG_MODE_FALLBACK_TCP)
		return by_tcp(c, &s);
	return good(c, &s);
}

/* ---- arguments ---- */

/* Returns 0, or an error of getaddrinfo(). */
static int resolve(struct check *c, const char *host)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_family = c->ipv6 ? AF_INET6 : AF_UNSPEC,
	};
	struct addrinfo *found;
	int err;

	err = getaddrinfo(host, c->port, &hints, &found);
	if (err)
		return err;
	memcpy(&c->addr, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	chk_address(&c->addr, c->text, sizeof(c->text));
	return 0;
}

static int no_address(const struct check *c, int err)
{
	chk_step("Address", gai_strerror(err));
	chk_verdict("The host has no address here.", c->ipv6 ?
		    "See that its name is right, and that it has an address of IPv6." :
		    "See that its name is right, and that this host can resolve it.");
	return EXIT_NOTHING;
}

static int client(struct check *c, const char *host)
{
	int err = resolve(c, host);
	int status;

	chk_report_begin(err ? host : c->text, c->port);
	if (err)
		return no_address(c, err);
	status = chk_module();
	if (status)
		return status;
	check_device(c);
	status = check_tcp(c);
	return status ?: check_smc(c);
}

/* Stores the number without leading zeros, as JSON wants it. */
static bool set_port(struct check *c, const char *word)
{
	char *end;
	unsigned long port = strtoul(word, &end, 10);

	if (*word < '0' || *word > '9' || *end || !port || port > 65535)
		return false;
	snprintf(c->port, sizeof(c->port), "%lu", port);
	return true;
}

/*
 * Takes "HOST:PORT", "[IPV6]:PORT" and "[IPV6]" apart; the host stays in @buf.
 * Returns @word if it is none of them.
 */
static const char *split_host(struct check *c, const char *word, char *buf,
			      size_t size)
{
	char *end, *host = buf;

	snprintf(buf, size, "%s", word);
	if (*buf == '[' && strchr(buf, ']')) {
		end = strchr(buf, ']');
		*end++ = '\0';
		host++;
	} else {
		end = strchr(buf, ':');
	}
	if (!end || (*end && (*end != ':' || !set_port(c, end + 1))))
		return word;
	*end = '\0';
	return host;
}

static int show_pnetid(const char *interface, bool json)
{
	char pnetid[NAME_BYTES];
	int found;

	found = chk_pnetid(interface, pnetid, sizeof(pnetid));
	if (found < 0)
		return smc_genl_fail("smc_chk", found);
	if (!if_nametoindex(interface)) {
		fprintf(stderr, "smc_chk: no interface %s\n", interface);
		return EXIT_FAILURE;
	}
	if (json) {
		fputs("{\"interface\": ", stdout);
		smc_json_string(interface);
		fputs(", \"pnetid\": ", stdout);
		smc_json_string(found ? pnetid : "");
		puts("}");
	} else {
		puts(found && *pnetid ? pnetid : "n/a");
	}
	return smc_flush("smc_chk");
}

__attribute__((noreturn, format(printf, 1, 2)))
static void wrong_usage(const char *format, ...)
{
	va_list args;

	fputs("smc_chk: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	smc_usage_exit("smc_chk", help);
}

static const struct option long_options[] = {
	{ "connect",	required_argument, NULL, 'C' },
	{ "pnetid",	required_argument, NULL, 'i' },
	{ "ipv6",	no_argument, NULL, '6' },
	{ "debug",	no_argument, NULL, 'd' },
	{ "server",	no_argument, NULL, 'S' },
	{ "port",	required_argument, NULL, 'p' },
	{ "fastopen",	no_argument, NULL, 'f' },
	{ "local",	no_argument, NULL, 'l' },
	{ "json",	no_argument, NULL, 'j' },
	{ "version",	no_argument, NULL, 'v' },
	{ "help",	no_argument, NULL, 'h' },
	{}
};

struct arguments {
	const char *host;
	const char *interface;
	const char *port;	/* NULL: the default */
	bool server;
	bool local;
	bool json;
	bool debug;
};

static void parse_option(struct check *c, struct arguments *a, int o)
{
	switch (o) {
	case 'S':
		a->server = true;
		break;
	case 'C':
		a->host = optarg;
		break;
	case 'i':
		a->interface = optarg;
		break;
	case 'p':
		a->port = optarg;
		break;
	case '6':
		c->ipv6 = true;
		break;
	case 'd':
		a->debug = true;
		break;
	case 'l':
		a->local = true;
		break;
	case 'j':
		a->json = true;
		break;
	case 'f':
		c->fastopen = true;
		break;
	case 'v':
		puts("smc_chk " SMC_VERSION);
		exit(smc_flush("smc_chk"));
	case 'h':
		fputs(help, stdout);
		exit(smc_flush("smc_chk"));
	default:
		smc_usage_exit("smc_chk", help);
	}
}

int main(int argc, char **argv)
{
	char buf[HOST_BYTES];
	struct arguments a = {};
	struct check c = {};
	int o;

	while ((o = getopt_long(argc, argv, "SC:i:p:6dfljvh", long_options,
				NULL)) != -1)
		parse_option(&c, &a, o);
	if (optind < argc && !a.host)
		a.host = argv[optind++];
	if (optind < argc)
		wrong_usage("unexpected argument '%s'", argv[optind]);
	if (!!a.host + !!a.interface + a.server + a.local != 1)
		wrong_usage("give exactly one of HOST, --server, --local and --pnetid");
	snprintf(c.port, sizeof(c.port), "%d", CHK_PORT);
	if (a.port && !set_port(&c, a.port))
		wrong_usage("'%s' is not a port from 1 to 65535", a.port);
	chk_report_as(a.json, a.debug);
	if (a.interface)
		return show_pnetid(a.interface, a.json);
	if (a.server)
		return chk_serve(atoi(c.port), !a.port);
	if (a.local)
		return chk_report_end(chk_local());
	o = client(&c, split_host(&c, a.host, buf, sizeof(buf)));
	return chk_report_end(o);
}
