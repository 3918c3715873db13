#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests of smcr against a simulated kernel (../../lib/tests/fake_kernel.c).

cd "$(dirname "$0")" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../../testing/selftests/net/smc/ktap.sh || exit 1
fake=$PWD/../../lib/tests/fake_kernel.so

# on KERNEL ARGUMENT...: smcr on a simulated kernel
on() {
	local kernel=$1
	shift
	FAKE_KERNEL=$kernel LD_PRELOAD=$fake timeout 20 ../smcr "$@" \
		2> "$tmp/err"
}

# last KERNEL ROUNDS PYTHON: evaluates PYTHON with the last round of top as r
last() {
	on "$1" -j top 0.05 "$2" | tail -1 | python3 -c '
import json, sys
r = json.loads(sys.stdin.read())
'"$3"
}

ktap_start

# ---- top ----

equal "top: what an interval adds" "1000 8 3 1100 1000" \
	"$(last host 1 'print(*[r[n] for n in ("new_smc", "new_tcp", "failed", "sent", "received")])')"
equal "top: what there is now" "4 1 2 8192" \
	"$(last host 1 'print(r["smcr"], r["in_host"], r["tcp"], r["queued"])')"
equal "top: connections, the busiest first; a cursor wraps around" \
	"10.77.0.3:40002 70000 140000
10.77.0.2:40001 1000 2000
10.77.0.4:40007 300 600
127.0.0.1:40004 20 40
[2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff]:40003 5 10
10.77.0.8:40005 None None
10.77.0.9:40006 None None" \
	"$(last host 1 'for c in r["connections"]: print(c["peer"], c.get("sent"), c.get("received"))')"
equal "top: links with the bytes of their connections" \
	"rxe0 1 lo 10.77.0.2 2 2 71300 142600
mlx5_0 1 lo fe80::2 1 1 5 10" \
	"$(last host 1 'for k in r["links"]: print(*k.values())')"
equal "top: fallbacks as they happen, with a peer that is new" \
	"server 1 0x03030002 no SMC-R device None
client 4 0x03010000 peer does not offer SMC 10.77.0.9:40006
client 3 0x00000000 reasons that the kernel no longer counts None" \
	"$(last host 1 'for f in r["fallbacks"]: print(f["role"], f["count"], f["code"], f["text"], f.get("last_peer"))')"
equal "top: the peer is shown once" "None None None" \
	"$(last host 2 'print(*[f.get("last_peer") for f in r["fallbacks"]])')"
equal "top: counters that began again" "1000 1100" \
	"$(last reloaded 1 'print(r["new_smc"], r["sent"])')"
equal "top: nothing to show" "0 [] [] []" \
	"$(last bare 1 'print(r["smcr"], r["connections"], r["links"], r["fallbacks"])')"
equal "top: names are quoted" 'rx"e\0' \
	"$(last names 1 'print(r["links"][0]["device"].strip())')"
equal "top: a line of JSON for each round" 3 \
	"$(on host -j top 0.05 3 | wc -l)"
equal "top: plain text without escape sequences" "2 0" \
	"$(on host top 0.05 2 > "$tmp/out"; grep -c '^smcr top' "$tmp/out") $(
	   grep -c $'\033' "$tmp/out")"
equal "top: addresses are whole in plain text" 2 \
	"$(grep -c '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff\]:40003 SMCR ' "$tmp/out")"
on undiagnosed top 0.05 1 > "$tmp/out"
equal "top: no list of sockets" \
	"1 0 smcr: cannot list SMC sockets: load the module smc_diag" \
	"$? $(wc -c < "$tmp/out") $(cat "$tmp/err")"

# terminal COLUMNS LINES: top on a terminal, stopped by the user
terminal() {
	FAKE_KERNEL=host timeout 20 ./on_terminal.py "$1" "$2" "4 x" \
		env LD_PRELOAD="$fake" ../smcr top 0.2 > "$tmp/out"
	echo "$? $(grep -c 'too long' "$tmp/out")"
}
equal "top: a terminal of 80 columns, ended by Ctrl-C" "0 0" "$(terminal 80 24)"
equal "top: a long address keeps its end" 1 \
	"$(grep -c ' ~[0-9a-f:]*:eeee:ffff\]:40003 SMCR ' "$tmp/out")"
equal "top: what has fallen back stays on the screen" 1 \
	"$(grep -c ' client    4 x peer does not offer SMC, 10.77.0.9:40006$' "$tmp/out")"
equal "top: a small terminal" "0 0" "$(terminal 40 18)"
equal "top: a wide terminal has room for addresses" "0 0 1" \
	"$(terminal 140 50) $(grep -c '2001:db8:aaaa:.*ffff\]:40003 SMCR ' "$tmp/out")"

FAKE_KERNEL=host LD_PRELOAD=$fake ../smcr top 0.05 > "$tmp/out" &
reader=$!
for _ in $(seq 200); do
	[ -s "$tmp/out" ] && break
	sleep 0.05
done
kill -INT $reader
wait $reader
equal "top: SIGINT ends it well" 0 $?
on host top 0.05 9 > /dev/full
equal "top: a disk that is full" \
	"1 smcr: cannot write: No space left on device" "$? $(cat "$tmp/err")"

ktap_finish
