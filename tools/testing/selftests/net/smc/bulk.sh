#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests the size of the receive element of connections without frames.
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc \
	--expect-mode inhost @bulk
ktap_end
