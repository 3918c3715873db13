#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that all data arrives with stock SMC on either side, also with a slow
# reader (R-L-21), with more connections than a group of stock SMC holds, and
# with short connections. Urgent data and the data after it arrive, too
# (R-L-22). CONFIRM RKEY announces the keys of all RMBs, and DELETE RKEY revokes
# them when the RMBs are idle. A port to which stock SMC sends much gets larger
# elements, and another one does not.
#
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/interop/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

cases=(sizes many ping_pong mixed_lengths odd_through_small_buffers churn1
       churn8 slow_reader full_window stop_and_go)
urgent=(oob_plain oob_plain_by_client oob_plain_in_line
	oob_plain_in_line_by_client)

# several_groups DIRECTION: checks that stock SMC has several groups, which stay
# for minutes after their connections have ended
several_groups() {
	check "$1: stock has several link groups" test "$(groups_of_stock)" -ge 2
}

# moved_by COUNTER BEFORE LEAST
# shellcheck disable=SC2317 # "check" calls it
moved_by() {
	within 120 counts_more "$1" $(($2 + $3 - 1))
}

# first_element BYTES
first_element() {
	sh_on "$OURS" "echo $1 > /proc/sys/net/smc/rmem_first"
}

# shellcheck disable=SC2317 # "within" calls it
learned() {
	sh_on "$OURS" "cat /proc/net/smc_bulk" |
		grep -q "^$(address "$STOCK"):[0-9]* server "
}

ktap_start
told=$(counter LlcReceived)
freed=$(counter RmbsFreed)
violations=$(counter LlcViolations)
timeouts=$(counter LlcTimeouts)

server_on "$OURS"
# R-L-21
from_stock "data" --expect-mode smcr "${cases[@]}"
several_groups "stock to ours"
# stock SMC has an RMB for each connection
check "stock has told the keys of its RMBs" moved_by LlcReceived "$told" 100
first_element 65536
from_stock "small element" --expect-mode smcr slow_reader
check "the port gets larger elements" within "$patience" learned
from_stock "bulk" --expect-mode smcr --bytes $((33554432 / div)) bulk
first_element 0
# R-L-22
from_stock "urgent" --expect-mode smcr "${urgent[@]}"
stop_server_on "$OURS"
server_on "$STOCK"
# R-L-21
to_stock "data" --expect-mode smcr "${cases[@]}"
several_groups "ours to stock"
to_stock "bulk" --expect-mode smcr --bytes $((33554432 / div)) bulk
# R-L-22
to_stock "urgent" --expect-mode smcr "${urgent[@]}"
# The groups with stock SMC as client have been idle since the tests above.
check "keys of idle RMBs are taken back" moved_by RmbsFreed "$freed" 1
to_stock "after it" --expect-mode smcr sizes
stop_server_on "$STOCK"
check "no LLC violation" same "$violations" "$(counter LlcViolations)"
check "no LLC message went without its answer" same "$timeouts" \
	"$(counter LlcTimeouts)"
ktap_end
