#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each AF_SMC socket has a TCP socket. For this TCP socket the installed ss -ti
# shows whether the data moves by RDMA, within the host or by TCP. If it moves
# by TCP, ss also shows the reason. ss -p, lsof and fuser show the process.
#
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

needs smcss

# held ARGUMENT...: opens three connections and keeps them
held() {
	: > /tmp/smc_peer.hold
	"$peer" --client 127.0.0.1 "${scale[@]}" "$@" hold > /dev/null &
	holder=$!
	within "$patience" test -s /tmp/smc_peer.hold ||
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

# The TCP sockets of the server's process and the client's all have an owner.
# shellcheck disable=SC2317 # "check" calls it
owned() {
	local all
	all=$(ss -Htnp "$@")
	[ "$(grep -c smc_peer <<< "$all")" -ge 6 ] &&
		! grep -v smc_peer <<< "$all" && return
	echo "$all"
	return 1
}

# A port of the first connection in the list of SMC sockets.
a_port() {
	"$smcss" | sed -n 's/.*127.0.0.1:\([0-9]*\) .*/\1/p' | head -n 1
}

# lsof shows the process of the first connection.
# shellcheck disable=SC2317 # "check" calls it
lsof_knows() {
	lsof -nP "-iTCP:$(a_port)" | grep smc_peer
}

# owners_shown NAME: all tools show the process of each connection
owners_shown() {
	check "$1: ss -p shows the processes" owned state established
	check "$1: lsof shows the connections" lsof_knows
	check "$1: fuser finds the process" fuser -s -n tcp "$(a_port)"
}

# listener_owner: ss -tlnp shows the process of a listening SMC socket
# shellcheck disable=SC2317 # "check" calls it
listener_owner() {
	python3 -c 'import socket, subprocess
s = socket.socket(43, socket.SOCK_STREAM, 0)
libc = __import__("ctypes").CDLL(None)
libc.listen(s.fileno(), 1)
print(subprocess.run(["ss", "-Htlnp"], capture_output=True, text=True).stdout)
' | grep '"python3"'
}

ktap_start
"$peer" --server --background
held --family smc
check "in-host: both ends" same "6 tcp-ulp-smc:in-host" \
	"$(ulps -tni state established)"
owners_shown "in-host"
released
check "ss -l shows the process of a listener" listener_owner
for family in smc tcp; do
	check "$family: ss -e shows the user who has accepted" same 65534 \
		"$("$programs/accept_as_user.py" "$family")"
done
held --family smc --server-family tcp
check "the peer is plain TCP: this end says so" \
	same "3 tcp-ulp-smc:peer-no-smc" "$(ulps -tni state established)"
owners_shown "fallback"
check "without privilege ss says nothing of it" same "" \
	"$(setpriv --reuid 65534 --regid 65534 --clear-groups ss -Htni |
	   grep -o 'tcp-ulp-[^ ]*')"
released
check "nothing stays" same "" "$(ulps -tni state established)"
"$peer" --stop 127.0.0.1
ktap_end
