#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The hosts open more connections than a link group holds. The server begins
# another group (R-3.5.3-01), the client follows (R-3.5.3-02), and each
# connection gets its own bytes.
#
# Version 1 has no limit of connections in its messages; a group of version 1 is
# full when it has 255 RMBs (R-2.1-02). A memory region of this device has room
# for four elements of 512 KiB, so the group holds at most 1020 connections.
#
# With wide groups (frames.rst, F-36) the server makes a group for each
# completion vector, and then puts more than 255 connections into each. If a host
# wants fewer connections in a group, the groups are not wide.
#
# lab: --mem 1536
# kernels: uml 6.12 6.1
# deep: 6.1 6.12
# also: uml
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

port=7611
crowd=$selftests/programs/many_connections.py
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# groups HOST: prints the number of connections of each link group
groups() {
	sh_on "$1" "$smcr -j linkgroup" | python3 -c '
import json, sys
print(*sorted(g["connections"] for g in json.load(sys.stdin)))'
}

# come NAME COUNT: opens this many connections, and keeps them open
come() {
	local name=$1 count=$2 host

	server=$(sh_on a \
		"setsid $smc_run $crowd --listen $port > /dev/null 2>&1 & echo \$!")
	check "$name: the server listens" within "$patience" sh_on a \
		"$smcss -l | grep ':$port '"
	sh_on b "touch /tmp/crowd.hold"
	: > "$tmp/said"	# the loop below must not see what an earlier client said
	on -t 200 b "$smc_run" "$crowd" "$a" $port "$count" /tmp/crowd.hold \
		> "$tmp/said" 2> "$tmp/errors" &
	client=$!
	for _ in $(seq 600); do
		if grep -q open "$tmp/said" || ! kill -0 $client 2>/dev/null; then
			break
		fi
		sleep 0.2
	done
	for host in a b; do
		check "$name, host $host: all are SMC-R" same \
			"$count ACTIVE SMCR" "$(modes $host)"
	done
}

# go NAME: the connections end
go() {
	local name=$1 status host

	sh_on b "rm /tmp/crowd.hold"
	wait $client
	status=$?
	check "$name: all of them keep their bytes" same "0 open" \
		"$status $(cat "$tmp/said" "$tmp/errors")"
	on a kill "$server"
	for host in a b; do
		check "$name, host $host: nothing is listed in the end" \
			lists_nothing on $host "$smcss"
	done
}

# evenly GROUPS COUNT CONNECTIONS...: the numbers of connections of this many
# groups, which have COUNT together and differ by at most one
evenly() {
	local n=$1 count=$2 sum=0 one
	shift 2
	for one; do
		((sum += one))
	done
	echo "$#: $*"
	[ $# -eq "$n" ] && [ "$sum" -eq "$count" ] && [ $((${*: -1} - $1)) -le 1 ]
}

full_of_rmbs() {
	local host in_groups

	for host in a b; do
		on $host "$smcr" ueid flush
	done
	sh_on a "echo 524288 > /proc/sys/net/smc/rmem
		echo 400000 400000 400000 > /proc/sys/net/smc/mem"
	sh_on b "echo 16384 > /proc/sys/net/smc/rmem"
	come "version 1" 1030
	for host in a b; do
		in_groups=$(groups $host)
		# R-2.1-03, R-3.5.3-01
		check "host $host: in two groups ($in_groups)" \
			grep -Eq '^[0-9]+ [0-9]+$' <<< "$in_groups"
		# R-2.1-02
		check "host $host: no group has more than 255 RMBs of four hold" \
			test "${in_groups##* }" -le 1020
	done
	go "version 1"
}

wide() {
	local vectors count host in_groups

	reload
	vectors=$(on a nproc)
	count=$((vectors * 300))
	come "wide groups" $count
	for host in a b; do
		in_groups=$(groups $host)
		# F-36
		# shellcheck disable=SC2086 # a list
		check "wide groups, host $host: one for each completion vector" \
			evenly "$vectors" $count $in_groups
	done
	go "wide groups"
}

not_wide() {
	local host

	reload
	on b sysctl -q -w net.smc.smcr_max_conns_per_lgr=200
	come "a limit of 200" 420
	for host in a b; do
		# F-36
		check "a limit of 200, host $host: three groups" \
			same "20 200 200" "$(groups $host)"
	done
	go "a limit of 200"
	reload	# other tests have wide groups
}

ktap_start
full_of_rmbs
wide
not_wide
ktap_end
