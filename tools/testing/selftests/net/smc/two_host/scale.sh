#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests with many groups and many connections that the cost of a connection, of
# a port event and of the end of a group, divided by the number of objects, does
# not depend on that number. The costs are messages, doorbells, registrations
# and allocations of both hosts, and the test prints them as a table. A
# connection finds the places that others have left (R-3.5.3-01), and no more
# idle groups stay than allowed.
#
# SCALE_GROUPS and SCALE_CONNS are the sizes that are compared with 100 groups
# (SCALE_FEW) and with a tenth of the connections. By hand, "scale.sh groups" and
# "scale.sh connections" run one half.
#
# lab: --mem 4096
# kernels: uml 6.12
# deep: uml 6.12
# timeout: 900
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

port=7617
crowd=$selftests/programs/many_connections.py
per_object=$selftests/programs/per_object.py
held=/tmp/scale.held
said=/tmp/scale.said
few_groups=${SCALE_FEW:-100}
groups=${SCALE_GROUPS:-1000}
conns=${SCALE_CONNS:-20000}
in_group=16
long=1200	# seconds for an operation on all of them
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# counters HOST...
counters() {
	local host
	for host; do
		sh_on "$host" "grep MemAvailable /proc/meminfo | tr -d :
			cat /proc/net/smc_mib" | sed "s/^/$host /"
	done
}

# still SECONDS HOST...: succeeds when no counter has changed for this time
still() {
	local pause=$1
	shift
	counters "$@" | grep -v MemAvailable > "$tmp/then"
	sleep "$pause"
	counters "$@" | grep -v MemAvailable | cmp - "$tmp/then"
}

groups_are() {
	local n
	n=$(on "$1" "$smcr" linkgroup | sed 1d | wc -l)
	echo "groups on host $1: $n"
	[ "$n" -eq "$2" ]
}

client_says() {
	sh_on b "cat $said; grep -q $1 $said"
}

client_is_gone() {
	! sh_on b "pgrep -f 'many_connections.p[y] $a'"
}

first_contacts() {
	sh_on a "grep FirstContacts /proc/net/smc_mib" | awk '{ print $2 }'
}

# operation NAME OBJECT NUMBER PAUSE "HOST..." COMMAND...: a row of the table. The
# operation has ended when nothing is counted for PAUSE seconds.
operation() {
	local name=$1 what=$2 n=$3 pause=$4 hosts=$5
	shift 5
	# shellcheck disable=SC2086 # a list of hosts
	{
	counters $hosts > "$tmp/before"
	"$@"
	check "$name, $n: it comes to an end" \
		within "$long" still "$pause" $hosts
	counters $hosts > "$tmp/after"
	}
	"$per_object" row "$tmp/before" "$tmp/after" "$name" "$what" "$n" \
		>> "$tmp/table"
}

# flat NAME...
flat() {
	local name
	for name; do
		check "$name: as much for each of many as for each of few" \
			"$per_object" flat "$tmp/table" "$name"
	done
}

# prepare CONNECTIONS-OF-A-GROUP IDLE-GROUPS
prepare() {
	local host
	reload
	for host in a b; do
		sh_on $host "cd /proc/sys/net
			echo $1 > smc/smcr_max_conns_per_lgr
			echo $2 > smc/lgr_idle_max
			echo 0 > smc/smcr_testlink_time
			echo 16384 > smc/rmem
			echo 1024 65535 > ipv4/ip_local_port_range
			echo 1000000 > /proc/sys/fs/file-max"
	done
	background a "sh -c 'ulimit -n 1000000; exec $smc_run $crowd --listen $port'"
	check "the server listens" within "$patience" sh_on a \
		"$smcss -l | grep ':$port '"
}

come() {
	sh_on b "touch $held; rm -f $said; ulimit -n 1000000
		setsid $smc_run $crowd $a $port $1 $held > $said 2>&1 < /dev/null &"
	check "$1 connections: all have got their own bytes" \
		within "$long" client_says open
	equal "$1 connections: all use SMC" "$1" "$(active b)"
}

go() {
	sh_on b "rm $held"
	check "$1 connections: all end" within "$long" client_is_gone
	equal "$1 connections: none has failed" open "$(sh_on b "cat $said")"
}

gid_events() {
	sh_on a "ip addr add 10.99.0.1/24 dev eth0
		ip addr del 10.99.0.1/24 dev eth0"
}

views() {
	on a "$smcr" link > "$tmp/links"
	on a "$smcr" stats > /dev/null
	on a "$smcr" device > /dev/null
}

the_end() {
	end_background a
	lists_nothing on a "$smcss"
	operation "$@"
	take_module a
	modules_come
}

# After 30 seconds, a group frees an RMB that nobody uses. With fewer groups
# this would happen in a later row of the table.
rmbs_idle=35

# many_groups NUMBER
many_groups() {
	local n=$1 all=$((in_group * $1)) half=$((in_group * $1 / 2)) host before
	# idle groups end at once
	prepare $in_group 0
	operation connect connection "$all" $rmbs_idle "a b" come "$all"
	for host in a b; do
		check "$n groups are on host $host" groups_are $host "$n"
	done
	operation port_event group "$n" 3 "a b" gid_events
	operation views group "$n" 3 "a b" views
	equal "the view of links has as many" "$n" \
		"$(grep -c ACTIVE "$tmp/links")"
	operation close_and_evict connection "$all" 3 "a b" go "$all"
	for host in a b; do
		check "no group of $n stays on host $host" groups_are $host 0
		sh_on $host "echo $n > /proc/sys/net/smc/lgr_idle_max"
	done
	come "$half"
	operation close connection "$half" $rmbs_idle "a b" go "$half"
	for host in a b; do
		check "half of $n groups stay on host $host" \
			groups_are $host $((n / 2))
	done
	before=$(first_contacts)
	operation reconnect connection "$half" $rmbs_idle "a b" come "$half"
	equal "places that were left are taken" "$before" "$(first_contacts)"
	go "$half"
	within "$long" still $rmbs_idle a b
	the_end unload group $((n / 2)) 3 a take_module b
}

# many_connections NUMBER
many_connections() {
	prepare 255 1000
	operation connect_255 connection "$1" $rmbs_idle "a b" come "$1"
	operation close_255 connection "$1" $rmbs_idle "a b" go "$1"
	the_end unload_255 group $(($1 / 255 + 1)) 3 a take_module b
}

ktap_start
if [ "${1:-groups}" = groups ]; then
	many_groups "$few_groups"
	many_groups "$groups"
	flat connect port_event views close_and_evict close reconnect unload
fi
if [ "${1:-connections}" = connections ]; then
	many_connections $((conns / 10))
	many_connections "$conns"
	flat connect_255 close_255 unload_255
fi
note "$("$per_object" show "$tmp/table")"
ktap_end
