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

# groups_alive HOST: prints how many groups exist, those that are ending included
# shellcheck disable=SC2317 # "check" calls it through none_alive
groups_alive() {
	sh_on "$1" "awk '/^GroupsCreated/ { n += \$2 } /^GroupsEnded/ { n -= \$2 }
		END { print n }' /proc/net/smc_mib"
}

# shellcheck disable=SC2317 # "check" calls it
none_alive() {
	local n
	n=$(groups_alive "$1")
	echo "$n groups"
	[ "$n" = 0 ]
}

# no_state HOST: the device of this host cannot change the state of its queue
# pair. The connection uses TCP, and the group ends.
no_state() {
	local host id
	for id in $(on "$1" "$smcr" linkgroup | awk 'NR > 1 { print $1 }'); do
		on "$1" "$smcr" linkgroup del "$id"
	done
	for host in a b; do
		check "no group on $host" within 20 none_alive "$host"
	done
	inject state "$1"
	run_cases "no state of a queue pair on $1" --expect-mode tcp names
	inject off "$1"
	forget_echoes
	for host in a b; do
		check "no group on $host after that" within 20 none_alive "$host"
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
