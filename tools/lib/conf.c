// SPDX-License-Identifier: GPL-2.0
#include "conf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/smc.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SYSCTL_PREFIX "net.smc."

enum {
	WORDS_MAX	= 12,	/* more than any line has */
	PORT_MAX	= 65535,
	DEVICE_BYTES	= 64,
};

/* A line that is being understood. */
struct line {
	struct smc_conf *c;
	struct smc_conf_error *err;
	unsigned int number;
	char *word[WORDS_MAX];
	unsigned int n;
};

/* ---- errors ---- */

__attribute__((format(printf, 2, 3)))
static int wrong(struct line *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(l->err->words, sizeof(l->err->words), format, args);
	va_end(args);
	l->err->line = l->number;
	return -EINVAL;
}

static int unreadable(struct smc_conf_error *err, int number, const char *words)
{
	*err = (struct smc_conf_error){};
	snprintf(err->words, sizeof(err->words), "%s", words);
	return -number;
}

void smc_conf_explain(char *buf, size_t size, const char *path,
		      const struct smc_conf_error *err)
{
	if (err->line)
		snprintf(buf, size, "%s:%u: %s", path, err->line, err->words);
	else
		snprintf(buf, size, "%s: %s", path, err->words);
}

/* ---- words ---- */

/* The C library's functions of this kind depend on the language. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void to_capitals(char *word)
{
	for (; *word; word++)
		if (*word >= 'a' && *word <= 'z')
			*word += 'A' - 'a';
}

bool smc_conf_ueid(char *word)
{
	size_t i;

	if (!is_alnum(word[0]))
		return false;
	for (i = 0; word[i]; i++)
		if (!is_alnum(word[i]) && word[i] != '.' && word[i] != '-')
			return false;
	to_capitals(word);
	return i <= SMC_MAX_EID_LEN;
}

bool smc_conf_pnetid(char *word)
{
	size_t i;

	for (i = 0; word[i]; i++)
		if (!is_alnum(word[i]))
			return false;
	to_capitals(word);
	return i && i <= SMC_MAX_PNETID_LEN;
}

/* Converts a number from @min to @max that ends at @end. */
static bool number(const char *from, const char *end, unsigned long min,
		   unsigned long max, unsigned long *value)
{
	unsigned long n = 0;

	if (from == end)
		return false;
	for (; from < end; from++) {
		if (!is_digit(*from) || n > max)
			return false;
		n = n * 10 + (*from - '0');
	}
	*value = n;
	return n >= min && n <= max;
}

/* ---- use FAMILY CALL PROGRAM ADDRESS:PORT ---- */

static int parse_ports(struct line *l, struct smc_conf_rule *r,
		       const char *text)
{
	const char *end = text + strlen(text);
	const char *dash = strchr(text, '-');
	unsigned long first, last;

	if (!strcmp(text, "*")) {
		r->first = 0;
		r->last = PORT_MAX;
		return 0;
	}
	if (!number(text, dash ? dash : end, 1, PORT_MAX, &first) ||
	    (dash && !number(dash + 1, end, 1, PORT_MAX, &last)))
		return wrong(l, "'%.40s' is no port: 1 to 65535, FIRST-LAST, or *",
			     text);
	if (!dash)
		last = first;
	if (first > last)
		return wrong(l, "the ports '%.40s' are in the wrong order", text);
	r->first = first;
	r->last = last;
	return 0;
}

/* Are the bits behind the prefix zero? */
static bool prefix_fits(const struct smc_conf_rule *r)
{
	unsigned int bit;

	for (bit = r->prefix; bit < r->bytes * 8U; bit++)
		if (r->addr[bit / 8] & (0x80 >> bit % 8))
			return false;
	return true;
}

