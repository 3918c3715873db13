#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that the cursors of the socket list match the bytes that have moved.
# Cursors count in elements, so in-host bytes must not move by reference.
#
# deep: 6.12 6.1
# timeout: 150
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

needs smcss

setting=/proc/sys/net/smc/extension
before=$(cat "$setting")
trap 'echo "$before" > "$setting"' EXIT
echo 0 > "$setting"

ktap_start
check "the cursors of both ends count the bytes, over several laps" \
	same "" "$(timeout 140 "$run_module" cursors "$smcss" 2>&1)"
ktap_end
