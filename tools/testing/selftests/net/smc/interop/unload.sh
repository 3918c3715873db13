#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# When our module is unloaded, it sends DELETE LINK for idle groups, and stock
# SMC ends these groups, too. A newly loaded module starts without old state.
#
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# both NAME: opens a connection in each direction, and so creates a group for
# each role
both() {
	server_on "$OURS"
	from_stock "$1" --expect-mode smcr names
	stop_server_on "$OURS"
	server_on "$STOCK"
	to_stock "$1" --expect-mode smcr names
	stop_server_on "$STOCK"
}

ktap_start
both "groups of both roles"
check "stock has groups" test "$(groups_of_stock)" -ge 2
reload_ours
both "after our module came again"
ktap_end