/* @text: ADDRESS[/PREFIX], where an address of IPv6 is in brackets; changes */
static int parse_address(struct line *l, struct smc_conf_rule *r, char *text)
{
	bool v6 = text[0] == '[';
	char *slash = strchr(text, '/');
	unsigned long prefix;
	size_t len;

	if (!strcmp(text, "*"))
		return 0;
	r->bytes = v6 ? 16 : 4;
	prefix = r->bytes * 8;
	if (slash && !number(slash + 1, slash + strlen(slash), 0, r->bytes * 8,
			     &prefix))
		return wrong(l, "'%.40s' is no prefix of an address: 0 to %u",
			     slash + 1, r->bytes * 8);
	r->prefix = prefix;
	if (slash)
		*slash = '\0';
	len = strlen(text);
	if (v6 && text[len - 1] == ']') {
		text[len - 1] = '\0';
		text++;
	}
	if (inet_pton(v6 ? AF_INET6 : AF_INET, text, r->addr) != 1)
		return wrong(l, "'%.60s' is no address: of IPv4, [of IPv6], or *",
			     text);
	if (!prefix_fits(r))
		return wrong(l, "the address %.60s has bits behind its prefix, %u",
			     text, r->prefix);
	return 0;
}

static int parse_where(struct line *l, struct smc_conf_rule *r, char *text)
{
	char *colon = strrchr(text, ':');
	int err;

	/* the colons of an address of IPv6 are in brackets */
	if (!colon || strchr(colon, ']'))
		return wrong(l, "'%.60s' has no port: ADDRESS:PORT, *:* for any",
			     text);
	err = parse_ports(l, r, colon + 1);
	if (err)
		return err;
	*colon = '\0';
	if (text[0] != '[' && strchr(text, ':'))
		return wrong(l, "the address %.60s of IPv6 needs brackets",
			     text);
	return parse_address(l, r, text);
}

static int parse_use(struct line *l)
{
	struct smc_conf_rule *r = &l->c->rules[l->c->n_rules];
	const char *call;

	if (l->n != 5)
		return wrong(l, "a rule is: use smc|tcp connect|listen|both PROGRAM ADDRESS:PORT");
	if (l->c->n_rules == SMC_CONF_RULES)
		return wrong(l, "more than %u rules", SMC_CONF_RULES);
	if (strcmp(l->word[1], "smc") && strcmp(l->word[1], "tcp"))
		return wrong(l, "'%.40s' is neither smc nor tcp", l->word[1]);
	r->tcp = !strcmp(l->word[1], "tcp");
	call = l->word[2];
	if (!strcmp(call, "connect"))
		r->calls = SMC_CONF_CONNECT;
	else if (!strcmp(call, "listen"))
		r->calls = SMC_CONF_LISTEN;
	else if (!strcmp(call, "both"))
		r->calls = SMC_CONF_CONNECT | SMC_CONF_LISTEN;
	else
		return wrong(l, "'%.40s' is none of connect, listen and both",
			     call);
	r->program = l->word[3];
	l->c->n_rules++;
	return parse_where(l, r, l->word[4]);
}

/* ---- ueid NAME ---- */

static int parse_ueid(struct line *l)
{
	static const char by_default[] = "SMCV2-DEFAULT-UEID";
	struct smc_conf *c = l->c;
	unsigned int i, users;
	char *name;

	if (l->n != 2)
		return wrong(l, "a UEID is: ueid NAME");
	name = l->word[1];
	if (c->ueid_line && (!c->n_ueids || !strcmp(name, "-")))
		return wrong(l, "'ueid -' allows no other UEID");
	if (!c->ueid_line)
		c->ueid_line = l->number;
	if (!strcmp(name, "-"))
		return 0;
	if (!smc_conf_ueid(name))
		return wrong(l, "'%.40s' is no UEID: letters, digits, later '.' or '-', up to %u",
			     name, SMC_MAX_EID_LEN);
	users = !!strcmp(name, by_default);
	for (i = 0; i < c->n_ueids; i++) {
		if (!strcmp(c->ueids[i].name, name))
			return wrong(l, "the UEID %s is in line %u already",
				     name, c->ueids[i].line);
		users += !!strcmp(c->ueids[i].name, by_default);
	}
	if (users > SMC_MAX_UEID)
		return wrong(l, "more than %u UEIDs", SMC_MAX_UEID);
	c->ueids[c->n_ueids].name = name;
	c->ueids[c->n_ueids++].line = l->number;
	return 0;
}

