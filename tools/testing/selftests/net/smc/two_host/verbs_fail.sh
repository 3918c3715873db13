#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The n-th command of a device fails, for each n of first contact, data and close,
# on the client's host and on the server's. Each attempt begins without a group.
# All bytes must arrive, over TCP if necessary. No socket and no group may
# remain, and the modules must unload. check-deep tries each n.
#
# memory.sh and start_fails.sh do the same with allocations.
#
# lab: --nics 2 fresh
# kernels: uml-debug
# timeout: 600
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_strict.sh
. "$(dirname "$(readlink -f "$0")")/lib_strict.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_nth.sh
. "$(dirname "$(readlink -f "$0")")/lib_nth.sh"

# Commands that use resources of the device. The core of RDMA does not expect
# that a device refuses to take something back.
commands=alloc_pd,create_cq,create_qp,modify_qp,alloc_mr
most=200
# Number 14 once broke first contact: the key of the server's RMB, for the offer
# of a second link.
first=2 step=3	# from one n to the next
[ "${SMC_TEST_DEPTH:-}" != deep ] || first=1 step=1

# shellcheck disable=SC2317 # "attempts" calls it
# exchange: connects, sends and receives, and closes
exchange() {
	on -t 100 b "$peer" --client "$a" "${scale[@]}" --family smc sizes
}

# Called by attempts.
# shellcheck disable=SC2317
{
arm() {
	set_trait "$host" fail_at "$1"
}

fired() {
	[ "$(trait "$host" fail_at)" -le 0 ]
}
}

tmp=$(mktemp) || exit 1
trap 'rm -f "$tmp"' EXIT
ktap_start
build_strict
strict bounce=0
for host in a b; do
	sh_on $host "echo 0 > /proc/sys/net/smc/lgr_idle_max"
	set_trait $host fail $commands
done
server_on_a
check "without a fault" exchange
for host in a b; do
	before=$(trait $host failed)
	said=$(attempts $first $step $most arm fired exchange)
	status=$?
	note "$said"
	set_trait $host fail_at 0
	check "host $host: the n-th command fails, and all bytes arrive" \
		test $status -eq 0
	check "host $host: commands have failed" \
		test "$(trait $host failed)" -gt "$before"
done
from_b "after the failures" --family smc --expect-mode smcr names
stop_server_on_a
for host in a b; do
	check "host $host: no socket stays" lists_nothing on $host "$smcss"
done
lenient
ktap_end
