#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A device whose firmware hangs needs up to a minute for each command. When one
# of two adapters fails and hangs, its connections continue over the other
# adapter before the failed queue pair is destroyed (R-2.3-03, R-2.3-06,
# R-4.6.1-01). During this time the hosts can make new connections. The module
# can unload only when the device has none of its objects any more.
#
# lab: --nics 2 fresh
# kernels: uml 6.12
# deep: 6.12
# also: uml
# timeout: 600
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/lib_failover.sh"

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

ktap_start
ko=$(make -s --no-print-directory -C "$selftests/modules/strict_rnic" path \
	LAB_KERNEL="$LAB_KERNEL") || {
	fail "module strict_rnic"
	ktap_end
}
find_nics
# the RDMA core tells its clients of a device in the order in which they
# registered
take_module b
check "module loads" on b insmod "$ko" bounce=0 faulty=rxe1
for module in smc smc_diag; do
	on b insmod "$tree/build/$LAB_KERNEL/net/smc/$module.ko"
done
server_on_a
out=$(mktemp)
load_begins "$out"
there=$(on_nic b 1)
before=$(host_counter b ConnectionsMoved)
check "the second adapter carries connections" test "$there" -gt 0

# the delay ends when the test ends it
strict slow_ms 300000
strict slow destroy_qp
pull loss b 1
check "connections move while the device hangs" \
	within "$patience" moved_by "$before" "$there"
check "the device destroys the queue pair" within "$patience" waits
check "every connection receives meanwhile" within "$patience" all_receive
check "the device has not finished" waits
from_b "new connections meanwhile" --family smc --expect-mode smcr names
check "the device has not finished yet" waits
strict slow_ms 0
check "the device has finished" within "$patience" waits_no_more
restore loss b 1
for host in a b; do
	check "the adapter is back: links of $host" until_links $host 2
done
sh_on b "rm $hold"
wait $load
relay "load" cat "$out"
rm -f "$out"
for host in a b; do
	check "no abort on $host" same 0 "$(host_counter $host AbortsSent)"
done
stop_server_on_a

check "host b: nothing is listed" lists_nothing on b "$smcss"
begun=$(strict waited)
strict slow dereg_mr,destroy_qp,destroy_cq
strict slow_ms 2000
check "the module unloads" take_module b
check "the device was slow" test "$(strict waited)" -gt "$begun"
check "nothing of it is left in the device" waits_no_more
strict slow_ms 0
check "module strict_rnic unloads" on b rmmod strict_rnic
on b insmod "$tree/build/$LAB_KERNEL/net/smc/smc.ko"
on b insmod "$tree/build/$LAB_KERNEL/net/smc/smc_diag.ko"
ktap_end
