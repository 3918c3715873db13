#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The RDMA device goes away under load: both ends hear of it soon, nothing
# hangs, and with the device back the next connection is SMC-R again
# (R-4.8.3-03).
#
# timeout: 300
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# removed HOST: while a stream flows both ways
removed() {
	local host=$1
	(
		sleep 1.5
		on "$host" rdma link delete rxe0
	) &
	from_b "device of host $host removed" --family smc --expect-mode smcr \
		until_broken
	wait
	check "host $host has no link group left on it" sh_on "$host" \
		"! rdma resource show qp 2>/dev/null | grep 'link rxe0/1' | grep -v 'type GSI'"
	on "$host" rdma link add rxe0 type rxe netdev eth0
	from_b "device of host $host back" --family smc --expect-mode smcr \
		sizes names many
}

# Idle connections hear of it as well, or at the next call.
ktap_start
server_on_a
for round in 1 2; do
	echo "# round $round"
	removed b
	removed a
done
# The interface below it: everything is cut, then everything is back.
stop_server_on_a
ktap_end
