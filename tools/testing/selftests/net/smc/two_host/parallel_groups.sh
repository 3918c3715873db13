#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The hosts open more connections than a link group holds. The server begins
# another group (R-3.5.3-01), the client follows (R-3.5.3-02), and each
# connection gets its own bytes. Version 1 has no limit of connections in its
# messages; a group of version 1 is full when it has 255 RMBs (R-2.1-02). A
# memory region of this device has room for four elements of 512 KiB, so the
# group holds at most 1020 connections.
#
# lab: --mem 1536
# kernels: uml 6.12 6.1
# deep: 6.1 6.12
# also: uml
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

port=7611
count=1030
crowd=$selftests/programs/many_connections.py
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# groups HOST: prints the number of connections of each link group
groups() {
	sh_on "$1" "$smcr -j linkgroup" | python3 -c '
import json, sys
print(*sorted(g["connections"] for g in json.load(sys.stdin)))'
}

ktap_start
for host in a b; do
	on $host "$smcr" ueid flush
done
sh_on a "echo 524288 > /proc/sys/net/smc/rmem; echo 400000 400000 400000 > /proc/sys/net/smc/mem"
sh_on b "echo 16384 > /proc/sys/net/smc/rmem"
server=$(sh_on a "setsid $smc_run $crowd --listen $port > /dev/null 2>&1 & echo \$!")
check "the server listens" within "$patience" sh_on a \
	"$smcss -l | grep ':$port '"

sh_on b "touch /tmp/crowd.hold"
on -t 200 b "$smc_run" "$crowd" "$a" $port $count /tmp/crowd.hold > "$tmp/said" 2> "$tmp/errors" &
client=$!
for _ in $(seq 600); do
	if grep -q open "$tmp/said" || ! kill -0 $client 2>/dev/null; then
		break
	fi
	sleep 0.2
done
for host in a b; do
	check "host $host: all are SMC-R" same "$count ACTIVE SMCR" "$(modes $host)"
	in_groups=$(groups $host)
	# R-2.1-03, R-3.5.3-01
	check "host $host: in two groups ($in_groups)" \
		grep -Eq '^[0-9]+ [0-9]+$' <<< "$in_groups"
	# R-2.1-02
	check "host $host: no group has more than 255 RMBs of four hold" \
		test "${in_groups##* }" -le 1020
done
sh_on b "rm /tmp/crowd.hold"
wait $client
status=$?
check "all of them keep their bytes" same "0 open" "$status $(cat "$tmp/said" "$tmp/errors")"
on a kill "$server"
for host in a b; do
	check "host $host: nothing is listed in the end" lists_nothing on $host "$smcss"
done
ktap_end
