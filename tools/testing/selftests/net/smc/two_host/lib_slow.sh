# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests in which the firmware of host b's second adapter hangs: see
# modules/strict_rnic.
# shellcheck shell=bash
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_strict.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib_strict.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$selftests/two_host/lib_failover.sh"

# shellcheck disable=SC2034 # load_begins uses it
hold=/tmp/smc_peer.hold
mark=/tmp/smc_peer.mark
pause=/tmp/smc_peer.pause

# Functions called through check.
# shellcheck disable=SC2317
{
waits() {
	[ "$(trait b waiting)" -gt 0 ]
}

waits_no_more() {
	same 0 "$(trait b waiting)"
}

# moved_by BEFORE COUNT: succeeds when COUNT connections of host b have moved
moved_by() {
	[ $(($(host_counter b ConnectionsMoved) - $1)) -ge "$2" ]
}

# Prints the longest pause: the time in which a connection of host b got no
# byte. The measurement covers the time since the last call.
longest_pause() {
	sh_on b "rm -f $pause; touch $mark; for i in \$(seq 100); do
		[ -e $pause ] && break; sleep 0.1; done; cat $pause"
}

all_receive() {
	local ms
	longest_pause > /dev/null
	ms=$(longest_pause)
	echo "longest pause: $ms ms"
	[ "${ms:-10000}" -lt 2000 ]
}
}

# strict_on_b: makes the second adapter of host b strict
strict_on_b() {
	build_strict
	# the RDMA core tells its clients of a device in the order in which
	# they registered
	take_module b
	check "module loads" on b insmod "$strict_ko" bounce=0 faulty=rxe1
	give_module b
}

# lenient_on_b: makes it normal again
lenient_on_b() {
	set_trait b slow_ms 0
	check "module strict_rnic unloads" on b rmmod strict_rnic
	give_module b
}

# no_aborts: neither host has aborted a connection
no_aborts() {
	local host
	for host in a b; do
		check "no abort on $host" same 0 "$(host_counter $host AbortsSent)"
	done
}
