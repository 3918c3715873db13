// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of conf.c, the parser of /etc/smc.conf: a table of right lines, one of
 * wrong files, one of matches, and random files for ASan and UBSan.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../testing/selftests/net/smc/ktap.h"
#include "conf.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum {
	ROUNDS	= 20000,
	SHOWN	= 4096,
	/* results that are in no table */
	OTHERS	= 15,
};

static struct smc_conf conf;
static struct smc_conf_error error;
static struct ktap ktap;

static void result(const char *name, const char *wanted, const char *got)
{
	bool same = !strcmp(wanted, got);

	if (!same)
		printf("# wanted: %s\n# got:    %s\n", wanted, got);
	ktap_result(&ktap, same, name, NULL);
}

static int parse(const char *text, size_t len)
{
	memset(&conf, 0, sizeof(conf));
	memcpy(conf.text, text, len);
	return smc_conf_parse(&conf, len, &error);
}

/* ---- what a line means ---- */

static int show_rule(char *out, size_t size, const struct smc_conf_rule *r)
{
	char addr[INET6_ADDRSTRLEN] = "any";

	if (r->bytes)
		inet_ntop(r->bytes == 4 ? AF_INET : AF_INET6, r->addr, addr,
			  sizeof(addr));
	return snprintf(out, size, "%s %u %s %s/%u %u-%u;",
			r->tcp ? "tcp" : "smc", r->calls, r->program, addr,
			r->prefix, r->first, r->last);
}

static const char *or_none(const char *text)
{
	return text ? text : "-";
}

static const char *shown(void)
{
	static char out[SHOWN];
	size_t n = 0, size = sizeof(out);
	unsigned int i;

	out[0] = '\0';
	for (i = 0; i < conf.n_rules && n < size; i++)
		n += show_rule(out + n, size - n, &conf.rules[i]);
	for (i = 0; i < conf.n_ueids && n < size; i++)
		n += snprintf(out + n, size - n, "%s@%u;", conf.ueids[i].name,
			      conf.ueids[i].line);
	for (i = 0; i < conf.n_pnetids && n < size; i++) {
		const struct smc_conf_pnetid *p = &conf.pnetids[i];

		n += snprintf(out + n, size - n, "%s %s %s %u;", p->name,
			      or_none(p->interface), or_none(p->device),
			      p->port);
	}
	for (i = 0; i < conf.n_sysctls && n < size; i++)
		n += snprintf(out + n, size - n, "%s=%s;",
			      conf.sysctls[i].name, conf.sysctls[i].value);
	if (n < size && conf.ueid_line && !conf.n_ueids)
		n += snprintf(out + n, size - n, "no ueid;");
	if (n < size && conf.pnetid_line && !conf.n_pnetids)
		snprintf(out + n, size - n, "no pnetid;");
	return out;
}

