#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Idle groups end in order when our module is unloaded: stock learns that, and a
# new module starts without old state.
#
# timeout: 400
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# both NAME: a connection in each direction, hence a group for each role
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
