/* SPDX-License-Identifier: GPL-2.0 */
/* Names for the numbers of the socket list. */
#ifndef SMC_TOOLS_NAMES_H
#define SMC_TOOLS_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "sockdiag.h"

enum {
	SMC_STATE_ACTIVE	= 1,
	SMC_STATE_INIT		= 2,
	SMC_STATE_CLOSED	= 7,
	SMC_STATE_LISTEN	= 10,

	SMC_REASON_PEER_HAS_NONE = 0x03010000,
	SMC_REASON_PEER_DECLINED = 0x05000000,
	SMC_REASON_PEER_ECHOES	 = 0x05010000,
};

/* "ACTIVE"; "?" for an unknown number */
const char *smc_state_name(unsigned int state);

/* false before and after a connection */
bool smc_state_connected(unsigned int state);

/* "SMCR", "in-host", "TCP", "SMCD"; "-" for a socket that is not connected */
const char *smc_mode_name(const struct smc_socket *s);

/* Text for a diagnosis code, or NULL. */
const char *smc_reason_words(uint32_t code);

/*
 * Reason why a socket is on TCP, as one phrase: "peer declined: no SMC-R
 * device". Empty if nothing is known.
 */
void smc_reason_phrase(const struct smc_diag_fallback *f, char *buf, size_t size);

#endif
