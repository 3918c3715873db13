#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A user inside the kernel (sock_create_kern) has AF_SMC sockets as it has TCP
# sockets: blocking calls, callbacks, orderly end.
#
# deep: 6.1
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# shellcheck disable=SC2317 # "within" calls it
all_served() {
	same $((32 * 16384)) \
		"$(on a cat /sys/module/kernel_user/parameters/served)"
}

ktap_start
ko=$(make -s --no-print-directory -C "$selftests/modules/kernel_user" path \
	LAB_KERNEL="$LAB_KERNEL") || {
	fail "the module of the test is built" "$ko"
	ktap_end
}
count_connections
check "the kernel of host a listens" on a insmod "$ko"
# The module returns the error of the first call that fails.
check "the kernel of host b sends, and its data comes back" \
	on b insmod "$ko" to="$a"
check "its mode is SMC-R" only_smcr 1
check "host a has sent all of it back" within "$patience" all_served
for host in a b; do
	check "the module leaves host $host" on $host rmmod kernel_user
done
ktap_end
