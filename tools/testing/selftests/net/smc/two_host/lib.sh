# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests between two hosts, which run on the machine that has
# them: LAB is the program, LAB_NAME the lab, LAB_KERNEL what its hosts run.
# shellcheck shell=bash
# shellcheck source=tools/testing/selftests/net/smc/lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../lib.sh"

if [ -z "${LAB:-}" ] || [ -z "${LAB_NAME:-}" ]; then
	skip_all "no lab (LAB, LAB_NAME)"
fi

# shellcheck disable=SC2034
{
a=10.77.0.1
b=10.77.0.2
a6=fd77:0::1
b6=fd77:0::2
}

# on [-t SECONDS] a|b COMMAND...
on() {
	local limit=200 host
	if [ "$1" = -t ]; then
		limit=$2
		shift 2
	fi
	host=$1
	shift
	"$LAB" exec --name "$LAB_NAME" --timeout "$limit" "$host" -- "$@"
}

# A shell command line there.
sh_on() {
	local host=$1
	shift
	on "$host" sh -c "$*"
}

# The far end of smc_peer on a; kept for all that follows.
server_on_a() {
	on a "$peer" --server --background || {
		fail "server on host a"
		ktap_end
	}
}

stop_server_on_a() {
	on a "$peer" --stop 127.0.0.1
}

# from_b NAME ARGUMENT...: cases with the client on b
from_b() {
	local name=$1
	shift
	relay "$name" on -t 280 b "$peer" --client "${to:-$a}" "${scale[@]}" "$@"
}

# The groups that are there end, and the counters begin anew.
reload() {
	local host module
	for host in a b; do
		lists_nothing on $host "$smcss"
		on $host rmmod smc_diag smc
	done
	for module in smc smc_diag; do
		for host in a b; do
			on $host insmod "$tree/build/$LAB_KERNEL/net/smc/$module.ko"
		done
	done
	for host in a b; do
		sh_on $host "echo 0 > /proc/sys/net/smc/echo_memory"
	done
}
