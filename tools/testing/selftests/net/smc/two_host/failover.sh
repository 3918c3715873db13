#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two adapters on each host, up to 64 connections with checked data both ways, and
# one adapter at a time is taken away in each way there is: the RDMA device is
# deleted, its net device goes down, its packets get lost. Nothing is lost,
# repeated or reordered, and the application sees no error (R-2.2-04, R-2.3-03,
# R-2.3-09, R-4.6.1-04, R-4.6.2-01). With the adapter back its link is added
# again (R-3.5.5.1.2-01, R-C.8-03).
#
# lab: --nics 2
# kernels: uml uml-debug
# timeout: 290
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

hold=/tmp/smc_peer.hold
mark=/tmp/smc_peer.mark
pause=/tmp/smc_peer.pause

# The net devices of UML do not come up again.
ways=(delete down loss)
case $LAB_KERNEL in
uml-debug) rounds=2 ways=(delete loss) ;;
uml) rounds=6 ways=(delete loss) ;;
*) rounds=3 ;;
esac
rounds=${FAILOVER_ROUNDS:-$rounds}
RANDOM=${FAILOVER_SEED:-7609}

# links HOST: queue pairs of ours that send
links() {
	sh_on "$1" "rdma resource show qp | grep -c 'state RTS.*comm .smc'" ||
		true
}

# until HOST COUNT: so many links, within 20 s
until_links() {
	local host=$1 count=$2
	for _ in $(seq 100); do
		[ "$(links "$host")" -eq "$count" ] && return
		sleep 0.2
	done
	echo "host $host: $(links "$host") links, not $count"
	return 1
}

counter() {
	sh_on "$1" "sed -n 's/^$2[^0-9]*//p' /proc/net/smc_mib"
}

longest_pause() {
	sh_on b "rm -f $pause; touch $mark; for i in \$(seq 100); do
		[ -e $pause ] && break; sleep 0.1; done; cat $pause"
}

# The interface of NIC n, by its address.
netdev() {
	sh_on "$1" "ip -br -4 addr | sed -n 's/ .*10\\.77\\.$2\\..*//p'"
}

pull() {
	local how=$1 host=$2 nic=$3
	case $how in
	delete) on "$host" rdma link delete "rxe$nic" ;;
	down) on "$host" ip link set "${dev[$nic]}" down ;;
	loss) on "$host" tc qdisc add dev "${dev[$nic]}" root netem loss 100% ;;
	esac
}

restore() {
	local how=$1 host=$2 nic=$3
	case $how in
	delete) on "$host" rdma link add "rxe$nic" type rxe netdev "${dev[$nic]}" ;;
	down) on "$host" ip link set "${dev[$nic]}" up ;;
	loss) on "$host" tc qdisc del dev "${dev[$nic]}" root ;;
	esac
}

ktap_start
for host in a b; do
	# addresses come back with the interface
	sh_on $host "echo 1 > /proc/sys/net/ipv6/conf/all/keep_addr_on_down
		for f in /proc/sys/net/ipv6/conf/*/keep_addr_on_down; do
			echo 1 > \$f; done"
done
dev=("$(netdev a 0)" "$(netdev a 1)")
server_on_a
sh_on b "touch $hold"
{ to=$a6 from_b "load" --family smc6 --expect-mode smcr under_load; } \
	> "${TMPDIR:-/tmp}/failover.$$" &
load=$!
check "two links at first contact" until_links b 2
check "two links at the server" until_links a 2
sleep 1
check "both links carry connections" sh_on b \
	"rdma statistic show link rxe1/1 | grep -qE 'sent_pkts [1-9]'"

for ((i = 1; i <= rounds; i++)); do

	hosts=(a b)
	how=${ways[$((RANDOM % ${#ways[@]}))]}
	host=${hosts[$((RANDOM % 2))]}
	nic=$((RANDOM % 2))
	what="round $i: $how, NIC $nic of host $host"
	longest_pause > /dev/null
	before=$(counter b ConnectionsMoved)
	pull "$how" "$host" "$nic"
	check "$what: one link left on b" until_links b 1
	check "$what: one link left on a" until_links a 1
	sleep 0.5
	moved=$(($(counter b ConnectionsMoved) - before))
	echo "# $what: longest pause $(longest_pause) ms, $moved moved"
	restore "$how" "$host" "$nic"
	check "$what: link is back on b" until_links b 2
	check "$what: link is back on a" until_links a 2
done
check "connections were moved" test "$(counter b ConnectionsMoved)" -gt 0
sh_on b "rm $hold"
wait $load
# its results are ours
relay "under load" cat "${TMPDIR:-/tmp}/failover.$$"
rm -f "${TMPDIR:-/tmp}/failover.$$"
for host in a b; do
	check "no abort on $host" same 0 "$(counter $host AbortsSent)"
	check "no violation on $host" same 0 "$(counter $host CdcViolations)"
done
stop_server_on_a
ktap_end
