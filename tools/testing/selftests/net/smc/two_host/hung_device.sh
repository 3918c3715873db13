#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The firmware of one of two adapters hangs, while a queue pair is stopped, while a
# link is added, while an RMB is registered, or while a group ends. The connections
# continue over the other adapter, the peer gets its answers there, and new
# connections are made (R-2.3-03, R-3.5.5.1.3-05, R-4.6.1-01). The peer would give up
# a link that does not answer for 15 seconds. A device that destroys queue pairs
# slowly, or refuses to for a while, loses nothing, and a peer cannot make it collect
# them.
#
# lab: --nics 2 fresh
# kernels: uml 6.12
# deep: 6.12
# also: uml
# timeout: 1200
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_slow.sh
. "$(dirname "$(readlink -f "$0")")/lib_slow.sh"

# longer than the peer waits for an answer to an offer, and to DELETE LINK
offer_wait=20
delete_wait=30
# links that wait until the device destroys them, see add.c
unclosed_max=8

# hangs COMMANDS: the device does not finish these commands until it works again
hangs() {
	set_trait b slow_ms 300000
	set_trait b slow "$1"
}

works_again() { # NAME
	set_trait b slow_ms 0
	check "$1: the device has finished" within "$patience" waits_no_more
	set_trait b slow ""
}

has_groups() {
	same "$2" "$(groups_on "$1")"
}

# loaded: both adapters carry connections
loaded() {
	out=$(mktemp)
	load_begins "$out"
	check "the second adapter carries connections" \
		test "$(on_nic b 1)" -gt 0
}

load_ends() {
	sh_on b "rm $hold"
	wait $load
	relay "load" cat "$out"
	rm -f "$out"
	no_aborts
}

# goes_on NAME SECONDS: for this time nothing depends on the device
goes_on() {
	check "$1: the device hangs" within "$patience" waits
	sleep "$2"
	check "$1: every connection receives" within "$patience" all_receive
	from_b "$1: new connections" --family smc --expect-mode smcr names
	for host in a b; do
		check "$1: host $host has its group" within "$patience" \
			has_groups $host 1
	done
	check "$1: the device hangs still" waits
}

links_are_back() { # NAME
	for host in a b; do
		check "$1: links of $host" until_links $host 2
	done
}

stop_hangs() {
	local before there
	# in this order, because connections may still spread over both links
	before=$(host_counter b ConnectionsMoved)
	there=$(on_nic b 1)
	hangs modify_qp
	set_trait b port_down rxe1
	# the peer's half fails as well, and the peer deletes the link
	pull loss b 1
	check "a queue pair is stopped: connections move" \
		within "$patience" moved_by "$before" "$there"
	goes_on "a queue pair is stopped" $delete_wait
	works_again "a queue pair is stopped"
	restore loss b 1
	set_trait b port_down ""
	links_are_back "a queue pair is stopped"
}

# add_hangs COMMAND
add_hangs() {
	set_trait b port_down rxe1
	check "$1: the adapter is gone" off_nic b 1
	hangs "$1"
	set_trait b port_down ""
	goes_on "$1" $offer_wait
	works_again "$1"
	links_are_back "$1"
}

# Elements of another size need an RMB of their own. Connections use TCP until the
# device counts as hung.
register_hangs() {
	local size try name="an RMB is registered"
	size=$(on b sysctl -n net.smc.rmem_first)
	sh_on b "sysctl -q -w net.smc.rmem_first=$((2 * size))"
	hangs alloc_mr
	for try in 1 2 3; do
		from_b "$name ($try)" --family smc names
		sleep 2
	done
	check "$name: the adapter carries nothing any more" off_nic b 1
	goes_on "$name" 2
	works_again "$name"
	links_are_back "$name"
	sh_on b "sysctl -q -w net.smc.rmem_first=$size"
}

link_flaps() {
	within 5 has_links b 2 > /dev/null
	set_trait b port_down rxe1
	within 5 has_links b 1 > /dev/null
	set_trait b port_down ""
}

# Each link that goes leaves a queue pair that the device does not destroy. The
# server of a group adds a link as soon as its port is back.
destroy_hangs() {
	local i name="queue pairs are not destroyed"
	on b "$peer" --server --background
	relay "$name" on a "$peer" --client $b "${scale[@]}" --family smc \
		--expect-mode smcr names
	links_are_back "$name"
	hangs destroy_qp
	for ((i = 0; i < 50; i++)); do
		link_flaps
		[ "$(trait b waiting)" -lt $unclosed_max ] || break
	done
	for i in 1 2 3; do
		link_flaps
	done
	check "$name: as many as may be" same $unclosed_max "$(trait b waiting)"
	works_again "$name"
	links_are_back "$name"
	on b "$peer" --stop 127.0.0.1
}

# The device refuses to destroy objects for some seconds.
destroy_fails() {
	set_trait b fail dereg_mr,destroy_qp
	set_trait b fail_every 1
	set_trait b port_down rxe1
	check "the device refuses" within "$patience" refused
	sleep 3
	# after 51 s it would be too late
	set_trait b fail_every 0
	check "every connection receives" within "$patience" all_receive
	set_trait b port_down ""
	links_are_back "it refuses no more"
}

refused() {
	[ "$(trait b failed)" -gt 1 ]
}

groups_go() {
	end_groups b
	for host in a b; do
		check "host $host: the group ends" groups_end $host
	done
}

# Workers of groups share a queue, which stops if many of them wait.
ends_apart() {
	local workers
	workers=$(sh_on b "cat /proc/[0-9]*/comm 2> /dev/null | grep '+smc_'")
	echo "$workers"
	grep -q '+smc_end/' <<< "$workers" && ! grep -q '+smc_lgr/' <<< "$workers"
}

end_hangs() {
	hangs modify_qp
	end_groups b
	check "no worker waits for its end" within "$patience" ends_apart
	works_again "a group ends"
	groups_go
}

ktap_start
find_nics
strict_on_b
# the peer finds soon that its half of a link is dead
sh_on a "sysctl -q -w net.smc.smcr_testlink_time=5"
server_on_a
loaded
stop_hangs
add_hangs create_qp
[ "${SMC_TEST_DEPTH:-}" != deep ] || add_hangs modify_qp
destroy_fails
load_ends
end_hangs
for host in a b; do
	sh_on $host "sysctl -q -w net.smc.extension=0"
done
loaded
register_hangs
load_ends
groups_go
stop_server_on_a
destroy_hangs
check "host b: nothing is listed" lists_nothing on b "$smcss"
check "the module unloads" take_module b
check "nothing of it is left in the device" waits_no_more
lenient_on_b
ktap_end
