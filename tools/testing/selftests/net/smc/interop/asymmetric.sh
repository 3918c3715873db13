#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One host has two adapters, the other has one, and one of the hosts runs stock
# SMC. A second link shares the single adapter, in both roles. When the missing
# adapter appears, a symmetric link replaces it. All tests run under checked
# load (R-2.2.1-02, R-2.2.1-04).
#
# The server has one adapter; check-deep also tests a client with one adapter.
#
# The test removes no adapters of stock SMC; failover.sh explains why.
#
# lab: --nics 2 --switch fresh
# kernels: uml
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/../two_host/lib_failover.sh"

hold=/tmp/smc_peer.hold

# NICs of the links, by host; $1 and $2: the NICs of our host and of the stock
# host
over_both() {
	if [ "$OURS" = a ]; then
		over "$1" "$2" "$3"
	else
		over "$1" "$3" "$2"
	fi
}

# under_load FROM CLIENT SERVER SHORT: host SHORT has one adapter at first
under_load() {
	local from=$1 client=$2 server=$3 short=$4 out load ours="0 1" stock="0 1"
	local what="$client to $server, $short has one adapter"
	out=$(mktemp)
	steps_traced 1 "$OURS"
	[ "$short" = "$OURS" ] && ours="0 0" || stock="0 0"
	pull delete "$short" 1
	server_on "$server"
	sh_on "$client" "touch $hold"
	"$from" "$what" --expect-mode smcr under_load > "$out" &
	load=$!
	# R-2.2.1-02
	over_both "$what: it is shared" "$ours" "$stock"
	# stock gives up SMC for a connection that it makes while links change
	# (X-14)
	check "$what: the load runs" within "$patience" load_is_there "$OURS"
	restore delete "$short" 1
	# R-2.2.1-04
	over_both "$what: both are symmetric" "0 1" "0 1"
	sh_on "$client" "rm $hold"
	wait $load
	relay "$what" cat "$out"
	rm -f "$out"
	check "$what: no violation" same "0 0" \
		"$(counter CdcViolations) $(counter LlcViolations)"
	stop_server_on "$server"
	reload_ours
	check "stock has no queue pair left" until_links "$STOCK" 0
}

ktap_start
find_nics
one_subnet a 1
one_subnet b 2
forget_neighbours
for nic in 0 1; do
	on "$STOCK" "$tree/tools/smc_pnet/smc_pnet" -a -I "${dev[$nic]}" \
		-D "rxe$nic" LAB
done
under_load from_stock "$STOCK" "$OURS" "$OURS"
if [ "${SMC_TEST_DEPTH:-}" = deep ]; then
	under_load from_stock "$STOCK" "$OURS" "$STOCK"
	under_load to_stock "$OURS" "$STOCK" "$OURS"
fi
under_load to_stock "$OURS" "$STOCK" "$STOCK"
ktap_end
