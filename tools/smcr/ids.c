// SPDX-License-Identifier: GPL-2.0
/* User EIDs, the system EID, limit of handshakes. */
#include <ctype.h>
#include <linux/smc.h>
#include <stdlib.h>
#include <string.h>

#include "genl.h"
#include "smcr.h"

struct list {
	const struct options *o;
	struct json json;
	unsigned int messages;
};

static int order(uint8_t cmd, const struct smc_param *p, unsigned int n)
{
	int err = smc_genl_ask(SMC_GENL_FAMILY_NAME, cmd, p, n, NULL, NULL);

	return err ? smc_genl_fail("smcr", err) : EXIT_SUCCESS;
}

/* ---- ueid ---- */

static void take_ueid(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	const char *name = smc_attr_text(top, SMC_A_UEID_ENTRY);
	int len = strcspn(name, " ");
	struct list *l = arg;

	(void)cmd;
	if (l->o->json) {
		json_item(&l->json);
		printf("\"%.*s\"", len, name);
	} else {
		printf("%.*s\n", len, name);
	}
}

static int show_ueids(const struct options *o)
{
	struct list l = { .o = o, .json.list = true };
	int err;

	err = smc_genl_dump(SMC_GENL_FAMILY_NAME, SMC_CMD_UEID_DUMP, take_ueid,
			    &l);
	if (o->json)
		json_list_end(&l.json, err);
	return err ? smc_genl_fail("smcr", err) : EXIT_SUCCESS;
}

/* Converts to capitals and pads, as the kernel and the peer expect. */
static int change_ueid(uint8_t cmd, const char *name)
{
	char eid[SMC_MAX_EID_LEN + 1];
	struct smc_param p = { .type = SMC_A_UEID_ENTRY, .text = eid };
	size_t i;

	if (!*name || strlen(name) > SMC_MAX_EID_LEN) {
		fprintf(stderr, "smcr: an EID has 1 to %d characters\n",
			SMC_MAX_EID_LEN);
		return EXIT_FAILURE;
	}
	snprintf(eid, sizeof(eid), "%-*s", SMC_MAX_EID_LEN, name);
	for (i = 0; eid[i]; i++)
		eid[i] = toupper((unsigned char)eid[i]);
	return order(cmd, &p, 1);
}

int cmd_ueid(const struct options *o, int argc, char **argv)
{
	const char *word = argc ? argv[0] : "show";
	bool add = !strcmp(word, "add"), del = !strcmp(word, "del");

	if (add || del) {
		if (argc < 2)
			wrong_usage(NULL);
		if (argc > 2)
			wrong_usage(argv[2]);
		return change_ueid(add ? SMC_CMD_UEID_ADD :
					 SMC_CMD_UEID_REMOVE, argv[1]);
	}
	if (argc > 1)
		wrong_usage(argv[1]);
	if (!strcmp(word, "flush"))
		return order(SMC_CMD_UEID_FLUSH, NULL, 0);
	if (strcmp(word, "show"))
		wrong_usage(word);
	return show_ueids(o);
}

/* ---- seid, limit: settings that are on or off ---- */

static void take_seid(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	const char *name = smc_attr_text(top, SMC_A_SEID_ENTRY);
	bool on = smc_attr_number(top, SMC_A_SEID_ENABLED);
	struct list *l = arg;
	int len = strcspn(name, " ");

	(void)cmd;
	if (l->o->json)
		printf("{\"seid\": \"%.*s\", \"enabled\": %s}\n", len, name,
		       on ? "true" : "false");
	else if (*name)
		printf("%.*s [%s]\n", len, name, on ? "enabled" : "disabled");
	else
		puts("n/a");
}

static void take_limit(uint8_t cmd, const struct smc_attrs *top, void *arg)
{
	bool on = smc_attr_number(top, SMC_A_HS_LIMIT_ENABLED);
	struct list *l = arg;

	(void)cmd;
	if (l->o->json)
		printf("{\"enabled\": %s}\n", on ? "true" : "false");
	else
		puts(on ? "enabled" : "disabled");
}

static int show(const struct options *o, uint8_t cmd, smc_genl_cb cb)
{
	struct list l = { .o = o };
	int err = smc_genl_dump(SMC_GENL_FAMILY_NAME, cmd, cb, &l);

	return err ? smc_genl_fail("smcr", err) : EXIT_SUCCESS;
}

static int on_or_off(int argc, char **argv, uint8_t on, uint8_t off)
{
	if (argc > 1)
		wrong_usage(argv[1]);
	if (!strcmp(argv[0], "enable"))
		return order(on, NULL, 0);
	if (!strcmp(argv[0], "disable"))
		return order(off, NULL, 0);
	wrong_usage(argv[0]);
}

int cmd_seid(const struct options *o, int argc, char **argv)
{
	if (!argc || !strcmp(argv[0], "show")) {
		only_show(argc, argv);
		return show(o, SMC_CMD_SEID_DUMP, take_seid);
	}
	return on_or_off(argc, argv, SMC_CMD_SEID_ENABLE,
			 SMC_CMD_SEID_DISABLE);
}

int cmd_limit(const struct options *o, int argc, char **argv)
{
	if (!argc || !strcmp(argv[0], "show")) {
		only_show(argc, argv);
		return show(o, SMC_CMD_HS_LIMIT_DUMP, take_limit);
	}
	return on_or_off(argc, argv, SMC_CMD_HS_LIMIT_ENABLE,
			 SMC_CMD_HS_LIMIT_DISABLE);
}
