#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The socket interface: sharing, connecting, flags, options, signals.
# deep: 6.1
# timeout: 400
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/../lib.sh"

ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc \
	--expect-mode inhost @share @connect @flags @hold @splice @opts @signal \
	@urgent @oob @api
ktap_end
