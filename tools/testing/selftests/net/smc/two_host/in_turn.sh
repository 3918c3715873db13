#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that memory follows traffic. Of many connections, some at a time have
# many bytes in flight. When all have had their turn and are quiet, both hosts
# have nearly as much free memory as before.
#
# IN_TURN_CONNS is the number of connections.
#
# lab: --mem 6144
# kernels: uml
# deep: uml
# timeout: 1200
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

port=7619
program=$selftests/programs/in_turn.py
held=/tmp/in_turn.held
said=/tmp/in_turn.said
conns=${IN_TURN_CONNS:-20000}
batch=1000
bytes=$((1024 * 1024))
long=1500	# seconds
# What a host may keep, in kB: a fiftieth of what was in flight at a time. The links
# keep the receives that they have added, and the slab allocator keeps some pages.
keeps=$((batch * bytes / 1024 / 50))

# free_on HOST: kilobytes
free_on() {
	sh_on "$1" "echo 3 > /proc/sys/vm/drop_caches
		grep MemAvailable /proc/meminfo" | tr -dc 0-9
}

client_says() {
	sh_on b "cat $said; grep -q $1 $said"
}

# back HOST: has the host nearly as much memory as before?
back() {
	local now
	now=$(free_on "$1")
	echo "host $1: ${before[$1]} kB before, $now kB now"
	[ $((before[$1] - now)) -le "$keeps" ]
}

declare -A before
ktap_start
reload
for host in a b; do
	sh_on $host "echo 1024 65535 > /proc/sys/net/ipv4/ip_local_port_range
		echo 1000000 > /proc/sys/fs/file-max
		echo $((2 * bytes)) > /proc/sys/net/core/wmem_max
		echo 16384 > /proc/sys/net/smc/rmem"
done
background a "sh -c 'ulimit -n 1000000; exec $smc_run $program --listen $port $conns'"
check "the server listens" within "$patience" sh_on a "$smcss -l | grep ':$port '"
sh_on b "touch $held; rm -f $said; ulimit -n 1000000
	setsid $smc_run $program $a $port $conns $batch $bytes $held \
		> $said 2>&1 < /dev/null &"
check "$conns connections are open" within "$long" client_says open
equal "all use SMC" $((conns + 1)) "$(active b)"
sleep 35	# a group frees the RMBs that nobody uses
for host in a b; do
	before[$host]=$(free_on $host)
done
sh_on b "rm $held"
check "each has had $bytes bytes in flight, and delivered them" \
	within "$long" client_says quiet
for host in a b; do
	check "the memory of host $host is back" within 120 back $host
	note "$(back $host)"
done
sh_on b "touch $held"
end_background a
lists_nothing on a "$smcss"
ktap_end
