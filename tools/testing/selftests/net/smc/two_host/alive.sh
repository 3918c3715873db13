#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Keepalive (RFC 7609 4.5.3).
# deep: 6.12 6.1
# timeout: 200
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

ktap_start
# Idle groups of other tests are probed, too, and the counter is for all.
reload
server_on_a
from_b "SMC-R" --family smc --expect-mode smcr @alive

# R-4.5.3-07: nobody answers and there is no other link. TCP would take minutes.
silent=$(sh_on a "setsid $smc_run $selftests/unplugged.py --listen 7610 \
	> /dev/null 2>&1 & echo \$!")
said=$(on -t 90 b "$smc_run" "$selftests/unplugged.py" "$a" 7610 eth0 100 2>&1)
case $said in
"ECONNRESET "[1-9]|"ECONNRESET "1[0-9])
	pass "TEST LINK without an answer resets the connection ($said s)" ;;
# R-4.5.3-07
*)	fail "TEST LINK without an answer resets the connection" "$said" ;;
esac
on a kill "$silent"
# Host a may have the group still: this one says so, the next finds none (C.4).
from_b "first connection after that" --family smc names
from_b "connection after that" --family smc --expect-mode smcr names
stop_server_on_a
ktap_end