static const struct {
	const char *text;
	const char *means;
} right[] = {
	{ "", "" },
	{ "\n\n  \t \n# only remarks\n   # another\n", "" },
	{ "use smc connect * *:*", "smc 1 * any/0 0-65535;" },
	{ "use tcp listen nginx *:80\n", "tcp 2 nginx any/0 80-80;" },
	{ "\tuse  tcp\tboth /usr/sbin/* 10.0.0.0/8:1-65535 # why\n",
	  "tcp 3 /usr/sbin/* 10.0.0.0/8 1-65535;" },
	{ "use tcp both x 10.1.2.3:5432", "tcp 3 x 10.1.2.3/32 5432-5432;" },
	{ "use tcp both x 0.0.0.0/0:5", "tcp 3 x 0.0.0.0/0 5-5;" },
	{ "use tcp both x [2001:db8::]/32:5-6", "tcp 3 x 2001:db8::/32 5-6;" },
	{ "use tcp both x [::1]:*", "tcp 3 x ::1/128 0-65535;" },
	{ "use tcp both x [::]/0:7", "tcp 3 x ::/0 7-7;" },
	{ "use tcp both a#b *:1#", NULL },
	{ "use tcp both a#b *:1 #", "tcp 3 a#b any/0 1-1;" },
	{ "use smc both a *:1\nuse tcp both b *:2",
	  "smc 3 a any/0 1-1;tcp 3 b any/0 2-2;" },
	{ "ueid rack-7\nueid Rack.8\n", "RACK-7@1;RACK.8@2;" },
	{ "\nueid 7", "7@2;" },
	{ "ueid a\nueid b\nueid c\nueid d\nueid smcv2-default-ueid\n",
	  "A@1;B@2;C@3;D@4;SMCV2-DEFAULT-UEID@5;" },
	{ "ueid abcdefghijklmnopqrstuvwxyz012345",
	  "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345@1;" },
	{ "ueid -", "no ueid;" },
	{ "pnetid -", "no pnetid;" },
	{ "pnetid -I eth0 net1", "NET1 eth0 - 1;" },
	{ "pnetid net1 -D mlx5_0 -P 2", "NET1 - mlx5_0 2;" },
	{ "pnetid --interface eth0 --ibdevice 0000:00:04.0 --ibport 1 n",
	  "N eth0 0000:00:04.0 1;" },
	{ "pnetid -D a -P 1 n\npnetid -D a -P 2 m", "N - a 1;M - a 2;" },
	{ "sysctl net.smc.rmem=65536", "rmem=65536;" },
	{ "sysctl net.smc.rmem = 65536", "rmem=65536;" },
	{ "sysctl net.smc.mem= 1  2\t3 # pages", "mem=1 2 3;" },
	{ "sysctl net.smc.tclass =-1", "tclass=-1;" },
	{ "sysctl net.smc.a = 1\nsysctl net.smc.b = 2", "a=1;b=2;" },
	{ "sysctl net.smc.hs_ctrl = by_port.v2", "hs_ctrl=by_port.v2;" },
	{ "sysctl net.smc.hs_ctrl = -", "hs_ctrl=;" },
};

