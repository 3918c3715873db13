#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests smcr on a simulated kernel (../../lib/tests/fake_kernel.c).

cd "$(dirname "$0")" || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck source=tools/testing/selftests/net/smc/ktap.sh
. ../../testing/selftests/net/smc/ktap.sh || exit 1
fake=$PWD/../../lib/tests/fake_kernel.so

# on KERNEL ARGUMENT...: runs smcr on a simulated kernel
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
equal "top: connections that have no element now" \
	"10.77.0.3:40002 70000 140000
10.77.0.2:40001 1000 2000" \
	"$(last frames 1 'for c in r["connections"][:2]: print(c["peer"], c.get("sent"), c.get("received"))')"
equal "top: connections whose numbers were missing once" \
	"None None
None None
70000 140000" \
	"$(for n in 1 2 3; do last locked $n '
for c in r["connections"]:
    if c["peer"] == "10.77.0.3:40002": print(c.get("sent"), c.get("received"))'; done)"
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

# terminal COLUMNS LINES: runs top on a terminal until the user stops it
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

rm "$tmp/out"
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

# ---- options and columns as deployed ----

# columns KERNEL ARGUMENT...: prints the column headings of a table
columns() {
	on "$@" | head -1 | xargs
}
equal "columns of linkgroup" "LG-ID LG-Role LG-Type VLAN #Conns PNET-ID" \
	"$(columns host linkgroup)"
equal "columns of link-show" \
	"LG-ID LG-Role LG-Type Net-Dev Link-State #Conns" \
	"$(columns host linkgroup link-show)"
equal "columns of link-show, -d" \
	"LG-ID LG-Role LG-Type Net-Dev Link-State #Conns Link-UID Peer-UID IB-Dev IB-P" \
	"$(columns host -d linkgroup link-show)"
equal "columns of link-show, -dd" \
	"LG-ID LG-Role LG-Type Net-Dev Link-State #Conns Link-UID Peer-UID IB-Dev IB-P Local-GID Peer-GID" \
	"$(columns host -dd linkgroup link-show)"
equal "columns of device" \
	"Net-Dev IB-Dev IB-P IB-State Type Crit #Links PNET-ID" \
	"$(columns host device)"
for option in -version -v --version; do
	equal "option $option" "$(on host --version)" "$(on host $option)"
done
equal "options in words" "$(on host -dd linkgroup link-show)" \
	"$(on host -ddetails linkgroup link-show)"
equal "option -a" "$(on host stats absolute)" "$(on host -absolute stats)"
# shellcheck disable=SC2086,SC2248 # words
while read -r short long; do
	equal "$short is $long" "$(on host $long)" "$(on host $short)"
	equal "$short help" "$(on host --help)" "$(on host $short help)"
done <<-END
	i info
	l linkgroup
	d device
	s stats
	u ueid
END

# ids ARGUMENT...: prints the IDs of the groups in a table
ids() {
	on host "$@" | sed 1d | cut -d' ' -f1 | xargs
}
equal "all groups" "00000100 00000200" "$(ids linkgroup show all)"
equal "one group" "00000200" "$(ids linkgroup 200)"
equal "groups of an RDMA device" "00000200" "$(ids linkgroup show ibdev mlx5_0)"
equal "groups of a net device" "00000100 00000200" "$(ids linkgroup netdev lo)"
if grep -qs '^smc ' /proc/modules; then
	skip "a list without the module" "the module is loaded"
else
	equal "a list without the module is not an empty list" \
		"smcr: the SMC module is not loaded: modprobe smc
1" "$(../smcr -j linkgroup 2>&1; echo $?)"
fi
equal "groups of a net device that is not there" \
	"1 smcr: no net device none0" \
	"$(on host linkgroup netdev none0; echo "$? $(cat "$tmp/err")")"
equal "links of an RDMA device that is not there" \
	"1 smcr: no RDMA device none_0" \
	"$(on host link ibdev none_0; echo "$? $(cat "$tmp/err")")"
equal "a group that is not there" "[]
1 smcr: no link group 00000300" "$(on host -j linkgroup 300
		echo "$? $(cat "$tmp/err")")"
equal "links of one group" "00000200 00000200" "$(ids linkgroup link-show 200)"
equal "links of an RDMA device" "00000200" \
	"$(ids linkgroup link-show all ibdev mlx5_0)"
equal "ports of an RDMA device" "mlx5_0 mlx5_0" \
	"$(on host device ibdev mlx5_0 | awk 'NR > 1 { print $2 }' | xargs)"
equal "ports of a net device" "rxe0" \
	"$(on host device show netdev lo | awk 'NR > 1 { print $2 }' | xargs)"
for wrong in "linkgroup netdev" "linkgroup 1x" "linkgroup 1 2" "device 1" \
	"device ibdev" "stats more"; do
	# shellcheck disable=SC2086 # words
	on host $wrong > "$tmp/out"
	equal "wrong: $wrong" "2 0" "$? $(wc -c < "$tmp/out")"
done

smc_count() {
	python3 -c 'import json, sys; print(json.load(sys.stdin)["smc"])'
}
export XDG_RUNTIME_DIR=$tmp
equal "stats: reasons with words, numbers in their column" \
	"    client 0x03010000                                 4  peer does not offer SMC" \
	"$(on host stats | grep 0x03010000)"
equal "stats: this column ends where the other numbers end" "55 55" \
	"$(on host stats | awk '/TCP fallback/ { print length }
		/0x03010000/ { sub(/  peer.*/, ""); print length }' | xargs)"
equal "metrics, top: a role that the tools do not know is that of a server" \
	"1 server" \
	"$(on novel metrics | grep -c 'role="server",code="0x01010000"') $(
	   last novel 1 'print(*[f["role"] for f in r["fallbacks"] if f["code"] == "0x01010000"])')"
