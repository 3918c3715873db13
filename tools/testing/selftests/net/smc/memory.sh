#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Memory pressure: TCP or an errno, but never a hang, wrong data or a leak.
# First each allocation of each call fails in turn, then those of the module
# at random, in all its contexts; between hosts on the server's host, on the
# client's, on both.
#
# places: in_host two_host
# kernels: uml-debug
# timeout: 300
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

# A server without memory closes connections before it has answered, as others
# do that echo the TCP option: clients remember them for a minute.
forget_echoes() {
	local host
	! between_hosts || for host in "${hosts[@]}"; do
		sh_on "$host" "echo > /proc/net/smc_echo"
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
