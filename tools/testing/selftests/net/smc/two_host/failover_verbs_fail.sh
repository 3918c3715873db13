#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The n-th command of a device fails, for each n of a failover under load: NIC 1
# of host b loses all packets, the connections leave its link, the packets pass
# again, and the hosts add a link. All bytes must arrive over the same
# connections, and the second link must come back. The commands fail on the
# server's host, which offers the link.
#
# lab: --nics 2 fresh
# kernels: uml-debug
# deep: uml-debug
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_strict.sh
. "$(dirname "$(readlink -f "$0")")/lib_strict.sh"
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$selftests/two_host/lib_failover.sh"

# Commands that use resources of the device, as in verbs_fail.sh.
commands=alloc_pd,create_cq,create_qp,modify_qp,alloc_mr
hold=/tmp/smc_peer.hold
most=60

# load_moves: the connections leave NIC 1, and use it again
load_moves() {
	local host
	pull loss b 1
	for host in a b; do
		off_nic $host 1 || return
	done
	restore loss b 1
	for host in a b; do
		until_links $host 2 || return
	done
	load_is_there b
}

# attempt HOST N: the N-th command from here on fails on the host
attempt() {
	local status
	load_begins "$out" > "$begun"
	set_trait "$1" fail_at "$2"
	load_moves
	status=$?
	sh_on b "rm -f $hold"
	wait "$load"
	grep '^not ok' -B 5 "$begun" "$out" && return 1
	return $status
}

# attempts HOST: prints how far it came
attempts() {
	local host=$1 n=1
	while [ $n -lt $most ]; do
		attempt "$host" $n || { echo "command $n"; return 1; }
		[ "$(trait "$host" fail_at)" -le 0 ] || break
		n=$((n + 1))
	done
	set_trait "$host" fail_at 0
	echo "$n attempts"
	[ $n -gt 2 ] && [ $n -lt $most ]
}

out=$(mktemp) || exit 1
begun=$(mktemp) || exit 1
trap 'rm -f "$out" "$begun"' EXIT
ktap_start
build_strict
strict bounce=0
find_nics
set_trait a fail $commands
server_on_a
said=$(attempts a)
status=$?
note "$said"
check "the n-th command fails in a failover" test $status -eq 0
stop_server_on_a
lenient
ktap_end
