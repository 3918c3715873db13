#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests version 2 through a gateway. The hosts are in two subnets, and the
# router between them is a network namespace of host b. RDMA packets must take
# the same route as TCP packets, over IPv4 and over IPv6 (frames.rst, F-35).
#
# On other kernels a network device does not work after a move to another
# namespace.
#
# lab: --nics 2 fresh
# kernels: 6.12 6.1
# deep: 6.1
# timeout: 600
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

there=10.88.0.2
there6=fd88::2

ktap_start
sh_on b "set -e
	rdma link delete rxe1
	ip netns add gw
	ip link set eth1 netns gw
	ip link add vb mtu 9000 type veth peer name vgw mtu 9000 netns gw
	ip netns exec gw sysctl -qw net.ipv4.ip_forward=1 \
		net.ipv6.conf.all.forwarding=1
	ip -n gw addr add 10.77.1.254/24 dev eth1
	ip -n gw addr add fd77:1::fe/64 dev eth1 nodad
	ip -n gw link set eth1 mtu 9000 up
	ip -n gw addr add 10.88.0.254/24 dev vgw
	ip -n gw addr add fd88::fe/64 dev vgw nodad
	ip -n gw link set vgw up
	ip addr add $there/24 dev vb
	ip addr add $there6/64 dev vb nodad
	ip link set vb up
	ip route add 10.77.1.0/24 via 10.88.0.254
	ip route add fd77:1::/64 via fd88::fe
	rdma link add rxev type rxe netdev vb" || fail "router on host b"
sh_on a "ip route add 10.88.0.0/24 via 10.77.1.254
	ip route add fd88::/64 via fd77:1::fe"
check "the RDMA device comes up" within "$patience" sh_on b \
	"grep -qs ACTIVE /sys/class/infiniband/rxev/ports/1/state"

# through NAME FAMILY CASE...: the client on a, the server on b
through() {
	local name=$1 family=$2 to=$there
	shift 2
	[ "$family" = smc ] || to=$there6
	on b "$peer" --server --background || fail "server on host b"
	relay "$name" on -t 300 a "$peer" --client "$to" \
		"${scale[@]}" --family "$family" --expect-mode smcr "$@"
	on b "$peer" --stop 127.0.0.1
}

check "the capture begins" capture_begins a eth1 0
through "client behind the gateway" smc sizes names half_close_both
through "client behind the gateway, IPv6" smc6 sizes names half_close_both
here=$(mktemp) || exit 1
trap 'rm -f "$here"' EXIT
capture_ends a "$here"

# seen WHAT FILTER: checks that the capture has matching packets
seen() {
	check "$1" test "$(tshark -r "$here" -Y "$2" 2>/dev/null | wc -l)" -gt 0
}
# Another machine takes over the address of the gateway. The old group still
# exists, and its link still sends to the old machine.
sh_on b "ip -n gw link set vgw address 02:00:00:00:00:99
	ip neigh flush dev vb"
through "behind another gateway" smc names sizes
through "behind another gateway, IPv6" smc6 names sizes

# The same for the client's gateway. The server does not know of the change, and
# chooses the old group. The client's packets on its link would get lost, so the
# connection stays on TCP. The old group has no other connection, so it ends,
# and later connections use a new group.
# shellcheck disable=SC2317 # "within" calls it
smc_again() {
	on a "$peer" --client "$there" "${scale[@]}" --family smc \
		--expect-mode smcr names
}
sh_on b "ip -n gw link set eth1 address 02:00:00:00:00:98"
on a ip neigh flush dev eth1
on b "$peer" --server --background || fail "server on host b"
relay "client behind another gateway" on a "$peer" --client "$there" \
	"${scale[@]}" --family smc --expect-mode tcp names
check "client behind another gateway: SMC again" within "$patience" smc_again
on b "$peer" --stop 127.0.0.1

seen "RDMA leaves with a hop limit" "udp.dstport == 4791 && ip.ttl == 64 &&
	ip.dst == $there"
seen "RDMA arrives with one less" "udp.dstport == 4791 && ip.ttl == 63 &&
	ip.src == $there"
# F-35
seen "RDMA over IPv6 leaves with a hop limit" "udp.dstport == 4791 &&
	ipv6.hlim == 64 && ipv6.dst == $there6"
seen "RDMA over IPv6 arrives with one less" "udp.dstport == 4791 &&
	ipv6.hlim == 63 && ipv6.src == $there6"
# Bit 7 of byte 104 in Accept and Confirm would say that there is no gateway.
for way in ip ipv6; do
	seen "the Accept says so, $way" \
		"$way && smc.clc_msg == 2 && tcp.payload[104:1] == 00"
	seen "the Confirm says so, $way" \
		"$way && smc.clc_msg == 3 && tcp.payload[104:1] == 00"
done
ktap_end
