#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Unmodified programs run under smc_run while the host loses one of two
# adapters: iperf3 both ways, and a download from nginx whose bytes are
# compared. The programs notice only a pause (R-2.3-03, R-4.6.2-01, R-B-01).
#
# lab: --nics 2 fresh
# kernels: uml 6.12 6.1
# deep: 6.1 6.12
# also: uml
# timeout: 900
# Functions are called through check.
# shellcheck disable=SC2317
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib_failover.sh
. "$(dirname "$(readlink -f "$0")")/lib_failover.sh"

seconds=20	# run time of each program, with its start on a slow host

for program in nginx iperf3 curl; do
	command -v $program > /dev/null ||
		skip_all "$program is not installed"
done

# made: prints how many connections host b has made over SMC-R, and how many
# went to TCP
made() {
	echo "$(host_counter b ClientHandshakes) $(host_counter b ClientFallbacks)"
}

# has_made BEFORE: host b has made the three connections of iperf3 and the
# connection of the download. The function reads the counters, because on a slow
# host the four connections may never be open at the same time.
has_made() {
	local before now
	read -ra before <<< "$1"
	read -ra now <<< "$(made)"
	echo "made over SMC-R and TCP: ${now[*]}, before: ${before[*]}"
	[ $((now[0] - before[0])) -eq 4 ] && [ "${now[1]}" -eq "${before[1]}" ]
}

# moves: prints the number of moved connections of host a and of host b
moves() {
	echo "$(host_counter a ConnectionsMoved) $(host_counter b ConnectionsMoved)"
}

# moved_by BEFORE COUNTS: succeeds when at least COUNTS connections have moved
# on each host; if a link fails again, its connections move again
moved_by() {
	local before count now
	read -ra before <<< "$1"
	read -ra count <<< "$2"
	read -ra now <<< "$(moves)"
	echo "moved on a and b: ${now[*]}, before: ${before[*]}, not by ${count[*]}"
	[ "${now[0]}" -ge $((before[0] + count[0])) ] &&
		[ "${now[1]}" -ge $((before[1] + count[1])) ]
}

# begin: starts iperf3 and the download on host b, and sets out to the process
# that waits for them
begin() {
	sh_on b "rm -f /tmp/iperf.* /tmp/sum
		$smc_run iperf3 -c $a -t $seconds -b 8M --bidir > /tmp/iperf.log 2>&1 &
		iperf=\$!
		$smc_run curl -s 'http://$a:8081/file?rate=$((bytes / seconds))' |
			sha256sum > /tmp/sum &
		wait \$iperf; echo \$? > /tmp/iperf.status; wait" &
	out=$!
}

# two_active HOST: succeeds when the host has two active links. New connections
# use active links only. The queue pair of a link can send before the link is
# active.
two_active() {
	[ "$(on "$1" "$smcr" -j link | grep -c '"state": "ACTIVE"')" -eq 2 ]
}

# survived HOW HOST NIC: pulls the NIC when the programs run, or in the middle
# of their time, and does not restore it
survived() {
	local how=$1 host=$2 nic=$3 begun out moved there made
	local what="$how, NIC $nic of host $host"
	for side in a b; do
		check "$what: two links on $side" until_links $side 2
		check "$what: they are active on $side" \
			within "$patience" two_active $side
	done
	for _ in 1 2 3; do
		moved=$(moves)
		made=$(made)
		begun=$SECONDS
		begin
		within "$seconds" has_made "$made" > /dev/null
		[ $((SECONDS - begun)) -gt $((seconds / 2)) ] || break
		# On this slow host the programs would end too soon after the
		# second loss.
		wait "$out"
		seconds=$((2 * seconds))
	done
	check "$what: four connections are made, over SMC-R" has_made "$made"
	sleep 1
	# Each host chooses the link over which it sends.
	there="$(on_nic a "$nic") $(on_nic b "$nic")"
	check "$what: it carries some of them" test "${there/ /}" -gt 0
	pull "$how" "$host" "$nic"
	# While the programs run, a connection closes only after it has moved.
	# R-2.3-03
	check "$what: no fewer were moved than it carried" \
		within "$seconds" moved_by "$moved" "$there"
	wait "$out"
	# R-2.3-03, R-4.6.2-01
	check "$what: the download is right" same "$sum" "$(sh_on b "cat /tmp/sum")"
	check "$what: iperf3 comes to its end" same "0 1" \
		"$(sh_on b "cat /tmp/iperf.status; grep -c 'iperf Done' /tmp/iperf.log" | xargs)"
}

ktap_start
find_nics
# The request contains a rate, and nginx sends at this rate. Thus the download
# lasts as long as iperf3. A rate limit of curl has no effect on this file,
# because curl first reads all data that have arrived.
bytes=$((4 * 1024 * 1024 / div + 65536))
sh_on a "mkdir -p /tmp/www
	dd if=/dev/urandom of=/tmp/www/file bs=$bytes count=1 2> /dev/null
	cat > /tmp/nginx.conf <<-END
		daemon off;
		worker_processes 1;
		error_log /tmp/nginx.log;
		pid /tmp/nginx.pid;
		events { worker_connections 64; }
		http {
			access_log off;
			limit_rate \\\$arg_rate;
			server { listen 8081; root /tmp/www; }
		}
	END"
sum=$(sh_on a "sha256sum < /tmp/www/file")
background a "$smc_run nginx -c /tmp/nginx.conf -e /tmp/nginx.log"
background a "$smc_run iperf3 -s"
reachable 8081
reachable 5201
check "a first download" same "$sum" \
	"$(sh_on b "$smc_run curl -s http://$a:8081/file | sha256sum")"
survived delete a 1
restore delete a 1
survived loss b 1
restore loss b 1
# This is the last round, because the device does not come up again on every
# kernel.
survived down b 1
end_background a
ktap_end
