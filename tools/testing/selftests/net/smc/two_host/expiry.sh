#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that a link group ends on both hosts when it has had no connection for
# the idle time of one host (R-2-06), and leaves no resources behind. A
# connection must keep the group. The code that takes a reference gives a
# reason, and the code that drops it gives the same reason (smc:smc_ref).
#
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/lib_failover.sh"

hold=/tmp/smc_peer.hold
client_more=10		# seconds that a client waits longer

# Functions called through check and within.
# shellcheck disable=SC2317
{
three() {
	[ "$(active b)" -eq 3 ]
}

has_ended() {
	[ "$(host_counter "$1" GroupsEnded)" -ge "$2" ]
}

no_queue_pair() {
	! sh_on "$1" "rdma resource show qp" | grep 'comm .smc'
}

# Prints references that were not dropped, or were dropped for another reason,
# in each kind of object that a connection needs. The server still listens.
balanced() {
	sh_on "$1" "cat /sys/kernel/tracing/trace" | python3 -c '
import collections, re, sys
held, kinds = collections.Counter(), set()
for m in re.finditer(r"smc_ref: (\w+) (\S+): (\S+) ([+-]1)$", sys.stdin.read(),
                     flags=re.M):
    kinds.add(m.group(1))
    if m.group(1) != "listen":
        held[m.group(1, 2, 3)] += int(m.group(4))
missing = {"conn", "lgr", "link", "ep", "port", "hs"} - kinds
left = [(*what, n) for what, n in held.items() if n]
print("not seen:", *missing, "not balanced:", *left)
sys.exit(bool(missing or left))'
}
}

# trace_refs HOST: traces references from now on
trace_refs() {
	sh_on "$1" "cd /sys/kernel/tracing && echo 8192 > buffer_size_kb &&
		echo > trace && echo 1 > events/smc/smc_ref/enable"
}

# expires OF-A OF-B LEAST: checks the expiry with the idle times of both hosts,
# and the least number of seconds that it takes
expires() {
	local what="idle time $1 on a, $2 on b" least=$3 out load host start
	reload
	sh_on a "echo $1 > /proc/sys/net/smc/lgr_idle_time"
	sh_on b "echo $2 > /proc/sys/net/smc/lgr_idle_time"
	for host in a b; do
		trace_refs $host
	done
	server_on_a
	out=$(mktemp)
	sh_on b "touch $hold"
	from_b "$what" --family smc --expect-mode smcr hold > "$out" &
	load=$!
	check "$what: there are connections" within "$patience" three
	sleep $((least + 2))
	for host in a b; do
		# R-2-06
		check "$what: connections keep the group of $host" \
			same 0 "$(host_counter $host GroupsEnded)"
	done
	start=$EPOCHREALTIME
	sh_on b "rm $hold"
	wait "$load"
	relay "$what" cat "$out"
	rm -f "$out"
	for host in a b; do
		# R-2-06, R-3.5.4-02
		check "$what: the idle group of $host ends" \
			within "$patience" has_ended $host 1
	done
	# R-2-06, R-3.5.4-03
	check "$what: not before its time" test \
		$(((${EPOCHREALTIME/./} - ${start/./}) / 1000000)) -ge "$least"
	for host in a b; do
		check "$what: host $host has no queue pair left" \
			within "$patience" no_queue_pair $host
		check "$what: host $host has no reference left" \
			within "$patience" balanced $host
		check "$what: no violation on $host" \
			same 0 "$(host_counter $host LlcViolations)"
	done
	from_b "$what: afterwards" --family smc --expect-mode smcr names
	check "$what: by a new group" same 2 "$(host_counter b FirstContacts)"
	stop_server_on_a
}

# Host a may have two idle groups. When a third group becomes idle, the group
# that has been idle for longest ends, and host a tells the peer. The groups
# differ in the address family, because version 2 is for IPv4 only, and in the
# role.
crowded() {
	local before
	reload
	sh_on a "echo 2 > /proc/sys/net/smc/lgr_idle_max"
	server_on_a
	on b "$peer" --server --background
	from_b "the first group" --family smc --expect-mode smcr names
	to=$a6 from_b "the second group" --family smc6 --expect-mode smcr names
	check "two groups may be" same 0 "$(host_counter a GroupsEvicted)"
	relay "the third group" on -t 280 a "$peer" --client "$b" "${scale[@]}" \
		--family smc --expect-mode smcr names
	check "one makes room for it" within "$patience" has_ended a 1
	check "as there are too many" same 1 "$(host_counter a GroupsEvicted)"
	check "its peer was told" within "$patience" has_ended b 1
	before=$(host_counter a FirstContacts)
	to=$a6 from_b "the second group is there" --family smc6 \
		--expect-mode smcr names
	check "it was used again" same "$before" "$(host_counter a FirstContacts)"
	from_b "the first group has gone" --family smc --expect-mode smcr names
	check "it was made again" same $((before + 1)) \
		"$(host_counter a FirstContacts)"
	for host in a b; do
		on $host "$peer" --stop 127.0.0.1
		check "too many groups: no violation on $host" \
			same 0 "$(host_counter $host LlcViolations)"
	done
	sh_on a "echo 256 > /proc/sys/net/smc/lgr_idle_max"
}

ktap_start
crowded
expires 3 600 3
expires 600 1 $((1 + client_more))
reload
ktap_end
