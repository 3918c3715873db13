# SPDX-License-Identifier: GPL-2.0
# Functions for the tests between two hosts. The tests run on the machine that
# runs the hosts: LAB is the program, LAB_NAME is the name of the lab, and
# LAB_KERNEL is the kernel of its hosts.
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

# sh_on HOST WORD...: runs the words as a shell command line on the host
sh_on() {
	local host=$1
	shift
	on "$host" sh -c "$*"
}

# Starts the server of smc_peer on a; it runs until the end of the test.
server_on_a() {
	on a "$peer" --server --background || {
		fail "server on host a"
		ktap_end
	}
}

stop_server_on_a() {
	on a "$peer" --stop 127.0.0.1
}

# from_b NAME ARGUMENT...: runs cases with the client on b
from_b() {
	local name=$1
	shift
	relay "$name" on -t 550 b "$peer" --client "${to:-$a}" "${scale[@]}" "$@"
}

# active HOST: prints how many connections of the host use SMC-R and work
active() {
	sh_on "$1" "$smcss" | grep -c '^ACTIVE.*SMCR'
}

# modes HOST: prints the number of connections for each state and mode, and for
# TCP the reason
modes() {
	sh_on "$1" "$smcss -a --json" | python3 -c '
import json, sys
for s in json.load(sys.stdin):
    if "peer" in s:
        why = s.get("reason")
        print(s["state"], s["mode"], *[why["text"]] if why else [])' |
		sort | uniq -c | sed 's/^ *//'
}

# Counts the connections that b opens from here on.
count_connections() {
	on b "$smcr" stats reset > /dev/null
}

# only_smcr LEAST: checks that b has opened at least LEAST connections, and none
# of them uses TCP
only_smcr() {
	on b "$smcr" stats json | python3 -c '
import json, sys
v = json.load(sys.stdin)
smcr, tcp = v["smc"], v["tcp"]["client"]
print(smcr, "by SMC-R,", tcp, "by TCP")
sys.exit(smcr < int(sys.argv[1]) or tcp > 0)' "$1"
}

# background HOST COMMAND: runs the command until end_background ends it
background() {
	sh_on "$1" "setsid $2 < /dev/null > /tmp/background.log 2>&1 &
		echo \$! >> /tmp/background.pids"
}

# end_background HOST
end_background() {
	sh_on "$1" "[ ! -e /tmp/background.pids ] ||
		kill \$(cat /tmp/background.pids); rm -f /tmp/background.pids"
}

# reachable PORT: waits until b reaches the TCP port of a
reachable() {
	within "$patience" sh_on b "bash -c '> /dev/tcp/$a/$1'" ||
		fail "port $1 can be reached" "$(on a cat /tmp/background.log)"
}

# capture_begins HOST INTERFACE SIZE [FILTER...]: captures SIZE bytes of each
# packet on the interface, 0: whole packets
capture_begins() {
	sh_on "$1" "rm -f /tmp/capture.*
		tcpdump -i $2 -U -B 16384 -s $3 -w /tmp/capture.pcap ${*:4} \
			> /dev/null 2> /tmp/capture.said &
		echo \$! > /tmp/capture.pid"
	within "$patience" sh_on "$1" "grep listening /tmp/capture.said"
}

