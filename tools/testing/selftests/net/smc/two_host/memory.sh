#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Memory pressure: TCP or an errno, but never a hang, wrong data or a leak.
# First each allocation of each call fails in turn, then those of the module
# at random, in all its contexts, on the server's host, the client's, on both.
#
# kernels: uml-debug
# timeout: 300
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

faults() {
	local arg=$1 host
	shift
	for host; do
		on "$host" "$selftests/faults" "$arg"
	done
}

faults nth a b || skip_all "the kernel cannot inject faults"
ktap_start
server_on_a
from_b "one fault" --family smc @fault
# A server without memory closes connections before it has answered, as others
# do that echo the TCP option: clients remember them for a minute.
forget_echoes() {
	local host
	for host in a b; do
		sh_on $host "echo > /proc/net/smc_echo"
	done
}

forget_echoes
# storm PERCENT HOST...
storm() {
	local percent=$1
	shift
	faults "$percent" "$@"
	from_b "$percent % fail on $*" --family smc storm
	faults off "$@"
	forget_echoes
	from_b "memory is back on $*" --family smc --expect-mode smcr \
		sizes names
}
storm 3 a
storm 3 b
storm 3 a b
storm 20 a b
from_b "memory is back" --family smc --expect-mode smcr many
stop_server_on_a
ktap_end