equal "stats: json and reset" "1000
0
1000" "$(
	on host stats json reset | smc_count
	on host -j stats | smc_count
	on host -a stats json | smc_count)"
touch "$tmp/netns"
equal "stats: another network namespace has its own counters" "1000
0
0" "$(
	export FAKE_NETNS=$tmp/netns
	on host -j stats | smc_count
	on host stats reset
	on host -j stats | smc_count
	unset FAKE_NETNS
	on host -j stats | smc_count)"
baseline=("$tmp"/smcr-stats.*)
printf '\377' | dd of="${baseline[0]}" bs=1 seek=1 conv=notrunc 2> /dev/null
printf '\377' | dd of="${baseline[1]}" bs=1 seek=1 conv=notrunc 2> /dev/null
equal "stats: a counter that is smaller than before: nothing is subtracted" \
	"1000 1" "$(on host -j stats | python3 -c '
import json, sys
v = json.load(sys.stdin)
print(v["smc"], v["tx"]["buffers_by_size"]["8KB"])')"
equal "stats: the same for a reason" "0
1000" "$(
	on many stats reset
	on many -j stats | smc_count
	on host -j stats | smc_count)"

# ---- counters ----

mib_list=../../../net/smc/base/mib_list.h
names=$(sed -n 's/^SMC_MIB([A-Z0-9_]*, "\(.*\)")$/\1/p' $mib_list)
explained=$(sed -n 's/^SMC_COUNTER("\([A-Za-z]*\)",.*/\1/p' ../counter_list.h)
equal "counters: the module's list is read" "$(grep -c '^SMC_MIB' $mib_list)" \
	"$(wc -w <<< "$names")"
equal "counters: each counter of the module is explained once, in its order" \
	"$names" "$explained"
equal "counters: each metric has its own name" "" \
	"$(grep -o '"smc_[a-z_]*"' ../counter_list.h | sort | uniq -d)"
equal "counters: explanations are sentences" "" \
	"$(grep '^SMC_[CM]' ../counter_list.h | grep -v '[A-Z1"][^"]*\.")$')"
if [ -f "$mib_list" ]; then
	make -s -C .. counters_man
	equal "counters: the manual page is current (make -C tools/smcr doc)" "" \
		"$(../counters_man | diff - ../../smc_counters.7)"
fi

# counter_lines: prints the counters as /proc/net/smc_mib does, with values from
# 0 on
counter_lines() {
	awk '{ print $1, n++ }' <<< "$names"
}
FAKE_MIB=$(counter_lines)
export FAKE_MIB
first=$(head -1 <<< "$names")
equal "counters: those that are not zero" \
	"$(($(wc -w <<< "$names") - 1)) 0" \
	"$(on host counters > "$tmp/out"; grep -c '^[A-Z]' "$tmp/out") $(
	   grep -c "^$first " "$tmp/out")"
