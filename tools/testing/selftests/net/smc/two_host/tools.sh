#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests that smcr, smc_pnet, smc_rnics and smc_chk show the state of the host:
# link groups and links of open connections, statistics, devices, tables.
# smc_chk also shows why a path stays on TCP, for each cause that an
# administrator can remove.
#
# foreign: arm64-64k
# deep: 6.12 6.1
# shellcheck source=tools/testing/selftests/net/smc/two_host/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

pnet=$tree/tools/smc_pnet/smc_pnet
rnics=$tree/tools/smc_rnics/smc_rnics
chk=$tree/tools/smc_chk/smc_chk

# json FILE PYTHON: evaluates PYTHON with the file's content as v
json() {
	python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))
'"$2" "$1"
}

# says NAME STATUS PATTERN [ARGUMENT]...: runs smc_chk on b, and compares its
# status and output
says() {
	local name=$1 status=$2 pattern=$3 out got
	shift 3
	out=$(on b "$chk" "$@" 2>&1)
	got=$?
	if [ "$got" -eq "$status" ] && grep -q -e "$pattern" <<< "$out" &&
	   [ "$(wc -l <<< "$out")" -le 24 ] && ! grep -q '.\{81\}' <<< "$out"
	then
		pass "smc_chk: $name"
	else
		fail "smc_chk: $name" "status $got, not $status, or no '$pattern' in
(or more than a screen)
$out"
	fi
}

# Waits until a program listens at the port of smc_chk on a.
listening() {
	# shellcheck disable=SC2016
	sh_on a 'for _ in $(seq 100); do
		[ -z "$(ss -Htln "sport = 37373")" ] || exit 0
		sleep 0.1
	done; exit 1'
}

# refused NAME WORDS COMMAND...: checks that the command fails on host b with
# status 1 and prints these words
refused() {
	local name=$1 words=$2
	shift 2
	check "$name" same "1 $words" "$(sh_on b "$* 2>&1; echo \$?" |
		awk '{ line[NR] = $0 } END { print line[NR], line[1] }')"
}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

ktap_start
# A connection that another script has aborted waits for a last message.
for host in a b; do
	check "host $host: no connection is left" lists_nothing on $host "$smcss"
done
server_on_a

# ---- views of active objects ----

held --family smc --expect-mode smcr

# A namespace without connections sees none of them.
sh_on b "ip netns add bare"
check "another namespace: no group, no link, no count" same "[] [] 0 0" \
	"$(sh_on b "in_bare='ip netns exec bare $smcr -j'
		\$in_bare linkgroup; \$in_bare link
		\$in_bare stats absolute" | python3 -c '
import json, sys
text, at, said = sys.stdin.read(), 0, []
while text[at:].strip():
    v, n = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at = len(text) - len(text[at:].lstrip()) + n
    said.append(v)
print(said[0], said[1], said[2]["smc"], said[2]["tx"]["bytes"])')"
sh_on b "ip netns del bare"

for host in a b; do
	for view in linkgroup link device info stats ueid; do
		on $host "$smcr" -j $view > "$tmp/$host.$view"
	done
	sh_on $host "$smcr -d linkgroup; $smcr -d link" > "$tmp/$host.text"
	role=$([ $host = a ] && echo SERV || echo CLNT)
	check "host $host: link group with its connections" same \
		"$role SINGLE 3" "$(json "$tmp/$host.linkgroup" '
for g in v:
    if g["connections"]:
        print(g["role"], g["type"], g["connections"])')"
	check "host $host: its link" same "ACTIVE 3 1 rxe0 eth0" \
		"$(json "$tmp/$host.link" '
for k in v:
    if k["connections"]:
        print(*[k[n] for n in ("state", "connections", "port", "device", "interface")])')"
	check "host $host: the same as text" same "1 1" \
		"$(grep -c "^[0-9a-f]* $role  *SINGLE  *0  *3 " "$tmp/$host.text") $(
		   grep -c " eth0  *rxe0  *1  ACTIVE  *3 " "$tmp/$host.text")"
	check "host $host: the device counts, and is missed if it goes" same \
		"eth0 rxe0 1 True True" "$(json "$tmp/$host.device" '
for d in v:
    print(*[d[n] for n in ("interface", "device", "port", "active", "critical")])' | head -1)"
	frames="{'version': 3, 'capabilities': ['frames', 'elastic', 'wide', 'v6'],"
	frames="$frames 'frame_send': 8704, 'frame_receive': 8704}"
	check "host $host: both know the extension" same \
		"$frames $frames 1 1" \
		"$(json "$tmp/$host.linkgroup" '
