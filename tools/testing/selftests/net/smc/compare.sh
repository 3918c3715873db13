#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The same calls on TCP and on AF_SMC: results, errnos, poll masks, edges of
# epoll, signals and options, in every state of a connection, in programs
# written by hand and in random ones.
# places: in_host two_host
# without-frames:
# deep: 6.12 6.1
# timeout: 900
# shellcheck source=tools/testing/selftests/net/smc/lib_both.sh
. "$(dirname "$(readlink -f "$0")")/lib_both.sh"

# A check runs a part of the programs and one of the fallbacks, which differ
# between kernels. The deep run makes all calls in all states, and thousands of
# random programs; a host runs about ten in a second. On smp-debug and 6.12-rt it
# runs an eighth, because there it looks only for data races and for locks that may
# sleep. A seed always gives the same program: smc_compare --random 1 --seed N
part=1/$((4 * div)) count=$((200 / div)) seed=1000 fallbacks=client
case $LAB_KERNEL in
6.1)	part=0/$((4 * div)) seed=2000 ;;
6.12)	part=2/$((4 * div)) seed=3000 fallbacks=server ;;
esac
limit=880
if [ "${SMC_TEST_DEPTH:-}" = deep ]; then
	limit=3520
	part=0/1 fallbacks="client server"
	case $LAB_KERNEL in
	uml)	count=8000 seed=100000 ;;
	6.1)	count=2000 seed=200000 ;;
	6.12)	count=2000 seed=300000 ;;
	smp-debug) part=3/8 count=250 seed=500000 ;;
	6.12-rt) part=5/8 count=250 seed=600000 ;;
	*)	count=2000 seed=400000 ;;
	esac
fi

# compare NAME ARGUMENT...
compare() {
	local name=$1
	shift
	set -- --slow "$slow" --table --part "$part" --random "$count" \
		--seed "$seed" "$@"
	if between_hosts; then
		relay "$name" on -t $limit b "$selftests/smc_compare" --to "$a" "$@"
	else
		relay "$name" "$selftests/smc_compare" "$@"
	fi
}

# Every known difference has an entry of that name in the page.
# shellcheck disable=SC2317 # "check" calls it
documented() {
	local name page=$tree/Documentation/networking/smc/socket.rst
	"$selftests/smc_compare" --differences | while read -r name; do
		tr -d '\`' < "$page" | grep -qxF "$name" || echo "$name"
	done
}

ktap_start
[ ! -e "$tree/Documentation/networking/smc/socket.rst" ] ||
	check "the page names every known difference" silent documented
if between_hosts; then
	on a "$selftests/smc_compare" --agent --background ||
		fail "agent on host a"
	compare "SMC-R" --mode SMCR
	compare "fallback of the client" --server tcp --mode TCP
	on a "$selftests/smc_compare" --stop 127.0.0.1
else
	compare "in-host" --mode in-host
	for end in $fallbacks; do
		case $end in
		client)	compare "fallback of the client" --server tcp --mode TCP ;;
		server)	compare "fallback of the server" --client tcp --mode TCP ;;
		esac
	done
fi
ktap_end
