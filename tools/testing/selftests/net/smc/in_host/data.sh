#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Data arrive complete, in order, once; many connections, short ones.
# timeout: 400
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/../lib.sh"

ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc \
	--expect-mode inhost @data
ktap_end