static const struct {
	const char *text;
	const char *words;
} wrong_files[] = {
	{ "bogus", "f:1: 'bogus' is none of use, ueid, pnetid and sysctl" },
	{ "\n\n  USE x", "f:3: 'USE' is none of use, ueid, pnetid and sysctl" },
	{ "use", "f:1: a rule is: use smc|tcp connect|listen|both PROGRAM ADDRESS:PORT" },
	{ "use smc both x *:* y", "f:1: a rule is: use smc|tcp connect|listen|both PROGRAM ADDRESS:PORT" },
	{ "use both both x *:*", "f:1: 'both' is neither smc nor tcp" },
	{ "use smc bind x *:*", "f:1: 'bind' is none of connect, listen and both" },
	{ "use smc both x *", "f:1: '*' has no port: ADDRESS:PORT, *:* for any" },
	{ "use smc both x [::1]", "f:1: '[::1]' has no port: ADDRESS:PORT, *:* for any" },
	{ "use smc both x *:", "f:1: '' is no port: 1 to 65535, FIRST-LAST, or *" },
	{ "use smc both x *:0", "f:1: '0' is no port: 1 to 65535, FIRST-LAST, or *" },
	{ "use smc both x *:65536", "f:1: '65536' is no port: 1 to 65535, FIRST-LAST, or *" },
	{ "use smc both x *:99999999999999999999", "f:1: '99999999999999999999' is no port: 1 to 65535, FIRST-LAST, or *" },
	{ "use smc both x *:1-", "f:1: '1-' is no port: 1 to 65535, FIRST-LAST, or *" },
	{ "use smc both x *:-1", "f:1: '-1' is no port: 1 to 65535, FIRST-LAST, or *" },
	{ "use smc both x *:+1", "f:1: '+1' is no port: 1 to 65535, FIRST-LAST, or *" },
	{ "use smc both x *:2-1", "f:1: the ports '2-1' are in the wrong order" },
	{ "use smc both x ::1:80", "f:1: the address ::1 of IPv6 needs brackets" },
	{ "use smc both x [::1:80", "f:1: '[::1' is no address: of IPv4, [of IPv6], or *" },
	{ "use smc both x [10.0.0.1]:80", "f:1: '10.0.0.1' is no address: of IPv4, [of IPv6], or *" },
	{ "use smc both x :80", "f:1: '' is no address: of IPv4, [of IPv6], or *" },
	{ "use smc both x host:80", "f:1: 'host' is no address: of IPv4, [of IPv6], or *" },
	{ "use smc both x 10.0.0:80", "f:1: '10.0.0' is no address: of IPv4, [of IPv6], or *" },
	{ "use smc both x 10.0.0.0/33:80", "f:1: '33' is no prefix of an address: 0 to 32" },
	{ "use smc both x [::]/129:80", "f:1: '129' is no prefix of an address: 0 to 128" },
	{ "use smc both x 10.0.0.0/:80", "f:1: '' is no prefix of an address: 0 to 32" },
	{ "use smc both x 10.1.0.0/8:80", "f:1: the address 10.1.0.0 has bits behind its prefix, 8" },
	{ "use smc both x [2001:db8::1]/64:80", "f:1: the address 2001:db8::1 has bits behind its prefix, 64" },
	{ "use smc both x */8:80", "f:1: '*' is no address: of IPv4, [of IPv6], or *" },
	{ "ueid", "f:1: a UEID is: ueid NAME" },
	{ "ueid a b", "f:1: a UEID is: ueid NAME" },
	{ "ueid a_b", "f:1: 'a_b' is no UEID: letters, digits, later '.' or '-', up to 32" },
	{ "ueid .a", "f:1: '.a' is no UEID: letters, digits, later '.' or '-', up to 32" },
	{ "ueid abcdefghijklmnopqrstuvwxyz0123456", "f:1: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456' is no UEID: letters, digits, later '.' or '-', up to 32" },
	{ "ueid a\n\nueid A", "f:3: the UEID A is in line 1 already" },
	{ "ueid a\nueid b\nueid c\nueid d\nueid e", "f:5: more than 4 UEIDs" },
	{ "ueid -\nueid a", "f:2: 'ueid -' allows no other UEID" },
	{ "ueid a\nueid -", "f:2: 'ueid -' allows no other UEID" },
	{ "pnetid", "f:1: the PNETID is missing" },
	{ "pnetid net1", "f:1: a PNETID needs -I INTERFACE or -D DEVICE" },
	{ "pnetid -I eth0 -", "f:1: '-' is no PNETID: 1 to 16 letters and digits" },
	{ "pnetid -I eth0 n-1", "f:1: 'n-1' is no PNETID: 1 to 16 letters and digits" },
	{ "pnetid -I eth0 abcdefghijklmnopq", "f:1: 'ABCDEFGHIJKLMNOPQ' is no PNETID: 1 to 16 letters and digits" },
	{ "pnetid -I eth0 a b", "f:1: more than one PNETID: a, b" },
	{ "pnetid -I eth0 -I eth1 a", "f:1: -I twice" },
	{ "pnetid a -I", "f:1: -I needs a value" },
	{ "pnetid -X eth0 a", "f:1: '-X' is none of -I, -D and -P" },
	{ "pnetid -I eth0 -P 1 a", "f:1: -P needs -D" },
	{ "pnetid -D mlx5_0 -P 3 a", "f:1: the port of an RDMA device is 1 or 2" },
	{ "pnetid -I abcdefghijklmnop a", "f:1: the interface name 'abcdefghijklmnop' is too long" },
	{ "pnetid -I eth0 a\npnetid -I eth0 b", "f:2: this device has a PNETID in line 1 already" },
	{ "pnetid -D x a\npnetid -D x -P 1 b", "f:2: this device has a PNETID in line 1 already" },
	{ "pnetid -\npnetid -I eth0 a", "f:2: 'pnetid -' allows no other PNETID" },
	{ "sysctl", "f:1: a sysctl is: sysctl net.smc.NAME = VALUE" },
	{ "sysctl net.smc.rmem", "f:1: a sysctl is: sysctl net.smc.NAME = VALUE" },
	{ "sysctl net.smc.rmem =", "f:1: a sysctl is: sysctl net.smc.NAME = VALUE" },
	{ "sysctl net.smc.rmem 5 = 6", "f:1: a sysctl is: sysctl net.smc.NAME = VALUE" },
	{ "sysctl net.ipv4.x = 1", "f:1: 'net.ipv4.x' does not begin with net.smc." },
	{ "sysctl net.smc. = 1", "f:1: 'net.smc.' is no name of a sysctl" },
	{ "sysctl net.smc.../x = 1", "f:1: 'net.smc.../x' is no name of a sysctl" },
	{ "sysctl net.smc.rmem = 64k", "f:1: '64k' is no number" },
	{ "sysctl net.smc.rmem = 1 = 2", "f:1: '=' is no number" },
	{ "sysctl net.smc.rmem = -", "f:1: '-' is no number" },
	{ "sysctl net.smc.rmem = by_port", "f:1: 'by_port' is no number" },
	{ "sysctl net.smc.max_conns = 10 000",
	  "f:1: net.smc.max_conns takes 1 number, not 2" },
	{ "sysctl net.smc.mem = 1 2", "f:1: net.smc.mem takes 3 numbers, not 2" },
	{ "sysctl net.smc.mem = 1 2 3 4",
	  "f:1: net.smc.mem takes 3 numbers, not 4" },
	{ "sysctl net.smc.hs_ctrl = a b", "f:1: net.smc.hs_ctrl takes one name, or -" },
	{ "sysctl net.smc.hs_ctrl = a/b", "f:1: net.smc.hs_ctrl takes one name, or -" },
	{ "sysctl net.smc.a = 1\nsysctl net.smc.a = 2", "f:2: net.smc.a is in line 1 already" },
	{ "ueid a\r\n", "f:1: a control character, code 13" },
	{ "# \033[1m", "f:1: a control character, code 27" },
	{ "a b c d e f g h i j k l m", "f:1: more words than any line has" },
};