equal "counters: fit 80 columns" "" "$(grep '.\{81\}' "$tmp/out")"
equal "counters: all, as JSON" "$(counter_lines)" "$(on host -j counters |
	python3 -c '
import json, sys
for c in json.load(sys.stdin):
    print(c["name"], c["value"])
    assert c["help"].endswith(".") and c["metric"].startswith("smc_")')"
equal "counters: all, with details" "$(wc -w <<< "$names")" \
	"$(on host -d counters | grep -c '^[A-Z]')"
equal "counters: one of a later module" "Novel 5" \
	"$(FAKE_MIB="Novel 5" on host counters | awk '{ print $1, $2 }')"
on stock counters > "$tmp/out"
equal "counters: another module" \
	"1 0 smcr: there is no /proc/net/smc_mib (is this project's module loaded?)" \
	"$? $(wc -c < "$tmp/out") $(cat "$tmp/err")"

# ---- metrics ----

# lint NAME FILE: checks that promtool finds no fault in a file of metrics
lint() {
	if ! command -v promtool > /dev/null; then
		skip "metrics: promtool, $1" "package prometheus is not installed"
		return
	fi
	equal "metrics: promtool finds nothing, $1" "0 " \
		"$(promtool check metrics < "$2" 2>&1 > "$tmp/lint"; echo "$?") $(
		   cat "$tmp/lint")"
}

# value NAME [LABELS]: prints the value of a sample in $tmp/out
value() {
	awk -v name="$1${2:+{$2\}}" 'index($0, name " ") == 1 {
		print substr($0, length(name) + 2) }' "$tmp/out"
}

for kernel in host bare names; do
	on $kernel metrics > "$tmp/out"
	lint "kernel \"$kernel\"" "$tmp/out"
done
on host metrics > "$tmp/out"
equal "metrics: the module is there" "1 1" \
	"$(value smc_up) $(value smc_info 'version="2",release="1"')"
equal "metrics: connections" "100 400 1" "$(
	value smc_connections_total 'role="client",version="1"') $(
	value smc_connections_total 'role="server",version="2"') $(
	value smc_fallbacks_total 'role="server"')"
equal "metrics: reasons, with their words" 4 "$(value smc_fallback_reasons_total \
	'role="client",code="0x03010000",reason="peer does not offer SMC"')"
on many metrics > "$tmp/out"
equal "metrics: a count that exceeds 16 bits" 70000 "$(value smc_fallback_reasons_total \
	'role="client",code="0x01010000",reason="out of memory"')"
on host metrics > "$tmp/out"
equal "metrics: a histogram adds up" "1 3 36 45 45 1100" "$(
	value smc_send_call_bytes_bucket 'le="8192"') $(
	value smc_send_call_bytes_bucket 'le="16384"') $(
	value smc_send_call_bytes_bucket 'le="1048576"') $(
	value smc_send_call_bytes_bucket 'le="+Inf"') $(
	value smc_send_call_bytes_count) $(value smc_send_call_bytes_sum)"
equal "metrics: groups, links and ports" "2 1 3" "$(
	value smc_group_connections 'group="00000200",role="server",type="SYM"') $(
	value smc_link_connections 'group="00000200",link="2",device="mlx5_0",port="1",interface="lo"') $(
	value smc_port_links 'device="rxe0",port="1",interface="lo"')"
equal "metrics: counters of the module" "$(counter_lines | cut -d' ' -f2)" \
	"$(sed -n 's/^SMC_COUNTER("[A-Za-z]*", "\([a-z_]*\)".*/\1/p' \
		../counter_list.h | while read -r name; do value "$name"; done)"
equal "metrics: no series twice" "" "$(sed 's/ [^ ]*$//' "$tmp/out" | grep -v '^#' |
	sort | uniq -d)"
cp "$tmp/out" "$tmp/all"
on names metrics > "$tmp/out"
equal "metrics: labels are quoted" 3 \
	"$(value smc_port_links 'device="rx\\"e\\\\0\\n",port="1",interface="lo"')"
on stock metrics > "$tmp/out"
equal "metrics: another module" "1 0" \
	"$(value smc_up) $(grep -c smc_cdc_sent_total "$tmp/out")"
lint "another module" "$tmp/out"

on host metrics "$tmp/smc.prom"
equal "metrics: into a file, which others may read" "0 644 smc.prom" \
	"$? $(stat -c %a "$tmp/smc.prom") $(cd "$tmp" && echo smc.prom*)"
