#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Keepalive (RFC 7609 4.5.3).
# deep: 6.12 6.1
# timeout: 200
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/../lib.sh"

ktap_start
relay "in-host" "$peer" --single "${scale[@]}" --family smc \
	--expect-mode inhost @alive

# TCP's own probes, of which nothing reaches the other end: the connection goes
# with the error that TCP gives, although its link lives.
"$smc_run" "$selftests/unplugged.py" --listen 7610 &
server=$!
trap 'kill "$server"' EXIT
said=$("$smc_run" "$selftests/unplugged.py" 127.0.0.1 7610 lo 1 2>&1)
case $said in
"ETIMEDOUT "[1-9]|"ETIMEDOUT "[12][0-9])
	pass "TCP's keepalive ends it by ETIMEDOUT ($said s)" ;;
*)	fail "TCP's keepalive ends it by ETIMEDOUT" "$said" ;;
esac
ktap_end
