#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The socket interface: sharing, connecting, flags, options, signals.
# deep: 6.12 6.1
# timeout: 400
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

ktap_start
server_on_a
from_b "SMC-R" --family smc --expect-mode smcr @share @connect @flags @hold \
	@splice @opts @signal @urgent @oob @api
stop_server_on_a
ktap_end
