#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that without memory a connection falls back to TCP or a call returns an
# errno, and that there is never a hang, wrong data or a leak. First each
# allocation of each call fails in turn. Then allocations of the module fail at
# random, in all its contexts. Between hosts, they fail on the server's host, on
# the client's host, and on both.
#
# places: in_host two_host
# without-frames:
# kernels: uml-debug
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

# inject WHAT HOST...
inject() {
	local what=$1 host
	shift
	for host; do
		${host:+on "$host"} "$programs/inject_faults" "$what"
	done
}

# A server without memory closes a connection before it has answered. Servers
# that only echo the TCP option do the same, so clients remember the server's
# address for a minute.
forget_echoes() {
	local host
	! between_hosts || for host in "${hosts[@]}"; do
		sh_on "$host" "echo > /proc/net/smc_echo"
	done
}

# not_ended HOST: prints how many groups that the host has created have not ended
not_ended() {
	echo $(($(host_counter "$1" GroupsCreated) - $(host_counter "$1" GroupsEnded)))
}

# Groups within a host are not in the lists of smcr, and earlier tests may have
# left some. They stay idle for ten minutes.
declare -A within_host

# note_groups: notes these groups
note_groups() {
	local host
	for host in "${hosts[@]}"; do
		within_host[$host]=$(($(not_ended "$host") - $(groups_on "$host")))
	done
}

# all_ended HOST: each group to the other host has ended. The lists of smcr do not
# show a group that is still ending.
# shellcheck disable=SC2317 # "check" calls it
all_ended() {
	local left
	left=$(not_ended "$1")
	echo "$left groups have not ended, ${within_host[$1]} of them within the host"
	[ "$left" -le "${within_host[$1]}" ]
}

# no_state HOST: the device of this host cannot change the state of its queue
# pair. The connection uses TCP, and the group ends.
no_state() {
	local host
	end_groups "$1"
	for host in a b; do
		check "no group on $host" within 20 all_ended "$host"
	done
	inject state "$1"
	run_cases "no state of a queue pair on $1" --expect-mode tcp names
	inject off "$1"
	forget_echoes
	for host in a b; do
		check "no group on $host after that" within 20 all_ended "$host"
	done
}

# storm PERCENT HOST...
storm() {
	local percent=$1 where=""
	shift
	! between_hosts || where=" on $*"
	inject "$percent" "$@"
	run_cases "$percent % fail$where" storm
	inject off "$@"
	forget_echoes
	run_cases "memory is back$where" --expect-mode "$mode" sizes names
}

inject nth "${hosts[@]}" || skip_all "the kernel cannot inject faults"
begin
! between_hosts || note_groups
run_cases "one fault" @fault
forget_echoes
if between_hosts; then
	no_state a
	no_state b
	storm 3 a
	storm 3 b
	storm 3 a b
	storm 20 a b
else
	storm 2 ""
	run_cases "memory is back" --expect-mode inhost many
	storm 20 ""
fi
run_cases "memory is back" --expect-mode "$mode" many
end
