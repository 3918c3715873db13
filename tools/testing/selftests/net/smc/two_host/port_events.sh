#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that addresses that come and go on the only adapter of a host cause no
# offer of a link, because the peer has refused the only possible link. A second
# adapter must be offered at once (R-3.5.5.1.1-03, R-3.5.1.6-03).
#
# lab: --nics 2 fresh
# kernels: uml 6.12
# deep: 6.12
# also: uml
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/lib_failover.sh"

addresses=12

# gids: prints the number of GIDs of the adapter of host a
gids() {
	sh_on a "cat /sys/class/infiniband/rxe0/ports/1/gids/* 2> /dev/null |
		grep -vc '^0000:0000:0000:0000:0000:0000:0000:0000$'"
}

has_gids() {
	same "$1" "$(gids)"
}

ktap_start
find_nics
for host in a b; do
	on $host rdma link delete rxe1
done
reload
server_on_a
from_b "a group over one adapter" --family smc --expect-mode smcr names
check "one link" until_links a 1
before=$(host_counter a LlcSent)
there=$(gids)
for ((i = 1; i <= addresses; i++)); do
	sh_on a "ip addr add fd77:0::1:$i/64 dev ${dev[0]} nodad"
	within "$patience" has_gids $((there + i)) || fail "address $i" "$(gids)"
done
for ((i = 1; i <= addresses; i++)); do
	sh_on a "ip addr del fd77:0::1:$i/64 dev ${dev[0]}"
done
check "the addresses have gone" within "$patience" has_gids "$there"
# the offer of the second adapter follows all others
for host in b a; do
	device_comes $host 1
done
# R-3.5.5.1.1-03
check "the second adapter is used" until_links a 2
sent=$(($(host_counter a LlcSent) - before))
echo "# host a has sent $sent LLC messages"
# R-3.5.1.6-03: once per group, and not per address
check "no offer for each address" [ "$sent" -lt "$addresses" ]
stop_server_on_a
ktap_end
