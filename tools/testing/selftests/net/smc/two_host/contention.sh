#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that connections on different links share no lock of the module, neither
# for their data nor for their handshakes. Four processors of each host open,
# use and close connections in many groups. The tracepoint lock:contention_begin
# shows the locks for which a processor has waited. These may include the lock
# of a connection, of a link, of its endpoint, of a group, of a handshake or of
# a listening socket, but no lock of the whole module or of a namespace.
#
# lab: --smp 4 --mem 2048
# kernels: 6.12
# deep: 6.12
# timeout: 600
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

port=7619
churn=$selftests/programs/churn.py
contention=$selftests/programs/contention.py
processes=4
rounds=${CONTENTION_ROUNDS:-150}

# trace HOST: starts the trace that contention.py reads
trace() {
	sh_on "$1" "cd /sys/kernel/tracing && echo 65536 > buffer_size_kb &&
		echo nohash-ptr > trace_options && echo > trace &&
		echo 'change == 1 && (why == \"table\" || why == \"group\" ||
			why == \"owner\" || why == \"socket\")' \
			> events/smc/smc_ref/filter &&
		echo 1 > events/smc/smc_ref/enable &&
		echo stacktrace > events/lock/contention_begin/trigger &&
		echo 1 > events/lock/contention_begin/enable"
}

# end_trace HOST
end_trace() {
	sh_on "$1" "cd /sys/kernel/tracing
		echo 0 > events/lock/contention_begin/enable
		echo 0 > events/smc/smc_ref/enable
		echo '!stacktrace' > events/lock/contention_begin/trigger
		echo 0 > events/smc/smc_ref/filter"
}

# shellcheck disable=SC2317 # "check" calls it
only_own_locks() {
	local count locks kind function status=0
	while read -r count locks kind function; do
		case $kind in
		conn|link|ep|lgr|hs|listen) ;;
		*) status=1 ;;
		esac
		echo "$kind in $function: $count times, $locks locks"
	done
	return "$status"
}

ktap_start
reload
for host in a b; do
	sh_on $host "echo 16 > /proc/sys/net/smc/smcr_max_conns_per_lgr"
done
background a "$smc_run $churn --listen $port $processes"
check "the servers listen" within "$patience" sh_on a \
	"$smcss -l | grep ':$((port + processes - 1)) '"
for host in a b; do
	trace $host
done
check "all connections get their own bytes" on -t 500 b \
	"$smc_run" "$churn" $a $port $processes 32 "$rounds"
for host in a b; do
	end_trace $host
	said=$(on $host "$contention")
	check "host $host: there was contention" test -n "$said"
	note "$said"
	check "host $host: only locks of single connections, links and groups" \
		only_own_locks < <(grep -v '^#' <<< "$said")
	sh_on $host "echo > /sys/kernel/tracing/trace"
done
equal "connections used SMC" 0 "$(sh_on b "grep ClientFallbacks /proc/net/smc_mib" |
	awk '{ print $2 }')"
check "connections used several groups" \
	test "$(on b "$smcr" linkgroup | sed 1d | wc -l)" -ge 8
end_background a
ktap_end
