#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The n-th allocation of the module fails, for one n after the other, on the
# client's host and on the server's. All contexts count: system calls, workers,
# and the softirq in which data and control messages arrive. Each attempt makes
# a group with two links, and opens, uses and closes connections. No data is
# wrong, no call hangs, and no socket and no group remains. check-deep tries more
# of these allocations.
#
# memory.sh lets each allocation of each system call fail, and allocations of all
# contexts at random.
#
# lab: --nics 2 fresh
# kernels: uml-debug
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_nth.sh
. "$(dirname "$(readlink -f "$0")")/lib_nth.sh"

most=20000
declare -A step=([failslab]=199 [fail_page_alloc]=31)
[ "${SMC_TEST_DEPTH:-}" != deep ] ||
	step=([failslab]=11 [fail_page_alloc]=2)

# shellcheck disable=SC2317 # "attempts" calls it
# exchange: some connections; each call may return an error for lack of memory
exchange() {
	on -t 100 b "$peer" --client "$a" "${scale[@]}" --family smc storm
}

# Called by attempts. The kernel counts the allocations of a host from its start
# to the last failure. So the next failure is the n-th from now if its number is
# the only one that divides by itself up to there.
# shellcheck disable=SC2317
{
arm() {
	on "$host" "$programs/inject_faults" once "$kind" $((counted + $1))
}

fired() {
	local left
	left=$(on "$host" "$programs/inject_faults" left "$kind") || return
	on "$host" "$programs/inject_faults" off
	sh_on a "echo > /proc/net/smc_echo"
	sh_on b "echo > /proc/net/smc_echo"
	counted=$((counted + $1))
	[ "$left" -eq 0 ]
}
}

tmp=$(mktemp) || exit 1
trap 'rm -f "$tmp" "$tmp.said"' EXIT
ktap_start
for host in a b; do
	sh_on $host "echo 0 > /proc/sys/net/smc/lgr_idle_max"
	on $host "$programs/inject_faults" off || skip_all "no fault injection"
done
server_on_a
check "without a fault" exchange
for kind in failslab fail_page_alloc; do
	for host in a b; do
		counted=0
		attempts 2 "${step[$kind]}" $most arm fired exchange > "$tmp.said"
		status=$?
		note "$kind on $host: $(cat "$tmp.said")"
		check "host $host: one $kind, and nothing stays" \
			test $status -eq 0
		on $host "$programs/inject_faults" off
	done
done
from_b "after the failures" --family smc --expect-mode smcr names
stop_server_on_a
for host in a b; do
	check "host $host: no socket stays" lists_nothing on $host "$smcss"
done
ktap_end
