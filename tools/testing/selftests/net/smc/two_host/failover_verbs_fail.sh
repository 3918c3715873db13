#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The n-th command of a device fails, for each n of a failover under load: NIC 1
# of host b loses all packets, the connections leave its link, the packets pass
# again, and the hosts add a link. All bytes must arrive over the same
# connections, and the second link must come back. The commands fail on the
# server's host, which offers the link, and on the client's host, which accepts
# it.
#
# Each attempt has a group of its own, because a server puts off a client that has
# asked for links often.
#
# lab: --nics 2 fresh
# kernels: uml-debug
# deep: uml-debug
# timeout: 1800
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_strict.sh
. "$(dirname "$(readlink -f "$0")")/lib_strict.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$selftests/two_host/lib_failover.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_nth.sh
. "$(dirname "$(readlink -f "$0")")/lib_nth.sh"

# Commands that use resources of the device, as in verbs_fail.sh.
commands=alloc_pd,create_cq,create_qp,modify_qp,alloc_mr
hold=/tmp/smc_peer.hold
most=60

# Called by attempts.
# shellcheck disable=SC2317
{
# load_moves: the connections leave NIC 1, and use it again
load_moves() {
	local end
	pull loss b 1
	for end in a b; do
		off_nic "$end" 1 || return
	done
	restore loss b 1
	for end in a b; do
		until_links "$end" 2 || return
	done
	load_is_there b
}

# The command is counted from the failover on, so moves_under_load arms it.
arm() {
	at=$1
}

fired() {
	[ "$(trait "$host" fail_at)" -le 0 ]
}

moves_under_load() {
	local status
	load_begins "$out"
	set_trait "$host" fail_at "$at"
	load_moves
	status=$?
	sh_on b "rm -f $hold"
	wait "$load"
	cat "$out"
	# attempts keeps the output of this function in $tmp
	grep -q '^not ok' "$tmp" && return 1
	return "$status"
}
}

out=$(mktemp) || exit 1
tmp=$(mktemp) || exit 1
trap 'rm -f "$out" "$tmp"' EXIT
ktap_start
build_strict
strict bounce=0
find_nics
for host in a b; do
	sh_on $host "echo 0 > /proc/sys/net/smc/lgr_idle_max"
	set_trait $host fail $commands
done
server_on_a
for host in a b; do
	said=$(attempts 1 1 $most arm fired moves_under_load)
	status=$?
	note "$said"
	set_trait $host fail_at 0
	check "host $host: the n-th command fails in a failover" \
		test "$status" -eq 0
done
stop_server_on_a
lenient
ktap_end
