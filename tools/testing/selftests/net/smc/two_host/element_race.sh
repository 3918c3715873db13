#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A handshake that finds no free element waits for the next RMB. The handshake
# must not miss an RMB that becomes ready between the search and the wait,
# because then the connection would fall back to TCP after seconds. The test
# delays the handshake between the search and the wait.
#
# kernels: 6.12
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

port=7612
crowds=2
[ "${SMC_TEST_DEPTH:-}" != deep ] || crowds=4
each=12
count=$((crowds * each))
crowd=$selftests/programs/many_connections.py

ktap_start
ko=$(make -s --no-print-directory -C "$selftests/modules/slow_element" path \
	LAB_KERNEL="$LAB_KERNEL") || {
	fail "module slow_element"
	ktap_end
}
# With elastic elements no handshake waits for one.
extension=$(on b cat /proc/sys/net/smc/extension)
sh_on b "echo 0 > /proc/sys/net/smc/extension"
# A group of another test may have free elements.
only_device_goes b
device_comes b
check "module loads" on a insmod "$ko"
background a "$smc_run $crowd --listen $port"
reachable $port
sh_on b "touch /tmp/crowd.hold"
for ((i = 0; i < crowds; i++)); do
	background b "$smc_run $crowd $a $port $each /tmp/crowd.hold"
done
# shellcheck disable=SC2317 # "within" calls it
all_connected() {
	same "$count ACTIVE SMCR" "$(modes b)"
}
check "all are SMC-R" within "$patience" all_connected
held=$(on a cat /sys/module/slow_element/parameters/held)
check "handshakes were held up ($held)" [ "${held:-0}" -gt 0 ]
sh_on b "rm /tmp/crowd.hold"
check "host b: nothing is listed in the end" lists_nothing on b "$smcss"
end_background a
check "host a: nothing is listed in the end" lists_nothing on a "$smcss"
on a rmmod slow_element
sh_on b "echo $extension > /proc/sys/net/smc/extension"
ktap_end
