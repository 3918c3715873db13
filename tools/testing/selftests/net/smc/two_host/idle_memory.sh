#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that a connection with small messages keeps a little memory for the next
# one, and gives it back when it is idle, with frames. Without frames the queue
# of a connection with no bytes has no memory.
#
# kernels: uml
# also: uml
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

port=7623
program=$selftests/programs/idle_memory.py
secs=20
messages=26

# held WHEN: what the client has printed for that time, in bytes
held() {
	echo "$said" | sed -n "s/^$1 //p"
}

# talk COUNTER: runs the client, which prints to "said". Its messages must be of
# the kind that the counter counts.
talk() {
	local sent

	background a "$smc_run $program --listen $port"
	reachable $port
	sent=$(host_counter b "$1")
	said=$(on b "$smc_run" "$program" "$a" $port $secs)
	check "$1 counts the messages" \
		test $(($(host_counter b "$1") - sent)) -ge $messages
	check "the connection works before and after the silence" \
		grep -q ok <<< "$said"
	end_background a
}

ktap_start
extension=$(on a cat /proc/sys/net/smc/extension)
talk RecordsSent
check "a connection with small messages keeps memory" test "$(held busy)" -gt 0
check "it is at most 2 KiB" test "$(held busy)" -le 2048
equal "an idle connection keeps none" 0 "$(held quiet)"
for host in a b; do
	sh_on $host "echo 0 > /proc/sys/net/smc/extension"
done
talk CdcSent
equal "without frames, a connection keeps none" 0 "$(held quiet)"
for host in a b; do
	sh_on $host "echo $extension > /proc/sys/net/smc/extension"
	check "host $host: nothing is listed in the end" \
		lists_nothing on $host "$smcss"
done
ktap_end