print(*[g["extension"] for g in v if g["connections"]])') $(
		json "$tmp/$host.link" '
print(*[k["extension"] for k in v if k["connections"]])') $(
		grep -c "^[0-9a-f]* $role  *SINGLE  *0  *3  .*  3:frames+elastic+wide+v6  *-$" "$tmp/$host.text") $(
		grep -c " eth0  *rxe0  *1  ACTIVE  *3  .*  3:frames+elastic+wide+v6$" "$tmp/$host.text")"
	check "host $host: info" same "2 1 True" "$(json "$tmp/$host.info" '
print(v["version"], v["release"], v["devices"] >= 1)')"
done
check "smcss: the interface of the link" same "eth0 eth0 eth0" \
	"$(on b "$smcss" | awk '$1 == "ACTIVE" { print $6 }' | xargs)"
on b "$smcr" -j top 0.2 1 > "$tmp/b.top"
check "smcr top: the connections, and their link" same "3 rxe0 1 eth0 $a 3" \
	"$(json "$tmp/b.top" 'k = [k for k in v["links"] if k["connections"]][0]
print(v["smcr"], *[k[n] for n in ("device", "port", "interface", "peer", "connections")])')"
check "smcr metrics: the same" same \
	'smc_link_connections{group="GROUP",link="1",device="rxe0",port="1",interface="eth0"} 3' \
	"$(on b "$smcr" metrics | grep '^smc_link_connections.* 3$' |
	   sed 's/group="[0-9a-f]*"/group="GROUP"/')"
check "the GIDs of both ends match" same \
	"$(json "$tmp/a.link" 'print(sorted((k["gid"], k["peer_gid"]) for k in v if k["connections"]))')" \
	"$(json "$tmp/b.link" 'print(sorted((k["peer_gid"], k["gid"]) for k in v if k["connections"]))')"
released

# queued HOST: prints the number of bytes that its groups have not delivered yet
queued() {
	on "$1" "$smcr" -j linkgroup | python3 -c '
import json, sys
print(sum(g["send_bytes"] for g in json.load(sys.stdin)))'
}

# shellcheck disable=SC2317 # "check" calls it
nothing_queued() {
	for _ in $(seq 50); do
		[ "$(queued b)" -gt 0 ] || return 0
		sleep 0.2
	done
	echo "$(queued b) bytes"
	return 1
}

check "no bytes are queued" nothing_queued
sh_on b "touch /tmp/smc_peer.hold"
on b "$peer" --client "$a" "${scale[@]}" --family smc hold_full > "$tmp/full" &
holder=$!
for _ in $(seq 100); do
	[ "$(queued b)" -lt 16384 ] || break
	sleep 0.2
done
check "queued bytes of a connection whose peer does not read" \
	test "$(queued b)" -ge 16384
released
check "it has read them" grep -q '^ok 1 ' "$tmp/full"
check "no bytes are queued any more" nothing_queued

on b "$smcr" stats reset
from_b "traffic for the statistics" --family smc sizes
on b "$smcr" stats json > "$tmp/after"
check "statistics since the reset" same "True True 0" "$(json "$tmp/after" '
print(v["smc"] >= 1, v["tx"]["bytes"] > 0 and v["rx"]["bytes"] > 0,
      v["tcp"]["client"])')"
check "statistics in the table" grep -q "^  *SMC connections  *[1-9]" \
	<(on b "$smcr" stats)
on b "$smcr" -j stats watch 1 2 > "$tmp/watch"
check "statistics by interval: nothing is added when nothing happens" same \
	"0 0
