/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions that the fuzz target and the driver with a fixed seed share. */
#ifndef SMC_FUZZ_H
#define SMC_FUZZ_H

#include <linux/types.h>

/* The first input byte without its high bit, modulo FUZZ_TARGETS. */
enum fuzz_target {
	FUZZ_PROPOSAL,
	FUZZ_ACCEPT,
	FUZZ_CONFIRM,
	FUZZ_DECLINE,
	FUZZ_LLC_ANY,
	FUZZ_CDC,
	FUZZ_STREAM,
	FUZZ_LLC_V2,
	FUZZ_FRAME,
	FUZZ_EXT,
	FUZZ_TARGETS,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#endif /* SMC_FUZZ_H */
