#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests first contact and reuse with stock SMC in both directions, with version
# 2, because rdma_rxe needs it (R-L-04). The test checks that we answer before a
# timer of stock SMC expires. A stock client waits three seconds for our ADD
# LINK. A stock server waits two seconds for our answer to its ADD LINK. Over IPv6
# stock SMC has version 1 only, which rdma_rxe lacks, so connections stay on TCP,
# although our Proposals also offer version 2 (frames.rst, F-35). Hosts without a
# common UEID use TCP, and smc_chk reports this cause. tshark decodes
# the packets.
#
# The name of this test makes it the first test in a new lab, because it needs a
# host without groups.
#
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

no_ueid=0x03030008
no_device=0x03030000
declined=0x05000000
chk=$tree/tools/smc_chk/smc_chk

# counted NAME COUNTER BEFORE BY: checks that the counter is higher by BY than
# BEFORE
counted() {
	check "$1: $2 moves by $4" same "$4" $(($(counter "$2") - $3))
}

# twice DIRECTION COUNTER: opens two connections: the first makes first contact,
# the second uses the same group
twice() {
	local first reuse ended
	first=$(counter FirstContacts)
	reuse=$(counter GroupReuses)
	ended=$(counter "$2")
	"$1" "first contact" --expect-mode smcr names
	# R-L-04
	counted "$1" FirstContacts "$first" 1
	"$1" "reuse" --expect-mode smcr names
	counted "$1" FirstContacts "$first" 1
	# R-L-04
	counted "$1" GroupReuses "$reuse" 1
	counted "$1" "$2" "$ended" 2
}

# over_ipv6 DIRECTION COUNTER: the handshake fails, but not the connection
over_ipv6() {
	local groups failed

	groups=$(counter GroupsCreated)
	failed=$(counter "$2")
	"$1" "no version in common" --expect-mode tcp names sizes
	# F-35
	counted "$1" "$2" "$failed" 0
	counted "$1" GroupsCreated "$groups" 0
}

ueids() {
	on "$OURS" "$run_module" ueid "$@"
}

# says STATUS PATTERN ARGUMENT...: runs smc_chk on our host, and compares its
# status and output
# shellcheck disable=SC2317 # "check" calls it
says() {
	local status=$1 pattern=$2 out got
	shift 2
	out=$(on "$OURS" "$chk" "$@" 2>&1)
	got=$?
	echo "status $got, wanted $status and '$pattern'"
	echo "$out"
	[ "$got" -eq "$status" ] && grep -q -e "$pattern" <<< "$out"
}

# messages FILTER: prints how many packets of the capture match. tshark knows
# LLC messages of version 2 in big endian only, and must not decode them as RPC.
messages() {
	tshark -r "$here" --disable-protocol rpcordma -Y "$1" 2>/dev/null | wc -l
}

# exchanges: prints messages in their order. A and B: our ADD LINK and stock's
# refusal; C and D: stock's ADD LINK and our refusal; x: CDC messages. A message
# that RDMA repeats counts once.
exchanges() {
	tshark -r "$here" -Y "infiniband.bth.opcode == 4" -T fields -e ip.src \
		-e infiniband.bth.destqp -e infiniband.bth.psn -e udp.payload \
		2> /dev/null | awk -v ours="$ours_address" '
		known[$1 " " $2 " " $3]++ { next }
		{ own = $1 == ours; type = substr($4, 25, 2); flags = substr($4, 31, 2) }
		type == "fe" { print "x" }
		type == "22" && flags == "00" { print own ? "A" : "C" }
		type == "22" && flags == "c0" { print own ? "D" : "B" }' |
		tr -d '\n' | tr -s ABCDx
}

# extensions: prints what our groups have agreed on about the extension
extensions() {
	on "$OURS" "$smcr" -j linkgroup | python3 -c '
import json, sys
print(*[g["extension"] for g in json.load(sys.stdin)])'
}

ktap_start
check "capture" capture_begins "$OURS" eth0 0
server_on "$OURS"
twice from_stock ServerHandshakes
over_ipv6 from_stock6 ServerHandshakeFailures
stop_server_on "$OURS"
server_on "$STOCK"
twice to_stock ClientHandshakes
over_ipv6 to_stock6 ClientHandshakeFailures
stop_server_on "$STOCK"
check "no group with stock has the extension" same "None None" "$(extensions)"
here=$(mktemp) || exit 1
trap 'rm -f "$here"' EXIT
capture_ends "$OURS" "$here"
# tshark also decodes the payload of RDMA WRITEs as messages, so the filter
# selects only SENDs and TCP.
for type in 1 2 3; do
	check "tshark: CLC message $type of version 2" test \
		"$(messages "smc.clc_msg == $type && tcp")" -ge 4
done
# Our Proposals offer the extension, which stock ignores. F-27
check "tshark: our Proposals offer the extension" test \
	"$(messages "smc.clc_msg == 1 && tcp.payload[52:3] == 72:d4:9b")" -ge 2
check "tshark: over IPv6 our Proposals offer both versions" test \
	"$(messages "smc.clc_msg == 1 && ipv6.src == $(address6 "$OURS") &&
		tcp.payload[7:1] == 20 && tcp.payload[56:1] & 10")" -ge 1
# Before any data, one side offers a second link and the other side refuses: no
# side waits for a timer. R-L-12, -13
check "ADD LINK is answered, in both directions" same ABxCDx "$(exchanges)"
check "tshark: CDC messages" test \
	"$(messages 'smc && infiniband.bth.opcode == 4')" -ge 4
# tshark takes a random port for that of another protocol, and its data for
# malformed messages, so of TCP only SMC counts
check "tshark: nothing is malformed" same 0 \
	"$(messages '_ws.malformed && (smc && tcp || infiniband.bth.opcode == 4)')"

# Hosts without a common UEID have no protocol version in common.
ueids OTHER.UEID
server_on "$OURS"
from_stock "no UEID in common" --expect-mode tcp \
	--expect-reason $declined/$no_ueid --expect-server-reason $no_ueid names
stop_server_on "$OURS"
server_on "$STOCK"
to_stock "no UEID in common" --expect-mode tcp \
	--expect-reason $declined/$no_device \
	--expect-server-reason $no_device names
stop_server_on "$STOCK"
sh_on "$STOCK" "setsid $chk -S > /dev/null 2>&1 < /dev/null &
	echo \$! > /tmp/chk"
on "$STOCK" timeout 20 sh -c "until [ -n \"\$(ss -Htln 'sport = 37373')\" ]; do
	sleep 0.1; done"
check "smc_chk from ours to stock, no UEID in common" says 1 \
	"Failed on the peer: .*UEID in common" "$stock_address"
ueids SMCV2-DEFAULT-UEID
check "smc_chk from ours to stock" says 0 "run over SMC" "$stock_address"
sh_on "$STOCK" "kill \$(cat /tmp/chk)"
server_on "$OURS"
from_stock "UEID in common again" --expect-mode smcr names
stop_server_on "$OURS"
ktap_end