equal "metrics: the file has all" "" "$(diff "$tmp/all" "$tmp/smc.prom")"
echo mine > "$tmp/mine"
chmod 600 "$tmp/mine"
for name in smc.prom.new smc.prom; do
	ln -sf mine "$tmp/$name"
	on host metrics "$tmp/smc.prom"
	equal "metrics: does not follow a link: $name" "0 600 mine 644" \
		"$? $(stat -c %a "$tmp/mine") $(cat "$tmp/mine") $(
			stat -c %a "$tmp/smc.prom")"
	rm -f "$tmp/smc.prom.new"
done
mkfifo "$tmp/pipe.prom"
ln -s pipe.prom "$tmp/link.prom"
for name in pipe link; do
	on host metrics "$tmp/$name.prom"
	equal "metrics: does not replace what is no file: $name" \
		"1 smcr: $tmp/$name.prom is not a regular file fifo" \
		"$? $(cat "$tmp/err") $(stat -L -c %F "$tmp/$name.prom")"
done
ln -sf /proc/self/fd/1 "$tmp/link.prom"
on host metrics "$tmp/link.prom" > "$tmp/out"
equal "metrics: does not replace the name of its output" \
	"1 smcr: $tmp/link.prom is not a regular file symbolic link" \
	"$? $(cat "$tmp/err") $(stat -c %F "$tmp/link.prom")"
rm "$tmp/pipe.prom" "$tmp/link.prom"
on host metrics show > "$tmp/out"
equal "metrics show: on standard output" "0 no file" \
	"$? $([ -e show ] || echo "no file")"
equal "metrics show: has all" "" "$(diff "$tmp/all" "$tmp/out")"
on host metrics "$tmp/none/smc.prom"
equal "metrics: no such directory" \
	"1 smcr: cannot write $tmp/none/smc.prom: No such file or directory" \
	"$? $(cat "$tmp/err")"
mkdir "$tmp/taken.prom"
on host metrics "$tmp/taken.prom"
equal "metrics: a failure leaves nothing" \
	"1 smcr: cannot write $tmp/taken.prom: Is a directory taken.prom" \
	"$? $(cat "$tmp/err") $(cd "$tmp" && echo taken.prom*)"
if ! grep -qs '^SMC ' /proc/net/protocols; then
	timeout 20 ../smcr metrics > "$tmp/out" 2> "$tmp/err"
	equal "metrics: no module: one line that says so" "0 0 " \
		"$? $(value smc_up) $(cat "$tmp/err")"
	lint "no module" "$tmp/out"
fi

# ---- config ----

export FAKE_SYSCTL=$tmp/sysctl FAKE_FINAL=$tmp/final
conf=$tmp/smc.conf

# system: the sysctls of a simulated kernel
system() {
	mkdir -p "$FAKE_SYSCTL"
	echo 262144 > "$FAKE_SYSCTL/rmem"
	printf '10\t20\t30\n' > "$FAKE_SYSCTL/mem"
	rm -f "$FAKE_SYSCTL/mem_share"
	echo 50 > "$FAKE_SYSCTL/mem_share"
	chmod 444 "$FAKE_SYSCTL/mem_share"
}

# state: prints sysctls, UEIDs and PNETIDs after the last call
state() {
	cat "$FAKE_SYSCTL/rmem" "$FAKE_SYSCTL/mem" "$FAKE_FINAL" | xargs
}

# config ARGUMENT...: prints the exit status of "smcr config" and what it says
config() {
	local status
	on host config "$@" > "$tmp/out"
	status=$?
	echo "$status $(cat "$tmp/out" "$tmp/err")"
}
before="262144 10 20 30 SMCV2-DEFAULT-UEID NET1 rxe0 1"

system
equal "config: what the system has, but nothing that cannot be set" \
"0 # The default of net.smc.mem depends on the memory of this machine.
sysctl net.smc.mem = 10 20 30
sysctl net.smc.rmem = 262144
ueid SMCV2-DEFAULT-UEID
pnetid -D rxe0 -P 1 NET1" "$(config)"
equal "config: show, as JSON" \
"{'mem': [10, 20, 30], 'rmem': 262144} ['SMCV2-DEFAULT-UEID'] [{'name': 'NET1', 'device': 'rxe0', 'port': 1}]" \
	"$(on host -j config show | python3 -c '