static void try_lines(void)
{
	char got[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		int err = parse(right[i].text, strlen(right[i].text));

		if (!right[i].means)
			result("a remark begins with a word", "-22",
			       err == -EINVAL ? "-22" : "0");
		else
			result("a right file", right[i].means,
			       err ? error.words : shown());
	}
	for (i = 0; i < ARRAY_SIZE(wrong_files); i++) {
		int err = parse(wrong_files[i].text,
				strlen(wrong_files[i].text));

		smc_conf_explain(got, sizeof(got), "f", &error);
		result("a wrong file", wrong_files[i].words,
		       err == -EINVAL ? got : "no error");
	}
	result("a NUL byte", "-22 1 a control character, code 0",
	       parse("ueid a\0", 7) == -EINVAL && error.line == 1 ?
		       "-22 1 a control character, code 0" : error.words);
}

/* A table of a kind has room for this many lines, and no more. */
static void try_limits(void)
{
	static const struct {
		const char *format;
		unsigned int lines;
		const char *words;
	} limits[] = {
		{ "use smc both x *:%u\n", SMC_CONF_RULES, "more than 256 rules" },
		{ "pnetid -I eth%u a\n", SMC_CONF_PNETIDS, "more than 256 PNETIDs" },
		{ "sysctl net.smc.a%u = 1\n", SMC_CONF_SYSCTLS, "more than 64 sysctls" },
	};
	char text[SMC_CONF_BYTES];
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		size_t n = 0;
		int err;

		for (k = 1; k <= limits[i].lines; k++)
			n += snprintf(text + n, sizeof(text) - n,
				      limits[i].format, k);
		err = parse(text, n);
		result("a full table", "", err ? error.words : "");
		n += snprintf(text + n, sizeof(text) - n, limits[i].format, k);
		err = parse(text, n);
		result("a line more", limits[i].words, err ? error.words : "");
	}
}

/* ---- files ---- */

static const char *load(const char *path)
{
	static char out[256];
	int err;

	memset(&conf, 0, sizeof(conf));
	err = smc_conf_load(&conf, path, &error);
	if (err)
		snprintf(out, sizeof(out), "%d %s", err, error.words);
	else
		snprintf(out, sizeof(out), "%s", shown());
	return out;
}

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, len, f) != len || fclose(f)) {
		perror(path);
		exit(2);
	}
}

