// SPDX-License-Identifier: GPL-2.0
/* Diagnosis codes of a Decline in words. */
#include "decline.h"

/* Codes that are recorded here and never sent. */
static const char *local_str(u32 code)
{
	switch (code) {
	case SMC_DECL_PEERDECL:
		return "The peer declined.";
	case SMC_DECL_ECHO:
		return "The peer showed the SMC option but does not speak SMC.";
	default:
		return "The reason is not known here.";
	}
}

/**
 * smc_clc_decline_str() - a diagnosis code as a sentence
 * @code: enum smc_decline, or any number a peer sent
 *
 * Return: a constant string for people, never NULL.
 */
const char *smc_clc_decline_str(u32 code)
{
	switch (code) {
	case SMC_DECL_MEM:
		return "There was not enough memory.";
	case SMC_DECL_TIMEOUT_CL:
		return "The peer did not confirm the link in time.";
	case SMC_DECL_TIMEOUT_AL:
		return "The peer did not answer about a second link in time.";
	case SMC_DECL_CNFERR:
		return "The configuration does not allow SMC here.";
	case SMC_DECL_PEERNOSMC:
		return "The peer did not offer SMC when the connection was opened.";
	case SMC_DECL_IPSEC:
		return "The connection is protected by IPsec.";
	case SMC_DECL_NOSMCDEV:
		return "No device for SMC was found on the path to the peer.";
	case SMC_DECL_NOSMCDDEV:
		return "No SMC-D device was found.";
	case SMC_DECL_NOSMCRDEV:
		return "No usable RDMA device was found on the path to the peer.";
	case SMC_DECL_NOISMV2:
		return "SMC-D version 2 is not supported here.";
	case SMC_DECL_NOV2EXT:
		return "The proposal lacks the version 2 part.";
	case SMC_DECL_NODV2EXT:
		return "The proposal lacks the SMC-D version 2 part.";
	case SMC_DECL_NOSEID:
		return "The system's own enterprise ID is missing or differs.";
	case SMC_DECL_NODV2DEV:
		return "No SMC-D version 2 device was found.";
	case SMC_DECL_NOUEID:
		return "The two hosts have no enterprise ID in common.";
	case SMC_DECL_RELEASE:
		return "The two hosts could not agree on a release.";
	case SMC_DECL_MAXCONNS:
		return "The two hosts could not agree on connections per link group.";
	case SMC_DECL_MAXLINKS:
		return "The two hosts could not agree on links per link group.";
	case SMC_DECL_MODEUNSUPP:
		return "The peer asked for a kind of SMC that is not supported.";
	case SMC_DECL_EYECATCHER:
		return "The peer wants eye catchers in receive buffers.";
	case SMC_DECL_OPTUNSUPP:
		return "A socket option in use is not possible with SMC.";
	case SMC_DECL_DIFFPREFIX:
		return "The two hosts are not in the same IP subnet.";
	case SMC_DECL_VLANLOOKUP:
		return "The VLAN of the connection could not be found.";
	case SMC_DECL_ISMVLAN:
		return "The VLAN could not be registered with the SMC-D device.";
	case SMC_DECL_NOACTLINK:
		return "The link group has no active link.";
	case SMC_DECL_NOSRVLINK:
		return "The link that the server named is not known.";
	case SMC_DECL_VERSMISMAT:
		return "The two hosts have no protocol version in common.";
	case SMC_DECL_DMBLIMIT:
		return "The limit of SMC-D receive buffers is reached.";
	case SMC_DECL_NOROUTE:
		return "There is no route to the peer's RDMA address.";
	case SMC_DECL_INDIRECT:
		return "One host sees a gateway on the RDMA path, the other does not.";
	case SMC_DECL_SYNCERR:
		return "The two hosts disagree on which link groups exist.";
	case SMC_DECL_INTERR:
		return "An internal error occurred.";
	case SMC_DECL_ERR_RTOK:
		return "The peer's receive buffer keys could not be used.";
	case SMC_DECL_ERR_RDYLNK:
		return "The link could not be made ready.";
	case SMC_DECL_ERR_REGBUF:
		return "A receive buffer could not be registered.";
	default:
		return local_str(code);
	}
}
