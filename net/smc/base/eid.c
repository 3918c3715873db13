// SPDX-License-Identifier: GPL-2.0
/* The table of enterprise IDs and its rules. */
#include <linux/errno.h>
#include <linux/string.h>
#include "eid.h"

/*
 * SMC of other vendors has the same default EID. So two freshly installed hosts
 * share an EID.
 */
static const u8 smc_eid_default[SMC_EID_LEN] =
	"SMCV2-DEFAULT-UEID              ";

static bool is_alnum(u8 c)
{
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/**
 * eid_valid() - is this a valid EID?
 * @eid: the name
 *
 * An EID has capital letters, digits, '.' and '-'. An EID begins with a letter
 * or a digit, and blanks fill it up at the end.
 *
 * Return: true if the EID is valid.
 */
static bool eid_valid(const u8 eid[SMC_EID_LEN])
{
	int i, end = SMC_EID_LEN;

	while (end && eid[end - 1] == ' ')
		end--;
	if (!end || !is_alnum(eid[0]))
		return false;
	for (i = 1; i < end; i++)
		if (!is_alnum(eid[i]) && eid[i] != '.' && eid[i] != '-')
			return false;
	return true;
}

/**
 * smc_eids_init() - initialise the table of a new namespace, with the default
 * EID only
 * @t: the table
 */
void smc_eids_init(struct smc_eids *t)
{
	memset(t, 0, sizeof(*t));
	memcpy(t->eid[0], smc_eid_default, SMC_EID_LEN);
	t->n = 1;
}

static int eid_find(const struct smc_eids *t, const u8 *eid)
{
	int i;

	for (i = 0; i < t->n; i++)
		if (!memcmp(t->eid[i], eid, SMC_EID_LEN))
			return i;
	return -ENOENT;
}

/**
 * smc_eids_has() - is this EID in the table?
 * @t: the table
 * @eid: any 32 bytes
 *
 * Return: true if the EID is in the table.
 */
bool smc_eids_has(const struct smc_eids *t, const u8 eid[SMC_EID_LEN])
{
	return eid_find(t, eid) >= 0;
}

static bool is_default(const u8 *eid)
{
	return !memcmp(eid, smc_eid_default, SMC_EID_LEN);
}

/**
 * smc_eids_add() - add an EID
 * @t: the table
 * @eid: the name
 *
 * The default EID is always last, so that EIDs of the administrator are
 * preferred. The default EID does not count against SMC_EIDS_USER_MAX.
 *
 * Return: 0; -EINVAL for an invalid EID, -ERANGE if the table is full, -EEXIST
 * if the table already has this EID.
 */
int smc_eids_add(struct smc_eids *t, const u8 eid[SMC_EID_LEN])
{
	bool has_default = smc_eids_has(t, smc_eid_default);
	int users = t->n - has_default;
	int at = t->n;

	if (!eid_valid(eid))
		return -EINVAL;
	if (users >= SMC_EIDS_USER_MAX && !is_default(eid))
		return -ERANGE;
	if (smc_eids_has(t, eid))
		return -EEXIST;
	if (has_default) {
		at--;
		memcpy(t->eid[at + 1], t->eid[at], SMC_EID_LEN);
	}
	memcpy(t->eid[at], eid, SMC_EID_LEN);
	t->n++;
	return 0;
}

/**
 * smc_eids_remove() - remove an EID
 * @t: the table
 * @eid: the name; the default one can be removed like any other
 *
 * Return: 0; -EINVAL for an invalid EID, -ENOENT if the table does not have
 * this EID.
 */
int smc_eids_remove(struct smc_eids *t, const u8 eid[SMC_EID_LEN])
{
	int at = eid_find(t, eid);

	if (!eid_valid(eid))
		return -EINVAL;
	if (at < 0)
		return at;
	t->n--;
	memmove(t->eid[at], t->eid[at + 1],
		(size_t)(t->n - at) * SMC_EID_LEN);
	return 0;
}
