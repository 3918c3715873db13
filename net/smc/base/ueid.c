// SPDX-License-Identifier: GPL-2.0
/*
 * The user EIDs (UEIDs) of each network namespace. Handshakes and dumps work on
 * a snapshot, so that a change never meets half of either.
 */
#include "ueid.h"

/**
 * smc_ueid_init() - the UEIDs of a new namespace
 * @u: its UEIDs
 */
void smc_ueid_init(struct smc_ueids *u)
{
	spin_lock_init(&u->lock);
	smc_eids_init(&u->table);
}

/**
 * smc_ueid_add() - offer and accept a UEID in this namespace
 * @u: UEIDs of the namespace
 * @eid: the name, padded with blanks
 *
 * Return: 0; -EINVAL for a name that is none, -ERANGE when the table is full,
 * -EEXIST when it is there already.
 */
int smc_ueid_add(struct smc_ueids *u, const u8 eid[SMC_EID_LEN])
{
	int err;

	spin_lock(&u->lock);
	err = smc_eids_add(&u->table, eid);
	spin_unlock(&u->lock);
	return err;
}

/**
 * smc_ueid_remove() - remove a UEID; connections that use it stay
 * @u: UEIDs of the namespace
 * @eid: the name, padded with blanks
 *
 * Return: 0; -EINVAL for a name that is none, -ENOENT when it is not there.
 */
int smc_ueid_remove(struct smc_ueids *u, const u8 eid[SMC_EID_LEN])
{
	int err;

	spin_lock(&u->lock);
	err = smc_eids_remove(&u->table, eid);
	spin_unlock(&u->lock);
	return err;
}

/**
 * smc_ueid_flush() - remove all UEIDs, the default one too
 * @u: UEIDs of the namespace
 */
void smc_ueid_flush(struct smc_ueids *u)
{
	spin_lock(&u->lock);
	u->table.n = 0;
	spin_unlock(&u->lock);
}

/**
 * smc_ueid_snapshot() - copy the UEIDs, in the order they are offered
 * @u: UEIDs of the namespace
 * @out: where they go
 */
void smc_ueid_snapshot(struct smc_ueids *u, struct smc_eids *out)
{
	spin_lock(&u->lock);
	*out = u->table;
	spin_unlock(&u->lock);
}