static void try_files(const char *dir)
{
	static char text[SMC_CONF_BYTES + 1];
	char path[256];

	snprintf(path, sizeof(path), "%s/f", dir);
	result("no such file", "-2 No such file or directory", load(path));
	result("a directory", "-22 no regular file", load(dir));
	result("a device", "-22 no regular file", load("/dev/zero"));
	write_file(path, "ueid a\n", 7);
	result("a file", "A@1;", load(path));
	memset(text, '\n', sizeof(text));
	write_file(path, text, SMC_CONF_BYTES);
	result("the longest file", "", load(path));
	write_file(path, text, sizeof(text));
	result("a longer file", "-27 longer than 64 KiB", load(path));
	unlink(path);
	if (mkfifo(path, 0600))
		perror(path);
	result("a pipe", "-22 no regular file", load(path));
	unlink(path);
}

/* ---- rules ---- */

static const struct {
	const char *pattern, *name, *path;
	bool match;
} programs[] = {
	{ "*", "a", "/b", true },
	{ "nginx", "nginx", "/usr/sbin/nginx", true },
	{ "nginx", "worker", "/usr/sbin/nginx", true },
	{ "nginx", "nginx", "", true },
	{ "nginx", "nginx2", "/nginx/x", false },
	{ "ngin?", "nginx", "", true },
	{ "ngin?", "ngin", "", false },
	{ "n*x", "nginx", "", true },
	{ "*a*b*", "xaxbx", "", true },
	{ "*a*b", "xaxbx", "", false },
	{ "a*", "", "", false },
	{ "/usr/sbin/nginx", "x", "/usr/sbin/nginx", true },
	{ "/usr/*", "x", "/usr/sbin/nginx", true },
	{ "*/nginx", "nginx", "/usr/sbin/nginx", true },
	{ "/usr/sbin/nginx", "/usr/sbin/nginx", "/bin/sh", false },
	{ "[a]", "a", "", false },
};

static const struct {
	const char *rule;
	unsigned int call;
	const char *addr;
	unsigned int port;
	bool match;
} matches[] = {
	{ "connect * *:*", SMC_CONF_CONNECT, "10.0.0.1", 80, true },
	{ "connect * *:*", SMC_CONF_LISTEN, "10.0.0.1", 80, false },
	{ "both * *:*", SMC_CONF_LISTEN, "::", 0, true },
	{ "both * *:1-65535", SMC_CONF_LISTEN, "::", 0, false },
	{ "both * *:80-90", SMC_CONF_LISTEN, "::", 79, false },
	{ "both * *:80-90", SMC_CONF_LISTEN, "::", 80, true },
	{ "both * *:80-90", SMC_CONF_LISTEN, "::", 90, true },
	{ "both * *:80-90", SMC_CONF_LISTEN, "::", 91, false },
	{ "both * 10.0.0.0/8:*", SMC_CONF_CONNECT, "10.255.0.1", 1, true },
	{ "both * 10.0.0.0/8:*", SMC_CONF_CONNECT, "11.0.0.1", 1, false },
	{ "both * 10.0.0.0/9:*", SMC_CONF_CONNECT, "10.127.0.1", 1, true },
	{ "both * 10.0.0.0/9:*", SMC_CONF_CONNECT, "10.128.0.1", 1, false },
	{ "both * 10.0.0.1:*", SMC_CONF_CONNECT, "10.0.0.1", 1, true },
	{ "both * 10.0.0.1:*", SMC_CONF_CONNECT, "10.0.0.0", 1, false },
	{ "both * 10.0.0.1:*", SMC_CONF_CONNECT, "::ffff:10.0.0.1", 1, true },
	{ "both * 0.0.0.0/0:*", SMC_CONF_CONNECT, "::ffff:10.0.0.1", 1, true },
	{ "both * 0.0.0.0/0:*", SMC_CONF_CONNECT, "::1", 1, false },
	{ "both * [::]/0:*", SMC_CONF_CONNECT, "::1", 1, true },
	{ "both * [::]/0:*", SMC_CONF_CONNECT, "1.2.3.4", 1, false },
	{ "both * [2001:db8::]/33:*", SMC_CONF_CONNECT, "2001:db8:7fff::1", 1, true },
	{ "both * [2001:db8::]/33:*", SMC_CONF_CONNECT, "2001:db8:8000::1", 1, false },
	{ "both * [::1]:*", SMC_CONF_CONNECT, "::1", 1, true },
	{ "both * [::1]:*", SMC_CONF_CONNECT, "::2", 1, false },
};

