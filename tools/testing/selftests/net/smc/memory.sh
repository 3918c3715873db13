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