/* ---- pnetid [-I INTERFACE] [-D DEVICE [-P PORT]] NAME ---- */

static const struct {
	const char *brief;
	const char *word;
} pnetid_options[] = {
	{ "-I", "--interface" }, { "-D", "--ibdevice" }, { "-P", "--ibport" },
};

/* Stores the values of the options in @value and the name in @name. */
static int pnetid_words(struct line *l, const char **value, char **name)
{
	unsigned int i, k;

	for (i = 1; i < l->n; i++) {
		for (k = 0; k < ARRAY_SIZE(pnetid_options); k++)
			if (!strcmp(l->word[i], pnetid_options[k].brief) ||
			    !strcmp(l->word[i], pnetid_options[k].word))
				break;
		if (k < ARRAY_SIZE(pnetid_options)) {
			if (i + 1 == l->n)
				return wrong(l, "%s needs a value", l->word[i]);
			if (value[k])
				return wrong(l, "%s twice", l->word[i]);
			value[k] = l->word[++i];
		} else if (l->word[i][0] == '-' && l->word[i][1]) {
			return wrong(l, "'%.40s' is none of -I, -D and -P",
				     l->word[i]);
		} else if (*name) {
			return wrong(l, "more than one PNETID: %.40s, %.40s",
				     *name, l->word[i]);
		} else {
			*name = l->word[i];
		}
	}
	return *name ? 0 : wrong(l, "the PNETID is missing");
}

static bool same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static int add_pnetid(struct line *l, const struct smc_conf_pnetid *p)
{
	struct smc_conf *c = l->c;
	unsigned int i;

	for (i = 0; i < c->n_pnetids; i++) {
		const struct smc_conf_pnetid *other = &c->pnetids[i];

		if (same_text(other->interface, p->interface) ||
		    (same_text(other->device, p->device) &&
		     other->port == p->port))
			return wrong(l, "this device has a PNETID in line %u already",
				     other->line);
	}
	if (c->n_pnetids == SMC_CONF_PNETIDS)
		return wrong(l, "more than %u PNETIDs", SMC_CONF_PNETIDS);
	c->pnetids[c->n_pnetids++] = *p;
	return 0;
}

static int parse_pnetid(struct line *l)
{
	const char *value[ARRAY_SIZE(pnetid_options)] = {};
	struct smc_conf_pnetid p = { .line = l->number };
	struct smc_conf *c = l->c;
	char *name = NULL;
	int err;

	err = pnetid_words(l, value, &name);
	if (err)
		return err;
	if (c->pnetid_line && (!c->n_pnetids || !strcmp(name, "-")))
		return wrong(l, "'pnetid -' allows no other PNETID");
	if (!c->pnetid_line)
		c->pnetid_line = l->number;
	p.name = name;
	p.interface = value[0];
	p.device = value[1];
	if (!strcmp(name, "-") && l->n == 2)
		return 0;
	if (!smc_conf_pnetid(name))
		return wrong(l, "'%.40s' is no PNETID: 1 to %u letters and digits",
			     name, SMC_MAX_PNETID_LEN);
	if (!p.interface && !p.device)
		return wrong(l, "a PNETID needs -I INTERFACE or -D DEVICE");
	if (p.interface && strlen(p.interface) >= IF_NAMESIZE)
		return wrong(l, "the interface name '%.40s' is too long",
			     p.interface);
	if (p.device && strlen(p.device) >= DEVICE_BYTES)
		return wrong(l, "the device name '%.40s' is too long",
			     p.device);
	if (value[2] && !p.device)
		return wrong(l, "-P needs -D");
	if (value[2] && strcmp(value[2], "1") && strcmp(value[2], "2"))
		return wrong(l, "the port of an RDMA device is 1 or 2");
	p.port = value[2] && *value[2] == '2' ? 2 : 1;
	return add_pnetid(l, &p);
}

