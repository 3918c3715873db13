#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A device whose firmware hangs needs up to a minute for each command. When one
# of two adapters fails and hangs, its connections continue over the other
# adapter before the failed queue pair is destroyed (R-2.3-03, R-2.3-06,
# R-4.6.1-01). During this time the hosts can make new connections. The module
# can unload only when the device has none of its objects any more.
#
# lab: --nics 2 fresh
# kernels: uml 6.12
# deep: 6.12
# also: uml
# timeout: 600
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_slow.sh
. "$(dirname "$(readlink -f "$0")")/lib_slow.sh"

ktap_start
find_nics
strict_on_b
server_on_a
out=$(mktemp)
load_begins "$out"
there=$(on_nic b 1)
before=$(host_counter b ConnectionsMoved)
check "the second adapter carries connections" test "$there" -gt 0

# the delay ends when the test ends it
set_trait b slow_ms 300000
set_trait b slow destroy_qp
pull loss b 1
check "connections move while the device hangs" \
	within "$patience" moved_by "$before" "$there"
check "the device destroys the queue pair" within "$patience" waits
check "every connection receives meanwhile" within "$patience" all_receive
check "the device has not finished" waits
from_b "new connections meanwhile" --family smc --expect-mode smcr names
check "the device has not finished yet" waits
set_trait b slow_ms 0
check "the device has finished" within "$patience" waits_no_more
restore loss b 1
for host in a b; do
	check "the adapter is back: links of $host" until_links $host 2
done
sh_on b "rm $hold"
wait $load
relay "load" cat "$out"
rm -f "$out"
no_aborts
stop_server_on_a

check "host b: nothing is listed" lists_nothing on b "$smcss"
begun=$(trait b waited)
set_trait b slow dereg_mr,destroy_qp,destroy_cq
set_trait b slow_ms 2000
check "the module unloads" take_module b
check "the device was slow" test "$(trait b waited)" -gt "$begun"
check "nothing of it is left in the device" waits_no_more
lenient_on_b
ktap_end