import json, sys
v = json.load(sys.stdin)
print(v["sysctls"], v["ueids"], v["pnetids"])')"

cat > "$conf" <<-END
	# everything
	use tcp listen sshd *:22
	sysctl net.smc.rmem = 65536
	sysctl net.smc.mem=1 2 3
	ueid rack-7
	ueid SMCV2-DEFAULT-UEID
	pnetid -I eth0 -D mlx5_0 -P 2 net1
	pnetid -I eth1 net2
END
counts="$conf: 1 rule, 2 sysctls, 2 UEIDs, 2 PNETIDs"
not_checked="Names and values of sysctls are not checked:"
equal "config check: counts" "0 $counts
$not_checked this user may not create a network namespace." "$(config check "$conf")"
equal "config check: without the module" "0 $counts
$not_checked the SMC module is not loaded." \
	"$(FAKE_SYSCTL=$tmp/none config check "$conf")"
# the values of a new network namespace, which has no net.smc.mem
mkdir "$tmp/namespace"
echo 1 > "$tmp/namespace/rmem"
export FAKE_NAMESPACE=$tmp/namespace
equal "config check: tries the values in a new namespace" "0 $counts 65536" \
	"$(config check "$conf") $(cat "$tmp/namespace/rmem")"
printf 'sysctl net.smc.mem_share = 7\n' > "$tmp/share"
counted="$tmp/share: 0 rules, 1 sysctl, 0 UEIDs, 0 PNETIDs"
echo 50 > "$tmp/namespace/mem_share"
equal "config check: tries mem_share, too" "0 $counted 7" \
	"$(config check "$tmp/share") $(cat "$tmp/namespace/mem_share")"
echo 50 > "$tmp/namespace/mem_share"
chmod 444 "$tmp/namespace/mem_share"
equal "config check: in a user namespace, mem_share is read-only" \
	"0 $counted 50" \
	"$(config check "$tmp/share") $(cat "$tmp/namespace/mem_share")"
ln -sf /dev/full "$tmp/namespace/rmem"
equal "config check: the kernel refuses a value" \
	"1 smcr: $conf:3: net.smc.rmem = 65536: No space left on device" \
	"$(config check "$conf")"
printf 'sysctl net.smc.none = 1\n' > "$tmp/wrong"
equal "config check: a sysctl that this kernel does not have" \
	"1 smcr: $tmp/wrong:1: net.smc.none: there is no such sysctl here" \
	"$(config check "$tmp/wrong")"
rm "$tmp/namespace/rmem"
echo 1 > "$tmp/namespace/rmem"
equal "config check: sysctls that the new namespace refuses" "0 $counts
$not_checked this user may not set sysctls in a new network namespace." \
	"$(FAKE_READONLY=13 config check "$conf")"
equal "config check: sysctls that are read-only" "0 $counts
$not_checked /proc/sys is read-only." "$(FAKE_READONLY=30 config check "$conf")"
unset FAKE_NAMESPACE
equal "config check: sets nothing" "$before" "$(state)"
equal "config apply: says nothing" "0 " "$(config apply "$conf")"
equal "config apply: sets all, and removes what the file does not name" \
	"65536 1 2 3 SMCV2-DEFAULT-UEID RACK-7 NET1 eth0 0 NET1 mlx5_0 2 NET2 eth1 0" \
	"$(state)"
system
printf 'pnetid -D rxe0 net1\n' > "$conf"
FAKE_REFUSE=1+ config apply "$conf" > "$tmp/said"
equal "config apply: what is there already needs no command" "0 " \
	"$(cat "$tmp/said")"
printf 'pnetid -D rxe0 -I eth0 net1\npnetid -D rxe0 -P 2 net2\nueid -\n' > "$conf"
equal "config apply: an empty table of UEIDs" \
	"0  262144 10 20 30 NET1 rxe0 1 NET1 eth0 0 NET2 rxe0 2" \
	"$(config apply "$conf") $(state)"
printf 'pnetid -\n' > "$conf"
equal "config apply: an empty table of PNETIDs" \
	"0  262144 10 20 30 SMCV2-DEFAULT-UEID" "$(config apply "$conf") $(state)"
printf 'use smc both * *:*\n' > "$conf"
equal "config apply: a file of rules needs no module" "0 " \
	"$(timeout 20 ../smcr config apply "$conf" 2>&1; echo "$? ")"

