#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that an accepted socket has the security label of its listener, as on
# TCP. The test boots with SELinux and without a policy: a socket then has
# either the label of its creator or none.
#
# lab: --boot security=selinux --hosts 1
# kernels: 6.12
# deep: 6.12
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

unlabeled=3	# SECINITSID_UNLABELED

# label NAME
label() {
	on a cat "/sys/module/socket_label/parameters/$1"
}

# labels NAME FAMILY SERVER-FAMILY LISTENING ACCEPTED
labels() {
	local listens
	relay "$1" on a "$peer" --single "${scale[@]}" --family "$2" \
		--server-family "$3" names
	listens=$(label "$4")
	check "$1: the listener has a label" test "$listens" -ne 0 -a \
		"$listens" -ne $unlabeled
	check "$1: the accepted socket has the same" \
		same "$listens" "$(label "$5")"
}

ktap_start
ko=$(make -s --no-print-directory -C "$selftests/modules/socket_label" path \
	LAB_KERNEL="$LAB_KERNEL") || {
	fail "module socket_label"
	ktap_end
}
check "SELinux runs" on a grep -q selinux /proc/filesystems
check "module loads" on a insmod "$ko"
labels "TCP" tcp tcp tcp_listening tcp_accepted
labels "SMC" smc smc listening accepted
labels "fallback" tcp smc listening accepted
on a rmmod socket_label
ktap_end
