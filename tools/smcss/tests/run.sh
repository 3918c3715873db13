#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests smcss on a simulated kernel (fake_mnl.so) and on the running one.

cd "$(dirname "$0")" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../../testing/selftests/net/smc/ktap.sh || exit 1

# against KERNEL ARGUMENT...: runs smcss on a simulated kernel
against() {
	local kernel=$1
	shift
	FAKE_MNL=$kernel LD_PRELOAD=$PWD/fake_mnl.so timeout 20 ../smcss "$@" \
		2> "$tmp/err" | sed 's/ *$//'
	return "${PIPESTATUS[0]}"
}

# brief: prints inode, mode and reason of each line
brief() {
	sed 1d | awk '{
		for (i = 1; i <= NF && $i !~ /^(-|SMCR|in-host|TCP|SMCD)$/; i++)
			;
		if ($i == "-" && i < NF)
			i++
		out = $1 " " $3 + 0
		for (; i <= NF; i++)
			out = out " " $i
		print out
	}'
}

json() {
	against "$1" -a -j "${@:3}" | python3 -c '
import json, sys
for s in json.load(sys.stdin):
    '"$2"
}

connected="ACTIVE 5003 SMCR
PEERCLOSEWAIT1 5004 SMCR
ACTIVE 5005 in-host
ACTIVE 5006 TCP 0x03010000 peer does not offer SMC
ACTIVE 5007 TCP 0x05000000/0x03030002 peer declined: no SMC-R device
ACTIVE 5008 TCP 0x05000000/0x0badc0de peer declined: code 0x0badc0de
APPCLOSEWAIT1 5009 TCP 0x12345678 code 0x12345678
ACTIVE 5011 SMCD"
listening="LISTEN 5000 -
LISTEN 5001 -"
all="$listening
INIT 5002 -
${connected%ACTIVE 5011*}CLOSED 5010 -
ACTIVE 5011 SMCD"

ktap_start
equal "connected sockets with mode and reason" "$connected" \
	"$(against list | brief)"
equal "--listening" "$listening" "$(against list --listening | brief)"
equal "--all" "$all" "$(against list --all | brief)"
equal "--smcr" "$(echo "$connected" | grep SMCR)" \
	"$(against list --smcr | sed 's/SMCR .*/SMCR/' | brief)"
equal "addresses of both kinds" \
	"127.0.0.1:80 127.0.0.1:40002
[::ffff:10.77.0.1]:80 [::ffff:10.77.0.2]:40006
[fd77::1]:80 [fd77::2]:40001" \
	"$(against list | awk '/5005 |5004 |5009 / { print $4, $5 }' | LC_ALL=C sort)"
equal "wildcard addresses of both kinds" "0.0.0.0:80 [::]:80" \
	"$(against list -l | awk 'NR > 1 { print $4 }' | xargs)"
equal "interface by name" "lo" \
	"$(against list | awk '/0000005003/ { print $6 }')"
equal "a kernel that marks nothing: in-host looks like SMC-R" \
	"ACTIVE 5005 SMCR" "$(against old | brief | grep 5005)"
equal "details on request" \
	"    token deadbeef sndbuf 65536 rmbe 32768 peer-rmbe 16384
    received: prod 1:2 cons 3:4 flags 80:00
    sent: prod 5:6 cons 7:8 flags 00:20
    send queue: queued 9:10 written 11:12 delivered 13:14" \
	"$(against list --details | grep '^ ' | head -4)"
equal "link group on request" \
	'    link group: server link 01 device rxe"0 port 1 gid ::ffff:10.77.0.1 peer-gid ::ffff:10.77.0.2' \
	"$(against list --lgr | grep '^ ' | head -1)"
equal "columns as deployed" \
	"State UID Inode Local Address Peer Address Intf Mode" \
	"$(against list -W | head -1 | sed 's/ *Reason$//; s/  */ /g')"
equal "columns of -d" \
	"Mode Shutd Token Sndbuf Rcvbuf Peerbuf rxprod-Cursor rxcons-Cursor rxFlags txprod-Cursor txcons-Cursor txFlags txprep-Cursor txsent-Cursor txfin-Cursor Reason" \
	"$(against list -d | head -1 | grep -o 'Mode.*' | xargs)"
equal "values of -d" \
	"SMCR <-> deadbeef 00010000 00008000 00004000 0001:00000002 0003:00000004 80:00 0005:00000006 0007:00000008 00:20 0009:0000000a 000b:0000000c 000d:0000000e" \
	"$(against list --debug | grep 0000005003 | grep -o 'SMCR.*' | tr -s ' ' | sed 's/ $//')"
equal "columns of -R" "Mode Role IB-device Port Linkid GID Peer-GID Reason" \
	"$(against list -R | head -1 | grep -o 'Mode.*' | xargs)"
equal "values of -R" \
	'SMCR SERV rxe"0 01 01 ::ffff:10.77.0.1 ::ffff:10.77.0.2' \
	"$(against list -R | grep 0000005003 | grep -o 'SMCR.*' | tr -s ' ')"
equal "columns stand below their heads" "" "$(against list -a -d | awk '
	NR == 1 { at = index($0, "Reason") }
	/ TCP / && index($0, "0x") != at')"
equal "SMC-D sockets only" "ACTIVE 5011 SMCD" "$(against list -D | brief)"
equal "neither unasked" "" "$(against list | grep '^ ')"
equal "attributes too short are not believed" \
	"ACTIVE 5003 SMCR
PEERCLOSEWAIT1 5004 SMCR" \
	"$(against short -r --details | brief | head -2)"
equal "JSON: modes" \
	"None None None SMCR SMCR in-host TCP TCP TCP TCP None SMCD" \
	"$(json list 'print(s.get("mode"))' | xargs)"
equal "JSON: reason of one that the peer declined" \
	"0x05000000 0x03030002 peer declined: no SMC-R device" \
	"$(json list 'r = s.get("reason", {}); s["inode"] == 5007 and print(r["code"], r["peer_code"], r["text"])')"
equal "JSON: addresses" "fd77::1 80 fd77::2 40001" \
	"$(json list 's["inode"] == 5004 and print(*s["local"].values(), *s["peer"].values())')"
equal "JSON: strings are quoted" 'rxe"0' \
	"$(json list 's["inode"] == 5003 and print(s["link_group"]["device"])' -r)"
equal "JSON: cursors" "{'wrap': 13, 'count': 14}" \
	"$(json list 's["inode"] == 5005 and print(s["connection"]["tx_fin"])' -d)"
equal "JSON: empty list" "[]" "$(against empty -j)"
equal "empty list" "1" "$(against empty | wc -l)"
equal "an interrupted dump is taken again" "$connected" \
	"$(against interrupted | brief)"
against always > "$tmp/out"
equal "interrupted each time: an error, no half list" \
	"1 0 smcss: cannot list SMC sockets: the list changes too fast" \
	"$? $(wc -c < "$tmp/out") $(cat "$tmp/err")"

if ! grep -qs smc_diag /proc/modules; then
	../smcss > "$tmp/out" 2> "$tmp/err"
	equal "kernel without the list: one line" \
		"1 0 smcss: this kernel does not list SMC sockets (is module smc_diag loaded?)" \
		"$? $(wc -c < "$tmp/out") $(cat "$tmp/err")"
fi
../smcss --nonsense > "$tmp/out" 2>&1
equal "unknown option" 2 $?
../smcss word > "$tmp/out" 2>&1
equal "unexpected argument" 2 $?
../smcss --help > "$tmp/out"
equal "--help" 0 $?

ktap_finish
