#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Either side loses its RDMA device, before and during connections. The other
# side notices this and uses TCP, and its sockets show the reason. When the
# device comes back, both sides use SMC-R again. Each host has one NIC.
#
# The test removes the device while no data moves. A stock host that ends a
# group waits for the completions of its sends. If they cannot arrive any more,
# it waits for ever (smc_cdc_wait_pend_tx_wr() under smc_lgr_terminate_work()).
#
# timeout: 600
# timer: 1
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

no_smcr_device=0x03030002	# our diagnosis code
no_device=0x03030000		# the diagnosis code of stock SMC
declined=0x05000000

device_goes() {
	on "$1" rdma link delete rxe0
}

# exchanged SENT RECEIVED: succeeds when the connection has sent and received
# more bytes than these
# shellcheck disable=SC2317 # "within" calls it
exchanged() {
	counts_more BytesSent "$1" && counts_more BytesReceived "$2"
}

# removed HOST DIRECTION NAME: removes the device during a connection, while the
# peer can still acknowledge the last messages
removed() {
	local sent received
	sent=$(counter BytesSent)
	received=$(counter BytesReceived)
	(
		within "$patience" exchanged "$sent" "$received"
		sleep 2
		device_goes "$1"
	) &
	"$2" "$3 loses its device" --expect-mode smcr idle_until_broken
	wait
}

# both FUNCTION ARGUMENT...: calls the function twice, with the client on either
# host
both() {
	local name=$1
	shift
	server_on "$OURS"
	from_stock "$name" "$@"
	stop_server_on "$OURS"
	server_on "$STOCK"
	to_stock "$name" "$@"
	stop_server_on "$STOCK"
}

ktap_start

# Ours.
server_on "$OURS"
removed "$OURS" from_stock "our server"
check "stock was told: it has no link left" stock_has_no_group
from_stock "our server without device" --expect-mode tcp \
	--expect-reason $declined/$no_smcr_device \
	--expect-server-reason $no_smcr_device names
stop_server_on "$OURS"
server_on "$STOCK"
# The client sends a Proposal although it has no device, because the peer might
# be the same host.
to_stock "our client without device" --expect-mode tcp \
	--expect-reason $declined/$no_device \
	--expect-server-reason $no_device names
device_comes "$OURS"
to_stock "our device is back" --expect-mode smcr names
removed "$OURS" to_stock "our client"
device_comes "$OURS"
stop_server_on "$STOCK"
both "our device is back" --expect-mode smcr names

# Stock.
server_on "$OURS"
removed "$STOCK" from_stock "stock client"
from_stock "stock client without device" --expect-mode tcp \
	--expect-reason $no_device \
	--expect-server-reason $declined/$no_device names
stop_server_on "$OURS"
server_on "$STOCK"
to_stock "stock server without device" --expect-mode tcp \
	--expect-reason $declined/$no_smcr_device \
	--expect-server-reason $no_smcr_device names
device_comes "$STOCK"
# Stock SMC does not always report that its device is gone. Then TEST LINK
# detects the failure.
probe=/proc/sys/net/smc/smcr_testlink_time
old=$(sh_on "$OURS" "cat $probe; echo 2 > $probe")
to_stock "stock device is back" --expect-mode smcr names
sh_on "$OURS" "echo $old > $probe"
ended=$(counter GroupsEnded)
device_goes "$STOCK"
check "stock loses an idle device: our group ends" ended_after "$ended"
device_comes "$STOCK"
stop_server_on "$STOCK"
both "stock device is back" --expect-mode smcr names
ktap_end