# capture_ends HOST FILE: ends the capture when it no longer grows, and copies it
# to this machine, which decodes faster than an emulated host. It says so if
# packets are missing.
capture_ends() {
	sh_on "$1" "for _ in \$(seq 20); do
			first=\$second second=\$third
			third=\$(stat -c %s /tmp/capture.pcap)
			[ \"\$first\" != \"\$third\" ] || break
			sleep 0.5
		done
		kill \$(cat /tmp/capture.pid)
		while kill -0 \$(cat /tmp/capture.pid); do sleep 0.1; done" 2> /dev/null
	sh_on "$1" "sed -n '/^[1-9].*dropped/s/^/# tcpdump: /p' /tmp/capture.said"
	on "$1" cat /tmp/capture.pcap > "$2"
}

# Functions called through within.
# shellcheck disable=SC2317
{
device_active() {
	on "$1" "$smcr" -j device |
		grep '"device": "'"$2"'".*"active": true'
}

no_group_on() {
	local said
	said=$(on "$1" "$smcr" -j linkgroup) || return
	! grep '"id"' <<< "$said"
}

# host_counter HOST NAME: prints a counter of the module
host_counter() {
	sh_on "$1" "sed -n 's/^$2 //p' /proc/net/smc_mib"
}

# end_groups HOST: tells the host to end all its groups
end_groups() {
	local id
	for id in $(on "$1" "$smcr" linkgroup | awk 'NR > 1 { print $1 }'); do
		on "$1" "$smcr" linkgroup del "$id"
	done
}

# groups_on HOST: prints the number of groups
groups_on() {
	local said
	said=$(on "$1" "$smcr" -j linkgroup) || return
	grep -c '"id"' <<< "$said" || true
}

same_groups() {
	local on_a on_b
	on_a=$(groups_on a) && on_b=$(groups_on b) || return
	echo "$on_a groups on host a, $on_b on host b"
	[ "$on_a" = "$on_b" ]
}

# groups_end HOST: the last group ends soon; otherwise prints the steps of the
# groups of both hosts since steps_traced
groups_end() {
	within 20 no_group_on "$1" && return
	steps_told
	return 1
}
}

# steps_told: prints what both hosts have done since steps_traced. It leaves out
# the steps "quiet + fail", of which each flushed request causes one.
steps_told() {
	local host

	for host in a b; do
		echo "host $host:"
		sh_on $host "grep -v 'quiet + fail -> quiet' /sys/kernel/tracing/trace |
				tail -n 40
			grep -s '^L.* [1-9]' /proc/net/smc_mib
			dmesg | grep -i 'smc\|status' | tail -n 6"
	done
}

# steps_traced 0|1 HOST...: the hosts trace the steps of their state machines,
# or do not
steps_traced() {
	local on=$1 host

	shift
	for host in "$@"; do
		sh_on "$host" "cd /sys/kernel/tracing && echo > trace &&
			echo $on > events/smc/smc_fsm/enable &&
			echo $on > events/smc/smcr_link_down/enable"
	done
}

# held ARGUMENT...: opens three connections from b to a, which stay open until
# "released"
held() {
	sh_on b ": > /tmp/smc_peer.hold"
	on b "$peer" --client "$a" "${scale[@]}" "$@" hold > /dev/null &
	holder=$!
	within "$patience" sh_on b "test -s /tmp/smc_peer.hold" ||
		fail "connections to look at" "$(sh_on b "$smcss -a")"
}

released() {
	sh_on b "rm /tmp/smc_peer.hold"
	wait "$holder"
}

# device_comes HOST [NIC]: waits until SMC on this host can use the device
device_comes() {
	local host=$1 nic=${2:-0}
	on "$host" rdma link add "rxe$nic" type rxe netdev "eth$nic"
	within "$patience" device_active "$host" "rxe$nic" ||
		fail "device rxe$nic of host $host comes"
}

# only_device_goes HOST: removes the device. The host without the device tells
# the peer, so the groups of both hosts end. A probe would also detect that, but
# only after 30 s. If a link has failed on one host earlier, the other host still
# has a group until its probe fails. The test waits for that first.
only_device_goes() {
	local host
	check "device of host $1: both hosts have the same groups" \
		within 40 same_groups
	steps_traced 1 a b
	on "$1" rdma link delete rxe0
	for host in a b; do
		check "device of host $1 gone: no group is left on $host" \
			groups_end $host
	done
	steps_traced 0 a b
}

# take_module HOST: unloads the module; the last sockets may still be closing
take_module() {
	on "$1" timeout 30 sh -c \
		"rmmod smc_diag; until rmmod smc; do sleep 0.2; done"
}

# modules_go: unloads the modules of both hosts, which ends the groups
modules_go() {
	local host
	for host in a b; do
		lists_nothing on $host "$smcss"
		take_module $host
	done
}

# modules_of HOST: prints the directory of our modules for the host's kernel,
# which may differ from the other host's
modules_of() {
	local release
	release=$(on "$1" uname -r) || return
	echo "$tree/build/$(kernel_of "$release")/net/smc"
}

# give_module HOST: loads the module again
give_module() {
	local dir
	dir=$(modules_of "$1")
	sh_on "$1" "insmod $dir/smc.ko && insmod $dir/smc_diag.ko &&
		sysctl -qw net.smc.echo_memory=0 net.smc.dead_path_memory=0"
}

modules_come() {
	local host
	for host in a b; do
		give_module $host
	done
}

# Ends the existing groups and resets the counters.
reload() {
	modules_go
	modules_come
}
