#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests that many connects at once end in SMC, or show a reason why not, and
# that their memory is free when the last connection has closed.
# deep: 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc @burst
ktap_end