# Each file fails in one step, after others have changed something.
cat > "$conf" <<-END
	sysctl net.smc.rmem = 65536
	sysctl net.smc.mem = 1 2 3
	ueid rack-7
	ueid rack-8
	pnetid -I eth0 net2
END
step=0
while read -r line what; do
	step=$((step + 1))
	equal "config apply: command $step is refused" \
		"1 smcr: $conf:$line: $what: Device or resource busy; nothing is changed" \
		"$(FAKE_REFUSE=$step config apply "$conf")"
	equal "config apply: all is as before command $step" "$before" \
		"$(state)"
done <<-END
	3 UEID SMCV2-DEFAULT-UEID
	3 UEID RACK-7
	4 UEID RACK-8
	5 PNETID NET1
	5 PNETID NET2 of eth0
END
equal "config apply: the way back is refused, too" \
	"1 smcr: $conf:4: UEID RACK-8: Device or resource busy; the way back fails: UEID RACK-7: Device or resource busy" \
	"$(FAKE_REFUSE=3+ config apply "$conf")"
system
rm "$FAKE_SYSCTL/mem"
ln -s /dev/full "$FAKE_SYSCTL/mem"
equal "config apply: the kernel refuses a value" \
	"1 smcr: $conf:2: net.smc.mem = 1 2 3: No space left on device; nothing is changed" \
	"$(config apply "$conf")"
equal "config apply: the value before it is back" 262144 \
	"$(cat "$FAKE_SYSCTL/rmem")"
rm "$FAKE_SYSCTL/mem"
system
printf 'sysctl net.smc.rmem = 1\nsysctl net.smc.none = 1\n' > "$conf"
equal "config apply: a sysctl that this kernel does not have" \
	"1 smcr: $conf:2: net.smc.none: there is no such sysctl here $before" \
	"$(config apply "$conf") $(state)"
printf 'sysctl net.smc.rmem = 1\n\nbogus\n' > "$conf"
equal "config apply: a broken file" \
	"1 smcr: $conf:3: 'bogus' is none of use, ueid, pnetid and sysctl $before" \
	"$(config apply "$conf") $(state)"
equal "config check: a broken file" \
	"1 smcr: $conf:3: 'bogus' is none of use, ueid, pnetid and sysctl" \
	"$(config check "$conf")"
equal "config save: does not replace a broken file" "1 bogus" \
	"$(config save "$conf" | cut -d' ' -f1) $(tail -1 "$conf")"
equal "config apply: no such file" \
	"1 smcr: $tmp/none: No such file or directory" "$(config apply "$tmp/none")"
printf 'ueid a\n' > "$conf"
equal "config apply: without the right" \
	"1 smcr: $conf:1: UEID SMCV2-DEFAULT-UEID: this needs the privilege CAP_NET_ADMIN; nothing is changed" \
	"$(on denied config apply "$conf"; echo "$? $(cat "$tmp/err")")"

rm "$conf"
saved="# The settings below were written by \"smcr config save\".
# The default of net.smc.mem depends on the memory of this machine.
sysctl net.smc.mem = 10 20 30
sysctl net.smc.rmem = 262144
ueid SMCV2-DEFAULT-UEID
pnetid -D rxe0 -P 1 NET1"
equal "config save: a new file" "0  644 $saved" \
	"$(config save "$conf") $(stat -c %a "$conf") $(cat "$conf")"
printf '# mine\nuse tcp both sshd *:22\n\n  ueid old\n\n\tsysctl net.smc.rmem = 1\n# rest\nuse smc both x *:*' \
	> "$conf"
chmod 640 "$conf"
ln -s smc.conf "$tmp/link"
equal "config save: rules and remarks stay, through a link" "0  640 # mine
use tcp both sshd *:22


# rest
use smc both x *:*

$saved" "$(config save "$tmp/link") $(stat -c %a "$conf") $(cat "$conf")"
command cp "$conf" "$tmp/once"
equal "config save: again, the same" "0  " \
	"$(config save "$conf") $(diff "$tmp/once" "$conf")"
equal "config save: what it writes can be applied" "0 " \
	"$(FAKE_REFUSE=1+ config apply "$conf")"
equal "config save: no such directory" \
	"1 smcr: cannot write $tmp/none/f: No such file or directory" \
	"$(config save "$tmp/none/f")"
command cp "$conf" "$tmp/once"
equal "config save: a name that no file can have" \
	"1 smcr: no file can have these settings: more than one PNETID: A, B" \
	"$(FAKE_NET='A B' config save "$conf")"
