#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Orderly and abrupt ends of connections (RFC 7609 4.8).
# deep: 6.1
# timeout: 400
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/../lib.sh"

ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc \
	--expect-mode inhost @close @abort
ktap_end