/* ---- sysctl net.smc.NAME = VALUE... ---- */

static bool is_integer(const char *word)
{
	if (*word == '-')
		word++;
	if (!*word)
		return false;
	while (is_digit(*word))
		word++;
	return !*word;
}

static bool is_sysctl(const char *name)
{
	if (!*name)
		return false;
	while (is_alnum(*name) || *name == '_')
		name++;
	return !*name;
}

/* The value of this sysctl is the name of a BPF program. */
static bool takes_name(const char *sysctl)
{
	return !strcmp(sysctl, "hs_ctrl");
}

/* Checks the name of a program; "-" stands for none. */
static int check_name(struct line *l)
{
	const char *c = l->word[3];

	while (is_alnum(*c) || *c == '_' || *c == '.')
		c++;
	if (l->n != 4 || (*c && strcmp(l->word[3], "-")))
		return wrong(l, "%.40s takes one name, or -", l->word[1]);
	return 0;
}

/* A sysctl has @wanted numbers. The kernel would ignore any further ones. */
static int check_numbers(struct line *l, unsigned int wanted)
{
	unsigned int i;

	for (i = 3; i < l->n; i++)
		if (!is_integer(l->word[i]))
			return wrong(l, "'%.40s' is no number", l->word[i]);
	if (l->n - 3 != wanted)
		return wrong(l, "%.40s takes %u number%s, not %u", l->word[1],
			     wanted, wanted == 1 ? "" : "s", l->n - 3);
	return 0;
}

static int check_value(struct line *l, const char *sysctl)
{
	if (takes_name(sysctl))
		return check_name(l);
	return check_numbers(l, strcmp(sysctl, "mem") ? 1 : 3);
}

/* Joins the words from @first on, with one blank between them, in place. */
static char *join(struct line *l, unsigned int first)
{
	char *start = l->word[first], *end = start + strlen(start);
	unsigned int i;

	for (i = first + 1; i < l->n; i++) {
		size_t len = strlen(l->word[i]);

		*end++ = ' ';
		memmove(end, l->word[i], len + 1);
		end += len;
	}
	return start;
}

/* The splitter has made a word of the sign "=". */
static int parse_sysctl(struct line *l)
{
	struct smc_conf *c = l->c;
	const char *name;
	unsigned int i;
	int err;

	if (l->n < 4 || strcmp(l->word[2], "="))
		return wrong(l, "a sysctl is: sysctl net.smc.NAME = VALUE");
	name = l->word[1];
	if (strncmp(name, SYSCTL_PREFIX, strlen(SYSCTL_PREFIX)))
		return wrong(l, "'%.40s' does not begin with " SYSCTL_PREFIX,
			     name);
	name += strlen(SYSCTL_PREFIX);
	if (!is_sysctl(name))
		return wrong(l, "'%.40s' is no name of a sysctl", l->word[1]);
	err = check_value(l, name);
	if (err)
		return err;
	for (i = 0; i < c->n_sysctls; i++)
		if (!strcmp(c->sysctls[i].name, name))
			return wrong(l, "%.40s is in line %u already",
				     l->word[1], c->sysctls[i].line);
	if (c->n_sysctls == SMC_CONF_SYSCTLS)
		return wrong(l, "more than %u sysctls", SMC_CONF_SYSCTLS);
	c->sysctls[c->n_sysctls++] = (struct smc_conf_sysctl){
		.name = name, .value = join(l, 3), .line = l->number };
	if (takes_name(name) && !strcmp(l->word[3], "-"))
		*l->word[3] = '\0';
	return 0;
}

/* ---- lines ---- */

