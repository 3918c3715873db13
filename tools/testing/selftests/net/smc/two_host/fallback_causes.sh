#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests each cause of a fallback: the connection must work over TCP, and both
# ends must show the reason. After the cause is removed, new connections must
# use SMC-R (R-C.1-02, R-C.1-03).
#
# foreign: arm64-64k
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

nothing=0
memory=0x01010000
no_peer=0x03010000
ipsec=0x03020000
no_device=0x03030002
eye_catcher=0x03050000
declined=0x05000000

# Each connection that fell back to TCP must pass these cases.
some=(names half_close_by_client epoll_before_connect)
[ "${SMC_TEST_DEPTH:-}" != deep ] ||
	some+=(sizes abort_unread_by_server connect_nonblocking)

# falls_back NAME CLIENT-REASON SERVER-REASON [ARGUMENT]...
falls_back() {
	local name=$1 client=$2 server=$3
	shift 3
	from_b "$name" --family smc --expect-mode tcp --expect-reason "$client" \
		--expect-server-reason "$server" "$@" "${some[@]}"
}

smcr_again() {
	from_b "$1, after it" --family smc --expect-mode smcr sizes names
}

ktap_start
server_on_a

# A host does not offer SMC: first one host, then the other.
falls_back "server without SMC" $no_peer $nothing --server-family tcp many
from_b "client without SMC" --family tcp --server-family smc \
	--expect-server-mode tcp --expect-server-reason $no_peer many \
	"${some[@]}"

# A host has no RDMA device: first this host, then the other.
from_b "groups on the devices" --family smc --expect-mode smcr names many
only_device_goes b
# R-C.1-02
falls_back "client without device" $no_device $declined/$no_device
device_comes b
smcr_again "client without device"
only_device_goes a
# R-C.1-02, -03
falls_back "server without device" $declined/$no_device $no_device
device_comes a
smcr_again "server without device"

# Version 1 works only within a subnet, version 2 also between subnets.
sh_on a "ip addr add 10.88.0.1/24 dev eth0; ip route add 10.89.0.0/24 dev eth0 src 10.88.0.1"
sh_on b "ip addr add 10.89.0.2/24 dev eth0; ip route add 10.88.0.0/24 dev eth0 src 10.89.0.2"
to=10.88.0.1 smcr_again "other subnet"
sh_on a "ip route del 10.89.0.0/24; ip addr del 10.88.0.1/24 dev eth0"
sh_on b "ip route del 10.88.0.0/24; ip addr del 10.89.0.2/24 dev eth0"
smcr_again "other subnet"

# No adapter has the address of the service, so the route between the hosts
# decides which adapter is used (R-3.5.1.2-09).
sh_on a "ip addr add 10.90.0.1/32 dev lo"
sh_on b "ip route add 10.90.0.1 via $a dev eth0"
# R-3.5.1.2-09
to=10.90.0.1 smcr_again "address of no adapter"
sh_on b "ip route del 10.90.0.1"
sh_on a "ip addr del 10.90.0.1/32 dev lo"

# RDMA would bypass IPsec (R-5.5). Both hosts have the keys of one direction,
# and the sender's policy puts its TCP packets into ESP.
key=0x0102030405060708090a0b0c0d0e0f1011121314
protect() {
	local from=$1 src=$2 dst=$3 host

	for host in a b; do
		on $host ip xfrm state add src "$src" dst "$dst" proto esp \
			spi 0x1000 mode transport \
			aead 'rfc4106(gcm(aes))' $key 128 || return
	done
	on "$from" ip xfrm policy add dir out src "$src" dst "$dst" proto 6 \
		tmpl proto esp mode transport
}
unprotect() {
	sh_on a "ip xfrm policy flush; ip xfrm state flush"
	sh_on b "ip xfrm policy flush; ip xfrm state flush"
}
if protect b "$b" "$a"; then
	# R-5.5-01, R-C.1-02
	falls_back "IPsec at the client" $ipsec $declined/$ipsec
	unprotect
	smcr_again "IPsec at the client"
	protect a "$a" "$b"
	# R-5.5-01, R-C.1-02
	falls_back "IPsec at the server" $declined/$ipsec $ipsec
	unprotect
	smcr_again "IPsec at the server"
else
	unprotect
	skip "IPsec" "this kernel has no ESP"
fi

# These calls of a program cause a fallback.
sh_on a "echo 3 > /proc/sys/net/ipv4/tcp_fastopen"
sh_on b "echo 3 > /proc/sys/net/ipv4/tcp_fastopen"
from_b "program" --family smc @fallback

# If only one host uses eye catchers in its elements, connections fall back.
# eye_catchers HOST 0|1: turns them on or off for new groups of that host
eye_catchers() {
	sh_on "$1" "echo $2 > /proc/sys/net/smc/smcr_eyecatcher"
	end_groups "$1"
	check "host $1, eye catchers $2: the groups have ended" \
		within 20 no_group_on "$1"
}
eye_catchers b 0
eye_catchers a 1
# R-L-06, R-C.1-02
falls_back "eye catchers at the server" $eye_catcher $declined/$eye_catcher
eye_catchers b 1
# R-4.2-02, R-4.3-04
from_b "eye catchers" --family smc --expect-mode smcr @data
eye_catchers a 0
# R-L-06, R-C.1-02
falls_back "eye catchers at the client" $eye_catcher $declined/$eye_catcher
eye_catchers b 0
smcr_again "eye catchers"

# When a limit is reached, a new connection uses TCP at once.
# limit HOST NAME CLIENT-REASON SERVER-REASON
limit() {
	local file=/proc/sys/net/smc/$2 old
	old=$(sh_on "$1" "cat $file; echo ${zero:-0} > $file")
	falls_back "$2 reached on $1" "$3" "$4"
	sh_on "$1" "echo $old > $file"
	smcr_again "$2 reached on $1"
}
over_cap() {
	sh_on a "sed -n 's/.*HandshakesOverCap[^0-9]*//p' /proc/net/smc_mib"
}
before=$(over_cap)
limit a hs_max_listener $no_peer $no_peer
check "handshakes over the cap are counted" test "$(over_cap)" -gt "$before"
limit a hs_max_net $no_peer $no_peer
limit b hs_max_net $memory $no_peer
limit a max_conns $declined/$memory $memory
limit b max_conns $memory $declined/$memory
# The test allows no memory for receive elements, but it allows memory for data
# that waits to be sent.
# R-C.1-02
zero="0 0 100000" limit a mem $declined/$memory $memory
# R-C.1-02
zero="0 0 100000" limit b mem $memory $declined/$memory

stop_server_on_a
ktap_end
