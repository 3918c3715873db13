#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# First contact and reuse with stock SMC in both directions, without its timers
# running out: it waits three seconds for an ADD LINK that does not come. No
# UEID in common: TCP. The wire as tshark sees it.
#
# lab: fresh
# timeout: 240
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

no_ueid=0x03030008
no_device=0x03030000
declined=0x05000000
capture=/tmp/contact.pcap
helpers=$selftests/clc

# counted NAME COUNTER BEFORE BY
counted() {
	check "$1: $2 moves by $4" same "$4" $(($(counter "$2") - $3))
}

# quick DIRECTION NAME: one connection, in less time than stock SMC waits
quick() {
	local start=$EPOCHREALTIME took
	"$1" "$2" --expect-mode smcr names
	took=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
	check "$1 $2: no wait (took $took ms)" test "$took" -lt 2900
}

# twice DIRECTION COUNTER: first contact, then reuse
twice() {
	local first reuse ended
	first=$(counter FirstContacts)
	reuse=$(counter GroupReuses)
	ended=$(counter "$2")
	quick "$1" "first contact"
	counted "$1" FirstContacts "$first" 1
	quick "$1" "reuse"
	counted "$1" FirstContacts "$first" 1
	counted "$1" GroupReuses "$reuse" 1
	counted "$1" "$2" "$ended" 2
}

ueids() {
	on "$OURS" python3 -B -c "import sys; sys.path.insert(0, '$helpers')
from hostilelib import ueid
ueid.replace(sys.argv[1:])" "$@"
}

# messages FILTER: how many packets of the capture match. LLC messages of version
# 2 are known to tshark in big endian only; it must not take them for RPC.
messages() {
	on "$OURS" tshark -r $capture --disable-protocol rpcordma -Y "$1" \
		2>/dev/null | wc -l
}

ktap_start
sh_on "$OURS" "tcpdump -i eth0 -s 0 -w $capture >/dev/null 2>&1 &
	echo \$! > /tmp/contact.pid"
sleep 1
server_on "$OURS"
twice from_stock ServerHandshakes
stop_server_on "$OURS"
server_on "$STOCK"
twice to_stock ClientHandshakes
stop_server_on "$STOCK"
sh_on "$OURS" "sleep 1; kill \$(cat /tmp/contact.pid); sleep 1"

# Bytes of an RDMA WRITE are taken for messages: only SENDs, and TCP.
for type in 1 2 3; do
	check "tshark: CLC message $type of version 2" test \
		"$(messages "smc.clc_msg == $type && tcp")" -ge 4
done
check "tshark: CDC messages" test \
	"$(messages 'smc && infiniband.bth.opcode == 4')" -ge 4
check "tshark: nothing is malformed" same 0 \
	"$(messages '_ws.malformed && (tcp || infiniband.bth.opcode == 4)')"

# Without a common UEID there is nothing that both could speak.
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
ueids SMCV2-DEFAULT-UEID
server_on "$OURS"
from_stock "UEID in common again" --expect-mode smcr names
stop_server_on "$OURS"
ktap_end
