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
# One record for each write of 128 KiB would be enough. A record that carries
# the rest of a frame has less than 4 KiB.
most=2

# shellcheck disable=SC2317 # "within" calls it
# few_records: prints the number of records that b sends for 64 KiB, rounded up
few_records() {
	local -a got
	read -ra got < <(sh_on b "count() {
			sed -n 's/^\(RecordsSent\|BytesSent\) //p' /proc/net/smc_mib
		}
		set -- \$(count); sleep 1; set -- \$* \$(count)
		echo \$*")
	python3 -c '
import sys
first, second, third, fourth, most = map(int, sys.argv[1:])
records, size = sorted((third - first, fourth - second))
print(f"{records} records for {size} bytes")
sys.exit(size < 1 << 20 or records * 65536 > most * size)' "${got[@]}" $most
}

ktap_start
default=$(on a cat /proc/sys/net/smc/rmem)
# elements have a power of two
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
