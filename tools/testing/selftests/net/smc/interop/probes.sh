#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Stock SMC repeatedly sends TEST LINK with zeros on an idle link. Our module
# answers each message, and idle connections stay open (R-L-20).
#
# timeout: 600
# Functions are called through check and within.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

often=2			# seconds between two probes, instead of 30
least=4			# required number
messages=$((2 * least))	# probes to wait for; some belong to other links
hold=/tmp/smc_peer.hold
setting=/proc/sys/net/smc/smcr_testlink_time

# said_in CAPTURE: prints for each TEST LINK, without repetitions, the sender,
# the flags, what
said_in() {
	tshark -r "$1" -Y "infiniband.bth.opcode == 4" -T fields -e ip.src \
		-e infiniband.bth.destqp -e infiniband.bth.psn -e udp.payload \
		2> /dev/null | awk -v ours="$ours_address" '
		{ type = substr($4, 25, 2) }
		known[$1 " " $2 " " $3]++ || type !~ /^[02]7$/ { next }
		{ print $1 == ours ? "ours" : "stock", substr($4, 31, 2), \
			substr($4, 33, 32) }'
}

# count WHO FLAGS: prints the number of TEST LINKs of this sender that contain
# only zeros
count() {
	grep -cx "$1 $2 0*" <<< "$words"
}

# All probes have an answer, except perhaps the last one, whose answer the end
# of the capture may have cut off.
answered() {
	local asked
	echo "$words"
	asked=$(count stock 00)
	[ "$asked" -ge "$least" ] && [ "$(count ours 80)" -ge $((asked - 1)) ]
}

# idle DIRECTION CLIENT SERVER
idle() {
	local direction=$1 client=$2 server=$3 out load before timeouts words
	out=$(mktemp)
	server_on "$server"
	check "$direction: capture" capture_begins "$OURS" eth0 128
	sh_on "$client" "touch $hold"
	"$direction" "idle" --expect-mode smcr hold > "$out" &
	load=$!
	check "$direction: there are connections" within $patience three
	before=$(counter LlcReceived)
	timeouts=$(counter LlcTimeouts)
	check "$direction: messages come" within $patience \
		counts_more LlcReceived $((before + messages))
	check "$direction: the connections are there still" three
	sh_on "$client" "rm $hold"
	wait $load
	relay "$direction" cat "$out"
	capture_ends "$OURS" "$here"
	stop_server_on "$server"
	words=$(said_in "$here")
	echo "$words" | sort | uniq -c | sed "s,^,# ,"
	# R-L-20
	check "$direction: each has its answer" answered
	check "$direction: ours were answered, too" same "$timeouts" \
		"$(counter LlcTimeouts)"
	rm -f "$out"
}

ktap_start
here=$(mktemp) || exit 1
trap 'rm -f "$here"' EXIT
before=$(on "$STOCK" cat $setting)
sh_on "$STOCK" "echo $often > $setting"
# A link keeps the interval that was set when the link began.
reload_ours
idle from_stock "$STOCK" "$OURS"
idle to_stock "$OURS" "$STOCK"
sh_on "$STOCK" "echo $before > $setting"
ktap_end
