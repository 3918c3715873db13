/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Diagnosis codes of an SMC Decline. RFC 7609 leaves the value to the sender.
 * Deployed Linux has the same numbers (X-09, R-L-24), so tools on both sides
 * can name them. A received code is only logged and counted. No code may branch
 * on it.
 */
#ifndef SMC_WIRE_DECLINE_H
#define SMC_WIRE_DECLINE_H

/* Reasons to stay on TCP. decline_names.h has a description of each. */
enum smc_decline {
	SMC_DECL_MEM		= 0x01010000,

	SMC_DECL_TIMEOUT_CL	= 0x02010000,
	SMC_DECL_TIMEOUT_AL	= 0x02020000,

	SMC_DECL_CNFERR		= 0x03000000,
	SMC_DECL_PEERNOSMC	= 0x03010000,
	SMC_DECL_IPSEC		= 0x03020000,
	SMC_DECL_NOSMCDEV	= 0x03030000,
	SMC_DECL_NOSMCDDEV	= 0x03030001,
	SMC_DECL_NOSMCRDEV	= 0x03030002,
	SMC_DECL_NOISMV2	= 0x03030003,
	SMC_DECL_NOV2EXT	= 0x03030004,
	SMC_DECL_NODV2EXT	= 0x03030005,
	SMC_DECL_NOSEID		= 0x03030006,
	SMC_DECL_NODV2DEV	= 0x03030007,
	SMC_DECL_NOUEID		= 0x03030008,
	SMC_DECL_RELEASE	= 0x03030009,
	SMC_DECL_MAXCONNS	= 0x0303000a,
	SMC_DECL_MAXLINKS	= 0x0303000b,
	SMC_DECL_MODEUNSUPP	= 0x03040000,
	SMC_DECL_EYECATCHER	= 0x03050000,
	SMC_DECL_OPTUNSUPP	= 0x03060000,
	SMC_DECL_DIFFPREFIX	= 0x03070000,
	SMC_DECL_VLANLOOKUP	= 0x03080000,
	SMC_DECL_ISMVLAN	= 0x03090000,
	SMC_DECL_NOACTLINK	= 0x030a0000,
	SMC_DECL_NOSRVLINK	= 0x030b0000,
	SMC_DECL_VERSMISMAT	= 0x030c0000,
	SMC_DECL_DMBLIMIT	= 0x030d0000,
	SMC_DECL_NOROUTE	= 0x030e0000,
	SMC_DECL_INDIRECT	= 0x030f0000,

	/* Only a Decline with this code has the S flag. */
	SMC_DECL_SYNCERR	= 0x04000000,

	/* This code is recorded locally after a Decline of the peer, and never
	 * sent.
	 */
	SMC_DECL_PEERDECL	= 0x05000000,
	/* This code is recorded locally, see socket/echo.h, and never sent. */
	SMC_DECL_ECHO		= 0x05010000,
	/* This code is recorded locally if a SYN cookie had no room for option
	 * 254, and never sent.
	 */
	SMC_DECL_COOKIE		= 0x05010001,
	/* This code is recorded locally, and sent, if both ends have called
	 * connect().
	 */
	SMC_DECL_CROSSED	= 0x05010002,
	/*
	 * This code is recorded locally, see socket/hs_ctrl.h, and never sent.
	 */
	SMC_DECL_POLICY		= 0x05010003,
	/*
	 * This code is recorded locally, see socket/dead_path.h, and never
	 * sent.
	 */
	SMC_DECL_DEADPATH	= 0x05010004,

	SMC_DECL_INTERR		= 0x09990000,
	SMC_DECL_ERR_RTOK	= 0x09990001,
	SMC_DECL_ERR_RDYLNK	= 0x09990002,
	SMC_DECL_ERR_REGBUF	= 0x09990003,
};

#endif /* SMC_WIRE_DECLINE_H */
