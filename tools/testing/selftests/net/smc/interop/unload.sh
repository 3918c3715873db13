#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Idle groups end in order, as they do when their time is over (which takes ten
# minutes): our module goes, stock hears of it, and a new one starts afresh.
#
# timeout: 200
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

modules=$tree/build/$LAB_KERNEL/net/smc

# both NAME: a connection in each direction, hence a group for each role
both() {
	server_on "$OURS"
	from_stock "$1" --expect-mode smcr names
	stop_server_on "$OURS"
	server_on "$STOCK"
	to_stock "$1" --expect-mode smcr names
	stop_server_on "$STOCK"
}

# shellcheck disable=SC2317 # "check" calls it
unload() {
	on "$OURS" timeout 50 sh -c "rmmod smc_diag
		until rmmod smc 2> /tmp/rmmod; do sleep 0.2; done" ||
		{ on "$OURS" cat /tmp/rmmod; return 1; }
}

# shellcheck disable=SC2317 # "check" calls it
stock_has_no_group() {
	for _ in $(seq 50); do
		[ "$(groups_of_stock)" -gt 0 ] || return 0
		sleep 0.2
	done
	on "$STOCK" "$tree/tools/smcr/smcr" link
	return 1
}

ktap_start
both "groups of both roles"
check "stock has groups" test "$(groups_of_stock)" -ge 2
check "our module goes" unload
check "stock was told: it has no group left" stock_has_no_group
check "our module comes" on "$OURS" insmod "$modules/smc.ko"
check "so does its list of sockets" on "$OURS" insmod "$modules/smc_diag.ko"
sh_on "$OURS" "echo 0 > /proc/sys/net/smc/echo_memory"
both "after our module came again"
ktap_end