static const struct {
	const char *word;
	int (*parse)(struct line *l);
} kinds[] = {
	{ "use", parse_use },
	{ "ueid", parse_ueid },
	{ "pnetid", parse_pnetid },
	{ "sysctl", parse_sysctl },
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * Splits a line at blanks, up to a "#" that begins a word. In a line of a
 * sysctl, "=" is a word without blanks around it, too.
 */
static int split(struct line *l, char *text)
{
	static char equals[] = "=";

	l->n = 0;
	for (;;) {
		bool sysctl;

		while (is_blank(*text))
			*text++ = '\0';
		sysctl = l->n && !strcmp(l->word[0], "sysctl");
		if (!*text || *text == '#')
			break;
		if (l->n == WORDS_MAX)
			return wrong(l, "more words than any line has");
		if (sysctl && *text == '=') {
			*text++ = '\0';
			l->word[l->n++] = equals;
			continue;
		}
		l->word[l->n++] = text;
		while (*text && !is_blank(*text) && !(sysctl && *text == '='))
			text++;
	}
	*text = '\0';
	return 0;
}

/* Messages quote words, and terminals obey control characters. */
static int check_bytes(struct line *l, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = text[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return wrong(l, "a control character, code %u", c);
	}
	return 0;
}

static int parse_line(struct line *l, char *text, size_t len)
{
	unsigned int i;
	int err;

	err = check_bytes(l, text, len);
	if (!err)
		err = split(l, text);
	if (err || !l->n)
		return err;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(l->word[0], kinds[i].word))
			return kinds[i].parse(l);
	return wrong(l, "'%.40s' is none of use, ueid, pnetid and sysctl",
		     l->word[0]);
}

int smc_conf_parse(struct smc_conf *c, size_t len, struct smc_conf_error *err)
{
	struct line l = { .c = c, .err = err };
	char *text = c->text, *end = text + len;

	*err = (struct smc_conf_error){};
	/* the last line may lack its newline */
	*end++ = '\n';
	while (text < end) {
		char *next = memchr(text, '\n', end - text);
		int status;

		*next = '\0';
		l.number++;
		status = parse_line(&l, text, next - text);
		if (status)
			return status;
		text = next + 1;
	}
	return 0;
}

/* Returns the length, or a negative errno. */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += n;
	}
	return len;
}

int smc_conf_load(struct smc_conf *c, const char *path,
		  struct smc_conf_error *err)
{
	struct stat st;
	ssize_t len;
	int fd;

	/* The path may name a pipe, and open() would wait for its writer. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return unreadable(err, errno, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return unreadable(err, EINVAL, "no regular file");
	}
	len = read_all(fd, c->text, SMC_CONF_BYTES + 1);
	close(fd);
	if (len < 0)
		return unreadable(err, -len, strerror(-len));
	if (len > SMC_CONF_BYTES)
		return unreadable(err, EFBIG, "longer than 64 KiB");
	return smc_conf_parse(c, len, err);
}

/* ---- rules ---- */

/* "*" is any text, and "?" one byte. */
static bool glob(const char *pattern, const char *text)
{
	const char *star = NULL, *behind = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			behind = text;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++behind;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool smc_conf_program(const struct smc_conf_rule *r, const char *name,
		      const char *path)
{
	const char *slash = strrchr(path, '/');

	if (strchr(r->program, '/'))
		return glob(r->program, path);
	return glob(r->program, name) ||
	       (slash && glob(r->program, slash + 1));
}

static bool in_prefix(const struct smc_conf_rule *r, const uint8_t *addr)
{
	unsigned int whole = r->prefix / 8, rest = r->prefix % 8;
	uint8_t mask = 0xff << (8 - rest);

	return !memcmp(r->addr, addr, whole) &&
	       (!rest || !((r->addr[whole] ^ addr[whole]) & mask));
}

bool smc_conf_match(const struct smc_conf_rule *r, unsigned int call,
		    const uint8_t *addr, unsigned int bytes, uint16_t port)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!(r->calls & call) || port < r->first || port > r->last)
		return false;
	if (!r->bytes)
		return true;
	if (bytes == 16 && !memcmp(addr, mapped, sizeof(mapped))) {
		/* a rule for all of IPv6 is also one for mapped addresses */
		if (r->bytes == 16)
			return in_prefix(r, addr);
		addr += sizeof(mapped);
		bytes = 4;
	}
	return bytes == r->bytes && in_prefix(r, addr);
}