equal "config save: more than a file can have" \
	"1 smcr: no file can have these settings: more than 256 PNETIDs" \
	"$(FAKE_NET=A FAKE_NETS=300 config save "$conf")"
equal "config save: the kernel does not finish its answer" \
	"1 smcr: Cannot allocate memory" "$(FAKE_DONE=12 config save "$conf")"
equal "config save: the file is as before" "" "$(diff "$tmp/once" "$conf")"
equal "config save: many PNETIDs" "0  0" \
	"$(FAKE_NET=A FAKE_NETS=200 config save "$conf") $(config check "$conf" | head -n 1 | cut -c 1)"
on undiagnosed config save "$conf" > /dev/null
equal "config save: nothing is left beside it" "link once smc.conf" \
	"$(cd "$tmp" && echo link once smc.conf*)"
unset FAKE_SYSCTL FAKE_FINAL

# ---- what watches the metrics ----

observability=../../observability
equal "dashboard: each metric and label exists" "" \
	"$(./dashboard.py $observability/grafana-dashboard.json "$tmp/rules" \
		< "$tmp/all" 2>&1)"
if command -v promtool > /dev/null; then
	promtool check rules "$tmp/rules" > "$tmp/out" 2>&1
	equal "dashboard: promtool understands each expression" 0 $?
else
	skip "dashboard: promtool" "package prometheus is not installed"
fi
sed -i 's/smc_links_down_total/smc_links_up_total/' "$tmp/all"
equal "dashboard: a metric that is missing is found" 1 \
	"$(./dashboard.py $observability/grafana-dashboard.json < "$tmp/all" |
		grep -c smc_links_down_total)"
make -s -C $observability install DESTDIR="$tmp/root" PREFIX=/usr
make -s -C ../../smc_conf install DESTDIR="$tmp/root" PREFIX=/usr
if command -v systemd-analyze > /dev/null; then
	# The check wants the program at its place.
	sed -i 's|\(Exec[a-zA-Z]*\)=/usr/sbin/smcr|\1=/bin/true|' \
		"$tmp"/root/usr/lib/systemd/system/smc-*.service
	equal "units: systemd finds nothing" "" \
		"$(systemd-analyze verify --man=no \
			"$tmp"/root/usr/lib/systemd/system/smc-* 2>&1)"
	# Cloud images start the network before sysinit.target.
	cat > "$tmp"/root/usr/lib/systemd/system/smc-early.service <<-END
	[Unit]
	DefaultDependencies=no
	After=network-pre.target
	Before=sysinit.target
	[Service]
	ExecStart=/bin/true
	END
	equal "units: the network can start early" "" \
		"$(systemd-analyze verify --man=no \
			"$tmp"/root/usr/lib/systemd/system/smc-{early,conf}.service 2>&1)"
	rm "$tmp/root/usr/lib/systemd/system/smc-early.service"
else
	skip "units: systemd" "this machine has no systemd-analyze"
fi
equal "smc.conf: the example is right, and says nothing" \
	"0 rules, 0 sysctls, 0 UEIDs, 0 PNETIDs" \
	"$(../smcr config check "$tmp/root/usr/share/smcr/smc.conf.example" |
		sed 's/.*: //')"
sed 's/^#\([a-z]\)/\1/' "$tmp/root/usr/share/smcr/smc.conf.example" > "$tmp/example"
equal "smc.conf: so is what it proposes" \
	"5 rules, 1 sysctl, 2 UEIDs, 1 PNETID" \
	"$(../smcr config check "$tmp/example" 2>&1 | sed 's/.*: //; q')"
sed -n '/^\.SH EXAMPLES/,/^\.fi/p' ../../smc.conf.5 | sed '1,/^\.nf/d; /^\.fi/d; s/\\-/-/g' \
	> "$tmp/example"
equal "smc.conf: and the example of the manual page" \
	"5 rules, 1 sysctl, 1 UEID, 1 PNETID" \
	"$(../smcr config check "$tmp/example" 2>&1 | sed 's/.*: //; q')"
make -s -C $observability uninstall DESTDIR="$tmp/root" PREFIX=/usr
make -s -C ../../smc_conf uninstall DESTDIR="$tmp/root" PREFIX=/usr
equal "units: nothing is left" "" "$(find "$tmp/root" -type f)"

ktap_finish
