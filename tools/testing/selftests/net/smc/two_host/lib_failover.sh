# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests that take adapters away. The functions find the adapters,
# remove and restore them, and check the links.
# shellcheck shell=bash
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

# ends HOST: prints the number of the NIC of each sending queue pair of ours, in
# order
ends() {
	sh_on "$1" "rdma resource show qp |
		sed -n 's/^link rxe\([0-9]\)\/.*state RTS.*comm .smc.*/\1/p' |
		sort" | tr '\n' ' '
}

# links HOST: prints the number of links
links() {
	ends "$1" | wc -w
}

# used_nics HOST: prints the numbers of NICs that have a link
used_nics() {
	ends "$1" | tr ' ' '\n' | uniq | tr '\n' ' '
}

# The number of connections of the case under_load.
conns=$((64 / div > 8 ? 64 / div : 8))

# load_is_there HOST: succeeds when the client on this host has all its
# connections
# shellcheck disable=SC2317 # "within" calls it
load_is_there() {
	[ "$(active "$1")" -ge "$conns" ]
}

# SMC tries again to add a link after 4, 8, 16 seconds and so on.
link_patience=150

# Functions called through within.
# shellcheck disable=SC2317
{
has_links() {
	local n
	n=$(links "$1")
	echo "host $1: $n links, not $2"
	[ "$n" -eq "$2" ]
}

unused_nic() {
	! sh_on "$1" "rdma resource show qp" |
		grep "link rxe$2/.*state RTS.*comm .smc"
}
}

# load_begins FILE: host b has all connections, over two links, and prints to the
# file; load: its process, which ends when the file $hold of host b is gone
# shellcheck disable=SC2034,SC2154
load_begins() {
	local host
	sh_on b "touch $hold"
	from_b "load" --family smc --expect-mode smcr under_load > "$1" &
	load=$!
	for host in a b; do
		check "two links on $host" until_links $host 2
	done
	check "the load runs" within "$patience" load_is_there b
}

# until_links HOST COUNT [SECONDS]: waits until the host has COUNT links
until_links() {
	within "${3:-$link_patience}" has_links "$1" "$2"
}

# off_nic HOST NIC: succeeds when no link of ours uses the NIC any more
off_nic() {
	within "$link_patience" unused_nic "$1" "$2"
}

# on_nic HOST NIC: prints the number of connections on links over the NIC
on_nic() {
	on "$1" "$smcr" -j link | python3 -c '
import json, sys
print(sum(link["connections"] for link in json.load(sys.stdin)
          if link["device"] == sys.argv[1]))' "rxe$2"
}

# Finds the interface of NIC n by its address.
netdev() {
	sh_on "$1" "ip -br -4 addr | sed -n 's/ .*10\\.77\\.$2\\..*//p'"
}

# find_nics: sets dev and nics, and arranges that an interface gets its address
# again when it comes back
find_nics() {
	local host n=0 name
	dev=()
	while name=$(netdev a $n); [ -n "$name" ]; do
		dev[n]=$name
		n=$((n + 1))
	done
	# shellcheck disable=SC2034
	nics=$n
	for host in a b; do
		sh_on $host "for f in /proc/sys/net/ipv6/conf/*/keep_addr_on_down
			do echo 1 > \$f; done"
	done
}

# pull HOW HOST NIC
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

# one_subnet HOST INDEX [NIC]: gives this adapter, or the second one, an address
# in the subnet of the first, because a switch connects them
one_subnet() {
	local nic=${3:-1}
	sh_on "$1" "ip addr flush dev ${dev[nic]} scope global
		ip addr add 10.77.0.${nic}0$2/24 dev ${dev[nic]}
		ip addr add fd77:0::${nic}0$2/64 dev ${dev[nic]} nodad
		sysctl -q -w net.ipv4.conf.all.arp_ignore=1 \
			net.ipv4.conf.all.arp_announce=2"
}

# forget_neighbours: call this function when all hosts have their addresses.
# Until then both adapters of a host answer ARP requests for either address, and
# RDMA drops frames that arrive at the wrong adapter.
forget_neighbours() {
	local host
	for host in a b; do
		on $host ip neigh flush all
	done
}

# apart_again HOST INDEX
apart_again() {
	sh_on "$1" "ip addr flush dev ${dev[1]} scope global
		ip addr add 10.77.1.$2/24 dev ${dev[1]}
		ip addr add fd77:1::$2/64 dev ${dev[1]} nodad
		sysctl -q -w net.ipv4.conf.all.arp_ignore=0 \
			net.ipv4.conf.all.arp_announce=0"
}

# shellcheck disable=SC2317 # "within" calls it
has_ends() {
	local got
	got=$(ends "$1")
	echo "host $1: links over $got, not over $2"
	[ "$got" = "$2 " ]
}

# until_ends HOST NICS: waits until links use exactly these NICs; otherwise
# prints the steps of the hosts since steps_traced
until_ends() {
	within "$link_patience" has_ends "$1" "$2" && return
	steps_told
	return 1
}

# over NAME NICS-OF-A NICS-OF-B: checks that links use exactly these NICs
over() {
	check "$1: links of a" until_ends a "$2"
	check "$1: links of b" until_ends b "$3"
}