static void try_rules(void)
{
	char text[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		struct smc_conf_rule r = { .program = programs[i].pattern };
		bool got = smc_conf_program(&r, programs[i].name,
					    programs[i].path);

		snprintf(text, sizeof(text), "pattern %s, program %s, %s",
			 programs[i].pattern, programs[i].name,
			 programs[i].path);
		result(text, programs[i].match ? "yes" : "no",
		       got ? "yes" : "no");
	}
	for (i = 0; i < ARRAY_SIZE(matches); i++) {
		bool v6 = strchr(matches[i].addr, ':');
		uint8_t addr[16];
		bool got;

		snprintf(text, sizeof(text), "use tcp %s", matches[i].rule);
		if (parse(text, strlen(text)) ||
		    inet_pton(v6 ? AF_INET6 : AF_INET, matches[i].addr, addr) != 1)
			abort();
		got = smc_conf_match(&conf.rules[0], matches[i].call, addr,
				     v6 ? 16 : 4, matches[i].port);
		snprintf(text, sizeof(text), "%s: %u %s:%u", matches[i].rule,
			 matches[i].call, matches[i].addr, matches[i].port);
		result(text, matches[i].match ? "yes" : "no",
		       got ? "yes" : "no");
	}
}

/* ---- random files ---- */

static unsigned int rnd(unsigned int below)
{
	static uint64_t state = 0x5eed5eed5eedULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % below;
}

/* Whatever the bytes are: the parser ends, and names a line that exists. */
static void try_bytes(const char *text, size_t len)
{
	unsigned int lines = 1, i;
	uint8_t addr[16] = {};

	for (i = 0; i < len; i++)
		lines += text[i] == '\n';
	if (parse(text, len)) {
		if (!error.line || error.line > lines || !error.words[0])
			abort();
		return;
	}
	for (i = 0; i < conf.n_rules; i++) {
		smc_conf_program(&conf.rules[i], "nginx", "/usr/sbin/nginx");
		smc_conf_match(&conf.rules[i], SMC_CONF_CONNECT, addr,
			       rnd(2) ? 4 : 16, rnd(65536));
	}
}

static void try_random(void)
{
	static const char words[][20] = {
		"use", "smc", "tcp", "connect", "listen", "both", "*", "*:*",
		"10.0.0.0/8:80", "[::1]:80-90", "ueid", "pnetid", "-I", "-D",
		"-P", "sysctl", "net.smc.rmem", "=", "1", "-1", "-", "a", "#",
		"[", "]", "/", ":", "\n", "\n", "\n", "\t",
	};
	char text[1024];
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		size_t n = 0;

		while (n < sizeof(text) - 24 && rnd(60))
			n += snprintf(text + n, sizeof(text) - n, "%s%s",
				      words[rnd(ARRAY_SIZE(words))],
				      rnd(4) ? " " : "");
		if (n && !rnd(4))
			text[rnd(n)] = rnd(256);
		try_bytes(text, n);
	}
	result("random files", "", "");
}

/* conf_table DIRECTORY: prints KTAP; the directory is for files */
int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	ktap_start(&ktap, NULL, ARRAY_SIZE(right) + ARRAY_SIZE(wrong_files) +
		   ARRAY_SIZE(programs) + ARRAY_SIZE(matches) + OTHERS);
	try_lines();
	try_limits();
	try_files(argv[1]);
	try_rules();
	try_random();
	return ktap_finish(&ktap);
}
