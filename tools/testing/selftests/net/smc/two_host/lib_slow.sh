# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests in which the firmware of host b's second adapter hangs: see
# modules/strict_rnic.
# shellcheck shell=bash
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib_failover.sh"

# shellcheck disable=SC2034 # load_begins uses it
hold=/tmp/smc_peer.hold
mark=/tmp/smc_peer.mark
pause=/tmp/smc_peer.pause
param=/sys/module/strict_rnic/parameters

# strict NAME [VALUE]: reads or writes a parameter of the device of host b
strict() {
	if [ $# -gt 1 ]; then
		sh_on b "echo $2 > $param/$1"
	else
		on b cat "$param/$1"
	fi
}

# Functions called through check.
# shellcheck disable=SC2317
{
waits() {
	[ "$(strict waiting)" -gt 0 ]
}

waits_no_more() {
	same 0 "$(strict waiting)"
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

# strict_on_b: loads the module strict_rnic on host b, below smc
strict_on_b() {
	local ko module
	ko=$(make -s --no-print-directory -C "$selftests/modules/strict_rnic" \
		path LAB_KERNEL="$LAB_KERNEL") || {
		fail "module strict_rnic"
		ktap_end
	}
	# the RDMA core tells its clients of a device in the order in which
	# they registered
	take_module b
	check "module loads" on b insmod "$ko" bounce=0 faulty=rxe1
	for module in smc smc_diag; do
		on b insmod "$tree/build/$LAB_KERNEL/net/smc/$module.ko"
	done
}

# lenient_on_b: unloads the module strict_rnic
lenient_on_b() {
	local module
	strict slow_ms 0
	check "module strict_rnic unloads" on b rmmod strict_rnic
	for module in smc smc_diag; do
		on b insmod "$tree/build/$LAB_KERNEL/net/smc/$module.ko"
	done
}

# no_aborts: neither host has aborted a connection
no_aborts() {
	local host
	for host in a b; do
		check "no abort on $host" same 0 "$(host_counter $host AbortsSent)"
	done
}
