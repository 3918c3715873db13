#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of smc_advise: saved reports, and TCP connections within this host.

cd "$(dirname "$0")" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../../testing/selftests/net/smc/ktap.sh || exit 1
advise=../smc_advise

# json PYTHON: with the services of standard input as s
json() {
	python3 -c '
import json, sys
v = json.load(sys.stdin)
s = {(k["role"], k["port"]): k for k in v["services"]}
print('"$1"')'
}

cat > "$tmp/report" <<END
smc_advise 1 seconds 60.0 rmem 65536 ends 1 smc 7
service server 80 conns 5210 ended 5210 open 0 peak 3 none 0 rdma 5210 host 0 life 52.100 sent 10000000 received 1000000 turns 5210 peers 31 reached 8 smc 0
service client 5432 conns 40 ended 0 open 40 peak 40 none 0 rdma 40 host 0 life 2400.000 sent 3000000000 received 720000000 turns 4000 peers 2 reached 2 smc 1
service server 6379 conns 120 ended 0 open 120 peak 120 none 0 rdma 120 host 0 life 7200.000 sent 24600000 received 24600000 turns 720000 peers 8 reached 8 smc 0
service server 22 conns 2 ended 0 open 2 peak 2 none 0 rdma 2 host 0 life 120.000 sent 2000 received 900 turns 20 peers 1 reached 1 smc 0
service client 443 conns 9 ended 9 open 0 peak 2 none 9 rdma 0 host 0 life 90.000 sent 90000000 received 900 turns 20 peers 9 reached 0 smc 0
END

ktap_start
equal "effects, best first" \
	"client 5432 throughput
server 6379 latency
server 22 little
server 80 slower
client 443 none" \
	"$($advise -r "$tmp/report" -j |
	   json '"\n".join(" ".join((k["role"], str(k["port"]), k["effect"])) for k in v["services"])')"
equal "memory is that of the peak" "$((40 * 65536)) $((120 * 65536)) 0" \
	"$($advise -r "$tmp/report" -j |
	   json '*[s[k]["memory"] for k in (("client", 5432), ("server", 6379), ("client", 443))]')"
$advise -r "$tmp/report" > "$tmp/text"
equal "the report as text" "7
much data: throughput, CPU
10M" "$(sed -n 's/.*; \([0-9]*\) connections use SMC.*/\1/p
	s/^client 5432 .*  \(much.*\)/\1/p
	s/.*; \(.*\) for services that gain.*/\1/p' "$tmp/text")"
equal "columns stand below their heads" "" "$(awk '
	/^Service/ { at = index($0, "Effect") }
	/^(server|client)/ && substr($0, at - 2, 2) != "  "' "$tmp/text")"
equal "from standard input" "$(cat "$tmp/text")" \
	"$($advise --read - < "$tmp/report")"

# refuse NAME LINE: smc_advise refuses a report with this line
refuse() {
	local said status=0

	said=$($advise -r "$tmp/bad" 2>&1) || status=$?
	equal "$1" \
		"1 smc_advise: $tmp/bad, line $2 is not of a saved report" \
		"$status $said"
}
: > "$tmp/bad"
refuse "an empty file" 0
echo "State Recv-Q" > "$tmp/bad"
refuse "another file" 1
sed '3s/conns/cons/' "$tmp/report" > "$tmp/bad"
refuse "a line with another word" 3
sed '4s/server/both/' "$tmp/report" > "$tmp/bad"
refuse "a role that does not exist" 4
sed '2s/80/80000/' "$tmp/report" > "$tmp/bad"
refuse "a port that does not exist" 2
sed '2s/$/ more/' "$tmp/report" > "$tmp/bad"
refuse "something behind the end" 2
sed '5s/life 120.000/life nan/' "$tmp/report" > "$tmp/bad"
refuse "a life that is no time" 5

coproc traffic { ./traffic.py; }
# shellcheck disable=SC2154 # coproc sets it
in=${traffic[0]} out=${traffic[1]} pid=$traffic_PID
read -r bulk short lively <&"$in"
echo >&"$out"
read -r _ <&"$in"
if $advise -t 1 -s "$tmp/saved" -j > "$tmp/live" 2> "$tmp/err"; then
	equal "a service with many exchanges" "1 1 1 latency" \
		"$(json "s['server', $lively]['connections'], s['client', $lively]['peak'], s['server', $lively]['peers'], s['server', $lively]['effect']" < "$tmp/live")"
	equal "one that is idle now" "1 0 little" \
		"$(json "s['server', $bulk]['connections'], s['server', $bulk]['sent'], s['server', $bulk]['effect']" < "$tmp/live")"
	equal "the saved report shows the same" "$(cat "$tmp/live")" \
		"$($advise -r "$tmp/saved" -j)"
else
	skip "a service with many exchanges" "$(cat "$tmp/err")"
fi
exec {out}>&-
wait "$pid"

# from_the_start: prints the report of a watch that begins before the traffic
from_the_start() {
	local watch status

	coproc traffic { ./traffic.py; }
	in=${traffic[0]} out=${traffic[1]} pid=$traffic_PID
	read -r bulk short lively <&"$in"
	$advise -t 60 -j > "$tmp/live" 2> "$tmp/err" &
	watch=$!
	for _ in $(seq 200); do
		awk -v pid=$watch '$2 == 4 && $3 == pid { found = 1 }
			END { exit !found }' /proc/net/netlink && break
		sleep 0.1
	done
	echo >&"$out"
	read -r _ <&"$in"
	kill -INT "$watch"
	wait "$watch"
	status=$?
	exec {out}>&-
	wait "$pid"
	return $status
}

# A busy kernel may report ends of connections only after the observation.
for _ in 1 2 3; do
	from_the_start || break
	seen=$(json "s['server', $short]['connections'] if ('server', $short) in s else 0" \
		< "$tmp/live")
	[ "$seen" != 20 ] || break
done
if [ -s "$tmp/live" ]; then
	equal "all bytes of a large transfer" "$((64 * 65536)) throughput" \
		"$(json "s['server', $bulk]['received'], s['server', $bulk]['effect']" < "$tmp/live")"
else
	skip "all bytes of a large transfer" "$(cat "$tmp/err")"
fi
if [ "$(id -u)" = 0 ] && [ -s "$tmp/live" ]; then
	equal "all short connections, by their ends" "20 20 20 slower" \
		"$(json "s['server', $short]['connections'], s['server', $short]['ended'], s['server', $short]['received'] // 100, s['server', $short]['effect']" < "$tmp/live")"
else
	skip "all short connections, by their ends" "not root, or no list"
fi

# status ARGUMENT...: exit status, and the first line of standard error
status() {
	$advise "$@" > "$tmp/out" 2> "$tmp/err"
	echo "$? $(head -n 1 "$tmp/err")"
}

for time in 0 -1 x 1x 0x1 nan inf 1e3 86401 ''; do
	equal "time '$time'" "2 smc_advise: this is no time '$time'" \
		"$(status -t "$time")"
done
equal "unexpected argument" "2 smc_advise: unexpected argument 'word'" \
	"$(status word)"
equal "reading and watching" "2 smc_advise: --read goes with --json only" \
	"$(status -r "$tmp/report" -t 1)"
equal "a file that is not there" \
	"1 smc_advise: cannot read /nonexistent: No such file or directory" \
	"$(status -r /nonexistent)"
equal "a directory that is not there" \
	"1 smc_advise: cannot write /nonexistent/a: No such file or directory" \
	"$(status -t 0.1 -s /nonexistent/a)"
$advise --help > "$tmp/out"
equal "--help" 0 $?
ktap_finish
