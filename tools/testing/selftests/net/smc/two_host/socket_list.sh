#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that smcss shows all sockets on both hosts: SMC-R connections with their
# link group, TCP connections with the reason, and listeners. smcss shows no
# closed sockets.
#
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# each FILE PYTHON: evaluates PYTHON for each socket s of the JSON list, and
# prints one line for each
each() {
	python3 -c '
import json, sys
for s in json.load(open(sys.argv[1])):
    '"$2" "$1" | sort | uniq -c | sed 's/^ *//'
}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

ktap_start
server_on_a
for host in a b; do
	check "host $host: nothing is listed at first" lists_nothing on $host "$smcss"
done

held --family smc
for host in a b; do
	sh_on $host "$smcss -a -r -d --json" > "$tmp/$host.frames"
done
released
extension=$(on b cat /proc/sys/net/smc/extension)
sh_on b "echo 0 > /proc/sys/net/smc/extension"
held --family smc
for host in a b; do
	sh_on $host "$smcss -a -r -d --json" > "$tmp/$host"
	sh_on $host "$smcss -r" > "$tmp/$host.text"
done
released
sh_on b "echo $extension > /proc/sys/net/smc/extension"
for host in a b; do
	role=$([ $host = a ] && echo server || echo client)
	check "host $host lists three SMC-R connections as $role" \
		same "3 ACTIVE SMCR $role rxe0 1" \
		"$(each "$tmp/$host" 's["state"] == "ACTIVE" and print(s["state"],
			s["mode"], *[s["link_group"][k] for k in ("role", "device", "port")])')"
	check "host $host: they have buffers and tokens of their own" \
		same "3" "$(each "$tmp/$host" '
    if s["state"] == "ACTIVE":
        c = s["connection"]
        assert c["rmbe"] >= 16384 and c["peer_rmbe"] >= 16384 and c["token"]
        print(c["token"])' | wc -l)"
	check "host $host: with frames an idle connection has no buffer" \
		same "3 0 0" "$(each "$tmp/$host.frames" '
    if s["state"] == "ACTIVE":
        c = s["connection"]
        print(c["rmbe"], c["peer_rmbe"])')"
	check "host $host: table with link group" same 3 \
		"$(grep -c "link group: $role link .* device rxe0 port 1" "$tmp/$host.text")"
done
check "addresses of both hosts match" same \
	"$(each "$tmp/a" 's["state"] == "ACTIVE" and print(s["local"]["port"], s["peer"]["port"], s["peer"]["address"])')" \
	"$(each "$tmp/b" 's["state"] == "ACTIVE" and print(s["peer"]["port"], s["local"]["port"], s["local"]["address"])')"
check "the listener is listed" same "1 LISTEN 0.0.0.0" \
	"$(each "$tmp/a" 's["state"] == "LISTEN" and print(s["state"], s["local"]["address"])')"
check "uid" same "3 0" "$(each "$tmp/b" 's["state"] == "ACTIVE" and print(s["uid"])')"

held --family smc6 --server-family tcp6
sh_on b "$smcss --json" > "$tmp/b"
sh_on b "$smcss" > "$tmp/b.text"
released
check "TCP connections and why, in words" same \
	"3 TCP 0x03010000 peer does not offer SMC" \
	"$(each "$tmp/b" 'print(s["mode"], s["reason"]["code"], s["reason"]["text"])')"
check "TCP connections in the table" same 3 \
	"$(grep -c 'TCP *0x03010000 peer does not offer SMC$' "$tmp/b.text")"

on a rdma link delete rxe0
held --family smc
sh_on b "$smcss --json" > "$tmp/b"
sh_on a "$smcss --json" > "$tmp/a"
released
on a rdma link add rxe0 type rxe netdev eth0
check "declined by the peer, in words" same \
	"3 TCP peer declined: no SMC-R device" \
	"$(each "$tmp/b" 'print(s["mode"], s["reason"]["text"])')"
check "own decline, in words" same "3 TCP no SMC-R device" \
	"$(each "$tmp/a" 'print(s["mode"], s["reason"]["text"])')"

# After close(), when the peer has answered, the list no longer shows the
# socket.
for host in a b; do
	check "host $host: nothing is listed in the end" lists_nothing on $host "$smcss"
done

on b rmmod smc_diag
modules=$tree/build/$LAB_KERNEL/net/smc
out=$(sh_on b "echo /bin/false > /proc/sys/kernel/modprobe; $smcss" 2>&1)
status=$?
check "without smc_diag: one line and status 1" same \
	"1 smcss: this kernel does not list SMC sockets (is module smc_diag loaded?)" \
	"$status $out"
on b insmod "$modules/smc_diag.ko"
stop_server_on_a
ktap_end
