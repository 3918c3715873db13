#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each host has two adapters, and one host runs stock SMC. Groups must get two
# links in both roles, connections with checked data must survive the loss of an
# adapter on either host, and the link must come back (R-L-15). If a host loses
# both adapters, the connections end. Our server accepts keys that stock
# announces while it offers links, because stock treats a refusal
# (R-3.5.5.3.1-06) as the end of SMC.
#
# Stock SMC uses a second adapter only if both adapters have the same PNETID and
# addresses in one subnet. On rdma_rxe, queue pairs of stock SMC retry for ever,
# and a stock server waits for them when it deletes a link. So when stock SMC is
# the server, the test removes an adapter of our host, which can still announce
# the removal. Stock SMC waits two seconds for each message about a second link,
# and tries again only when an adapter appears. The "timer" below is this time
# of two seconds. The loss of packets is left to check-deep.
#
# lab: --nics 2 fresh
# timer: 2
# timeout: 1200
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/../two_host/lib_failover.sh"

hold=/tmp/smc_peer.hold
second_patience=20	# seconds for a group's second link

# one_net HOST OWN OTHER: gives both adapters addresses in one subnet, which
# contain the number OWN
one_net() {
	local host=$1 own=$2 other=$3
	sh_on "$host" "ip addr flush dev ${dev[1]} scope global
		ip addr add 10.77.0.10$own/24 dev ${dev[1]}
		ip route add 10.77.0.10$other dev ${dev[1]} src 10.77.0.$own
		ip route add 10.77.0.$other dev ${dev[0]} src 10.77.0.$own"
}

# Each link uses its own adapters.
has_both_nics() {
	echo "host $1 uses $(used_nics "$1")"
	[ "$(used_nics "$1")" = "0 1 " ]
}

both_have_both() {
	local side
	for side in a b; do
		until_links "$side" 2 "$second_patience" || return
		within "$second_patience" has_both_nics "$side" || return
	done
}

# Queue pairs of stock SMC may exist for a short time after the end of its
# groups.
afresh() {
	reload_ours
	check "stock has no queue pair left" until_links "$STOCK" 0
}

# two_links FROM WHAT: creates a group with two links and no connection
two_links() {
	"$1" "$2: first contact" --expect-mode smcr names
	check "$2: two links" both_have_both
}

# Our host receives bytes within the time limit.
flows() {
	within "$patience" counts_more BytesReceived \
		$(($(counter BytesReceived) + 65536)) && return
	evidence
	return 1
}

# begin_load FROM CLIENT WHAT, end_load CLIENT WHAT: results of the load become
# results of this test
begin_load() {
	said=$(mktemp)
	sh_on "$2" "touch $hold"
	"$1" "$3" --expect-mode smcr under_load > "$said" &
	load=$!
	check "$3: the load runs" within $patience load_is_there "$OURS"
	check "$3: bytes flow" flows
}

end_load() {
	sh_on "$1" "rm $hold"
	wait "$load"
	relay "$2" cat "$said"
	rm -f "$said"
	check "$2: no violation" same "0 0" \
		"$(counter CdcViolations) $(counter LlcViolations)"
}

# pulled WHAT HOW HOST NIC: takes the NIC away and restores it
pulled() {
	local what=$1 how=$2 host=$3 nic=$4 side
	pull "$how" "$host" "$nic"
	# stock SMC may try in vain to add another link, because the two adapters
	# are not on one network
	check "$what: one link left here" until_links "$OURS" 1
	check "$what: bytes flow over the other one" flows
	restore "$how" "$host" "$nic"
	for side in a b; do
		# R-L-15
		check "$what: the link is back on $side" until_links $side 2
	done
	check "$what: bytes flow in the end" flows
}

# under_load FROM CLIENT SERVER HOW HOST NIC
under_load() {
	local from=$1 client=$2 server=$3 how=$4 host=$5 nic=$6 said load
	local what="$client to $server, $how of NIC $nic on $host"
	server_on "$server"
	two_links "$from" "$what"
	begin_load "$from" "$client" "$what"
	pulled "$what" "$how" "$host" "$nic"
	end_load "$client" "$what"
	stop_server_on "$server"
}

no_peer_left() {
	sh_on "$OURS" "! pgrep -x smc_peer"
}

# When our host loses both adapters, all its connections and groups end. Stock
# SMC gets no message about this, and detects it after a while.
both_gone() {
	local nic
	server_on "$STOCK"
	two_links to_stock "both adapters"
	sh_on "$OURS" "touch $hold; setsid $peer --client $stock_address \
		${scale[*]} --family smc under_load > /dev/null 2>&1 < /dev/null &"
	check "both adapters: the load runs" within $patience load_is_there "$OURS"
	for nic in 1 0; do
		pull delete "$OURS" $nic
	done
	check "both adapters gone: no link is left" until_links "$OURS" 0
	check "both adapters gone: the program hears of it" \
		within $patience no_peer_left
	check "both adapters gone: no violation" same "0 0" \
		"$(counter CdcViolations) $(counter LlcViolations)"
	stop_server_on "$STOCK"
}

# Our second adapter appears and disappears repeatedly, and each time an ADD
# LINK follows. Stock SMC creates an RMB for each connection, and announces its
# key.
keys_and_links() {
	server_on "$OURS"
	from_stock "a group" --expect-mode smcr names
	sh_on "$OURS" "touch $hold; setsid sh -c 'while test -e $hold; do
			rdma link delete rxe1
			rdma link add rxe1 type rxe netdev ${dev[1]}
			sleep 0.1
		done; touch $hold.over' > /dev/null 2>&1 < /dev/null &"
	from_stock "keys while links are offered" --expect-mode smcr many
	sh_on "$OURS" "rm $hold
		until test -e $hold.over; do sleep 0.1; done; rm $hold.over"
	stop_server_on "$OURS"
}

ktap_start
find_nics
keys_and_links
afresh
one_net a 1 2
one_net b 2 1
for nic in 0 1; do
	on "$STOCK" "$tree/tools/smc_pnet/smc_pnet" -a -I "${dev[$nic]}" \
		-D "rxe$nic" LAB
done
under_load from_stock "$STOCK" "$OURS" delete "$OURS" 1
afresh
if [ "${SMC_TEST_DEPTH:-}" = deep ]; then
	under_load from_stock "$STOCK" "$OURS" loss "$STOCK" 1
	afresh
fi
under_load to_stock "$OURS" "$STOCK" delete "$OURS" 1
afresh
both_gone
ktap_end
