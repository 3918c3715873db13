// SPDX-License-Identifier: GPL-2.0
/*
 * The user EIDs (UEIDs) of each network namespace. A handshake or a dump works
 * on a snapshot, so a concurrent change does not affect it.
 */
#include "ueid.h"

/**
 * smc_ueid_init() - initialise the UEIDs of a new namespace
 * @u: UEIDs of the namespace
 */
void smc_ueid_init(struct smc_ueids *u)
{
	seqlock_init(&u->lock);
	smc_eids_init(&u->table);
}

/**
 * smc_ueid_add() - add a UEID, which this namespace then offers and accepts
 * @u: UEIDs of the namespace
 * @eid: the name, padded with blanks
 *
 * Return: 0; -EINVAL for an invalid EID, -ERANGE if the table is full, -EEXIST
 * if the table already has this UEID.
 */
int smc_ueid_add(struct smc_ueids *u, const u8 eid[SMC_EID_LEN])
{
	int err;

	write_seqlock(&u->lock);
	err = smc_eids_add(&u->table, eid);
	write_sequnlock(&u->lock);
	return err;
}

/**
 * smc_ueid_remove() - remove a UEID; existing connections that use the UEID
 * continue
 * @u: UEIDs of the namespace
 * @eid: the name, padded with blanks
 *
 * Return: 0; -EINVAL for an invalid EID, -ENOENT if the table does not have
 * this UEID.
 */
int smc_ueid_remove(struct smc_ueids *u, const u8 eid[SMC_EID_LEN])
{
	int err;

	write_seqlock(&u->lock);
	err = smc_eids_remove(&u->table, eid);
	write_sequnlock(&u->lock);
	return err;
}

/**
 * smc_ueid_flush() - remove all UEIDs, including the default one
 * @u: UEIDs of the namespace
 */
void smc_ueid_flush(struct smc_ueids *u)
{
	write_seqlock(&u->lock);
	u->table.n = 0;
	write_sequnlock(&u->lock);
}

/**
 * smc_ueid_snapshot() - copy the UEIDs, in the order in which the client offers
 * them
 * @u: UEIDs of the namespace
 * @out: output
 *
 * Each handshake calls this function, so it takes no lock.
 */
void smc_ueid_snapshot(struct smc_ueids *u, struct smc_eids *out)
{
	unsigned int seq;

	do {
		seq = read_seqbegin(&u->lock);
		*out = u->table;
	} while (read_seqretry(&u->lock, seq));
}
