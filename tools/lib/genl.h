/* SPDX-License-Identifier: GPL-2.0 */
/* The module's generic netlink families, for the tools. */
#ifndef SMC_TOOLS_GENL_H
#define SMC_TOOLS_GENL_H

#include <stdbool.h>
#include <stdint.h>

#include <libmnl/libmnl.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

enum {
	SMC_GENL_ATTRS = 32,	/* more than the types of any nest */
};

/* Attributes of one nesting level, by type; NULL: the message lacks this
 * attribute.
 */
struct smc_attrs {
	const struct nlattr *a[SMC_GENL_ATTRS];
};

/*
 * Attribute of a request: a string; or, if @text is NULL, a number of 32 bits
 * (@wide) or 8 bits.
 */
struct smc_param {
	uint16_t type;
	const char *text;
	uint32_t number;
	bool wide;
};

/* Callback of a dump for each message; @top: outermost attributes. */
typedef void (*smc_genl_cb)(uint8_t cmd, const struct smc_attrs *top,
			    void *arg);

/**
 * smc_genl_dump - request a dump, and pass on each answer
 * @family: name of the family
 * @cmd: command
 * @cb: called for each message
 * @arg: for @cb
 *
 * Return: 0 or a negative errno; -ENOENT: the family does not exist.
 */
int smc_genl_dump(const char *family, uint8_t cmd, smc_genl_cb cb, void *arg);
/**
 * smc_genl_ask - send a command, which the kernel answers with or without
 * messages
 * @params: @n attributes of the request
 * @cb: NULL for a command that only succeeds or fails
 */
int smc_genl_ask(const char *family, uint8_t cmd,
		 const struct smc_param *params, unsigned int n,
		 smc_genl_cb cb, void *arg);
/* smc_genl_words - returns the kernel's message about the last failure; may be
 * empty
 */
const char *smc_genl_words(void);
/* smc_genl_why - returns the meaning of @err of the last call, in words */
const char *smc_genl_why(int err);
/* smc_genl_fail - print the meaning of @err of the last call; EXIT_FAILURE */
int smc_genl_fail(const char *tool, int err);

/* Values of attributes; a missing attribute reads as 0, empty or NULL. */
void smc_attrs_of(const struct nlattr *nest, struct smc_attrs *found);
uint64_t smc_attr_number(const struct smc_attrs *t, unsigned int type);
const char *smc_attr_text(const struct smc_attrs *t, unsigned int type);
bool smc_attr_nest(const struct smc_attrs *t, unsigned int type,
		   struct smc_attrs *found);

/* smc_flush - write what stdout holds; prints a message if that fails, and
 * returns an exit status
 */
int smc_flush(const char *tool);

/* prints "text" in quotes, as JSON */
void smc_json_string(const char *text);

#endif