0 0" "$(python3 -c '
import json, sys
for line in open(sys.argv[1]).read().replace("}\n{", "}\0{").split("\0"):
    v = json.loads(line)
    print(v["smc"], v["tx"]["bytes"])' "$tmp/watch")"

# ---- tables ----

sh_on b "$smcr ueid add rack-7 && $smcr ueid add Rack.8"
check "user EIDs" same "RACK-7 RACK.8 SMCV2-DEFAULT-UEID" \
	"$(on b "$smcr" ueid | sort | xargs)"
refused "the same EID twice" \
	"smcr: this EID is in the table already" "$smcr" ueid add rack-7
refused "an EID that is none" \
	"smcr: an EID is A-Z, 0-9, '.', '-'; first a letter or digit" \
	"$smcr" ueid add a_b
refused "an EID that is not there" \
	"smcr: this EID is not in the table" "$smcr" ueid del other
sh_on b "$smcr ueid del rack-7 && $smcr ueid del rack.8"
check "the system EID" same "n/a" "$(on b "$smcr" seid)"
refused "switching it" \
	"smcr: the system EID belongs to SMC-D, which this module does not have" \
	"$smcr" seid enable
check "handshake limitation" same "disabled enabled disabled" "$(sh_on b \
	"$smcr limit; $smcr limit enable; $smcr limit; $smcr limit disable; $smcr limit" | xargs)"
refused "without privilege" "smcr: this needs the privilege CAP_NET_ADMIN" \
	setpriv --reuid 65534 --regid 65534 --clear-groups "$smcr" ueid flush

sh_on b "$pnet -a -I eth0 -D rxe0 net1 && $pnet -a -I eth7 net2"
check "PNETIDs" same "NET1 eth0 n/a n/a
NET1 n/a rxe0 1
NET2 eth7 n/a n/a" "$(on b "$pnet" | awk 'NR > 1 { print $1, $2, $3, $4 }')"
check "smc_chk: PNETIDs of net devices" same "NET1 n/a" \
	"$(sh_on b "$chk -i eth0; $chk -i lo" | xargs)"
check "one PNETID" same "2" "$(on b "$pnet" net1 | grep -c NET1)"
check "a PNETID that no device has" same "1 smc_pnet: no PNETID net7" \
	"$(sh_on b "$pnet net7 2>&1; echo \$?" | xargs | sed 's/\(.*\) \(.*\)/\2 \1/')"
check "smc_rnics shows it, and a usable device" same "rxe0 eth0 NET1 yes" \
	"$(on b "$rnics" rxe0 | awk 'NR > 1 { print $1, $3, $7, $8 }')"
refused "a device that has a PNETID" \
	"smc_pnet: this net device has a PNETID already" "$pnet" -a -I eth0 net3
from_b "devices on one network: SMC-R" --family smc --expect-mode smcr names
on b "$pnet" -d net1
on b "$pnet" -a -I eth0 net9
from_b "no RDMA device on the interface's network: TCP" --family smc \
	--expect-mode tcp --expect-reason 0x03030002 names
check "smc_rnics says so" same "no (other PNET-ID than its Net-Dev)" \
	"$(on b "$rnics" rxe0 | sed -n '2s/.*  no /no /p')"
says "so does smc_chk --local" 1 "^RDMA device *none: rxe0 port 1 has PNETID -, eth0 has NET9" \
	--local
on b "$pnet" -f
check "no PNETIDs in the end" same "" "$(on b "$pnet")"

# ---- smc_chk ----

sh_on a "setsid $chk -S > /dev/null 2>&1 < /dev/null & echo \$! > /tmp/chk"
listening
says "a good path" 0 "run over SMC" "$a"
says "what the server sees" 0 "The server says *mode SMCR" "$a"
says "IPv6" 0 "run over SMC" "$a6"
says "a port behind the host" 0 "run over SMC" "$a:37373"
says "a port behind an IPv6 address" 0 "run over SMC" -6 -C "[$a6]:37373"
says "no route" 3 "ip route get" 10.99.0.1
says "fast open" 1 "Failed here: socket option" -f "$a"
says "no server there" 3 "not even a TCP connection" -p 9 "$a"
only_device_goes a
says "no device there" 1 "Failed on the peer: RDMA device" "$a"
device_comes a
says "the device there is back" 0 "run over SMC" "$a"
only_device_goes b
says "no device here" 1 "Failed here: RDMA device" "$a"
says "... seen beforehand" 1 "^RDMA device of this host *none that is active on eth0" "$a"
device_comes b
says "the device here is back" 0 "run over SMC" "$a"
on b "$pnet" -a -I eth0 net9
says "PNETIDs" 1 "Failed here: RDMA device" "$a"
says "... seen beforehand" 1 "^RDMA device of this host *none that is active with PNETID NET9" "$a"
on b "$pnet" -f
# Both hosts have the IPsec keys of one direction, and the policy of one host
# requires their use.
key=0x0102030405060708090a0b0c0d0e0f1011121314
esp() {
	on "$1" ip xfrm state add src "$b" dst "$a" proto esp spi 0x1000 \
		mode transport aead 'rfc4106(gcm(aes))' $key 128
}
if esp a && esp b &&
   on b ip xfrm policy add dir out src "$b" dst "$a" proto 6 \
	tmpl proto esp mode transport; then
	says "IPsec" 1 "Failed here: IPsec policy" "$a"
else
	skip "smc_chk: IPsec" "this kernel has no ESP"
fi
for host in a b; do
	sh_on $host "ip xfrm policy flush; ip xfrm state flush"
done
sh_on a "echo 0 > /proc/sys/net/smc/max_conns"
says "memory" 1 "Failed on the peer: memory" "$a"
sh_on a "echo 1048576 > /proc/sys/net/smc/max_conns"

sh_on a "ip addr add 10.88.0.1/24 dev eth0; ip route add 10.89.0.0/24 dev eth0 src 10.88.0.1"
sh_on b "ip addr add 10.89.0.2/24 dev eth0; ip route add 10.88.0.0/24 dev eth0 src 10.89.0.2"
on b "$smcr" ueid flush
says "other subnet, version 1 only" 1 "Failed on the peer: same subnet" 10.88.0.1
on b "$smcr" ueid add OTHER
says "other subnet, no UEID in common" 1 "Failed on the peer: UEID in common" \
	10.88.0.1
sh_on b "$smcr ueid flush; $smcr ueid add SMCV2-DEFAULT-UEID"
says "other subnet, a UEID in common" 0 "run over SMC" 10.88.0.1
sh_on a "ip route del 10.89.0.0/24; ip addr del 10.88.0.1/24 dev eth0"
sh_on b "ip route del 10.88.0.0/24; ip addr del 10.89.0.2/24 dev eth0"

sh_on a "kill \$(cat /tmp/chk)
	while kill -0 \$(cat /tmp/chk); do sleep 0.1; done" 2> /dev/null
sh_on a "setsid python3 -c '
import socket, time
s = socket.create_server((\"\", 37373))
while True:
    c = s.accept()[0]
    c.recv(64)
    c.sendall(b\"mode \x1b]0;x\x07\x9b\nmore\")
    c.close()' > /dev/null 2>&1 < /dev/null & echo \$! > /tmp/plain"
listening
says "no SMC on the peer" 1 "The peer does not offer SMC" "$a"
says "the peer sends bytes for a terminal" 1 "The server says *mode ?]0;x??$" "$a"
sh_on a "kill \$(cat /tmp/plain)"
stop_server_on_a

# The peer unloads the module, then this host does. The tools load no other
# module instead.
for host in a b; do
	sh_on $host "cat /proc/sys/kernel/modprobe > /tmp/modprobe
		echo /bin/false > /proc/sys/kernel/modprobe
		rmmod smc_diag"
done
sh_on a "setsid $chk -S > /dev/null 2>&1 < /dev/null & echo \$! > /tmp/chk"
listening
says "no list of sockets on either host" 0 "The server says *mode SMCR" "$a"
sh_on a "kill \$(cat /tmp/chk)"
for host in a b; do
	sh_on $host "insmod $(modules_of $host)/smc_diag.ko"
done
take_module a
out=$(on a "$chk" -S 2>&1)
check "smc_chk -S without the module" same \
	"1 smc_chk: cannot listen at port 37373: the SMC module is not loaded: modprobe smc" \
	"$? $out"
sh_on a "setsid python3 -m http.server 37374 > /dev/null 2>&1 < /dev/null &
	echo \$! > /tmp/plain"
on a timeout 20 sh -c "until [ -n \"\$(ss -Htln 'sport = 37374')\" ]; do
	sleep 0.1; done"
says "module missing on the peer" 1 "The peer does not offer SMC" -p 37374 "$a"
says "... with what to do" 1 "modprobe smc" -p 37374 "$a"
take_module b
says "module missing here" 1 "does not speak SMC: the module is missing" \
	-p 37374 "$a"
sh_on a "kill \$(cat /tmp/plain)"
for host in a b; do
	modules=$(modules_of $host)
	sh_on $host "cat /tmp/modprobe > /proc/sys/kernel/modprobe
		insmod $modules/smc.ko && insmod $modules/smc_diag.ko
		sysctl -qw net.smc.echo_memory=0 net.smc.dead_path_memory=0"
done
server_on_a
from_b "modules are back" --family smc --expect-mode smcr names
stop_server_on_a
ktap_end
