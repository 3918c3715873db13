#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that a completion queue is not destroyed while another CPU still arms it
# after a poll. Otherwise that CPU would write to freed memory. ib_free_cq() of
# the kernel does not wait for the other CPU. The test adds a delay, which makes
# this race more likely.
#
# kernels: 6.12
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# Prints a counter of the loaded module.
count_of() {
	on b cat "/sys/module/slow_rearm/parameters/$1"
}

ktap_start
ko=$(make -s --no-print-directory -C "$selftests/modules/slow_rearm" path \
	LAB_KERNEL="$LAB_KERNEL") || {
	fail "module slow_rearm"
	ktap_end
}
server_on_a
from_b "link group on the device" --family smc --expect-mode smcr sizes
check "module loads" on b insmod "$ko"
# This command returns when nobody uses the device any more.
check "device goes" on b rdma link delete rxe0
rearms=$(count_of rearms)
check "queues were armed" [ "${rearms:-0}" -gt 0 ]
check "none was destroyed meanwhile" same 0 "$(count_of hits)"
on b rmmod slow_rearm
on b rdma link add rxe0 type rxe netdev eth0
stop_server_on_a
ktap_end
