#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each AF_SMC socket has a TCP socket. For this TCP socket the installed ss -ti
# shows whether the data moves by RDMA, within the host or by TCP. If it moves
# by TCP, ss also shows the reason.
#
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

needs smcss

# held ENDS ARGUMENT...: opens three connections and keeps them; the socket list
# must show ENDS sockets of these connections
held() {
	local ends=$1
	shift
	touch /tmp/smc_peer.hold
	"$peer" --client 127.0.0.1 "${scale[@]}" "$@" hold > /dev/null &
	holder=$!
	for _ in $(seq 50); do
		[ "$("$smcss" | grep -c 127.0.0.1)" -lt "$ends" ] || return
		sleep 0.1
	done
	fail "connections to look at" "$("$smcss" -a)"
}

released() {
	rm /tmp/smc_peer.hold
	wait "$holder"
	lists_nothing "$smcss" || fail "connections gone" "$("$smcss" -a)"
}

# Prints each text of ss about ULPs, with the number of sockets that have it.
ulps() {
	ss -H "$@" | grep -o 'tcp-ulp-[^ ]*' | sort | uniq -c | sed 's/^ *//'
}

ktap_start
"$peer" --server --background
held 6 --family smc
check "in-host: both ends" same "6 tcp-ulp-smc:in-host" \
	"$(ulps -tni state established)"
released
held 3 --family smc --server-family tcp
check "the peer is plain TCP: this end says so" \
	same "3 tcp-ulp-smc:peer-no-smc" "$(ulps -tni state established)"
check "without privilege ss says nothing of it" same "" \
	"$(setpriv --reuid 65534 --regid 65534 --clear-groups ss -Htni |
	   grep -o 'tcp-ulp-[^ ]*')"
released
check "nothing stays" same "" "$(ulps -tni state established)"
"$peer" --stop 127.0.0.1
ktap_end
