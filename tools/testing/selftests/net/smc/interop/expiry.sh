#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests group expiry with stock SMC: our group ends when it has had no
# connection for the configured time, and not earlier. A connection keeps the
# group (R-2-06). The peer gets an orderly DELETE LINK for the whole group and
# has no group afterwards, in both roles. A stock server answers a client's
# DELETE LINK with its own (R-2-07). The idle time of stock SMC is always ten
# minutes.
#
# timeout: 600
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

idle=5			# idle time of our server in seconds
idle_client=$((idle + 10))
hold=/tmp/smc_peer.hold
program=00030000	# the reason

# said_in CAPTURE: prints a line for each DELETE LINK of a group, without
# repetitions: the sender, the reason, and the whole seconds since the last CDC
# message before it
said_in() {
	tshark -r "$1" -Y "infiniband.bth.opcode == 4" -T fields -e ip.src \
		-e infiniband.bth.psn -e frame.time_epoch -e udp.payload \
		2> /dev/null | awk -v ours="$ours_address" '
		{ type = substr($4, 25, 2); flags = substr($4, 31, 2) }
		known[$1 " " $2]++ { next }
		type == "fe" { last = $3 }
		type == "24" && flags == "60" {
			print $1 == ours ? "ours" : "stock", substr($4, 35, 8), \
				int($3 - last)
		}'
}

# expires DIRECTION CLIENT SERVER SECONDS WHO...: WHO lists the hosts that send
# DELETE LINK, in their order
expires() {
	local direction=$1 client=$2 server=$3 least=$4 out load ended who words
	shift 4
	out=$(mktemp)
	server_on "$server"
	check "$direction: capture" capture_begins "$OURS" eth0 128
	sh_on "$client" "touch $hold"
	"$direction" "held" --expect-mode smcr hold > "$out" &
	load=$!
	check "$direction: there are connections" within $patience three
	ended=$(counter GroupsEnded)
	sleep $((least + 2))
	check "$direction: connections keep the group" \
		same "$ended" "$(counter GroupsEnded)"
	sh_on "$client" "rm $hold"
	wait $load
	relay "$direction" cat "$out"
	check "$direction: the idle group ends" ended_after "$ended"
	check "$direction: that of stock, too" stock_has_no_group
	capture_ends "$OURS" "$here"
	stop_server_on "$server"
	words=$(said_in "$here")
	echo "# $direction: $words" | paste -sd ' '
	# R-2-06, -07
	check "$direction: who says so, and why" same \
		"$(for who; do echo "$who $program"; done)" \
		"$(awk '{ print $1, $2 }' <<< "$words")"
	# R-2-06
	check "$direction: not before its time" \
		test "$(awk '{ print $3; exit }' <<< "$words")" -ge "$least"
	rm -f "$out"
}

ktap_start
here=$(mktemp) || exit 1
trap 'rm -f "$here"' EXIT
reload_ours
sh_on "$OURS" "echo $idle > /proc/sys/net/smc/lgr_idle_time"
expires from_stock "$STOCK" "$OURS" $idle ours
expires to_stock "$OURS" "$STOCK" $idle_client ours stock
server_on "$OURS"
from_stock "after that" --expect-mode smcr names
stop_server_on "$OURS"
sh_on "$OURS" "echo 600 > /proc/sys/net/smc/lgr_idle_time"
ktap_end
