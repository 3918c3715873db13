#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that no CPU sees half of a change that another CPU makes to a socket.
# The error of a failed connect() is visible before the connect() counts as
# ended. After a fallback, no call returns an error that TCP has not reported
# yet. The file of the hidden TCP socket stays while a packet filter looks at
# it. A fault could occur only during a few instructions; the test makes this
# time long.
#
# kernels: 6.12
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# count_of NAME: prints a counter of the loaded module
count_of() {
	on a cat "/sys/module/short_moments/parameters/$1"
}

# moments NAME COUNTER LEAST ARGUMENT...
moments() {
	local name=$1 counter=$2 least=$3 before
	shift 3
	before=$(count_of "$counter")
	relay "$name" on a "$peer" --single "${scale[@]}" "$@"
	check "$name: moments were long" \
		test "$(count_of "$counter")" -ge $((before + least))
}

ktap_start
ko=$(make -s --no-print-directory -C "$selftests/modules/short_moments" path \
	LAB_KERNEL="$LAB_KERNEL") || {
	fail "module short_moments"
	ktap_end
}
check "module loads" on a insmod "$ko"
moments "error before the end" modes 20 --family smc connect_refused_polled
moments "error after a notice" errors 20 --family smc reset_after_notice
# each file is watched until it is released, so no other delay is needed
sh_on a "echo 0 > /sys/module/short_moments/parameters/ms"
moments "file, SMC" files 5 --div 100 --family smc churn1
moments "file, TCP" files 5 --div 100 --family smc --server-family tcp churn1
check "no file went from under the lock" same 0 "$(count_of lost)"
on a rmmod short_moments
ktap_end
