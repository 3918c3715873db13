#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The net device of one of two adapters goes down under load. All connections of
# the failed link move to the other link, no connection is aborted, and the data
# arrives complete and in order. On User Mode Linux the device does not come up
# again, so this lab runs only this test.
#
# lab: --nics 2 fresh
# kernels: uml uml-debug
# timeout: 600
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/lib_failover.sh"

hold=/tmp/smc_peer.hold
mark=/tmp/smc_peer.mark
pause=/tmp/smc_peer.pause

# all_on_nic HOST NIC
all_on_nic() {
	local n
	n=$(on_nic "$1" "$2")
	echo "host $1: $n connections over NIC $2, not $conns"
	[ "$n" -eq "$conns" ]
}

# came HOST BYTES: succeeds when the host has received more than this number of
# bytes
came() {
	[ "$(host_counter "$1" BytesReceived)" -gt "$2" ]
}

# flows HOST: succeeds when the host has received one or two chunks on each
# connection
flows() {
	within "$patience" came "$1" \
		$(($(host_counter "$1" BytesReceived) + conns * 8192))
}

longest_pause() {
	sh_on b "rm -f $pause; touch $mark; for i in \$(seq 300); do
		[ -e $pause ] && break; sleep 0.1; done; cat $pause"
}

ktap_start
find_nics
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
server_on_a
load_begins "$out"
# The connections share the links, and none of them still moves.
# shellcheck disable=SC2317 # "within" calls it
shared() {
	there=$(on_nic b 1)
	echo "$there connections use NIC 1"
	[ "$there" -gt 0 ] || return 1
	sleep 1
	same "$there" "$(on_nic b 1)"
}
within "$patience" shared
there=$(on_nic b 1)
check "NIC 1 of host b carries connections" test "$there" -gt 0
for host in a b; do
	check "data flow to $host" flows $host
	moved[${#moved[@]}]=$(host_counter $host ConnectionsMoved)
done
longest_pause > /dev/null
pull down b 1
check "host b leaves NIC 1" off_nic b 1
for host in a b; do
	check "one link is left on $host" until_links $host 1 "$patience"
	# R-2.3-03
	check "all connections of $host are on NIC 0" \
		within "$patience" all_on_nic $host 0
	check "data flow to $host when NIC 1 is down" flows $host
done
check "host b moved what was there" same "$there" \
	$(($(host_counter b ConnectionsMoved) - moved[1]))
check "host a moved what was there" same "$there" \
	$(($(host_counter a ConnectionsMoved) - moved[0]))
echo "# $there of $conns connections moved, longest pause $(longest_pause) ms"
sh_on b "rm $hold"
wait $load
# the results of the client are results of this test
relay "down" cat "$out"
for host in a b; do
	check "no abort on $host" same 0 "$(host_counter $host AbortsSent)"
	check "no violation on $host" same "0 0" \
		"$(host_counter $host CdcViolations) $(host_counter $host LlcViolations)"
done
stop_server_on_a
ktap_end
