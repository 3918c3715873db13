#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Full windows, slow readers, poll and epoll.
# deep: 6.12 6.1
# timeout: 400
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/../lib.sh"

ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc \
	--expect-mode inhost @flow @epoll
ktap_end
