#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One host has two adapters on a network, and the other host has one, which two
# links share (R-2.2.1-01, R-2.2.1-02, R-3.5.1.6.1-02, R-3.5.1.6.1-04). Under
# checked load, the test removes each of the two adapters and restores it. When
# the other host gets its second adapter, a link over it is added before the
# asymmetric one is deleted (R-2.2.1-04, R-2.2.2-13, R-3.5.5.1.2-02), and then
# the test also removes and restores the adapter that both links shared. The
# test runs with each host as the server, and with versions 2 and 1.
#
# lab: --nics 2 --switch
# kernels: uml uml-debug
# deep: uml-debug
# also: uml
# timeout: 900
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/lib_failover.sh"

hold=/tmp/smc_peer.hold
wire=/tmp/asymmetric.pcap

# In version 2, the DELETE LINK is a request with the reason "asymmetric link no
# longer needed".
needless="udp dst port 4791 and udp[8] = 4 and udp[20] = 0x24 and
	udp[23] & 0x80 = 0 and udp[25:4] = 0x00050000"

# type_is HOST TYPE: compares the type of its group
type_is() {
	on "$1" "$smcr" -j linkgroup | grep -o '"type": "[A-Z]*"'
	on "$1" "$smcr" -j linkgroup |
		grep -q "\"type\": \"$2\""
}

# Reads only the first of these messages, because RDMA may repeat a message.
needless_deleted() {
	local n
	on "$1" cat "$wire" > "$here"
	n=$(tshark -r "$here" -T fields -e infiniband.bth.destqp \
		-e infiniband.bth.psn 2> /dev/null | sort -u | wc -l)
	echo "$n messages"
	[ "$n" -eq 1 ]
}

# under_load FAMILY SERVER CLIENT ADDRESS: at first b has only NIC 0
under_load() {
	local family=$1 server=$2 client=$3 to=$4 out load host
	local what="$family, server $2"
	out=$(mktemp)
	pull delete b 1
	reload
	on "$server" "$peer" --server --background || {
		fail "server on host $server"
		return
	}
	sh_on "$server" "rm -f $wire; setsid tcpdump -i any -U -B 16384 -w $wire \
		'$needless' > /dev/null 2>&1 < /dev/null & echo \$! > $wire.pid"
	check "$what: tcpdump listens" within "$patience" \
		sh_on "$server" test -s $wire
	sh_on "$client" "touch $hold"
	relay "$what" on -t 280 "$client" "$peer" --client "$to" \
		"${scale[@]}" --family "$family" --expect-mode smcr \
		under_load > "$out" &
	load=$!
	within "$patience" load_is_there "$client" > /dev/null || {
		fail "$what: the load runs" "$(cat "$out"; for host in a b; do
			sh_on $host "$smcss -a; ip -br addr; ip neigh; rdma link"
		done)"
		return
	}
	pass "$what: the load runs"
	# R-2.2.1-02, R-3.5.1.6.1-02, -04
	over "$what: one adapter shared" "0 1" "0 0"
	# R-2.2.1-01
	check "$what: a sees the peer's shared" \
		within "$patience" type_is a ASYMP
	# R-2.2.1-01
	check "$what: b sees its own shared" within "$patience" type_is b ASYML
	pull delete a 1
	over "$what: the second goes" "0" "0"
	restore delete a 1
	over "$what: it is back" "0 1" "0 0"
	pull delete a 0
	over "$what: the first goes" "1" "0"
	restore delete a 0
	over "$what: it is back too" "0 1" "0 0"
	restore delete b 1
	# R-2.2.1-04, R-3.5.5.1.2-02
	over "$what: the missing one comes" "0 1" "0 1"
	check "$what: both are symmetric" \
		within "$patience" type_is "$server" SYM
	[ "$family" != smc ] ||
		# R-2.2.1-04
		check "$what: the shared link was deleted as needless" \
			within "$patience" needless_deleted "$server"
	pull delete b 0
	over "$what: the one that was shared goes" "0 1" "1 1"
	restore delete b 0
	over "$what: and is back" "0 1" "0 1"
	sh_on "$client" "rm $hold"
	wait $load
	relay "$what" cat "$out"
	rm -f "$out"
	sh_on "$server" "kill \$(cat $wire.pid)"
	for host in a b; do
		check "$what: no abort on $host" \
			same 0 "$(host_counter $host AbortsSent)"
		check "$what: no violation on $host" same "0 0" \
			"$(host_counter $host CdcViolations) $(host_counter $host LlcViolations)"
	done
	on "$server" "$peer" --stop 127.0.0.1
}

ktap_start
here=$(mktemp) || exit 1
trap 'rm -f "$here"' EXIT
find_nics
one_subnet a 1
one_subnet b 2
forget_neighbours
under_load smc a b "$a"
under_load smc6 b a "$b6"
apart_again a 1
apart_again b 2
ktap_end
