/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /etc/smc.conf: rules for the preload library, and settings for "smcr config".
 * smc.conf(5) describes the file.
 *
 * The preload library reads the file inside any program, perhaps in a signal
 * handler or between fork() and exec(). So these functions allocate no memory,
 * take no lock, and keep nothing between calls: all that a file says is in the
 * struct that the caller passes.
 */
#ifndef SMC_TOOLS_CONF_H
#define SMC_TOOLS_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMC_CONF_PATH	"/etc/smc.conf"

/* Calls that a rule is about: the sum of these */
enum {
	SMC_CONF_CONNECT	= 1,
	SMC_CONF_LISTEN		= 2,
};

enum {
	SMC_CONF_BYTES		= 64 * 1024,	/* of the file */
	SMC_CONF_RULES		= 256,
	SMC_CONF_SYSCTLS	= 64,
	SMC_CONF_PNETIDS	= 256,
	/* SMC_MAX_UEID of the administrator, and the default one */
	SMC_CONF_UEIDS		= 5,
};

struct smc_conf_rule {
	const char *program;	/* pattern; with a slash, of the path */
	bool tcp;		/* otherwise SMC */
	uint8_t calls;
	uint8_t bytes;		/* of addr: 4 or 16; 0: any address */
	uint8_t prefix;		/* bits of addr that count */
	uint8_t addr[16];
	uint16_t first;		/* ports; 0 to 65535: any */
	uint16_t last;
};

struct smc_conf_sysctl {
	const char *name;	/* without "net.smc." */
	const char *value;	/* numbers with one blank between them, or a name */
	unsigned int line;
};

struct smc_conf_pnetid {
	const char *name;	/* in capitals */
	const char *interface;	/* NULL: none */
	const char *device;	/* RDMA device; NULL: none */
	unsigned int port;	/* of the RDMA device */
	unsigned int line;
};

struct smc_conf_ueid {
	const char *name;	/* in capitals */
	unsigned int line;
};

struct smc_conf {
	struct smc_conf_rule rules[SMC_CONF_RULES];
	struct smc_conf_sysctl sysctls[SMC_CONF_SYSCTLS];
	struct smc_conf_pnetid pnetids[SMC_CONF_PNETIDS];
	struct smc_conf_ueid ueids[SMC_CONF_UEIDS];
	unsigned int n_rules;
	unsigned int n_sysctls;
	unsigned int n_pnetids;
	unsigned int n_ueids;
	unsigned int ueid_line;		/* the first that is about UEIDs; 0: none */
	unsigned int pnetid_line;
	char text[SMC_CONF_BYTES + 2];	/* the strings above are in here */
};

struct smc_conf_error {
	unsigned int line;	/* 0: of the whole file */
	char words[160];
};

/**
 * smc_conf_parse - understand a file
 * @c: zeroed except for @text, which has the file and changes
 * @len: length of the file
 * @err: the first mistake
 *
 * Return: 0, or -EINVAL: then @c is of no use.
 */
int smc_conf_parse(struct smc_conf *c, size_t len, struct smc_conf_error *err);

/**
 * smc_conf_load - read and parse a file
 * @c: zeroed
 * @path: a regular file
 * @err: the first mistake, or why the file cannot be read
 *
 * Return: 0 or a negative errno; -ENOENT: there is no such file.
 */
int smc_conf_load(struct smc_conf *c, const char *path,
		  struct smc_conf_error *err);

/* Writes "PATH:LINE: WORDS" to @buf, without a newline. */
void smc_conf_explain(char *buf, size_t size, const char *path,
		      const struct smc_conf_error *err);

/*
 * Does a rule name this program? @name: the name that it was started by; @path:
 * its file, may be empty.
 */
bool smc_conf_program(const struct smc_conf_rule *r, const char *name,
		      const char *path);

/* Does a rule apply to this call? @bytes: 4 or 16, the length of @addr; a rule
 * for IPv4 also applies to a mapped address of IPv6.
 */
bool smc_conf_match(const struct smc_conf_rule *r, unsigned int call,
		    const uint8_t *addr, unsigned int bytes, uint16_t port);

/*
 * May this word be a UEID or a PNETID? Turns it into capitals. Otherwise the
 * result is false.
 */
bool smc_conf_ueid(char *word);
bool smc_conf_pnetid(char *word);

#endif
