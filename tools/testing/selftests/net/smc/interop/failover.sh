#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two adapters on each host, and stock SMC on one of them: groups get two links
# whoever is the server, connections with checked data survive the loss of an
# adapter on either host, and the link comes back (R-L-15). Where both
# adapters go the connections end.
#
# Stock SMC takes a second adapter only if both have one PNETID and addresses in
# one subnet. Its queue pairs try for ever on rdma_rxe, and as a server it waits
# for that when a link is deleted: what fails in that role is an adapter of ours
# that can say so.
#
# lab: --nics 2 fresh
# timeout: 290
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/../two_host/lib_failover.sh"

hold=/tmp/smc_peer.hold

# one_net HOST OWN OTHER: 10.77.0.OWN on both its adapters
one_net() {
	local host=$1 own=$2 other=$3
	sh_on "$host" "ip addr flush dev ${dev[1]} scope global
		ip addr add 10.77.0.10$own/24 dev ${dev[1]}
		ip route add 10.77.0.10$other dev ${dev[1]} src 10.77.0.10$own
		ip route add 10.77.0.$other dev ${dev[0]} src 10.77.0.$own"
}

# under_load FROM CLIENT SERVER HOW HOST NIC: pulled and restored
under_load() {
	local from=$1 client=$2 server=$3 how=$4 host=$5 nic=$6 out load side
	local what="$client to $server, $how of NIC $nic on $host"
	out=$(mktemp)
	sh_on "$client" "touch $hold"
	"$from" "$what" --expect-mode smcr under_load > "$out" &
	load=$!
	for side in a b; do
		check "$what: two links on $side" until_links $side 2
	done
	sleep 1
	pull "$how" "$host" "$nic"
	# stock SMC may try in vain to have another one meanwhile: the two
	# adapters are not on one wire
	check "$what: one link left here" until_links "$OURS" 1
	restore "$how" "$host" "$nic"
	for side in a b; do
		check "$what: the link is back on $side" until_links $side 2
	done
	sh_on "$client" "rm $hold"
	wait $load
	relay "$what" cat "$out"
	rm -f "$out"
}

# Our groups end when the module goes, and the peer is told.
reload() {
	local module
	on "$OURS" rmmod smc_diag smc
	for module in smc smc_diag; do
		on "$OURS" insmod "$tree/build/$LAB_KERNEL/net/smc/$module.ko"
	done
}

# Without any adapter of ours everything of ours ends. Stock SMC finds out by
# itself, some time.
both_gone() {
	local nic
	sh_on "$OURS" "touch $hold; setsid $peer --client $stock_address \
		${scale[*]} --family smc under_load > /dev/null 2>&1 < /dev/null &"
	check "both adapters: two links before" until_links "$OURS" 2
	sleep 1
	for nic in 1 0; do
		pull delete "$OURS" $nic
	done
	check "both adapters gone: no link is left" until_links "$OURS" 0
	check "both adapters gone: the program hears of it" sh_on "$OURS" \
		"for i in \$(seq 100); do pgrep -x smc_peer > /dev/null || exit 0
			sleep 0.2; done; exit 1"
}

ktap_start
find_nics
one_net a 1 2
one_net b 2 1
for nic in 0 1; do
	on "$STOCK" "$tree/tools/smc_pnet/smc_pnet" -a -I "${dev[$nic]}" \
		-D "rxe$nic" LAB
done
server_on "$OURS"
under_load from_stock "$STOCK" "$OURS" delete "$OURS" 1
under_load from_stock "$STOCK" "$OURS" loss "$STOCK" 1
stop_server_on "$OURS"
reload
server_on "$STOCK"
under_load to_stock "$OURS" "$STOCK" delete "$OURS" 1
both_gone
stop_server_on "$STOCK"
check "no violation" same "0 0" \
	"$(counter CdcViolations) $(counter LlcViolations)"
ktap_end
