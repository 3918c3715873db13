#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sockets of AF_INET and AF_INET6 with protocol IPPROTO_SMC (256) are the same
# as those of AF_SMC, and each kind connects to the other.
#
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

needs smcss

# single NAME ARGUMENT...: runs cases of smc_peer with both ends on this host
single() {
	local name=$1
	shift
	relay "$name" "$peer" --single "${scale[@]}" "$@"
}

# sockets PROTOCOL: prints the number of sockets in /proc/net/protocols
sockets() {
	awk -v name="$1" '$1 == name { print $3 }' /proc/net/protocols
}

# shellcheck disable=SC2317 # "check" calls it
none_left() {
	same "0 0" "$(sockets INET_SMC) $(sockets INET6_SMC)"
}

# held FAMILY: opens three connections and keeps them
held() {
	touch /tmp/smc_peer.hold
	"$peer" --client 127.0.0.1 "${scale[@]}" --family "$1" hold > /dev/null &
	holder=$!
}

released() {
	rm /tmp/smc_peer.hold
	wait "$holder"
}

# listed ADDRESS: six ends of connections within the host have the address
# shellcheck disable=SC2317 # "check" calls it
listed() {
	[ "$("$smcss" | grep -c "$1.*in-host")" -eq 6 ]
}

ktap_start
# Fast open needs the server's consent.
echo 3 > /proc/sys/net/ipv4/tcp_fastopen
single "IPv4" --family inet-smc --expect-mode inhost \
	@api @close churn8 connect_nonblocking connect_refused_retry disconnect
single "IPv6" --family inet-smc6 --expect-mode inhost @api names
single "client of AF_INET, server of AF_SMC" --family inet-smc \
	--server-family smc --expect-mode inhost identity names
single "client of AF_SMC, server of AF_INET6" --family smc6 \
	--server-family inet-smc6 --expect-mode inhost identity names
single "causes of a fallback" --family inet-smc @fallback
single "client on TCP" --family inet-smc --server-family tcp \
	--expect-mode tcp --expect-reason 0x03010000 @api linger
single "server on TCP" --family tcp6 --server-family inet-smc6 \
	--expect-server-mode tcp --expect-server-reason 0x03010000 @api linger

"$peer" --server --background
held inet-smc
check "the socket list shows addresses" within "$patience" listed 127.0.0.1
check "/proc/net/protocols counts the sockets" test "$(sockets INET_SMC)" -ge 6
released
"$peer" --stop 127.0.0.1
check "no socket is left" lists_nothing "$smcss"
check "nor in /proc/net/protocols" within "$patience" none_left
ktap_end
