#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each host has two adapters, and up to 64 connections carry checked data both
# ways. The test takes one adapter away at a time, in three ways: it deletes the
# RDMA device, sets the net device down, or drops the packets. Nothing is lost,
# repeated or reordered, and the application sees no error (R-2.2-04, R-2.3-03,
# R-2.3-09, R-4.6.1-01, -04, R-4.6.2-01, R-3.5.5.1.3-02). There are two links at
# first contact (R-2.2.2-02, R-3.5.1.6-02, R-3.5.1.6.1-03, R-3.5.1.6.2-02), and
# each carries connections (R-2.3-01). When the adapter comes back, the hosts
# add its link again, under load (R-3.5.5.1.2-01, R-C.8-03, R-3.5.5.1.1-03).
# With three adapters there are three links, and two of them may fail at once.
# For this the addresses must show which adapters are on one network. If a host
# allows only two links, the adapter without a link replaces an adapter that the
# test takes away, and when that adapter comes back the group still has two
# links (R-2.2.2-10, R-3.5.5.1.1-04). Over IPv6 the groups are of version 1,
# because host b does not have V6, and over IPv4 of version 2.
#
# FAILOVER_ROUNDS (for each address family) and FAILOVER_SEED change the rounds
# of the test. Each deep run has a new seed, and 25 rounds with all 64
# connections.
#
# lab: --nics 2
# deep: 6.1
# foreign: s390x
# timeout: 900
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/lib_failover.sh"

hold=/tmp/smc_peer.hold
mark=/tmp/smc_peer.mark
pause=/tmp/smc_peer.pause

# A net device of UML that was set down does not come up again.
ways=(delete down loss)
case $LAB_KERNEL in
uml-debug) rounds=1 ways=(delete loss) ;;
uml) rounds=3 ways=(delete loss) ;;
*) rounds=1 ;;
esac
seed=7609
if [ "${SMC_TEST_DEPTH:-}" = deep ]; then
	seed=$RANDOM
	rounds=$((div > 1 ? 3 : 25))
fi
rounds=${FAILOVER_ROUNDS:-$rounds}
seed=${FAILOVER_SEED:-$seed}
RANDOM=$seed
turn=$((RANDOM % ${#ways[@]}))
pulls=0

longest_pause() {
	sh_on b "rm -f $pause; touch $mark; for i in \$(seq 300); do
		[ -e $pause ] && break; sleep 0.1; done; cat $pause"
}

# has_moved BEFORE: succeeds when more than BEFORE connections of host b have
# moved to another link
has_moved() {
	[ "$(host_counter b ConnectionsMoved)" -gt "$1" ]
}

# one_round NAME HOW HOST: takes away an adapter that has a link
one_round() {
	local what=$1 how=$2 host=$3 used nic before moved side
	read -ra used <<< "$(used_nics "$host")"
	nic=${used[$((RANDOM % ${#used[@]}))]}
	what="$what: $how, NIC $nic of host $host"
	longest_pause > /dev/null
	before=$(host_counter b ConnectionsMoved)
	pull "$how" "$host" "$nic"
	pulls=$((pulls + 1))
	check "$what: host $host leaves it" off_nic "$host" "$nic"
	for side in a b; do
		check "$what: links of $side" until_links $side \
			$((most < nics ? most : nics - 1))
	done
	# R-2.3-03
	check "$what: connections move" within "$patience" has_moved "$before"
	moved=$(($(host_counter b ConnectionsMoved) - before))
	echo "# $what: longest pause $(longest_pause) ms, $moved moved"
	restore "$how" "$host" "$nic"
	for side in a b; do
		# R-2.2.2-10, R-3.5.5.1.1-04, R-3.5.5.1.2-02
		check "$what: it is back, links of $side" until_links $side \
			"$most"
	done
}

# two_at_once NAME HOST: takes two adapters away, and one is left
two_at_once() {
	local what="$1: two NICs of host $2" host=$2 nic side
	for nic in 1 2; do
		pull delete "$host" $nic
	done
	for side in a b; do
		check "$what: links of $side" until_links $side 1
	done
	for nic in 1 2; do
		restore delete "$host" $nic
	done
	for side in a b; do
		check "$what: they are back, links of $side" until_links \
			$side 3
	done
}

# under_load FAMILY ADDRESS
under_load() {
	local family=$1 to=$2 out hosts=(a b) i host how load
	out=$(mktemp)
	reload
	on b sysctl -q -w net.smc.smcr_max_links_per_lgr="$most"
	[ "$family" = smc ] || on b sysctl -q -w net.smc.extension=7
	server_on_a
	sh_on b "touch $hold"
	from_b "load" --family "$family" --expect-mode smcr under_load > "$out" &
	load=$!
	# R-2.2.2-02, R-3.5.1.6-02, R-3.5.1.6.1-03
	check "$family: $most links at first contact" until_links b "$most"
	check "$family: $most links at the server" until_links a "$most"
	check "$family: the load runs" within "$patience" load_is_there b
	for ((i = 1; i <= rounds; i++)); do
		how=${ways[$((turn++ % ${#ways[@]}))]}
		host=${hosts[$((RANDOM % 2))]}
		one_round "$family, round $i" "$how" "$host"
	done
	[ "$most" -lt 3 ] || [ "$family" = smc6 ] ||
		two_at_once "$family" "${hosts[$((RANDOM % 2))]}"
	sh_on b "rm $hold"
	wait $load
	# the results of the client are results of this test
	# R-2.2-04, R-2.3-03, -09, R-3.5.5.1.1-03, R-3.5.5.1.3-02, R-4.6.2-01
	relay "$family" cat "$out"
	rm -f "$out"
	for host in a b; do
		check "$family: no abort on $host" \
			same 0 "$(host_counter $host AbortsSent)"
		check "$family: no violation on $host" same "0 0" \
			"$(host_counter $host CdcViolations) $(host_counter $host LlcViolations)"
	done
	stop_server_on_a
}

# The administrator declares that one adapter is on another network: the group
# gets no link over this adapter.
apart() {
	local host
	reload
	on a "$tree/tools/smc_pnet/smc_pnet" -a -D rxe1 ELSEWHERE
	on a "$tree/tools/smc_pnet/smc_pnet" -a -D rxe2 ELSEWHERE2
	server_on_a
	from_b "adapters on different networks" --family smc6 \
		--expect-mode smcr names
	for host in a b; do
		# R-3.5.5.1.1-01
		check "adapters on different networks: links of $host" \
			until_links $host 1
	done
	stop_server_on_a
	on a "$tree/tools/smc_pnet/smc_pnet" -f
}

ktap_start
find_nics
echo "# seed $seed"
check "there are several adapters" test "$nics" -ge 2
most=$((nics > 3 ? 3 : nics))
under_load smc6 "$a6"
under_load smc "$a"
if [ "$nics" -gt 2 ]; then
	most=2
	under_load smc "$a"
fi
apart
echo "# covered: failover, $conns connections, $nics NICs, $pulls random pulls, seed $seed"
ktap_end
