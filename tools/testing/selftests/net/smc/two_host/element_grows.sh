#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A stream that fills the window must also fill the element. If the window is
# larger than the element, the sender puts the rest into frames, which takes
# several times as many messages.
#
# kernels: uml
# also: uml
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

port=7614
stream=$selftests/programs/stream.py
# Records for 64 KiB. A sender that fills frames needs at least six.
most=2

# shellcheck disable=SC2317 # "within" calls it
# few_records: succeeds if b sends few records; prints the numbers of one second
few_records() {
	local records bytes

	records=$(host_counter b RecordsSent)
	bytes=$(host_counter b BytesSent)
	sleep 1
	records=$(($(host_counter b RecordsSent) - records))
	bytes=$(($(host_counter b BytesSent) - bytes))
	echo "$records records for $bytes bytes"
	[ "$bytes" -ge $((1 << 20)) ] &&
		[ $((records * 65536)) -le $((most * bytes)) ]
}

ktap_start
default=$(on a cat /proc/sys/net/smc/rmem)
# The size of an element is a power of two; a window may have any size.
for rmem in "$default" 200000 $((1 << 19)); do
	sh_on a "echo $rmem > /proc/sys/net/smc/rmem"
	background a "$smc_run $stream --listen $port"
	reachable $port
	background b "$smc_run $stream $a $port"
	# F-33
	check "rmem $rmem: a stream leaves the frames" \
		within "$patience" few_records
	note "$(few_records)"
	for host in b a; do
		end_background $host
		check "rmem $rmem: host $host: nothing is listed in the end" \
			lists_nothing on $host "$smcss"
	done
done
sh_on a "echo $default > /proc/sys/net/smc/rmem"
ktap_end
